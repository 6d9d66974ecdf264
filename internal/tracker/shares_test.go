package tracker_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/netip"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
	"bugslice/internal/token"
	"bugslice/internal/tracker"
)

// share shares a slice.
func (w *world) share(t *testing.T, by access.Caller, sliceID string, parts ...api.SharePart) api.NewShare {
	t.Helper()
	s, err := w.CreateShare(t.Context(), by,
		valid(api.CreateShare{SliceID: sliceID, Body: api.ShareFields{Parts: parts}}))
	must(t, err)
	return s
}

// openLink opens the link of a share from an address.
func (w *world) openLink(s api.NewShare, address string) (access.Caller, error) {
	return w.OpenShare(context.Background(), client(address), path.Base(s.URL))
}

func (w *world) openShare(t *testing.T, s api.NewShare) access.Caller {
	t.Helper()
	c, err := w.openLink(s, "198.51.100.7")
	must(t, err)
	return c
}

// sharedOperations are the operations of a share, with the part that each needs. The file of the fixture is a log.
var sharedOperations = map[string]api.SharePart{api.OpGetAttachment: api.ShareConsole,
	api.OpGetThumbnail: "", api.OpListActions: "", api.OpGetReplay: "",
	api.OpListConsole: api.ShareConsole, api.OpListNetwork: api.ShareNetwork, api.OpGetArchive: api.ShareNetwork}

// everyPart are all choices of parts.
func everyPart() (all [][]api.SharePart) {
	for n := range 8 {
		var parts []api.SharePart
		for i, p := range []api.SharePart{api.ShareConsole, api.ShareNetwork, api.ShareComments} {
			if n>>i&1 == 1 {
				parts = append(parts, p)
			}
		}
		all = append(all, parts)
	}
	return all
}

// marked files a slice each of whose members has a text of its own, with every kind of evidence and file. It returns
// the texts by the part that shows them: always, console, network, comments, and never.
func (w *world) marked(t *testing.T) (s api.Slice, files map[string]string, texts map[string][]string) {
	t.Helper()
	at, text := api.At(w.now), func(name string) *string { v := "text-of-" + name; return &v }
	url := "https://shop.example/text-of-source"
	in := api.NewSlice{WorkspaceID: &w.workspace, Fingerprint: text("fingerprint"),
		SliceFields: api.SliceFields{Summary: *text("summary"),
			Description: text("description"), Labels: []string{*text("label")},
			Metadata:   map[string]string{"text-of-name": *text("metadata")},
			ExternalID: text("external"), AssigneeID: &w.owner.ID, SourceURL: &url,
			Environment: api.Environment{Browser: text("browser"), Release: text("release"), Commit: text("commit"),
				Branch:   text("branch"),
				BuildURL: new("https://ci.example/text-of-build")}}}
	in.Evidence = &api.Evidence{
		Console: []api.ConsoleEntry{{Level: "error", Timestamp: at, Message: *text("console")}},
		Network: json.RawMessage(harOf("https://shop.example/text-of-network")),
		Actions: []api.ActionEntry{{Type: "click", Timestamp: at, Text: text("actions")}},
		Replay:  []json.RawMessage{json.RawMessage(`{"type":4,"timestamp":1,"data":{"href":"https://shop.example/text-of-replay"}}`)}}
	made, err := w.CreateSlice(t.Context(), w.owner, valid(api.CreateSlice{Body: in}))
	must(t, err)
	files = map[string]string{}
	attach := func(name, contentType string, kind api.AttachmentKind, body string) string {
		a, err := w.CreateAttachment(t.Context(), w.owner,
			valid(api.CreateAttachment{SliceID: made.ID, Name: name, Kind: kind}),
			tracker.Upload{Body: strings.NewReader(body), ContentType: contentType, Length: int64(len(body))})
		must(t, err)
		files[a.ID] = name
		return a.ID
	}
	attach("text-of-picture.png", "image/png", api.KindScreenshot, picture(t))
	attach("text-of-log.txt", "text/plain", api.KindLog, "text-of-log")
	attach("text-of-other.txt", "text/plain", api.KindOther, "text-of-other")
	inComment := attach("text-of-pasted.png", "image/png", api.KindScreenshot, picture(t))
	_, err = w.CreateComment(t.Context(), w.owner, valid(api.CreateComment{SliceID: made.ID,
		Body: api.CommentFields{Body: "text-of-comment for @owner@test.example ![](/files/" + inComment + ")"}}))
	must(t, err)
	return made.Slice, files, map[string][]string{
		"": {"text-of-summary", "text-of-description", "text-of-source",
			"text-of-browser", "text-of-release", "text-of-actions", "text-of-replay", "text-of-picture"},
		"console":  {"text-of-console", "text-of-log"},
		"network":  {"text-of-network"},
		"comments": {"text-of-comment", "text-of-pasted"},
		"never": {"text-of-label", "text-of-metadata", "text-of-name", "text-of-external", "text-of-fingerprint",
			"text-of-commit",
			"text-of-branch", "text-of-build", "text-of-other", w.owner.ID, "owner@test.example"},
	}
}

