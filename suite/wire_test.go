package suite

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
)

// TestListParameters: every list has the limits of the contract, and refuses unknown parameters.
func TestListParameters(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "limits")
	lists := []string{"/v1/slices", "/v1/workspaces", "/v1/workspaces/" + o.Workspace + "/members",
		"/v1/workspaces/" + o.Workspace + "/spaces", "/v1/api-keys"}
	for _, list := range lists {
		for query, limit := range map[string]float64{"": 25, "limit=1": 1, "limit=25": 25, "limit=100": 100} {
			if got := o.want(t, 200, "GET", list+"?"+query, nil).get(t, "pagination.limit"); got != limit {
				t.Errorf("%s?%s: limit %v, want %v", list, query, got, limit)
			}
		}
		for query, parameter := range map[string]string{
			"limit=0": "limit", "limit=101": "limit", "limit=-1": "limit", "limit=1.5": "limit", "limit=abc": "limit",
			"limit=":          "limit",
			"limit=1&limit=2": "limit", "limit=%2B5": "limit", "limit=05": "limit",
			"limit=1e1": "limit", "limit=99999999999999999999": "limit",
			"cursor=": "cursor", "cursor=abc": "cursor", "cursor=a&cursor=b": "cursor",
			"cursor=%00": "cursor", "cursor=A%0A": "cursor", "cursor=" + strings.Repeat("A", 4000): "cursor",
			"limt=5": "limt", "foo=1": "foo", "access_token=x": "access_token",
		} {
			o.want(t, 400, "GET", list+"?"+query, nil).has(t, members{"errors.#": 1, "errors.0.parameter": parameter})
		}
	}
	a := o.want(t, 400, "GET", "/v1/slices?satus=open&limit=0&sort=", nil)
	if faults := a.get(t, "errors").([]any); len(faults) != 3 ||
		!strings.Contains(string(a.Body), "did you mean status?") {
		t.Errorf("not every fault at once: %s", a.Body)
	}
	for name, want := range map[string]string{"stauts": "; did you mean status?",
		"Status": "; did you mean status?", "prio": "; did you mean priority?",
		"labels": "; did you mean label?", "sequence": "", "x": "", "s": "",
		"page": "; use cursor and limit for pages", "per_page": "; use cursor and limit for pages",
		"pageSize": "; use cursor and limit for pages", "offset": "; use cursor and limit for pages"} {
		faults := o.want(t, 400, "GET", "/v1/slices?"+name+"=2", nil).get(t, "errors").([]any)
		if got := faults[0].(map[string]any)["detail"]; got != "there is no such parameter"+want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if a := o.want(t, 400, "GET", "/v1/me?page=2", nil); strings.Contains(string(a.Body), "cursor") {
		t.Errorf("pages of what has none: %s", a.Body)
	}
	for query, parameter := range map[string]string{"token=" + o.token: "token",
		"a=1&key=" + o.token: "key", "access_token=x": "access_token", o.token + "=1": "query", o.token: "query"} {
		a := o.want(t, 400, "GET", "/v1/slices?"+query, nil)
		a.has(t, members{"errors.0.parameter": parameter, "errors.0.code": "token_in_query"})
		assert.NotContains(t, parameter, string(a.Body), o.token)
	}
	o.want(t, 400, "GET", "/v1/slices?status=open,,closed", nil)
	o.want(t, 400, "GET", "/v1/slices?createdAfter=yesterday", nil)
	o.want(t, 404, "GET", "/v1/slices?workspaceId=nonsense", nil)
	if a := o.do(t, "GET", "/v1/slices?q=%FF", nil); a.Status != 400 {
		t.Errorf("invalid UTF-8 in a query: %d", a.Status)
	}
}

