package web

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
	"bugslice/internal/mail"
	"bugslice/internal/operator"
	"bugslice/internal/password/passwordtest"
	"bugslice/internal/store/storetest"
	"bugslice/internal/tracker"
)

// mailbox is a mail server that keeps what it gets.
type mailbox struct {
	mu   sync.Mutex
	sent []mail.Message
}

func (*mailbox) Describe() string { return "mail.test:587 (STARTTLS), from bugs@mail.test" }

func (o *mailbox) Send(_ context.Context, m mail.Message, commit func() error) mail.Result {
	if strings.HasPrefix(m.Email, "gone") {
		return mail.Result{Outcome: mail.Bounced, Words: "550 5.1.1 no such user"}
	}
	if commit() != nil {
		return mail.Result{Outcome: mail.Abandoned}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent = append(o.sent, m)
	return mail.Result{Outcome: mail.Sent}
}

// mailWorld returns a world that sends mails.
func mailWorld(t *testing.T) (*world, *mailbox) {
	t.Helper()
	o, err := storetest.Migrated("sqlite", t.TempDir())
	must(t, err)
	w, out := newTracker(t, o), &mailbox{}
	tr, authority := tracker.New(tracker.Options{Store: access.Seal(w.store), Secrets: w.secrets,
		Passwords: passwordtest.Weak(),
		BaseURL:   "http://test", Now: w.clock.now, Blobs: w.storage, MaxUploadBytes: maxUpload, Sender: w.receiver, Mail: out})
	w.Tracker, w.operator = tr, operator.Operator{Operator: authority}
	w.populate(t, func(name string) string { return name })
	return w.serve(t, table, nil), out
}

// mails sends what is due after some time, and returns it.
func (w *world) mails(t *testing.T, out *mailbox, after time.Duration) []mail.Message {
	t.Helper()
	must(t, w.Notify(t.Context()))
	w.clock.add(after)
	for {
		leased, err := w.LeaseMails(t.Context(), 20)
		must(t, err)
		if len(leased) == 0 {
			break
		}
		for _, m := range leased {
			_, err := w.SendMail(t.Context(), m)
			must(t, err)
		}
	}
	sent := out.sent
	out.sent = nil
	return sent
}

// linkOf returns the path of the first link of a mail below a folder.
func linkOf(t *testing.T, m mail.Message, folder string) string {
	t.Helper()
	found := regexp.MustCompile(`http://test(` + regexp.QuoteMeta(folder) + `[\w-]+)`).FindStringSubmatch(m.Text())
	if found == nil {
		t.Fatalf("no link %s in %s", folder, m.Text())
	}
	return found[1]
}

// TestForgotten: the answer is the same whether there is an account or not, byte by byte. Scanners that open the link use it
// up neither before nor after. It works once, and is refused to somebody who is signed in to another account.
func TestForgotten(t *testing.T) {
	t.Parallel()
	w, out := mailWorld(t)
	b := w.browser(t)
	if page := b.get("/login").body; !strings.Contains(page, `href="/forgot"`) {
		t.Error("the page to sign in does not offer it")
	}
	known := b.post("/forgot", "email", member)
	unknown := b.post("/forgot", "email", "nobody@northwind.example")
	assert.Equal(t, "status", known.status, http.StatusOK)
	same := func(a answer) string { return regexp.MustCompile(`req_\w+`).ReplaceAllString(a.body, "") }
	assert.Equal(t, "the answer", same(unknown), same(known))
	sent := w.mails(t, out, 0)
	assert.Equal(t, "mails", len(sent), 1)
	link := linkOf(t, sent[0], "/reset/")
	for range 5 {
		assert.Equal(t, "a scanner", w.browser(t).get(link).status, http.StatusOK)
	}
	other := w.signedIn(t, owner)
	asks := other.get(link).wants(http.StatusForbidden, "This link is of another account", "You are signed in as",
		owner)
	if strings.Contains(asks.body, member) || strings.Contains(asks.body, "new-password") {
		t.Error("another account sees whose link it is, or the form")
	}
	assert.Equal(t, "its form", other.post(link, "password", "another password").status, http.StatusForbidden)
	assert.Equal(t, "after signing out", other.post("/logout", "next", hidden(t, asks.body,
		"next")).header.Get("Location"), link)
	assert.Equal(t, "the link", b.post(link, "password", "another password").status, http.StatusSeeOther)
	assert.Equal(t, "again", w.browser(t).post(link, "password", "another password").status, http.StatusNotFound)
	for range 30 {
		b.post("/forgot", "email", "x@northwind.example")
	}
	assert.Equal(t, "too many", b.post("/forgot", "email", member).status, http.StatusTooManyRequests)
}

// TestStopPage: opening the address in a mail changes nothing; a mail program stops its like by one request without a cookie
// and an origin; and the page takes it back.
func TestStopPage(t *testing.T) {
	t.Parallel()
	w, out := mailWorld(t)
	s, err := w.Authenticate(t.Context(), w.tokens[owner])
	must(t, err)
	_, err = w.CreateSlice(t.Context(), s, valid(t, api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.web,
		SliceFields: api.SliceFields{Summary: "Assigned", AssigneeID: new(w.users[member])}}}))
	must(t, err)
	sent := w.mails(t, out, 3*time.Minute)
	assert.Equal(t, "mails", len(sent), 1)
	assert.Equal(t, "the header is the link", sent[0].Unsubscribe, "http://test"+linkOf(t, sent[0], "/mail/stop/"))
	link := linkOf(t, sent[0], "/mail/stop/")
	reader := w.signedIn(t, member)
	now := func() bool {
		return strings.Contains(reader.get("/settings/notifications").body, `name="assigned" value="now" checked`)
	}
	for range 3 {
		assert.Equal(t, "a scanner", w.browser(t).get(link).status, http.StatusOK)
	}
	if !now() {
		t.Error("opening the address has changed something")
	}
	r, err := http.NewRequest(http.MethodPost, w.url+link, strings.NewReader("List-Unsubscribe=One-Click"))
	must(t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	a, err := http.DefaultClient.Do(r)
	must(t, err)
	_ = a.Body.Close()
	assert.Equal(t, "one click", a.StatusCode, http.StatusOK)
	if now() {
		t.Error("one click has stopped nothing")
	}
	page := w.browser(t).post(link)
	undo := regexp.MustCompile(`name="undo" value="([^"]+)"`).FindStringSubmatch(page.body)
	if undo == nil {
		t.Fatalf("no undo in %s", page.body)
	}
	assert.Equal(t, "wrong", w.browser(t).post(link[:len(link)-3]+"AAA").status, http.StatusNotFound)
	foreign := w.browser(t)
	foreign.header["Sec-Fetch-Site"] = []string{"cross-site"}
	assert.Equal(t, "another site", foreign.post(link).status, http.StatusForbidden)
}