// readable returns everything that a caller reads of a slice by any operation, and by its link.
func (f *fixture) readable(t *testing.T, c access.Caller, files map[string]string) string {
	t.Helper()
	var all strings.Builder
	for _, o := range operations {
		if api.Lookup(o.id).Effect == api.Reads && o.id != api.OpGetAttachment && o.id != api.OpGetThumbnail {
			all.WriteString(f.shown(t, o, c))
		}
	}
	for id, name := range files {
		for what, open := range map[string]func() (tracker.File, error){
			"file": func() (tracker.File, error) {
				return f.ReadAttachment(t.Context(), c, valid(api.GetAttachment{AttachmentID: id}))
			},
			"thumbnail": func() (tracker.File, error) {
				return f.ReadThumbnail(t.Context(), c, valid(api.GetThumbnail{AttachmentID: id}))
			},
		} {
			file, err := open()
			if err != nil {
				if code(err) != api.CodeNotFound {
					t.Errorf("the %s %s: %v", what, name, err)
				}
				continue
			}
			_, err = io.Copy(&all, file.Bytes)
			must(t, err)
			must(t, file.Bytes.Close())
			all.WriteString(name)
		}
	}
	shared, err := f.SharedSlice(t.Context(), c)
	must(t, err)
	shared.ID = "" // which the page needs for the lists of evidence
	captured, err := f.SharedEvidence(t.Context(), c, 0)
	must(t, err)
	for part, rows := range map[api.SharePart]tracker.CapturedRows{api.ShareConsole: captured.Console,
		api.ShareNetwork: captured.Network} {
		if shows := shared.ShowConsole && part == api.ShareConsole || shared.ShowNetwork &&
			part == api.ShareNetwork; shows != (rows.Rows > 0) {
			t.Errorf("%d rows of %s are counted", rows.Rows, part)
		}
	}
	all.WriteString(asJSON(shared) + asJSON(captured))
	return all.String()
}

// TestShareShowsItsPartsAlone: each operation with a share returns every text of its parts and no other text of the
// slice, for each choice of parts.
func TestShareShowsItsPartsAlone(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		f := newFixture(t, w)
		s, files, texts := w.marked(t)
		f.slice = s.ID
		for _, parts := range everyPart() {
			all := f.readable(t, w.openShare(t, w.share(t, w.owner, s.ID, parts...)), files)
			for part, marks := range texts {
				shown := part == "" || slices.Contains(parts, api.SharePart(part))
				for _, mark := range marks {
					if strings.Contains(all, mark) != shown {
						t.Errorf("with %v: %s of the part %q is shown: %t", parts, mark, part, !shown)
					}
				}
			}
		}
	})
}

