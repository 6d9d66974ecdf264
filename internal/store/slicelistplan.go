package store

import (
	"fmt"
	"slices"
	"strings"
)

// Limits of the slices that a list reads beside those that it returns.
const (
	maxSorted   = 2500 // slices of a selective filter that are sorted
	maxCompared = 500  // of these when each filter has an index in the order of the list
)

// walks are the numbers of slices that are compared with words: the next one when too few of the one before have them. A word that
// maxSorted of 1,000,000 slices have is found in 25 of 10,000.
var walks = []int{250, 2500, 25_000}

// listPlan is how the slices of a list are found. The planner of PostgreSQL has no statistics after an import, and that of SQLite
// never has: a list of one workspace is not left to them.
type listPlan struct {
	candidates *candidates    // all slices of a selective filter, which are sorted; nil for none
	scans      *indexedFilter // the values of a filter, each of which an index orders by id; nil for the index of the order
}

// planOf returns the plan of a list. It counts what each filter selects, unless the list is in the order of the only one's index.
func (q Queries) planOf(f *SliceFilter, workspaces []string) (plan listPlan, err error) {
	if len(workspaces) > 1 {
		plan.scans = f.onlyFilter()
		return plan, nil
	}
	workspaceID := workspaces[0]
	if len(f.DuplicatesOf) > 0 && len(f.Words) == 0 {
		return listPlan{candidates: f.duplicateCandidates()}, nil
	}
	if len(f.Words) > 0 {
		var complete bool
		if plan.candidates, complete, err = q.search(*f, workspaceID, walks); !complete {
			plan.candidates = &candidates{key: "row", keys: f.matches} // no slice of the walks has the words
		}
		return plan, err
	}
	if plan.scans = f.onlyFilter(); plan.scans != nil {
		return plan, nil
	}
	all := append(f.indexedFilters(), f.timeFilters()...)
	if f.Sort != SortByID && f.FromID != "" {
		all = append(all, anySlice)
	}
	if len(all) == 0 {
		return plan, nil
	}
	limit := maxSorted
	if f.Sort == SortByID {
		limit = maxCompared
	}
	best, selected, err := q.mostSelective(f, all, workspaceID, limit+1)
	switch {
	case err != nil:
	case selected <= int64(limit):
		plan.candidates = f.candidates(best, workspaceID, limit+1)
	case f.Sort == SortByID && best.order[len(best.order)-1] == best.id:
		plan.scans = &best
	}
	return plan, err
}

// onlyFilter returns the filter of a list by id that has a single indexed one, nil for another list or a search.
func (f *SliceFilter) onlyFilter() *indexedFilter {
	all := f.indexedFilters()
	if len(all) != 1 || f.Sort != SortByID || len(f.Words) > 0 {
		return nil
	}
	return &all[0]
}

// search returns candidates of a search: slices of the workspace that include the first f.Limit of the list, unless complete is false. It
// compares the first slices of the list without the search with the words, because the index of words has no order. The index gives the
// candidates when the words are rare.
func (q Queries) search(f SliceFilter, workspaceID string, walks []int) (c *candidates, complete bool, err error) {
	others := f
	others.Words = nil
	plan, err := q.planOf(&others, []string{workspaceID})
	if err != nil {
		return nil, false, err
	}
	columns := map[SliceSort]string{SortByID: "s.row, s.id", SortByUpdate: "s.row, s.id, s.updated_at",
		SortByPriority: "s.row, s.id, s.priority"}[f.Sort]
	var rows []int64
	for i, n := range walks {
		others.Limit = n
		w := walk{order: f.order(), match: q.db.engine.query(f.Words), limit: f.Limit, most: n}
		w.text, w.args = others.statement(q.db.engine, plan, columns, []string{workspaceID})
		if rows, complete, err = q.walk(w); err != nil || complete {
			break
		}
		if isFrequent := len(rows) >= n/10; i > 0 || isFrequent {
			continue
		}
		var p params
		text := "SELECT count(*) FROM (" + f.matches(q.db.engine, &p) + " LIMIT " + p.add(maxSorted+1) + ") AS m"
		matches, err := one(q.db, scanOne[int], text, p.args...)
		if err != nil || matches <= maxSorted {
			return &candidates{key: "row", keys: f.matches}, true, err
		}
	}
	found := append(rows, 0) // of no slice: the list must not be empty
	return &candidates{key: "row", keys: func(_ *engine, p *params) string {
		return "SELECT row FROM slices WHERE row IN " + in(p, found)
	}}, complete, err
}

// walk is the reading of slices that are compared with words.
type walk struct {
	text  string // the SELECT of their rows in order, with the columns of the order, and its arguments
	args  []any
	order string
	match string // the parameter of engine.walkedMatch
	limit int    // of those that have the words
	most  int    // of those that are compared
}

