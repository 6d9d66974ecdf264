package web

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"bugslice/api"
)

// fileMany files reports with these fields in the workspace WEB, as the member.
func (w *world) fileMany(t testing.TB, all ...api.SliceFields) (made []api.Slice) {
	t.Helper()
	for _, f := range all {
		s, err := w.CreateSlice(t.Context(), w.caller(t, member),
			valid(t, api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.web, SliceFields: f}}))
		must(t, err)
		made = append(made, s.Slice)
	}
	return made
}

// numbered returns the fields of n reports.
func numbered(n int, f api.SliceFields) (all []api.SliceFields) {
	for i := range n {
		f.Summary = fmt.Sprintf("Report %03d", i+1)
		all = append(all, f)
	}
	return all
}

var titles = regexp.MustCompile(`<a class="row-title" href="/([^"]+)"`)

// shown returns the references of the reports that a page lists.
func (a answer) shown() string {
	var all []string
	for _, m := range titles.FindAllStringSubmatch(a.body, -1) {
		all = append(all, m[1])
	}
	return strings.Join(all, " ")
}

func reportsAt(text string) string { return "/reports?workspace=WEB&q=" + url.QueryEscape(text) }

func TestReports(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	high, low := api.Priority("high"), api.Priority("low")
	jonas, mara := w.users[member], w.users[owner]
	w.fileMany(t, api.SliceFields{Summary: "c", Priority: &high, Labels: []string{"sign in", "none"},
		AssigneeID: &jonas},
		api.SliceFields{Summary: "d", Priority: &low, Status: api.InProgress, AssigneeID: &mara})
	b := w.signedIn(t, owner)
	for text, want := range map[string]string{
		"":                               "WEB-163 WEB-162 WEB-161 WEB-160",
		"checkout":                       "WEB-160",
		`label:"sign in" c`:              "WEB-162",
		`label:"none"`:                   "WEB-162",
		"label:none":                     "WEB-163 WEB-161 WEB-160",
		"priority:high,none":             "WEB-162 WEB-161 WEB-160",
		"assignee:Jonas":                 "WEB-162",
		"assignee:jon":                   "WEB-162",
		`assignee:"jonas weber",none`:    "WEB-162 WEB-161 WEB-160",
		"assignee:" + member:             "WEB-162",
		"assignee:me":                    "WEB-163",
		"reporter:Jonas sort:priority":   "WEB-162 WEB-163 WEB-161 WEB-160",
		"sort:created-asc":               "WEB-160 WEB-161 WEB-162 WEB-163",
		"status:in_progress":             "WEB-163",
		"workspace:APP":                  "",
		"number:162":                     "WEB-162",
		"created:>=2020-01-01":           "WEB-163 WEB-162 WEB-161 WEB-160",
		"created:2020-01-01..2020-02-01": "",
	} {
		if got := b.get(reportsAt(text)).wants(200).shown(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	b.get("/reports?q=checkout").wants(200, "All workspaces", "WEB-160")
	b.get("/reports?workspace=NONE").wants(404)
	b.get("/reports?workspace=WEB&group=labels").wants(400)
	w.signedIn(t, stranger).get("/reports?workspace=WEB").wants(404)
	if a := w.signedIn(t, stranger).get("/reports?q=cart").wants(200); a.shown() != "" {
		t.Errorf("the owner of another organisation sees %s", a.shown())
	}
	chips := b.get(reportsAt(`checkout label:none`)).
		wants(200, `<bdi>checkout</bdi><a href="/reports?q=label%3Anone&amp;workspace=WEB"`,
			`Label</span> <bdi>No label</bdi></a><a href="/reports?q=checkout&amp;workspace=WEB"`, `value="checkout label:none"`)
	b.get(reportsAt(`cart -label:flaky -"x"`)).
		wants(200, `Label is not</span> <span class="label-dot label-6"></span><bdi>flaky</bdi></a><a `+
			`href="/reports?q=cart&#43;-x&amp;workspace=WEB"`,
			`<bdi>-x</bdi><a href="/reports?q=cart&#43;-label%3Aflaky&amp;workspace=WEB"`,
			`aria-label="Remove -label:flaky"`)
	if !strings.Contains(chips.body, `<span class="number">1</span> report<`) {
		t.Error("the count is missing")
	}
	b.get(reportsAt("number:162")).wants(200, "Priority of WEB-162: High", "Status of WEB-162: Open",
		"WEB-162 is assigned to Jonas Weber",
		`href="/reports?q=number%3A162+label%3A%22none%22&amp;workspace=WEB"`)
	b.get(reportsAt("checkout zzz")).wants(200, "No report matches", "Remove “<bdi>zzz</bdi>”")
	b.get(reportsAt("zzz")).wants(200, "No report matches", `href="/reports?q=zzz">In all workspaces`)
	if all := b.get("/reports?q=zzz").wants(200, "No report matches"); strings.Contains(all.body,
		"all workspaces</a>") {
		t.Error("a search of all workspaces offers itself")
	}
	b.get("/reports?workspace=APP").wants(200, "No reports yet", `href="/settings/record?workspace=APP"`)
	must(t, w.operator.In(w.org).RemoveMember(t.Context(), w.web, jonas))
	if got := b.get(reportsAt(`reporter:"jonas weber"`)).wants(200).shown(); got != "WEB-163 WEB-162 WEB-161 WEB-160" {
		t.Errorf("reports of a former member: %s", got)
	}
}

// TestSearchFaults: what is wrong with a text is said at its place, also when the operation refuses it.
func TestSearchFaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	for text, want := range map[string]string{
		"cart staus:open":    "cart <mark>staus:</mark>open",
		"status:opn":         "did you mean open?",
		"assignee:Nobody":    "assignee:<mark>Nobody</mark>",
		`label:"a,b"`:        `<mark>label:"a,b"</mark>`,
		"!!!":                "<mark>!!!</mark>",
		"workspace:NONE":     "workspace:<mark>NONE</mark>",
		"assignee:!!!":       "assignee:<mark>!!!</mark>",
		"space:Checkout":     "space:<mark>Checkout</mark>",
		"label:<b> lbel:<i>": "label:&lt;b&gt; <mark>lbel:</mark>&lt;i&gt;",
		"cart -sort:update":  "cart <mark>-sort:</mark>update",
		"cart c* -x":         "cart <mark>c*</mark> -x",
		"cart -e-mail":       "cart -<mark>e-mail</mark>",
		"-metadata.none:7":   "<mark>-metadata.none:7</mark>",
	} {
		a := b.get(reportsAt(text)).wants(422, `role="alert"`)
		if body := strings.ReplaceAll(a.body, "&#34;", `"`); !strings.Contains(body, want) {
			t.Errorf("%s: no %s in %s", text, want, a.content())
		}
	}
	b.get("/reports?q=sort:priority").wants(422, "<mark>sort:priority</mark>", "of one workspace")
	b.get("/reports?q=%00").wants(422)
	b.get("/reports?cursor=x").wants(400)
}

// TestPagesOfReports: a list goes on at a link, and a group shows its first reports.
func TestPagesOfReports(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	jonas := w.users[member]
	w.fileMany(t, numbered(58, api.SliceFields{AssigneeID: &jonas})...)
	b := w.signedIn(t, owner)
	first := b.get(reportsAt("report")).wants(200, "More reports", `<span class="number">58</span>`)
	next := html.UnescapeString(regexp.MustCompile(`<a class="button" href="(/reports\?cursor=[^"]+)"`).
		FindStringSubmatch(first.body)[1])
	second := b.get(next).wants(200, "Back to the first page")
	if n := len(strings.Fields(first.shown())); n != 50 {
		t.Errorf("the first page has %d reports", n)
	}
	if all := strings.Fields(first.shown() + " " + second.shown()); len(all) != 58 ||
		strings.Contains(first.shown(), strings.Fields(second.shown())[0]) {
		t.Errorf("the pages list %v", all)
	}
	groups := b.get("/reports?workspace=WEB&group=assignee&q=").
		wants(200, "Jonas Weber</bdi> <span class=\"group-count\">58</span>",
			"Nobody</bdi> <span class=\"group-count\">2</span>",
			`<a href="/reports?q=assignee%3A%22Jonas&#43;Weber%22&amp;workspace=WEB">Show all<`)
	if n := len(strings.Fields(groups.shown())); n != 27 {
		t.Errorf("the groups list %d reports", n)
	}
	b.get("/reports?workspace=WEB&group=priority&q=").
		wants(200, "No priority</bdi> <span class=\"group-count\">60</span>", `q=priority%3Anone`)
	b.get("/reports?group=status&q=checkout").wants(200, "Open</bdi> <span class=\"group-count\">1</span>")
}

// versions returns the items of a form that changes reports, as a page shows them.
func (a answer) versions() (items []string) {
	for _, m := range regexp.MustCompile(`name="items" value="([^"]+)"`).FindAllStringSubmatch(a.body, -1) {
		items = append(items, "items", m[1])
	}
	return items
}

var undoRequest = regexp.MustCompile(`name="request" value="(req_\w+)"`)

// TestUndoSaysWhy: the notice about an undo that is refused says why, for one report and for several, and does not
// say that somebody has changed them.
func TestUndoSaysWhy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(4, api.SliceFields{})...) // WEB-162 to WEB-165
	patch := func(reference string, p api.SlicePatch) {
		_, err := w.UpdateSlice(t.Context(), w.caller(t, owner),
			valid(t, api.UpdateSlice{SliceID: reference, Patch: p}))
		must(t, err)
	}
	idOf := func(reference string) string {
		got, err := w.GetSlice(t.Context(), w.caller(t, owner), valid(t, api.GetSlice{SliceID: reference}))
		must(t, err)
		return got.ID
	}
	again := func() string {
		in := api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.web, Fingerprint: new("again"),
			SliceFields: api.SliceFields{Summary: "again"}}}
		filed, err := w.CreateSlice(t.Context(), w.caller(t, owner), valid(t, in))
		must(t, err)
		return filed.Reference
	}
	failing := again()
	patch("WEB-162", api.SlicePatch{"status": "closed", "resolution": "duplicate", "duplicateOfId": idOf("WEB-163")})
	b := w.signedIn(t, member)
	at := reportsAt("status:open,closed sort:created-asc")
	undo := func(change []string, references []string, meanwhile func()) answer {
		var items []string
		for _, reference := range references {
			items = append(items, b.get(reportsAt("number:"+strings.TrimPrefix(reference, "WEB-"))).wants(200).
				versions()...)
		}
		b.post(at, append(items, change...)...).leadsTo(at)
		request := undoRequest.FindStringSubmatch(b.get(at).wants(200).body)[1]
		meanwhile()
		b.post("/reports/undo", "request", request, "next", at).leadsTo(at)
		a := b.get(at)
		if strings.Contains(a.body, "by somebody") {
			t.Errorf("%s: the notice names a change of somebody", references)
		}
		return a
	}
	undo([]string{"status", "closed"}, []string{failing}, func() { again() }).
		wants(200, "Nothing was restored.",
			failing+" could not be restored: WEB-167 is open and has the same fingerprint. Resolve it first, or mark one as a "+
				"duplicate of the other.")
	undo([]string{"status", "open"}, []string{"WEB-162"}, func() {
		patch("WEB-163", api.SlicePatch{"duplicateOfId": idOf("WEB-162")})
	}).
		wants(200, "WEB-162 could not be restored: The original is itself a duplicate of it.")
	undo([]string{"resolution", "fixed"}, []string{"WEB-164", "WEB-165", "WEB-161"}, func() {
		w.removeSlice(t, "WEB-164")
		w.removeSlice(t, "WEB-165")
	}).wants(200, "Undone: WEB-161 is Open again.",
		"2 reports (WEB-164, WEB-165) could not be restored: They were deleted meanwhile.")
	at = "/reports"
	undo([]string{"priority", "low"}, []string{"WEB-161"}, func() {
		must(t, w.operator.In(w.org).RemoveMember(t.Context(), w.web, w.users[member]))
	}).wants(200, "WEB-161 could not be restored: It does not exist, or you may not see it.")
}

