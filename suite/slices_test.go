package suite

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
)

// TestMoves: every status can follow every other. A slice has a resolution and its time exactly while it is resolved
// or closed.
func TestMoves(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "moves")
		move := func(id string, patch api.SlicePatch) api.Slice {
			t.Helper()
			return call(t, o.client, api.UpdateSlice{SliceID: id, Patch: patch})
		}
		for _, from := range api.Open.Values() {
			for _, to := range api.Open.Values() {
				made := o.file(t, api.SliceFields{Status: api.Status(from)})
				checkMove(t, made.Slice, move(made.ID, api.SlicePatch{}.Status(api.Status(to))), api.Status(to))
			}
		}
		id := o.file(t, api.SliceFields{Status: api.Resolved, Resolution: new(api.WontFix)}).ID
		for _, tt := range []struct {
			patch api.SlicePatch
			want  api.Resolution
		}{
			{api.SlicePatch{}.Status(api.Closed), api.WontFix},
			{api.SlicePatch{}.Status(api.Resolved), api.WontFix},
			{api.SlicePatch{}.Status(api.Closed).Resolution(nil), api.Fixed},
		} {
			if got := *move(id, tt.patch).Resolution; got != tt.want {
				t.Errorf("%v: the resolution is %s, want %s", tt.patch, got, tt.want)
			}
		}
		for _, status := range []api.Status{api.Open, api.InProgress} {
			p := refused(t, o.client, api.CodeInvalidBody,
				api.UpdateSlice{SliceID: id, Patch: api.SlicePatch{}.Status(status).Resolution(new(api.Fixed))})
			if f := p.Errors[0]; f.Pointer != "/resolution" || f.Code != "not_resolved" {
				t.Errorf("%s: %+v", status, f)
			}
		}
		if got := call(t, o.client, api.GetSlice{SliceID: id}).Status; got != api.Closed {
			t.Errorf("a refused patch was half applied: %s", got)
		}
	})
}

// checkMove compares the resolution and its time after a move to a status. A move between resolved and closed keeps
// the time.
func checkMove(t *testing.T, before, after api.Slice, to api.Status) {
	t.Helper()
	finished := to == api.Resolved || to == api.Closed
	switch {
	case after.Status != to, finished != (after.ResolvedAt != nil), finished != (after.Resolution != nil):
		t.Errorf("%s to %s: %+v", before.Status, to, after)
	case finished && *after.Resolution != api.Fixed, finished && before.ResolvedAt != nil &&
		*after.ResolvedAt != *before.ResolvedAt:
		t.Errorf("%s to %s: %s at %s", before.Status, to, *after.Resolution, after.ResolvedAt)
	}
}

// TestMergePatch follows RFC 7396: absent stays, null removes, objects merge, lists are replaced.
func TestMergePatch(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "patches")
		made := o.slice(t, o.Workspace, map[string]any{"description": "d", "labels": []string{"a", "b"},
			"priority":    "low",
			"environment": map[string]any{"os": "Linux", "browser": "Firefox"},
			"metadata":    map[string]any{"a": "1", "b": "2"}})
		path := "/v1/slices/" + made["id"].(string)
		a := o.want(t, 200, "PATCH", path,
			`{"description":null,"labels":["c"],"environment":{"os":null,"locale":"sv"},"metadata":{"a":null,"c":"3"}}`,
			"Content-Type", "application/merge-patch+json")
		a.has(t, members{"description": nil, "priority": "low", "labels": []string{"c"},
			"environment.os": nil, "environment.browser": "Firefox", "environment.locale": "sv",
			"metadata": map[string]any{"b": "2", "c": "3"}, "version": 2})
		assert.Equal(t, "ETag", a.Header.Get("ETag"), `"2"`)
		if got := o.want(t, 200, "PATCH", path, `{"priority":"low"}`).get(t, "version"); got != 2.0 {
			t.Errorf("a patch that changes nothing raised the version to %v", got)
		}
		for _, bad := range []string{`{"summary":null}`, `{"status":null}`,
			`{"version":9}`, `{"workspaceId":"x"}`, `{"labels":"a"}`, `{"environment":{"colour":"red"}}`,
			`{"environment":[]}`, `{"metadata":{"a":1}}`} {
			o.want(t, 422, "PATCH", path, bad)
		}
		many := map[string]any{}
		for i := range 49 {
			many[fmt.Sprint("k", i)] = "v"
		}
		o.want(t, 422, "PATCH", path, map[string]any{"metadata": many})
		if got := o.want(t, 200, "PATCH", path, `{"labels":null,"metadata":null,"environment":null}`).JSON(
			t); len(got["labels"].([]any)) != 0 || len(got["metadata"].(map[string]any)) != 0 {
			t.Errorf("null did not empty: %v", got)
		}
	})
}

