package reports

import (
	"slices"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/query"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

// presets are the values of filters by time that need no calendar.
var presets = []string{"today", "yesterday", "this-week", "last-week", "this-month", "last-month", "7d", "30d", ">30d",
	">90d"}

// load reads the values of the filter: those of its word, those that reports have, with their counts, and the chosen
// ones.
func (f *filter) load(q *page.Request) error {
	if slices.Contains([]string{query.Created, query.Updated, query.Resolved}, f.Word) {
		f.setDates()
		for _, text := range presets {
			f.add(query.Bare(text), "")
		}
		return nil
	}
	for _, text := range query.Keywords(f.Word) {
		f.add(query.Bare(text), "")
	}
	f.IsText = slices.Contains([]string{query.Release, query.Browser, query.OS}, f.Word)
	if f.Word == query.Release && q.Workspace.ID != "" {
		f.add(query.Bare(api.NewestRelease), "")
	}
	counts, err := f.count(q)
	if err == nil {
		err = f.addRecords(q, counts)
	}
	f.addChosen()
	f.More = len(f.Values) >= maxListed
	return err
}

// maxListed is the number of values from which on there may be others.
const maxListed = 50

// add adds a value, unless it is there.
func (f *filter) add(v query.Value, name string) *filterValue {
	i := slices.IndexFunc(f.Values, func(o filterValue) bool { return o.value == v })
	if i < 0 {
		i = len(f.Values)
		f.Values = append(f.Values, filterValue{Word: f.Word, Value: v.Text, Name: name, value: v,
			Class:  ui.LabelClass(v.Text, f.colors),
			Chosen: slices.ContainsFunc(f.current.Values, func(c query.Value) bool { return isSame(c, v) }),
			To:     f.with(f.toggled(v))})
	}
	return &f.Values[i]
}

// count counts the reports by the values of the filter: those of the list without it. What the text or the work on it
// refuses is not counted.
func (f *filter) count(q *page.Request) (all []api.SliceCount, err error) {
	_, in, err := selection(q, f.with(query.Term{}).Query)
	if err != nil {
		return nil, unlessRefused(err)
	}
	if f.Word == query.Has {
		return f.countEvidence(q, in.SliceFilters)
	}
	v, err := input.Check(api.CountSlices{SliceFilters: in.SliceFilters, By: api.CountedMember(f.Word)})
	if err != nil {
		return nil, unlessRefused(err)
	}
	counts, err := q.Tracker.CountSlices(q.Context(), q.Session.Caller, v)
	return counts.Data, unlessRefused(err)
}

// countEvidence counts the reports with each kind of evidence.
func (f *filter) countEvidence(q *page.Request, of api.SliceFilters) (all []api.SliceCount, err error) {
	for _, kind := range api.EvidenceFilter("").Values() {
		with := of
		with.Has = []api.EvidenceFilter{api.EvidenceFilter(kind)}
		v, err := input.Check(api.CountSlices{SliceFilters: with, By: query.Status})
		if err != nil {
			return nil, unlessRefused(err)
		}
		counts, err := q.Tracker.CountSlices(q.Context(), q.Session.Caller, v)
		if err != nil {
			return nil, unlessRefused(err)
		}
		total := totalOf(counts)
		total.Value = &kind
		all = append(all, total)
	}
	return all, nil
}

// addRecords adds the values that reports have, with their counts, and others that the list can be filtered by.
func (f *filter) addRecords(q *page.Request, counts []api.SliceCount) error {
	others, err := f.choices(q)
	if err != nil {
		return err
	}
	names, err := f.names(q, counts, others)
	if err != nil {
		return err
	}
	for _, n := range counts {
		if shown := f.addRecord(q, n.Value, names); shown != nil {
			shown.Count, shown.AtMost, shown.IsCounted = n.Count, n.More, true
		}
	}
	for _, id := range others {
		f.addRecord(q, &id, names)
	}
	return nil
}

// choices returns the ids of the members or spaces of the workspace, or its labels: those that a form offers.
func (f *filter) choices(q *page.Request) (all []string, err error) {
	ofRecords := slices.Contains([]string{query.Assignee, query.Reporter, query.Label, query.Space}, f.Word)
	if q.Workspace.ID == "" || !ofRecords {
		return nil, nil
	}
	c, err := q.Choices(q.Workspace.ID, "")
	switch f.Word {
	case query.Label:
		return c.Labels, err
	case query.Space:
		for _, s := range c.Spaces {
			all = append(all, s.ID)
		}
		return all, err
	}
	for _, m := range c.Members {
		all = append(all, m.UserID)
	}
	return all, err
}

// names returns the names of the records of counts, and of others, by id; nil when the values of the filter are none.
func (f *filter) names(q *page.Request, counts []api.SliceCount, ids []string) (map[string]tracker.MemberName, error) {
	switch f.Word {
	case query.Space:
		return spaceNames(q), nil
	case query.Assignee, query.Reporter:
		for _, n := range counts {
			if n.Value != nil && id.Valid(id.User, *n.Value) {
				ids = append(ids, *n.Value)
			}
		}
		return q.Tracker.UniqueNames(q.Context(), q.Session.Caller, q.Workspace.ID, ids)
	}
	return nil, nil
}

// addRecord adds the value for that of a count, nil for none. It returns nil for one by which the list cannot be
// filtered, such as a record that the reader does not see.
func (f *filter) addRecord(q *page.Request, value *string, names map[string]tracker.MemberName) *filterValue {
	keywords := query.Keywords(f.Word)
	switch {
	case value == nil && slices.Contains(keywords, "none"):
		return f.add(query.Bare("none"), "")
	case value == nil:
		return nil
	case *value == q.Session.Caller.ID:
		return f.add(query.Bare("me"), "")
	case names == nil && slices.Contains(keywords, *value) && f.Word != query.Label:
		return f.add(query.Bare(*value), "")
	case names == nil:
		return f.add(query.Name(f.Word, *value), "")
	}
	switch named, ok := names[*value]; {
	case !ok:
		return nil
	case named.Alone:
		return f.add(query.Name(f.Word, named.Name), named.Name)
	default:
		return f.add(query.Bare(*value), named.Name)
	}
}

// addChosen adds the chosen values that are no others.
func (f *filter) addChosen() {
	for _, v := range f.current.Values {
		if !slices.ContainsFunc(f.Values, func(o filterValue) bool { return isSame(o.value, v) }) {
			f.add(v, "")
		}
	}
}
