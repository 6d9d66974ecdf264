package tracker

import (
	"context"
	"slices"
	"strconv"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
)

// maxReleases is the number of releases of a workspace that are put in order: those that were seen last.
const maxReleases = 10_000

// ListReleases lists the releases of a workspace, the newest first.
func (t *Tracker) ListReleases(ctx context.Context, c access.Caller, v input.Valid[api.ListReleases],
) (api.Page[api.Release], error) {
	in, err := v.Value(c.Allow(api.OpListReleases))
	if err != nil {
		return api.Page[api.Release]{}, err
	}
	var ordered []orderedRelease
	at := func(name string) int {
		return slices.IndexFunc(ordered, func(r orderedRelease) bool { return r.Name == name })
	}
	return listPage(t, c, listing[api.Release]{operation: api.OpListReleases, parameters: in, paging: in.Paging,
		positionParts: 2,
		read: func(after []string, limit int) ([]api.Release, error) {
			q := t.access.Read(ctx)
			if _, err := c.RoleIn(q, in.WorkspaceID); err != nil {
				return nil, err
			}
			if ordered, err = releases(q, in.WorkspaceID); err != nil {
				return nil, err
			}
			next := at(after[0]) + 1
			if next == 0 && after[0] != "" { // the release is gone
				next, _ = strconv.Atoi(after[1])
			}
			rest := ordered[min(next, len(ordered)):]
			return convert(rest[:min(limit, len(rest))], func(r orderedRelease) api.Release { return r.Release }), nil
		},
		position: func(r api.Release) []string { return []string{r.Name, strconv.Itoa(at(r.Name))} },
	})
}

// releases returns the releases of a workspace, the newest first.
func releases(q access.Queries, workspaceID string) ([]orderedRelease, error) {
	all, err := q.Releases(workspaceID, maxReleases)
	return inOrder(all), err
}

// maxRecent is the number of releases that were seen last, of which RecentReleases names the newest.
const maxRecent = 50

// RecentReleases returns the names of at most limit releases that were seen last or only fixes name, the newest first.
// Pages offer them for a fix; unlike ListReleases it does not put all releases in order.
func (t *Tracker) RecentReleases(ctx context.Context, c access.Caller, workspaceID string, limit int) ([]string, error) {
	if err := c.Allow(api.OpListReleases); err != nil {
		return nil, err
	}
	q := t.access.Read(ctx)
	if _, err := c.RoleIn(q, workspaceID); err != nil {
		return nil, err
	}
	all, err := q.Releases(workspaceID, maxRecent)
	ordered := inOrder(all)
	return convert(ordered[:min(limit, len(ordered))], func(r orderedRelease) string { return r.Name }), err
}

// newestRelease returns the release for which newest stands in a workspace: the newest one that a report names and that
// counts. It is nil when no report names one.
func newestRelease(q access.Queries, workspaceID string) (*api.ChosenRelease, error) {
	ordered, err := releases(q, workspaceID)
	if err != nil {
		return nil, err
	}
	newest, passedOver := newestOf(ordered)
	if newest == nil {
		return nil, nil
	}
	chosen := &api.ChosenRelease{Name: newest.Name, ChosenBy: "first_seen",
		PassedOver: convert(passedOver[:min(len(passedOver), maxPassedOver)], orderedRelease.name)}
	if newest.version != nil {
		chosen.ChosenBy = "version"
	}
	return chosen, nil
}

// releaseWords are the words of the filters by releases.
var releaseWords = []string{"release", "first-release", "last-release", "fixed-in"}

// releaseFilters returns the filters of slices by releases.
func releaseFilters(f *api.SliceFilters) []api.TextFilter {
	return slices.DeleteFunc(slices.Concat(f.Texts(), f.Not.Texts()), func(text api.TextFilter) bool {
		return !slices.Contains(releaseWords, text.Word)
	})
}

// chooseNewest puts the newest release of the workspace in the place of newest, and returns it: nil when no filter has
// the word. It refuses the word for several workspaces, each of which has another newest release.
func chooseNewest(q access.Queries, c access.Caller, f *api.SliceFilters) (*api.ChosenRelease, error) {
	saysNewest := func(text api.TextFilter) bool { return slices.Contains(*text.Values, api.NewestRelease) }
	filters := releaseFilters(f)
	i := slices.IndexFunc(filters, saysNewest)
	if i < 0 {
		return nil, nil
	}
	workspaces, err := c.ListedWorkspaces(q, f.WorkspaceID)
	if err != nil {
		return nil, err
	}
	if len(workspaces) != 1 {
		return nil, api.InvalidParameter("workspaceId", "required",
			"newest is the newest release of one workspace: name it by workspaceId")
	}
	newest, err := newestRelease(q, workspaces[0])
	if err != nil || newest == nil { // newest stays, which no report has named
		return nil, err
	}
	for _, text := range filters {
		*text.Values = convert(*text.Values, func(v string) string {
			if v == api.NewestRelease {
				return newest.Name
			}
			return v
		})
	}
	return newest, nil
}
