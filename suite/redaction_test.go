package suite

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"bugslice/internal/assert"
)

// costly are rules as slow as a workspace may have.
func costly() map[string]any {
	var all []any
	for i := range 3 {
		all = append(all, map[string]any{"pattern": fmt.Sprintf("(a|b|ab|ba){1,30}c%d", i), "mask": "x"})
	}
	return map[string]any{"patterns": all}
}

// TestRulesAreBounded: rules that would take too long are refused, by the place of the fault.
func TestRulesAreBounded(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "rules")
	path := "/v1/workspaces/" + o.Workspace
	for pointer, rules := range map[string]map[string]any{
		"/patterns": {"patterns": []any{map[string]any{"pattern": "(a|b|ab|ba){1,90}c"},
			map[string]any{"pattern": "(a|b|ab|ba){1,90}d"}}},
		"/patterns/1": {"patterns": []any{map[string]any{"pattern": "x[0-9]"}, map[string]any{"pattern": "("}}},
		"/fields/0":   {"fields": []any{"a*b"}},
	} {
		a := o.want(t, 422, "PATCH", path, map[string]any{"redaction": rules})
		if got := a.get(t, "errors").([]any)[0].(map[string]any)["pointer"]; got != "/redaction"+pointer {
			t.Errorf("%v, want /redaction%s: %s", got, pointer, a.Body)
		}
		a = o.want(t, 422, "POST", path+"/redaction/dry-run", map[string]any{"text": "x", "rules": rules})
		if got := a.get(t, "errors").([]any)[0].(map[string]any)["pointer"]; got != "/rules"+pointer {
			t.Errorf("%v, want /rules%s: %s", got, pointer, a.Body)
		}
	}
	o.want(t, 200, "PATCH", path, map[string]any{"redaction": costly()})
}

// TestRedactionDelaysNobody: slow rules delay the requests of their workspace alone; writes of others continue.
func TestRedactionDelaysNobody(t *testing.T) {
	s := shared(t, tested()[0]) // alone: it takes much of the processor
	slow, other := newOrg(t, s, "slow"), newOrg(t, s, "other")
	slow.want(t, 200, "PATCH", "/v1/workspaces/"+slow.Workspace, map[string]any{"redaction": costly()})
	id := slow.slice(t, slow.Workspace, nil)["id"].(string)
	long := strings.Repeat("ab", 32_000)
	comment := slow.want(t, 201, "POST", "/v1/slices/"+id+"/comments", map[string]any{"body": "mine"}).get(t, "id").(string)
	for what, write := range map[string]func(){
		"a comment": func() { slow.want(t, 201, "POST", "/v1/slices/"+id+"/comments", map[string]any{"body": long}) },
		"an edited comment": func() {
			slow.want(t, 200, "PATCH", "/v1/comments/"+comment, map[string]any{"body": long + time.Now().String()})
		},
		"a description": func() {
			slow.want(t, 200, "PATCH", "/v1/slices/"+id, map[string]any{"description": long + time.Now().String()})
		},
		"a slice that is new": func() { slow.slice(t, slow.Workspace, map[string]any{"description": long}) },
	} {
		share := 1.0 // of the time that the slow write takes, a quick one beside it does
		for range 5 {
			began, done := time.Now(), make(chan time.Duration)
			go func() { write(); done <- time.Since(began) }()
			time.Sleep(50 * time.Millisecond)
			asked := time.Now()
			other.slice(t, other.Workspace, nil)
			took := time.Since(asked)
			share = min(share, float64(took)/float64(<-done))
			if share < 0.3 {
				break
			}
		}
		if share >= 0.3 {
			t.Errorf("a slice filed beside %s took %.2f of its time", what, share)
		}
	}
}