// TestNumbersAndExternalIds: numbers count without gaps or repeats under concurrency and
// failures; of two filings with one externalId one is refused.
func TestNumbersAndExternalIds(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "numbers")
		const clients, each = 16, 10
		var mu sync.Mutex
		seen, taken := map[float64]int{}, 0
		var work sync.WaitGroup
		for i := range clients {
			work.Go(func() {
				for j := range each {
					a := o.do(t, "POST", "/v1/slices", map[string]any{"workspaceId": o.Workspace,
						"summary": fmt.Sprint(i, j), "externalId": fmt.Sprint("run-", j)})
					mu.Lock()
					switch a.Status {
					case 201:
						seen[a.get(t, "number").(float64)]++
					case 409:
						taken++
					default:
						t.Errorf("%d %s", a.Status, a.Body)
					}
					mu.Unlock()
				}
			})
		}
		work.Wait()
		if len(seen) != each || taken != clients*each-each {
			t.Errorf("%d filed and %d refused of %d ids", len(seen), taken, each)
		}
		for n := 1; n <= each; n++ {
			if seen[float64(n)] != 1 {
				t.Errorf("number %d was given %d times", n, seen[float64(n)])
			}
		}
		a := o.want(t, 200, "GET", "/v1/slices?externalId=run-3&workspaceId="+o.Workspace, nil)
		found := a.get(t, "data").([]any)
		if len(found) != 1 {
			t.Fatalf("looked up by externalId: %s", a.Body)
		}
		path := "/v1/slices/" + found[0].(map[string]any)["id"].(string)
		o.want(t, 204, "DELETE", path, nil)
		o.want(t, 404, "GET", path, nil)
		o.want(t, 404, "PATCH", path, map[string]any{"summary": "y"})
		o.want(t, 404, "DELETE", path, nil)
		second := o.slice(t, o.Workspace, map[string]any{"externalId": "run-3"})
		o.want(t, 409, "POST", path+"/restore", nil).has(t, members{"code": api.CodeExternalIDTaken})
		o.want(t, 200, "PATCH", "/v1/slices/"+second["id"].(string), map[string]any{"externalId": nil})
		o.want(t, 200, "POST", path+"/restore", nil)
		o.want(t, 200, "POST", path+"/restore", nil)
		o.want(t, 409, "PATCH", "/v1/slices/"+second["id"].(string), map[string]any{"externalId": "run-3"})
	})
}

// TestDuplicates refuses circles, also of several.
func TestDuplicates(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "duplicates")
		var ids []string
		for range 4 {
			ids = append(ids, o.slice(t, o.Workspace, nil)["id"].(string))
		}
		of := func(i, j, status int) {
			t.Helper()
			o.want(t, status, "PATCH", "/v1/slices/"+ids[i], map[string]any{"duplicateOfId": ids[j]})
		}
		of(0, 0, 422)
		of(0, 1, 200)
		of(1, 2, 200)
		of(2, 3, 200)
		of(3, 0, 422)
		of(2, 0, 422)
		for range 10 { // two that would close a circle at once: at most one passes
			a, b := o.slice(t, o.Workspace, nil)["id"].(string), o.slice(t, o.Workspace, nil)["id"].(string)
			var statuses [2]int
			var work sync.WaitGroup
			for i, pair := range [][2]string{{a, b}, {b, a}} {
				work.Go(func() {
					statuses[i] = o.do(t, "PATCH", "/v1/slices/"+pair[0], map[string]any{"duplicateOfId": pair[1]}).
						Status
				})
			}
			work.Wait()
			if slices.Sort(statuses[:]); statuses != [2]int{200, 422} {
				t.Errorf("%v", statuses)
			}
		}
	})
}

