package tracker_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/blob"
	"bugslice/internal/disk"
	"bugslice/internal/id"
	"bugslice/internal/portable"
	"bugslice/internal/store"
	"bugslice/internal/store/storetest"
	"bugslice/internal/tracker"
)

// limited gives the world a blob store, a quota in bytes and a limit of slices a day; 0 is no limit.
func (w *world) limited(t *testing.T, quota, daily int64) {
	t.Helper()
	files, err := blob.Open("", t.TempDir(), nil)
	must(t, err)
	w.blobs = files
	w.with(t, func(o *tracker.Options) {
		o.Blobs, o.QuotaBytes, o.DailySlices, o.Mail = files, quota, daily, &outbox{}
	})
}

// checkByteCounts fails unless the workspace counts the bytes that its rows have.
func (w *world) checkByteCounts(t *testing.T) {
	t.Helper()
	q := w.store.Read(t.Context())
	have, err := q.StoredBytes(w.workspace)
	must(t, err)
	want, err := q.MeasureStored()
	must(t, err)
	if have != want[w.workspace] {
		t.Fatalf("the workspace counts %d bytes, its rows have %d: %d too many", have, want[w.workspace],
			have-want[w.workspace])
	}
}

func (w *world) attach(ctx context.Context, slice, text string) (api.Attachment, error) {
	in := api.CreateAttachment{SliceID: slice, Name: "a.txt"}
	return w.CreateAttachment(ctx, w.owner, valid(in), tracker.Upload{Body: strings.NewReader(text),
		ContentType: "text/plain", Length: int64(len(text)), Memory: w.Reserve(w.owner, func() {})})
}

// usage is what happens to a workspace, at random.
type usage struct {
	*world
	*rand.Rand
	slices, comments, files []string
}

func (u *usage) step(t *testing.T, n int) {
	t.Helper()
	ctx := t.Context()
	words := strings.Repeat("wörter ", u.IntN(400))
	pick := func(kind string, ids []string) string {
		if len(ids) == 0 {
			return id.New(kind)
		}
		return ids[u.IntN(len(ids))]
	}
	var err error
	switch u.IntN(13) {
	case 0, 1:
		print := fmt.Sprintf("print %d", u.IntN(3))
		in := api.CreateSlice{Body: api.NewSlice{WorkspaceID: &u.workspace, Fingerprint: &print,
			SliceFields: api.SliceFields{Summary: fmt.Sprint("slice ", n),
				Description: &words, Labels: []string{"a", "ü"},
				Metadata: map[string]string{"k": strings.Repeat("ß", u.IntN(200))}}}}
		in.IdempotencyKey = fmt.Sprint(u.IntN(20))
		var s api.FiledSlice
		if s, err = u.CreateSlice(ctx, u.owner, valid(in)); err == nil {
			u.slices = append(u.slices, s.ID)
		}
	case 2:
		_, err = u.UpdateSlice(ctx, u.owner,
			valid(api.UpdateSlice{SliceID: pick(id.Slice, u.slices), Patch: u.patch(words)}))
	case 11:
		items := []api.BatchUpdateItem{{ID: pick(id.Slice, nil), Patch: u.patch(words)}} // it fails
		for range 4 {
			items = append(items, api.BatchUpdateItem{ID: pick(id.Slice, u.slices), Patch: u.patch(words)})
		}
		_, err = u.BatchUpdateSlices(ctx, u.owner, valid(api.BatchUpdateSlices{Body: api.BatchUpdate{Items: items}}))
	case 12:
		_, err = u.UpdateAttachment(ctx, u.owner, valid(api.UpdateAttachment{AttachmentID: pick(id.Attachment, u.files),
			Patch: api.AttachmentPatch{"name": fmt.Sprint("file slice ", u.IntN(9))}}))
	case 3:
		_, err = u.DeleteSlice(ctx, u.owner, valid(api.DeleteSlice{SliceID: pick(id.Slice, u.slices)}))
	case 4:
		_, err = u.RestoreSlice(ctx, u.owner, valid(api.RestoreSlice{SliceID: pick(id.Slice, u.slices)}))
	case 5:
		in := api.CreateComment{SliceID: pick(id.Slice, u.slices), Body: api.CommentFields{Body: "c " + words}}
		in.IdempotencyKey = fmt.Sprint(u.IntN(20))
		var m api.Comment
		if m, err = u.CreateComment(ctx, u.owner, valid(in)); err == nil {
			u.comments = append(u.comments, m.ID)
		}
	case 6:
		_, err = u.UpdateComment(ctx, u.owner, valid(api.UpdateComment{CommentID: pick(id.Comment, u.comments),
			Patch: api.CommentPatch{"body": "new " + words}}))
	case 7:
		_, err = u.DeleteComment(ctx, u.owner, valid(api.DeleteComment{CommentID: pick(id.Comment, u.comments)}))
	case 8:
		var a api.Attachment
		if a, err = u.attach(ctx, pick(id.Slice, u.slices), "x"+words); err == nil {
			u.files = append(u.files, a.ID)
		}
	case 9:
		_, err = u.DeleteAttachment(ctx, u.owner,
			valid(api.DeleteAttachment{AttachmentID: pick(id.Attachment, u.files)}))
	case 10:
		if n%4 == 0 {
			u.pass(t, time.Duration(2+u.IntN(400))*time.Hour)
		} else {
			h := u.hook(t)
			_, err = u.DeleteWebhook(ctx, u.owner, valid(api.DeleteWebhook{WebhookID: h.ID}))
		}
	}
	var p *api.Problem
	if err != nil && !errors.As(err, &p) {
		t.Fatal(err)
	}
}

