package web

import (
	"encoding/json"
	"html"
	"math"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/query"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

var (
	listedNumber = regexp.MustCompile(`<a class="listed" href="(/reports\?[^"]+)">([\d,]+)</a>`)
	plotNumber   = regexp.MustCompile(`<a href="(/reports\?[^"]+)" tabindex="-1"><title>[^<]*: ([\d,]+) ` +
		`(?:opened|resolved)</title>`)
	totalNumber = regexp.MustCompile(`<p class="total" role="status"><span class="number">([\d,]+)</span>`)
	spanNumber  = regexp.MustCompile(`<th scope="row">(Median|90th percentile)</th><td>.*?</td><td>(\d+) ` +
		`(minute|hour|day)s?</td>`)
)

func parsed(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(strings.ReplaceAll(text, ",", ""), 10, 64)
	must(t, err)
	return n
}

// history does random things to the reports of a world, also shortly before and after midnight in a zone.
func (w *world) history(t *testing.T, r *rand.Rand, zone *time.Location) {
	t.Helper()
	labels := []string{"checkout", "sign in", "none", `a"b\c`, "<i>"}
	prints, releases := []string{"TypeError@a.js:1", "none", "a b"}, []string{"2.7", "none", `"3"`}
	var ids []string
	for range 70 {
		switch now := w.clock.now().In(zone); r.IntN(3) {
		case 0:
			midnight := time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, zone)
			w.clock.add(midnight.Sub(now) + time.Duration(r.IntN(3)-1)*time.Millisecond)
		case 1:
			w.clock.add(time.Duration(r.IntN(10 * int(time.Hour))))
		}
		c := w.caller(t, owner)
		if len(ids) == 0 || r.IntN(3) == 0 {
			f := api.NewSlice{WorkspaceID: &w.web,
				SliceFields: api.SliceFields{Summary: "s", Labels: labels[r.IntN(3) : 3+r.IntN(3)]}}
			if r.IntN(2) == 0 {
				f.Environment.Release = &releases[r.IntN(3)]
			}
			if r.IntN(2) == 0 {
				f.Fingerprint = &prints[r.IntN(3)]
			}
			made, err := w.CreateSlice(t.Context(), c, valid(t, api.CreateSlice{Body: f}))
			must(t, err)
			ids = append(ids, made.ID)
			continue
		}
		id := ids[r.IntN(len(ids))]
		patch := []api.SlicePatch{{"status": "resolved"}, {"status": "closed"}, {"status": "open"},
			{"status": "in_progress"},
			{"labels": labels[:r.IntN(5)]}, {"environment": map[string]any{"release": "2.8"}}}[r.IntN(6)]
		var err error
		switch r.IntN(6) { // a deleted report refuses an update, and one that is not deleted its restoration
		case 0:
			_, err = w.DeleteSlice(t.Context(), c, valid(t, api.DeleteSlice{SliceID: id}))
		case 1:
			_, err = w.RestoreSlice(t.Context(), c, valid(t, api.RestoreSlice{SliceID: id}))
		default:
			_, err = w.UpdateSlice(t.Context(), c, valid(t, api.UpdateSlice{SliceID: id, Patch: patch}))
		}
		_ = err
	}
}

// listOf returns the reports of the list at an address, read by the API.
func (w *world) listOf(t *testing.T, address string, zone *time.Location) []api.Slice {
	t.Helper()
	u, err := url.Parse(html.UnescapeString(address))
	must(t, err)
	q, err := query.Parse(u.Query().Get("q"))
	must(t, err)
	in, err := q.List(nil, zone)
	must(t, err)
	in.WorkspaceID, in.Paging = w.web, api.Paging{Limit: 100}
	listed, err := w.ListSlices(t.Context(), w.caller(t, owner), valid(t, in))
	must(t, err)
	return listed.Data
}

