package store

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"bugslice/api"
)

// indexedFilters returns the filters that have an index, in the order in which one of several that are as selective is preferred.
func (f *SliceFilter) indexedFilters() (all []indexedFilter) {
	if f.Number > 0 {
		all = append(all, indexedFilter{from: ofSlices, id: "s.id", order: []string{"s.number"}, conditions: func(p *params) []string {
			return []string{"s.number = " + p.add(f.Number)}
		}})
	}
	members := []memberValues{
		{"s.id", f.IDs}, {"s.external_id", f.ExternalIDs}, {"s.fingerprint", f.Fingerprints}, {"m.name", f.Mentions},
		{"f.reporter_id", f.Reporters}, {"f.space_id", f.Spaces}, {"l.label", f.Labels},
		{"f.severity", texts(f.Severities)},
	}
	if len(f.Priorities) > 0 {
		x := f.priorities()
		x.kept = memberValues{ByPriority, emptyForNone(f.Priorities)}
		all = append(all, x)
	}
	for _, x := range f.Environment {
		members = append(members, memberValues{"f." + x.Name, x.Values})
	}
	if pairs := len(f.Assignees) * len(f.Statuses); pairs > 0 && pairs <= scansPerQuery {
		x := f.assigneeAndStatus()
		x.kept, x.keptStatuses = memberValues{ByAssignee, emptyForNone(f.Assignees)}, f.Statuses
		all = append(all, x)
	} else {
		members = append(members, memberValues{"s.assignee_id", f.Assignees}, memberValues{"s.status", texts(f.Statuses)})
	}
	for _, m := range members {
		ofDeleted := m.column == "f.space_id" && slices.Contains(m.values, NoneValue) // slices without a space may have a deleted one
		if len(m.values) > 0 && len(m.values) <= scansPerQuery && !ofDeleted {
			x := memberFilter(m.column, m.values)
			x.index = indexes[m.column]
			x.kept, x.keptStatuses = f.keptBy(m)
			all = append(all, x)
		}
	}
	for _, m := range f.Metadata {
		if len(m.Values) <= scansPerQuery {
			all = append(all, m.indexed())
		}
	}
	if len(f.Has) > 0 {
		all = append(all, byID("", func(*params) []string { return hasEvidence(f.Has, "") }))
	}
	if f.Unlabelled {
		x := indexedFilter{from: ofFacts, id: "f.slice_id", order: []string{"f.slice_id"}, index: "live_facts_unlabelled",
			conditions: func(*params) []string { return []string{"f.unlabelled = 1"} }}
		x.kept = memberValues{ByLabel, []string{""}}
		all = append(all, x)
	}
	return all
}

// indexes are the names of the indexes by a column and the id.
var indexes = map[string]string{"f.reporter_id": "live_facts_by_reporter", "f.space_id": "live_facts_by_space",
	"f.severity": "live_facts_by_severity", "f.release": "live_facts_by_release", "f.browser": "live_facts_by_browser",
	"f.os": "live_facts_by_os", "f.viewport": "live_facts_by_viewport",
	"s.assignee_id": "slices_live_by_assignee", "s.status": "slices_live_by_status",
	"s.updated_at": "slices_live_by_update", "s.resolved_at": "slices_live_by_resolution"}

// keptBy returns the kept counts whose sum is the number of slices that a filter by a member selects: those of some values of a member,
// or of all when there are none, and of some statuses. A filter that no kept counts have gets the zero value.
func (f *SliceFilter) keptBy(m memberValues) (memberValues, []api.Status) {
	switch m.column {
	case "s.status":
		return memberValues{column: ByPriority}, f.Statuses // by any member that has one value, as priorities do
	case "l.label":
		return memberValues{ByLabel, m.values}, nil
	case "f.severity":
		return memberValues{BySeverity, emptyForNone(m.values)}, nil
	case "s.assignee_id":
		return memberValues{ByAssignee, emptyForNone(m.values)}, nil
	case "f.space_id":
		return memberValues{BySpace, m.values}, nil
	case "f.release":
		return memberValues{ByRelease, m.values}, nil
	}
	return memberValues{}, nil
}

// withNone are the columns whose filters select the slices without a value by NoneValue.
var withNone = []string{"s.assignee_id", "f.severity"}

// memberFilter returns the filter of a column that has one of the values.
func memberFilter(column string, values []string) indexedFilter {
	from, id, order := ofSlices, "s.id", []string{column, "s.id"} // PostgreSQL needs the column for IS NULL
	switch {
	case column == "s.id":
		order = []string{"s.id"}
	case strings.HasPrefix(column, "f."):
		from, id, order = ofFacts, "f.slice_id", []string{column, "f.slice_id"}
	case column == "l.label":
		from, id, order = ofLabels, "l.slice_id", []string{"l.slice_id"}
	case column == "m.name":
		from, id, order = ofMentions, "m.slice_id", []string{"m.slice_id"}
	}
	return indexedFilter{from: from, id: id, order: order, conditions: func(p *params) (conditions []string) {
		if column == id { // one scan finds all of them in order
			return []string{column + " IN " + in(p, values)}
		}
		for _, v := range values {
			if v == NoneValue && slices.Contains(withNone, column) {
				conditions = append(conditions, column+" IS NULL")
			} else {
				conditions = append(conditions, column+" = "+p.add(v))
			}
		}
		return conditions
	}}
}

