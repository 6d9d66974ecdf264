package termindex

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// A Change is a change of the terms of a document.
type Change struct {
	Row            int64
	Added, Removed []string
	// Whole says that the document had no terms before, or has none afterwards: then Added, or Removed, are all of
	// its terms.
	Whole bool
}

// isCreation reports whether a document begins to exist, and isDeletion whether it ends.
func (c Change) isCreation() bool { return c.Whole && len(c.Removed) == 0 }
func (c Change) isDeletion() bool { return c.Whole && len(c.Added) == 0 }

// Fold combines changes, which follow each other, into one for each document.
func Fold(changes []Change) []Change {
	at, folded := make(map[int64]int, len(changes)), make([]Change, 0, len(changes))
	for _, c := range changes {
		if i, known := at[c.Row]; known {
			folded[i] = folded[i].and(c)
			continue
		}
		at[c.Row] = len(folded)
		folded = append(folded, c)
	}
	return folded
}

// and returns a change of a document and the one that follows it as one.
func (c Change) and(next Change) Change {
	isThere := map[string]bool{}
	for _, step := range []Change{c, next} {
		for _, t := range step.Removed {
			isThere[t] = false
		}
		for _, t := range step.Added {
			isThere[t] = true
		}
	}
	both := Change{Row: c.Row, Whole: c.isCreation() || next.isDeletion()}
	for t, there := range isThere {
		switch {
		case there:
			both.Added = append(both.Added, t)
		case !c.isCreation():
			both.Removed = append(both.Removed, t)
		}
	}
	return both
}

// Exec runs a statement.
type Exec func(text string, args ...any) error

// Write writes changes of different documents. On SQLite nothing is written after them in the transaction.
func (e *Engine) Write(exec Exec, changes []Change) error {
	slices.SortFunc(changes, func(a, b Change) int { return cmp.Compare(a.Row, b.Row) })
	return e.write(exec, changes)
}

// Clear prepares that all documents are written anew. On SQLite it removes them. On PostgreSQL it would lock each
// until its transaction ends, so that Write replaces those of records, and RemoveStrays removes the others.
func (e *Engine) Clear(exec Exec) error {
	for _, text := range e.clear {
		if err := exec(text); err != nil {
			return err
		}
	}
	return nil
}

// RemoveStrays removes the documents numbered after + 1 to until that have no row in records. On SQLite, Clear has
// removed them.
func (e *Engine) RemoveStrays(exec Exec, records string, after, until int64) error {
	if e != PostgreSQL {
		return nil
	}
	return exec("DELETE FROM "+Table+" WHERE row > $1 AND row <= $2 AND NOT EXISTS (SELECT 1 FROM "+records+
		" r WHERE r.row = "+Table+".row)", after, until)
}

func writeSQLite(exec Exec, changes []Change) error {
	for _, c := range changes {
		if len(c.Removed) > 0 {
			if err := exec("INSERT INTO "+Table+" ("+Table+", rowid, terms) VALUES ('delete', $1, $2)",
				c.Row, strings.Join(c.Removed, " ")); err != nil {
				return err
			}
		}
		if len(c.Added) == 0 {
			continue
		}
		if err := exec("INSERT INTO "+Table+" (rowid, terms) VALUES ($1, $2)", c.Row,
			strings.Join(c.Added, " ")); err != nil {
			return err
		}
	}
	return nil
}

// maxTerms is the number of terms of a document of PostgreSQL, whose tsvector has at most 1 MiB of terms, each of
// which has at most 43 bytes. Words and mentions beyond it are left out, other facets and periods never: there are
// few hundreds.
const maxTerms = 20_000

// Limit returns the number of terms of a document beyond which words and mentions are left out; 0 for none.
func (e *Engine) Limit() int {
	if e == PostgreSQL {
		return maxTerms
	}
	return 0
}

// record is a change as JSON.
type record struct {
	Row     int64    `json:"row"`
	Added   []string `json:"added"`
	Words   []string `json:"words"`
	Removed []string `json:"removed"`
}

const (
	records = "json_to_recordset(CAST($1 AS JSON)) AS v (row BIGINT, added JSON, words JSON, removed JSON)"
	added   = "array_to_tsvector(ARRAY(SELECT json_array_elements_text(v.added)))"
	words   = "array_to_tsvector(ARRAY(SELECT json_array_elements_text(v.words)))"
	removed = "ARRAY(SELECT json_array_elements_text(v.removed))"
)

// recordOf returns a change with its words and mentions apart; it drops those beyond maxTerms.
func recordOf(c Change) record {
	r := record{Row: c.Row, Added: []string{}, Words: []string{}, Removed: append([]string{}, c.Removed...)}
	for _, t := range c.Added {
		if isOfText(t) {
			r.Words = append(r.Words, t)
		} else {
			r.Added = append(r.Added, t)
		}
	}
	r.Words = r.Words[:max(min(len(r.Words), maxTerms-len(r.Added)), 0)]
	return r
}

func writePostgreSQL(exec Exec, changes []Change) error {
	var created, changed []record
	var deleted []int64
	for _, c := range changes {
		r := recordOf(c)
		switch {
		case c.Whole && len(c.Added) == 0:
			deleted = append(deleted, c.Row)
		case c.Whole:
			created = append(created, r)
		case len(c.Added)+len(c.Removed) > 0:
			changed = append(changed, r)
		}
	}
	for _, step := range []struct {
		text string
		rows any
		n    int
	}{
		{"DELETE FROM " + Table +
			" WHERE row IN (SELECT CAST(value AS BIGINT) FROM json_array_elements_text(CAST($1 AS JSON)) AS d (value))",
			deleted, len(deleted)},
		{"INSERT INTO " + Table + " (row, terms) SELECT v.row, " + added + " || " + words + " FROM " + records +
			" ON CONFLICT (row) DO UPDATE SET terms = excluded.terms", created, len(created)},
		{"UPDATE " + Table + " SET terms = ts_delete(terms, " + removed + ") || " + added +
			" || array_to_tsvector(ARRAY(" +
			"SELECT json_array_elements_text(v.words) LIMIT greatest(" + strconv.Itoa(maxTerms) +
			" - length(ts_delete(terms, " + removed + ")), 0))) FROM " + records + " WHERE " + Table + ".row = v.row",
			changed, len(changed)},
	} {
		if step.n == 0 {
			continue
		}
		rows, err := json.Marshal(step.rows)
		if err == nil {
			err = exec(step.text, string(rows))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