// TestChangeReports: a change of selected reports is one batch under the versions that were shown, and Undo restores
// them.
func TestChangeReports(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	urgent := api.Priority("urgent")
	made := w.fileMany(t, api.SliceFields{Summary: "a", Priority: &urgent, Labels: []string{"x"}},
		api.SliceFields{Summary: "b", Status: api.InProgress})
	b, other := w.signedIn(t, owner), w.signedIn(t, member)
	at := reportsAt("number:162,163")
	b.get(at).wants(422) // a number is one
	at = reportsAt("reporter:jonas sort:created-asc status:open,in_progress")
	get := func(s api.Slice) api.Slice {
		got, err := w.GetSlice(t.Context(), w.caller(t, owner), valid(t, api.GetSlice{SliceID: s.ID}))
		must(t, err)
		return got
	}
	b.post(at, "status", "closed").wants(422, "Select reports first")
	b.post(at, "status", "closed", "items", "WEB-162").wants(422, "Select reports first")
	b.post(at, "items", "WEB-162 1").wants(422, "Choose what to change")
	b.post(at, "items", "WEB-162 1", "resolution", "duplicate", "duplicateOf", "x").wants(422, "WEB-12")

	items := b.get(at).wants(200).versions()
	if len(items) != 8 {
		t.Fatalf("the page offers %v", items)
	}
	other.post("/reports", "items", items[5], "status", "in_progress").leadsTo("/reports")
	other.get("/reports").wants(200, "WEB-162: In progress.")
	b.post(at, append(items, "status", "closed")...).leadsTo(at)
	closed := b.get(at).wants(200, "3 reports: Closed.", "WEB-162 changed meanwhile and stays as it is.")
	if closed.shown() != "WEB-162" {
		t.Errorf("%s are still listed", closed.shown())
	}
	request := undoRequest.FindStringSubmatch(closed.body)[1]
	other.post("/reports/undo", "request", request, "next", "/reports").leadsTo("/reports")
	other.get("/reports").wants(200, "Nothing was restored.")
	again := b.get(reportsAt("number:163")).versions()
	other.post("/reports", append(again, "status", "open")...).leadsTo("/reports")
	b.post("/reports/undo", "request", request, "next", at).leadsTo(at)
	b.get(at).wants(200, "2 reports are as they were.", "WEB-163 was changed by somebody meanwhile")
	if s := get(made[1]); s.Status != api.Open {
		t.Errorf("the change of somebody else is lost: %s", s.Status)
	}
	b.post("/reports/undo", "request", "req_x").wants(404)

	change := func(fields ...string) answer {
		b.post(at, append(b.get(reportsAt("number:162")).versions(), fields...)...).leadsTo(at)
		return b.get(at).wants(200)
	}
	change("addLabel", "new").wants(200, "WEB-162: label <bdi>new</bdi> added.")
	change("removeLabel", "x").wants(200, "WEB-162: label <bdi>x</bdi> removed.")
	change("priority", "").wants(200, "WEB-162: No priority.")
	change("assigneeId", w.users[member]).wants(200, "WEB-162: assigned to <bdi>Jonas Weber</bdi>.")
	change("resolution", "fixed", "fixedInRelease", " 2026.11.6 ").wants(200, "WEB-162: resolved as Fixed.")
	change("resolution", "fixed", "fixedInRelease", "")
	if s := get(made[0]); s.FixedInRelease == nil || *s.FixedInRelease != "2026.11.6" {
		t.Errorf("a form without a release leaves %v", s.FixedInRelease)
	}
	b.get("/WEB-162").wants(200, "<dt>Fixed in</dt>", `<option value="2026.11.6">`, "fixed it in <bdi class=\"told\">2026.11.6</bdi>")
	change("resolution", "duplicate", "duplicateOf", "web-161").wants(200, "WEB-162: resolved as Duplicate.")
	change("status", "resolved").wants(200, "Nothing has changed: Resolved already.")
	change("status", "done").wants(200, "WEB-162 could not be changed")
	change("assigneeId", w.users[stranger]).wants(200, "WEB-162 could not be changed")
	b.post(at, "items", "WEB-999 1", "items", "WEB-162 1", "delete", "true").leadsTo(at)
	gone := b.get(at).wants(200, "WEB-162 is deleted.",
		"WEB-999 could not be deleted: It does not exist, or you may not see it.")
	b.post("/reports/undo", "request", undoRequest.FindStringSubmatch(gone.body)[1], "next", at).leadsTo(at)
	b.get(at).wants(200, "WEB-162 is as it was.")
	b.post(at, "items", "WEB-999 1", "status", "closed").leadsTo(at)
	b.get(at).wants(200, "WEB-999 could not be changed: It does not exist, or you may not see it.")
	s := get(made[0])
	if s.Status != api.Resolved || *s.Resolution != api.Duplicate || s.DuplicateOfID == nil || s.Priority != nil ||
		s.FixedInRelease != nil || *s.AssigneeID != w.users[member] || strings.Join(s.Labels, " ") != "new" {
		t.Errorf("the report is %+v", s.SliceFields)
	}
	for _, change := range []string{"status", "delete"} {
		w.signedIn(t, stranger).post("/reports", "items", fmt.Sprintf("WEB-162 %d", s.Version), change, "closed").
			leadsTo("/reports")
	}
	if after := get(made[0]); after.Version != s.Version {
		t.Errorf("the owner of another organisation has changed %+v", after)
	}
}

