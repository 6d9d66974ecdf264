package web

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
)

// newLink asks for a recording, and returns the path of the page of the link and its id.
func (w *world) newLink(t testing.TB, by string, change func(*api.NewRecordingLink)) (path, id string) {
	t.Helper()
	in := api.CreateRecordingLink{Body: api.NewRecordingLink{WorkspaceID: &w.web,
		RecordingLinkFields: api.RecordingLinkFields{Ask: "Please show how the cart empties.", MaxReports: 1}}}
	if change != nil {
		change(&in.Body)
	}
	l, err := w.CreateRecordingLink(t.Context(), w.caller(t, by), valid(t, in))
	must(t, err)
	_, secret, _ := strings.Cut(l.URL, "/record/")
	return "/record/" + secret, l.ID
}

// film is the beginning of a WebM video.
const film = "\x1aE\xdf\xa3\x80aaaa"

// TestRecordingPages: a member asks for a recording and sees the link once; somebody without an account opens it, sends a file without a
// script, and sees that it has arrived; the member finds it, and the link has ended.
func TestRecordingPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	team, b, video := w.signedIn(t, member), w.browser(t), file{"a.webm", film}
	const list = "/settings/shares/recordings?workspace=WEB"
	team.get(list).wants(200, "No recording is asked for", "Ask for a recording")
	team.get("/settings/shares/recordings/new?workspace=WEB").wants(200, "What should they show?")
	team.post(list, "ask", "", "maxReports", "99", "siteUrl", "javascript:alert(1)").wants(422, "Please fill this in")
	ask := "Show the cart. " + attacks[0]
	created := team.post(list, "ask", ask, "maxReports", "1", "siteUrl", "https://shop.example.com/cart", "once", "a").
		wants(200, "The link is ready")
	path := regexp.MustCompile(`/record/svc_rec_\w{49}`).FindString(created.body)
	if path == "" {
		t.Fatal(created.body)
	}
	team.get(list).wants(200, "Show the cart", "0 of 1").lacks(attacks[0], "svc_rec_")

	page := b.get(path).wants(200, "asks you to show something", "Show the cart", w.caller(t, member).Name,
		`href="https://shop.example.com/cart#bugslice-record"`, `rel="noopener noreferrer"`)
	page.lacks(attacks[0], member)
	for name, want := range map[string]string{"Referrer-Policy": "same-origin", "X-Robots-Tag": "noindex, nofollow",
		"Cache-Control": "no-store", "Set-Cookie": ""} {
		assert.Equal(t, name, page.header.Get(name), want)
	}
	b.post(path, "once", "b", "text", "").wants(422, "Please fill this in")
	b.postFiles(path, []file{{"page.html", "<html>" + attacks[0]}}, "once", "b", "text", "It empties").
		wants(422, "hoose a video or a picture", "It empties")
	other := w.browser(t)
	other.header = http.Header{"Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example"}}
	other.postFiles(path, []file{video}, "once", "b", "text", "forged").wants(403)

	fields := []string{"once", "b", "text", "It empties " + attacks[0], "name", "Zebediah " + attacks[0]}
	sent := b.postFiles(path, []file{video}, fields...).wants(303)
	assert.Equal(t, "leads to", sent.header.Get("Location"), path+"?sent=b")
	b.postFiles(path, []file{video}, fields...).wants(303)
	b.get(path+"?sent=b").wants(200, "It has arrived").lacks("Send another one")
	b.get(path+"?sent=c").wants(404, "This link does not work")
	b.get(path).wants(404, "This link does not work")
	b.postFiles(path, []file{video}, "once", "c", "text", "again").wants(404)
	team.get(list).wants(200, "1 of 1", "Used")

	reports := team.get("/reports?workspace=WEB&q=is:visitor").wants(200, "It empties")
	reports.lacks(attacks[0])
	reference := regexp.MustCompile(`href="/(WEB-\d+)"`).FindStringSubmatch(reports.body)[1]
	report := team.get("/"+reference).wants(200, "by a recording link", "<video", "By a visitor", "Zebediah", "It empties",
		`<bdi class="changes-actor">A visitor</bdi>`)
	report.lacks(attacks[0])
	assert.Equal(t, "reports", len(regexp.MustCompile(`>It empties`).FindAllString(reports.body, -1)), 1)
}

// TestRecordingLinkIsRevokedOnThePage: by its creator and by admins, not by other members.
func TestRecordingLinkIsRevokedOnThePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	path, id := w.newLink(t, owner, nil)
	revoke := "/settings/shares/recordings/" + id + "/revoke"
	w.signedIn(t, member).post(revoke).wants(303)
	w.signedIn(t, member).get("/settings/shares/recordings?workspace=WEB").wants(200, "No recording is asked for")
	b := w.browser(t)
	b.get(path).wants(200, "asks you to show something")
	w.signedIn(t, owner).post(revoke).wants(303)
	b.get(path).wants(404, "This link does not work")
	b.post(path, "text", "late").wants(404)
}

// recordingStates lists the pages of recording links in each of their states.
func (w *world) recordingStates(t testing.TB, name func(string) string) []state {
	const list = "/settings/shares/recordings?workspace=WEB"
	asks := func(f *api.NewRecordingLink) {
		f.Ask, f.SiteURL, f.MaxReports = name("Please show how the cart empties."), new("https://shop.example.com/cart"), 3
	}
	path, _ := w.newLink(t, owner, asks)
	w.newLink(t, owner, nil)
	return []state{
		{name: "recordinglinks", who: owner, path: list},
		{name: "recordinglinks-empty", who: owner, path: "/settings/shares/recordings?workspace=APP"},
		{name: "recordinglinks-revoke", who: owner, path: list, click: []string{"[commandfor^=revoke-]"}},
		{name: "newrecordinglink", who: owner, path: "/settings/shares/recordings/new?workspace=WEB"},
		{name: "newrecordinglink-faults", who: owner, path: list, post: []string{"ask", "", "siteUrl", "x", "maxReports", "99"}},
		{name: "newrecordinglink-created", who: owner, path: list, post: []string{"ask", "Show it.", "once", "recording"}},
		{name: "newrecordinglink-again", who: owner, path: list, post: []string{"ask", "Show it.", "once", "recording"}},
		{name: "recipient", path: path},
		{name: "recipient-fault", path: path, post: []string{"text", "", "email", "x"}},
		{name: "recipient-sent", path: path, post: []string{"text", "It empties.", "once", "sent"}},
		{name: "recipient-gone", path: "/record/none"},
	}
}