// TestShareReadsOneSlice: by its operations a share reads its slice and no other one, and by others nothing.
func TestShareReadsOneSlice(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		f := newFixture(t, w)
		other := w.file(t, "of another report", "")
		for _, parts := range everyPart() {
			own, foreign := w.openShare(t, w.share(t, w.owner, f.slice, parts...)),
				w.openShare(t, w.share(t, w.owner, other.ID, parts...))
			for _, o := range operations {
				part, shared := sharedOperations[o.id]
				shared = shared && (part == "" || slices.Contains(parts, part))
				_, err := o.call(t.Context(), f, own)
				if (err == nil) != shared || !shared && code(err) != api.CodeNotFound && code(err) != api.CodeScope {
					t.Errorf("%s with %v: %v", o.id, parts, err)
				}
				if _, err := o.call(t.Context(), f, foreign); code(err) != api.CodeNotFound &&
					code(err) != api.CodeScope {
					t.Errorf("%s of another slice with %v: %v", o.id, parts, err)
				}
			}
			for what, err := range map[string]error{"the slice": second(w.SharedSlice(t.Context(), w.owner)),
				"the evidence": second(w.SharedEvidence(t.Context(), w.owner, 0))} {
				if code(err) != api.CodeNotFound {
					t.Errorf("a key reads %s as a share: %v", what, err)
				}
			}
			if err := second(w.Report(t.Context(), own, f.slice)); code(err) != api.CodeNotFound {
				t.Errorf("the report page: %v", err)
			}
		}
	})
}

// TestSharesEnd at once, and work again when the right comes back: a link that ends is refused like an unknown one,
// and so is a caller who has opened it before.
func TestSharesEnd(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, here, start := t.Context(), w.In(w.owner.Organization), w.now
		w.person(t, "maker@test.example")
		session, _ := w.signIn(t, "maker@test.example")
		maker := session.Caller
		expiring := w.brief(t, api.At(w.now.Add(time.Hour)))
		service, pat := w.service(t), w.user(t, "pat@test.example")
		patCaller := w.authenticate(t, pat.Token)
		type way struct {
			what string
			by   access.Caller
			end  func(s api.NewShare) error
			undo func(s api.NewShare) error // nil for an end that is final
		}
		restore := func(s api.NewShare) error {
			return second(w.RestoreSlice(ctx, w.owner, valid(api.RestoreSlice{SliceID: s.SliceID})))
		}
		for _, l := range []way{
			{"revoked", maker, func(s api.NewShare) error {
				return second(w.RevokeShare(ctx, w.owner, valid(api.RevokeShare{ShareID: s.ID})))
			}, nil},
			{"of a deleted slice", maker, func(s api.NewShare) error {
				return second(w.DeleteSlice(ctx, w.owner, valid(api.DeleteSlice{SliceID: s.SliceID})))
			}, restore},
			{"of a member who left", maker,
				func(api.NewShare) error { return here.RemoveMember(ctx, w.workspace, maker.ID) },
				func(api.NewShare) error { return here.PutMember(ctx, w.workspace, maker.ID, api.RoleMember) }},
			{"of a disabled user", maker, func(api.NewShare) error { return w.Operator.DisableUser(ctx, maker.ID) },
				func(api.NewShare) error { return w.Operator.EnableUser(ctx, maker.ID) }},
			{"of a revoked key", patCaller, func(api.NewShare) error {
				return second(w.RevokeSelf(ctx, patCaller, valid(api.RevokeSelf{})))
			}, nil},
			{"of a revoked service", w.authenticate(t, service.Token), func(api.NewShare) error {
				return second(w.RevokeKey(ctx, w.owner, valid(api.RevokeKey{KeyID: service.ID})))
			}, nil},
			{"of an expired key", w.authenticate(t, expiring.Token),
				func(api.NewShare) error { w.now = start.Add(time.Hour); return nil },
				func(api.NewShare) error { w.now = start; return nil }},
			{"expired", w.owner, func(api.NewShare) error {
				w.now = start.Add(7*24*time.Hour +
					time.Second)
				return nil
			},
				func(api.NewShare) error { w.now = start; return nil }},
		} {
			s := w.share(t, l.by, w.file(t, "shared", "").ID)
			c := w.openShare(t, s)
			must(t, l.end(s))
			refused := map[string]error{"the link": second(w.openLink(s, "198.51.100.7")),
				"a request in progress": second(w.Reauthorize(ctx, c, api.OpGetSharedSlice))}
			unknown := second(w.OpenShare(ctx, client("198.51.100.8"), token.New(token.Share)))
			for what, err := range refused {
				if code(err) != api.CodeNotFound || err.Error() != unknown.Error() {
					t.Errorf("%s of a share %s: %v, of an unknown one %v", what, l.what, err, unknown)
				}
			}
			if l.undo != nil {
				must(t, l.undo(s))
				must(t, second(w.openLink(s, "198.51.100.7")))
			}
		}
		if _, err := w.Authenticate(ctx, token.New(token.Share)); code(err) != api.CodeUnauthorized {
			t.Errorf("a token of a share opens the API: %v", err)
		}
	})
}

