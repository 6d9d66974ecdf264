package sqldb

import "fmt"

// Engine is the difference between the databases, as far as the text of a statement has it.
type Engine struct {
	Name       string // "sqlite" or "postgres"
	IsEmbedded bool   // it runs in this process, and writes are serial

	// Row locks, behind a SELECT of a transaction that writes; empty where writes are serial.
	LockRow    string // excludes other changes of the row
	LockShare  string // excludes changes of the row, and admits other share locks
	LockParent string // of a table w: skips locked rows, and admits new rows that refer to this one
	SkipLocked string // excludes other changes, and skips locked rows

	DropsAtOnce bool   // a table or an index of any size
	Size        string // the bytes of the database, an expression

	// ForEach returns the rows of a SELECT for each of some values, which are expressions.
	ForEach func(values []string, text func(value string) string) string

	// Merged returns the rows of a SELECT for each of some values, as ForEach does. What follows it orders them, and
	// the database needs of each value no more rows than those with which the SELECT begins when first, an ORDER BY
	// and a LIMIT, ends it.
	Merged func(values []string, text func(value string) string, first string) string

	// Joined returns the SELECT of columns of a table s, which it reads by the numbers, row, of the rows of another
	// SELECT, and of which it compares each with a condition.
	Joined func(rows, table, columns, where string) string

	Numbers string // a JSON array of all values of row
	numbers string // selects the numbers of a JSON array, as row, with %s for it

	lower string // a text with its ASCII letters in lower case, with %s for it

	// rowsTable is a table v of rows, with columns of names and types. A statement has the first rowsChunk of the rows.
	rowsTable func(p *Params, columns string, rows [][]any) (string, error)
	rowsChunk func(rows [][]any) int

	classify func(err error) error // to this package's errors, or nil

	migrated string // condition that the table of the applied migrations exists
	analyze  string // updates the statistics of the planner; empty when it has none
	lockKeys string // locks the numbers of a JSON array in their order, until the transaction ends; empty where writes are serial

	snapshot string // lets a transaction that reads as of one instant wait as long as its reader does; empty when none is ended
	clock    string // the database's time in milliseconds; empty when it has no clock of its own
}

// Lower returns the expression of a text with its ASCII letters in lower case.
func (e *Engine) Lower(text string) string { return fmt.Sprintf(e.lower, text) }

// NumberRows returns the SELECT of the numbers of a JSON array, which is an expression, as row.
func (e *Engine) NumberRows(array string) string { return fmt.Sprintf(e.numbers, array) }
