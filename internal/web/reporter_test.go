package web

import (
	"net/http"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
)

// reporterPage files a report of a visitor by a new source with pages for reporters, and returns the path of its page and its id.
func (w *world) reporterPage(t testing.TB, summary string) (path, sliceID string) {
	t.Helper()
	s := w.newSource(t, "Shop")
	_, err := w.UpdateSource(t.Context(), w.caller(t, owner), valid(t, api.UpdateSource{SourceID: s.ID,
		Patch: api.SourcePatch{"approval": false, "reporterPage": true}}))
	must(t, err)
	found, err := w.Visitors().SourceByKey(t.Context(), s.Key)
	must(t, err)
	name := "Zebediah"
	c, err := w.Visitors().Caller(access.Reporting{Source: found, Visitor: api.Visitor{Name: &name}})
	must(t, err)
	out, err := w.Visitors().Report(t.Context(), c, valid(t, api.CreateSlice{Idempotency: api.Idempotency{IdempotencyKey: summary},
		Body: api.NewSlice{SliceFields: api.SliceFields{Summary: summary, Description: new("Steps:\n1. " + attacks[0])}}}))
	must(t, err)
	url, err := w.Visitors().PageURL(t.Context(), s.ID, summary)
	must(t, err)
	_, secret, _ := strings.Cut(url, "/r/")
	return "/r/" + secret, out.SliceID
}

// TestReporterPage: a reporter follows a report, answers, and erases it, without a session and a script; the team sees to whom an
// answer goes. Texts of either are no markup.
func TestReporterPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	path, sliceID := w.reporterPage(t, "The cart is empty")
	slice, err := w.GetSlice(t.Context(), w.caller(t, owner), valid(t, api.GetSlice{SliceID: sliceID, MaxTokens: 4000}))
	must(t, err)
	b, team := w.browser(t), w.signedIn(t, owner)
	first := b.get(path).wants(200, "The cart is empty", "Received", "The team has not answered yet")
	first.lacks(attacks[0])
	for name, want := range map[string]string{"Referrer-Policy": "same-origin", "X-Robots-Tag": "noindex, nofollow",
		"Cache-Control": "no-store", "Set-Cookie": ""} {
		assert.Equal(t, name, first.header.Get(name), want)
	}
	if csp := first.header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") {
		t.Errorf("the policy is %q", csp)
	}

	team.get("/"+slice.Reference).wants(200, "Visible to the reporter, <bdi>Zebediah</bdi>")
	team.get("/WEB-161").wants(200).lacks("visibleToReporter")
	team.post("/"+slice.Reference+"/comments", "body", "We see it ![x](/files/att_1) [more](https://x.example)",
		"visibleToReporter", "on").wants(303)
	team.post("/"+slice.Reference+"/comments", "body", "Internal remark").wants(303)
	b.get(path).wants(200, "We see it", `rel="`).lacks("Internal remark", "<img", w.caller(t, owner).Name)

	b.post(path, "once", "a", "text", "Also on Sunday "+attacks[0]).wants(303)
	b.post(path, "once", "a", "text", "Also on Sunday "+attacks[0]).wants(303)
	b.post(path, "once", "b", "text", " ").wants(422, "write something first")
	b.post(path, "once", "c", "text", strings.Repeat("x", 5001)).wants(422, "at most 5000 characters")
	page := b.get(path+"?sent=1").wants(200, "It is sent", "Also on Sunday")
	page.lacks(attacks[0])
	assert.Equal(t, "answers", strings.Count(page.body, "Also on Sunday"), 1)
	team.get("/"+slice.Reference).wants(200, "Also on Sunday", "a visitor", "visible to the reporter").lacks(attacks[0])

	b.get(path+"/erase").wants(200, "Erase what you wrote?")
	b.get(path).wants(200, "The cart is empty")
	b.post(path+"/erase").wants(200, "Your report is erased").lacks("The cart is empty")
	b.get(path).wants(404, "This report is no longer here")
	team.get("/"+slice.Reference).wants(200, "Erased by the reporter", "Internal remark").
		lacks("Zebediah", "Also on Sunday", "The cart is empty")
}

// TestReporterPageIsOfItsAddress: every address without a page is the same answer, nothing of a form is stored there, and a page of
// another origin sends none.
func TestReporterPageIsOfItsAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	path, sliceID := w.reporterPage(t, "The cart is empty")
	other, _ := w.reporterPage(t, "Another report")
	b := w.browser(t)
	unknown := "/r/" + strings.Repeat("a", 32)
	plain := func(a answer) string {
		_, text, _ := strings.Cut(a.body, "<main")
		text, _, _ = strings.Cut(text, "problem-id")
		return text
	}
	first := plain(b.get(unknown).wants(404))
	_, err := w.DeleteSlice(t.Context(), w.caller(t, owner), valid(t, api.DeleteSlice{SliceID: sliceID}))
	must(t, err)
	for _, at := range []string{path, "/r/x", path + "a", strings.ToUpper(path)[:3] + strings.ToUpper(path[3:])} {
		if a := plain(b.get(at).wants(404)); at == path && a != first {
			t.Errorf("%s: %s, an unknown one: %s", at, a, first)
		}
	}
	b.post(unknown, "text", "x").wants(404)
	b.post(path, "text", "x").wants(404)
	b.post(path + "/erase").wants(404)
	b.header = http.Header{"Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example"}}
	b.post(other, "text", "forged").wants(403)
	b.post(other + "/erase").wants(403)
	b.header = nil
	b.get(other).wants(200, "Another report").lacks("forged")
	_, err = w.RestoreSlice(t.Context(), w.caller(t, owner), valid(t, api.RestoreSlice{SliceID: sliceID}))
	must(t, err)
	b.get(path).wants(200, "The cart is empty")
}
