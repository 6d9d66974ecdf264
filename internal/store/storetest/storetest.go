// Package storetest makes databases for tests.
package storetest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver named pgx

	"bugslice/internal/store"
)

// Database makes an empty database on the server that BUGSLICE_TEST_POSTGRES names, and
// returns its URL. Without that variable it fails: no test passes by leaving PostgreSQL out.
func Database() (string, error) { return create("") }

// Copy makes a copy of a database of Database to which nobody is connected, and returns its URL.
func Copy(template string) (string, error) {
	u, err := url.Parse(template)
	if err != nil {
		return "", err
	}
	return create(" TEMPLATE " + strings.TrimPrefix(u.Path, "/"))
}

func create(template string) (string, error) {
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
	if _, err := db.Exec("CREATE DATABASE " + name + template); err != nil {
		return "", err
	}
	u.Path = "/" + name
	return u.String(), nil
}

// Migrated makes a migrated database of an engine, "sqlite" in a directory or "postgres". It is a copy of
// one that is migrated once in a process. Its lists have a minute, since the machine may be busy.
func Migrated(engine, dir string) (o store.Options, err error) {
	o.TimeLimit = time.Minute
	if engine == "postgres" {
		template, err := migratedDatabase()
		if err != nil {
			return o, err
		}
		o.URL, err = Copy(template)
		return o, err
	}
	content, err := migratedFile()
	if err != nil {
		return o, err
	}
	o.Path = filepath.Join(dir, "test.db")
	return o, os.WriteFile(o.Path, content, 0o600)
}

var migratedDatabase = sync.OnceValues(func() (string, error) {
	template, err := Database()
	if err == nil {
		_, err = store.Migrate(context.Background(), store.Options{URL: template})
	}
	return template, err
})

var migratedFile = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "storetest-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "test.db")
	if _, err := store.Migrate(context.Background(), store.Options{Path: path}); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})
