package store

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// walk is the reading of slices in the order of a list, each of which is compared with filters and words.
type walk struct {
	text  string // the SELECT of the slices, with the columns of the order and of the filters, and its arguments
	args  []any
	order string

	compared  SliceFilter // its words are not compared
	condition string      // that a row of walked, s, has the words
	match     string      // its parameter, empty for no words
	limit     int         // of the slices that are returned
	most      int         // of those that are compared
}

// walkOf returns the walk that compares at most n slices with f: the first slices of its order, as plan finds them. condition is that of
// the engine, for the words of f.
func (q Queries) walkOf(f SliceFilter, plan listPlan, n int, condition string) walk {
	read, compared := f.ordered(), f
	switch {
	case plan.candidates != nil:
		read, compared = f, SliceFilter{}
		read.Words = nil
	case plan.scans != nil:
		compared = f.without(plan.scans.order)
	}
	read.Limit = n
	w := walk{compared: compared, order: f.order(), condition: condition, limit: f.Limit, most: n}
	columns := "s.row"
	if f.Sort == SortByPriority { // as its index has it, so that the index alone is read
		columns, w.order = "s.row, "+byPriority+" AS position", "s.position"+f.direction()
	}
	if len(f.Words) > 0 {
		w.match = q.db.engine.allOf(workspaceTerms(f.Workspaces[0], f.Words))
	}
	for _, c := range columnsOf(w.conditions(&params{}) + " " + w.order) {
		switch c {
		case "deleted_at": // all are live
			columns += ", NULL AS deleted_at"
		case "position", "row":
		default:
			columns += ", s." + c
		}
	}
	w.text, w.args = read.statement(q.db.engine, plan, columns, f.Workspaces[:1])
	return w
}

// ordered returns the filters of f that the index of its order has, with its order and its position.
func (f *SliceFilter) ordered() SliceFilter {
	read := SliceFilter{Sort: f.Sort, Ascending: f.Ascending, AfterID: f.AfterID, AfterKey: f.AfterKey, fact: f.fact}
	switch f.Sort {
	case SortByID:
		read.FromID, read.BeforeID = f.FromID, f.BeforeID
	case SortByUpdate:
		read.UpdatedMin, read.UpdatedEnd = f.UpdatedMin, f.UpdatedEnd
	}
	return read
}

// ofSlice finds the columns of a slice, s, in a text.
var ofSlice = regexp.MustCompile(`\bs\.([a-z_]+)`)

// columnsOf returns the columns of a slice that conditions and orders name.
func columnsOf(text string) []string {
	all := sliceMembers.FindAllString(text, -1)
	for _, m := range ofSlice.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// walk returns the first rows that have all filters and words. complete is false when they are fewer than w.limit and further slices may
// have them.
func (q Queries) walk(w walk) (rows []int64, complete bool, err error) {
	if rows, err = q.found(w); err == nil {
		complete, err = q.isComplete(w, rows)
	}
	return rows, complete, err
}

// found returns the first rows of a walk that have all filters and words.
func (q Queries) found(w walk) ([]int64, error) {
	text, args := w.statement()
	return list(q.db, scanOne[int64], text, args...)
}

// isComplete reports whether no slice beyond the compared ones belongs to the first w.limit: these are found, or no further slice exists.
func (q Queries) isComplete(w walk, found []int64) (bool, error) {
	if len(found) == w.limit {
		return true, nil
	}
	walked, err := one(q.db, scanOne[int], "SELECT count(*) FROM ("+w.text+") AS w", w.args...)
	return walked < w.most, err
}

// statement returns the SELECT of the first w.limit rows that have all filters and words.
func (w walk) statement() (string, []any) {
	p := params{args: slices.Clone(w.args)}
	return "WITH walked AS (" + w.text + ") SELECT s.row FROM walked AS s WHERE " + w.conditions(&p) +
		" ORDER BY " + w.order + " LIMIT " + p.add(w.limit), p.args
}

func (w walk) conditions(p *params) string {
	all := strings.ReplaceAll(w.compared.conditions(p, true), "{id}", opaqueID)
	if w.match != "" {
		all += " AND " + fmt.Sprintf(w.condition, p.add(w.match))
	}
	return all
}

// unlimited is the number of slices of a walk that compares all.
const unlimited = 1 << 31

// rowCandidates returns the slices of a search or a list as candidates, by their rows.
func rowCandidates(rows []int64) *candidates {
	return &candidates{key: "row", none: len(rows) == 0, found: len(rows), keys: func(e *engine, p *params) string {
		return "SELECT CAST(value AS BIGINT) AS row FROM " + fmt.Sprintf(e.values, p.add(jsonOf(rows)))
	}}
}

// idCandidates returns candidates by their ids.
func idCandidates(ids []string) *candidates {
	return &candidates{key: "id", keys: func(e *engine, p *params) string {
		return "SELECT value AS id FROM " + fmt.Sprintf(e.values, p.add(jsonOf(ids)))
	}}
}

// jsonOf returns a JSON array.
func jsonOf[T int64 | string](values []T) string {
	text, err := json.Marshal(append([]T{}, values...)) // no values are an array, too
	if err != nil {
		panic(err) // numbers and texts are JSON
	}
	return string(text)
}