// TestOverviewCountsItsLists: every number of the overview is that of the list to which it leads, after reports were
// filed, edited, resolved, reopened, deleted and restored, at the borders of days in time zones whose clocks change,
// also for a reader in another zone.
func TestOverviewCountsItsLists(t *testing.T) {
	t.Parallel()
	for name, reader := range map[string]string{ // a midnight that is passed twice, and one that is no full hour in UTC
		"America/Havana": "Asia/Kathmandu", "Asia/Kathmandu": "Asia/Kathmandu"} {
		zone, err := time.LoadLocation(name)
		must(t, err)
		zoneOfReader, err := time.LoadLocation(reader)
		must(t, err)
		w := newWorld(t, table, nil)
		w.clock.add(time.Date(2027, 11, 3, 12, 0, 0, 0, zone).Sub(w.clock.now())) // the clocks change on the 7th
		b := w.signedIn(t, owner)
		b.post("/settings/profile", "version", "1", "name", "Mara", "theme", "system", "timeZone", reader).
			leadsTo("/settings/profile")
		b.post("/settings/workspace?workspace=WEB", "name", "Web shop", "key", "WEB", "timeZone", name).wants(303)
		seed := rand.Uint64()
		t.Logf("%s: seed %d", name, seed)
		w.history(t, rand.New(rand.NewPCG(seed, 0)), zone)
		b = w.signedIn(t, owner) // the session before may have ended
		totals := map[string]int64{}
		for _, period := range []string{"&period=30", "&period=365", "&from=2027-11-04&to=2027-11-09",
			"&from=2027-11-07&to=2027-11-07"} {
			a := b.get("/overview?workspace=WEB"+period).wants(200, name)
			numbers := slices.Concat(listedNumber.FindAllStringSubmatch(a.body, -1),
				plotNumber.FindAllStringSubmatch(a.body, -1))
			if len(numbers) < 10 {
				t.Fatalf("%d numbers in %s", len(numbers), a.content())
			}
			for _, m := range numbers {
				address, got := html.UnescapeString(m[1]), parsed(t, m[2])
				if _, ok := totals[address]; !ok {
					list := b.get(address).wants(200)
					if total := totalNumber.FindStringSubmatch(list.body); total != nil {
						totals[address] = parsed(t, total[1])
					}
				}
				want := totals[address]
				if strings.Contains(address, "fingerprint") {
					want = 0
					for _, s := range w.listOf(t, m[1], zoneOfReader) {
						want += s.OccurrenceCount
					}
				}
				if got != want {
					t.Errorf("%s%s has %d; the list %s has %d", name, period, got, address, want)
				}
			}
			w.checkTimes(t, a, zoneOfReader)
		}
	}
}

// checkTimes compares the times to resolve of an overview with those of the reports in its list.
func (w *world) checkTimes(t *testing.T, a answer, zone *time.Location) {
	t.Helper()
	address := regexp.MustCompile(`Of <a class="listed" href="([^"]+)"`).FindStringSubmatch(a.body)
	if address == nil {
		return
	}
	var seconds []float64
	for _, s := range w.listOf(t, address[1], zone) {
		seconds = append(seconds, s.ResolvedAt.Sub(s.CreatedAt.Time).Seconds())
	}
	slices.Sort(seconds)
	units := map[string]float64{"minute": 60, "hour": 3600, "day": 86400}
	for _, m := range spanNumber.FindAllStringSubmatch(a.body, -1) {
		percent := map[string]int{"Median": 50, "90th percentile": 90}[m[1]]
		want, got := seconds[(len(seconds)*percent+99)/100-1], float64(parsed(t, m[2]))*units[m[3]]
		if math.Abs(got-want) > want/10+units[m[3]] {
			t.Errorf("%s is %s %ss, want %.0f seconds of %v", m[1], m[2], m[3], want, seconds)
		}
	}
}

