package suite

import (
	"encoding/json"
	"strings"
	"testing"

	"bugslice/internal/assert"
)

// TestEvidence: what came along is read back in pages, by filters and whole, without secrets.
func TestEvidence(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "evidence")
		made := o.slice(t, o.Workspace, map[string]any{"evidence": captured(),
			"description": "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdef is mine"})
		path := "/v1/slices/" + made["id"].(string)
		rows := func(query string) []map[string]any {
			t.Helper()
			var all []map[string]any
			for cursor := ""; ; {
				a := o.want(t, 200, "GET", path+query+cursor, nil)
				for _, r := range a.get(t, "data").([]any) {
					all = append(all, r.(map[string]any))
				}
				if a.get(t, "pagination.hasMore") == false {
					return all
				}
				cursor = "&cursor=" + a.get(t, "pagination.cursor").(string)
			}
		}
		for query, want := range map[string]int{"/console?limit=1": 3,
			"/console?limit=1&level=error,warn": 2, "/console?limit=2&q=VOUCHER": 1,
			"/network?limit=2": 4, "/network?limit=1&status=5xx,failed": 2,
			"/network?limit=5&method=POST": 1, "/network?limit=5&method=post": 1,
			"/network?limit=1&url=shop.example": 3, "/actions?limit=1": 2,
			"/actions?limit=1&type=click": 1, "/actions?limit=9&q=checkout": 1} {
			if got := rows(query); len(got) != want {
				t.Errorf("%s: %d rows, want %d: %v", query, len(got), want, got)
			}
		}
		e := rows("/console?limit=50&level=error")[0]
		assert.Contains(t, "stack", e["stack"].(string), "applyVoucher")
		wantMembers(t, "e", e, members{"args.#": 1})
		wantMembers(t, "the failed request", rows("/network?limit=50&status=5xx")[0],
			members{"method": "POST", "status": 500, "responseBody": `{"error":"no such voucher"}`,
				"startedAt": "2026-11-20T10:00:00.500Z"})
		har := o.want(t, 200, "GET", path+"/network.har", nil)
		har.has(t, members{"log.entries.#": 4, "log.version": "1.2"})
		if n := len(o.want(t, 200, "GET", path+"/replay", nil).get(t, "events").([]any)); n != 2 {
			t.Errorf("%d events", n)
		}
		everything := string(har.Body) + string(o.want(t, 200, "GET", path, nil).Body)
		for _, p := range []string{"/console?limit=100", "/network?limit=100",
			"/actions?limit=100", "/replay", "/attachments", "/activity"} {
			everything += string(o.want(t, 200, "GET", path+p, nil).Body)
		}
		everything += string(o.want(t, 200, "GET", path, nil, "Accept", "text/markdown").Body)
		everything += string(o.want(t, 200, "GET", "/v1/events?limit=100&workspaceId="+o.Workspace, nil).Body)
		for _, secret := range append(planted, "eyJhbGciOiJIUzI1NiJ9") {
			if strings.Contains(everything, secret) {
				t.Errorf("%q is shown", secret)
			}
		}
		wantMembers(t, "the slice", made, members{"redaction.counts.authorization": 5,
			"redaction.counts.cookie": 4, "redaction.counts.input": 1, "attachmentCount": 4})
		// As files they are read alike.
		raw, err := json.Marshal(captured()["network"])
		must(t, err)
		other := o.slice(t, o.Workspace, nil)["id"].(string)
		o.upload(t, 201, other, "shop.har", "application/json", string(raw)).has(t, members{"kind": "network"})
		if n := len(o.want(t, 200, "GET", "/v1/slices/"+other+"/network", nil).get(t, "data").([]any)); n != 4 {
			t.Errorf("%d requests of a file", n)
		}
		for _, bad := range []map[string]any{{"network": map[string]any{"log": 1}},
			{"network": map[string]any{"log": map[string]any{"entries": []any{1}}}},
			{"console": []any{map[string]any{"level": "loud"}}}, {"replay": []any{1}}, {"what": 1}} {
			a := o.want(t, 422, "POST", "/v1/slices",
				map[string]any{"workspaceId": o.Workspace, "summary": "x", "evidence": bad})
			if !strings.HasPrefix(a.get(t, "errors").([]any)[0].(map[string]any)["pointer"].(string), "/evidence") {
				t.Errorf("%s", a.Body)
			}
		}
	})
}

