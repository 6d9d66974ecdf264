package store

import (
	"fmt"
	"strings"
	"time"

	"bugslice/internal/id"
)

// walks are the numbers of slices that are compared with words: the next one when too few of the one before have them. A word that
// 2,500 of 1,000,000 slices have is found in 25 of 10,000.
var walks = []int{250, 2500, 10_000, 25_000}

// maxSearched is the number of slices that are compared with words before the index is read by periods, which takes long for words that
// many slices have.
const maxSearched = 1000

// maxMatched is the number of slices with the words that a list reads by slices_members and sorts.
const maxMatched = 8000

// Words are frequent when this many of the newest sampled slices have them, as 8,000 of 1,000,000: to compare the first slices of a list
// with the words takes less time then than to read all slices with the words.
const (
	frequent = 40
	sampled  = 5000
)

// search returns candidates of a search: slices of the workspace that include the first f.Limit of the list. It compares the first
// slices of the list without the search with the words, because the index of words has no order. When few of them have the words,
// the index gives those of the result, or all that have them.
func (q Queries) search(f SliceFilter, workspaceID string) (*candidates, error) {
	find := q.searchFiltered
	if f.isSearch() || f.isPrioritySearch() {
		find = q.searchUnfiltered
	}
	rows, complete, err := find(f, workspaceID)
	if !complete {
		return wordCandidates(workspaceID, f, nil), err
	}
	return rowCandidates(rows), err
}

// searchUnfiltered returns the first f.Limit rows of a search by id or by priority without other filters. complete is false when all slices
// with the words must be compared.
func (q Queries) searchUnfiltered(f SliceFilter, workspaceID string) (rows []int64, complete bool, err error) {
	each, further := q.db.engine.walkedMatch, walks[1:]
	if q.db.engine.walksLazily {
		further = further[len(further)-1:]
	}
	rows, complete, err = q.walkFirst(f, walks[:1], each)
	if err != nil || complete {
		return rows, complete, err
	}
	if isFrequent := len(rows) >= walks[0]/10; !isFrequent {
		find := q.searchByPriority
		if f.isSearch() {
			find = q.searchByID
		}
		rows, complete, err = find(f, workspaceID)
		if err != nil || complete || f.isSearch() {
			return rows, complete, err
		}
	}
	return q.walkFirst(f, further, each)
}

// searchFiltered returns the first f.Limit rows of a search with filters, or in another order. It looks among the slices with the words,
// unless they are frequent, and then in each of the ways that waysOfSearch returns.
func (q Queries) searchFiltered(f SliceFilter, workspaceID string) (rows []int64, complete bool, err error) {
	many, err := q.areFrequent(f.Words, workspaceID)
	if err == nil && !many {
		rows, complete, err = q.firstOfMatches(f, workspaceID)
	}
	if err != nil || complete {
		return rows, complete, err
	}
	others := f
	others.Words = nil
	plan, all, err := q.planFilters(&others)
	if err != nil {
		return nil, false, err
	}
	if plan.candidates != nil {
		return q.walk(q.walkOf(f, plan, unlimited, q.db.engine.walkedMatch))
	}
	for _, find := range q.waysOfSearch(f, plan, all) {
		if rows, complete, err = find(); err != nil || complete {
			break
		}
	}
	return rows, complete, err
}

// waysOfSearch returns the ways in which a search with filters finds its first f.Limit rows: among the first slices in its order, those
// that the filters select together, those with the words, and all in its order. The next one follows when the one before is not complete.
func (q Queries) waysOfSearch(f SliceFilter, plan listPlan, all []indexedFilter) []func() ([]int64, bool, error) {
	each := q.db.engine.walkedMatch
	return []func() ([]int64, bool, error){
		func() ([]int64, bool, error) { return q.firstInOrder(f, plan) },
		func() ([]int64, bool, error) {
			ids, ok, err := q.intersection(&f, all)
			if err != nil || !ok {
				return nil, false, err
			}
			return q.walkAmong(f, idCandidates(ids))
		},
		func() ([]int64, bool, error) { return q.firstMatches(f, f.Workspaces[0], nil, f.limit().intersected) },
		func() ([]int64, bool, error) { return q.walk(q.walkOf(f, plan, unlimited, each)) },
	}
}

// walkAmong compares candidates with filters and words: first few of those with the filters, in the order of f, which are enough when the
// words are frequent.
func (q Queries) walkAmong(f SliceFilter, c *candidates) (rows []int64, complete bool, err error) {
	plan := listPlan{candidates: c}
	rows, complete, err = q.walk(q.walkOf(f, plan, walks[0], q.db.engine.eachMatch))
	if err == nil && !complete {
		rows, complete, err = q.walk(q.walkOf(f, plan, unlimited, q.db.engine.walkedMatch))
	}
	return rows, complete, err
}

// searchByID returns the first f.Limit rows of a search by id. complete is false when all slices with the words must be compared.
func (q Queries) searchByID(f SliceFilter, workspaceID string) (rows []int64, complete bool, err error) {
	rows, complete, err = q.walkFirst(f, []int{maxSearched}, q.db.engine.walkedMatch)
	if err == nil && !complete && len(rows) == 0 {
		rows, complete, err = q.firstMatches(f, workspaceID, nil, f.limit().compared)
	}
	if err == nil && !complete {
		rows, complete, err = q.searchFirst(f, workspaceID)
	}
	return rows, complete, err
}