// TestCursorsAreBound: a cursor is refused for another list, caller or filter. It is accepted with another limit,
// after a rotation, and after its row is deleted.
func TestCursorsAreBound(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "cursors")
		var ids []string
		for range 5 {
			ids = append(ids, o.slice(t, o.Workspace, nil)["id"].(string))
		}
		list := "/v1/slices?status=open&workspaceId=" + o.Workspace
		first := o.want(t, 200, "GET", list+"&limit=2", nil)
		cursor := first.get(t, "pagination.cursor").(string)
		assert.Contains(t, "Link", first.Header.Get("Link"), "<"+s.URL, "cursor="+cursor, `rel="next"`)
		neighbour, _ := o.newUser(t, "other", o.Workspace)
		for what, path := range map[string]string{
			"a dropped filter": "/v1/slices?workspaceId=" + o.Workspace + "&cursor=" + cursor,
			"another filter":   "/v1/slices?status=closed&workspaceId=" + o.Workspace + "&cursor=" + cursor,
			"another list":     "/v1/workspaces?cursor=" + cursor,
			"an altered one":   list + "&cursor=" + cursor[:10] + other(cursor[10]) + cursor[11:],
			"a cut one":        list + "&cursor=" + cursor[:len(cursor)-1],
		} {
			assert.Equal(t, what, o.want(t, 400, "GET", path, nil).get(t, "code"), any(api.CodeInvalidCursor))
		}
		neighbour.want(t, 400, "GET", list+"&cursor="+cursor, nil)
		o.want(t, 204, "DELETE", "/v1/slices/"+ids[3], nil) // the row the cursor stands on
		key, id := o.newKey(t, map[string]any{"name": "walker", "type": "pat", "scopes": api.AllScopes()})
		rotated := client{s, key.want(t, 200, "POST", "/v1/api-keys/"+id+"/rotate", nil).get(t, "token").(string)}
		a := rotated.want(t, 200, "GET", list+"&limit=100&cursor="+cursor, nil)
		a.has(t, members{"data.#": 3, "pagination.cursor": nil, "pagination.hasMore": false})
	})
}

// other returns a character that is not c.
func other(c byte) string {
	if c == 'x' {
		return "y"
	}
	return "x"
}

// TestMalformedBodies: each malformed body is refused with its status and pointer.
func TestMalformedBodies(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "bodies")
	o.want(t, 201, "POST", "/v1/workspaces", map[string]any{"name": "Second"})
	w := o.Workspace
	for name, c := range map[string]struct {
		body   string
		status int
		find   string
	}{
		"empty":            {"", 400, "empty_body"},
		"spaces":           {"  ", 400, "empty_body"},
		"malformed":        {`{"summary":`, 400, "malformed_json"},
		"trailing":         {`{"summary":"x"} {}`, 400, "malformed_json"},
		"array":            {`[]`, 400, "not_an_object"},
		"null":             {`null`, 400, "not_an_object"},
		"duplicate":        {`{"summary":"x","summary":"y"}`, 400, "duplicate_member"},
		"nested duplicate": {`{"summary":"x","environment":{"os":"a","os":"b"}}`, 400, "duplicate_member"},
		"bad UTF-8":        {"{\"summary\":\"\xff\"}", 400, "invalid_utf8"},
		"lone surrogate":   {`{"summary":"\ud800"}`, 400, "invalid_utf8"},
		"costly number":    {`{"summary":"x","labels":[1e999999,1e999998]}`, 400, "malformed_json"},
		"deep":             {strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70), 400, "too_deep"},
		"NUL":              {`{"summary":"a\u0000b"}`, 422, "nul_character"},
		"missing":          {`{}`, 422, "/summary"},
		"empty summary":    {`{"summary":""}`, 422, "/summary"},
		"blank summary":    {`{"summary":"  "}`, 422, "blank"},
		"long summary":     {`{"summary":"` + strings.Repeat("é", 201) + `"}`, 422, "too_long"},
		"wrong type":       {`{"summary":7}`, 422, "wrong_type"},
		"unknown": {`{"summary":"x","sumary":"y"}`, 422,
			`"unknown_member","detail":"no such member; did you mean summary?"`},
		"unknown, deep": {`{"summary":"x","evidence":{"console":[{"level":"info"},{"message":"y","tmestamp":"z"}]}}`,
			422, `"/evidence/console/1/tmestamp","code":"unknown_member","detail":"no such member; did you mean timestamp?"`},
		"unknown, far": {`{"summary":"x","~1/~0":"y"}`, 422, `"unknown_member","detail":"no such member"`},
		"wrong case": {`{"Summary":"x","summary":"y"}`, 422,
			`"unknown_member","detail":"no such member; did you mean summary?"`},
		"read-only":        {`{"summary":"x","number":4}`, 422, "read_only"},
		"enum":             {`{"summary":"x","priority":"asap"}`, 422, "not_allowed"},
		"label with comma": {`{"summary":"x","labels":["a,b"]}`, 422, "/labels/0"},
		"repeated label":   {`{"summary":"x","labels":["a","a"]}`, 422, "repeated"},
		"nested metadata":  {`{"summary":"x","metadata":{"a":{}}}`, 422, "/metadata/a"},
		"foreign space": {`{"summary":"x","workspaceId":"` + w + `","spaceId":"spc_00000000000000000000000000"}`,
			422, "/spaceId"},
		"foreign assignee": {`{"summary":"x","workspaceId":"` + w + `","assigneeId":"nobody"}`, 422, "/assigneeId"},
		"foreign duplicate": {`{"summary":"x","workspaceId":"` + w + `","duplicateOfId":"slc_nothing"}`, 422,
			"/duplicateOfId"},
		"no workspace":     {`{"summary":"x"}`, 422, "/workspaceId"},
		"unseen workspace": {`{"summary":"x","workspaceId":"wsp_7zzzzzzzzzzzzzzzzzzzzzzzzz"}`, 404, "not_found"},
		"open, resolution": {`{"summary":"x","workspaceId":"` + w + `","resolution":"fixed"}`, 422, "/resolution"},
	} {
		a := o.do(t, "POST", "/v1/slices", c.body)
		if a.Status != c.status || !strings.Contains(string(a.Body), c.find) {
			t.Errorf("%s: %d, want %d with %s: %s", name, a.Status, c.status, c.find, a.Body)
		}
	}
	o.want(t, 413, "POST", "/v1/slices", `{"summary":"`+strings.Repeat("x", 10<<20)+`"}`) // evidence may come along
	o.want(t, 413, "PATCH", "/v1/workspaces/"+w, `{"name":"`+strings.Repeat("x", 1<<20)+`"}`)
	o.want(t, 415, "POST", "/v1/slices", `{}`, "Content-Type", "text/plain")
	o.want(t, 415, "POST", "/v1/slices", `{}`, "Content-Type", "")
	o.want(t, 415, "POST", "/v1/slices", `{}`, "Content-Type", "application/merge-patch+json")
	o.want(t, 422, "POST", "/v1/slices", `{}`, "Content-Type", "application/json; charset=UTF-8")
	o.want(t, 415, "POST", "/v1/slices", `{}`, "Content-Type", "application/json; charset=latin1")
	checkTwoMediaTypes(t, o)
	a := o.want(t, 400, "POST", "/v1/slices?x=1", map[string]any{"summary": "", "labels": []string{"a,b"}})
	if n := len(a.get(t, "errors").([]any)); n != 3 {
		t.Errorf("parameter and body faults together: %d: %s", n, a.Body)
	}
}

