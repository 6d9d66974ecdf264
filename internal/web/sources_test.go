package web

import (
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
)

// newSource creates a source of WEB, whose reports wait.
func (w *world) newSource(t testing.TB, name string) api.Source {
	t.Helper()
	return w.newSourceIn(t, name, w.web, true)
}

// newSourceIn creates a source of a workspace.
func (w *world) newSourceIn(t testing.TB, name, workspaceID string, approval bool) api.Source {
	t.Helper()
	s, err := w.CreateSource(t.Context(), w.caller(t, owner), valid(t,
		api.CreateSource{Body: api.NewSource{WorkspaceID: &workspaceID,
			SourceFields: api.SourceFields{Name: name, Origins: []string{"https://shop.example.com"},
				Captures:  []api.CapturePart{"console"},
				Reporters: api.ReportersAnyone, MaxReportBytes: 1 << 20, MaxDailyBytes: 1 << 30, Approval: approval,
				Limits: api.SourceLimits{PerMinute: 60, PerHour: 600, PerDay: 2000, PerAddressHour: 10}}}}))
	must(t, err)
	return s
}

// visit files a report of a visitor of a source.
func (w *world) visit(t testing.TB, s api.Source, summary, name string) {
	t.Helper()
	w.visitWith(t, s, summary, name, nil)
}

// visitWith files a report of a visitor with evidence.
func (w *world) visitWith(t testing.TB, s api.Source, summary, name string, evidence *api.Evidence) {
	t.Helper()
	found, err := w.Visitors().SourceByKey(t.Context(), s.Key)
	must(t, err)
	origin := "https://shop.example.com"
	c, err := w.Visitors().Caller(access.Reporting{Source: found, Visitor: api.Visitor{Name: &name, Origin: &origin}})
	must(t, err)
	_, err = w.Visitors().Report(t.Context(), c, valid(t, api.CreateSlice{Body: api.NewSlice{SliceFields: api.SliceFields{
		Summary: summary, Description: &hostileTexts[0]}, Evidence: evidence}}))
	must(t, err)
}

// TestSourcePages: an admin makes a source, pastes its lines, changes and pauses it, gives it a secret once, and
// deletes it.
func TestSourcePages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	b.get("/settings/capture?workspace=APP").wants(200, "No sources yet", "New source")
	form := b.get("/settings/capture/new?workspace=WEB").wants(200, "Addresses of the pages")
	_, once, _ := strings.Cut(form.body, `name="once" value="`)
	once, _, _ = strings.Cut(once, `"`)
	fields := []string{"once", once, "name", "Shop", "origins", "https://shop.example.com\nHTTP://localhost:3000/",
		"reporters", "signed",
		"captures", "console", "captures", "replay", "labels", "shop, web", "perMinute", "30", "perHour", "600", "perDay", "2000",
		"perAddressHour", "10", "maxReportBytes", "25", "maxDailyBytes", "1024", "approval", "on"}
	made := b.post("/settings/capture?workspace=WEB", fields...).wants(303)
	of := made.header.Get("Location")
	again := b.post("/settings/capture?workspace=WEB", fields...).wants(303)
	assert.Equal(t, "the form that is sent twice", again.header.Get("Location"), of)
	b.get(of).wants(200, "svc_pub_", "Waiting for the first report", "[&#34;report&#34;]",
		"http://localhost:3000", "30 a minute", "Only signed visitors may report",
		"no secret yet")
	b.get(of+"/edit").wants(200, "https://shop.example.com\nhttp://localhost:3000", `value="shop, web"`)
	b.post(of, "name", "", "reporters", "anyone").wants(422, "Please fill this in")
	b.post(of, "name", "Shop", "reporters", "anyone", "origins", "shop.example.com").wants(422, "must be an origin")
	b.post(of, "name", "Shop", "reporters", "anyone", "perDay", "many").wants(422, "whole number")
	b.post(of, "version", "former", "name", "Mine", "reporters", "anyone").wants(412,
		"Somebody else has changed this source")
	b.post(of, "name", "Web shop", "reporters", "anyone", "perDay", "50", "maxDailyBytes", "2").wants(303)
	b.get(of).wants(200, "Web shop", "50 a day", "Everybody")
	b.post(of + "/pause").wants(303)
	b.get("/settings/capture?workspace=WEB").wants(200, "Web shop", "Paused")
	b.post(of + "/resume").wants(303)
	b.post(of+"/rotate", "once", "r1").wants(200, "svc_sgn_")
	b.post(of+"/rotate", "once", "r1").wants(409, "was rotated once")
	b.get(of).wants(200, "svc_sgn_…")
	b.post(of+"/delete", "version", "former").wants(412, "It was not deleted")
	b.post(of + "/delete").wants(303)
	b.get(of).wants(404)
}

