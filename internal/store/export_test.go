package store

// KeyEventsQuery is the statement of KeyEvents.
const KeyEventsQuery = keyEvents

// DumpedTables are the tables of a dump.
var DumpedTables = dumpedTables

// Statement returns the SELECT of a list and its arguments.
func (s *Store) Statement(f SliceFilter) (string, []any) {
	return f.statement(s.db.engine, sliceRecord, f.Workspaces)
}
