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

// Migrate migrates the database at o to the newest schema, forward only and under a lock, so that several nodes may
// start at once. Then it assigns the keys of workspaces that have none, and runs the pending backfills, also those of a start that
// was interrupted. It returns the number of migrations that it applied.
func Migrate(ctx context.Context, o Options) (int, error) {
	p, done, err := newProvider(o)
	if err != nil {
		return 0, err
	}
	defer done()
	if o.BeforeMigration != nil && hasOlderSchema(ctx, o) {
		o.BeforeMigration()
	}
	results, err := p.Up(ctx)
	var failed *goose.PartialError
	if errors.As(err, &failed) {
		err = fmt.Errorf("%w; the migration that failed changed nothing, and the next start begins it again", err)
	}
	if err != nil {
		return 0, fmt.Errorf("migrate: %w", err)
	}
	s, err := Open(o)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	if err := s.assignKeys(ctx); err != nil {
		return 0, fmt.Errorf("assign the keys of workspaces: %w", err)
	}
	if err := errors.Join(s.runBackfills(ctx), s.dropAllObsolete(ctx)); err != nil {
		return 0, err
	}
	if len(results) > 0 {
		s.analyze(ctx)
	}
	return len(results), nil
}

// hasOlderSchema reports whether a database has a schema, and one that is older than that of this program.
func hasOlderSchema(ctx context.Context, o Options) bool {
	s, err := Open(o)
	if err != nil {
		return false
	}
	defer s.Close()
	m, err := s.Read(ctx).Migrations()
	return err == nil && m.Database < m.Program
}

// analyze updates the statistics of the planner, unless the database is empty. Without them a list may take seconds until the server
// does it by itself. A failure is no fault: the server will.
func (s *Store) analyze(ctx context.Context) {
	q := s.Read(ctx)
	if all, err := q.Organizations(); err != nil || len(all) == 0 || s.engine.analyze == "" {
		return
	}
	_ = q.db.exec(s.engine.analyze)
}

// Exists reports whether there is a database at o: for SQLite its file, for PostgreSQL the table that records its
// migrations. It creates none.
func Exists(ctx context.Context, o Options) (bool, error) {
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
	return one(s.db.executor(ctx), scanOne[bool], "SELECT "+s.engine.migrated)
}

// Migrated returns an error unless the schema is at least the one this program was built for.
func (s *Store) Migrated(ctx context.Context) error {
	m, err := s.Read(ctx).Migrations()
	if err == nil && m.Database < m.Program {
		err = fmt.Errorf("the database is at migration %d, this program needs %d: run bugslice migrate with the role that owns the tables",
			m.Database, m.Program)
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

// migrationTarget is a database that is open for migrations, and the lock that keeps other nodes out.
type migrationTarget struct {
	engine  *engine
	dialect goose.Dialect
	db      *sql.DB
	options []goose.ProviderOption
	unlock  func()
}

func (t migrationTarget) close() {
	_ = t.db.Close()
	t.unlock()
}

// newProvider returns goose's migrations of the database at o, and a function that closes it.
func newProvider(o Options) (p *goose.Provider, done func(), err error) {
	var t migrationTarget
	if o.URL != "" {
		t, err = openPostgresTarget(o.URL)
	} else {
		t, err = openSQLiteTarget(o.Path)
	}
	if err != nil {
		return nil, nil, err
	}
	files, err := render(t.engine)
	if err == nil {
		p, err = goose.NewProvider(t.dialect, t.db, files, append(t.options, goose.WithDisableGlobalRegistry(true))...)
	}
	if err != nil {
		t.close()
		return nil, nil, err
	}
	return p, t.close, nil
}

// openPostgresTarget opens a database whose migrations goose runs under a lock of the session.
func openPostgresTarget(url string) (migrationTarget, error) {
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 120))
	if err != nil {
		return migrationTarget{}, err
	}
	db, err := sql.Open("pgx", url)
	return migrationTarget{engine: &postgresEngine, dialect: goose.DialectPostgres, db: db,
		options: []goose.ProviderOption{goose.WithSessionLocker(locker)}, unlock: func() {}}, err
}

// openSQLiteTarget locks the file of a database, creates it unless it exists, and opens it.
func openSQLiteTarget(path string) (migrationTarget, error) {
	unlock, err := lockFile(path + ".migrate.lock")
	if err != nil {
		return migrationTarget{}, err
	}
	err = createPrivate(path)
	var db *sql.DB
	if err == nil {
		db, err = sql.Open("sqlite", sqliteDSN(path, lockWait, "foreign_keys(1)"))
	}
	if err != nil {
		unlock()
	}
	return migrationTarget{engine: &sqliteEngine, dialect: goose.DialectSQLite3, db: db, unlock: unlock}, err
}

// render returns the migrations with the engine's types.
func render(e *engine) (fs.FS, error) {
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

// createPrivate creates a database file that only its owner reads. SQLite creates the files beside it with the same
// mode.
func createPrivate(name string) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// lockFile acquires an exclusive lock between processes, and returns a function that releases it.
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