// TestRedactionKeepsLengths: markers make no member longer than its limit, so that records can be read, exported and
// imported by the rules of input.
func TestRedactionKeepsLengths(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "lengths")
	text, address := strings.Repeat("pw=ab\n", 10_900), "https://x.example/?"+strings.Repeat("pw=a&", 400)
	fields := map[string]any{"summary": strings.Repeat("pw=ab ", 33), "description": text,
		"sourceUrl": address, "metadata": map[string]any{"note": strings.Repeat("pw=ab ", 80)},
		"environment": map[string]any{"buildUrl": address, "browser": "password=hunter2-x"}}
	id := o.slice(t, o.Workspace, fields)["id"].(string)
	filed := o.want(t, 200, "GET", "/v1/slices/"+id, nil)
	patched := o.want(t, 200, "PATCH", "/v1/slices/"+o.slice(t, o.Workspace, nil)["id"].(string), fields)
	said := o.want(t, 201, "POST", "/v1/slices/"+id+"/comments", map[string]any{"body": text})
	edited := o.want(t, 200, "PATCH", "/v1/comments/"+said.get(t, "id").(string),
		map[string]any{"body": text + "again"})
	longest := func(a answer, most int, path string) {
		t.Helper()
		v := a.get(t, path).(string)
		if n := utf8.RuneCountInString(v); n > most || strings.Contains(v, "pw=a") {
			t.Errorf("%s has %d characters, at most %d: %.60s", path, n, most, v)
		}
	}
	for _, a := range []answer{filed, patched} {
		longest(a, 200, "summary")
		longest(a, 65536, "description")
		longest(a, 2048, "sourceUrl")
		longest(a, 2048, "environment.buildUrl")
		longest(a, 500, "metadata.note")
		if got := a.get(t, "environment.browser"); got != "password=[redacted:field]" {
			t.Error(got)
		}
	}
	longest(said, 65536, "body")
	longest(edited, 65536, "body")
	took := o.want(t, 200, "PATCH", "/v1/slices/"+id,
		map[string]any{"metadata": map[string]any{"note": nil, "other": "x"},
			"sourceUrl": nil})
	took.has(t, members{"metadata": map[string]any{"other": "x"}, "sourceUrl": nil})
}

// TestRulesByTheirNames: a workspace switches a built-in rule off and adds one, and a slice tells which rules have
// removed what looked how, and not what it was.
func TestRulesByTheirNames(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "rules")
	const github = "ghp_9kQ2mW4xR8tL1vN6pB3cD5hJ7gS0fA2dK4Zz"
	path, text := "/v1/workspaces/"+o.Workspace, "saw "+github+" and acme_9kQ2, password: Tr0ub4dor9x"
	filed := o.slice(t, o.Workspace, map[string]any{"description": text})
	assert.Equal(t, "by rule", filed["redaction"].(map[string]any)["byRule"], any([]any{
		map[string]any{"kind": "field", "rule": "password", "shape": "mixed", "count": 1.0},
		map[string]any{"kind": "token", "rule": "github", "shape": "random", "count": 1.0}}))
	rules := map[string]any{"off": []any{"github"},
		"added": "token acme acme_\nthen alnum 4\nexample acme_9kQ2\nnot acme_x"}
	tried := o.want(t, 200, "POST", path+"/redaction/dry-run", map[string]any{"text": text, "rules": rules})
	tried.has(t, members{"text": "saw " + github + " and [redacted:token], password: [redacted:field]",
		"removals.0.ruleId": "acme", "removals.1.ruleId": "password"})
	o.want(t, 200, "PATCH", path, map[string]any{"redaction": rules})
	filed = o.slice(t, o.Workspace, map[string]any{"description": text})
	assert.Equal(t, "with the rules", filed["description"], tried.get(t, "text"))
	for pointer, wrong := range map[string]map[string]any{
		"/redaction/off/1": {"off": []any{"github", "nonsense"}},
		"/redaction/added": {"added": "token acme acme_\nthen alnum 9\nexample acme_9kQ2\nnot acme_x"},
	} {
		o.want(t, 422, "PATCH", path, map[string]any{"redaction": wrong}).has(t, members{"errors.0.pointer": pointer})
	}
}

