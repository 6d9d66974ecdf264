package suite

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestPaginationBesideChanges: while rows come, go and change, a walk yields every row that was there
// throughout, and whose sort and filter values did not change, exactly once, in order, and ends.
func TestPaginationBesideChanges(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "walks")
		second := o.want(t, 201, "POST", "/v1/workspaces", map[string]any{"name": "second"}).get(t, "id").(string)
		third := o.want(t, 201, "POST", "/v1/workspaces", map[string]any{"name": "third"}).get(t, "id").(string)
		places := []string{o.Workspace, second, third}
		all := map[string]map[string]any{} // live slices by id
		for i := range 40 {
			made := o.slice(t, places[i%3], map[string]any{"status": []string{"open", "in_progress"}[i%2]})
			all[made["id"].(string)] = made
		}
		runs := 0
		rapid.Check(t, func(r *rapid.T) {
			runs++
			w := walk{o: o, places: places, all: all, t: t, r: r}
			w.run()
		})
		t.Logf("%d walks", runs)
	})
}

// walk is one walk over a list that changes between its pages.
type walk struct {
	o      org
	places []string
	all    map[string]map[string]any
	t      *testing.T
	r      *rapid.T

	field, order string
	steady       map[string]map[string]any // there throughout, and unchanged
	seen         []string
}

func (w *walk) run() {
	query, matches := w.query()
	w.steady = map[string]map[string]any{}
	for id, row := range w.all {
		if matches(row) {
			w.steady[id] = row
		}
	}
	cursor, has := "", true
	for pages := 0; has; pages++ {
		if pages > 200 {
			w.r.Fatalf("the walk does not end: %s", query)
		}
		limit := rapid.SampledFrom([]int{1, 2, 5, 25, 100}).Draw(w.r, "limit")
		path := fmt.Sprintf("/v1/slices?%s&limit=%d", query, limit)
		if cursor != "" {
			path += "&cursor=" + cursor
		}
		cursor, has = w.page(path, limit, matches)
		for range rapid.IntRange(0, 3).Draw(w.r, "changes") {
			w.change()
		}
	}
	w.check(query)
}

func (w *walk) query() (string, func(map[string]any) bool) {
	w.field = rapid.SampledFrom([]string{"createdAt", "updatedAt"}).Draw(w.r, "sort")
	w.order = rapid.SampledFrom([]string{"asc", "desc"}).Draw(w.r, "order")
	query := "sort=" + w.field + "&order=" + w.order
	workspace := rapid.SampledFrom(append([]string{""}, w.places...)).Draw(w.r, "workspace")
	if workspace != "" {
		query += "&workspaceId=" + workspace
	}
	status := rapid.SampledFrom([]string{"", "open", "in_progress,closed"}).Draw(w.r, "status")
	if status != "" {
		query += "&status=" + status
	}
	return query, func(row map[string]any) bool {
		return (workspace == "" || row["workspaceId"] == workspace) &&
			(status == "" || slices.Contains(strings.Split(status, ","), row["status"].(string)))
	}
}

func (w *walk) page(path string, limit int, matches func(map[string]any) bool) (cursor string, has bool) {
	a := w.o.want(w.t, 200, "GET", path, nil)
	rows := a.get(w.t, "data").([]any)
	for _, row := range rows {
		m := row.(map[string]any)
		if !matches(m) {
			w.r.Fatalf("%s: a row that the filter excludes: %v", path, m)
		}
		w.seen = append(w.seen, m["id"].(string))
	}
	has = a.get(w.t, "pagination.hasMore").(bool)
	next := a.get(w.t, "pagination.cursor")
	if has != (next != nil) {
		w.r.Fatalf("%s: hasMore is %v, and the cursor %v", path, has, next)
	}
	if len(rows) > limit || has && len(rows) != limit {
		w.r.Fatalf("%s: %d rows on a page of %d, hasMore %v", path, len(rows), limit, has)
	}
	cursor, _ = next.(string)
	return cursor, has
}

