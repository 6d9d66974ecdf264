package store

import (
	"context"
	"regexp"
	"strings"

	"bugslice/internal/store/sqldb"
)

// init lets lists of thousands of slices read windows behind the last one that is counted, and crowded ones.
func init() { lastWindow, maxSpare, maxSorted = 1000, 20, 100 }

// KeyEventsQuery is the statement of KeyEvents.
const KeyEventsQuery = keyEvents

// FindMembersQuery returns the statement of FindMembers, and its arguments.
func FindMembersQuery(workspaceID string, names []string) (string, []any) {
	var p sqldb.Params
	return findMembers(&p, workspaceID, names), p.Args
}

// DumpedTables are the tables of a dump.
var DumpedTables = dumpedTables

// Exec runs a statement outside of a transaction.
func Exec(ctx context.Context, s *Store, text string) error { return s.db.Read(ctx).Exec(text) }

// CountRows returns the number of rows of a table.
func CountRows(ctx context.Context, s *Store, table string) (int64, error) {
	return sqldb.One(s.db.Read(ctx), sqldb.ScanOne[int64], "SELECT count(*) FROM "+table)
}

// ExecWrite runs a statement in a transaction that writes.
func ExecWrite(ctx context.Context, s *Store, text string) error {
	return s.Write(ctx, func(tx *Tx) error { return tx.db.Exec(text) })
}

// ExecIn runs a statement in a transaction.
func ExecIn(tx *Tx, text string, args ...any) error { return tx.db.Exec(text, args...) }

// ListAllRecurring derives recurring_slices, which must be empty.
func ListAllRecurring(tx *Tx) error { return tx.listAllRecurring() }

// BuildIndex builds the index of terms, for slices that were written past the store.
func BuildIndex(ctx context.Context, s *Store) error {
	if err := s.Write(ctx, (*Tx).BeginIndex); err != nil {
		return err
	}
	return s.BuildIndex(ctx, func(IndexBuild) {})
}

// ColumnsErasedIn returns the columns of a table that an erasure changes.
func ColumnsErasedIn(t ErasedTable) []string {
	if t.nameColumn != "" {
		return append(t.columns(), t.nameColumn)
	}
	return t.columns()
}

// ChargedColumns returns the columns that recordSizes adds up, by table.
func ChargedColumns() map[string][]string {
	all := map[string][]string{}
	for _, part := range strings.Split(recordSizes, "UNION ALL") {
		table := strings.Fields(part[strings.Index(part, " FROM ")+len(" FROM "):])[0]
		all[table] = []string{}
		for _, m := range regexp.MustCompile(`octet_length\((?:\w\.)?(\w+)\)`).FindAllStringSubmatch(part, -1) {
			all[table] = append(all[table], m[1])
		}
	}
	return all
}

// SliceColumn is a column of slices as its member has it.
type SliceColumn struct {
	Name, Type string
	Nullable   bool
}

// MemberColumns returns the columns of the members of slices.
func MemberColumns() (all []SliceColumn) {
	for _, m := range members {
		all = append(all, SliceColumn{m.column, m.cell.sqlType, m.cell.nullable})
	}
	return all
}

// MigrateTo migrates an empty database to an older schema.
func MigrateTo(ctx context.Context, o Options, version int64) error {
	m, err := schema.Migrator(o.database())
	if err != nil {
		return err
	}
	defer m.Close()
	_, err = m.Migrate(ctx, version)
	return err
}