// TestNamesOfFiles: what a file is called is searched for secrets, too.
func TestNamesOfFiles(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "named")
	id := o.slice(t, o.Workspace, nil)["id"].(string)
	const token, clean = "log of svc_pat_4nS7cVq0RkT2yWbD9xLmZ1pAeHu6gJ3wPd2K.txt", "log of [redacted:token].txt"
	made := o.upload(t, 201, id, token, "text/plain", "hello")
	if got := made.get(t, "name"); got != clean {
		t.Error(got)
	}
	path := "/v1/attachments/" + made.get(t, "id").(string)
	o.want(t, 200, "PATCH", path, map[string]any{"name": "other"})
	if got := o.want(t, 200, "PATCH", path, map[string]any{"name": token}).get(t, "name"); got != clean {
		t.Error(got)
	}
}

// dear are rules that a body of some size is too costly for, though they may be had: the second by
// its steps, the third by its matches.
func dear() map[string]any {
	return map[string]any{"patterns": []any{map[string]any{"pattern": "CUST-[0-9]{6}", "mask": "x"},
		map[string]any{"pattern": "(a|b|ab|ba){1,90}c", "mask": "x"}, map[string]any{"pattern": "q[a-z]*;?"}}}
}

// tooCostly checks that an answer refuses what would cost too much, and names the pattern.
func tooCostly(t *testing.T, a answer, pattern string) {
	t.Helper()
	if a.get(t, "code") != "redaction_too_costly" || !strings.Contains(a.get(t, "detail").(string), pattern) {
		t.Errorf("%s, want redaction_too_costly of %s", a.Body, pattern)
	}
}

// consoleOf returns rows of a console with so many characters together.
func consoleOf(n int) (rows []any) {
	for ; n > 0; n -= 60_000 {
		rows = append(rows, map[string]any{"level": "error", "timestamp": "2026-11-20T10:00:00Z",
			"args": []any{}, "message": strings.Repeat("z", min(n, 60_000))})
	}
	return rows
}

