// Package storetest makes PostgreSQL databases for tests.
package storetest

import (
	"crypto/rand"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver named pgx
)

// Database makes an empty database on the server that BUGSLICE_TEST_POSTGRES names, and
// returns its URL. Without that variable it fails: no test passes by leaving PostgreSQL out.
func Database() (string, error) {
	base := os.Getenv("BUGSLICE_TEST_POSTGRES")
	if base == "" {
		return "", errors.New("BUGSLICE_TEST_POSTGRES is not set; run the tests by make test, or go test under scripts/with-postgres")
	}
	u, err := url.Parse(base)
	if err != nil {
		return "", err
	}
	db, err := sql.Open("pgx", base)
	if err != nil {
		return "", err
	}
	defer db.Close()
	name := "test_" + strings.ToLower(rand.Text())
	if _, err := db.Exec("CREATE DATABASE " + name); err != nil {
		return "", err
	}
	u.Path = "/" + name
	return u.String(), nil
}
