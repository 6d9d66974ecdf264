package web

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/tracker"
)

func valid[In any](t testing.TB, in In) input.Valid[In] {
	t.Helper()
	v, err := input.Check(in)
	must(t, err)
	return v
}

// file files a report in the workspace WEB.
func (w *world) file(t testing.TB, c access.Caller, summary string) api.Slice {
	t.Helper()
	text := "1. Put two mugs into the cart\n2. Use the voucher SPRING twice\n\nThe total is -4.00 €.\n\n" + attacks[0]
	made, err := w.CreateSlice(t.Context(), c, valid(t, api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.web,
		SliceFields: api.SliceFields{Summary: truncated(summary, 200), Description: &text}}}))
	must(t, err)
	return made.Slice
}

// newKey creates a key of the owner, for the workspace WEB when it is a WST.
func (w *world) newKey(t testing.TB, f api.KeyFields) api.NewKey {
	t.Helper()
	if f.Type == api.WST {
		f.WorkspaceID = &w.web
	}
	k, err := w.CreateKey(t.Context(), w.caller(t, owner), valid(t, api.CreateKey{Body: f}))
	must(t, err)
	return k
}

func client(address, userAgent string) tracker.Client {
	return tracker.Client{Request: access.Request{ID: "req_1", ClientAddress: address},
		Address: netip.MustParseAddr(address), UserAgent: userAgent}
}

// use uses a key from an address.
func (w *world) use(t testing.TB, k api.NewKey, address, userAgent string) access.Caller {
	t.Helper()
	c, err := w.Authenticate(t.Context(), k.Token)
	must(t, err)
	c.Request = access.Request{ID: "req_1", ClientAddress: address}
	w.NoteUse(c, userAgent)
	return c
}

// marks has direction marks and invisible characters. No operation takes it as a name; it is stored as one from before.
const marks = "\u202egnitset \u2066\u202d 👩‍👩‍👧‍👦🏴‍☠️ \u0301\u0301\u0301 ﷽"

// attacks are names that would be markup or script, that are written from right to left, with characters that are
// several code points, and that do not break.
var attacks = []string{
	`<script>alert(1)</script>"'><img src=x onerror=alert(2)> {{.}}`,
	"בדיקה ﷽ مرحبا (a) <b> 🇸🇪👩🏽 a\u0301\u0301\u0301\u0301\u0301\u0301",
	"WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW" +
		"WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW",
}

// attacker returns a function that replaces each name by the next attack, of at most 100 characters.
func attacker() func(string) string {
	n := 0
	return func(string) string {
		n++
		return truncated(attacks[n%len(attacks)], 100)
	}
}

func truncated(text string, n int) string {
	if utf8.RuneCountInString(text) > n {
		return string([]rune(text)[:n])
	}
	return text
}

// records are what the pages of a world show.
type records struct {
	org string // the id of the organisation, which has a provider

	ci, grace, expired, unused, revoked string            // the pages of keys
	web                                 string            // the id of the workspace WEB
	view                                string            // the page of a view
	reporterPage                        string            // of a report of a visitor
	share, plainShare                   string            // the pages of shares: with every part, and with none
	report, deleted                     string            // the pages of a report with everything, and of a deleted one
	person, self                        string            // the ids of the member and of the owner
	invitation, reset                   string            // the pages of links
	sessions                            map[string]string // tokens by who is signed in
	evidence                            evidenceReports
	programs
}

