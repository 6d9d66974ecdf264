package sqldb

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Grants returns the SQL by which the owner of a PostgreSQL database lets a role read and write its records, and the
// records of later migrations, without the right to change the schema.
func Grants(ctx context.Context, o Options, role string) (string, error) {
	d, err := Open[struct{}](o, nil)
	if err != nil {
		return "", err
	}
	names, err := List(d.Read(ctx), func(r Row) (n [2]string, err error) { return n, r.Scan(&n[0], &n[1]) },
		`SELECT current_database(), n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE c.oid = 'goose_db_version'::regclass`)
	if err = errors.Join(err, d.Close()); err != nil {
		return "", err
	}
	database, schema := pgx.Identifier{names[0][0]}.Sanitize(), pgx.Identifier{names[0][1]}.Sanitize()
	to := pgx.Identifier{role}.Sanitize()
	return strings.Join([]string{
		fmt.Sprintf("GRANT CONNECT ON DATABASE %s TO %s;", database, to),
		fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s;", schema, to),
		fmt.Sprintf("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %s TO %s;", schema, to),
		fmt.Sprintf("REVOKE INSERT, UPDATE, DELETE ON %s.goose_db_version FROM %s;", schema, to),
		fmt.Sprintf("GRANT USAGE ON ALL SEQUENCES IN SCHEMA %s TO %s;", schema, to),
		fmt.Sprintf("ALTER DEFAULT PRIVILEGES IN SCHEMA %s GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO %s;",
			schema, to),
		fmt.Sprintf("ALTER DEFAULT PRIVILEGES IN SCHEMA %s GRANT USAGE ON SEQUENCES TO %s;", schema, to),
		"",
	}, "\n"), nil
}