// TestLostUpdates: of many changes under one If-Match, one passes; without it, each is whole.
func TestLostUpdates(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "updates")
		path := "/v1/slices/" + o.slice(t, o.Workspace, nil)["id"].(string)
		count := func(headers ...string) (passed int) {
			var mu sync.Mutex
			var work sync.WaitGroup
			for i := range 12 {
				work.Go(func() {
					a := o.do(t, "PATCH", path, map[string]any{"metadata": map[string]any{fmt.Sprint("k", i): "v"}},
						headers...)
					mu.Lock()
					defer mu.Unlock()
					if a.Status == 200 {
						passed++
					} else if a.Status != 412 {
						t.Errorf("%d %s", a.Status, a.Body)
					}
				})
			}
			work.Wait()
			return passed
		}
		if n := count("If-Match", `"1"`); n != 1 {
			t.Errorf("%d passed under one If-Match", n)
		}
		if n := count(); n != 12 {
			t.Errorf("%d of 12 passed without If-Match", n)
		}
		if m := o.want(t, 200, "GET", path, nil).get(t, "metadata").(map[string]any); len(m) != 12 {
			t.Errorf("changes were lost: %v", m)
		}
	})
}

// TestIdempotency: a retry gives the first answer, twins have one effect, another body is refused.
func TestIdempotency(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "retries")
		body := map[string]any{"workspaceId": o.Workspace, "summary": "once", "externalId": "once"}
		var mu sync.Mutex
		answers := map[string]int{}
		var work sync.WaitGroup
		for range 10 {
			work.Go(func() {
				a := o.do(t, "POST", "/v1/slices", body, "Idempotency-Key", "k1")
				mu.Lock()
				answers[fmt.Sprint(a.Status, string(a.Body))]++
				mu.Unlock()
			})
		}
		work.Wait()
		if len(answers) != 1 {
			t.Errorf("twins got %d answers: %v", len(answers), answers)
		}
		o.want(t, 422, "POST", "/v1/slices", map[string]any{"workspaceId": o.Workspace, "summary": "other"},
			"Idempotency-Key", "k1").has(t, members{"code": api.CodeIdempotencyKeyReused})
		o.want(t, 422, "POST", "/v1/slices",
			map[string]any{"workspaceId": o.Workspace, "summary": "x", "spaceId": "spc_x"},
			"Idempotency-Key", "k2")
		// A failure is not stored.
		o.want(t, 201, "POST", "/v1/slices", map[string]any{"workspaceId": o.Workspace, "summary": "x"},
			"Idempotency-Key", "k2")
		other, _ := o.newUser(t, "retrier", o.Workspace)
		other.want(t, 201, "POST", "/v1/slices", map[string]any{"workspaceId": o.Workspace, "summary": "mine"},
			"Idempotency-Key", "k1")
		key := map[string]any{"name": "k", "type": "pat", "scopes": []string{"user:read"}}
		o.want(t, 201, "POST", "/v1/api-keys", key, "Idempotency-Key", "k3")
		o.want(t, 409, "POST", "/v1/api-keys", key, "Idempotency-Key", "k3").
			has(t, members{"code": api.CodeReplaySecret})
		o.want(t, 201, "POST", "/v1/workspaces", map[string]any{"name": "w"}, "Idempotency-Key",
			"k1") // another operation
		o.want(t, 400, "POST", "/v1/workspaces", map[string]any{"name": "w"}, "Idempotency-Key",
			strings.Repeat("k", 256))
	})
}

