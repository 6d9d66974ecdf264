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
	maxWalked   = 2000 // slices that are compared with the words of a search before its index is read
)

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
	if len(f.Words) > 0 {
		return q.searchPlan(*f, workspaceID)
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

// searchPlan returns the plan of a search. The slices with a frequent word are found among the first ones of the list without the
// search, and those with a rare word by the index of words, which has no order.
func (q Queries) searchPlan(f SliceFilter, workspaceID string) (plan listPlan, err error) {
	others := f
	others.Words, others.Limit = nil, maxWalked
	if plan, err = q.planOf(&others, []string{workspaceID}); err != nil {
		return plan, err
	}
	var p params
	columns := map[SliceSort][]string{SortByID: {"id"}, SortByUpdate: {"id", "updated_at"}, SortByPriority: {"id", "priority"}}[f.Sort]
	text, args := others.statement(q.db.engine, plan, "s.row, s."+strings.Join(columns, ", s."), []string{workspaceID})
	p.args = args
	matches := fmt.Sprintf(q.db.engine.matchRange, p.add(q.db.engine.query(f.Words)))
	rows, err := list(q.db, scanOne[int64], "WITH walked AS MATERIALIZED ("+text+"), matches AS MATERIALIZED ("+matches+
		") SELECT -count(*) FROM walked UNION ALL SELECT row FROM (SELECT s.row FROM "+matchingWalked(columns...)+
		" AS s ORDER BY "+f.order()+" LIMIT "+p.add(f.Limit)+") AS m", p.args...)
	if err != nil {
		return plan, err
	}
	if walked, found := slices.Min(rows), len(rows)-1; walked == -maxWalked && found < f.Limit {
		return listPlan{candidates: &candidates{key: "row", keys: f.matches}}, nil
	}
	found := func(_ *engine, p *params) string { return "SELECT row FROM slices WHERE row IN " + in(p, rows) }
	return listPlan{candidates: &candidates{key: "row", keys: found}}, nil
}

// matchingWalked returns the rows of walked that are in matches, with the columns by which they are sorted. A row of both is found by
// grouping, because PostgreSQL may repeat the reading of one for each row of the other when it cannot estimate them.
func matchingWalked(columns ...string) string {
	values, nulls := "", ""
	for _, c := range columns {
		values, nulls = values+", max("+c+") AS "+c, nulls+", NULL"
	}
	return "(SELECT row" + values + " FROM (SELECT row, " + strings.Join(columns, ", ") + " FROM walked UNION ALL SELECT rowid" + nulls +
		" FROM matches) AS u GROUP BY row HAVING count(*) = 2)"
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
	if plan.candidates != nil {
		compared = plan.candidates.rest(compared)
	} else if plan.scans != nil {
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
		return fmt.Sprintf("SELECT s.row, s.id, s.updated_at FROM slices s WHERE s.workspace_id = %s AND %s ORDER BY s.workspace_id%s, %s LIMIT %s",
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