// TestOverview: the address has the workspace and the period; days that do not exist are refused beside the last 30.
// Who may list the webhooks sees how many deliveries succeeded.
func TestOverview(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b, reader := w.signedIn(t, owner), w.signedIn(t, member)
	hook := store.Webhook{Webhook: api.Webhook{ID: id.New(id.Webhook),
		WorkspaceID: w.web, CreatedAt: api.At(w.clock.now()), UpdatedAt: api.At(w.clock.now()),
		WebhookFields: api.WebhookFields{URL: "https://203.0.113.9/hook", EventTypes: []api.Subscription{"*"},
			Enabled: true}},
		OrgID: w.org.ID,
		Grant: store.Grant{UserID: new(w.users[owner]), Scopes: []api.Scope{api.SlicesRead}}}
	must(t, w.store.Write(t.Context(), func(tx *store.Tx) error { return tx.InsertWebhook(&hook) }))
	w.fileMany(t, numbered(3, api.SliceFields{})...)
	listed, err := w.ListDeliveries(t.Context(), w.caller(t, owner),
		valid(t, api.ListDeliveries{WebhookID: hook.ID, Paging: api.Paging{Limit: 100}}))
	must(t, err)
	checkDeliveries(t, b, b.get("/overview?workspace=WEB").wants(200, hook.URL, `aria-current="page">30 days`),
		int64(len(listed.Data)))
	checkDeliveries(t, b, b.get("/overview?workspace=WEB&from=2026-10-01&to=2026-10-02").wants(200, hook.URL), 0)
	b.get("/settings/webhooks/"+hook.ID+"?since=yesterday").wants(400, "since must be a time")
	if a := reader.get("/overview?workspace=WEB&period=7").
		wants(200, `aria-current="page">7 days`); strings.Contains(a.body, hook.URL) {
		t.Error("a member who may not list the webhooks sees one")
	}
	b.get("/overview?period=90").leadsTo("/overview?period=90&workspace=WEB")
	for _, days := range []string{"from=2026-02-30", "from=2020-01-01", "from=2026-11-02&to=2026-11-01", "to=x"} {
		b.get("/overview?workspace=WEB&"+days).wants(422, "The last 30 days are shown", `aria-invalid="true"`)
	}
	b.get("/overview?workspace=NONE").wants(404)
}

// deliveriesNumber finds the numbers of deliveries, which lead to their lists.
var deliveriesNumber = regexp.MustCompile(`<a class="listed" href="(/settings/webhooks/[^"]+)">([\d,]+)` +
	`</a> (delivered|failed|pending)`)

// checkDeliveries compares the numbers of deliveries of an overview with the lists to which they lead.
func checkDeliveries(t *testing.T, b *browser, a answer, pending int64) {
	t.Helper()
	numbers := deliveriesNumber.FindAllStringSubmatch(a.body, -1)
	if len(numbers) != 3 {
		t.Fatalf("%d numbers of deliveries in %s", len(numbers), a.content())
	}
	for i, want := range []int64{0, 0, pending} {
		list := b.get(html.UnescapeString(numbers[i][1])).wants(200, "Show all times").body
		if n := strings.Count(list, `class="cell-redeliver"`); parsed(t, numbers[i][2]) != want || int64(n) != want {
			t.Errorf("%s %s, %d in the list, want %d", numbers[i][2], numbers[i][3], n, want)
		}
	}
}