// TestResponseHeaders: the headers that every response has.
func TestResponseHeaders(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "headers")
	a := o.want(t, 201, "POST", "/v1/slices", map[string]any{"workspaceId": o.Workspace, "summary": "x"})
	id := a.get(t, "id").(string)
	if got := a.Header.Get("Location"); got != s.URL+"/v1/slices/"+id {
		t.Errorf("Location: %s", got)
	}
	if a.Header.Get("ETag") != `"1"` || a.Header.Get("X-Request-Id") == "" {
		t.Errorf("headers: %v", a.Header)
	}
	client{server: s}.want(t, 405, "svc_pat_METHOD", "/v1/me", nil)
	path := "/v1/slices/" + id
	for tag, status := range map[string]int{`"1"`: 304, `W/"1"`: 304, `"0", "1"`: 304, "*": 304, `"2"`: 200} {
		o.want(t, status, "GET", path, nil, "If-None-Match", tag)
	}
	for _, tag := range []string{`"2"`, `W/"1"`, `2`} {
		o.want(t, 412, "PATCH", path, map[string]any{"summary": "y"}, "If-Match", tag)
	}
	o.want(t, 200, "PATCH", path, map[string]any{"summary": "y"}, "If-Match", `"2", "1"`)
	comment := o.want(t, 201, "POST", path+"/comments", map[string]any{"body": "c"}).get(t, "id").(string)
	o.want(t, 400, "PATCH", "/v1/comments/"+comment, map[string]any{"body": "z"}, "If-Match", `"1"`) // it has no ETag
	o.want(t, 412, "PATCH", "/v1/workspaces/"+o.Workspace, map[string]any{"name": "z"}, "If-Match", `"9"`)
	o.want(t, 412, "DELETE", path, nil, "If-Match", `"1"`)
	o.want(t, 200, "HEAD", path, nil)
	if a := o.want(t, 405, "PUT", path, nil); a.Header.Get("Allow") != "DELETE, GET, HEAD, PATCH" ||
		a.get(t, "code") != api.CodeMethod {
		t.Errorf("405: %v %s", a.Header, a.Body)
	}
	for _, unknown := range []string{"/v1/nothing", "/v1/slices/", "/v1//slices",
		"/v1/slices/" + id + "/x", "/v2/slices", "/v1/slices/..", "/v1/slices/%00", "/v1/slices/slc_x",
		"/v1/slices/%FF"} {
		if a := o.want(t, 404, "GET", unknown, nil); a.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %v", unknown, a.Header)
		}
	}
	for path, also := range map[string]string{path: "text/markdown", "/v1/events?workspaceId=" +
		o.Workspace: "text/event-stream;q=0.5"} {
		for _, accept := range []string{"application/json", also + ", application/json;q=0.9"} {
			if vary := strings.Join(o.want(t, 200, "GET", path, nil, "Accept", accept).Header.Values("Vary"),
				", "); vary != "Accept-Encoding, Accept" {
				t.Errorf("%s as %s varies by %s", path, accept, vary)
			}
		}
	}
	a = o.want(t, 201, "POST", "/v1/api-keys",
		map[string]any{"name": "k", "type": "pat", "scopes": []string{"user:read"}})
	if a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("a token may be cached: %v", a.Header)
	}
	a = o.want(t, 400, "GET", "/v1/me?key="+a.get(t, "token").(string), nil)
	if log := s.logged(); strings.Contains(log, "svc_") || !strings.Contains(log, `"method":"other"`) {
		t.Error("a token is in the log, or a method is not")
	}
	for _, path := range []string{"/openapi.json", "/docs", "/healthz", "/readyz"} {
		client{server: s}.want(t, 200, "GET", path, nil)
	}
}

