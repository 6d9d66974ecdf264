package store

import (
	"fmt"
	"strings"
)

// listPlan is how the slices of a list are found. The planner of PostgreSQL has no statistics after an import, and that of SQLite
// never has: a list of one workspace is not left to them.
type listPlan struct {
	candidates *candidates    // all slices of a selective filter, which are sorted; nil for none
	scans      *indexedFilter // the values of a filter, each of which an index has in order; nil for the index of the order
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
			plan.candidates.table(e, plan.candidates.keys(e, &p), ofSlice, f.order()), columns, w, ofSlice, f.order(), limit), p.args
	case plan.scans != nil:
		sc := scan{workspace: w, columns: columns, where: " AND " + where, limit: limit, direction: f.direction(), indexedBy: e.indexedBy}
		conditions := plan.scans.conditions(&p)
		if len(conditions) == 1 {
			return plan.scans.text(sc, conditions[0]), p.args
		}
		sc.columns = "s.row, " + f.position() + " AS position"
		return fmt.Sprintf(`WITH c AS MATERIALIZED (%s) SELECT %s FROM c CROSS JOIN slices s WHERE s.row = c.row ORDER BY %s`,
			plan.scans.first(sc, conditions), columns, f.order()), p.args
	case f.Sort != SortByID: // the index of the order is read, and not that of ids
		ofSlice = strings.ReplaceAll(where, "{id}", opaqueID)
	}
	return fmt.Sprintf("SELECT %s FROM slices s WHERE s.workspace_id = %s AND %s ORDER BY %s LIMIT %s",
		columns, w, ofSlice, f.order(), limit), p.args
}

// merged is the statement of several workspaces, without words. Each has a scan of its own, which an index of the workspace orders: no
// other one has the order of workspace and key.
func (f *SliceFilter) merged(e *engine, p *params, plan listPlan, columns string, workspaces []string) string {
	limit, compared := p.add(f.Limit), *f
	if plan.scans != nil {
		compared = compared.without(plan.scans.order)
	}
	where := compared.conditions(p, plan.scans != nil) + f.afterPosition(p)
	first := func(workspace string) string {
		return fmt.Sprintf(`SELECT s.row, s.id, s.updated_at FROM slices s WHERE s.workspace_id = %s AND %s
			ORDER BY s.workspace_id%s, %s LIMIT %s`,
			workspace, strings.ReplaceAll(where, "{id}", "s.id"), f.direction(), f.order(), limit)
	}
	if plan.scans != nil {
		conditions := plan.scans.conditions(p)
		first = func(workspace string) string {
			return plan.scans.first(scan{workspace: workspace, columns: "s.row, s.id, s.id AS position", where: " AND " + where,
				limit: limit, direction: f.direction(), merged: true}, conditions)
		}
	}
	return fmt.Sprintf(`WITH c AS MATERIALIZED (SELECT row FROM (%s) AS s ORDER BY %s LIMIT %s)
		SELECT %s, %s FROM c CROSS JOIN slices s WHERE s.row = c.row ORDER BY %[2]s`,
		e.forEach(p.addAll(workspaces), first), f.order(), limit, columns, keyOf("s.workspace_id"))
}

// keyOf selects the key of the workspace of a parameter.
func keyOf(workspace string) string {
	return "(SELECT key FROM workspaces WHERE id = " + workspace + ")"
}
