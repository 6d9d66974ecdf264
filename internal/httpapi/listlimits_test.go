package httpapi

import (
	"database/sql"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/store"
)

// get returns the answer to a GET request, and its problem.
func (w *counted) get(t *testing.T, target string) (*httptest.ResponseRecorder, api.Problem) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.Header.Set("Authorization", "Bearer "+w.token)
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, r)
	var p api.Problem
	must(t, json.Unmarshal(answer.Body.Bytes(), &p))
	return answer, p
}

// TestTooBroadQueries: a list or a count that takes the database too long is refused, with what would narrow it and
// not with what it has.
func TestTooBroadQueries(t *testing.T) {
	w := newCountedAt(t, 0, store.Options{Path: filepath.Join(t.TempDir(), "test.db"), TimeLimit: time.Nanosecond})
	for target, narrower := range map[string]string{
		"/v1/slices?label=a": "workspaceId, createdAfter, status",
		"/v1/slices?q=a&sort=updatedAt&createdAfter=2020-01-01T00:00:00Z": "workspaceId, later createdAfter, order by " +
			"createdAt, words in q, status",
		"/v1/slices?status=open&createdAfter=2020-01-01T00:00:00Z&priority=low": "workspaceId, later createdAfter",
		"/v1/slices/counts?status=open":                                         "workspaceId, createdAfter",
	} {
		answer, p := w.get(t, target)
		assert.Equal(t, target, []any{answer.Code, p.Code, answer.Header().Get("Retry-After")},
			[]any{503, "query_too_broad", "1"})
		assert.Contains(t, target, p.Detail, strings.Split(narrower, ", ")...)
		for _, other := range []string{"workspaceId", "later createdAfter", "order by", "words in q", "status"} {
			if strings.Contains(p.Detail, other) != strings.Contains(narrower, other) {
				t.Errorf("%s: %s", target, p.Detail)
			}
		}
	}
}

// TestListsDuringIndexing: a search is refused while the index is built, with its progress and a time to try again.
func TestListsDuringIndexing(t *testing.T) {
	o := store.Options{Path: filepath.Join(t.TempDir(), "test.db")}
	w := newCountedAt(t, 0, o)
	db, err := sql.Open("sqlite", o.Path)
	must(t, err)
	defer db.Close()
	_, err = db.Exec("INSERT INTO slice_terms_build (after_row, until_row) VALUES (42, 100)")
	must(t, err)
	for _, target := range []string{"/v1/slices?q=a", "/v1/slices?status=open", "/v1/slices/counts?status=open"} {
		answer, p := w.get(t, target)
		assert.Equal(t, target, []any{answer.Code, p.Code, answer.Header().Get("Retry-After")},
			[]any{503, "unavailable", "10"})
		assert.Contains(t, target, p.Detail, "42 %")
	}
	answer, _ := w.get(t, "/v1/slices")
	assert.Equal(t, "a list without filters", answer.Code, 200)
}