// TestGzip compresses larger answers when asked.
func TestGzip(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "gzip")
	o.slice(t, o.Workspace, map[string]any{"description": strings.Repeat("long ", 2000)})
	a := o.want(t, 200, "GET", "/v1/slices", nil, "Accept-Encoding", "gzip")
	if a.Header.Get("Content-Encoding") != "gzip" {
		t.Fatalf("not compressed: %v", a.Header)
	}
	r, err := gzip.NewReader(strings.NewReader(string(a.Body)))
	must(t, err)
	plain, err := io.ReadAll(r)
	must(t, err)
	if !json.Valid(plain) {
		t.Error("what was compressed is no JSON")
	}
	if a := o.want(t, 200, "GET", "/v1/me", nil, "Accept-Encoding", "gzip"); a.Header.Get("Content-Encoding") != "" {
		t.Error("a short answer was compressed")
	}
}

// TestRateLimits: each key has a limit of its own that responses state, and failures do not count against valid keys.
func TestRateLimits(t *testing.T) {
	ownServers(t, []string{"--rate-limit", "60"}, func(t *testing.T, s *server) {
		o := newOrg(t, s, "rates")
		var a answer
		for range 70 {
			if a = o.do(t, "GET", "/v1/me", nil); a.Status == 429 {
				break
			}
		}
		assert.Equal(t, "status after 70 requests", a.Status, 429)
		assert.Equal(t, "RateLimit-Policy", a.Header.Get("RateLimit-Policy"), `"key";q=60;w=60`)
		assert.Contains(t, "RateLimit", a.Header.Get("RateLimit"), `"key";r=0;t=`)
		if a.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
		off := newServer(t, s.engine, t.TempDir(), "--rate-limit", "off") // for keys alone
		off.start(t)
		defer off.kill()
		for _, s := range []*server{s, off} {
			stranger := client{s, "svc_pat_nonsense"}
			for range 70 {
				if a = stranger.do(t, "GET", "/v1/me", nil); a.Status == 429 {
					break
				}
			}
			if a.Status != 429 || a.Header.Get("Retry-After") == "" {
				t.Fatalf("failures are not throttled: %d", a.Status)
			}
			fresh := newOrg(t, s, "neighbour") // from the same address
			fresh.want(t, 200, "GET", "/v1/me", nil)
		}
	})
}