// walk returns the first rows that have the words. complete is false when they are fewer than w.limit and further slices may have the
// words.
func (q Queries) walk(w walk) (rows []int64, complete bool, err error) {
	p := params{args: slices.Clone(w.args)}
	rows, err = list(q.db, scanOne[int64], "WITH walked AS ("+w.text+") SELECT s.row FROM walked AS s WHERE "+
		fmt.Sprintf(q.db.engine.walkedMatch, p.add(w.match))+" ORDER BY "+w.order+" LIMIT "+p.add(w.limit), p.args...)
	if err != nil || len(rows) == w.limit {
		return rows, true, err
	}
	walked, err := one(q.db, scanOne[int], "SELECT count(*) FROM ("+w.text+") AS w", w.args...)
	return rows, walked < w.most, err
}

// matches returns the slices with the words of a search, of every workspace.
func (f *SliceFilter) matches(e *engine, p *params) string {
	return "SELECT rowid AS row FROM (" + fmt.Sprintf(e.match, p.add(e.query(f.Words))) + ") AS m"
}

// statement returns the SELECT of the first f.Limit slices of the workspaces, with the columns and the key of each slice's
// workspace. Each key is read once, and not for each row.
func (f *SliceFilter) statement(e *engine, plan listPlan, columns string, workspaces []string) (string, []any) {
	var p params
	if len(workspaces) > 1 {
		return f.merged(e, &p, plan, columns, workspaces), p.args
	}
	limit, w := p.add(f.Limit), p.add(workspaces[0])
	columns += ", " + keyOf(w)
	compared := *f
	switch {
	case plan.candidates != nil:
		compared = plan.candidates.rest(compared)
	case plan.scans != nil: // the scans compare them
		compared = compared.without(plan.scans.order)
	}
	where := compared.conditions(&p, true) + f.afterPosition(&p)
	ofSlice := strings.ReplaceAll(where, "{id}", "s.id")
	switch {
	case plan.candidates != nil:
		return fmt.Sprintf(`WITH %s SELECT %s FROM (
				SELECT s.row FROM candidates s WHERE s.workspace_id = %s AND %s ORDER BY %s LIMIT %s) AS f
			CROSS JOIN slices s WHERE s.row = f.row ORDER BY %[5]s`,
			plan.candidates.table(plan.candidates.keys(e, &p), ofSlice, f.order()), columns, w, ofSlice, f.order(), limit), p.args
	case plan.scans != nil:
		sc := scan{workspace: w, columns: columns, where: " AND " + where, limit: limit, direction: f.direction()}
		conditions := plan.scans.conditions(&p)
		if len(conditions) == 1 {
			return plan.scans.text(sc, conditions[0]), p.args
		}
		sc.columns = "s.row, s.id"
		return fmt.Sprintf(`WITH c AS MATERIALIZED (%s) SELECT %s FROM c CROSS JOIN slices s WHERE s.row = c.row ORDER BY s.id%s`,
			plan.scans.first(sc, conditions), columns, f.direction()), p.args
	}
	return fmt.Sprintf("SELECT %s FROM slices s WHERE s.workspace_id = %s AND %s ORDER BY %s LIMIT %s",
		columns, w, ofSlice, f.order(), limit), p.args
}

// merged is the statement of several workspaces. Each has a scan of its own, which an index of the workspace orders: no other one has
// the order of workspace and key.
func (f *SliceFilter) merged(e *engine, p *params, plan listPlan, columns string, workspaces []string) string {
	limit, compared := p.add(f.Limit), *f
	if plan.scans != nil {
		compared = compared.without(plan.scans.order)
	}
	where := compared.conditions(p, plan.scans != nil) + f.afterPosition(p)
	if len(f.Words) > 0 {
		where += " AND s.row IN (" + fmt.Sprintf(e.match, p.add(e.query(f.Words))) + ")"
	}
	first := func(workspace string) string {
		return fmt.Sprintf(`SELECT s.row, s.id, s.updated_at FROM slices s WHERE s.workspace_id = %s AND %s
			ORDER BY s.workspace_id%s, %s LIMIT %s`,
			workspace, strings.ReplaceAll(where, "{id}", "s.id"), f.direction(), f.order(), limit)
	}
	if plan.scans != nil {
		conditions := plan.scans.conditions(p)
		first = func(workspace string) string {
			return plan.scans.first(scan{workspace: workspace, columns: "s.row, s.id", where: " AND " + where, limit: limit,
				direction: f.direction(), merged: true}, conditions)
		}
	}
	ids := make([]string, len(workspaces))
	for i, id := range workspaces {
		ids[i] = p.add(id)
	}
	return fmt.Sprintf(`WITH c AS MATERIALIZED (SELECT row FROM (%s) AS s ORDER BY %s LIMIT %s)
		SELECT %s, %s FROM c CROSS JOIN slices s WHERE s.row = c.row ORDER BY %[2]s`,
		e.forEach(ids, first), f.order(), limit, columns, keyOf("s.workspace_id"))
}
