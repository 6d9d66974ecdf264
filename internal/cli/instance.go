package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"bugslice/internal/access"
	"bugslice/internal/blob"
	"bugslice/internal/command/tree"
	"bugslice/internal/id"
	"bugslice/internal/intake"
	"bugslice/internal/operator"
	"bugslice/internal/password"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// instanceFlags name the database, the data directory and the file storage of an instance.
type instanceFlags struct {
	data, databaseURL, blobURL string
	migrate                    string          // on or off; on when empty
	readOnly                   bool            // open without a right to write
	restored                   string          // the instance of a backup, whose files may be there before the database
	tracker                    tracker.Options // further options that a command sets
	progress                   io.Writer       // of a restore
	listTime                   time.Duration   // that the database has for a list; see store.Options
	ignoreLostSecrets          bool            // open although the master secret does not decrypt what is stored
}

// instance is an open instance. Its store must be closed.
type instance struct {
	blobs    blob.Store
	store    *store.Store
	tracker  *tracker.Tracker
	operator operator.Operator
	options  tracker.Options
	intake   *intake.Server // of an instance that is served
}

// openIntake opens the door for visitors.
func (in *instance) openIntake(limited bool) {
	o := in.options
	in.intake = intake.New(intake.Options{Store: o.Store, Tracker: in.tracker, Secrets: o.Secrets, Blobs: o.Blobs, Log: o.Log,
		Limited: limited})
}

// withClock returns the service of the instance, and the functions of its operator, with another clock.
func (in *instance) withClock(now func() time.Time) (*tracker.Tracker, operator.Operator) {
	o := in.options
	o.Now, o.NewID = now, func(prefix string) string { return id.At(prefix, now()) }
	t, authority := tracker.New(o)
	return t, operator.Operator{Operator: authority}
}

func (f *instanceFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.data, "data", "./data", "directory of the database, the secret and the files")
	cmd.Flags().StringVar(&f.blobURL, "blob-url", "",
		"s3://bucket/prefix of the files; in the data directory when empty")
	cmd.Flags().StringVar(&f.databaseURL, "database-url", "", "postgres://…; SQLite in the data directory when empty")
	cmd.Flags().StringVar(&f.migrate, "migrate", "on",
		"on, or off to refuse a database with an older schema instead of migrating it")
}

func (f *instanceFlags) storeOptions() store.Options {
	if f.databaseURL != "" {
		return store.Options{URL: f.databaseURL, ReadOnly: f.readOnly, TimeLimit: f.listTime}
	}
	return store.Options{Path: filepath.Join(f.data, "bugslice.db"), ReadOnly: f.readOnly, TimeLimit: f.listTime}
}

func (f *instanceFlags) filesDir() string { return filepath.Join(f.data, "files") }

func (f *instanceFlags) validate() error {
	if f.data == "" {
		return tree.Usagef("--data must name a directory")
	}
	if f.migrate != "" && f.migrate != "on" && f.migrate != "off" {
		return tree.Usagef("--migrate must be on or off, not %q", f.migrate)
	}
	if f.databaseURL == "" {
		return nil
	}
	u, err := url.Parse(f.databaseURL)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return tree.Usagef("--database-url must be postgres://user:password@host:port/database")
	}
	return nil
}

// open migrates the database and opens the instance. It creates a new instance when there is none. With --migrate=off
// it refuses a database whose schema is not current instead.
func (f *instanceFlags) open(ctx context.Context, env environment, baseURL string, log *slog.Logger) (
	*instance, error,
) {
	if err := f.validate(); err != nil {
		return nil, err
	}
	if err := f.createDirectory(); err != nil {
		return nil, err
	}
	if err := env.checkSecret(); err != nil {
		return nil, err
	}
	s, err := f.openStore(ctx, log)
	if err != nil {
		return nil, err
	}
	secrets, err := f.masterSecret(ctx, env, s)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	blobs, err := f.openBlobs()
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	o := f.tracker
	o.Store, o.Blobs, o.Secrets, o.Passwords, o.BaseURL, o.Log = access.Seal(s), blobs, secrets, password.New(),
		baseURL, log
	t, authority := tracker.New(o)
	return &instance{store: s, blobs: blobs, tracker: t, operator: operator.Operator{Operator: authority}, options: o},
		nil
}

// openBlobs opens the storage of files.
func (f *instanceFlags) openBlobs() (blob.Store, error) {
	blobs, err := blob.Open(f.blobURL, f.filesDir(), os.Getenv)
	switch {
	case err != nil && f.blobURL != "":
		return nil, tree.Usagef("--blob-url: %v", err)
	case err == nil && f.readOnly:
		return blob.ReadOnly(blobs), nil
	}
	return blobs, err
}

