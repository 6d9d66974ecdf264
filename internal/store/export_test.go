package store

import (
	"context"
	"errors"
	"regexp"
	"strings"
)

// KeyEventsQuery is the statement of KeyEvents.
const KeyEventsQuery = keyEvents

// FindMembersQuery returns the statement of FindMembers, and its arguments.
func FindMembersQuery(workspaceID string, names []string) (string, []any) {
	var p params
	return findMembers(&p, workspaceID, names), p.args
}

// DumpedTables are the tables of a dump.
var DumpedTables = dumpedTables

// Statement returns the statement of a list of slices in the order of its filter, and its arguments.
func (s *Store) Statement(f SliceFilter) (string, []any) {
	plan, _, err := s.Read(context.Background()).planFilters(&f)
	if err != nil {
		panic(err)
	}
	return f.statement(s.db.engine, plan, "s.row, s.version", f.Workspaces)
}

// PriorityWalk returns the statement that compares the first slices by priority with all that have a word, and its arguments.
func (s *Store) PriorityWalk(workspaceID, word string) (string, []any) {
	q := s.Read(context.Background())
	f := SliceFilter{Workspaces: []string{workspaceID}, Sort: SortByPriority, Words: []string{word}, Limit: 26}
	return q.walkOf(f, listPlan{}, 25_000, q.db.engine.allMatches).statement()
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

// IdleTimeouts returns after which time PostgreSQL ends a transaction that waits: one that writes, and a snapshot.
func IdleTimeouts(ctx context.Context, s *Store) (write, snapshot string) {
	show := func(into *string, q Queries) (err error) {
		*into, err = one(q.db, scanOne[string], "SELECT current_setting('"+idleTimeout+"')")
		return err
	}
	err := errors.Join(s.Write(ctx, func(tx *Tx) error { return show(&write, tx.Queries) }),
		s.snapshot(ctx, func(q Queries) error { return show(&snapshot, q) }))
	if err != nil {
		panic(err)
	}
	return write, snapshot
}

// ListAllFacts stores the facts of all slices, by which lists find them.
func ListAllFacts(tx *Tx) error { return tx.listAllFacts() }

// ListAllRecurring derives recurring_slices, which must be empty.
func ListAllRecurring(tx *Tx) error { return tx.listAllRecurring() }

// IndexWords makes the search find a slice by words.
func IndexWords(tx *Tx, s Slice, words []string) error {
	return tx.indexWords(s.Row, s.WorkspaceID, s.ID, words)
}

// WithLowLimits returns a filter whose lists take every way among few slices.
func WithLowLimits(f SliceFilter) SliceFilter {
	f.limits = &listLimits{sorted: 30, compared: 15, first: 40, inOrder: 120, counted: 50, listed: 1500, intersected: 600}
	return f
}

// Ways are the names of the ways in which lists with several filters find their slices, and those with words.
var (
	Ways       = []string{"a selective filter", "first in order", "intersection", "all in order"}
	SearchWays = []string{"words: few matches", "words: a selective filter", "words: first in order", "words: intersection",
		"words: many matches", "words: all in order"}
)

// Way returns the way in which a list with filters of one workspace finds its slices, empty when an index alone has them in order.
func (q Queries) Way(f SliceFilter) (string, error) {
	f.fact = q.db.engine.fact
	others := f
	others.Words = nil
	plan, all, err := q.planFilters(&others)
	switch {
	case err != nil || len(f.Words) > 0 && (f.isSearch() || f.isPrioritySearch()):
		return "", err
	case len(f.Words) > 0:
		return q.searchWay(f, plan, all)
	case plan.candidates != nil:
		return Ways[0], nil
	case len(all) == 0 || plan.scans != nil && len(all) == 1:
		return "", nil
	}
	if _, complete, err := q.firstInOrder(f, plan); err != nil || complete {
		return Ways[1], err
	}
	if _, ok, err := q.intersection(&f, all); err != nil || ok {
		return Ways[2], err
	}
	return Ways[3], nil
}

func (q Queries) searchWay(f SliceFilter, plan listPlan, all []indexedFilter) (string, error) {
	many, err := q.areFrequent(f.Words, f.Workspaces[0])
	if err == nil && !many {
		_, complete, err := q.firstOfMatches(f, f.Workspaces[0])
		if err != nil || complete {
			return SearchWays[0], err
		}
	}
	if err != nil || plan.candidates != nil {
		return SearchWays[1], err
	}
	for i, find := range q.waysOfSearch(f, plan, all) {
		if _, complete, err := find(); err != nil || complete {
			return SearchWays[i+2], err
		}
	}
	return "", nil
}

// ReadRows returns what a statement reads of rows with the columns a TEXT, b BIGINT and c TEXT.
func ReadRows(ctx context.Context, s *Store, rows [][]any) (read [][]any, err error) {
	x := s.db.executor(ctx)
	for some := range x.engine.chunks(rows) {
		var p params
		from, err := x.engine.rowsTable(&p, "a TEXT, b BIGINT, c TEXT", some)
		if err != nil {
			return nil, err
		}
		part, err := list(x, func(r row) ([]any, error) {
			var a, c *string
			var b *int64
			err := r.Scan(&a, &b, &c)
			return []any{orNull(a), orNull(b), orNull(c)}, err
		}, "SELECT a, b, c FROM "+from, p.args...)
		if err != nil {
			return nil, err
		}
		read = append(read, part...)
	}
	return read, nil
}

// ColumnsErasedIn returns the columns of a table that an erasure changes.
func ColumnsErasedIn(t ErasedTable) []string {
	if t.name != "" {
		return append(t.columns(), t.name)
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
