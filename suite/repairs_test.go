package suite

import (
	"fmt"
	"strings"
	"testing"
)

// TestOddEvidenceDoesNotRefuseReports: what machines observed is repaired, and the answer lists how; what a person
// typed is refused.
func TestOddEvidenceDoesNotRefuseReports(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "repairs")
	// The document says what clients should send, and a request with Accept-Encoding is not held against it.
	lenient := []string{"Content-Type", "application/json", "Accept-Encoding", "identity"}
	const at = `"timestamp":"2026-11-20T10:00:00Z"`
	har := func(entries string) string {
		return `"network":{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[` + entries + `]}}`
	}
	deep := strings.Repeat(`{"childNodes":[`, 60) + strings.Repeat(`]}`, 60)
	for in, want := range map[string]string{
		`"console":[{"level":"error",` + at +
			`,"message":"a\u0000b"}]`: "characters_replaced /evidence/console/0 1",
		`"console":[{"level":"error",` + at +
			`,"message":"a\ud83d"}]`: "characters_replaced /evidence/console/0 1",
		`"console":[{"level":"error",` + at +
			",\"message\":\"a\xff\"}]": "characters_replaced /evidence/console/0 1",
		`"console":[{"level":"error",` + at +
			`,"message":"a"},{"level":"error"}]`: "entry_dropped /evidence/console/1 1",
		`"console":[{"level":"warning","timestamp":1795168800000,"message":"a"}]` +
			``: "",
		`"console":[{"level":"error",` + at +
			`,"message":"a","source":"x"}]`: "member_dropped /evidence/console/0/source 1",
		`"actions":[{"type":"click",` + at +
			`,"text":"\ud83d"},null]`: "characters_replaced /evidence/actions/0 1 entry_dropped /evidence/actions/1 1",
		`"replay":[{"type":4,"timestamp":1,"data":{"href":"\u0000"}},{"type":4}]` +
			``: "characters_replaced " +
			"/evidence/replay/0 1 entry_dropped /evidence/replay/1 1",
		`"console":[{"level":"error",` + at + `,"message":"` + strings.Repeat("m",
			100_000) + `","args":[1,` + strings.Repeat("[", 901) + strings.Repeat("]",
			901) + `]}]`: "truncated /evidence/console/0 1 truncated /evidence/console/0/message 1",
		`"actions":[{"type":"click",` + at + `},{"type":"input",` + at + `,"selector":"` + strings.Repeat("#a ",
			700) + `"}]`: "truncated /evidence/actions/1/selector 1",
		`"replay":[{"type":2,"timestamp":1,"data":` + deep +
			`}]`: "",
		har(`{"startedDateTime":null,"request":{"method":"GET","url":"/"},"response":{"status":200}}` +
			``): "entry_dropped /evidence/network/log/entries/0 1",
		har(`{"startedDateTime":"2026-11-20T12:00:00.000+0200","time":null,"request":{"method":"GET","url":"/\u0000"},` +
			`"response":{"status":"200"}}`): "characters_replaced /evidence/network 1 member_converted " +
			"/evidence/network/log/entries/0/response/status 1 member_dropped /evidence/network/log/entries/0/time 1",
		har(`{"startedDateTime":"2026-11-20T12:00:00Z","time":NaN,"request":{"method":"GET","url":"/"},"response":{"status":200}}` +
			``): "member_dropped /evidence/network/log/entries/0/time 1",
	} {
		for _, path := range []string{"/v1/slices", "/v1/workspaces/" + o.Workspace + "/redaction/dry-run"} {
			body := `{"evidence":{` + in + `}}`
			if path == "/v1/slices" {
				body = `{"workspaceId":"` + o.Workspace + `","summary":"x","evidence":{` + in + `}}`
			}
			a := o.do(t, "POST", path, body, lenient...)
			if a.Status >= 300 {
				t.Errorf("%s %s: %d %s", path, in, a.Status, a.Body)
				continue
			}
			var got []string
			answered := a.JSON(t)
			repairs, _ := answered["repairs"].([]any)
			for _, r := range repairs {
				r := r.(map[string]any)
				got = append(got, fmt.Sprint(r["code"], " ", r["pointer"], " ", r["count"]))
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s %s: %v, want %s", path, in, got, want)
			}
			if id, ok := answered["id"].(string); ok {
				o.readable(t, in, id)
			}
		}
	}
	a := o.want(t, 201, "POST", "/v1/slices",
		`{"workspaceId":"`+o.Workspace+`","summary":"x","environment":{"browser":"F\u0000x"},"metadata":{"a":"\ud83d"}}`, lenient...)
	a.has(t, members{"environment.browser": "F\ufffdx", "metadata.a": "\ufffd", "repairs.1.pointer": "/metadata"})
	for in, status := range map[string]int{`"summary":"a\u0000"`: 422,
		`"summary":"\ud83d"`: 400, `"summary":"x","description":"\u0000","evidence":{"console":[{"level":"error",` +
			at + `,"message":"\u0000"}]}`: 422,
		`"summary":"x","evidence":{"consol":[]}`: 422, `"summary":"x","evidence":{"console":[{"level":"error"}]}`: 422,
		`"summary":"x","evidence":{"console":[}`: 400} {
		o.want(t, status, "POST", "/v1/slices", `{"workspaceId":"`+o.Workspace+`",`+in+`}`, "Content-Type",
			"application/json")
	}
	id := o.slice(t, o.Workspace, nil)["id"].(string)
	changed := o.want(t, 200, "PATCH", "/v1/slices/"+id,
		`{"environment":{"browser":"F\ud83d"},"metadata":{"a":"\u0000"}}`,
		"Content-Type", "application/merge-patch+json", "Accept-Encoding", "identity")
	changed.has(t, members{"environment.browser": "F\ufffd", "metadata.a": "\ufffd"})
	o.want(t, 400, "PATCH", "/v1/slices/"+id, `{"summary":"\ud83d"}`, "Content-Type", "application/merge-patch+json")
	o.want(t, 200, "POST", "/v1/slices/similar", `{"workspaceId":"`+o.Workspace+`","summary":"x","errors":["a\ud83d"]}`,
		lenient...)
	file := o.upload(t, 201, id, "console.ndjson", "application/x-ndjson",
		`{"level":"severe","timestamp":1795168800,"message":"\u0000"}`+"\n"+`{"level":"err`)
	file.has(t, members{"repairs.0.code": "characters_replaced", "repairs.0.pointer": "/0",
		"repairs.1.code": "entry_dropped", "repairs.1.pointer": "/1"})
}
