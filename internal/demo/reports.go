package demo

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"bugslice/api"
)

// Report is a slice of the demo.
type Report struct {
	Space, Reporter, Assignee string // a space's name; keys of people, "ci" and ""
	Age                       time.Duration
	ResolvedAfter             time.Duration // zero while it is open or in progress
	DuplicateOf               int           // index among the team's reports, or -1
	Fields                    api.SliceFields
}

// period is the age of the oldest report.
const period = 120 * 24 * time.Hour

// Reports returns a team's reports, oldest first.
func (t Team) Reports() []Report {
	r := rand.New(rand.NewPCG(7, uint64(t.Count)))
	order := r.Perm(len(t.Scenarios) * len(t.Settings))[:t.Count]
	reports := make([]Report, t.Count)
	for i := range order {
		reports[i] = t.report(r, order[:i+1])
	}
	return reports
}

// report returns the newest of the reports whose combinations of scenario and setting are given.
func (t Team) report(r *rand.Rand, combinations []int) Report {
	i := len(combinations) - 1
	n := combinations[i]
	s, at := t.Scenarios[n/len(t.Settings)], t.Settings[n%len(t.Settings)]
	report := Report{Space: s.Space, Reporter: t.Members[r.IntN(len(t.Members))], DuplicateOf: -1,
		Age: period*time.Duration(t.Count-i)/time.Duration(t.Count) - time.Duration(r.IntN(90))*time.Minute}
	report.Fields = api.SliceFields{Summary: s.Summary + " " + at.Where, Description: new(describe(s, at.Where)),
		Labels:      s.Labels,
		SourceURL:   new(t.Site + strings.ToLower(strings.ReplaceAll(s.Space, " ", "-"))),
		Environment: environment(r, at), Metadata: map[string]string{"customers": fmt.Sprint(1 + r.IntN(40))},
		Severity: new(s.Severity)}
	report.Fields.Environment.Release = new(releaseOf(report.Age))
	priority := []api.Priority{"urgent", "high", "high", "medium", "medium", "medium", "low"}[r.IntN(7)]
	report.Fields.Priority = &priority
	if s.Trace != "" && r.IntN(3) == 0 {
		report.Reporter = "ci"
		report.Fields.ExternalID = new(fmt.Sprintf("ci-%d-%d", 8000+i, n))
	}
	if r.IntN(4) > 0 {
		report.Assignee = t.Members[r.IntN(len(t.Members))]
	}
	if report.setStatus(r) {
		t.resolve(r, &report, combinations)
	}
	return report
}

// setStatus chooses a status and reports whether it is resolved or closed, which older reports are more often.
func (report *Report) setStatus(r *rand.Rand) (done bool) {
	switch n := r.IntN(100) - int(30*float64(report.Age)/float64(period)); {
	case n < 4:
		report.Fields.Status = api.Closed
	case n < 26:
		report.Fields.Status = api.Resolved
	case n < 40:
		report.Fields.Status = api.InProgress
	default:
		report.Fields.Status = api.Open
	}
	return report.Fields.Status == api.Closed || report.Fields.Status == api.Resolved
}

// resolve gives a resolved or closed report its time and resolution, which may be that it duplicates an older report
// of its scenario.
func (t Team) resolve(r *rand.Rand, report *Report, combinations []int) {
	report.ResolvedAfter = min(time.Duration(1+r.IntN(20*24))*time.Hour, report.Age*9/10)
	resolution := []api.Resolution{"fixed", "fixed", "fixed", "fixed", "wont_fix", "cannot_reproduce",
		"not_a_bug"}[r.IntN(7)]
	report.Fields.Resolution = &resolution
	if resolution == api.Fixed {
		report.Fields.FixedInRelease = new(releaseOf(report.Age - report.ResolvedAfter - timeOfRelease))
	}
	older, newest := combinations[:len(combinations)-1], combinations[len(combinations)-1]
	for i, n := range older {
		if n/len(t.Settings) == newest/len(t.Settings) && r.IntN(2) == 0 {
			report.DuplicateOf, resolution, report.Fields.FixedInRelease = i, api.Duplicate, nil
			return
		}
	}
}

// timeOfRelease is the time from one release to the next: two in each of the last four months.
const timeOfRelease = 15 * 24 * time.Hour

// releaseOf returns the release that was the newest one at an age, and the present one for the future.
func releaseOf(age time.Duration) string {
	before := min(int(max(age, 0)/timeOfRelease), 7) // releases since then
	return fmt.Sprintf("2026.%d.%d", 11-before/2, 2-before%2)
}

func describe(s Scenario, where string) string {
	var b strings.Builder
	b.WriteString("### Steps\n")
	for i, step := range s.Steps {
		fmt.Fprintf(&b, "%d. %s\n", i+1, step)
	}
	fmt.Fprintf(&b, "\n### Expected\n%s.\n\n### Actual\n%s.\n\nSeen %s.\n", s.Expected, s.Actual, where)
	if s.Trace != "" {
		fmt.Fprintf(&b, "\n```\n%s\n```\n", s.Trace)
	}
	return b.String()
}

func environment(r *rand.Rand, at Setting) api.Environment {
	e := api.Environment{OS: &at.OS, Device: &at.Device, Viewport: &at.Viewport, Locale: &at.Locale,
		Timezone:         &at.Timezone,
		DevicePixelRatio: new([]float64{1, 1.25, 2, 3}[r.IntN(4)]),
		AppVersion:       new(fmt.Sprintf("4.%d.%d", 14+r.IntN(5), r.IntN(6))),
		Commit:           new(fmt.Sprintf("%07x", r.Uint32()>>4)), Branch: new("main")}
	if at.Browser != "" {
		e.Browser = &at.Browser
	}
	return e
}