// TestStart: the front page of somebody who administers a new workspace says what to do first, and ticks each step
// once it is done. Others do not see it.
func TestStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	front := func(key string) answer {
		b.get("/overview?workspace=" + key) // selects the workspace
		return b.get("/my").wants(200)
	}
	steps := func(a answer) string {
		var done []string
		for _, m := range regexp.MustCompile(`Done: </span><span>([^<]+)</span>`).FindAllStringSubmatch(a.body, -1) {
			done = append(done, m[1])
		}
		return strings.Join(done, ", ")
	}
	front("APP").wants(200, "Get started with <bdi>Mobile app</bdi>")
	app := b.get("/overview?workspace=APP").wants(200, "Get started with <bdi>Mobile app</bdi>",
		"0 of 3 steps are done", "--into wsp_", "/settings/keys/new", "/settings/record?workspace=APP")
	if got := steps(front("WEB")); got != "Invite your team, File a report with an API key" {
		t.Errorf("in a workspace with members: %q", got)
	}
	if a := w.signedIn(t, newcomer).get("/my").wants(200); strings.Contains(a.body, "Get started") {
		t.Error("a member sees what only admins can do")
	}

	form := []string{}
	for _, name := range []string{"once", "at"} {
		m := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).
			FindStringSubmatch(app.body[strings.Index(app.body,
				"File a demo report")-1500:])
		form = append(form, name, html.UnescapeString(m[1]))
	}
	key := w.caller(t, owner)
	w.file(t, key, "In another workspace")
	w.NoteUse(key, "curl/8.14.1")
	w.flush()
	b.post("/new/demo?workspace=APP", form...).leadsTo("/APP-1")
	b.post("/new/demo?workspace=APP", form...).leadsTo("/APP-1") // by a double click
	demo, err := w.Report(t.Context(), key, "APP-1")
	must(t, err)
	if e := demo.Evidence; e.ConsoleErrors == 0 || e.FailedRequests == 0 || e.Replays == 0 || e.Actions == 0 ||
		e.Screenshots == 0 {
		t.Errorf("the evidence of the demo report is %+v", e)
	}
	b.get("/APP-1").wants(200, "Play the replay", "checkout")
	if got := steps(front("APP")); got != "See a report with a replay" {
		t.Errorf("after the demo report: %q", got)
	}
	workspaces, err := w.MyWorkspaces(t.Context(), key)
	must(t, err)
	appID := workspaces[slices.IndexFunc(workspaces, func(m tracker.MyWorkspace) bool { return m.Key == "APP" })].ID
	external := "github:acme/shop#7"
	_, err = w.CreateSlice(t.Context(), key, valid(t, api.CreateSlice{Body: api.NewSlice{WorkspaceID: &appID,
		SliceFields: api.SliceFields{Summary: "x", ExternalID: &external}}}))
	must(t, err)
	if got := steps(front("APP")); got != "See a report with a replay, File a report with an API key, Import issues from GitHub" {
		t.Errorf("after an import with a key: %q", got)
	}
	_, err = w.CreateSlice(t.Context(), key, valid(t, api.CreateSlice{Body: api.NewSlice{WorkspaceID: &appID,
		SliceFields: api.SliceFields{Summary: "Recorded"}, Evidence: &api.Evidence{Replay: []json.RawMessage{
			json.RawMessage(`{"type":4,"timestamp":1795000000000,"data":{"href":"https://shop.example.com","width":9,"height":9}}`)}}}}))
	must(t, err)
	if got := steps(front("APP")); !strings.Contains(got, "Record your application") {
		t.Errorf("after a recording: %q", got)
	}
	b.post("/settings/people", "email", "ada@northwind.example", "workspaceIds", appID).wants(200, "/invitations/")
	if a := front("APP"); strings.Contains(a.body, "Get started") {
		t.Error("all steps are done, and they are shown")
	}
	w.fileMany(t, numbered(8, api.SliceFields{})...)
	if a := front("WEB"); strings.Contains(a.body, "Get started") {
		t.Error("a workspace with ten reports is not new")
	}
}

// TestBrowserPlot: the plot of days says by keys and under the pointer what a day counts, and Enter opens the list.
func TestBrowserPlot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Open("/overview?workspace=WEB")
	b.Wait(`document.querySelector("plot-days[tabindex]")`)
	value := `document.querySelector("[data-value]:not([hidden])")?.textContent`
	b.Point(".bar-opened")
	b.Wait(`/^\d+ \w+ 2026[1-9]\d* opened, \d+ resolved$/.test(` + value + `)`)
	b.holds(`document.querySelector("plot-days").focus(), true`)
	b.Press(kb.End, kb.ArrowLeft)
	b.Wait(value + ` == document.querySelector("plot-days g:nth-last-of-type(2)").dataset.days + ` +
		`document.querySelector("plot-days g:nth-last-of-type(2)").dataset.counts`)
	b.Press(kb.End, kb.Enter)
	b.Wait(`location.pathname == "/reports" && document.querySelector(".row")`)
	b.Quiet()
}