// fill adds keys in every state, what they did and why calls of theirs were refused, and sessions of browsers, over ten
// days that end now. name may change each name.
func (w *world) fill(t testing.TB, name func(string) string) (r records) {
	t.Helper()
	now := w.clock.now()
	at := func(ago time.Duration) { w.clock.add(now.Add(-ago).Sub(w.clock.now())) }
	in := func(days int) *api.Time { v := api.At(now.AddDate(0, 0, days)); return &v }
	page := func(k api.NewKey) string { return "/settings/keys/" + k.ID }
	day := 24 * time.Hour

	at(10 * day)
	ci := w.newKey(t, api.KeyFields{Name: name("CI of the web shop"), Type: api.WST,
		Scopes: []api.Scope{api.SlicesRead, api.SlicesWrite}, ExpiresAt: in(90)})
	agent := w.newKey(t, api.KeyFields{Name: name("Triage agent"), Type: api.PAT, ExpiresAt: in(3),
		Scopes: []api.Scope{api.SlicesRead, api.SlicesWrite, api.WorkspacesRead, api.SpacesRead, api.UserRead}})
	nightly := w.newKey(t, api.KeyFields{Name: name("Nightly import"), Type: api.WST, Scopes: api.AllScopes()})
	expired := w.newKey(t, api.KeyFields{Name: name("Load test"), Type: api.PAT, Scopes: []api.Scope{api.SlicesRead},
		ExpiresAt: in(-1)})
	at(9 * day)
	w.file(t, w.use(t, ci, "2001:db8:0:4f::17", name("curl/8.14.1")), name("Images of the product list are blurred"))
	at(26 * time.Hour)
	c := w.use(t, ci, "203.0.113.7", name("curl/8.14.1"))
	old := w.newKey(t, api.KeyFields{Name: name("CI before the move"), Type: api.WST,
		Scopes: []api.Scope{api.SlicesRead, api.SlicesWrite}})
	w.file(t, w.use(t, old, "203.0.113.4", name("curl/8.9.0")), name("The search ignores accents"))
	w.NoteRefusal(old.ID, api.CodeScope, api.OpDeleteSlice)
	s := w.file(t, c, name("Sign-in fails behind a proxy"))
	_, err := w.CreateComment(t.Context(), c,
		valid(t, api.CreateComment{SliceID: s.ID, Body: api.CommentFields{Body: "Seen again."}}))
	must(t, err)
	w.flush()
	_, err = w.RevokeKey(t.Context(), w.caller(t, owner), valid(t, api.RevokeKey{KeyID: old.ID}))
	must(t, err)
	at(7 * time.Hour)
	for range 17 {
		w.NoteRefusal(ci.ID, api.CodeInvalidBody, api.OpCreateSlice)
	}
	at(4 * time.Minute)
	w.file(t, w.use(t, ci, "203.0.113.7", name("curl/8.14.1")), name("The voucher field takes any text"))
	w.use(t, agent, "198.51.100.23", name("bugslice-agent/2.1"))
	for range 1204 {
		w.NoteRefusal(ci.ID, api.CodeScope, api.OpDeleteSlice)
	}
	_, err = w.RotateKey(t.Context(), w.caller(t, owner), valid(t,
		api.RotateKey{KeyID: nightly.ID, Body: &api.RotateFields{GracePeriodSeconds: 3600}}))
	must(t, err)

	const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0"
	at(48 * time.Hour)
	iphone := client("2001:db8::17",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1")
	phone := w.session(t, owner, iphone)
	at(5 * time.Hour)
	_, err = w.Session(t.Context(), iphone, phone)
	must(t, err)
	at(time.Hour)
	stale := w.session(t, owner, client("203.0.113.9", firefox))
	at(0)
	w.flush()
	r.web = w.web
	r.view = w.saveViews(t, name)
	w.countTests(t, name, s.ID)
	r.report, r.deleted = w.fileReports(t, name)
	r.sessions = map[string]string{"": "", "stale": stale}
	for _, who := range []string{owner, member, newcomer} {
		r.sessions[who] = w.session(t, who, client("203.0.113.7", firefox))
	}
	r.ci, r.grace, r.expired, r.revoked = page(ci), page(nightly), page(expired), page(old)
	for n := range 60 {
		f := api.KeyFields{Name: name(fmt.Sprint("Probe ", n+1)), Type: api.PAT, Scopes: []api.Scope{api.UserRead}}
		_, err := w.CreateKey(t.Context(), w.caller(t, member), valid(t, api.CreateKey{Body: f}))
		must(t, err)
	}
	r.unused = page(w.newKey(t, api.KeyFields{Name: name("Laptop"), Type: api.PAT,
		Scopes: []api.Scope{api.SlicesRead}}))
	return r
}

// fileList files reports of every status and priority, with labels, assignees and evidence, and a page of them in the
// workspace OLD, so that only lists of every workspace are long. name may change each name.
func (w *world) fileList(t testing.TB, name func(string) string) {
	t.Helper()
	label := func(text string) string { return truncated(strings.ReplaceAll(name(text), ",", ""), 49) }
	c := w.caller(t, member)
	for i, summary := range []string{"Pay button stays grey", "Total is one öre lower than the sum of its lines",
		"Size table is in inches for everyone",
		"Checkout fails after a discount code of a finished campaign, and then the order appears twice in the history",
		"Login returns to the start",
		"Search suggestions cover the cart"} {
		f := api.SliceFields{Summary: truncated(name(summary), 200), Status: api.Status(api.Open.Values()[i%4])}
		f.Labels = []string{label("checkout"), label("payments") + "2",
			label("a long label of the design system") + "3", label("x") + "4"}[:min(i, 4)]
		if i < 4 {
			f.Priority = new(api.Priority(api.Priority("").Values()[i]))
			f.AssigneeID = new(w.users[[]string{owner, member}[i%2]])
		}
		body := api.NewSlice{WorkspaceID: &w.web, SliceFields: f, Fingerprint: new(fmt.Sprint("bug ", i))}
		at := api.At(w.clock.now())
		if i == 3 {
			body.Evidence = &api.Evidence{Console: []api.ConsoleEntry{{Level: "error", Timestamp: at,
				Message: "TypeError"}},
				Replay: []json.RawMessage{json.RawMessage(`{"type":4,"timestamp":1,"data":{"href":"https://shop.example/"}}`)}}
		}
		for range i/3 + 1 {
			s, err := w.CreateSlice(t.Context(), c, valid(t, api.CreateSlice{Body: body}))
			must(t, err)
			_, err = w.CreateComment(t.Context(), c, valid(t, api.CreateComment{SliceID: s.ID,
				Body: api.CommentFields{Body: "Seen again."}}))
			must(t, err)
		}
	}
	var old api.Workspace
	must(t, w.operator.In(w.org).InTransaction(t.Context(), func(tx *tracker.OperatorTx) (err error) {
		if old, err = tx.CreateWorkspace(api.WorkspaceFields{Key: "OLD", Name: name("Archive")},
			w.users[owner]); err != nil {
			return err
		}
		return tx.AddMember(old.ID, w.users[member], api.RoleMember)
	}))
	for _, f := range numbered(50, api.SliceFields{}) {
		_, err := w.CreateSlice(t.Context(), c,
			valid(t, api.CreateSlice{Body: api.NewSlice{WorkspaceID: &old.ID, SliceFields: f}}))
		must(t, err)
	}
}

// fileReports files a report with everything that its page can show, and one that it deletes. It returns their paths.
// name may change each name.
func (w *world) fileReports(t testing.TB, name func(string) string) (full, deleted string) {
	t.Helper()
	c, other := w.caller(t, owner), w.caller(t, member)
	text := func(s string) *string { return new(name(s)) }
	short := func(s string) string { return truncated(strings.ReplaceAll(name(s), ",", ""), 49) }
	f := api.SliceFields{Summary: truncated(name("The order appears twice in the history after a slow payment"), 200),
		Severity: new(api.Severity("major")),
		Priority: new(api.Priority("high")), AssigneeID: new(w.users[member]),
		Labels:      []string{short("checkout"), short("payments") + "2"},
		SourceURL:   new("https://shop.example.com/orders?page=2"),
		Description: new(markdown + "\n\nAs in WEB-160, says @" + member + ".\n\n" + name(""))}
	f.Environment = api.Environment{Browser: text("Firefox 144"), OS: text("Windows 11"),
		Release: text("2026.11.3"), Viewport: new("1440x812")}
	file := func(f api.SliceFields) api.Slice {
		made, err := w.CreateSlice(t.Context(), other,
			valid(t, api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.web, SliceFields: f}}))
		must(t, err)
		return made.Slice
	}
	made := file(f)
	change := func(s api.Slice, patch api.SlicePatch) {
		w.clock.add(time.Second)
		_, err := w.UpdateSlice(t.Context(), c, valid(t, api.UpdateSlice{SliceID: s.ID, Patch: patch}))
		must(t, err)
	}
	comment := func(c access.Caller, body string) {
		w.clock.add(time.Second)
		_, err := w.CreateComment(t.Context(), c,
			valid(t, api.CreateComment{SliceID: made.ID, Body: api.CommentFields{Body: body}}))
		must(t, err)
	}
	comment(other, name("Seen again, twice.")+"\n\n- [x] in Firefox\n- [ ] in Safari")
	change(made, api.SlicePatch{"status": "in_progress", "assigneeId": w.users[owner]})
	change(made, api.SlicePatch{"priority": "urgent", "labels": []any{short("checkout"), short("history") + "3"}})
	comment(c, "Fixed by this, I think:\n\n```diff\n-retry()\n+if (!sent) retry()\n```\n\n- [ ] "+
		name("ask for a review"))
	change(made, api.SlicePatch{"summary": truncated(name("The order appears twice after a slow payment"), 200)})
	change(made, api.SlicePatch{"status": "resolved", "resolution": "fixed"})
	for range 2 {
		change(file(api.SliceFields{Summary: truncated(name("Paid twice"), 200)}),
			api.SlicePatch{"status": "resolved", "resolution": "duplicate", "duplicateOfId": made.ID})
	}
	gone := file(api.SliceFields{Summary: truncated(name("Filed by mistake"), 200)})
	_, err := w.DeleteSlice(t.Context(), c, valid(t, api.DeleteSlice{SliceID: gone.ID}))
	must(t, err)
	return "/" + made.Reference, "/" + gone.Reference
}
