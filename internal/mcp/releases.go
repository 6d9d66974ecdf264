package mcp

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"bugslice/api"
	"bugslice/client"
)

// releaseNamed returns the name of a release. newest is the newest one of a workspace.
func (s *session) releaseNamed(ctx context.Context, workspaceID, name string) (string, error) {
	if !strings.EqualFold(name, api.NewestRelease) {
		return name, nil
	}
	if workspaceID == "" {
		w, err := s.oneWorkspace(ctx, "")
		if err != nil {
			return "", err
		}
		workspaceID = w.ID
	}
	chosen, err := s.newestRelease(ctx, workspaceID)
	switch {
	case err == nil && chosen == nil:
		err = problemOf("release", "no report of the workspace names a release")
	case err == nil && s.releaseName(chosen.Name) == withheld:
		err = problemOf("release", "the newest release has a name that is withheld; name another one")
	}
	if err != nil {
		return "", err
	}
	return chosen.Name, nil
}

// releaseOfFix returns the name of the release of a fix, or newest, in whose place the change puts the newest release of
// the workspace.
func (s *session) releaseOfFix(ctx context.Context, workspaceID, name string) (string, error) {
	if !strings.EqualFold(name, api.NewestRelease) {
		return name, nil
	}
	if s.WithholdGuests { // the name may be withheld
		return s.releaseNamed(ctx, workspaceID, name)
	}
	return api.NewestRelease, nil
}

// howChosen says in a sentence for which release newest stands, and why.
func (s *session) howChosen(chosen *api.ChosenRelease) string {
	how := "the highest version that reports name"
	if chosen.ChosenBy != "version" {
		how = "the one that was seen first last, because the names are no versions"
	}
	text := fmt.Sprintf("Newest is %s: %s", s.releaseName(chosen.Name), how)
	if len(chosen.PassedOver) > 0 {
		names := make([]string, len(chosen.PassedOver))
		for i, name := range chosen.PassedOver {
			names[i] = s.releaseName(name)
		}
		text += "; one report alone names " + strings.Join(names, ", ") + ", far from the others"
	}
	return text + "."
}

// newestRelease returns the newest release that reports of a workspace name, and how it was chosen; nil for none.
func (s *session) newestRelease(ctx context.Context, workspaceID string) (*api.ChosenRelease, error) {
	page, err := s.Client.ListSlices(ctx, api.ListSlices{Paging: api.Paging{Limit: 1},
		SliceFilters: api.SliceFilters{WorkspaceID: workspaceID, LastRelease: []string{api.NewestRelease}}})
	return page.NewestRelease, err
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
	a := newAnswer(budgetOf(in.Budget))
	fmt.Fprintf(a, "# Releases of %s\n\n", w.Key)
	name, err := s.chooseRelease(ctx, a, w.ID, in.Release)
	if err != nil || name == "" {
		return textResult(a.text()), err
	}
	a.used = tokens(a.String())
	groups, err := s.groupsOf(ctx, w.ID, name)
	if err != nil {
		return nil, err
	}
	recent, partial, err := s.recent(ctx, w.ID)
	if err != nil {
		return nil, err
	}
	reopened, err := s.reopened(ctx, recent, since.Time)
	if err != nil {
		return nil, err
	}
	groups = append(groups, group{heading: "Reopened since " + since.UTC().Format(time.DateOnly), lines: reopened},
		s.resembling(recent, since.Time))
	for _, g := range groups {
		g.write(a)
	}
	if partial {
		fmt.Fprintf(a, "\nThe last two parts are of the %d reports that were changed last.\n", maxScanned)
	}
	return textResult(a.text()), nil
}

// shownReleases is how many releases are listed.
const shownReleases = 6

