package tracker_test

import (
	"fmt"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
	"bugslice/internal/tracker"
)

// film is the beginning of a WebM video.
const film = "\x1aE\xdf\xa3\x80aaaa"

// ask creates a recording link.
func (w *world) ask(t *testing.T, by access.Caller, change func(*api.NewRecordingLink)) api.CreatedRecordingLink {
	t.Helper()
	in := api.CreateRecordingLink{Body: api.NewRecordingLink{WorkspaceID: &w.workspace,
		RecordingLinkFields: api.RecordingLinkFields{Ask: "Please show how the cart empties.", MaxReports: 1}}}
	if change != nil {
		change(&in.Body)
	}
	l, err := w.CreateRecordingLink(t.Context(), by, valid(in))
	must(t, err)
	return l
}

// opensLink opens a recording link as its recipient does.
func (w *world) opensLink(t *testing.T, l api.CreatedRecordingLink) (access.Caller, tracker.RecordingPage, error) {
	t.Helper()
	c, err := w.Visitors().OpenRecording(t.Context(), tracker.Client{}, path.Base(l.URL))
	if err != nil {
		return c, tracker.RecordingPage{}, err
	}
	p, err := w.Visitors().RecordingPage(t.Context(), c)
	return c, p, err
}

// sends opens a link and sends a recording with it.
func (w *world) sends(t *testing.T, l api.CreatedRecordingLink, r tracker.Recording) error {
	t.Helper()
	c, err := w.Visitors().OpenRecording(t.Context(), tracker.Client{}, path.Base(l.URL))
	if err != nil {
		return err
	}
	return w.Visitors().SendRecording(t.Context(), tracker.Client{UserAgent: "Mozilla/5.0 (X11; Linux x86_64) Firefox/144.0"}, c, r)
}

func filmed(name, content string) *tracker.Upload {
	return &tracker.Upload{Body: strings.NewReader(content), Name: name, ContentType: "video/webm", Length: int64(len(content))}
}

// filed returns the slices that visitors have filed, oldest first.
func (w *world) filed(t *testing.T) []api.Slice {
	t.Helper()
	page, err := w.list(t, w.owner, api.ListSlices{Sort: "createdAt", Order: "asc", Paging: api.Paging{Limit: 50},
		SliceFilters: api.SliceFilters{WorkspaceID: w.workspace, Source: []string{"Recording link"}}})
	must(t, err)
	return page.Data
}

// TestRecordingLink: what a recipient sends is a report of a visitor with its file, redacted, once; the link then takes nothing.
func TestRecordingLink(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0)
		l := w.ask(t, w.owner, func(f *api.NewRecordingLink) { f.SiteURL = new("https://shop.example.com/cart") })
		_, p, err := w.opensLink(t, l)
		must(t, err)
		assert.Equal(t, "asks", fmt.Sprint(p.Ask, " ", p.SiteURL, " ", p.Left),
			"Please show how the cart empties. https://shop.example.com/cart 1")
		if p.Team == "" || p.By != w.owner.Name || strings.Contains(fmt.Sprint(p), "@") {
			t.Errorf("the page shows %+v", p)
		}

		sent := tracker.Recording{Text: "It empties.\nMy password: Tr0ub4dor9x", Name: "Zebediah\u202e", Email: "zeb@example.com",
			Once: "a", File: filmed("screen.webm", film)}
		must(t, w.sends(t, l, sent))
		sent.File = filmed("screen.webm", film)
		must(t, w.sends(t, l, sent)) // a form that is sent again

		all := w.filed(t)
		if len(all) != 1 {
			t.Fatalf("%d reports were filed", len(all))
		}
		s := all[0]
		assert.Equal(t, "the summary", s.Summary, "It empties.")
		assert.Equal(t, "the description", *s.Description, "It empties.\nMy password: [redacted:field]")
		assert.Equal(t, "the assignee", *s.AssigneeID, w.owner.ID)
		assert.Equal(t, "the reporter", s.Reporter, api.Reporter{Type: "guest", Name: "Zebediah"})
		assert.Equal(t, "the visitor", *s.Visitor, api.Visitor{RecordingLinkID: &l.ID, SourceName: "Recording link", Name: new("Zebediah"),
			Email: new("zeb@example.com")})
		assert.Equal(t, "what was asked", s.Metadata["asked for"], l.Ask)
		assert.Equal(t, "the browser", *s.Environment.Browser, "Firefox 144")
		files, err := w.ListAttachments(t.Context(), w.owner, valid(api.ListAttachments{SliceID: s.ID, Paging: ten}))
		must(t, err)
		assert.Equal(t, "the file", fmt.Sprint(len(files.Data), files.Data[0].Kind, files.Data[0].ContentType), "1videovideo/webm")
		read, err := w.ReadAttachment(t.Context(), w.owner, valid(api.GetAttachment{AttachmentID: files.Data[0].ID}))
		must(t, err)
		must(t, read.Bytes.Close())
		w.checkByteCounts(t)

		c, _, err := w.opensLink(t, l)
		wantCode(t, err, api.CodeNotFound)
		team, arrived, err := w.Visitors().ArrivedRecording(t.Context(), c, "a")
		must(t, err)
		_, other, err := w.Visitors().ArrivedRecording(t.Context(), c, "b")
		must(t, err)
		assert.Equal(t, "arrived", fmt.Sprint(team == p.Team, arrived, other), "true true false")
		wantCode(t, w.sends(t, l, tracker.Recording{Text: "again", Once: "b"}), api.CodeNotFound)
		listed, err := w.ListAuditLog(t.Context(), w.colleague(t, "auditor@test.example", api.RoleOwner, api.RoleAdmin).Caller,
			valid(api.ListAuditLog{}))
		must(t, err)
		types := fmt.Sprint(convertAll(listed.Events, func(e api.AuditEvent) api.EventType { return e.Type }))
		for _, kind := range []api.EventType{api.EventLinkCreated, api.EventLinkUsed} {
			if n := strings.Count(types, string(kind)); n != 1 {
				t.Errorf("%d events %s", n, kind)
			}
		}
	})
}