// TestUnsafeAddresses: what would run when somebody clicks on it is no address of a bug.
func TestUnsafeAddresses(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "addresses")
		id := o.slice(t, o.Workspace, map[string]any{"sourceUrl": "android-app://com.example/cart",
			"fingerprint": "known"})["id"].(string)
		for _, address := range []string{"javascript:alert(1)", " JavaScript:alert(1)",
			"java\tscript:alert(1)", "data:text/html,x", "vbscript:x"} {
			for _, fields := range []map[string]any{{"sourceUrl": address},
				{"environment": map[string]any{"buildUrl": address}}} {
				o.want(t, 422, "PATCH", "/v1/slices/"+id, fields)
				fields["summary"], fields["workspaceId"] = "x", o.Workspace
				o.want(t, 422, "POST", "/v1/slices", fields)
				fields["fingerprint"] = "known"
				o.want(t, 422, "POST", "/v1/slices", fields)
			}
		}
	})
}

// TestSortByPriority: urgent first, none last, and then the newest first; page by page, and in the reverse order.
func TestSortByPriority(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "priorities")
		names := map[any]string{}
		for n, priority := range []any{"low", nil, "urgent", "high", "urgent", nil, "medium", "low"} {
			names[o.slice(t, o.Workspace, map[string]any{"priority": priority})["id"]] = fmt.Sprint(n)
		}
		walk := func(query string) (found string) {
			path := "/v1/slices?sort=priority&limit=3&workspaceId=" + o.Workspace + query
			for cursor := ""; ; {
				a := o.want(t, 200, "GET", path+cursor, nil)
				for _, row := range a.get(t, "data").([]any) {
					found += names[memberAt(row, "id")]
				}
				if a.get(t, "pagination.hasMore") == false {
					return found
				}
				cursor = "&cursor=" + url.QueryEscape(a.get(t, "pagination.cursor").(string))
			}
		}
		assert.Equal(t, "urgent first", walk(""), "42367051")
		assert.Equal(t, "none first", walk("&order=asc"), "15076324")
		assert.Equal(t, "filtered", walk("&priority=low,urgent"), "4270")
		for id, name := range names {
			if name == "1" {
				o.want(t, 200, "PATCH", "/v1/slices/"+id.(string), map[string]any{"priority": "urgent"})
			}
		}
		assert.Equal(t, "after a change", walk(""), "42136705")
		o.want(t, 400, "GET", "/v1/slices?sort=priority", nil).has(t,
			members{"errors.0.parameter": "workspaceId", "errors.0.code": "required"})
		wst, _ := o.newKey(t, map[string]any{"name": "ci", "type": "wst", "scopes": api.AllScopes(),
			"workspaceId": o.Workspace})
		wst.want(t, 200, "GET", "/v1/slices?sort=priority", nil).has(t, members{"data.#": 8})
	})
}

