package store

import (
	"context"
	"errors"
	"fmt"

	"bugslice/internal/store/sqldb"
)

// Migrate migrates the database at o to the newest schema, forward only and under a lock, so that several nodes may
// start at once. Then it assigns the keys of workspaces that have none, and runs the pending backfills, also those of
// a start that was interrupted. It returns the number of migrations that it applied.
func Migrate(ctx context.Context, o Options) (int, error) {
	newest, err := schema.Newest()
	if err != nil {
		return 0, err
	}
	m, err := schema.Migrator(o.database())
	if err != nil {
		return 0, err
	}
	defer m.Close()
	if o.BeforeMigration != nil && hasOlderSchema(ctx, o) {
		o.BeforeMigration()
	}
	applied, err := m.Migrate(ctx, newest)
	if err != nil {
		return 0, err
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
	if applied > 0 {
		s.analyze(ctx)
	}
	return applied, nil
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

// analyze updates the statistics of the planner, unless the database is empty. Without them a list may take seconds
// until the server does it by itself. A failure is no fault: the server will.
func (s *Store) analyze(ctx context.Context) {
	if all, err := s.Read(ctx).Organizations(); err == nil && len(all) > 0 {
		_ = s.db.Analyze(ctx)
	}
}

// Exists reports whether there is a database at o: for SQLite its file, for PostgreSQL the table that records its
// migrations. It creates none.
func Exists(ctx context.Context, o Options) (bool, error) { return sqldb.Exists(ctx, o.database()) }

// Grants returns the SQL by which the owner of a PostgreSQL database lets a role read and write its records, and the
// records of later migrations, without the right to change the schema.
func Grants(ctx context.Context, o Options, role string) (string, error) {
	return sqldb.Grants(ctx, o.database(), role)
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
