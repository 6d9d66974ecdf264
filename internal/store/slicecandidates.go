package store

import (
	"fmt"
	"regexp"
	"slices"
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
	ofFacts    = "live_facts f CROSS JOIN slices s WHERE s.row = f.row AND f"
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
		words := strings.SplitN(from, " ", 3) // the table and its alias come first
		from = words[0] + " " + words[1] + fmt.Sprintf(s.indexedBy, x.index) + " " + words[2]
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

// keys returns the filter for statements that read the keys of slices alone. Those with a fact are in live_facts, those with a label in
// live_labels, and those with a value of their metadata in slice_metadata, unless they are deleted.
func (x indexedFilter) keys() indexedFilter {
	switch x.from {
	case ofFacts:
		x.from = "live_facts f CROSS JOIN (SELECT NULL AS deleted_at) AS s WHERE f"
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

	none  bool // whether no slice is one
	found int  // how many slices they are that had all filters; 0 when that is not known
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

// isCovered reports whether the index slices_members covers the columns. deleted_at is NULL in all of its rows.
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
	case ofFacts:
		columns = "f.row, f.slice_id AS id"
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