// TestRecordingLinkReadsNothing: a recipient files by its page alone. Every operation of the contract refuses it.
func TestRecordingLinkReadsNothing(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		f := newFixture(t, w)
		c, _, err := w.opensLink(t, w.ask(t, w.owner, nil))
		must(t, err)
		for _, o := range operations {
			if o.id == api.OpCreateSlice {
				continue
			}
			if _, err := o.call(t.Context(), f, c); code(err) != api.CodeNotFound {
				t.Errorf("%s: %v", o.id, err)
			}
		}
		_, err = w.Authenticate(t.Context(), path.Base(w.ask(t, w.owner, nil).URL))
		wantCode(t, err, api.CodeUnauthorized)
	})
}

// TestRecordingLinkEnds: by its expiry, by revocation and with the rights of its creator, also for a report that has begun, and in one
// way for all.
func TestRecordingLinkEnds(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0)
		ctx := t.Context()
		member := w.colleague(t, "member@test.example", api.RoleMember, api.RoleMember)
		in := w.In(w.owner.Organization)
		key := w.service(t)
		service, err := w.Authenticate(ctx, key.Token)
		must(t, err)
		for what, end := range map[string]struct {
			by  access.Caller
			end func(l api.CreatedRecordingLink) error
		}{
			"revoked": {w.owner, func(l api.CreatedRecordingLink) error {
				return second(w.RevokeRecordingLink(ctx, w.owner, valid(api.RevokeRecordingLink{RecordingLinkID: l.ID})))
			}},
			"revoked key": {service, func(api.CreatedRecordingLink) error {
				return second(w.RevokeKey(ctx, w.owner, valid(api.RevokeKey{KeyID: key.ID})))
			}},
			"removed member": {member.Caller, func(api.CreatedRecordingLink) error {
				return in.RemoveMember(ctx, w.workspace, member.Caller.ID)
			}},
		} {
			l := w.ask(t, end.by, nil)
			begun, _, err := w.opensLink(t, l)
			must(t, err)
			must(t, end.end(l))
			_, _, err = w.opensLink(t, l)
			wantCode(t, err, api.CodeNotFound)
			if got, want := err.Error(), api.NotFound("recording link").Error(); got != want {
				t.Errorf("%s: %s, want %s", what, got, want)
			}
			err = w.Visitors().SendRecording(ctx, tracker.Client{}, begun, tracker.Recording{Text: "late", File: filmed("a.webm", film)})
			if code(err) != api.CodeNotFound {
				t.Errorf("%s meanwhile: %v", what, err)
			}
		}
		l := w.ask(t, w.owner, nil)
		w.now = w.now.Add(8 * 24 * time.Hour)
		_, _, err = w.opensLink(t, l)
		wantCode(t, err, api.CodeNotFound)
		assert.Equal(t, "filed", len(w.filed(t)), 0)
		w.work(t)
		listed, err := w.ListRecordingLinks(ctx, w.owner, valid(api.ListRecordingLinks{Paging: ten}))
		must(t, err)
		assert.Equal(t, "listed", len(listed.Data), 0)
	})
}

// TestRecordingLinkAtOnce: a link takes exactly as many reports as it says, from requests at the same time.
func TestRecordingLinkAtOnce(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0)
		l := w.ask(t, w.owner, func(f *api.NewRecordingLink) { f.MaxReports = 2 })
		c, _, err := w.opensLink(t, l)
		must(t, err)
		var group sync.WaitGroup
		refused := make(chan error, 8)
		for i := range 8 {
			group.Go(func() {
				refused <- w.Visitors().SendRecording(t.Context(), tracker.Client{}, c,
					tracker.Recording{Text: "at once", Once: fmt.Sprint(i), File: filmed("a.webm", film)})
			})
		}
		group.Wait()
		close(refused)
		failed := 0
		for err := range refused {
			if err != nil {
				failed++
				wantCode(t, err, api.CodeNotFound)
			}
		}
		assert.Equal(t, "refused and filed", fmt.Sprint(failed, len(w.filed(t))), "6 2")
		w.checkByteCounts(t)
	})
}