// TestTooCostlyToRedact: what a workspace's patterns would take too long to search is refused as a
// whole, at every way in, and nothing of it is stored. What is less is stored without secrets.
func TestTooCostlyToRedact(t *testing.T) {
	for _, engine := range tested() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := newServer(t, engine, dir, "--rate-limit", "off")
			s.start(t)
			defer s.kill()
			o := newOrg(t, s, "dear")
			workspace := "/v1/workspaces/" + o.Workspace
			o.want(t, 200, "PATCH", workspace, map[string]any{"redaction": dear()})
			slice := o.slice(t, o.Workspace, map[string]any{"description": "CUST-123456 " + strings.Repeat("zz", 1000)})
			assert.Equal(t, "description", slice["description"].(string)[:2], "x ")
			id := slice["id"].(string)
			console := func(n int) string {
				return strings.Repeat(`{"level":"error","timestamp":"2026-11-20T10:00:00Z","message":"`+
					strings.Repeat("zz",
						500)+`"}`+"\n", n)
			}
			rows := map[string]any{"console": consoleOf(2_000_000)}
			const named = "redaction.patterns[1]"
			tooCostly(t, o.want(t, 422, "POST", "/v1/slices", map[string]any{"workspaceId": o.Workspace,
				"summary": "dear", "evidence": rows}), named)
			tooCostly(t, o.upload(t, 422, id, "a.txt", "text/plain", strings.Repeat("zz", 1_000_000)), named)
			tooCostly(t, o.upload(t, 422, id, "a.txt", "text/plain",
				strings.Repeat(strings.Repeat("zz", 50)+"\n", 20_000)), named)
			tooCostly(t, o.upload(t, 422, id, "console.ndjson", "application/x-ndjson", console(2000)), named)
			tooCostly(t, o.want(t, 422, "POST", workspace+"/redaction/dry-run", map[string]any{"evidence": rows}),
				named)
			a := o.want(t, 422, "POST", workspace+"/redaction/dry-run",
				map[string]any{"evidence": rows, "rules": dear()})
			if tooCostly(t, a, named); !strings.Contains(string(a.Body), `"pointer":"/rules/patterns/1"`) {
				t.Errorf("%s", a.Body)
			}
			many := strings.Repeat("q; ", 20_000)
			tooCostly(t, o.want(t, 422, "POST", "/v1/slices", map[string]any{"workspaceId": o.Workspace,
				"summary": "dear", "description": many}), "redaction.patterns[2]")
			tooCostly(t, o.want(t, 422, "PATCH", "/v1/slices/"+id, map[string]any{"description": many}),
				"redaction.patterns[2]")
			tooCostly(t, o.want(t, 422, "POST", "/v1/slices/"+id+"/comments", map[string]any{"body": many}),
				"redaction.patterns[2]")
			comment := o.want(t, 201, "POST", "/v1/slices/"+id+"/comments", map[string]any{"body": "mine"}).
				get(t, "id").(string)
			tooCostly(t, o.want(t, 422, "PATCH", "/v1/comments/"+comment, map[string]any{"body": many}),
				"redaction.patterns[2]")
			if files := blobs(t, dir); len(files) != 0 {
				t.Errorf("left behind: %v", files)
			}
			for path, want := range map[string]int{"/v1/slices?workspaceId=" + o.Workspace: 1,
				"/v1/slices/" + id + "/attachments": 0, "/v1/slices/" + id + "/comments": 1, "/v1/slices/" + id +
					"/activity": 2} {
				if have := o.want(t, 200, "GET", path, nil).get(t, "data").([]any); len(have) != want {
					t.Errorf("%s has %d rows, want %d", path, len(have), want)
				}
			}
			o.upload(t, 201, id, "console.ndjson", "application/x-ndjson", console(20))
		})
	}
}

// TestRedactionLimitIgnoresLoad: twenty requests at once are refused or accepted as one alone is.
func TestRedactionLimitIgnoresLoad(t *testing.T) {
	s := shared(t, tested()[0]) // alone: it takes much of the processor
	o := newOrg(t, s, "load")
	rules := map[string]any{"patterns": []any{map[string]any{"pattern": "CUST-[0-9]{6}"},
		map[string]any{"pattern": "q[a-z]*;?"}}}
	path := "/v1/workspaces/" + o.Workspace + "/redaction/dry-run"
	limit := 0 // of the matches that one line may have
	for low, high := 100, 20_000; low+1 < high; limit = low {
		n := (low + high) / 2
		if a := o.do(t, "POST", path, map[string]any{"rules": rules,
			"text": strings.Repeat("q; ", n)}); a.Status == 200 {
			low = n
		} else {
			high = n
		}
	}
	var work sync.WaitGroup
	for range 20 {
		for n, want := range map[int]int{limit: 200, limit + 1: 422} {
			work.Go(func() {
				if a := o.do(t, "POST", path,
					map[string]any{"rules": rules, "text": strings.Repeat("q; ", n)}); a.Status != want ||
					want == 422 && a.get(t, "code") != "redaction_too_costly" {
					t.Errorf("%d matches: %d, want %d: %.200s", n, a.Status, want, a.Body)
				}
			})
		}
	}
	work.Wait()
}

