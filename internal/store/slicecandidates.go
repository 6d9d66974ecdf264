package store

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"bugslice/api"
)

// indexedFilter is a filter whose values an index serves, each in the order of ids.
type indexedFilter struct {
	from, id   string   // FROM and the beginning of WHERE, and the id in the index
	order      []string // the columns of the index
	conditions func(p *params) []string
	index      string // its name, empty when the database chooses it
	disjoint   bool   // no slice has two of the conditions, which is cheaper

	kept         memberValues // those of kept counts, an empty column for none
	keptStatuses []api.Status // with one of which the slices are counted, all when there are none
}

// scan selects the first limit slices of a workspace with a condition of an indexedFilter.
type scan struct {
	workspace, columns, where, limit, direction string

	indexedBy string // of the engine
	merged    bool   // whether it is one of several workspaces
}

const (
	ofSlices   = "slices s WHERE s"
	ofLabels   = "live_labels l CROSS JOIN slices s WHERE s.id = l.slice_id AND l"
	ofMetadata = "slice_metadata k CROSS JOIN slices s WHERE s.id = k.slice_id AND k"
	// A slice mentions a user once, however many of its texts do.
	ofMentions = "(SELECT DISTINCT workspace_id, name, slice_id FROM mentions) m CROSS JOIN slices s WHERE s.id = m.slice_id AND m"
)

// indexed returns the filter that the index of metadata serves.
func (m MetadataFilter) indexed() indexedFilter {
	x := indexedFilter{from: ofMetadata, id: "k.slice_id", order: []string{"k.slice_id"}}
	x.conditions = func(p *params) (conditions []string) {
		for _, value := range m.Values {
			conditions = append(conditions, "k.name = "+p.add(m.Name)+" AND k.value = "+p.add(value))
		}
		return conditions
	}
	return x
}

// text returns the SELECT of a scan. In its conditions {id} stands for the id of a slice.
func (x indexedFilter) text(s scan, condition string) string {
	order := x.order
	if s.merged {
		order = append([]string{x.from[strings.LastIndexByte(x.from, ' ')+1:] + ".workspace_id"}, order...)
	}
	from := x.from
	if s.indexedBy != "" && x.index != "" {
		from = "slices s" + fmt.Sprintf(s.indexedBy, x.index) + " WHERE s"
	}
	return fmt.Sprintf("SELECT %s FROM %s.workspace_id = %s AND %s AND s.deleted_at IS NULL%s ORDER BY %s LIMIT %s",
		s.columns, from, s.workspace, condition, strings.ReplaceAll(s.where, "{id}", x.id),
		strings.Join(order, s.direction+", ")+s.direction, s.limit)
}

// first returns the SELECT of the first rows that a scan for each condition finds, in order. The columns include the position.
func (x indexedFilter) first(s scan, conditions []string) string {
	if len(conditions) == 1 {
		return x.text(s, conditions[0])
	}
	union := "UNION"
	if x.disjoint {
		union = "UNION ALL"
	}
	return fmt.Sprintf("SELECT * FROM (%s) AS p ORDER BY position%s LIMIT %s", x.union(union, s, conditions), s.direction, s.limit)
}

// keys returns the filter for statements that read the keys of slices alone. Those with a label are in live_labels, and those with a value
// of their metadata in slice_metadata, unless they are deleted.
func (x indexedFilter) keys() indexedFilter {
	switch x.from {
	case ofLabels:
		x.from = "live_labels l CROSS JOIN (SELECT NULL AS deleted_at) AS s WHERE l"
	case ofMetadata:
		x.from = "slice_metadata k CROSS JOIN (SELECT NULL AS deleted_at) AS s WHERE k"
	}
	return x
}

// union returns the union of a scan for each condition, by UNION or UNION ALL.
func (x indexedFilter) union(operator string, s scan, conditions []string) string {
	parts := make([]string, len(conditions))
	for i, condition := range conditions {
		parts[i] = fmt.Sprintf("SELECT * FROM (%s) AS p%d", x.text(s, condition), i)
	}
	return strings.Join(parts, " "+operator+" ")
}

// candidates are slices among which a count or a list looks for those of all filters.
type candidates struct {
	key  string                            // row or id
	keys func(e *engine, p *params) string // the SELECT of their keys

	// satisfied removes the filter that all of them satisfy and that is costly to compare; nil for none.
	satisfied func(SliceFilter) SliceFilter

	found int // how many slices they are that had all filters; 0 when that is not known
}

// rest returns the filters with which candidates are compared.
func (c *candidates) rest(f SliceFilter) SliceFilter {
	if c.satisfied == nil {
		return f
	}
	return c.satisfied(f)
}

