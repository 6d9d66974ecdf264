package store

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

const (
	maxWalked  = 1000 // slices that are compared with any of some words
	maxFew     = 100  // matches of the index that are read at once, whenever they were created
	maxMatches = 2000 // matches of the index, when these are too many to read all of a period
)

// Newest are the newest maxWalked live slices of a workspace, the newest first.
type Newest struct {
	Complete    bool // whether they are all
	workspaceID string
	slices      []*Compared
}

// WithAny returns the first slices that have any of the words, at most limit. complete is whether no other slice of the workspace has the
// words.
func (n Newest) WithAny(all []string, limit int) (found []*Compared, complete bool) {
	searched := wordsOf(all)
	for _, c := range n.slices {
		if !slices.ContainsFunc(searched, c.has) {
			continue
		}
		if len(found) == limit {
			return found, false
		}
		found = append(found, c)
	}
	return found, n.Complete
}

// selective returns the rarest of some words: so many that one of 100,000 slices would have them if words were independent.
func (n Newest) selective(all []string) []string {
	const share = 1e-5
	frequency := make(map[string]float64, len(all))
	for _, w := range all {
		for _, c := range n.slices {
			if c.has(WordOf(w)) {
				frequency[w]++
			}
		}
	}
	rarest := slices.SortedStableFunc(slices.Values(all), func(a, b string) int { return cmp.Compare(frequency[a], frequency[b]) })
	have := 1.0
	for i, w := range rarest {
		if have *= (frequency[w] + 1) / float64(len(n.slices)+1); have <= share {
			return rarest[:i+1]
		}
	}
	return rarest
}

// Newest returns the newest slices of a workspace. It reads those that are not cached.
func (q Queries) Newest(workspaceID string) (n Newest, err error) {
	type rowVersion struct{ row, version int64 }
	versions, err := list(q.db, func(r row) (v rowVersion, err error) { return v, r.Scan(&v.row, &v.version) },
		"SELECT s.row, s.version FROM slices s WHERE s.workspace_id = $1 AND s.deleted_at IS NULL ORDER BY s.id DESC LIMIT $2",
		workspaceID, maxWalked)
	if err != nil {
		return n, err
	}
	all := make([]*Compared, len(versions))
	missing := map[int64]int{}
	for i, v := range versions {
		var ok bool
		if all[i], ok = q.compared.get(v.row, v.version); !ok {
			missing[v.row] = i
		}
	}
	read, err := q.readCompared(slices.Sorted(maps.Keys(missing)))
	for _, c := range read {
		q.compared.put(c.row, c.version, c.Compared, c.bytes())
		all[missing[c.row]] = c.Compared
	}
	wasDeleted := func(c *Compared) bool { return c == nil } // since its version was read
	return Newest{len(versions) < maxWalked, workspaceID, slices.DeleteFunc(all, wasDeleted)}, err
}

// readCompared returns the live slices of rows, the newest first.
func (q Queries) readCompared(rows []int64) ([]comparedRow, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	var p params
	return list(q.db, scanCompared, `SELECT s.row, s.version, s.id, s.number, s.status, s.summary, s.description, s.source_url, s.symptoms
		FROM slices s WHERE s.row IN `+in(&p, rows)+" AND s.deleted_at IS NULL ORDER BY s.id DESC", p.args...)
}

// SlicesWithRare returns the newest live slices of a workspace with any of words that are rare, at most limit. complete is whether no other
// slice has the words.
func (q Queries) SlicesWithRare(workspaceID string, words []string, limit int) (found []*Compared, complete bool, err error) {
	f := SliceFilter{Words: words, Limit: limit, anyWord: true}
	rows, few, err := q.firstMatches(f, workspaceID, nil, maxFew)
	if err == nil && !few {
		rows, err = q.manyMatching(workspaceID, f)
	}
	if err == nil {
		found, err = q.comparedAt(rows)
	}
	return found, few && len(rows) < limit, err
}

// SlicesWithAll returns the newest live slices of the workspace of some, at any time, with all of the words: at most limit. When few have
// those of the words that are rare among the newest, it compares these with the others, because the index reads all slices with a
// frequent word.
func (q Queries) SlicesWithAll(newest Newest, words []string, limit int) ([]*Compared, error) {
	rows, few, err := q.firstMatches(SliceFilter{Words: newest.selective(words), Limit: maxFew}, newest.workspaceID, nil, maxFew)
	if err == nil && !few {
		rows, err = q.manyMatching(newest.workspaceID, SliceFilter{Words: words, Limit: limit})
	}
	if err != nil {
		return nil, err
	}
	all, err := q.comparedAt(rows)
	all = slices.DeleteFunc(all, func(c *Compared) bool {
		return slices.ContainsFunc(words, func(w string) bool { return !c.has(WordOf(w)) })
	})
	return all[:min(len(all), limit)], err
}

// manyMatching returns the first rows of a search by id. It reads periods of the creation of slices. When these have too many with the
// words, it looks at the maxMatches slices that were stored last.
func (q Queries) manyMatching(workspaceID string, f SliceFilter) ([]int64, error) {
	rows, complete, err := q.searchFirst(f, workspaceID)
	if err == nil && !complete {
		rows, err = q.newestMatches(f, workspaceID)
	}
	return rows, err
}

// comparedAt returns the live slices of rows, the newest first.
func (q Queries) comparedAt(rows []int64) ([]*Compared, error) {
	read, err := q.readCompared(rows)
	all := make([]*Compared, len(read))
	for i, c := range read {
		all[i] = c.Compared
	}
	return all, err
}

// newestMatches returns the first rows of a search by id among the last maxMatches of the index.
func (q Queries) newestMatches(f SliceFilter, workspaceID string) ([]int64, error) {
	e, match := q.db.engine, q.db.engine.allOf
	if f.anyWord {
		match = e.anyOf
	}
	return list(q.db, scanOne[int64], "WITH newest AS MATERIALIZED ("+fmt.Sprintf(e.newestMatches, "$2", "$4")+`),
		read AS MATERIALIZED (SELECT s.row, s.id, s.workspace_id FROM newest CROSS JOIN `+e.members+` WHERE s.row = newest.rowid
			AND s.deleted_at IS NULL)
		SELECT row FROM read WHERE workspace_id = $1 ORDER BY id DESC LIMIT $3`,
		workspaceID, match(workspaceTerms(workspaceID, f.Words)), f.Limit, maxMatches)
}
