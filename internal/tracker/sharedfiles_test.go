package tracker_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// upload adds a picture to a slice.
func (w *world) upload(t *testing.T, in api.CreateAttachment, up tracker.Upload) api.Attachment {
	t.Helper()
	text := picture(t)
	up.Body, up.ContentType, up.Length = strings.NewReader(text), "image/png", int64(len(text))
	a, err := w.CreateAttachment(t.Context(), w.owner, valid(in), up)
	must(t, err)
	return a
}

func (w *world) say(t *testing.T, sliceID, body string) api.Comment {
	t.Helper()
	m, err := w.CreateComment(t.Context(), w.owner,
		valid(api.CreateComment{SliceID: sliceID, Body: api.CommentFields{Body: body}}))
	must(t, err)
	return m
}

// multiply stores older records like that of a file.
func (w *world) multiply(t *testing.T, a api.Attachment, count int) {
	t.Helper()
	db := w.database(t)
	for i := range count {
		_, err := db.Exec(fmt.Sprintf(`INSERT INTO attachments (id, slice_id, workspace_id, kind, name, content_type, size, sha256, blob,
			packed, stored, creator_type, creator_name, created_at, occurrence, faults, metadata) SELECT 'att_%026d', slice_id, `+
			`workspace_id,
			kind, name, content_type, size, sha256, 'blb_%026d', packed, 0, creator_type, creator_name, created_at, 1, 0, metadata
			FROM attachments WHERE id = '%s'`, i, i, a.ID))
		must(t, err)
	}
}

// showsFile checks whether a share shows a file: in its list, its bytes and its thumbnail.
func (w *world) showsFile(t *testing.T, what string, c access.Caller, file string, want bool) {
	t.Helper()
	s, err := w.SharedSlice(t.Context(), c)
	must(t, err)
	listed := false
	for _, f := range s.Files {
		listed = listed || f.ID == file
	}
	read, readErr := w.ReadAttachment(t.Context(), c, valid(api.GetAttachment{AttachmentID: file}))
	if readErr == nil {
		must(t, read.Bytes.Close())
	}
	thumbnail, thumbnailErr := w.ReadThumbnail(t.Context(), c, valid(api.GetThumbnail{AttachmentID: file}))
	if thumbnailErr == nil {
		must(t, thumbnail.Bytes.Close())
	}
	if listed != want || (readErr == nil) != want || (thumbnailErr == nil) != want {
		t.Errorf("%s: listed %t, read %v, thumbnail %v; want shown %t", what, listed, readErr, thumbnailErr, want)
	}
}

// TestShareKeepsPicturesOfTexts: a picture that came for a text, or that a comment has contained, is shared only
// while a shared text contains it: not before the text is sent, after it is edited or deleted, nor as an annotated
// copy.
func TestShareKeepsPicturesOfTexts(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0)
		ctx, s := t.Context(), w.file(t, "shared", "")
		private, public := w.openShare(t, w.share(t, w.owner, s.ID)),
			w.openShare(t, w.share(t, w.owner, s.ID, api.ShareComments))
		of := api.CreateAttachment{SliceID: s.ID, Name: "a.png", Kind: api.KindScreenshot}
		added := w.upload(t, of, tracker.Upload{})
		w.showsFile(t, "an added picture", private, added.ID, true)
		for what, a := range map[string]api.Attachment{"pasted": w.upload(t, of, tracker.Upload{ForText: true}),
			"added": w.upload(t, of, tracker.Upload{})} {
			if what == "pasted" {
				w.showsFile(t, "pasted for a comment that is not sent", public, a.ID, false)
			}
			body := "see ![](/files/" + a.ID + ")"
			edited, deleted := w.say(t, s.ID, body), w.say(t, s.ID, body)
			w.showsFile(t, what+", in private comments", private, a.ID, false)
			w.showsFile(t, what+", in shared comments", public, a.ID, true)
			must(t, second(w.UpdateComment(ctx, w.owner,
				valid(api.UpdateComment{CommentID: edited.ID, Patch: api.CommentPatch{"body": "gone"}}))))
			w.showsFile(t, what+", in another shared comment", public, a.ID, true)
			must(t, second(w.DeleteComment(ctx, w.owner, valid(api.DeleteComment{CommentID: deleted.ID}))))
			w.showsFile(t, what+", in no comment any more", private, a.ID, false)
			w.showsFile(t, what+", in no comment any more, with comments", public, a.ID, false)
			must(t, second(w.patch(t, s.ID, api.SlicePatch{"description": body})))
			w.showsFile(t, what+", in the description", private, a.ID, true)
			must(t, second(w.patch(t, s.ID, api.SlicePatch{"description": nil})))
			w.showsFile(t, what+", in no text", private, a.ID, false)
		}

		a := w.upload(t, of, tracker.Upload{ForText: true})
		body := "see ![](/files/" + a.ID + ")"
		w.say(t, s.ID, body)
		w.say(t, s.ID, "again "+body)
		must(t, second(w.patch(t, s.ID, api.SlicePatch{"description": body})))
		beside := w.upload(t, of, tracker.Upload{CopyOf: a.ID})
		w.showsFile(t, "a copy beside it", public, beside.ID, false)
		in := of
		in.Replaces = a.ID
		instead := w.upload(t, in, tracker.Upload{CopyOf: a.ID})
		w.showsFile(t, "a copy in its place, in the description", private, instead.ID, true)
		must(t, second(w.patch(t, s.ID, api.SlicePatch{"description": nil})))
		w.showsFile(t, "a copy in its place", private, instead.ID, false)
		w.showsFile(t, "a copy in its place, with comments", public, instead.ID, true)
		comments, err := w.ListComments(ctx, w.owner, valid(api.ListComments{SliceID: s.ID, Paging: ten}))
		must(t, err)
		for _, m := range comments.Data[len(comments.Data)-2:] {
			if !strings.Contains(m.Body, instead.ID) || strings.Contains(m.Body, a.ID) {
				t.Errorf("the comment contains the replaced picture: %s", m.Body)
			}
		}
		w.checkByteCounts(t)
	})
}