// TestSharedFilesEndWithTheShare: a file that is being read ends when its share is revoked.
func TestSharedFilesEndWithTheShare(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		f := newFixture(t, w)
		s := w.share(t, w.owner, f.slice)
		file, err := w.ReadAttachment(t.Context(), w.openShare(t, s), valid(api.GetAttachment{AttachmentID: f.picture}))
		must(t, err)
		defer file.Bytes.Close()
		must(t, second(w.RevokeShare(t.Context(), w.owner, valid(api.RevokeShare{ShareID: s.ID}))))
		time.Sleep(550 * time.Millisecond) // rights are read again twice a second
		if _, err := io.ReadAll(file.Bytes); code(err) != api.CodeNotFound {
			t.Errorf("%v, want not_found", err)
		}
	})
}

// TestSharesShowThePresent: a share shows the slice as it is when it is opened, without texts and files that were
// removed since.
func TestSharesShowThePresent(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		w.limited(t, 0, 0)
		s, files, _ := w.marked(t)
		c := w.openShare(t, w.share(t, w.owner, s.ID, api.ShareComments))
		must(t, second(w.patch(t, s.ID, api.SlicePatch{"description": "now @" + w.owner.ID,
			"summary": "renamed", "status": "closed"})))
		listed, err := w.ListComments(ctx, w.owner, valid(api.ListComments{SliceID: s.ID, Paging: ten}))
		must(t, err)
		must(t, second(w.DeleteComment(ctx, w.owner, valid(api.DeleteComment{CommentID: listed.Data[0].ID}))))
		for id := range files {
			must(t, second(w.DeleteAttachment(ctx, w.owner, valid(api.DeleteAttachment{AttachmentID: id}))))
		}
		shared, err := w.SharedSlice(ctx, c)
		must(t, err)
		if shared.Summary != "renamed" || shared.Status != api.Closed ||
			*shared.Description != "now @"+w.owner.Name || len(shared.Comments) > 0 {
			t.Errorf("%+v", shared)
		}
		for _, file := range shared.Files {
			if _, uploaded := files[file.ID]; uploaded {
				t.Errorf("a deleted file is shown: %+v", file)
			}
		}
		if _, err := w.ReadAttachment(ctx, c,
			valid(api.GetAttachment{AttachmentID: slices.Collect(maps.Keys(files))[0]})); code(
			err) != api.CodeNotFound {
			t.Errorf("a deleted file is read: %v", err)
		}
	})
}