// priorities is the filter of priorities. Each is a range of the index of lists by priority, in which ids follow the priority.
func (f *SliceFilter) priorities() indexedFilter {
	first, last := f.FromID, cmp.Or(f.BeforeID, afterAnyID)
	if f.Sort == SortByID && f.AfterID != "" {
		if f.Ascending {
			first = max(first, f.AfterID)
		} else {
			last = min(last, f.AfterID)
		}
	}
	x := byID("slices_in_priority_order", func(p *params) (conditions []string) {
		for _, v := range f.Priorities {
			key := strconv.FormatInt(priorityKey(string(v)), 10)
			conditions = append(conditions, byPriority+" >= "+p.add(key+first)+" AND "+byPriority+" <= "+p.add(key+last))
		}
		return conditions
	})
	x.order = []string{byPriority}
	return x
}

// prioritiesInOrder is the filter of priorities, or of all, whose scans are in the order of lists by priority.
func (f *SliceFilter) prioritiesInOrder() *indexedFilter {
	all := *f
	all.Priorities = nil
	for _, v := range api.PriorityFilter("").Values() {
		if p := api.PriorityFilter(v); len(f.Priorities) == 0 || slices.Contains(f.Priorities, p) {
			all.Priorities = append(all.Priorities, p)
		}
	}
	x := all.priorities()
	x.id, x.disjoint = opaqueID, true
	return &x
}

// opaqueID is the id of a slice for conditions that no index serves.
const opaqueID = "(s.id || '')"

// afterAnyID comes after each id.
const afterAnyID = "~"

// ordersByID reports whether each scan is in the order of ids.
func (x indexedFilter) ordersByID() bool {
	last := x.order[len(x.order)-1]
	return last == x.id || last == byPriority
}

// assigneeAndStatus returns the filter of assignees and statuses, with a scan for each pair.
func (f *SliceFilter) assigneeAndStatus() indexedFilter {
	assignees := memberFilter("s.assignee_id", f.Assignees)
	return indexedFilter{from: ofSlices, id: "s.id", order: []string{"s.assignee_id", "s.status", "s.id"},
		index: "slices_live_by_assignee_and_status", conditions: func(p *params) (conditions []string) {
			for _, assignee := range assignees.conditions(p) {
				for _, status := range f.Statuses {
					conditions = append(conditions, assignee+" AND s.status = "+p.add(status))
				}
			}
			return conditions
		}}
}

// without returns f without the filters of some columns, whose conditions a scan has already. A condition that is repeated in another
// form makes PostgreSQL expect fewer slices and choose another index.
func (f SliceFilter) without(columns []string) SliceFilter {
	for _, column := range columns {
		switch column {
		case "s.status":
			f.Statuses = nil
		case byPriority:
			f.Priorities = nil
		case "f.severity":
			f.Severities = nil
		case "s.assignee_id":
			f.Assignees = nil
		case "f.reporter_id":
			f.Reporters = nil
		case "f.release", "f.browser", "f.os", "f.viewport":
			f.Environment = slices.DeleteFunc(slices.Clone(f.Environment), func(x FactFilter) bool { return "f."+x.Name == column })
		case "s.external_id":
			f.ExternalIDs = nil
		case "s.fingerprint":
			f.Fingerprints = nil
		case "l.slice_id":
			f.Labels = nil
		case "m.slice_id":
			f.Mentions = nil
		}
	}
	return f
}

// timeFilters returns the filters of slices by their last updates and by their resolutions.
func (f *SliceFilter) timeFilters() (all []indexedFilter) {
	for _, r := range []struct {
		column     string
		first, end *api.Time
	}{{"s.updated_at", f.UpdatedMin, f.UpdatedEnd}, {"s.resolved_at", f.ResolvedMin, f.ResolvedEnd}} {
		if r.first == nil && r.end == nil {
			continue
		}
		all = append(all, indexedFilter{from: ofSlices, id: "s.id", order: []string{r.column}, index: indexes[r.column],
			conditions: func(p *params) []string {
				return []string{strings.Join(timeRange(r.column, r.first, r.end, p), " AND ")}
			}})
	}
	return all
}

// anySlice is a filter that selects each slice.
var anySlice = byID("", func(*params) []string { return []string{"1 = 1"} })

// byID returns a filter whose index has the slices of each condition in the order of ids. SQLite is told the name of the index, unless it
// is empty.
func byID(index string, conditions func(p *params) []string) indexedFilter {
	return indexedFilter{from: ofSlices, id: "s.id", order: []string{"s.id"}, index: index, conditions: conditions}
}

func texts[T ~string](all []T) []string {
	out := make([]string, len(all))
	for i, v := range all {
		out[i] = string(v)
	}
	return out
}

// emptyForNone returns the values of a filter as they are kept: the value of the slices without one is empty.
func emptyForNone[T ~string](values []T) []string {
	all := texts(values)
	for i, v := range all {
		if v == NoneValue {
			all[i] = ""
		}
	}
	return all
}