// change creates, deletes or changes a row; what it touches is no longer steady.
func (w *walk) change() {
	ids := make([]string, 0, len(w.all))
	for id := range w.all {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	id := rapid.SampledFrom(ids).Draw(w.r, "row")
	switch rapid.SampledFrom([]string{"create", "create", "delete", "status", "summary"}).Draw(w.r, "what") {
	case "create":
		made := w.o.slice(w.t, rapid.SampledFrom(w.places).Draw(w.r, "place"), nil)
		w.all[made["id"].(string)] = made
	case "delete":
		if len(w.all) > 20 {
			w.o.want(w.t, 204, "DELETE", "/v1/slices/"+id, nil)
			delete(w.all, id)
			delete(w.steady, id)
		}
	case "status":
		to := map[any]string{"open": "in_progress", "in_progress": "open"}[w.all[id]["status"]]
		w.all[id] = w.o.want(w.t, 200, "PATCH", "/v1/slices/"+id, map[string]any{"status": to}).JSON(w.t)
		delete(w.steady, id)
	case "summary":
		w.all[id] = w.o.want(w.t, 200, "PATCH", "/v1/slices/"+id,
			map[string]any{"summary": fmt.Sprint("changed ", len(w.seen))}).JSON(w.t)
		if w.field == "updatedAt" {
			delete(w.steady, id)
		}
	}
}

func (w *walk) check(query string) {
	var want, got []string
	for id := range w.steady {
		want = append(want, id)
	}
	slices.SortFunc(want, func(a, b string) int {
		c := cmp.Or(cmp.Compare(w.steady[a][w.field].(string), w.steady[b][w.field].(string)), cmp.Compare(a, b))
		if w.order == "desc" {
			c = -c
		}
		return c
	})
	for _, id := range w.seen {
		if _, ok := w.steady[id]; ok {
			got = append(got, id)
		}
	}
	if !slices.Equal(want, got) {
		w.r.Fatalf("%s:\nwant %v\ngot  %v", query, want, got)
	}
}

// TestPaginationOfShortLists: the other lists are read page by page.
func TestPaginationOfShortLists(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "small")
		for i := range 7 {
			o.want(t, 201, "POST", "/v1/workspaces", map[string]any{"name": fmt.Sprint("w", i)})
			o.want(t, 201, "POST", "/v1/workspaces/"+o.Workspace+"/spaces", map[string]any{"name": fmt.Sprint("s", i)})
			o.newKey(t, map[string]any{"name": "k", "type": []string{"pat", "wst"}[i%2],
				"scopes": []string{"user:read"}, "workspaceId": map[bool]any{true: o.Workspace, false: nil}[i%2 == 1]})
		}
		for range 3 {
			o.newUser(t, "m", o.Workspace)
		}
		for path, want := range map[string]int{"/v1/workspaces": 8, "/v1/workspaces/" + o.Workspace + "/spaces": 7,
			"/v1/api-keys": 8, "/v1/workspaces/" + o.Workspace + "/members": 4} {
			seen, last, cursor := map[any]bool{}, "", ""
			for {
				a := o.want(t, 200, "GET", path+"?limit=2"+cursor, nil)
				for _, row := range a.get(t, "data").([]any) {
					m := row.(map[string]any)
					id, _ := m["id"].(string)
					if id == "" {
						id = m["userId"].(string)
					}
					if seen[id] || id <= last {
						t.Fatalf("%s: %s again or out of order", path, id)
					}
					seen[id], last = true, id
				}
				if a.get(t, "pagination.hasMore") == false {
					break
				}
				cursor = "&cursor=" + a.get(t, "pagination.cursor").(string)
			}
			if len(seen) != want {
				t.Errorf("%s: %d rows, want %d", path, len(seen), want)
			}
		}
	})
}