// TestRedactionRules: the rules of a workspace apply from the next request on, and can be tried.
func TestRedactionRules(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "rules")
		path := "/v1/workspaces/" + o.Workspace
		dry := map[string]any{"text": `{"customerNumber":"4711","note":"CUST-123456"}`,
			"contentType": "application/json"}
		o.want(t, 200, "POST", path+"/redaction/dry-run", dry).has(t, members{"text": dry["text"]})
		rules := map[string]any{"fields": []string{"customer_number"},
			"patterns": []any{map[string]any{"pattern": "CUST-[0-9]{6}", "mask": "CUST-******"}}}
		dry["rules"] = rules
		o.want(t, 200, "POST", path+"/redaction/dry-run", dry).has(t,
			members{"text": `{"customerNumber":"[redacted:rule]","note":"CUST-******"}`})
		o.want(t, 200, "PATCH", path, map[string]any{"redaction": rules})
		made := o.slice(t, o.Workspace, map[string]any{"summary": "About CUST-123456",
			"metadata": map[string]string{"customerNumber": "4711", "plan": "pro"}})
		wantMembers(t, "made", made, members{"summary": "About CUST-******"})
		assert.Equal(t, "customerNumber", made["metadata"].(map[string]any)["customerNumber"], "[redacted:rule]")
		assert.Equal(t, "plan", made["metadata"].(map[string]any)["plan"], "pro")
		changed := o.want(t, 200, "PATCH", "/v1/slices/"+made["id"].(string),
			map[string]any{"description": "again CUST-999999"})
		changed.has(t, members{"description": "again CUST-******", "redaction.counts.rule": 3})
		o.want(t, 201, "POST", "/v1/slices/"+made["id"].(string)+"/comments",
			map[string]any{"body": "CUST-111111 with password=hunter2"}).has(t,
			members{"body": "CUST-****** with password=[redacted:field]"})
		for _, bad := range []map[string]any{{"patterns": []any{map[string]any{"pattern": "("}}},
			{"patterns": []any{map[string]any{"pattern": "a*"}}}, {"fields": []string{"*"}}} {
			o.want(t, 422, "PATCH", path, map[string]any{"redaction": bad})
		}
	})
}

// TestLongHARAndReplayAreComplete: the HAR and the replay of a slice have every captured row, however many there are.
func TestLongHARAndReplayAreComplete(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "whole")
	id := o.slice(t, o.Workspace, nil)["id"].(string)
	for _, path := range []string{"/network.har", "/replay"} { // nothing yet
		o.want(t, 200, "GET", "/v1/slices/"+id+path, nil)
	}
	long := strings.Repeat("lorem ipsum ", 1<<20/12)
	har := strings.Repeat(`,{"startedDateTime":"2026-11-20T10:00:00Z","time":1,"request":{"method":"GET","url":"https://shop.example/",`+
		`"headers":[]},"response":{"status":200,"headers":[],"content":{"size":1,"mimeType":"text/plain","text":"`+long+
		`"}}}`, 12)
	const sets = 3
	for range sets {
		o.upload(t, 201, id, "all.har", "application/json",
			`{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[`+har[1:]+`]}}`)
	}
	for _, path := range []string{"/replay", "/network.har"} {
		a := o.want(t, 200, "GET", "/v1/slices/"+id+path, nil, "Accept-Encoding", "identity")
		if !json.Valid(a.Body) {
			t.Errorf("%s: no JSON: %.300s", path, a.Body)
		}
		assert.Equal(t, path+": Content-Type and Cache-Control",
			[]string{a.Header.Get("Content-Type"), a.Header.Get("Cache-Control")},
			[]string{"application/json", "no-store"})
		if n := strings.Count(string(a.Body), "startedDateTime"); path == "/network.har" && n != sets*12 {
			t.Errorf("%d of %d requests", n, sets*12)
		}
	}
}
