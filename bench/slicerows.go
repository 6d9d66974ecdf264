package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// writers are the tables that fillSlices writes.
type writers struct{ slices, occurrences rows }

func (g *generator) fillSlices(f filler, n int) error {
	var w writers
	var errs [2]error
	w.slices, errs[0] = f.table("slices", strings.Fields(`row id workspace_id number space_id summary description status resolution priority
		severity labels reporter_type reporter_id reporter_name assignee_id source_url environment metadata fingerprint occurrence_count
		last_seen_at last_occurrence comment_count version created_at updated_at resolved_at deleted_at attachment_count evidence_console
		evidence_console_errors evidence_network evidence_failed_requests evidence_actions evidence_replays evidence_screenshots
		evidence_videos`)...)
	w.occurrences, errs[1] = f.table("occurrences", "slice_id", "number", "reporter_type", "reporter_id",
		"reporter_name", "environment",
		"metadata", "created_at")
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	for i := range n {
		if err := g.writeSlice(w, i, n); err != nil {
			return err
		}
	}
	err := errors.Join(w.slices.close(), w.occurrences.close())
	if reset, ok := f.(postgresFiller); ok && err == nil {
		err = reset.exec("SELECT setval(pg_get_serial_sequence('slices', 'row'), (SELECT max(row) FROM slices))")
	}
	return err
}

// sentence returns words by their frequency.
func (g *generator) sentence(least, most int) string {
	all := make([]string, least+g.IntN(most-least+1))
	for i := range all {
		all[i] = g.Words[g.zipf.words.Uint64()]
	}
	return strings.Join(all, " ")
}

// pick returns one of several values by their shares, and nil for the rest of 1,000.
func (g *generator) pick(shares ...any) any {
	at := g.IntN(1000)
	for i := 0; i < len(shares); i += 2 {
		if at -= shares[i+1].(int); at < 0 {
			return shares[i]
		}
	}
	return nil
}

func (g *generator) writeSlice(w writers, i, n int) error {
	created := g.Begin.Add(time.Duration(i)*g.step + time.Duration(g.Int64N(int64(g.step))))
	id, createdAt, at := g.id("slc", created), created.UnixMilli(), g.workspaceOf(i == n-1)
	left := g.Begin.Add(filledPeriod).Sub(created)
	updatedAt := createdAt + int64(float64(left.Milliseconds())*g.Float64()*g.Float64())
	status := g.pick("open", 60, "in_progress", 20, "resolved", 120, "closed", 800).(string)
	var resolution, resolvedAt, deletedAt, assignee, space, fingerprint any
	finished := status == "resolved" || status == "closed"
	if finished {
		resolution, resolvedAt = g.pick("fixed", 700, "wont_fix", 150, "duplicate", 100, "not_a_bug", 50), updatedAt
	}
	if g.IntN(2) == 0 {
		assignee = g.Members[g.IntN(filledMembers)]
	}
	if g.IntN(10) < 7 {
		space = g.Spaces[at][min(g.IntN(filledSpaces), g.IntN(filledSpaces))]
	}
	switch share := g.IntN(20); {
	case share < 2 && finished:
		fingerprint = fmt.Sprintf("regression-%d", g.zipf.fingerprints.Uint64())
	case share < 16:
		fingerprint = fmt.Sprintf("fp-%d", i)
	}
	if g.IntN(20) == 0 && i != n-1 {
		deletedAt = updatedAt
	}
	occurrences := g.occurrences(i, n)
	if i == n-1 { // the slice with the most reports
		status, resolution, resolvedAt, fingerprint = "open", nil, nil, "fp-many"
		g.ManyReports, g.Open = id, "fp-many"
	}
	environment := g.environment(i, n)
	reporter := g.Members[g.IntN(filledMembers)]
	lastSeen, lastOccurrence := createdAt, ""
	if occurrences > 1 {
		const format = `{"at":"%s","reporterName":"Member","environment":%s,"externalId":null,"metadata":{}}`
		seen := time.UnixMilli(updatedAt).UTC().Format("2006-01-02T15:04:05.000Z")
		lastSeen, lastOccurrence = updatedAt, fmt.Sprintf(format, seen, environment)
	}
	for number := 2; number <= occurrences; number++ {
		at := createdAt + (updatedAt-createdAt)*int64(number)/int64(occurrences)
		if err := w.occurrences.add(id, number, "user", reporter, "Member", environment, "", at); err != nil {
			return err
		}
	}
	labels := g.labelsOfSlice()
	if deletedAt == nil {
		g.countLabels(at, status, labels)
	}
	summary, description := g.sentence(4, 9), g.sentence(10, 30)
	if g.IntN(50) == 0 {
		description += " @" + g.Members[g.IntN(filledMembers)]
	}
	g.filed[at]++
	if g.sampled += 2000; deletedAt == nil && at == 0 && g.sampled >= n {
		g.sampled = 0
		g.Slices, g.Numbers = append(g.Slices, id), append(g.Numbers, g.filed[at])
		if text, ok := fingerprint.(string); ok {
			g.Fingerprints = append(g.Fingerprints, text)
		}
	}
	metadata, comments := "", 0
	if g.IntN(3) == 0 {
		metadata = fmt.Sprintf(`{"customer":"%d"}`, g.zipf.customers.Uint64())
	}
	if g.IntN(10) == 0 {
		comments = 1
	}
	priority := g.pick("urgent", 5, "high", 40, "medium", 150, "low", 100)
	severity := g.pick("critical", 5, "major", 95, "minor", 200, "trivial", 50)
	row := []any{i + 1, id, g.Workspaces[at], g.filed[at], space, summary, description, status, resolution, priority,
		severity,
		packed(labels), "user", reporter, "Member", assignee, "https://shop.example.com/" +
			g.Words[g.zipf.words.Uint64()], environment,
		metadata, fingerprint, occurrences, lastSeen, lastOccurrence, comments, 1, createdAt, updatedAt, resolvedAt,
		deletedAt}
	return w.slices.add(append(row, g.evidence()...)...)
}

