package store

import "bugslice/internal/store/termindex"

// engine is the difference between the databases outside of opening and writing.
type engine struct {
	name  string
	types map[string]string // DDL words of the migrations
	terms *termindex.Engine

	dropsAtOnce bool // a table or an index of any size

	// forEach returns the rows of a SELECT for each of some workspaces, which are expressions.
	forEach func(workspaces []string, text func(workspace string) string) string

	// joined returns the SELECT of columns of slices s, which it reads by the rows of another SELECT, and of which it compares each with a
	// condition.
	joined func(rows, columns, where string) string

	rowsTo string // a JSON array of all values of row
	rowsOf string // selects the numbers of a JSON array, as row, with %s for it

	// rowsTable is a table v of rows, with columns of names and types. A statement has the first rowsChunk of the rows.
	rowsTable func(p *params, columns string, rows [][]any) (string, error)
	rowsChunk func(rows [][]any) int

	lower    string                // a text with its ASCII letters in lower case, with %s for it
	classify func(err error) error // to this package's errors, or nil

	migrated string // condition that the table of the applied migrations exists
	size     string // the bytes of the database
	analyze  string // updates the statistics of the planner; empty when it has none

	compact []string // overwrites the content of deleted rows, each outside of a transaction

	snapshot string // lets a transaction that reads as of one instant wait as long as its reader does; empty when none is ended
	clock    string // the database's time in milliseconds; empty when it has no clock of its own

	// Row locks; empty where writes are serial.
	lockRow    string // excludes other changes of the row
	lockShare  string // excludes changes of the row, and admits other share locks
	lockParent string // skips locked rows, and admits new rows that refer to this one
	skipLocked string // excludes other changes, and skips locked rows
	lockKeys   string // locks the numbers of a JSON array in their order, until the transaction ends; empty where writes are serial
}
