package demo

import (
	"reflect"
	"slices"
	"testing"
	"unicode/utf8"

	"bugslice/api"
)

// TestContent: 300 reports, all different and the same on each run, within the contract's limits.
func TestContent(t *testing.T) {
	total, summaries, statuses := 0, map[string]bool{}, map[api.Status]int{}
	for _, team := range Teams {
		reports := team.Reports()
		if !reflect.DeepEqual(reports, team.Reports()) {
			t.Errorf("%s differs from run to run", team.Name)
		}
		total += len(reports)
		for i, r := range reports {
			if summaries[r.Fields.Summary] || utf8.RuneCountInString(r.Fields.Summary) > 200 {
				t.Errorf("repeated or too long: %s", r.Fields.Summary)
			}
			summaries[r.Fields.Summary] = true
			statuses[r.Fields.Status]++
			settled := r.Fields.Status == api.Resolved || r.Fields.Status == api.Closed
			if settled != (r.Fields.Resolution != nil) || settled != (r.ResolvedAfter > 0) || r.ResolvedAfter > r.Age {
				t.Errorf("%s: status and resolution disagree", r.Fields.Summary)
			}
			if i > 0 && reports[i-1].Age < r.Age-2*60*60*1e9 {
				t.Errorf("%s is out of order", r.Fields.Summary)
			}
			if r.Reporter != "ci" && !slices.Contains(team.Members, r.Reporter) || r.Assignee != "" && !slices.Contains(team.Members, r.Assignee) || r.DuplicateOf >= i {
				t.Errorf("%s refers to what is not there", r.Fields.Summary)
			}
		}
	}
	if total != 300 || len(People) != 4 || len(Teams) != 3 {
		t.Errorf("%d reports, %d people, %d teams", total, len(People), len(Teams))
	}
	for status, n := range statuses {
		if n < 10 {
			t.Errorf("only %d are %s", n, status)
		}
	}
}