// mailStates returns the states of pages that only an instance with a mail server has.
func mailStates(t *testing.T) shownStates {
	t.Helper()
	w, out := mailWorld(t)
	s, err := w.Authenticate(t.Context(), w.tokens[owner])
	must(t, err)
	_, err = w.CreateSlice(t.Context(), s, valid(t, api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.web,
		SliceFields: api.SliceFields{Summary: "Assigned", AssigneeID: new(w.users[member])}}}))
	must(t, err)
	stop := linkOf(t, w.mails(t, out, 3*time.Minute)[0], "/mail/stop/")
	b := w.signedIn(t, owner)
	b.post("/settings/people", "email", "gone@northwind.example", "workspaceIds", w.web, "mail", "true", "once",
		"1").wants(200)
	w.mails(t, out, 0)
	b.post("/settings/profile/email", "email", "new@northwind.example").wants(303)
	var proof string
	for _, m := range w.mails(t, out, 0) {
		if m.Email == "new@northwind.example" {
			proof = linkOf(t, m, "/email/")
		}
	}
	sessions := map[string]string{}
	for _, who := range []string{owner, member} {
		sessions[who] = w.session(t, who, tracker.Client{})
	}
	return shownStates{"", w, sessions, []state{
		{name: "forgot-mailed", path: "/forgot", post: []string{"email", owner}},
		{name: "mailstop", path: stop},
		{name: "mailstop-done", path: stop, post: []string{}},
		{name: "mailstop-gone", path: "/mail/stop/none"},
		{name: "email-other-account", who: member, path: proof},
		{name: "mail-failed", who: owner, path: "/settings/mail"},
		{name: "notifications-mailed", who: owner, path: "/settings/notifications"},
		{name: "email", who: owner, path: proof},
		{name: "email-done", who: owner, path: proof, post: []string{}},
	}}
}

