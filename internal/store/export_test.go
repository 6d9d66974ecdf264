package store

import "context"

// KeyEventsQuery is the statement of KeyEvents.
const KeyEventsQuery = keyEvents

// DumpedTables are the tables of a dump.
var DumpedTables = dumpedTables

// Statement returns the statement of a list of slices in the order of its filter, and its arguments.
func (s *Store) Statement(f SliceFilter) (string, []any) {
	plan, err := s.Read(context.Background()).planOf(&f, f.Workspaces)
	if err != nil {
		panic(err)
	}
	return f.statement(s.db.engine, plan, "s.row, s.version", f.Workspaces)
}

// PriorityWalk returns the statement that compares the first slices by priority with all that have a word, and its arguments.
func (s *Store) PriorityWalk(workspaceID, word string) (string, []any) {
	q := s.Read(context.Background())
	f := SliceFilter{Sort: SortByPriority, Words: []string{word}, Limit: 26}
	return q.searchWalk(f, SliceFilter{Sort: SortByPriority, Limit: 25_000}, listPlan{}, workspaceID, q.db.engine.allMatches).statement()
}

// Exec runs a statement outside of a transaction.
func Exec(ctx context.Context, s *Store, text string) error { return s.db.executor(ctx).exec(text) }

// CountRows returns the number of rows of a table.
func CountRows(ctx context.Context, s *Store, table string) (int64, error) {
	return one(s.db.executor(ctx), scanOne[int64], "SELECT count(*) FROM "+table)
}

// ExecWrite runs a statement in a transaction that writes.
func ExecWrite(ctx context.Context, s *Store, text string) error {
	return s.Write(ctx, func(tx *Tx) error { return tx.db.exec(text) })
}

// ExecIn runs a statement in a transaction.
func ExecIn(tx *Tx, text string, args ...any) error { return tx.db.exec(text, args...) }

// IndexWords makes the search find a slice by words.
func IndexWords(tx *Tx, s Slice, words []string) error {
	return tx.indexWords(s.Row, s.WorkspaceID, s.ID, words)
}
