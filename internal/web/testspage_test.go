package web

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/tracker"
)

// countTests counts runs of tests of the workspace WEB over 30 days, of which one has a report. name may change each
// name.
func (w *world) countTests(t testing.TB, name func(string) string, sliceID string) {
	t.Helper()
	now := w.clock.now()
	for day := range 28 {
		at := api.At(now.Add(-time.Duration(day) * 24 * time.Hour))
		body := api.TestRunFields{WorkspaceID: &w.web, Run: fmt.Sprint("run ", day), FinishedAt: &at,
			DefaultBranch: day%3 > 0}
		for i, test := range []string{"adds an item", "shows the total", "pays by card", "refuses an expired card"} {
			c := api.TestCounts{Suite: truncated(name("checkout"), 100), Name: fmt.Sprint(truncated(name(test), 250),
				" ", i),
				Passed: 3, DurationMs: int64(400 * (i + 1) * (day + 1))}
			if i > 0 && (day+i)%4 == 0 {
				c.Failed, c.SliceID = int64(i), &sliceID
			}
			if i == 2 {
				c.Flaky = int64(day % 3)
			}
			body.Tests = append(body.Tests, c)
		}
		_, err := w.RecordTestRun(t.Context(), w.caller(t, owner), valid(t, api.RecordTestRun{Body: body}))
		must(t, err)
	}
}

// TestTestsPage: the sidebar leads to the tests of a workspace that has some. They are listed by failures, by flaky
// passes, by age and by time, of a suite and of branches, page by page, and lead to their reports.
func TestTestsPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	const link = `href="/tests?workspace=WEB"`
	if a := b.get("/overview?workspace=WEB"); strings.Contains(a.body, link) {
		t.Error("a workspace without tests leads to them")
	}
	b.get("/tests?workspace=WEB").wants(200, "No run of tests was counted", "bugslice ci report")
	report := w.file(t, w.caller(t, owner), "The cart is empty")
	w.countTests(t, func(s string) string { return s }, report.ID)
	b.get("/overview?workspace=WEB").wants(200, link)
	a := b.get("/tests?workspace=WEB").wants(200, "refuses an expired card 3", report.Reference,
		"Show as a table", "bar-ground",
		`href="/`+report.Reference+`"><bdi>refuses an expired card 3</bdi></a>`)
	a.lacks("adds an item 0")
	b.get("/tests?workspace=WEB&sort=slowest").wants(200,
		`href="/new?workspace=WEB&amp;summary=adds%20an%20item%200">File report`)
	b.get("/tests?workspace=WEB&sort=flaky").wants(200, "pays by card 2").lacks("refuses")
	b.get("/tests?workspace=WEB&sort=flaky&suite=none&branch=other").wants(200,
		"No test was flaky in the last 30 days in this suite")
	b.get("/tests?workspace=WEB&sort=nonsense&branch=nonsense").wants(200, "refuses an expired card 3")
	b.get("/tests?workspace=NONE").wants(404)
	var many []api.TestCounts
	for i := range 60 {
		many = append(many, api.TestCounts{Suite: "many", Name: fmt.Sprint("many ", i), Failed: 1})
	}
	_, err := w.RecordTestRun(t.Context(), w.caller(t, owner), valid(t, api.RecordTestRun{
		Body: api.TestRunFields{WorkspaceID: &w.web, Run: "many", Tests: many}}))
	must(t, err)
	first := b.get("/tests?workspace=WEB&suite=many").wants(200, "More tests")
	seen := map[string]bool{}
	next := regexp.MustCompile(`href="([^"]+)">More tests`).FindStringSubmatch(first.body)
	for _, a := range []string{first.body, b.get(html.UnescapeString(next[1])).wants(200).body} {
		for i := range 60 {
			if name := fmt.Sprint("many ", i); strings.Contains(a, "<bdi>"+name+"</bdi>") {
				if seen[name] {
					t.Errorf("%s is on two pages", name)
				}
				seen[name] = true
			}
		}
	}
	assert.Equal(t, "tests on both pages", len(seen), 60)
}

// TestBrowserTests: a choice of a suite or of branches shows its tests, and the choice keeps the focus. A test
// without a report leads to a new one with its name.
func TestBrowserTests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	report := w.file(t, w.caller(t, owner), "The cart is empty")
	w.countTests(t, func(s string) string { return s }, report.ID)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1440, 900)
	b.Open("/reports?workspace=WEB")
	if !b.holds(`document.querySelector("#shortcuts").textContent.includes("g t")`) {
		t.Error("the help does not name the key of the tests")
	}
	b.Press("g", "t")
	b.Wait(`location.pathname == "/tests" && document.querySelector("main[data-page=tests]")`)
	b.Open("/tests?workspace=WEB&sort=slowest")
	b.accessible("the tests")
	b.photograph("tests", 1440, "dark", false)
	b.holds(`document.querySelector("#branch").focus(), true`)
	b.Press("O") // Other branches
	b.Wait(`new URLSearchParams(location.search).get("branch") == "other" && document.activeElement.id == "branch"`)
	b.Size(390, 844)
	b.photograph("tests", 390, "light", false)
	b.ClickOn(".tests-file")
	b.Wait(`document.querySelector("#summary")?.value.length > 10`)
	b.Quiet()
}