// patch returns a change of some members.
func (u *usage) patch(words string) api.SlicePatch {
	of := func(values ...any) any { return values[u.IntN(len(values))] }
	all := api.SlicePatch{
		"summary": fmt.Sprint("slice ", u.IntN(9)), "description": of(nil, words, "c file @owner@test.example"),
		"status":   of("open", "in_progress", "resolved", "closed"),
		"priority": of(nil, "urgent", "low"), "severity": of(nil, "major", "minor"), "assigneeId": of(nil, u.owner.ID),
		"labels":      of([]any{}, []any{"a"}, []any{"a", "new words"}),
		"externalId":  of(nil, fmt.Sprint("EXT ", u.IntN(99))),
		"sourceUrl":   of(nil, "https://example.test/a"),
		"metadata":    map[string]any{"order": of(nil, "1", "Two words")},
		"environment": map[string]any{"browser": of(nil, "Firefox 1"), "release": of(nil, "1.0", "2.0")},
	}
	for name := range all {
		if u.IntN(2) == 0 && len(all) > 1 {
			delete(all, name)
		}
	}
	return all
}

// copy exports the workspace and imports it as another one.
func (u *usage) copy(t *testing.T) {
	t.Helper()
	tables := map[string]*bytes.Buffer{}
	_, _, err := u.store.Export(t.Context(), u.workspace, func(table string) (io.Writer, error) {
		tables[table] = &bytes.Buffer{}
		return tables[table], nil
	}, func(store.ExportProgress) {})
	must(t, err)
	lines := func(table string) [][]byte { return bytes.Split(bytes.TrimSpace(tables[table].Bytes()), []byte("\n")) }
	options := portable.ImportOptions{ArchiveID: "archive"}
	im, err := portable.Begin(t.Context(), u.In(u.owner.Organization).OrganizationOperator, options,
		lines("workspaces")[0])
	must(t, err)
	for _, table := range store.ExportTables()[1:] {
		if tables[table].Len() > 0 {
			open := func(key string) (io.ReadCloser, error) { return u.blobs.Open(t.Context(), key) }
			must(t, im.Records(t.Context(), table, lines(table), open))
		}
	}
	report, err := im.Finish(t.Context())
	must(t, err)
	copied := *u.world
	copied.workspace = im.WorkspaceID()
	copied.checkByteCounts(t)
	if report.Slices == 0 {
		t.Error("nothing was imported")
	}
}

// TestAnyHistory: after any history, the counted bytes of a workspace are those of its rows, and the index of terms
// is that of its reports.
func TestAnyHistory(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0)
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		u := usage{world: w, Rand: rand.New(rand.NewPCG(seed, 0))}
		w.hook(t)
		for n := range 120 {
			u.step(t, n)
			if n%10 == 0 {
				w.checkByteCounts(t)
				storetest.CheckIndex(t, w.store)
			}
		}
		w.file(t, "one that is not deleted", "")
		u.copy(t)
		w.pass(t, 40*24*time.Hour)
		w.checkByteCounts(t)
		must(t, w.store.Write(t.Context(), func(tx *store.Tx) error { tx.Charge(w.workspace, 12345); return nil }))
		must(t, w.store.Write(t.Context(), (*store.Tx).RecountStored))
		w.checkByteCounts(t)
	})
}