// TestShareFields: a share lasts for 7 days unless the request says otherwise, a slice has few shares, and the link
// is shown once.
func TestShareFields(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, s := t.Context(), w.file(t, "shared", "")
		create := func(in api.CreateShare) (api.NewShare, error) {
			in.SliceID = s.ID
			return w.CreateShare(ctx, w.owner, valid(in))
		}
		made, err := create(api.CreateShare{Idempotency: api.Idempotency{IdempotencyKey: "once"}})
		must(t, err)
		week := api.At(made.CreatedAt.Add(7 * 24 * time.Hour))
		if made.ExpiresAt != week || len(made.Parts) != 0 || !made.Active ||
			*made.CreatedBy.UserID != w.owner.ID || *made.CreatedBy.KeyID != w.owner.KeyID() {
			t.Errorf("%+v", made)
		}
		if kind, ok := token.Parse(path.Base(made.URL)); !ok || kind != token.Share ||
			!strings.HasPrefix(made.URL, "http://test/s/") {
			t.Errorf("the link is %s", made.URL)
		}
		if _, err := create(api.CreateShare{Idempotency: api.Idempotency{IdempotencyKey: "once"}}); code(err) != api.CodeReplaySecret {
			t.Errorf("the same request again: %v", err)
		}
		for at, want := range map[time.Duration]string{-time.Second: "in_the_past",
			0: "in_the_past", 366 * 24 * time.Hour: "too_late", 365 * 24 * time.Hour: ""} {
			_, err := create(api.CreateShare{Body: api.ShareFields{ExpiresAt: new(api.At(w.now.Add(at)))}})
			if got := faultCode(err); got != want {
				t.Errorf("an expiry after %s: %q, want %q (%v)", at, got, want, err)
			}
		}
		for range 48 {
			must(t, second(create(api.CreateShare{})))
		}
		if _, err := create(api.CreateShare{}); code(err) != api.CodeTooManyShares {
			t.Errorf("the 51st share: %v", err)
		}
		operator := w.In(w.owner.Organization).Caller()
		if _, err := w.CreateShare(ctx, operator,
			valid(api.CreateShare{SliceID: s.ID})); code(err) != api.CodeForbidden {
			t.Errorf("a share of the operator: %v", err)
		}
		w.now = made.ExpiresAt.Time
		listed, err := w.ListShares(ctx, w.owner, valid(api.ListShares{SliceID: s.ID, Paging: api.Paging{Limit: 100}}))
		must(t, err)
		if len(listed.Data) != 1 { // the one for a year
			t.Errorf("%d shares are listed", len(listed.Data))
		}
		w.pass(t, 2*time.Hour)
		if _, err := w.store.Read(ctx).Share(made.ID); err == nil {
			t.Error("an expired share is not deleted")
		}
	})
}

// faultCode returns the code of the first fault of a problem, empty without an error.
func faultCode(err error) string {
	p, ok := errors.AsType[*api.Problem](err)
	if !ok || len(p.Errors) == 0 {
		return ""
	}
	return p.Errors[0].Code
}

// TestShareOpenings: openings are counted by visits, and recorded with the client's address at most once an hour. No
// record has the token or its hash.
func TestShareOpenings(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		f, known := newFixture(t, w), map[string]bool{}
		s := w.share(t, w.owner, f.slice)
		w.audited(t, known)
		open := func(address string, times int) {
			for range times {
				must(t, second(w.openLink(s, address)))
			}
			must(t, w.Flush(t.Context()))
		}
		recorded := func(openings int64, addresses ...string) {
			t.Helper()
			stored, err := w.store.Read(t.Context()).Share(s.ID)
			must(t, err)
			if stored.Openings != openings || stored.LastOpenedAt == nil ||
				!stored.LastOpenedAt.Equal(api.At(w.now).Time) {
				t.Errorf("%d openings, the last at %v; want %d at %v", stored.Openings, stored.LastOpenedAt, openings,
					w.now)
			}
			var got []string
			for _, e := range w.audited(t, known) {
				if e.Type != api.EventShareOpened || e.ActorType != "system" || e.RequestID == nil {
					t.Errorf("%s", asJSON(e))
				}
				got = append(got, *e.ClientAddress)
			}
			if !slices.Equal(got, addresses) {
				t.Errorf("recorded openings from %v, want %v", got, addresses)
			}
		}
		open("198.51.100.7", 20)
		recorded(1, "198.51.100.7")
		for n := range 30 { // a crowd
			open(netip.AddrFrom4([4]byte{192, 0, 2, byte(n)}).String(), 2)
		}
		recorded(31)
		w.now = w.now.Add(29 * time.Minute)
		open("198.51.100.7", 1)
		recorded(31)
		w.now = w.now.Add(31 * time.Minute)
		open("198.51.100.7", 1)
		recorded(32, "198.51.100.7")
		must(t, second(w.openLink(s, "198.51.100.9")))
		must(t, second(w.RevokeShare(t.Context(), w.owner, valid(api.RevokeShare{ShareID: s.ID}))))
		must(t, w.Flush(t.Context())) // of a share that is revoked meanwhile
		text := path.Base(s.URL)
		if all := f.stored(t); strings.Contains(all, text) || strings.Contains(all, token.Hash(text)) ||
			strings.Contains(all, "\"shares\"") {
			t.Error("a dump contains the link")
		}
		q := w.store.Read(t.Context())
		again := w.share(t, w.owner, f.slice)
		if _, err := q.ShareOfToken(path.Base(again.URL)); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the token is stored: %v", err)
		}
	})
}

