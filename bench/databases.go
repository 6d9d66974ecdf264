package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"
)

// rates are what was measured on each database.
type rates[T any] struct{ sqlite, postgres T }

// onDatabases measures a new instance on SQLite and another one on PostgreSQL.
func onDatabases[T any](ctx context.Context, o options, part string,
	measure func(ctx context.Context, o options, in instance) (T, error),
) (r rates[T], err error) {
	if err := build(ctx, o.dir, "bugslice"); err != nil {
		return r, err
	}
	if r.sqlite, err = measure(ctx, o, instance{part + "-sqlite", ""}); err != nil {
		return r, fmt.Errorf("%s on SQLite: %w", part, err)
	}
	progress("%s on SQLite: %+v", part, r.sqlite)
	database, drop, err := newDatabase(ctx, o, part)
	if err != nil {
		return r, err
	}
	defer drop()
	if r.postgres, err = measure(ctx, o, instance{part + "-postgres", database}); err != nil {
		return r, fmt.Errorf("%s on PostgreSQL: %w", part, err)
	}
	progress("%s on PostgreSQL: %+v", part, r.postgres)
	return r, nil
}

// newDatabase creates a database on a PostgreSQL server and returns its URL, and a function that drops it. With
// o.keep it may exist already, and is not dropped.
func newDatabase(ctx context.Context, o options, part string) (database string, drop func(), err error) {
	u, err := url.Parse(o.database)
	if err != nil {
		return "", nil, err
	}
	name := fmt.Sprintf("bench_%s_%d", part, os.Getpid())
	if o.keep != "" {
		name = "bench_" + part
	}
	out, err := exec.CommandContext(ctx, "psql", o.database, "-c", "CREATE DATABASE "+name).CombinedOutput()
	if err != nil && (o.keep == "" || !strings.Contains(string(out), "already exists")) {
		return "", nil, fmt.Errorf("create the database %s: %w: %s", name, err, out)
	}
	u.Path = "/" + name
	drop = func() {
		if o.keep != "" {
			return
		}
		if out, err := exec.Command("psql", o.database, "-c", "DROP DATABASE "+name+" WITH (FORCE)").
			CombinedOutput(); err != nil {
			progress("drop the database %s: %v: %s", name, err, out)
		}
	}
	return u.String(), drop, nil
}

// table writes a table with a column for each database.
type table[T any] struct {
	strings.Builder
	rates rates[T]
}

func newTable[T any](r rates[T], conditions, title string) *table[T] {
	t := &table[T]{rates: r}
	fmt.Fprintf(t, "Measured %s on %s; %s\n\n", time.Now().UTC().Format(time.DateOnly), processor(), conditions)
	fmt.Fprintf(t, "| %s | SQLite | PostgreSQL |\n|---|---:|---:|\n", title)
	return t
}

func (t *table[T]) row(label string, cell func(T) string) {
	fmt.Fprintf(t, "| %s | %s | %s |\n", label, cell(t.rates.sqlite), cell(t.rates.postgres))
}
