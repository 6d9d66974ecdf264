package tracker

import (
	"cmp"
	"context"
	"slices"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// maxCountedValues is the number of values that CountSlices returns.
const maxCountedValues = 50

// CountSlices counts the slices of one workspace, or of all workspaces the caller sees, by the values of a member.
func (t *Tracker) CountSlices(ctx context.Context, c access.Caller, v input.Valid[api.CountSlices],
) (api.SliceCounts, error) {
	none := api.SliceCounts{Data: []api.SliceCount{}}
	in, err := v.Value(c.Allow(api.OpCountSlices))
	if err != nil {
		return none, err
	}
	slot, err := t.acquireSlotFor(ctx, c, api.OpCountSlices)
	if err != nil {
		return none, err
	}
	defer slot.Release()
	q := t.access.Read(ctx)
	expanded, err := withoutTerms(q, c, api.ListSlices{SliceFilters: in.SliceFilters})
	if err != nil {
		return none, err
	}
	in.SliceFilters = expanded.SliceFilters
	f, newest, err := t.filterWithNewest(q, c, in.SliceFilters)
	if err != nil {
		return none, err
	}
	g := t.access.NewGuard(ctx, c, api.OpCountSlices, func(q access.Queries, c access.Caller) error {
		return errorOf(c.ListedWorkspaces(q, in.WorkspaceID))
	})
	counts, complete, err := q.CountSlices(f, string(in.By))
	if err == nil {
		err = g.Allow()
	}
	if err != nil {
		return none, askToNarrow(err, in.SliceFilters, "")
	}
	all := sumCounts(counts)
	slices.SortFunc(all, countOrder(string(in.By)))
	return api.SliceCounts{Data: all[:min(len(all), maxCountedValues)], More: !complete || len(all) > maxCountedValues,
		NewestRelease: newest}, nil
}

// sumCounts adds the counts of the same value in several workspaces.
func sumCounts(counts []store.SliceCount) []api.SliceCount {
	all, index, none := []api.SliceCount{}, map[string]int{}, -1
	for _, n := range counts {
		i, known := none, none >= 0
		if n.Value != nil {
			i, known = index[*n.Value]
		}
		if !known {
			i = len(all)
			all = append(all, api.SliceCount{Value: n.Value})
			if n.Value == nil {
				none = i
			} else {
				index[*n.Value] = i
			}
		}
		sum := all[i].Count + n.Count
		all[i].Count, all[i].More = min(sum, store.MaxCount), all[i].More || n.More || sum > store.MaxCount
	}
	return all
}

// countOrder returns the order of counts by a member: that of its values if they have one, else the highest count
// first.
func countOrder(by string) func(a, b api.SliceCount) int {
	order := map[string][]string{
		store.ByStatus: api.Status("").Values(), store.ByPriority: api.Priority("").Values(),
		store.BySeverity: api.Severity("").Values(),
	}[by]
	rank := func(n api.SliceCount) int {
		if n.Value == nil {
			return len(order)
		}
		return slices.Index(order, *n.Value)
	}
	if order != nil {
		return func(a, b api.SliceCount) int { return cmp.Compare(rank(a), rank(b)) }
	}
	return func(a, b api.SliceCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), compareFlags(b.More, a.More), compareValues(a.Value, b.Value))
	}
}

func compareFlags(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// compareValues compares two values for an order in which none is last.
func compareValues(a, b *string) int {
	if a == nil || b == nil {
		return compareFlags(a == nil, b == nil)
	}
	return cmp.Compare(*a, *b)
}

// ListLabels lists the labels of the slices of a workspace in order, with their counts.
func (t *Tracker) ListLabels(ctx context.Context, c access.Caller, v input.Valid[api.ListLabels],
) (api.Page[api.LabelCount], error) {
	in, err := v.Value(c.Allow(api.OpListLabels))
	if err != nil {
		return api.Page[api.LabelCount]{}, err
	}
	q := t.access.Read(ctx)
	if _, err := c.RoleIn(q, in.WorkspaceID); err != nil {
		return api.Page[api.LabelCount]{}, err
	}
	l := listing[api.LabelCount]{operation: api.OpListLabels, parameters: in, paging: in.Paging}
	labelOf := func(n api.LabelCount) string { return n.Label }
	return listPage(t, c, l.byID(labelOf, func(after string, limit int) ([]api.LabelCount, error) {
		rows, err := labels(q, in, after, limit)
		return convert(rows, func(n store.SliceCount) api.LabelCount {
			return api.LabelCount{Label: *n.Value, Count: n.Count, More: n.More}
		}), err
	}))
}

// labels returns at most limit labels after a label: all, or those with the words of a search.
func labels(q access.Queries, in api.ListLabels, after string, limit int) ([]store.SliceCount, error) {
	label := func(n store.SliceCount) string { return *n.Value }
	read := func(searched []string, after string, limit int) ([]store.SliceCount, error) {
		return q.Labels(in.WorkspaceID, searched, after, limit)
	}
	return named[store.SliceCount]{label, label, read}.search(in.Q, after, limit)
}