// TestCardCodes: the code of a card is read back nowhere, with any selector of its field.
func TestCardCodes(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "codes")
	var actions, replay []any
	fields := []string{"#card-code", "#cardCode", "input[name=\"card[code]\"]",
		"#card_code", "#cvc", "[name=cvv2]", "#csc", "#securityCode", "[aria-label=\"Security code\"]",
		"[placeholder=\"Card code\"]",
		"#cardCodeInput", "form#pay > input.card-cvc", "#kartenpruefnummer",
		"[data-testid=card-verification]", "#CARD-CODE", "#ccv", "#codigo-de-seguridad"}
	for i, selector := range fields {
		for n := 1; n <= 4; n++ {
			actions = append(actions, map[string]any{"type": "input", "timestamp": "2026-11-20T10:00:01Z",
				"selector": selector, "value": "8841"[:n]})
		}
		actions = append(actions, map[string]any{"type": "fill", "timestamp": "2026-11-20T10:00:02Z",
			"selector": selector, "text": "8841"})
		replay = append(replay, map[string]any{"type": 2, "timestamp": 1795000000000,
			"data": map[string]any{"node": map[string]any{"type": 2, "id": i + 1,
				"tagName": "input", "attributes": map[string]any{"class": selector, "value": "8841"},
				"childNodes": []any{}}}},
			map[string]any{"type": 3, "timestamp": 1795000000001,
				"data": map[string]any{"source": 5, "id": i + 1, "text": "884"}})
	}
	actions = append(actions, map[string]any{"type": "input", "timestamp": "2026-11-20T10:00:03Z",
		"selector": "#zip-code", "value": "12345"})
	console := []any{map[string]any{"level": "error", "timestamp": "2026-11-20T10:00:04Z",
		"message": "Error: refused, card-code: 8841", "args": []any{map[string]any{"cardCode": "8841"}}}}
	made := o.slice(t, o.Workspace, map[string]any{"evidence": map[string]any{"actions": actions, "replay": replay,
		"console": console}})
	path := "/v1/slices/" + made["id"].(string)
	for _, part := range []string{path, path + "/actions?limit=100", path + "/console", path + "/replay",
		path + "/similar"} {
		read := string(o.want(t, 200, "GET", part, nil).Body)
		for _, typed := range []string{"8841", `"884"`, `"88"`, `"8"`} {
			if strings.Contains(read, typed) {
				t.Errorf("%s is in %s: %s", typed, part, read)
			}
		}
		if strings.Contains(part, "actions") && !strings.Contains(read, "12345") {
			t.Errorf("a zip code is gone: %s", read)
		}
	}
	if read := string(o.want(t, 200, "GET", path+"?maxTokens=8000", nil, "Accept", "text/markdown").
		Body); strings.Contains(read,
		"8841") || strings.Contains(read, "884\n") {
		t.Errorf("in the Markdown: %s", read)
	}
	if n := len(o.want(t, 200, "GET", "/v1/slices?workspaceId="+o.Workspace+"&q=8841", nil).get(t, "data").([]any)); n != 0 {
		t.Error("the code finds the slice")
	}
}