// table returns the common table candidates: their members that the conditions, orders and values name. Each is read by its key, and
// compared afterwards: PostgreSQL takes a join with conditions that it cannot estimate for one of few slices, and repeats the
// reading of the candidates for each.
func (c *candidates) table(e *engine, keys string, readers ...string) string {
	members := []string{"row", "id", "workspace_id"}
	for _, text := range readers {
		members = append(members, sliceMembers.FindAllString(text, -1)...)
	}
	slices.Sort(members)
	members = slices.Compact(members)
	from, columns, live := "slices s", "s."+strings.Join(members, ", s."), ""
	if c.key == "row" && isCovered(members) {
		from, live = e.members, " AND s.deleted_at IS NULL"
		columns = strings.Replace(columns, "s.deleted_at", "NULL AS deleted_at", 1)
	}
	return fmt.Sprintf(`c AS MATERIALIZED (%s),
		candidates AS MATERIALIZED (SELECT %s FROM c CROSS JOIN %s WHERE s.%s = c.%[4]s%s)`, keys, columns, from, c.key, live)
}

// isCovered returns whether the index slices_members covers the columns. deleted_at is NULL in all of its rows.
func isCovered(columns []string) bool {
	covered := []string{"row", "id", "workspace_id", "status", "priority", "deleted_at"}
	return !slices.ContainsFunc(columns, func(c string) bool { return !slices.Contains(covered, c) })
}

// sliceMembers finds the columns of slices that conditions, orders and values name.
var sliceMembers = regexp.MustCompile(`\b(?:number|status|priority|severity|space_id|assignee_id|reporter_id|external_id|fingerprint|` +
	`labels|environment|updated_at|resolved_at|deleted_at|evidence_[a-z_]+)\b`)

// scanOf returns a scan of a filter of one workspace, the newest first. It has the creation when the index has it in order.
func (f *SliceFilter) scanOf(e *engine, x indexedFilter, p *params) scan {
	s := scan{workspace: p.add(f.Workspaces[0]), direction: " DESC", indexedBy: e.indexedBy}
	if x.ordersByID() && x.order[0] != byPriority { // the ranges of priorities have it
		s.where = f.creationRange("{id}", p)
	}
	return s
}

// mostSelective returns the filter that selects the fewest slices, and their number, of which at most limit are counted. A slice counts
// for each value that it has.
func (q Queries) mostSelective(f *SliceFilter, all []indexedFilter, limit int) (
	best indexedFilter, selected int64, err error,
) {
	for i, x := range all {
		var p params
		most := p.add(limit)
		s := f.scanOf(q.db.engine, x, &p)
		s.columns, s.limit = "1", most
		text := x.keys().union("UNION ALL", s, x.conditions(&p))
		n, err := one(q.db, scanOne[int64], "SELECT count(*) FROM (SELECT 1 FROM ("+text+") AS c LIMIT "+most+") AS n", p.args...)
		if err != nil {
			return best, 0, err
		}
		if i == 0 || n < selected {
			best, selected = x, n
		}
	}
	return best, selected, nil
}

// candidates returns the candidates of an indexed filter: at most limit, the newest first.
func (f *SliceFilter) candidates(x indexedFilter, limit int) *candidates {
	c := candidates{key: "row"}
	columns := "s.row, s.id"
	switch x.from {
	case ofLabels:
		c.satisfied = func(f SliceFilter) SliceFilter { f.Labels = nil; return f }
		fallthrough
	case ofMetadata:
		c.key, columns = "id", x.id+" AS id"
	}
	c.keys = func(e *engine, p *params) string {
		n, s := p.add(limit), f.scanOf(e, x, p)
		s.columns, s.limit = columns, n
		return "SELECT " + c.key + " FROM (" + x.keys().union("UNION", s, x.conditions(p)) + ") AS p ORDER BY id DESC LIMIT " + n
	}
	return &c
}

// duplicateCandidates returns the duplicates of f as candidates. They are compared with the other filters.
func (f *SliceFilter) duplicateCandidates() *candidates {
	return &candidates{key: "row", keys: func(_ *engine, p *params) string {
		return "SELECT row FROM (" + f.duplicates(p) + ") AS u ORDER BY id DESC"
	}, satisfied: func(f SliceFilter) SliceFilter { f.DuplicatesOf = nil; return f }}
}

