package demo

import (
	"reflect"
	"slices"
	"testing"
	"time"
	"unicode/utf8"

	"bugslice/api"
)

// TestReports: 300 reports with unique summaries, the same on each run, within the contract's limits.
func TestReports(t *testing.T) {
	total, summaries, statuses := 0, map[string]bool{}, map[api.Status]int{}
	for _, team := range Teams {
		reports := team.Reports()
		if !reflect.DeepEqual(reports, team.Reports()) {
			t.Errorf("%s differs from run to run", team.Name)
		}
		total += len(reports)
		for i, r := range reports {
			summary := r.Fields.Summary
			if summaries[summary] {
				t.Errorf("%s: two reports have this summary", summary)
			}
			if n := utf8.RuneCountInString(summary); n > 200 {
				t.Errorf("%s: a summary of %d characters", summary, n)
			}
			summaries[summary] = true
			statuses[r.Fields.Status]++
			checkStatus(t, r)
			checkReferences(t, team, r, i)
			if i > 0 && reports[i-1].Age < r.Age-2*time.Hour {
				t.Errorf("%s is out of order", summary)
			}
		}
	}
	if total != 300 || len(People) != 4 || len(Teams) != 3 {
		t.Errorf("%d reports, %d people and %d teams, want 300, 4 and 3", total, len(People), len(Teams))
	}
	for status, n := range statuses {
		if n < 10 {
			t.Errorf("only %d are %s", n, status)
		}
	}
}

// checkStatus: a report has a resolution and its time exactly when it is resolved or closed.
func checkStatus(t *testing.T, r Report) {
	t.Helper()
	done := r.Fields.Status == api.Resolved || r.Fields.Status == api.Closed
	if done != (r.Fields.Resolution != nil) {
		t.Errorf("%s: the status is %s and the resolution %v", r.Fields.Summary, r.Fields.Status, r.Fields.Resolution)
	}
	if done != (r.ResolvedAfter > 0) || r.ResolvedAfter > r.Age {
		t.Errorf("%s: the status is %s after %s, and its age %s", r.Fields.Summary, r.Fields.Status, r.ResolvedAfter,
			r.Age)
	}
}

// checkReferences: a report names members of its team, one of its spaces and an older report.
func checkReferences(t *testing.T, team Team, r Report, i int) {
	t.Helper()
	if r.Reporter != "ci" && !slices.Contains(team.Members, r.Reporter) {
		t.Errorf("%s: the reporter %s is no member", r.Fields.Summary, r.Reporter)
	}
	if r.Assignee != "" && !slices.Contains(team.Members, r.Assignee) {
		t.Errorf("%s: the assignee %s is no member", r.Fields.Summary, r.Assignee)
	}
	if !slices.Contains(team.Spaces, r.Space) {
		t.Errorf("%s: the team has no space %s", r.Fields.Summary, r.Space)
	}
	if r.DuplicateOf >= i {
		t.Errorf("%s: report %d duplicates report %d", r.Fields.Summary, i, r.DuplicateOf)
	}
}