// TestMistakesAreCounted: a mark says of a rule and a shape that nothing secret was removed. It is a change of the report,
// is counted for the workspace, survives a further removal, and can be taken back.
func TestMistakesAreCounted(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "mistakes")
		path := "/v1/workspaces/" + o.Workspace
		id := o.slice(t, o.Workspace, map[string]any{"description": "password: Tr0ub4dor9x"})["id"].(string)
		o.slice(t, o.Workspace, map[string]any{"description": "saw ghp_9kQ2mW4xR8tL1vN6pB3cD5hJ7gS0fA2dK4Zz"})
		mark := func(status int, rule string, mistake bool) answer {
			return o.want(t, status, "POST", "/v1/slices/"+id+"/redaction/marks",
				map[string]any{"kind": "field", "rule": rule, "shape": "mixed", "mistake": mistake})
		}
		mark(422, "github", true).has(t, members{"errors.0.pointer": "/rule", "errors.0.code": "unknown"})
		first := mark(200, "password", true)
		first.has(t, members{"redaction.byRule.0.mistake": true, "redaction.byRule.0.count": 1.0})
		mark(200, "password", true).has(t, members{"version": first.get(t, "version")})
		o.want(t, 201, "POST", "/v1/slices/"+id+"/attachments?name=a.log", "password: Tr0ub4dor8y\n", "Content-Type",
			"text/plain")
		o.want(t, 200, "GET", "/v1/slices/"+id, nil).has(t,
			members{"redaction.byRule.0.mistake": true, "redaction.byRule.0.count": 2.0})
		counts := o.want(t, 200, "GET", path+"/redaction/counts", nil)
		counts.has(t, members{"slices": 2.0, "rules.0.rule": "password", "rules.0.removed": 2.0, "rules.0.mistakes": 2.0,
			"rules.0.shapes": []any{"mixed"}, "rules.1.rule": "github", "rules.1.removed": 1.0, "rules.1.mistakes": 0.0})
		events := o.want(t, 200, "GET", "/v1/slices/"+id+"/activity", nil)
		events.has(t, members{"data.1.changes.0.field": "redaction",
			"data.1.changes.0.to.byRule.0.mistake": true})
		for _, a := range []answer{counts, events} {
			if strings.Contains(string(a.Body), "Tr0ub4") {
				t.Errorf("a value is in the answer: %s", a.Body)
			}
		}
		mark(200, "password", false)
		o.want(t, 200, "GET", path+"/redaction/counts", nil).has(t, members{"rules.0.mistakes": 0.0})
		o.want(t, 200, "PATCH", path, map[string]any{"redaction": map[string]any{"off": []any{"password"}}})
		o.want(t, 200, "GET", path+"/redaction/counts", nil).has(t, members{"rules.0.off": true})
	})
}

// TestRulesAreTriedOnReports: a trial says of each value that rules would remove from stored reports its form alone, and
// changes nothing.
func TestRulesAreTriedOnReports(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "trial")
		path := "/v1/workspaces/" + o.Workspace + "/redaction/trial"
		first := o.slice(t, o.Workspace, map[string]any{"summary": "Order CUST-471142 fails",
			"metadata": map[string]any{"ticket": "acme_9kQ2"}})["id"].(string)
		second := o.slice(t, o.Workspace, map[string]any{"summary": "Nothing here"})["id"].(string)
		o.want(t, 201, "POST", "/v1/slices/"+second+"/comments", map[string]any{"body": "also CUST-999999 and CUST-471142"})
		rules := map[string]any{"patterns": []any{map[string]any{"pattern": "CUST-[0-9]{6}"}},
			"added": "token acme acme_\nthen alnum 4\nexample acme_9kQ2\nnot acme_x"}
		tried := o.want(t, 200, "POST", path, map[string]any{"rules": rules})
		tried.has(t, members{"slices": 2.0, "changed": 2.0, "removals.0.form": "AAAA-999999", "removals.0.count": 3.0,
			"removals.0.slices": 2.0, "removals.0.rule": "CUST-[0-9]{6}", "removals.1.form": "aaaa_9aA9",
			"removals.1.ruleId": "acme", "removals.1.rule": nil})
		for _, value := range []string{"4711", "9kQ2"} {
			if strings.Contains(string(tried.Body), value) {
				t.Errorf("the answer has a value: %s", tried.Body)
			}
		}
		o.want(t, 200, "POST", path, map[string]any{}).has(t, members{"slices": 2.0, "changed": 0.0, "removals": []any{}})
		o.want(t, 200, "GET", "/v1/slices/"+first, nil).has(t, members{"summary": "Order CUST-471142 fails", "version": 1.0})
		o.want(t, 422, "POST", path, map[string]any{"rules": map[string]any{"added": "token acme acme_"}}).
			has(t, members{"errors.0.pointer": "/rules/added"})
	})
}

