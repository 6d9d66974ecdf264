package store

import (
	"bytes"
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"syscall"
	"testing/fstest"
	"text/template"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate brings the database at o to the newest schema, forward only and under a lock, so
// that several nodes may start at once. It returns how many migrations it applied.
func Migrate(ctx context.Context, o Options) (int, error) {
	p, done, err := provider(o, true)
	if err != nil {
		return 0, err
	}
	defer done()
	results, err := p.Up(ctx)
	if err != nil {
		return 0, fmt.Errorf("migrate: %w", err)
	}
	return len(results), nil
}

// Exists says whether there is a database at o that was ever migrated. It makes none.
func Exists(ctx context.Context, o Options) (there bool, err error) {
	if o.URL == "" {
		_, err := os.Stat(o.Path)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
	s, err := Open(o)
	if err != nil {
		return false, err
	}
	defer s.Close()
	return one(s.db.executor(ctx), scanOne[bool], "SELECT to_regclass('goose_db_version') IS NOT NULL")
}

// Migrated says whether the schema is the one this program was built for.
func (s *Store) Migrated(ctx context.Context) error {
	have, err := one(s.db.executor(ctx), scanOne[int64], "SELECT max(version_id) FROM goose_db_version")
	if err != nil {
		return err
	}
	want, err := newestMigration()
	if err == nil && have < want {
		err = fmt.Errorf("the database is at migration %d, this program needs %d", have, want)
	}
	return err
}

func newestMigration() (int64, error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil || len(names) == 0 {
		return 0, errors.Join(err, errors.New("no migrations embedded"))
	}
	return goose.NumericComponent(path.Base(names[len(names)-1]))
}

func provider(o Options, locked bool) (*goose.Provider, func(), error) {
	var db *sql.DB
	var err error
	e, dialect := sqliteEngine, goose.DialectSQLite3
	opts := []goose.ProviderOption{goose.WithDisableGlobalRegistry(true)}
	unlock := func() {}
	if o.URL != "" {
		e, dialect = postgresEngine, goose.DialectPostgres
		locker, lerr := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 120))
		if lerr != nil {
			return nil, nil, lerr
		}
		opts = append(opts, goose.WithSessionLocker(locker))
		db, err = sql.Open("pgx", o.URL)
	} else {
		if unlock, err = lockFile(o.Path + ".migrate.lock"); err == nil {
			err = private(o.Path)
		}
		if err == nil {
			db, err = sql.Open("sqlite", sqliteDSN(o.Path, "foreign_keys(1)"))
		}
	}
	if err != nil {
		return nil, nil, err
	}
	done := func() { _ = db.Close(); unlock() }
	files, err := render(e)
	if err != nil {
		done()
		return nil, nil, err
	}
	p, err := goose.NewProvider(dialect, db, files, opts...)
	if err != nil {
		done()
		return nil, nil, err
	}
	return p, done, nil
}

// render writes the engine's types into the migrations.
func render(e engine) (fs.FS, error) {
	words := template.FuncMap{}
	for word, text := range e.types {
		words[word] = func() string { return text }
	}
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	out := fstest.MapFS{}
	for _, name := range names {
		text, err := migrations.ReadFile(name)
		if err != nil {
			return nil, err
		}
		t, err := template.New(name).Funcs(words).Parse(string(text))
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		if err := t.Execute(&b, nil); err != nil {
			return nil, err
		}
		out[path.Base(name)] = &fstest.MapFile{Data: b.Bytes()}
	}
	return out, nil
}

// private makes a database file that its owner alone reads; what SQLite puts beside it is like it.
func private(name string) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// lockFile waits for an exclusive lock between processes.
func lockFile(name string) (func(), error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil
}