// workspaceOf returns the position of the workspace of a slice: the first one for half of the slices.
func (g *generator) workspaceOf(isLast bool) int {
	if isLast || len(g.Workspaces) == 1 || g.IntN(2) == 0 {
		return 0
	}
	return 1 + g.IntN(len(g.Workspaces)-1)
}

// browser, osOf and viewport return the nth of some values, the most frequent first.
func browser(n int) string { return fmt.Sprintf("Firefox %d", 144-n) }

func osOf(n int) string { return fmt.Sprintf("Windows %d", 11-n%8) }

func viewport(n int) string { return fmt.Sprintf("%dx%d", 1440+10*n, 812+n) }

// environment returns the column of the environment of a slice. Releases follow each other.
func (g *generator) environment(i, n int) string {
	release := "null"
	if g.IntN(10) > 0 {
		release = `"` + g.Releases[min(max(i*filledReleases/n-g.IntN(3), 0), filledReleases-1)] + `"`
	}
	few := func() int { return int(g.zipf.few.Uint64()) }
	return `{"browser":"` + browser(few()) + `","os":"` + osOf(few()) + `","device":null,"viewport":"` +
		viewport(few()) +
		`","screen":null,"devicePixelRatio":null,"locale":"sv-SE","timezone":null,"appVersion":null,"release":` +
		release +
		`,"commit":null,"branch":null,"buildUrl":null}`
}

// occurrences returns how often a slice was reported.
func (g *generator) occurrences(i, n int) int {
	switch {
	case i == n-1:
		return manyReports
	case i%(n/20) == n/40: // 20 slices
		return 1000 + g.IntN(3000)
	case g.IntN(100) == 0:
		return 2 + g.IntN(19)
	}
	return 1
}

// labelled is what the live slices with a label are counted by: the positions of the workspace and of the status, and
// the label.
type labelled struct {
	workspace, status int
	label             string
}

// countLabels counts the labels of a live slice, or that it has none.
func (g *generator) countLabels(workspace int, status string, labels []string) {
	position := slices.Index([]string{"open", "in_progress", "resolved", "closed"}, status)
	if len(labels) == 0 {
		labels = []string{""}
	}
	for _, l := range labels {
		g.labelled[labelled{workspace, position, l}]++
	}
}

// fillLabels writes the counts of the labels.
func (g *generator) fillLabels(f filler) error {
	counts, err := f.table("slice_statistics", "workspace_id", "kind", "span", "start", "value", "opened", "resolved",
		"unresolved")
	if err != nil {
		return err
	}
	for l, n := range g.labelled {
		if err := counts.add(g.Workspaces[l.workspace], "present_label", 0, l.status, l.label, n, 0, 0); err != nil {
			return err
		}
	}
	return counts.close()
}

// labelsOfSlice returns the labels of a slice, in order.
func (g *generator) labelsOfSlice() (all []string) {
	for range g.IntN(5) {
		if l := g.Labels[g.zipf.labels.Uint64()]; !slices.Contains(all, l) {
			all = append(all, l)
		}
	}
	slices.Sort(all)
	return all
}

// packed returns the column of labels.
func packed(labels []string) string {
	if len(labels) == 0 {
		return ""
	}
	return `["` + strings.Join(labels, `","`) + `"]`
}

// evidence returns the count of the attachments of a slice, and of its evidence. Two thirds of the slices have none.
func (g *generator) evidence() []any {
	some := func(percent, most int) int {
		if g.IntN(100) < percent {
			return 1 + g.IntN(most)
		}
		return 0
	}
	if g.IntN(3) > 0 {
		return []any{0, 0, 0, 0, 0, 0, 0, 0, 0}
	}
	errors, failed := some(40, 5), some(15, 3)
	counts := []any{0, errors + some(80, 200), errors, failed + some(50, 100), failed, some(30, 40), some(15, 1),
		some(50, 1), some(3, 1)}
	for _, i := range []int{1, 3, 5, 6, 7, 8} { // those of kinds
		if counts[i] != 0 {
			counts[0] = counts[0].(int) + 1
		}
	}
	return counts
}

// capital returns a word of ASCII letters with a capital.
func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }
