package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"bugslice/api"
	"bugslice/client"
)

// maxScanned is the number of newest reports from which the releases of a workspace are read.
const maxScanned = 500

// release is a release that reports name.
type release struct {
	name        string
	first, last time.Time
	filed, seen int // reports that were first seen with it, and all that were seen with it
}

// releases are those that the newest reports of a workspace name, newest first, with these reports.
type releases struct {
	all     []*release
	reports []api.Slice
	partial bool
}

// releasesIn reads the releases of a workspace.
func (s *session) releasesIn(ctx context.Context, workspaceID string) (*releases, error) {
	out := &releases{}
	byName := map[string]*release{}
	see := func(name *string, at api.Time) *release {
		if textOf(name) == "" {
			return nil
		}
		r := byName[*name]
		if r == nil {
			r = &release{name: *name, first: at.Time, last: at.Time}
			byName[*name], out.all = r, append(out.all, r)
		}
		r.seen++
		r.first, r.last = earlier(r.first, at.Time), later(r.last, at.Time)
		return r
	}
	in := api.ListSlices{SliceFilters: api.SliceFilters{WorkspaceID: workspaceID}, Sort: "updatedAt"}
	for slice, err := range client.All(ctx, s.Client, in) {
		if err != nil {
			return nil, err
		}
		if len(out.reports) == maxScanned {
			out.partial = true
			break
		}
		out.reports = append(out.reports, slice)
		if s.isGuest(slice.Reporter) {
			continue
		}
		if r := see(slice.Environment.Release, slice.CreatedAt); r != nil {
			r.filed++
		}
		if o := slice.LastOccurrence; o != nil && textOf(o.Environment.Release) != textOf(slice.Environment.Release) {
			see(o.Environment.Release, o.At)
		}
	}
	slices.SortFunc(out.all, func(a, b *release) int {
		if order, ok := compareVersions(b.name, a.name); ok {
			return order
		}
		return b.first.Compare(a.first)
	})
	return out, nil
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// compareVersions compares two versions such as 2026.11.3 and v1.2.0-rc.1. It is not ok when one is no version.
func compareVersions(a, b string) (order int, ok bool) {
	first, firstPre, firstOK := version(a)
	second, secondPre, secondOK := version(b)
	if !firstOK || !secondOK {
		return 0, false
	}
	if order := slices.Compare(first, second); order != 0 {
		return order, true
	}
	switch {
	case firstPre == secondPre:
		return 0, true
	case firstPre == "":
		return 1, true
	case secondPre == "":
		return -1, true
	}
	return cmp.Compare(firstPre, secondPre), true
}

// version returns the numbers of a version, and what follows the first hyphen.
func version(text string) (numbers []int, pre string, ok bool) {
	text, pre, _ = strings.Cut(strings.TrimPrefix(text, "v"), "-")
	for part := range strings.SplitSeq(text, ".") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			return nil, "", false
		}
		numbers = append(numbers, n)
	}
	return numbers, pre, len(numbers) > 1
}

// releaseNamed returns the name of a release. newest is the newest one of a workspace.
func (s *session) releaseNamed(ctx context.Context, workspaceID, name string) (string, error) {
	if !strings.EqualFold(name, "newest") {
		return name, nil
	}
	if workspaceID == "" {
		w, err := s.oneWorkspace(ctx, "")
		if err != nil {
			return "", err
		}
		workspaceID = w.ID
	}
	found, err := s.releasesIn(ctx, workspaceID)
	if err != nil {
		return "", err
	}
	if len(found.all) == 0 {
		return "", problemOf("release", "no report of the workspace names a release")
	}
	return found.all[0].name, nil
}

type releaseArguments struct {
	Release   string `json:"release"`
	Since     string `json:"since"`
	Workspace string `json:"workspace"`
	Budget    int    `json:"budget"`
}

// releaseReport says what is new, still there and back in a release.
func releaseReport(ctx context.Context, s *session, in releaseArguments) (*sdk.CallToolResult, error) {
	w, err := s.oneWorkspace(ctx, in.Workspace)
	if err != nil {
		return nil, err
	}
	since, err := timeOf(cmp.Or(in.Since, "7d"), time.Now())
	if err != nil {
		return nil, err
	}
	found, err := s.releasesIn(ctx, w.ID)
	if err != nil {
		return nil, err
	}
	a := newAnswer(budgetOf(in.Budget))
	fmt.Fprintf(a, "# Releases of %s\n\n", w.Key)
	if len(found.all) == 0 {
		a.WriteString("No report names a release.\n")
		return textResult(a.text()), nil
	}
	chosen, ok := found.choose(a, in.Release)
	if !ok {
		return textResult(a.text()), nil
	}
	a.used = tokens(a.String())
	groups := s.groupsOf(found, chosen.name, since.Time)
	reopened, err := s.reopened(ctx, found.reports, since.Time)
	if err != nil {
		return nil, err
	}
	groups = append(groups, group{"Reopened since " + since.UTC().Format(time.DateOnly), reopened})
	for _, g := range groups {
		g.write(a)
	}
	if found.partial {
		fmt.Fprintf(a, "\nRead from the %d reports that were changed last; find_reports with release lists all.\n", maxScanned)
	}
	return textResult(a.text()), nil
}