// TestWaitingPage: a member accepts reports of visitors, marks them as spam, and takes that back; what strangers
// wrote is text.
func TestWaitingPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	s := w.newSource(t, "Shop")
	for _, summary := range []string{"The cart is empty", "buy now", "<img src=x onerror=alert(1)>"} {
		w.visit(t, s, summary, "Ada <b>")
	}
	b := w.signedIn(t, member)
	b.get("/reports?workspace=WEB").wants(200, "3 reports of visitors wait")
	queue := b.get("/waiting?workspace=WEB").wants(200, "The cart is empty", "Ada &lt;b&gt;", "not verified",
		"&lt;img src=x")
	ids := submissionIDs(queue.body)
	assert.Equal(t, "reports that wait", len(ids), 3)
	next := "/waiting?workspace=WEB"
	decide := func(form ...string) answer {
		t.Helper()
		b.post(next, append(form, "next", next, "from", "waiting")...).wants(303)
		return b.get(next)
	}
	decide("do", "accepted "+ids[2]).wants(200, "is filed", "Undo")
	b.get("/reports?workspace=WEB&q=is:visitor").wants(200, "The cart is empty", "visitor")
	decide("do", "spam", "id", ids[0], "id", ids[1]).wants(200, "2 reports are spam", "Nothing waits")
	b.get("/waiting?workspace=WEB&show=spam").wants(200, "buy now")
	decide("do", "waiting", "id", ids[1]).wants(200, "buy now")
	decide("do", "accepted").wants(200, "Choose reports first")
	decide("do", "waiting "+ids[2]).wants(200, "The cart is empty")
	b.get("/reports?workspace=WEB&q=is:visitor").wants(200, "No report")
	b.post(next, "do", "spam sub_01ja8m2c9tf3qb6h0v5r4x7kyz", "next", next).wants(303)
	b.get(next).wants(200, "A report is gone")

	o := w.signedIn(t, owner)
	o.post("/settings/capture/"+s.ID+"/remove", "since", "2020-01-01T00:00").wants(303)
	o.get("/settings/capture/"+s.ID).wants(200, "0 filed reports are removed, and 3 that were not")
	b.get(next).wants(200, "Nothing waits")
}

// submissionIDs returns the ids of the reports that a page of the queue shows, the newest first.
func submissionIDs(body string) (ids []string) {
	for _, part := range strings.Split(body, `<li class="inbox-row waiting-row" id="`)[1:] {
		id, _, _ := strings.Cut(part, `"`)
		ids = append(ids, id)
	}
	return ids
}

// sourceStates lists the pages of sources and of reports that wait in each of their states.
func (w *world) sourceStates(t testing.TB, name func(string) string) []state {
	s := w.newSource(t, name("Shop"))
	of := "/settings/capture/" + s.ID
	for _, summary := range []string{"The cart is empty after I sign in", "The voucher SPRING is refused",
		"Prices in the wrong currency"} {
		w.visit(t, s, name(summary), name("Ada Lovelace"))
	}
	return []state{
		{name: "sources", who: owner, path: "/settings/capture?workspace=WEB"},
		{name: "sources-empty", who: owner, path: "/settings/capture?workspace=APP"},
		{name: "newsource", who: owner, path: "/settings/capture/new?workspace=WEB"},
		{name: "newsource-faults", who: owner, path: "/settings/capture?workspace=WEB",
			post: []string{"name", "", "origins", "x", "perDay", "many"}},
		{name: "source", who: owner, path: of},
		{name: "source-remove", who: owner, path: of, click: []string{"[popovertarget=source-menu]",
			"[commandfor=remove]"}},
		{name: "source-rotated", who: owner, path: of + "/rotate", post: []string{"once", "secret"}},
		{name: "source-edit", who: owner, path: of + "/edit"},
		{name: "source-paused", who: owner, path: of + "/pause", post: []string{}},
		{name: "waiting", who: member, path: "/waiting?workspace=WEB"},
		{name: "waiting-spam", who: member, path: "/waiting?workspace=WEB&show=spam"},
		{name: "reports-waiting", who: member, path: "/reports?workspace=WEB"},
	}
}
