package termindex

import (
	"strings"
)

// Table is the table of the index.
const Table = "slice_terms"

// An Engine is how a database stores the index and finds documents.
type Engine struct {
	Definition string // the statements that create the index

	// Postings selects the documents behind $1 until $2 with their terms: a document and one of its terms, in any
	// order, or a document and all of its terms, with blanks between them.
	Postings string
	// Merge merges some segments of which there are four of a size or more, so that queries look into fewer. MergeAll
	// merges some of all, so that the terms of deleted documents leave the database. They are empty when there are no
	// segments.
	Merge, MergeAll string

	BeginBuild, EndBuild []string // statements before many documents are written while nothing is looked for, and after them

	rows      string // before the parameter
	quote     string // around a term
	prefixed  string // after a quoted beginning of terms
	and, or   string
	excluding string   // between what is found and what is not
	clear     []string // remove all documents; none when they are replaced
	write     func(exec Exec, changes []Change) error
}

// SQLite stores the index in a table of FTS5.
var SQLite = &Engine{
	Definition: "CREATE VIRTUAL TABLE " + Table +
		" USING fts5 (terms, content = '', columnsize = 0, detail = 'none', tokenize = 'ascii');\n" +
		"CREATE VIRTUAL TABLE " + Table + "_postings USING fts5vocab (" + Table + ", 'instance');\n" +
		"INSERT INTO " + Table + " (" + Table + ", rank) VALUES ('automerge', 16);\n" +
		"INSERT INTO " + Table + " (" + Table + ", rank) VALUES ('crisismerge', 32);\n" + largeCounts + ";",
	Postings: "SELECT doc, term FROM " + Table + "_postings WHERE doc > $1 AND doc <= $2",
	Merge:    "INSERT INTO " + Table + " (" + Table + ", rank) VALUES ('merge', 200)",
	MergeAll: "INSERT INTO " + Table + " (" + Table + ", rank) VALUES ('merge', -200)",
	rows:     "SELECT rowid AS row FROM " + Table + " WHERE " + Table + " MATCH ",
	quote:    `"`,
	prefixed: "*",
	and:      " AND ", or: " OR ", excluding: " NOT ",
	clear: []string{"INSERT INTO " + Table + " (" + Table + ") VALUES ('delete-all')", largeCounts},
	write: writeSQLite,
}

// Of returns the engine of a database, "sqlite" or "postgres".
func Of(database string) *Engine {
	if database == "sqlite" {
		return SQLite
	}
	return PostgreSQL
}

// largeCounts sets the counts of FTS5: 2^35 documents with 2^42 tokens, each a varint.
const largeCounts = "UPDATE " + Table + "_data SET block = X'81808080800081808080808000' WHERE id = 1"

// PostgreSQL stores a tsvector for each document. Its planner knows nothing of an expression that it gets from a
// subquery, so that it always reads the GIN index.
var PostgreSQL = &Engine{
	Definition: "CREATE TABLE " + Table + " (row BIGINT PRIMARY KEY, terms TSVECTOR NOT NULL);\n" +
		"CREATE INDEX " + Table + "_by_term ON " + Table + " USING GIN (terms) WITH (fastupdate = off);",
	Postings: "SELECT row, array_to_string(tsvector_to_array(terms), ' ') FROM " + Table +
		" WHERE row > $1 AND row <= $2",
	BeginBuild: []string{asOwner("ALTER INDEX " + Table + "_by_term SET (fastupdate = on)")},
	EndBuild: []string{asOwner("ALTER INDEX " + Table + "_by_term SET (fastupdate = off); " +
		"PERFORM gin_clean_pending_list('" + Table + "_by_term')")},

	rows:     "SELECT row FROM " + Table + " WHERE terms @@ ",
	quote:    "'",
	prefixed: ":*",
	and:      " & ", or: " | ", excluding: " & !",
	write: writePostgreSQL,
}

// asOwner returns the statement that runs some as the owner of the index, and does nothing as any other role. With
// fastupdate, GIN inserts the terms of many documents together. Otherwise it would make lists slow, and one writer in
// many wait.
func asOwner(statements string) string {
	return "DO $do$ BEGIN IF (SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = '" + Table +
		"_by_term'::regclass) THEN " +
		statements + "; END IF; END $do$"
}

// parameter returns a parameter as the engine compares it with terms.
func (e *Engine) parameter(mark string) string {
	if e == PostgreSQL {
		return "(SELECT CAST(CAST(" + mark + " AS TEXT) AS TSQUERY))"
	}
	return mark
}

// Rows returns the SELECT of the numbers of the documents, as row, that the expression of a parameter finds.
func (e *Engine) Rows(mark string) string { return e.rows + e.parameter(mark) }

// Expression returns the text of a query for Rows. The query must look for a term.
func (e *Engine) Expression(q Query) string {
	var b strings.Builder
	e.express(&b, q)
	return b.String()
}

func (e *Engine) express(b *strings.Builder, q Query) {
	switch q.operator {
	case isEverything, isNothing:
		panic("termindex: an expression without a term")
	case isTerm, isPrefix:
		b.WriteString(e.quote + q.term + e.quote)
		if q.operator == isPrefix {
			b.WriteString(e.prefixed)
		}
		return
	}
	between := map[operator]string{isAll: e.and, isAny: e.or, isBut: e.excluding}[q.operator]
	for i, part := range q.parts {
		if i > 0 {
			b.WriteString(between)
		} else {
			b.WriteByte('(')
		}
		e.express(b, part)
	}
	b.WriteByte(')')
}
