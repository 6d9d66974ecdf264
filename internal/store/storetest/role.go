package storetest

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"

	"bugslice/internal/store"
)

// AsRole migrates a database of Database, grants a role what store.Grants says and nothing else, and returns the URL
// with the role as its user. It creates the role.
func AsRole(database, role string) (string, error) {
	o := store.Options{URL: database}
	if _, err := store.Migrate(context.Background(), o); err != nil {
		return "", err
	}
	if err := createRole(database, role); err != nil {
		return "", err
	}
	grants, err := store.Grants(context.Background(), o, role)
	if err != nil {
		return "", err
	}
	if err := execute(database, "REVOKE CREATE ON SCHEMA public FROM PUBLIC;\n"+grants); err != nil {
		return "", err
	}
	u, err := url.Parse(database)
	if err != nil {
		return "", err
	}
	u.User = url.User(role)
	return u.String(), nil
}

var roles sync.Mutex

func createRole(database, role string) error {
	roles.Lock()
	defer roles.Unlock()
	err := execute(database, `CREATE ROLE "`+strings.ReplaceAll(role, `"`, "")+`" LOGIN`)
	var exists *pgconn.PgError
	if errors.As(err, &exists) && (exists.Code == "42710" || exists.Code == "23505") {
		return nil
	}
	return err
}

func execute(database, text string) error {
	db, err := sql.Open("pgx", database)
	if err != nil {
		return err
	}
	_, err = db.Exec(text)
	return errors.Join(err, db.Close())
}
