package storetest

import (
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"testing"

	"bugslice/internal/store"
)

// Reused makes a database as Migrated does, for a test that changes no schema and closes its store. On PostgreSQL it
// is one that another test has left, when there is one. The end of a test that passed gives it the rows of a migrated
// database again. A database is some 600 files, which take longer to make than most tests run.
func Reused(t testing.TB, engine string) (store.Options, error) {
	t.Helper()
	if engine != "postgres" {
		return Migrated(engine, t.TempDir())
	}
	o, ok := left.take()
	if !ok {
		made, err := Migrated(engine, "")
		if err != nil {
			return o, err
		}
		o = made
	}
	t.Cleanup(func() {
		if t.Failed() {
			return
		}
		text, err := rowsOfMigrated()
		if err == nil {
			err = execute(o.URL, text)
		}
		if err != nil {
			t.Errorf("emptying the database: %v", err)
			return
		}
		left.put(o)
	})
	return o, nil
}

// left are the databases that tests have left.
var left stack

type stack struct {
	sync.Mutex
	all []store.Options
}

func (s *stack) put(o store.Options) {
	s.Lock()
	defer s.Unlock()
	s.all = append(s.all, o)
}

func (s *stack) take() (o store.Options, ok bool) {
	s.Lock()
	defer s.Unlock()
	if len(s.all) == 0 {
		return o, false
	}
	o, s.all = s.all[len(s.all)-1], s.all[:len(s.all)-1]
	return o, true
}

// rowsOfMigrated returns the SQL that gives every table the rows, and every sequence the value, that it has after the
// migrations.
var rowsOfMigrated = sync.OnceValues(func() (string, error) {
	o, err := Migrated("postgres", "")
	if err != nil {
		return "", err
	}
	db, err := sql.Open("pgx", o.URL)
	if err != nil {
		return "", err
	}
	defer db.Close()
	var text strings.Builder
	text.WriteString("BEGIN; SET LOCAL session_replication_role = replica;\n") // no foreign key is checked
	tables, err := texts(db, "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public'")
	if err != nil {
		return "", err
	}
	for _, table := range tables {
		fmt.Fprintf(&text, "DELETE FROM %s;\n", table)
		rows, err := texts(db, "SELECT quote_literal(json_agg(r)) FROM "+table+" r HAVING count(*) > 0")
		if err != nil {
			return "", err
		}
		for _, all := range rows {
			fmt.Fprintf(&text, "INSERT INTO %s OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::%[1]s, %s);\n",
				table, all)
		}
	}
	sequences, err := texts(db, `SELECT format('SELECT setval(%L, %s, %L);', quote_ident(sequencename),
		coalesce(last_value, start_value), last_value IS NOT NULL) FROM pg_sequences WHERE schemaname = 'public'`)
	text.WriteString(strings.Join(sequences, "\n") + "\nCOMMIT;")
	return text.String(), err
})

// texts returns the texts that a query selects.
func texts(db *sql.DB, query string) (all []string, err error) {
	rows, err := db.Query(query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, rows.Err()
}
