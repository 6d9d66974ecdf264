package sqldb

import (
	"bytes"
	"context"
	"database/sql"
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

// Schema is the versions of the tables of a database: files of goose, migrations/NNNNN_name.sql, forward only. Each
// is a template, whose functions are the Words of the engine.
type Schema struct {
	Files fs.FS
	Words map[string]map[string]string // by Engine.Name
}

// Newest returns the newest version.
func (s Schema) Newest() (int64, error) {
	names, err := fs.Glob(s.Files, "migrations/*.sql")
	if err != nil || len(names) == 0 {
		return 0, errors.Join(err, errors.New("no migrations embedded"))
	}
	return goose.NumericComponent(path.Base(names[len(names)-1]))
}

// Version returns the version of the database; 0 for one without tables.
func (x *Executor) Version() (version int64, err error) {
	some, err := One(x, ScanOne[bool], "SELECT "+x.Engine.migrated)
	if err == nil && some {
		version, err = One(x, ScanOne[int64], "SELECT COALESCE(max(version_id), 0) FROM goose_db_version")
	}
	return version, err
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
	d, err := Open[struct{}](o, nil)
	if err != nil {
		return false, err
	}
	defer func() { _ = d.Close() }()
	return One(d.Read(ctx), ScanOne[bool], "SELECT "+d.engine.migrated)
}

// Migrator migrates one database. On SQLite, others wait from its opening to its end; on PostgreSQL, they wait while
// it migrates.
type Migrator struct {
	goose  *goose.Provider
	target migrationTarget
}

// Migrator opens a database for its migration. It creates the file of SQLite unless it exists.
func (s Schema) Migrator(o Options) (m *Migrator, err error) {
	m = &Migrator{}
	if o.URL != "" {
		m.target, err = openPostgresTarget(o.URL)
	} else {
		m.target, err = openSQLiteTarget(o.Path)
	}
	if err != nil {
		return nil, err
	}
	t := m.target
	files, err := s.render(t.engine)
	if err == nil {
		m.goose, err = goose.NewProvider(t.dialect, t.db, files,
			append(t.options, goose.WithDisableGlobalRegistry(true))...)
	}
	if err != nil {
		t.close()
		return nil, err
	}
	return m, nil
}

// Migrate migrates the database to a version, unless it has a later one, and returns the number of migrations that it
// applied.
func (m *Migrator) Migrate(ctx context.Context, version int64) (int, error) {
	results, err := m.goose.UpTo(ctx, version)
	var failed *goose.PartialError
	if errors.As(err, &failed) {
		err = fmt.Errorf("%w; the migration that failed changed nothing, and the next start begins it again", err)
	}
	if err != nil {
		return 0, fmt.Errorf("migrate: %w", err)
	}
	return len(results), nil
}

// Close lets others migrate the database.
func (m *Migrator) Close() { m.target.close() }

// migrationTarget is a database that is open for migrations, and the lock that keeps other nodes out.
type migrationTarget struct {
	engine  *Engine
	dialect goose.Dialect
	db      *sql.DB
	options []goose.ProviderOption
	unlock  func()
}

func (t migrationTarget) close() {
	_ = t.db.Close()
	t.unlock()
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

// render returns the migrations with the words of an engine.
func (s Schema) render(e *Engine) (fs.FS, error) {
	words := template.FuncMap{}
	for word, text := range s.Words[e.Name] {
		words[word] = func() string { return text }
	}
	names, err := fs.Glob(s.Files, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	out := fstest.MapFS{}
	for _, name := range names {
		text, err := fs.ReadFile(s.Files, name)
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
