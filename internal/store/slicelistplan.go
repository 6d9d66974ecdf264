package store

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"bugslice/internal/id"
)

// Limits of the slices that a list reads beside those that it returns.
const (
	maxSorted   = 2500 // slices of a selective filter that are sorted
	maxCompared = 500  // of these when each filter has an index in the order of the list
)

// walks are the numbers of slices that are compared with words: the next one when too few of the one before have them. A word that
// maxSorted of 1,000,000 slices have is found in 25 of 10,000.
var walks = []int{250, 2500, 10_000, 25_000}

// maxSearched is the number of slices that are compared with words before the index is read by periods, which takes long for words that
// many slices have.
const maxSearched = 1000

// maxMatched is the number of slices with the words that a list compares by slices_members: when more have them, it finds 25 in as many
// of 1,000,000.
const maxMatched = 5000

// Words are frequent when this many of the newest sampled slices have them: then as many as maxMatched of 1,000,000 have them, or nearly.
const (
	frequent = 20
	sampled  = 5000
)

// listPlan is how the slices of a list are found. The planner of PostgreSQL has no statistics after an import, and that of SQLite
// never has: a list of one workspace is not left to them.
type listPlan struct {
	candidates *candidates    // all slices of a selective filter, which are sorted; nil for none
	scans      *indexedFilter // the values of a filter, each of which an index has in order; nil for the index of the order
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
		if plan.candidates, complete, err = q.search(*f, workspaceID); !complete {
			plan.candidates = wordCandidates(workspaceID, *f, nil) // few of the newest slices have the words
		}
		return plan, err
	}
	if plan.scans = f.onlyFilter(); plan.scans != nil {
		return plan, nil
	}
	all := append(f.indexedFilters(), f.timeFilters()...)
	if f.Sort != SortByID && (f.FromID != "" || f.BeforeID != "") {
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
	case f.Sort == SortByID && best.ordersByID():
		plan.scans = &best
	case f.Sort == SortByPriority && (len(f.Priorities) > 0 || f.FromID != "" || f.BeforeID != ""):
		plan.scans = f.prioritiesInOrder()
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
// compares the first slices of the list without the search with the words, because the index of words has no order. When few of them have
// the words, the index gives those of the result, or all that have them when these are few. With several filters the words come
// first, because the other filters together may select few slices of the workspace.
func (q Queries) search(f SliceFilter, workspaceID string) (c *candidates, complete bool, err error) {
	each, further := q.db.engine.walkedMatch, walks[1:]
	if len(f.indexedFilters()) > 1 {
		rows, complete, err := q.searchFiltered(f, workspaceID)
		if err != nil || complete {
			return rowCandidates(rows), complete, err
		}
	}
	if q.db.engine.walksLazily {
		further = further[len(further)-1:]
	}
	rows, complete, err := q.walkFirst(f, workspaceID, walks[:1], each)
	if err != nil || complete {
		return rowCandidates(rows), complete, err
	}
	if isFrequent := len(rows) >= walks[0]/10; !isFrequent {
		if f.isSearch() {
			rows, complete, err = q.searchByID(f, workspaceID)
			return rowCandidates(rows), complete, err
		}
		if f.isPrioritySearch() {
			rows, complete, err = q.searchByPriority(f, workspaceID)
		}
		if err == nil && !complete {
			rows, complete, err = q.searchAll(f, workspaceID)
		}
		if err != nil || complete {
			return rowCandidates(rows), complete, err
		}
	}
	rows, complete, err = q.walkFirst(f, workspaceID, further, each)
	return rowCandidates(rows), complete, err
}

// searchFiltered returns the first f.Limit rows of a search with several filters among all slices with the words. complete is false when
// these are frequent or too many.
func (q Queries) searchFiltered(f SliceFilter, workspaceID string) (rows []int64, complete bool, err error) {
	many, err := q.areFrequent(f.Words, workspaceID)
	if err != nil || many {
		return nil, false, err
	}
	return q.searchAll(f, workspaceID)
}

// searchByID returns the first f.Limit rows of a search by id. complete is false when all slices with the words must be compared.
func (q Queries) searchByID(f SliceFilter, workspaceID string) (rows []int64, complete bool, err error) {
	rows, complete, err = q.walkFirst(f, workspaceID, []int{maxSearched}, q.db.engine.walkedMatch)
	if err == nil && !complete && len(rows) == 0 {
		rows, complete, err = q.firstMatches(f, workspaceID, nil, maxCompared)
	}
	if err == nil && !complete {
		rows, complete, err = q.searchFirst(f, workspaceID)
	}
	return rows, complete, err
}

// searchForCount returns candidates of a search as search does. They are all slices with the words when these are few.
func (q Queries) searchForCount(f SliceFilter, workspaceID string) (c *candidates, complete bool, err error) {
	rows, complete, err := q.walkFirst(f, workspaceID, walks[:1], q.db.engine.walkedMatch)
	if isFrequent := len(rows) >= walks[0]/10; err == nil && !complete && !isFrequent {
		var p params
		c = wordCandidates(workspaceID, f, nil)
		text := "SELECT count(*) FROM (" + c.keys(q.db.engine, &p) + " LIMIT " + p.add(maxSorted+1) + ") AS m"
		matches, err := one(q.db, scanOne[int], text, p.args...)
		if err != nil || matches <= maxSorted {
			return c, true, err
		}
	}
	if err == nil && !complete {
		rows, complete, err = q.walkFirst(f, workspaceID, walks[1:2], q.db.engine.walkedMatch)
	}
	return rowCandidates(rows), complete, err
}

// rowCandidates returns slices by their rows.
func rowCandidates(rows []int64) *candidates {
	found := append(rows, 0) // of no slice: the list must not be empty
	return &candidates{key: "row", keys: func(_ *engine, p *params) string { return "SELECT row FROM slices WHERE row IN " + in(p, found) }}
}

// walkFirst compares the first slices of the list without the words of f by a condition of the engine: those of the first walk, and of the
// next one when too few have the words. complete is false when fewer than f.Limit are found and further slices may have the words.
func (q Queries) walkFirst(f SliceFilter, workspaceID string, walks []int, condition string) (rows []int64, complete bool, err error) {
	others := f
	others.Words = nil
	plan, err := q.planOf(&others, []string{workspaceID})
	for _, n := range walks {
		if err != nil || complete {
			break
		}
		others.Limit = n
		rows, complete, err = q.walk(q.searchWalk(f, others, plan, workspaceID, condition))
	}
	return rows, complete, err
}

// isSearch returns whether f has no filters beside words and creation, and is in the order of creation.
func (f *SliceFilter) isSearch() bool {
	others, none := *f, SliceFilter{}
	others.FromID, others.BeforeID = "", ""
	return f.Sort == SortByID && others.conditions(&params{}, true) == none.conditions(&params{}, true)
}

// isPrioritySearch returns whether f has no filters beside words, and is in the order of priorities, whose index has all that is compared.
func (f *SliceFilter) isPrioritySearch() bool {
	var none SliceFilter
	return f.Sort == SortByPriority && f.conditions(&params{}, true) == none.conditions(&params{}, true)
}

// searchByPriority returns the first f.Limit rows of a search by priority. It compares the first slices of the list with all that have the
// words, unless these are many and each is read by its row. complete is false when it finds fewer.
func (q Queries) searchByPriority(f SliceFilter, workspaceID string) (rows []int64, complete bool, err error) {
	compared := []int{walks[1], walks[3]}
	if !q.db.engine.readsMatches {
		many, err := q.areFrequent(f.Words, workspaceID)
		if err != nil || many {
			return nil, false, err
		}
		compared = compared[1:]
	}
	return q.walkFirst(f, workspaceID, compared, q.db.engine.allMatches)
}

// searchAll returns the first f.Limit rows of a search among all slices that have the words. complete is false when these are too many.
func (q Queries) searchAll(f SliceFilter, workspaceID string) (rows []int64, complete bool, err error) {
	if !isCovered(sliceMembers.FindAllString(f.conditions(&params{}, true)+f.order(), -1)) {
		return q.firstMatches(f, workspaceID, nil, maxSorted)
	}
	many, err := q.areFrequent(f.Words, workspaceID)
	if err != nil || many {
		return nil, false, err
	}
	return q.firstMatches(f, workspaceID, nil, maxMatched)
}

// areFrequent returns whether at least frequent of the newest sampled slices have the words.
func (q Queries) areFrequent(words []string, workspaceID string) (bool, error) {
	f := SliceFilter{Workspaces: []string{workspaceID}, Words: words, Limit: frequent}
	ids, err := q.firstAndLast(f, workspaceID, sampled)
	if err != nil || len(ids) < 2 {
		return false, err
	}
	f.FromID = ids[1]
	rows, complete, err := q.firstMatches(f, workspaceID, creationTerms(id.Time(ids[1]), id.Time(ids[0])), maxCompared)
	return !complete || len(rows) == frequent, err
}

// firstMatches returns the first f.Limit rows of a search among the slices with any of the terms of their creation, or all when there are
// none. complete is false, and there are no rows, when more than limit have the words.
func (q Queries) firstMatches(f SliceFilter, workspaceID string, created []string, limit int) (rows []int64, complete bool, err error) {
	var p params
	n, w, few, most := p.add(f.Limit), p.add(workspaceID), p.add(limit), p.add(limit+1)
	compared := f
	compared.Words = nil
	where := strings.ReplaceAll(compared.conditions(&p, true)+f.afterPosition(&p), "{id}", "s.id")
	matches := wordCandidates(workspaceID, f, created)
	table := matches.table(q.db.engine, matches.keys(q.db.engine, &p)+" LIMIT "+most, where, f.order())
	type match struct {
		row   *int64
		count int
	}
	all, err := list(q.db, func(r row) (m match, err error) { return m, r.Scan(&m.row, &m.count) },
		fmt.Sprintf(`WITH %s, first AS MATERIALIZED (
				SELECT s.row FROM candidates s WHERE (SELECT count(*) FROM c) <= %s AND s.workspace_id = %s AND %s ORDER BY %s LIMIT %s)
			SELECT first.row, n.n FROM (SELECT count(*) AS n FROM c) AS n LEFT JOIN first ON 1 = 1`,
			table, few, w, where, f.order(), n), p.args...)
	for _, m := range all {
		complete = m.count <= limit
		if m.row != nil {
			rows = append(rows, *m.row)
		}
	}
	return rows, complete, err
}

// firstAndLast returns the ids of the first and of the nth slice of a list by id without words, and fewer when it has fewer slices.
func (q Queries) firstAndLast(f SliceFilter, workspaceID string, n int) ([]string, error) {
	var p params
	where := f.creationRange("s.id", &p) + strings.ReplaceAll(f.afterPosition(&p), "{id}", "s.id")
	first := "SELECT id FROM (SELECT s.id FROM slices s WHERE s.workspace_id = " + p.add(workspaceID) + " AND s.deleted_at IS NULL" +
		where + " ORDER BY s.id" + f.direction() + " LIMIT 1 OFFSET "
	return list(q.db, scanOne[string], first+"0) AS f UNION ALL "+first+p.add(n-1)+") AS l", p.args...)
}

// searchFirst returns the first f.Limit rows of a search by id. It reads the slices with the words by periods of their creation, each of
// which begins where the list begins. complete is false when it finds fewer.
func (q Queries) searchFirst(f SliceFilter, workspaceID string) (rows []int64, complete bool, err error) {
	ids, err := q.firstAndLast(f, workspaceID, walks[1])
	if err != nil || len(ids) < 2 {
		return nil, false, err
	}
	begin, end := id.Time(ids[0]), id.Time(ids[1])
	for range 3 {
		from, to := begin, end
		if from.After(to) {
			from, to = to, from
		}
		terms := creationTerms(from, to)
		if terms == nil {
			break
		}
		rows, complete, err = q.firstMatches(f, workspaceID, terms, maxMatched)
		if err != nil || !complete || len(rows) == f.Limit {
			return rows, complete, err
		}
		longer := min(max(2*f.Limit/(len(rows)+1), 4), 16)
		end = begin.Add(time.Duration(longer) * end.Sub(begin))
	}
	return nil, false, nil
}

// wordCandidates returns the slices with the words of f and, unless there are none, with any of the terms of their creation.
func wordCandidates(workspaceID string, f SliceFilter, created []string) *candidates {
	return &candidates{key: "row", keys: func(e *engine, p *params) string {
		match := e.allOf(workspaceTerms(workspaceID, f.Words))
		if f.anyWord {
			match = "(" + e.anyOf(workspaceTerms(workspaceID, f.Words)) + ")"
		}
		if len(created) > 0 {
			match += e.and + "(" + e.anyOf(workspaceTerms(workspaceID, created)) + ")"
		}
		return "SELECT rowid AS row FROM (" + fmt.Sprintf(e.match, p.add(match)) + ") AS m"
	}}
}

// walk is the reading of slices that are compared with words.
type walk struct {
	text  string // the SELECT of their rows in order, with the columns of the order, and its arguments
	args  []any
	order string

	condition string // that a row of walked, s, has the words
	match     string // its parameter
	limit     int    // of those that have the words
	most      int    // of those that are compared
}

// searchWalk returns the walk that compares the slices of a list without words, which plan finds, with the words of a search in the same
// order. condition is that of the engine, for the words.
func (q Queries) searchWalk(search, list SliceFilter, plan listPlan, workspaceID, condition string) walk {
	columns := map[SliceSort]string{SortByID: "s.row, s.id", SortByUpdate: "s.row, s.id, s.updated_at",
		SortByPriority: "s.row, " + byPriority + " AS position"}[search.Sort]
	order := search.order()
	if search.Sort == SortByPriority { // as its index has it, so that the index alone is read
		order = "s.position" + search.direction()
	}
	match := q.db.engine.allOf(workspaceTerms(workspaceID, search.Words))
	w := walk{order: order, condition: condition, match: match, limit: search.Limit, most: list.Limit}
	w.text, w.args = list.statement(q.db.engine, plan, columns, []string{workspaceID})
	return w
}

// walk returns the first rows that have the words. complete is false when they are fewer than w.limit and further slices may have the
// words.
func (q Queries) walk(w walk) (rows []int64, complete bool, err error) {
	text, args := w.statement()
	rows, err = list(q.db, scanOne[int64], text, args...)
	if err != nil || len(rows) == w.limit {
		return rows, true, err
	}
	walked, err := one(q.db, scanOne[int], "SELECT count(*) FROM ("+w.text+") AS w", w.args...)
	return rows, walked < w.most, err
}

// statement returns the SELECT of the first w.limit rows that have the words.
func (w walk) statement() (string, []any) {
	p := params{args: slices.Clone(w.args)}
	return "WITH walked AS (" + w.text + ") SELECT s.row FROM walked AS s WHERE " + fmt.Sprintf(w.condition, p.add(w.match)) +
		" ORDER BY " + w.order + " LIMIT " + p.add(w.limit), p.args
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
		sc := scan{workspace: w, columns: columns, where: " AND " + where, limit: limit, direction: f.direction()}
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

// position is the expression that orders the scans of a list.
func (f *SliceFilter) position() string {
	if f.Sort == SortByPriority {
		return byPriority
	}
	return "s.id"
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
		where += " AND s.row IN (" + fmt.Sprintf(e.match, p.add(e.allWords(workspaces, f.Words))) + ")"
	}
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