// TestRecordingLinkRefusals: what is wrong with a recording is said and not counted, and no file of it is left.
func TestRecordingLinkRefusals(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		files := w.keepFiles(t, func(o *tracker.Options) { o.MaxUploadBytes = 1 << 10 })
		l := w.ask(t, w.owner, nil)
		for what, r := range map[string]tracker.Recording{
			"no text":       {Text: " \n\u202e ", File: filmed("a.webm", film)},
			"a long text":   {Text: strings.Repeat("x", 5001)},
			"an address":    {Text: "x", Email: "not an address"},
			"a page":        {Text: "x", File: filmed("a.webm", "<html><script>alert(1)</script>")},
			"a program":     {Text: "x", File: filmed("a.mp4", "MZ\x90\x00\x03\x00\x00\x00\x04\x00")},
			"a drawing":     {Text: "x", File: filmed("a.svg", `<svg xmlns="http://www.w3.org/2000/svg"/>`)},
			"a large video": {Text: "x", File: filmed("a.webm", film+strings.Repeat("x", 1<<10))},
		} {
			want := api.CodeInvalidBody
			if what == "a large video" {
				want = api.CodeTooLarge
			}
			if err := w.sends(t, l, r); code(err) != want {
				t.Errorf("%s: %v, want %s", what, err, want)
			}
		}
		assert.Equal(t, "files", files(), 0)
		must(t, w.sends(t, l, tracker.Recording{Text: "<b>now</b>", File: filmed("a.webm", film)}))
		assert.Equal(t, "the text", w.filed(t)[0].Summary, "<b>now</b>")
		assert.Equal(t, "files", files(), 1)
	})
}

// TestRecordingLinkAttempts: guessed links are one answer, and an address that guesses has to wait.
func TestRecordingLinkAttempts(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		l := w.ask(t, w.owner, nil)
		guess := func(text string) error {
			return second(w.Visitors().OpenRecording(t.Context(), client("203.0.113.9"), text))
		}
		wantCode(t, guess("svc_rec_x"), api.CodeNotFound)
		wantCode(t, guess(path.Base(l.URL)+"x"), api.CodeNotFound)
		var err error
		for range 40 {
			err = guess("svc_rec_" + strings.Repeat("0", 49))
		}
		wantCode(t, err, api.CodeRateLimited)
		must(t, guess(path.Base(l.URL)))
	})
}

// TestRecordingLinksOfOthers: members see and revoke their own links, admins all of their workspace. Nobody makes one that lasts for
// long, or for what is no site.
func TestRecordingLinksOfOthers(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		member, other := w.member(t, "member@test.example"), w.member(t, "other@test.example")
		own, owners := w.ask(t, member, nil), w.ask(t, w.owner, nil)
		listed := func(c access.Caller) string {
			page, err := w.ListRecordingLinks(ctx, c, valid(api.ListRecordingLinks{WorkspaceID: w.workspace, Paging: ten}))
			must(t, err)
			return strings.Join(convertAll(page.Data, func(l api.RecordingLink) string { return l.ID }), ",")
		}
		assert.Equal(t, "of the owner", listed(w.owner), own.ID+","+owners.ID)
		assert.Equal(t, "of the member", listed(member), own.ID)
		assert.Equal(t, "of the other", listed(other), "")
		revoke := func(c access.Caller, id string) error {
			return second(w.RevokeRecordingLink(ctx, c, valid(api.RevokeRecordingLink{RecordingLinkID: id})))
		}
		wantCode(t, revoke(other, own.ID), api.CodeNotFound)
		wantCode(t, revoke(member, owners.ID), api.CodeNotFound)
		must(t, revoke(member, own.ID))
		must(t, revoke(w.owner, owners.ID))

		late, past := api.At(w.now.Add(31*24*time.Hour)), api.At(w.now.Add(-time.Hour))
		for what, change := range map[string]func(*api.NewRecordingLink){
			"late":   func(f *api.NewRecordingLink) { f.ExpiresAt = &late },
			"past":   func(f *api.NewRecordingLink) { f.ExpiresAt = &past },
			"script": func(f *api.NewRecordingLink) { f.SiteURL = new("javascript:alert(1)") },
			"path":   func(f *api.NewRecordingLink) { f.SiteURL = new("/cart") },
			"user":   func(f *api.NewRecordingLink) { f.SiteURL = new("https://a:b@shop.example.com/") },
		} {
			in := api.CreateRecordingLink{Body: api.NewRecordingLink{WorkspaceID: &w.workspace,
				RecordingLinkFields: api.RecordingLinkFields{Ask: "x", MaxReports: 1}}}
			change(&in.Body)
			if _, err := w.CreateRecordingLink(ctx, w.owner, valid(in)); code(err) != api.CodeInvalidBody {
				t.Errorf("%s: %v", what, err)
			}
		}
	})
}
