package store

import (
	"errors"
	"maps"
	"slices"

	"bugslice/internal/store/sqldb"
	"bugslice/internal/words"
)

const maxWalked = 1000 // slices that are compared with any of some words

// Newest are the newest maxWalked live slices of a workspace, the newest first.
type Newest struct {
	Complete    bool // whether they are all
	workspaceID string
	slices      []*Compared
}

// WithAny returns the first slices that have any of the keywords, at most limit. complete is whether no other slice of
// the workspace has the keywords.
func (n Newest) WithAny(keywords []Word, limit int) (found []*Compared, complete bool) {
	searched := make(map[Word]bool, len(keywords))
	for _, w := range keywords {
		searched[w] = true
	}
	for _, c := range n.slices {
		if !slices.ContainsFunc(c.Keywords, func(w Word) bool { return searched[w] }) {
			continue
		}
		if len(found) == limit {
			return found, false
		}
		found = append(found, c)
	}
	return found, n.Complete
}

// Like returns the stems in the summaries of the slices that resemble others by their trigrams: what stands for them,
// with what stands for the other.
func (n Newest) Like(others []string) map[Word]Word {
	like := map[Word]Word{}
	if len(others) == 0 {
		return like
	}
	seen := map[string]bool{}
	for _, c := range n.slices {
		for _, w := range words.Split(c.Summary) {
			if seen[w] || !isKeyword(w) {
				continue
			}
			seen[w] = true
			stem := Stem(w)
			for _, other := range others {
				if resemble(stem, other) {
					like[WordOf(stem)] = WordOf(other)
				}
			}
		}
	}
	return like
}

// resemble reports whether two words begin with the same letter, and most of their trigrams are the same: they are
// spelt alike, or one is derived from the other.
func resemble(a, b string) bool {
	const enough = 0.6
	if a == "" || b == "" || a[0] != b[0] || len(a) > 2*len(b) || len(b) > 2*len(a) {
		return false
	}
	of := trigrams(a)
	shared, all := 0, len(of)
	for t := range trigrams(b) {
		if all++; of[t] {
			shared++
		}
	}
	return 2*float64(shared) >= enough*float64(all)
}

// trigrams returns each three characters of a word between spaces.
func trigrams(word string) map[string]bool {
	runes := []rune("  " + word + " ")
	all := make(map[string]bool, len(runes))
	for i := range len(runes) - 2 {
		all[string(runes[i:i+3])] = true
	}
	return all
}

// Newest returns the newest slices of a workspace. It reads those that are not cached.
func (q Queries) Newest(workspaceID string) (n Newest, err error) {
	type rowVersion struct{ row, version int64 }
	versions, err := sqldb.List(q.db, func(r sqldb.Row) (v rowVersion, err error) {
		return v,
			r.Scan(&v.row, &v.version)
	},
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
	var p sqldb.Params
	return sqldb.List(q.db, scanCompared,
		`SELECT s.row, s.version, s.id, s.number, s.status, s.summary, s.description, s.source_url, s.symptoms
		FROM slices s WHERE s.row IN `+sqldb.In(&p, rows)+" AND s.deleted_at IS NULL ORDER BY s.id DESC", p.Args...)
}

// SlicesWithRare returns the newest live slices of a workspace with any of words that are rare, at most limit.
// complete is whether no other slice has the words.
func (q Queries) SlicesWithRare(workspaceID string, rare []string, limit int) (
	found []*Compared, complete bool, err error,
) {
	rows, err := q.rowsMatching(SliceFilter{Workspaces: []string{workspaceID}, Words: rare, Limit: limit,
		anyWord: true})
	if err == nil {
		found, err = q.comparedAt(rows)
	}
	searched := wordsOf(rare)
	found = slices.DeleteFunc(found, func(c *Compared) bool { return !slices.ContainsFunc(searched, c.has) })
	return found, len(rows) < limit, err
}

// SlicesWithAll returns the newest live slices of the workspace of some, at any time, with all of the words: at most
// limit.
func (q Queries) SlicesWithAll(newest Newest, all []string, limit int) ([]*Compared, error) {
	rows, err := q.rowsMatching(SliceFilter{Workspaces: []string{newest.workspaceID}, Words: all, Limit: limit})
	if err != nil {
		return nil, err
	}
	found, err := q.comparedAt(rows)
	found = slices.DeleteFunc(found, func(c *Compared) bool {
		return slices.ContainsFunc(all, func(w string) bool { return !c.has(WordOf(w)) })
	})
	return found[:min(len(found), limit)], err
}

// rowsMatching returns the rows of the first slices of a list. It returns none while the index is built, and none for
// a list that is too broad, because nobody waits for similar slices.
func (q Queries) rowsMatching(f SliceFilter) ([]int64, error) {
	found, err := first(q, f, only("s.row"), sqldb.ScanOne[int64])
	if errors.Is(err, ErrIndexing) || errors.Is(err, ErrTooBroad) {
		err = nil
	}
	return values(found), err
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