// TestCredentials: a malformed or unknown credential is refused by RFC 6750.
func TestCredentials(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "credentials")
	for _, header := range []string{"", "Bearer", "Bearer ", "Basic " + o.token,
		o.token, "Bearer " + o.token + "x", "Bearer " + strings.ToLower(o.token), "Bearer a b"} {
		c := client{server: s}
		a := c.want(t, 401, "GET", "/v1/me", nil, "Authorization", header)
		if !strings.HasPrefix(a.Header.Get("WWW-Authenticate"), `Bearer realm=`) {
			t.Errorf("%q: %v", header, a.Header)
		}
	}
	for _, scheme := range []string{"Bearer", "bearer", "BEARER", "Bearer  "} {
		client{server: s}.want(t, 200, "GET", "/v1/me", nil, "Authorization", scheme+" "+o.token)
	}
	req, err := http.NewRequest("GET", s.URL+"/v1/me", nil)
	must(t, err)
	req.Header["Authorization"] = []string{"Bearer " + o.token, "Bearer " + o.token}
	res, err := transport.RoundTrip(req)
	must(t, err)
	_ = res.Body.Close()
	if res.StatusCode != 401 {
		t.Errorf("two credentials: %d", res.StatusCode)
	}
	weak, _ := o.newKey(t, map[string]any{"name": "weak", "type": "pat", "scopes": []string{"user:read"}})
	a := weak.want(t, 403, "POST", "/v1/slices", "this is not even JSON")
	assert.Contains(t, "WWW-Authenticate", a.Header.Get("WWW-Authenticate"), `scope="slices:write"`)
	a.has(t, members{"code": api.CodeScope})
}

// TestTimestampFormat: every time is in UTC with three decimals.
func TestTimestampFormat(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "times")
		made := o.slice(t, o.Workspace, nil)
		text := made["createdAt"].(string)
		at, err := time.Parse("2006-01-02T15:04:05.000Z", text)
		must(t, err)
		assert.Equal(t, "length of createdAt", len(text), 24)
		if time.Since(at) > time.Minute {
			t.Errorf("createdAt is %s, want a time within this minute", text)
		}
		for _, name := range []string{"spaceId", "description", "resolution", "priority", "assigneeId", "externalId",
			"resolvedAt"} {
			if v, ok := made[name]; !ok || v != nil {
				t.Errorf("%s is %v, want null", name, v)
			}
		}
		if made["url"] != fmt.Sprintf("%s/slices/%s", s.URL, made["id"]) {
			t.Errorf("url: %v", made["url"])
		}
	})
}

// TestCostlyBodies: a body of 10 MiB with a million faults is refused as quickly as another,
// with a bounded answer.
func TestCostlyBodies(t *testing.T) {
	s := shared(t, tested()[0]) // alone: it takes much of the processor
	o := newOrg(t, s, "costly")
	for name, c := range map[string]struct{ body, find string }{
		"numbers for labels": {`{"workspaceId":"` + o.Workspace + `","summary":"x","labels":[` +
			strings.Repeat("1,", 4_000_000) + `1]}`,
			"at most 50, but there are 4000001"},
		"unknown members": {`{"workspaceId":"` + o.Workspace + `","summary":"x"` + many(400_000, `,"k%d":1`) + `}`,
			"unknown_member"},
		"metadata": {`{"workspaceId":"` + o.Workspace + `","summary":"x","metadata":{"a":"b"` + many(400_000,
			`,"k%d":1`) + `}}`, "at most 50, but there are 400001"},
		"a bad console": {`{"workspaceId":"` + o.Workspace + `","summary":"x","evidence":{"console":[{}` +
			strings.Repeat(`,{"level":1}`, 19_000) + `]}}`, "required"},
	} {
		begin := time.Now()
		a := o.want(t, 422, "POST", "/v1/slices", c.body)
		if d := time.Since(begin); d > time.Minute { // one second alone; with a cost per pair of faults it would be hours
			t.Errorf("%s: refused after %v, want at most a minute", name, d)
		}
		if len(a.Body) > 100_000 {
			t.Errorf("%s: an answer of %d bytes, want at most 100000", name, len(a.Body))
		}
		assert.Contains(t, name, string(a.Body), c.find)
		t.Logf("%s: %v", name, time.Since(begin))
	}
}

func many(n int, form string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, form, i)
	}
	return b.String()
}

// checkTwoMediaTypes: a body with two media types is refused, as JSON and as a file.
func checkTwoMediaTypes(t *testing.T, o org) {
	t.Helper()
	slice := o.want(t, 201, "POST", "/v1/slices", map[string]any{"summary": "two types", "workspaceId": o.Workspace}).
		get(t, "id").(string)
	for _, path := range []string{"/v1/slices", "/v1/slices/" + slice + "/attachments"} {
		req, err := http.NewRequestWithContext(t.Context(), "POST", o.URL+path, strings.NewReader("{}"))
		must(t, err)
		req.Header = http.Header{"Authorization": {"Bearer " + o.token},
			"Content-Type": {"application/json", "text/plain"}}
		res, err := transport.RoundTrip(req)
		must(t, err)
		must(t, res.Body.Close())
		assert.Equal(t, path, res.StatusCode, 415)
	}
}