// indexedFilters returns the filters that have an index, in the order in which one of several that are as selective is preferred.
func (f *SliceFilter) indexedFilters() (all []indexedFilter) {
	if f.Number > 0 {
		all = append(all, indexedFilter{from: ofSlices, id: "s.id", order: []string{"s.number"}, conditions: func(p *params) []string {
			return []string{"s.number = " + p.add(f.Number)}
		}})
	}
	members := []memberValues{
		{"s.id", f.IDs}, {"s.external_id", f.ExternalIDs}, {"s.fingerprint", f.Fingerprints}, {"m.name", f.Mentions},
		{"s.reporter_id", f.Reporters}, {"s.space_id", f.Spaces}, {"l.label", f.Labels},
		{"s.severity", texts(f.Severities)},
	}
	if len(f.Priorities) > 0 {
		x := f.priorities()
		x.kept = memberValues{ByPriority, emptyForNone(f.Priorities)}
		all = append(all, x)
	}
	members = append(members, f.facts()...)
	if pairs := len(f.Assignees) * len(f.Statuses); pairs > 0 && pairs <= scansPerQuery {
		x := f.assigneeAndStatus()
		x.kept, x.keptStatuses = memberValues{ByAssignee, emptyForNone(f.Assignees)}, f.Statuses
		all = append(all, x)
	} else {
		members = append(members, memberValues{"s.assignee_id", f.Assignees}, memberValues{"s.status", texts(f.Statuses)})
	}
	for _, m := range members {
		ofDeleted := m.column == "s.space_id" && slices.Contains(m.values, NoneValue) // slices without a space may have a deleted one
		if len(m.values) > 0 && len(m.values) <= scansPerQuery && !ofDeleted {
			x := memberFilter(m.column, m.values)
			x.index = cmp.Or(indexes[m.column], f.factIndex(m.column))
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
		x := byID("slices_live_unlabelled", func(*params) []string { return []string{unlabelled} })
		x.kept = memberValues{ByLabel, []string{""}}
		all = append(all, x)
	}
	return all
}

// indexes are the names of the indexes by a column and the id.
var indexes = map[string]string{"s.reporter_id": "slices_live_by_reporter", "s.space_id": "slices_live_by_space",
	"s.severity": "slices_live_by_severity", "s.assignee_id": "slices_live_by_assignee", "s.status": "slices_live_by_status",
	"s.updated_at": "slices_live_by_update", "s.resolved_at": "slices_live_by_resolution"}

// factIndex returns the name of the index by a fact about the environment, empty for another column.
func (f *SliceFilter) factIndex(column string) string {
	for _, x := range f.Environment {
		if column == f.fact(x.Name) {
			return "slices_live_by_" + x.Name
		}
	}
	return ""
}

// keptBy returns the values of kept counts that a filter by a member selects, and the statuses.
func (f *SliceFilter) keptBy(m memberValues) (memberValues, []api.Status) {
	switch {
	case m.column == "s.status":
		return memberValues{column: ByPriority}, f.Statuses // each slice has one, or none
	case m.column == "l.label":
		return memberValues{ByLabel, m.values}, nil
	case m.column == "s.severity":
		return memberValues{BySeverity, emptyForNone(m.values)}, nil
	case m.column == "s.assignee_id":
		return memberValues{ByAssignee, emptyForNone(m.values)}, nil
	case m.column == "s.space_id":
		return memberValues{BySpace, m.values}, nil
	case len(f.Environment) > 0 && m.column == f.fact("release"):
		return memberValues{ByRelease, m.values}, nil
	}
	return memberValues{}, nil
}

// withNone are the columns whose filters select the slices without a value by NoneValue.
var withNone = []string{"s.space_id", "s.assignee_id", "s.severity"}

// memberFilter returns the filter of a column that has one of the values.
func memberFilter(column string, values []string) indexedFilter {
	from, id, order := ofSlices, "s.id", []string{column, "s.id"} // PostgreSQL needs the column for IS NULL
	if column == "s.id" || !strings.HasPrefix(column, "s.") {     // SQLite sorts by an expression that is constant
		order = []string{"s.id"}
	}
	switch column {
	case "l.label":
		from, id, order = ofLabels, "l.slice_id", []string{"l.slice_id"}
	case "m.name":
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

// ordersByID returns whether each scan is in the order of ids.
func (x indexedFilter) ordersByID() bool {
	last := x.order[len(x.order)-1]
	return last == x.id || last == byPriority
}

// assigneeAndStatus is the filter of an assignee and a status.
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
		case "s.severity":
			f.Severities = nil
		case "s.assignee_id":
			f.Assignees = nil
		case "s.reporter_id":
			f.Reporters = nil
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

// byID returns a filter whose index, the one with a name unless it is empty, has the slices of each condition in the order of ids.
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