// TestPicturesAreReviewed: a screenshot is said to be unredacted until somebody has looked at it, in the record, by filters
// and in the Markdown. A log cannot be reviewed, and a picture that replaces another one has been looked at.
func TestPicturesAreReviewed(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "pictures")
		id := o.slice(t, o.Workspace, nil)["id"].(string)
		o.slice(t, o.Workspace, nil) // without a picture
		add := func(query, kind string, body any) answer {
			return o.want(t, 201, "POST", "/v1/slices/"+id+"/attachments?"+query, body, "Content-Type", kind)
		}
		listed := func(query string, want ...any) {
			t.Helper()
			found := o.want(t, 200, "GET", "/v1/slices?workspaceId="+o.Workspace+"&"+query, nil).get(t, "data").([]any)
			got := []any{}
			for _, s := range found {
				got = append(got, s.(map[string]any)["id"])
			}
			assert.Equal(t, query, got, append([]any{}, want...))
		}
		listed("has=unreviewed")
		picture := add("name=cart.png", "image/png", dot)
		picture.has(t, members{"reviewed": false, "reviewedAt": nil, "reviewedBy": nil})
		listed("has=unreviewed", id)
		listed("q=is:unreviewed", id)
		markdown := func(want string) {
			t.Helper()
			a := o.want(t, 200, "GET", "/v1/slices/"+id, nil, "Accept", "text/markdown")
			assert.Contains(t, "the Markdown", string(a.Body), want)
		}
		markdown("not redacted, and nobody has looked at it for secrets")
		path := "/v1/attachments/" + picture.get(t, "id").(string)
		o.want(t, 200, "PATCH", path, map[string]any{"reviewed": true}).
			has(t, members{"reviewed": true, "reviewedBy.type": "user", "kind": "screenshot"})
		o.want(t, 200, "GET", "/v1/slices/"+id, nil).has(t, members{"evidence.unreviewed": 0.0, "evidence.screenshots": 1.0})
		listed("has=unreviewed")
		listed("q=-is:unreviewed+has:screenshot", id)
		markdown("found no secret")
		o.want(t, 200, "GET", "/v1/slices/"+id+"/activity", nil).has(t, members{"data.2.type": "slice.attachment.updated",
			"data.2.changes.0.field": "reviewed"})
		o.want(t, 200, "PATCH", path, map[string]any{"reviewed": false}).has(t, members{"reviewedBy": nil, "reviewedAt": nil})
		listed("has=unreviewed", id)
		o.want(t, 200, "PATCH", path, map[string]any{"kind": "other"})
		listed("has=unreviewed")
		o.want(t, 200, "PATCH", path, map[string]any{"kind": "screenshot"})
		listed("has=unreviewed", id)
		add("name=marked.png&replaces="+picture.get(t, "id").(string), "image/png", dot).
			has(t, members{"reviewed": true, "reviewedBy.type": "user"})
		listed("has=unreviewed")
		log := add("name=a.log", "text/plain", "nothing\n").get(t, "id").(string)
		o.want(t, 422, "PATCH", "/v1/attachments/"+log, map[string]any{"reviewed": true}).
			has(t, members{"errors.0.pointer": "/reviewed", "errors.0.code": "not_allowed"})
	})
}