// TestUnknownLinksAreThrottled by address; a link that works is not refused because of them.
func TestUnknownLinksAreThrottled(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		s := w.share(t, w.owner, w.file(t, "shared", "").ID)
		guess := func(address, text string) error { return second(w.OpenShare(t.Context(), client(address), text)) }
		for n := range 20 {
			text := token.New(token.Share)
			if n%2 == 0 {
				text = text[1:]
			}
			if err := guess("203.0.113.5", text); code(err) != api.CodeNotFound {
				t.Errorf("guess %d: %v", n, err)
			}
		}
		if err := guess("203.0.113.5", token.New(token.Share)); code(err) != api.CodeRateLimited {
			t.Errorf("the 21st guess: %v", err)
		}
		if err := guess("203.0.113.6", token.New(token.Share)); code(err) != api.CodeNotFound {
			t.Errorf("from another address: %v", err)
		}
		must(t, second(w.openLink(s, "203.0.113.5")))
	})
}

// TestWorkspaceShares: the members of a workspace see its shares with their reports and creators, the newest first.
func TestWorkspaceShares(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, c := t.Context(), newKeyPageCallers(t, w)
		first, last := w.file(t, "first", ""), w.file(t, "second", "")
		a, b := w.share(t, w.owner, first.ID), w.share(t, c.service, last.ID, api.ShareNetwork)
		for who, caller := range map[string]access.Caller{"admin": c.admin, "member": c.member, "service": c.service} {
			rows, err := w.WorkspaceShares(ctx, caller, w.workspace, "", 10)
			must(t, err)
			if len(rows) != 2 || rows[0].ID != b.ID || rows[1].ID != a.ID ||
				rows[0].Reference != last.Reference || rows[1].Summary != "first" ||
				rows[1].Creator != w.owner.Name || rows[0].Creator == "" || !rows[0].Active {
				t.Errorf("%s: %+v", who, rows)
			}
			rows, err = w.WorkspaceShares(ctx, caller, w.workspace, b.ID, 10)
			if err != nil || len(rows) != 1 || rows[0].ID != a.ID {
				t.Errorf("%s: the next page is %+v %v", who, rows, err)
			}
			if rows, err = w.SliceShares(ctx, caller, first.Reference); err != nil || len(rows) != 1 ||
				rows[0].ID != a.ID {
				t.Errorf("%s: of the slice %+v %v", who, rows, err)
			}
		}
		for who, caller := range map[string]access.Caller{"outsider": c.outsider, "stranger": c.stranger,
			"other service": c.otherService,
			"share":         w.openShare(t, a)} {
			for what, err := range map[string]error{"the workspace": second(w.WorkspaceShares(ctx, caller, w.workspace,
				"", 10)),
				"the slice": second(w.SliceShares(ctx, caller, first.ID))} {
				if got := code(err); got != api.CodeNotFound && (who != "share" || got != api.CodeScope) {
					t.Errorf("%s as %s: %v", what, who, err)
				}
			}
		}
	})
}