// TestQuota: the quota counts every kind of row and refuses further ones. Operations that free bytes or remove rights
// succeed.
func TestQuota(t *testing.T) {
	const quota = 1 << 20
	long := strings.Repeat("long ", 10_000)
	fills := map[string]func(w *world, s api.Slice, n int) error{
		"slices": func(w *world, _ api.Slice, _ int) error {
			in := api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
				SliceFields: api.SliceFields{Summary: "s", Description: &long}}}
			_, err := w.CreateSlice(context.Background(), w.owner, valid(in))
			return err
		},
		"comments": func(w *world, s api.Slice, _ int) error {
			_, err := w.CreateComment(context.Background(), w.owner,
				valid(api.CreateComment{SliceID: s.ID, Body: api.CommentFields{Body: long}}))
			return err
		},
		"events": func(w *world, s api.Slice, n int) error {
			text := fmt.Sprint(n, long)
			_, err := w.UpdateSlice(context.Background(), w.owner,
				valid(api.UpdateSlice{SliceID: s.ID, Patch: api.SlicePatch{"description": text}}))
			return err
		},
		"answers": func(w *world, s api.Slice, n int) error {
			in := api.CreateComment{SliceID: s.ID, Body: api.CommentFields{Body: long}}
			in.IdempotencyKey = fmt.Sprint(n)
			_, err := w.CreateComment(context.Background(), w.owner, valid(in))
			return err
		},
	}
	engines(t, func(t *testing.T, w *world) {
		for what, fill := range fills {
			w.limited(t, 0, 0)
			made, err := w.CreateWorkspace(t.Context(), w.owner,
				valid(api.CreateWorkspace{Body: api.WorkspaceFields{Name: what}}))
			must(t, err)
			w.workspace = made.ID
			w.limited(t, quota, 0)
			s := w.file(t, "first", "")
			m, err := w.CreateComment(t.Context(), w.owner,
				valid(api.CreateComment{SliceID: s.ID, Body: api.CommentFields{Body: long}}))
			must(t, err)
			a, err := w.attach(t.Context(), s.ID, "a file")
			must(t, err)
			k, err := w.CreateKey(t.Context(), w.owner,
				valid(api.CreateKey{Body: api.KeyFields{Name: "k", Type: api.WST,
					WorkspaceID: &w.workspace, Scopes: []api.Scope{api.SlicesRead}}}))
			must(t, err)
			n := 0
			for ; n < 100 && err == nil; n++ {
				err = fill(w, s, n)
			}
			if code(err) != api.CodeQuota || n < 4 {
				t.Errorf("%s: after %d: %v", what, n, err)
			}
			have, err := w.store.Read(t.Context()).StoredBytes(w.workspace)
			must(t, err)
			if have > quota+2*int64(len(long)) {
				t.Errorf("%s: %d bytes are stored, the quota is %d", what, have, quota)
			}
			w.checkByteCounts(t)
			_, errs := w.DeleteComment(t.Context(), w.owner, valid(api.DeleteComment{CommentID: m.ID}))
			must(t, errs)
			_, errs = w.DeleteAttachment(t.Context(), w.owner, valid(api.DeleteAttachment{AttachmentID: a.ID}))
			must(t, errs)
			_, errs = w.RevokeKey(t.Context(), w.owner, valid(api.RevokeKey{KeyID: k.ID}))
			must(t, errs)
			_, errs = w.DeleteSlice(t.Context(), w.owner, valid(api.DeleteSlice{SliceID: s.ID}))
			must(t, errs)
			w.checkByteCounts(t)
		}
	})
}

// TestDailySlices: a workspace files a limited number of slices and occurrences in a day of UTC, and a refusal says
// when the next day begins. A retry of a filed one succeeds.
func TestDailySlices(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 3)
		w.now = time.Date(2031, 5, 6, 23, 0, 0, 0, time.UTC)
		print := "the same"
		file := func(print *string, key string) error {
			in := api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
				Fingerprint: print, SliceFields: api.SliceFields{Summary: "s"}}}
			in.IdempotencyKey = key
			_, err := w.CreateSlice(t.Context(), w.owner, valid(in))
			return err
		}
		must(t, file(&print, "first"))
		must(t, file(&print, ""))
		must(t, file(nil, ""))
		for _, print := range []*string{nil, &print} {
			err := file(print, "")
			var p *api.Problem
			if !errors.As(err, &p) || p.Code != api.CodeDailyLimit || p.Status != 429 || p.RetryAfter != time.Hour {
				t.Errorf("the fourth filing: %v", err)
			}
		}
		must(t, file(&print, "first"))
		w.now = w.now.Add(time.Hour)
		must(t, file(nil, ""))
		w.checkByteCounts(t)
	})
}

// TestDiskFillsUp during an upload: it is refused, and leaves nothing.
func TestDiskFillsUp(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		dir := t.TempDir()
		files, err := blob.Open("", dir, nil)
		must(t, err)
		const floor = 1000
		room := uint64(floor)
		w.with(t, func(o *tracker.Options) {
			o.Blobs, o.Disk = files, disk.NewFunc(floor, func() (uint64, error) { return room, nil })
		})
		s := w.file(t, "first", "")
		must(t, w.CheckDisk(api.OpCreateAttachment))
		room = floor - 1
		time.Sleep(1100 * time.Millisecond) // it is asked once a second
		if _, err := w.attach(t.Context(), s.ID, strings.Repeat("x", 3<<20)); code(err) != api.CodeNoSpace {
			t.Errorf("an upload while the disk filled up: %v", err)
		}
		must(t, files.List(t.Context(), func(e blob.Entry) error { t.Errorf("%s was left", e.Key); return nil }))
	})
}