// TestShareShowsItsOwnOccurrence: the occurrence of a share is that with evidence of its parts, whatever other
// occurrences get of other parts, and it is shown however many files others have.
func TestShareShowsItsOwnOccurrence(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0)
		s := w.report(t, "f", api.SliceFields{Summary: "shared"})
		of := api.CreateAttachment{SliceID: s.ID, Name: "a.png", Kind: api.KindScreenshot, Occurrence: 1}
		old := w.upload(t, of, tracker.Upload{})
		w.multiply(t, old, 210)
		w.report(t, "f", api.SliceFields{Summary: "shared"})
		of.Occurrence = 2
		newest := w.upload(t, of, tracker.Upload{})
		c := w.openShare(t, w.share(t, w.owner, s.ID))
		w.showsFile(t, "the picture of the newest occurrence", c, newest.ID, true)
		w.showsFile(t, "that of an older one", c, old.ID, false)
		line := `[{"level":"error","timestamp":"2026-11-25T21:30:00Z","message":"m"}]`
		must(t, second(w.CreateAttachment(t.Context(), w.owner,
			valid(api.CreateAttachment{SliceID: s.ID, Kind: api.KindConsole, Name: "c.json", Occurrence: 1}),
			tracker.Upload{Body: strings.NewReader(line), ContentType: "application/json", Length: int64(len(line))})))
		w.showsFile(t, "after a console that is not shared", c, newest.ID, true)
		w.showsFile(t, "that of an older one, after it", c, old.ID, false)
		withConsole := w.openShare(t, w.share(t, w.owner, s.ID, api.ShareConsole))
		shown, err := w.SharedEvidence(t.Context(), withConsole, 0)
		must(t, err)
		if shown.Occurrence.Number != 1 {
			t.Errorf("with the console, occurrence %d is shown", shown.Occurrence.Number)
		}
	})
}

// TestSharedFileIsFoundQuickly: however long the comments of a slice and however many its files, a request for one of
// them reads no text.
func TestSharedFileIsFoundQuickly(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0)
		s := w.file(t, "shared", "")
		of := api.CreateAttachment{SliceID: s.ID, Name: "a.png", Kind: api.KindScreenshot}
		a := w.upload(t, of, tracker.Upload{ForText: true})
		text := strings.Repeat("word of a long comment ", 60_000/23)
		must(t, w.store.Write(t.Context(), func(tx *store.Tx) error {
			for range 60 {
				m := api.Comment{ID: id.New(id.Comment), SliceID: s.ID, CommentFields: api.CommentFields{Body: text}}
				if err := tx.InsertComment(m); err != nil {
					return err
				}
			}
			return nil
		}))
		w.multiply(t, a, 60)
		c := w.openShare(t, w.share(t, w.owner, s.ID, api.ShareComments))
		least := time.Hour
		for range 3 {
			start := time.Now()
			_, err := w.ReadAttachment(t.Context(), c, valid(api.GetAttachment{AttachmentID: a.ID}))
			least = min(least, time.Since(start))
			if code(err) != api.CodeNotFound {
				t.Fatal(err)
			}
		}
		t.Log(least)
		if least > 200*time.Millisecond {
			t.Errorf("a request took %v", least)
		}
	})
}