// shownReleases is how many releases are listed.
const shownReleases = 6

// choose lists the releases, and returns the one of a name.
func (r *releases) choose(a *answer, name string) (*release, bool) {
	for _, one := range r.all[:min(len(r.all), shownReleases)] {
		fmt.Fprintf(a, "- %s: seen %s–%s, %d reports, %d of them first\n", code(one.name, 60),
			one.first.UTC().Format(time.DateOnly), one.last.UTC().Format(time.DateOnly), one.seen, one.filed)
	}
	if name == "" || strings.EqualFold(name, "newest") {
		how := "the highest version that a report names"
		if _, _, ok := version(r.all[0].name); !ok {
			how = "the one that was seen first last, because the names are no versions"
		}
		fmt.Fprintf(a, "\nNewest is %s: %s.\n", code(r.all[0].name, 60), how)
		return r.all[0], true
	}
	for _, one := range r.all {
		if one.name == name {
			return one, true
		}
	}
	a.WriteString("\nNo report names " + code(name, 60) + ".\n")
	return nil, false
}

// group are lines under a heading.
type group struct {
	heading string
	lines   []string
}

func (g group) write(a *answer) {
	const reserve = 60
	if !a.add(fmt.Sprintf("\n## %s: %d\n\n", g.heading, len(g.lines)), reserve) {
		return
	}
	for i, line := range g.lines {
		if !a.add(line, reserve) {
			fmt.Fprintf(a, "%d more are left out: raise budget.\n", len(g.lines)-i)
			return
		}
	}
}

// groupsOf returns the reports about a release by what they say about it.
func (s *session) groupsOf(found *releases, name string, since time.Time) []group {
	var first, still, alike []string
	for _, r := range found.reports {
		last := ""
		if r.LastOccurrence != nil {
			last = textOf(r.LastOccurrence.Environment.Release)
		}
		switch {
		case textOf(r.Environment.Release) == name:
			first = append(first, s.line(r))
		case last == name:
			still = append(still, s.line(r))
		}
		if r.Status != api.Open && r.Status != api.InProgress || r.CreatedAt.Before(since) {
			continue
		}
		if fixed := fixedBefore(found.reports, r); fixed != nil {
			line := strings.TrimSuffix(s.line(r), "\n")
			alike = append(alike, line+fmt.Sprintf(" — like %s, fixed %s\n", fixed.Reference, day(*fixed.ResolvedAt)))
		}
	}
	return []group{{"First seen in " + code(name, 60), first}, {"Known before, and seen in it", still},
		{"A guess: open reports since " + since.UTC().Format(time.DateOnly) + " that resemble a fixed one", alike}}
}

// fixedBefore returns a report that was fixed before another one was filed, and has nearly the same summary or the same
// fingerprint; nil for none.
func fixedBefore(all []api.Slice, r api.Slice) *api.Slice {
	for i, other := range all {
		isFixed := other.Resolution != nil && *other.Resolution == api.Fixed && other.ResolvedAt != nil &&
			other.ResolvedAt.Before(r.CreatedAt.Time)
		same := r.Fingerprint != nil && textOf(r.Fingerprint) == textOf(other.Fingerprint)
		if isFixed && other.ID != r.ID && (same || alike(r.Summary, other.Summary) >= 0.6) {
			return &all[i]
		}
	}
	return nil
}

// alike returns the share of words that two texts have in common.
func alike(a, b string) float64 {
	first, second := strings.Fields(strings.ToLower(a)), strings.Fields(strings.ToLower(b))
	shared := 0
	for _, word := range first {
		if slices.Contains(second, word) {
			shared++
		}
	}
	return float64(shared) / float64(max(len(first)+len(second)-shared, 1))
}

// maxHistories is the number of reports whose history is read.
const maxHistories = 30

// reopened returns the open reports that were resolved or closed and opened again since a time, as lines.
func (s *session) reopened(ctx context.Context, all []api.Slice, since time.Time) (lines []string, err error) {
	read := 0
	for _, r := range all {
		if r.ResolvedAt != nil || r.UpdatedAt.Before(since) || read == maxHistories {
			continue
		}
		read++
		for a, err := range client.All(ctx, s.Client, api.ListActivity{SliceID: r.ID}) {
			if err != nil {
				return nil, err
			}
			if !a.Timestamp.Before(since) && reopens(a.Changes) {
				lines = append(lines, s.line(r))
				break
			}
		}
	}
	return lines, nil
}

// reopens reports whether one of the changes opens a report that was resolved or closed.
func reopens(changes []api.Change) bool {
	return slices.ContainsFunc(changes, func(c api.Change) bool {
		if c.Field != "status" || c.From == nil || c.To == nil {
			return false
		}
		finished := []any{string(api.Resolved), string(api.Closed)}
		return slices.Contains(finished, *c.From) && !slices.Contains(finished, *c.To)
	})
}