// chooseRelease lists the newest releases of a workspace, and returns the name of the one that is meant; empty for none.
func (s *session) chooseRelease(ctx context.Context, a *answer, workspaceID, name string) (string, error) {
	page, err := s.Client.ListReleases(ctx, api.ListReleases{WorkspaceID: workspaceID,
		Paging: api.Paging{Limit: shownReleases}})
	if err != nil {
		return "", err
	}
	for _, r := range page.Data {
		seen := "only named by fixes"
		if r.FirstSeenAt != nil && r.LastSeenAt != nil {
			seen = fmt.Sprintf("seen %s–%s, %d reports, %d of them first", day(*r.FirstSeenAt), day(*r.LastSeenAt),
				r.SeenCount, r.FirstSeenCount)
		}
		fmt.Fprintf(a, "- %s: %s, %d fixed in it\n", s.releaseName(r.Name), seen, r.FixedCount)
	}
	if name != "" && !strings.EqualFold(name, api.NewestRelease) {
		return name, nil
	}
	chosen, err := s.newestRelease(ctx, workspaceID)
	if err != nil {
		return "", err
	}
	if chosen == nil {
		a.WriteString("No report names a release.\n")
		return "", nil
	}
	fmt.Fprintf(a, "\n%s\n", s.howChosen(chosen))
	return chosen.Name, nil
}

// versions match the names of releases that no text hides in.
var versions = regexp.MustCompile(`^v?\d{1,8}(\.\d{1,8}){1,4}(-(alpha|beta|rc|pre|dev)\.?\d{0,4})?$`)

// releaseName returns the name of a release for a line. Guests may have written it: unless it is a version, it is
// withheld when their text is.
func (s *session) releaseName(name string) string {
	if s.WithholdGuests && !versions.MatchString(name) {
		return withheld
	}
	return code(name, 60)
}

// group are lines under a heading.
type group struct {
	heading string
	lines   []string
	more    bool // there are more than are listed
}

func (g group) write(a *answer) {
	const reserve = 60
	count := strconv.Itoa(len(g.lines))
	if g.more {
		count += " and more"
	}
	if !a.add(fmt.Sprintf("\n## %s: %s\n\n", g.heading, count), reserve) {
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
func (s *session) groupsOf(ctx context.Context, workspaceID, name string) ([]group, error) {
	shown := s.releaseName(name)
	groups := []group{{heading: "First seen in " + shown}, {heading: "Known before, and last seen in it"},
		{heading: "Fixed in it"}}
	for i, filters := range []api.SliceFilters{{FirstRelease: []string{name}},
		{LastRelease: []string{name}, Not: api.Exclusions{FirstRelease: []string{name}}}, {FixedInRelease: []string{name}}} {
		filters.WorkspaceID = workspaceID
		page, err := s.Client.ListSlices(ctx, api.ListSlices{SliceFilters: filters, Paging: api.Paging{Limit: api.MaxLimit}})
		if err != nil {
			return nil, err
		}
		for _, r := range page.Data {
			groups[i].lines = append(groups[i].lines, s.line(r, ""))
		}
		groups[i].more = page.Pagination.HasMore
	}
	return groups, nil
}

// maxScanned is the number of reports, those that were changed last, in which reopened and resembling ones are looked
// for.
const maxScanned = 500

// recent returns the reports of a workspace that were changed last. It is partial when there are more.
func (s *session) recent(ctx context.Context, workspaceID string) (reports []api.Slice, partial bool, err error) {
	in := api.ListSlices{SliceFilters: api.SliceFilters{WorkspaceID: workspaceID}, Sort: "updatedAt"}
	for r, err := range client.All(ctx, s.Client, in) {
		if err != nil {
			return nil, false, err
		}
		if len(reports) == maxScanned {
			return reports, true, nil
		}
		reports = append(reports, r)
	}
	return reports, false, nil
}

// resembling returns the open reports since a time that resemble one that was fixed before.
func (s *session) resembling(recent []api.Slice, since time.Time) group {
	out := group{heading: "A guess: open reports since " + since.UTC().Format(time.DateOnly) + " that resemble a fixed one"}
	for _, r := range recent {
		if r.Status != api.Open && r.Status != api.InProgress || r.CreatedAt.Before(since) {
			continue
		}
		if fixed := fixedBefore(recent, r); fixed != nil {
			line := strings.TrimSuffix(s.line(r, ""), "\n")
			out.lines = append(out.lines, line+fmt.Sprintf(" — like %s, fixed %s\n", fixed.Reference, day(*fixed.ResolvedAt)))
		}
	}
	return out
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
				lines = append(lines, s.line(r, ""))
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