// TestFilters: each filter selects the slices that a filter in Go selects, and a search those of fixed texts.
func TestFilters(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "filters")
		space := o.want(t, 201, "POST", "/v1/workspaces/"+o.Workspace+"/spaces", map[string]any{"name": "sp"}).
			get(t, "id").(string)
		user, userID := o.newUser(t, "filterer", o.Workspace)
		a := o.slice(t, o.Workspace, map[string]any{"summary": "Crème brûlée button",
			"fingerprint": "print-a", "environment": map[string]any{"release": "2.7"},
			"priority": "high", "labels": []string{"ui", "x"}, "spaceId": space})
		time.Sleep(5 * time.Millisecond)
		b := user.slice(t, o.Workspace, map[string]any{"summary": "Straße gesperrt",
			"description": "the BUTTON is dead", "severity": "major", "assigneeId": userID, "status": "closed"})
		time.Sleep(5 * time.Millisecond)
		c := o.slice(t, o.Workspace, map[string]any{"summary": "支払いボタン",
			"description": "@" + userID, "labels": []string{"ui"}, "assigneeId": o.UserID, "status": "in_progress"})
		names := map[any]string{a["id"]: "a", b["id"]: "b", c["id"]: "c"}
		for query, want := range map[string]string{
			"": "cba", "order=asc": "abc", "status=open": "a", "status=open,in_progress": "ca",
			"priority=high": "a", "severity=major,minor": "b",
			"label=ui": "ca", "label=x,y": "a", "label=nope": "", "assigneeId=me": "c",
			"assigneeId=none": "a", "assigneeId=none,me": "ca", "assigneeId=" + userID: "b",
			"reporterId=me": "ca", "reporterId=" + userID: "b", "spaceId=" + space: "a", "spaceId=none": "cb",
			"fingerprint=print-a,print-b": "a", "release=2.7": "a", "resolvedAfter=" +
				url.QueryEscape(b["createdAt"].(string)): "b",
			"resolvedBefore=" + url.QueryEscape(b["createdAt"].(string)): "",
			"fingerprint=print": "", "number=2": "b", "number=4": "",
			"createdAfter=" +
				url.QueryEscape(b["createdAt"].(string)): "cb",
			"createdBefore=" + url.QueryEscape(b["createdAt"].(string)): "a",
			"updatedAfter=" + url.QueryEscape(c["updatedAt"].(string)):  "c",
			"updatedBefore=" +
				url.QueryEscape(c["updatedAt"].(string)): "ba",
			"createdAfter=" + url.QueryEscape(b["createdAt"].(string)) + "&updatedBefore=" +
				url.QueryEscape(c["updatedAt"].(string)): "b",
			"createdAfter=" + url.QueryEscape(c["createdAt"].(string)) + "&updatedBefore=" +
				url.QueryEscape(c["createdAt"].(string)): "",
			"createdBefore=" + url.QueryEscape(b["createdAt"].(string)) + "&updatedBefore=" +
				url.QueryEscape(c["updatedAt"].(string)): "a",
			"resolvedBefore=" + url.QueryEscape(c["createdAt"].(string)) + "&createdAfter=" +
				url.QueryEscape(b["createdAt"].(string)): "b",
			"sort=updatedAt&order=asc&createdAfter=" +
				url.QueryEscape(b["createdAt"].(string)): "bc",
			"sort=updatedAt&order=asc&resolvedAfter=" + url.QueryEscape(a["createdAt"].(string)): "b",
			"priority=none": "cb", "priority=none,high": "cba", "severity=none": "ca",
			"withoutLabels=true": "b", "mentions=" + userID: "c", "mentions=me": "",
			"q=button": "ba", "q=BUTTON+dead": "b", "q=creme+brulee": "a",
			"q=Cr%C3%A8me": "a", "q=strasse": "b", "q=%E6%94%AF%E6%89%95": "c",
			"q=butto": "ba", "q=%22butto%22": "", "q=button+nothing": "",
			"q=dead%27--": "b", "q=%22button%22+OR+*": "ba",
			"q=" + url.QueryEscape(`button "dead`): "b", "q=" + url.QueryEscape(`status: {"button":1}`): "",
		} {
			got := ""
			for _, row := range o.want(t, 200, "GET", "/v1/slices?workspaceId="+o.Workspace+"&"+query, nil).
				get(t, "data").([]any) {
				got += names[row.(map[string]any)["id"]]
			}
			if got != want {
				t.Errorf("%s: %q, want %q", query, got, want)
			}
		}
		o.want(t, 400, "GET", "/v1/slices?q=%21%21", nil)
		o.want(t, 200, "PATCH", "/v1/slices/"+a["id"].(string), map[string]any{"summary": "renamed"})
		if n := len(o.want(t, 200, "GET", "/v1/slices?q=brulee", nil).get(t, "data").([]any)); n != 0 {
			t.Errorf("found by words it no longer has")
		}
	})
}