// TestLaterTextsLoseTheValue: a random value that was removed from a report is removed from its later comments and changes,
// too, and not from those of another report. The database does not have it.
func TestLaterTextsLoseTheValue(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "later")
		const value = "7fK2mQ9xW4zR8tL1vN6pB3cD"
		id := o.slice(t, o.Workspace, map[string]any{"description": "api_key=" + value})["id"].(string)
		other := o.slice(t, o.Workspace, nil)["id"].(string)
		comment := func(of, body string) answer {
			return o.want(t, 201, "POST", "/v1/slices/"+of+"/comments", map[string]any{"body": body})
		}
		said := comment(id, "It is \""+value+"\", I think: see /x?v="+value+".")
		said.has(t, members{"body": "It is \"[redacted:repeated]\", I think: see /x?v=REDACTED."})
		comment(id, "the invoice 2026-11-20 of build-4711 stays").has(t,
			members{"body": "the invoice 2026-11-20 of build-4711 stays"})
		comment(other, "It is "+value).has(t, members{"body": "It is " + value})
		o.want(t, 200, "PATCH", "/v1/comments/"+said.get(t, "id").(string), map[string]any{"body": "again " + value}).
			has(t, members{"body": "again [redacted:repeated]"})
		o.want(t, 200, "POST", "/v1/slices/"+id+"/changes", map[string]any{"comment": "once more " + value})
		o.want(t, 200, "PATCH", "/v1/slices/"+id, map[string]any{"summary": "Fails with " + value}).
			has(t, members{"summary": "Fails with [redacted:repeated]"})
		o.want(t, 201, "POST", "/v1/slices/"+other+"/attachments?name=a.log", "secret: Zq8"+value+"\n", "Content-Type", "text/plain")
		comment(other, "and Zq8"+value).has(t, members{"body": "and [redacted:repeated]"})
		all := o.want(t, 200, "GET", "/v1/slices/"+id+"/comments", nil)
		if strings.Contains(string(all.Body), value) {
			t.Errorf("a comment has the value: %s", all.Body)
		}
	})
}

// TestOtherTextsAreRedacted: labels, fingerprints, external ids, metadata, names of files, spaces and webhooks lose secrets
// like a filing, when they are made and when they change.
func TestOtherTextsAreRedacted(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "others")
	const token = "ghp_9kQ2mW4xR8tL1vN6pB3cD5hJ7gS0fA2dK4Zz"
	hash := func(a answer, path string) {
		t.Helper()
		if text, _ := a.get(t, path).(string); !strings.HasPrefix(text, "redacted-") || len(text) != 33 {
			t.Errorf("%s is %q", path, text)
		}
	}
	id := o.slice(t, o.Workspace, map[string]any{"labels": []any{token}, "externalId": token, "fingerprint": token,
		"metadata": map[string]any{"note": token, "password": "Tr0ub4dor9x"}})["id"].(string)
	filed := o.want(t, 200, "GET", "/v1/slices/"+id, nil)
	hash(filed, "externalId")
	hash(filed, "fingerprint")
	filed.has(t, members{"metadata.note": "[redacted:token]", "metadata.password": "[redacted:field]"})
	const named = "the [redacted:token]"
	o.want(t, 201, "POST", "/v1/slices/"+id+"/attachments?name="+token+".txt", "x", "Content-Type", "text/plain").
		has(t, members{"name": "[redacted:token].txt"})
	spaces := "/v1/workspaces/" + o.Workspace + "/spaces"
	space := o.want(t, 201, "POST", spaces, map[string]any{"name": "the " + token, "description": "password: Tr0ub4dor9x"})
	space.has(t, members{"name": named, "description": "password: [redacted:field]"})
	o.want(t, 200, "PATCH", spaces+"/"+space.get(t, "id").(string), map[string]any{"description": "the " + token}).
		has(t, members{"name": named, "description": named})
	webhook := o.want(t, 201, "POST", "/v1/webhooks", map[string]any{"workspaceId": o.Workspace, "url": nowhere,
		"description": "the " + token})
	webhook.has(t, members{"description": named})
	o.want(t, 200, "PATCH", "/v1/webhooks/"+webhook.get(t, "id").(string), map[string]any{"description": "and the " + token}).
		has(t, members{"description": "and " + named})
	for _, path := range []string{"/v1/slices/" + id, spaces, "/v1/webhooks?workspaceId=" + o.Workspace,
		"/v1/events?workspaceId=" + o.Workspace} {
		if a := o.want(t, 200, "GET", path, nil); strings.Contains(string(a.Body), token) {
			t.Errorf("%s has the token", path)
		}
	}
}
