package storetest

import (
	"database/sql"
	"testing"

	"bugslice/internal/assert"
)

// TestReused: a database that a test has changed has the rows and sequences of a migrated one again.
func TestReused(t *testing.T) {
	t.Parallel()
	migrated, err := Migrated("postgres", "")
	must(t, err)
	var url string
	t.Run("change", func(t *testing.T) {
		o, err := Reused(t, "postgres")
		must(t, err)
		url = o.URL
		must(t, execute(url, `DELETE FROM goose_db_version WHERE id > 3;
			INSERT INTO organizations (id, name, created_at) VALUES ('org_1', 'Acme', 0);
			SELECT nextval('slices_row_seq'), nextval('goose_db_version_id_seq')`))
	})
	again, err := Reused(t, "postgres")
	must(t, err)
	assert.Equal(t, "database", again.URL, url)
	assert.Equal(t, "rows", content(t, url), content(t, migrated.URL))
}

// content returns the rows of every table and the values of the sequences, as XML.
func content(t *testing.T, url string) (all []string) {
	t.Helper()
	db, err := sql.Open("pgx", url)
	must(t, err)
	defer db.Close()
	all, err = texts(db, `SELECT regexp_replace(schema_to_xml('public', true, false, '')::text, '^<[^>]*>|<[^>]*>$', '', 'g')
		UNION ALL SELECT sequencename || coalesce(last_value, 0) FROM pg_sequences ORDER BY 1`)
	must(t, err)
	return all
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
