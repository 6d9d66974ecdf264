package store

// engine is the difference between the databases outside of opening and writing.
type engine struct {
	name        string
	types       map[string]string // DDL words of the migrations
	match       string            // query of slice_search, with %s for the parameter
	walkedMatch string            // condition that a row of walked, s, is one of match
	eachMatch   string            // walkedMatch that looks each row up, for few rows far from each other
	allMatches  string            // walkedMatch that reads all of match, once

	readsMatches bool // match reads no row of a table
	walksLazily  bool // a walk with walkedMatch ends at the last row that is returned

	// forEach returns the rows of a SELECT for each of some workspaces, which are expressions.
	forEach func(workspaces []string, text func(workspace string) string) string

	newestMatches string                      // the newest ones of match, with a further %s for their number
	document      func(terms []string) string // the text that slice_search stores
	quote         string                      // around a term in the parameter of match
	and, or       string                      // between terms
	members       string                      // the slices by their index slices_members
	indexedBy     string                      // reads a table by an index, with %s for its name; empty for an engine that chooses it well
	values        string                      // the rows of a JSON array of texts, with a column value, and %s for the parameter
	// rowsTable is a table v of rows, with columns of names and types. A statement has the first rowsChunk of the rows.
	rowsTable func(p *params, columns string, rows [][]any) (string, error)
	rowsChunk func(rows [][]any) int

	lower    string                   // a text with its ASCII letters in lower case, with %s for it
	fact     func(name string) string // a fact about the environment of a slice, nil for none
	classify func(err error) error    // to this package's errors, or nil

	migrated string // condition that the table of the applied migrations exists
	size     string // the bytes of the database
	analyze  string // updates the statistics of the planner; empty when it has none

	mergeSearch string   // removes terms of deleted rows from the search index, a part of it; empty when deletion removes them
	compact     []string // overwrites the content of deleted rows, each outside of a transaction

	snapshot string // lets a transaction that reads as of one instant wait as long as its reader does; empty when none is ended
	clock    string // the database's time in milliseconds; empty when it has no clock of its own

	// Row locks; empty where writes are serial.
	lockRow    string // excludes other changes of the row
	lockShare  string // excludes changes of the row, and admits other share locks
	lockParent string // skips locked rows, and admits new rows that refer to this one
	skipLocked string // excludes other changes, and skips locked rows
	lockKeys   string // locks the numbers of a JSON array in their order, until the transaction ends; empty where writes are serial
}