// TestMailSettings: what a form says is stored, faults are shown, and the state of mails is for those who manage
// people.
func TestMailSettings(t *testing.T) {
	t.Parallel()
	w, out := mailWorld(t)
	b := w.signedIn(t, member)
	form := []string{"mentioned", "now", "assigned", "digest", "participating", "never", "watching", "never", "views",
		"never",
		"digestHour", "7", "quietFrom", "22:00", "quietUntil", "06:30", "quietDays", "1", "quietDays", "64", "timeZone", "Europe/Berlin"}
	assert.Equal(t, "saved", b.post("/settings/notifications", form...).status, http.StatusSeeOther)
	page := b.get("/settings/notifications").body
	for _, part := range []string{`name="assigned" value="digest" checked`, `value="22:00"`, `value="06:30"`,
		`value="Europe/Berlin"`,
		`value="64" checked`, `value="7" selected`} {
		assert.Contains(t, "the form", page, part)
	}
	for _, fault := range [][2]string{{"timeZone", "Mars/Olympus"}, {"mentioned", "sometimes"}, {"quietFrom",
		"25:00"}} {
		values := append([]string(nil), form...)
		for i := 0; i < len(values); i += 2 {
			if values[i] == fault[0] {
				values[i+1] = fault[1]
			}
		}
		assert.Equal(t, fault[0], b.post("/settings/notifications", values...).status, http.StatusUnprocessableEntity)
	}
	manager := w.signedIn(t, owner)
	assert.Equal(t, "a member", b.get("/settings/mail").status, http.StatusForbidden)
	assert.Contains(t, "the server", manager.get("/settings/mail").body, "mail.test:587 (STARTTLS)")
	assert.Equal(t, "a test", manager.post("/settings/mail/test").status, http.StatusSeeOther)
	assert.Equal(t, "mails", len(w.mails(t, out, 0)), 1)

	invited := manager.post("/settings/people", "email", "gone@northwind.example", "workspaceIds", w.web, "mail",
		"true", "once", "1")
	assert.Contains(t, "invited", invited.body, "is on its way to")
	w.mails(t, out, 0)
	state := manager.get("/settings/mail").body
	assert.Contains(t, "failed", state, "550 5.1.1 no such user")
	retry := regexp.MustCompile(`action="(/settings/mail/failed/\w+/retry)"`).FindStringSubmatch(state)
	assert.Equal(t, "retried", manager.post(retry[1]).status, http.StatusSeeOther)

	asked := b.post("/settings/profile/email", "email", "new@northwind.example")
	assert.Equal(t, "another address", asked.status, http.StatusSeeOther)
	var link string
	for _, m := range w.mails(t, out, 0) {
		if m.Email == "new@northwind.example" {
			link = linkOf(t, m, "/email/")
		}
	}
	assert.Equal(t, "a scanner", w.browser(t).get(link).status, http.StatusOK)
	assert.Equal(t, "another account", manager.post(link).status, http.StatusForbidden)
	assert.Equal(t, "proved", b.post(link).status, http.StatusOK)
	assert.Equal(t, "again", b.post(link).status, http.StatusNotFound)
	assert.Contains(t, "the profile", b.get("/settings/profile").body, "new@northwind.example")
}