// searchForCount returns the slices with the words of f as candidates, or the newest of more than most; complete is false when further
// ones may have the words. When the other filters select few slices, they all are compared with the words.
func (q Queries) searchForCount(f SliceFilter, most, sampled int) (c *candidates, complete bool, err error) {
	f.Limit = most + 1
	others, first := f, walks[0]
	others.Words = nil
	plan, all, err := q.planFilters(&others)
	if err != nil {
		return nil, false, err
	}
	each := q.db.engine.walkedMatch
	if len(all) > 0 {
		first = f.limit().first
	}
	if plan.candidates != nil {
		first = unlimited
	}
	rows, complete, err := q.walk(q.walkOf(f, plan, first, each))
	if isFrequent := len(rows) >= walks[0]/10; err == nil && !complete && !isFrequent {
		matches, err := q.matches(f, f.Workspaces[0], f.limit().sorted)
		if err != nil || len(matches) <= f.limit().sorted {
			return rowCandidates(matches), true, err
		}
	}
	if err == nil && !complete {
		rows, complete, err = q.walk(q.walkOf(f, plan, most, each))
	}
	c, complete = newestOf(rows, most, sampled, complete)
	return c, complete, err
}

// matches returns the rows of slices with the words of f, at most one more than limit.
func (q Queries) matches(f SliceFilter, workspaceID string, limit int) ([]int64, error) {
	var p params
	text := wordCandidates(workspaceID, f, nil).keys(q.db.engine, &p) + " LIMIT " + p.add(limit+1)
	return list(q.db, scanOne[int64], text, p.args...)
}

// walkFirst compares the first slices in the order of f with its words by a condition of the engine: those of the first walk, and of the
// next one when too few have the words. complete is false when fewer than f.Limit are found and further slices may have the words.
func (q Queries) walkFirst(f SliceFilter, walks []int, condition string) (rows []int64, complete bool, err error) {
	for _, n := range walks {
		if err != nil || complete {
			break
		}
		rows, complete, err = q.walk(q.walkOf(f, listPlan{}, n, condition))
	}
	return rows, complete, err
}

// isSearch reports whether f has no filters beside words and creation, and is in the order of creation.
func (f *SliceFilter) isSearch() bool {
	others, none := *f, SliceFilter{}
	others.FromID, others.BeforeID = "", ""
	return f.Sort == SortByID && others.conditions(&params{}, true) == none.conditions(&params{}, true)
}

// isPrioritySearch reports whether f has no filters beside words, and is in the order of priorities, whose index has all that is compared.
func (f *SliceFilter) isPrioritySearch() bool {
	var none SliceFilter
	return f.Sort == SortByPriority && f.conditions(&params{}, true) == none.conditions(&params{}, true)
}

// searchByPriority returns the first f.Limit rows of a search by priority. It compares the first slices of the list with all that have the
// words, which takes long when these are many and each is read by its row, and then looks among these. complete is false when the words are
// frequent.
func (q Queries) searchByPriority(f SliceFilter, workspaceID string) (rows []int64, complete bool, err error) {
	e := q.db.engine
	if e.readsMatches {
		if rows, complete, err = q.walkFirst(f, []int{walks[1], walks[3]}, e.allMatches); err != nil || complete {
			return rows, complete, err
		}
	}
	if many, err := q.areFrequent(f.Words, workspaceID); err != nil || many {
		return nil, false, err
	}
	if !e.readsMatches {
		if rows, complete, err = q.walkFirst(f, walks[3:], e.allMatches); err != nil || complete {
			return rows, complete, err
		}
	}
	return q.firstOfMatches(f, workspaceID)
}

// firstOfMatches returns the first f.Limit rows of a search among all slices that have the words: more of them when the index
// slices_members has what is compared. complete is false when they are too many.
func (q Queries) firstOfMatches(f SliceFilter, workspaceID string) (rows []int64, complete bool, err error) {
	limit := f.limit().sorted
	if f.isCovered() {
		limit = maxMatched
	}
	return q.firstMatches(f, workspaceID, nil, limit)
}

// isCovered reports whether the index slices_members covers the filters and the order.
func (f *SliceFilter) isCovered() bool {
	return isCovered(sliceMembers.FindAllString(f.conditions(&params{}, true)+f.order(), -1))
}

// areFrequent reports whether at least frequent of the newest sampled slices have the words.
func (q Queries) areFrequent(words []string, workspaceID string) (bool, error) {
	f := SliceFilter{Workspaces: []string{workspaceID}, Words: words, Limit: frequent}
	ids, err := q.firstAndLast(f, workspaceID, sampled)
	if err != nil || len(ids) < 2 {
		return false, err
	}
	f.FromID = ids[1]
	rows, complete, err := q.firstMatches(f, workspaceID, creationTerms(id.Time(ids[1]), id.Time(ids[0])), f.limit().compared)
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