// TestWorkspaceOfReport: the page of a report shows the workspace of the report in the sidebar, whichever was used
// last.
func TestWorkspaceOfReport(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	b.get("/reports?workspace=APP")
	b.get("/settings/profile").wants(200, `href="/reports?workspace=APP"`)
	b.get("/WEB-161").wants(200, `href="/reports?workspace=WEB"><svg`, `href="/reports?workspace=APP">
<span class="menu-tick"></span>`)
	b.get("/settings/profile").wants(200, `href="/reports?workspace=APP"`)
}

// TestFactsOfReport: each chip of a report leads to the list of the reports with that browser, system, release or
// viewport.
func TestFactsOfReport(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, api.SliceFields{Summary: "With facts",
		Environment: api.Environment{Browser: new("Chrome \"156\" beta"),
			OS: new("Windows 11"), Release: new("2026.11"),
			Viewport: new("1280x800")}}, api.SliceFields{Summary: "Without facts",
		Environment: api.Environment{Browser: new("Mozilla (KHTML, like Gecko)")}})
	b := w.signedIn(t, owner)
	if body := b.get("/WEB-163").wants(200, "KHTML, like").body; strings.Contains(body, `<a class="fact"`) {
		t.Error("a value that no filter can name leads to a list")
	}
	body := b.get("/WEB-162").wants(200).body
	shown, kept, _ := strings.Cut(body, "data-environment") // the template keeps them for a script
	chips := regexp.MustCompile(`<a class="fact" href="([^"]+)"`).FindAllStringSubmatch(shown, -1)
	if len(chips) != 4 || strings.Count(kept, `<a class="fact"`) != 4 {
		t.Fatalf("%d chips lead to a list", len(chips))
	}
	for _, chip := range chips {
		list := b.get(html.UnescapeString(chip[1])).wants(200, "With facts")
		if strings.Contains(list.body, "Without facts") {
			t.Errorf("%s lists a report without the fact", chip[1])
		}
	}
}