// startTimeout is the time for which a start waits for the database, and for the storage of files, to answer. It
// bounds no migration.
var startTimeout = 30 * time.Second

// openStore opens the database when it has been migrated, or does not need to be. log is nil for none.
func (f *instanceFlags) openStore(ctx context.Context, log *slog.Logger) (*store.Store, error) {
	limited, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if f.migrate != "off" && !f.readOnly {
		if err := f.checkPlace(limited); err != nil {
			return nil, err
		}
		return f.migrateAndOpen(ctx, log)
	}
	if err := f.requireDatabase(limited); err != nil {
		return nil, err
	}
	s, err := store.Open(f.storeOptions())
	if err != nil {
		return nil, err
	}
	if err := s.Migrated(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// checkPlace refuses to create a database beside the files of another one.
func (f *instanceFlags) checkPlace(ctx context.Context) error {
	exists, err := store.Exists(ctx, f.storeOptions())
	if err != nil || exists {
		return err
	}
	if _, err := os.Stat(f.filesDir()); f.blobURL == "" && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	blobs, err := f.openBlobs()
	if err != nil {
		return err
	}
	return f.fileError(tracker.CheckUnused(ctx, blobs, f.restored))
}

// migrateAndOpen migrates the database, with a line in the log when it has an older schema, and opens it.
func (f *instanceFlags) migrateAndOpen(ctx context.Context, log *slog.Logger) (*store.Store, error) {
	o := f.storeOptions()
	if log != nil {
		o.BeforeMigration = func() { log.Info("migrating the database; this may take minutes") }
	}
	if _, err := store.Migrate(ctx, o); err != nil {
		return nil, err
	}
	return store.Open(o)
}

// requireExisting refuses flags that name no instance. It creates nothing, because a mistyped flag must not create
// another instance.
func (f *instanceFlags) requireExisting(ctx context.Context, env environment) error {
	if err := f.validate(); err != nil {
		return err
	}
	if err := env.checkSecret(); err != nil {
		return err
	}
	if err := f.requireDatabase(ctx); err != nil {
		return err
	}
	if !hasSecret(env, filepath.Join(f.data, secretName)) {
		return fmt.Errorf("there is no %s in %s (--data), and %s is not set", secretName, f.data, envSecret)
	}
	return nil
}

// requireDatabase refuses flags that name no database of Bugslice.
func (f *instanceFlags) requireDatabase(ctx context.Context) error {
	exists, err := store.Exists(ctx, f.storeOptions())
	if err != nil || exists {
		return err
	}
	database := f.data + " (--data)"
	if f.databaseURL != "" {
		database = "the database of --database-url"
	}
	return fmt.Errorf("there is no Bugslice data in %s; bugslice serve and bugslice bootstrap create an instance",
		database)
}

// withExisting opens an existing instance, runs fn on it, and closes it.
func (f *instanceFlags) withExisting(ctx context.Context, env environment, fn func(*instance) error) error {
	if err := f.requireExisting(ctx, env); err != nil {
		return err
	}
	return f.openOrCreate(ctx, env, fn)
}

// withFiles is withExisting for commands that read or write files. It refuses the files of another instance.
func (f *instanceFlags) withFiles(ctx context.Context, env environment, fn func(*instance) error) error {
	return f.withExisting(ctx, env, func(in *instance) error {
		if err := f.fileError(in.tracker.BindFiles(ctx)); err != nil {
			return err
		}
		return fn(in)
	})
}

// openOrCreate opens an instance, or creates one when there is none, runs fn on it, and closes it. It refuses a
// database that is newer than this program: a backup would lack what the program does not know.
func (f *instanceFlags) openOrCreate(ctx context.Context, env environment, fn func(*instance) error) error {
	in, err := f.open(ctx, env, "", nil)
	if err != nil {
		return err
	}
	m, err := in.store.Read(ctx).Migrations()
	if err = errors.Join(err, m.Check()); err == nil {
		err = fn(in)
	}
	return errors.Join(err, in.store.Close())
}

// forNewOrganization is openOrCreate for commands that create an organisation. It refuses to create an instance
// whose file storage holds files of another one.
func (f *instanceFlags) forNewOrganization(ctx context.Context, env environment, fn func(*instance) error) error {
	return f.openOrCreate(ctx, env, func(in *instance) error {
		if err := f.fileError(in.tracker.CheckNewFiles(ctx)); err != nil {
			return err
		}
		return fn(in)
	})
}

// fileError adds the location of the file storage to an error.
func (f *instanceFlags) fileError(err error) error {
	if err == nil {
		return nil
	}
	if f.blobURL != "" {
		return fmt.Errorf("files in %s (--blob-url): %w", f.blobURL, err)
	}
	return fmt.Errorf("files in %s (--data): %w", f.filesDir(), err)
}
