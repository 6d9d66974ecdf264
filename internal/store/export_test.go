package store

// KeyEventsQuery is the statement of KeyEvents.
const KeyEventsQuery = keyEvents

// DumpedTables are the tables of a dump.
var DumpedTables = dumpedTables

// Statement returns the statement of a list of slices in the order of its filter, and its arguments.
func (s *Store) Statement(f SliceFilter) (string, []any) {
	return f.statement(s.db.engine, "s.row, s.version", f.Workspaces)
}
