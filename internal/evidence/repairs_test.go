package evidence

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/redact"
)

// places are repairs as "code pointer count".
func places(all []api.Repair) (out []string) {
	for _, r := range all {
		out = append(out, fmt.Sprint(r.Code, " ", r.Pointer, " ", r.Count))
	}
	return out
}

func parsed(t *testing.T, kind api.AttachmentKind, in string) Set {
	t.Helper()
	s, err := Parse(kind, []byte(in), redactor(t), redact.Counts{})
	if err == nil {
		err = readable(s)
	}
	if err != nil {
		t.Fatalf("%s\n%v", in, err)
	}
	return s
}

// TestOddEntriesOfArchives: an odd entry of a HAR loses the odd member, or is left out, and the rest is stored.
func TestOddEntriesOfArchives(t *testing.T) {
	const good = `{"startedDateTime":"2026-11-20T10:00:00Z","time":1,"request":{"method":"GET","url":"/good"},"response":{"status":200}}`
	entry := func(started, time, status string) string {
		return `{"startedDateTime":` + started + `,"time":` + time +
			`,"request":{"method":"GET","url":"/odd"},"response":{"status":` + status + `,"content":{"size":-1}}}`
	}
	const at = `"2026-11-20T10:00:00Z"`
	for in, want := range map[string]string{
		entry(at, `1`, `200`):    "200 2026-11-20T10:00:00.000Z []",
		entry(at, `null`, `200`): "200 2026-11-20T10:00:00.000Z [member_dropped /log/entries/1/time 1]",
		entry(at, `"12.5"`, `"404"`): "404 2026-11-20T10:00:00.000Z [member_converted " +
			"/log/entries/1/response/status 1 member_converted /log/entries/1/time 1]",
		entry(at, `NaN`, `NaN`): "0 2026-11-20T10:00:00.000Z [member_converted " +
			"/log/entries/1/response/status 1 member_dropped /log/entries/1/time 1]",
		entry(at, `-Infinity`, `null`): "0 2026-11-20T10:00:00.000Z [member_converted " +
			"/log/entries/1/response/status 1 member_dropped /log/entries/1/time 1]",
		entry(`"2026-11-20T12:00:00.5+0200"`, `1`, `200`):   "200 2026-11-20T10:00:00.500Z []",
		entry(`"2026-11-20T12:00:00+02"`, `1`, `200`):       "200 2026-11-20T10:00:00.000Z []",
		entry(`"2026-11-20 12:00:00,25 +0200"`, `1`, `200`): "200 2026-11-20T10:00:00.250Z []",
		entry(`"2026-11-20T10:00:00"`, `1`,
			`200`): "200 2026-11-20T10:00:00.000Z [member_converted /log/entries/1/startedDateTime 1]",
		entry(`"Fri, 20 Nov 2026 10:00:00 GMT"`, `1`,
			`200`): "200 2026-11-20T10:00:00.000Z []",
		entry(`"Fri Nov 20 2026 11:00:00 GMT+0100 (Central European Standard Time)"`, `1`,
			`200`): "200 2026-11-20T10:00:00.000Z []",
		entry(`1795168800000`, `1`, `200`):    "200 2026-11-20T10:00:00.000Z []",
		entry(`"1795168800"`, `1`, `200`):     "200 2026-11-20T10:00:00.000Z []",
		entry(`1795168800.25`, `1`, `200`):    "200 2026-11-20T10:00:00.250Z []",
		entry(`1795168800000250`, `1`, `200`): "200 2026-11-20T10:00:00.000Z []",
		entry(`null`, `1`, `200`): "dropped " +
			"[entry_dropped /log/entries/1 1]",
		entry(`1234.5`, `1`, `200`): "dropped " +
			"[entry_dropped /log/entries/1 1]",
		entry(`"2026-02-30T00:00:00Z"`, `1`, `200`): "dropped " +
			"[entry_dropped /log/entries/1 1]",
		`null`: "dropped [entry_dropped /log/entries/1 1]", `"x"`: "dropped [entry_dropped /log/entries/1 1]",
		`[]`: "dropped [entry_dropped /log/entries/1 1]",
		`{"startedDateTime":` + at +
			`,"request":{"method":"GET"},"response":{"status":200}}`: "dropped [entry_dropped /log/entries/1 1]",
		`{"startedDateTime":` + at +
			`,"request":{"method":"GET","url":"/odd"}}`: "0 2026-11-20T10:00:00.000Z [member_converted " +
			"/log/entries/1/response 1]",
		`{"startedDateTime":` + at +
			`,"request":{"method":"GET","url":"/odd"},"response":null}`: "0 2026-11-20T10:00:00.000Z [member_converted " +
			"/log/entries/1/response 1]",
		`{"startedDateTime":` + at +
			`,"request":{"method":"GET","url":"/odd"},"response":{"status":200}}`: "200 2026-11-20T10:00:00.000Z []",
	} {
		s := parsed(t, api.KindNetwork, `{"log":{"entries":[`+good+`,`+in+`,`+good+`]}}`)
		got := "dropped"
		if len(s.Rows) == 3 {
			n, err := Summary(s.Rows[1])
			got = fmt.Sprint(n.Status, " ", n.StartedAt)
			if err != nil || n.URL != "/odd" {
				t.Errorf("%s: %v", in, err)
			}
		} else if len(s.Rows) != 2 {
			t.Errorf("%s: %d rows", in, len(s.Rows))
		}
		assert.Equal(t, in, fmt.Sprint(got, " ", places(s.Repairs)), want)
	}
	for _, root := range []string{`{"log":{"entries":[` + good + `]}}`,
		`[` + good + `]`, `{"entries":[` + good + `],"version":"1.2"}`, "\ufeff" + `{"log":{"creator":{},"entries":[` +
			good + `]}}`} {
		if s := parsed(t, api.KindNetwork, root); len(s.Rows) != 1 || len(s.Repairs) > 0 ||
			!strings.HasPrefix(string(s.Lines()), `{"log":{`) {
			t.Errorf("%s: %s", root, s.Lines())
		}
	}
	headers := parsed(t, api.KindNetwork,
		`{"log":{"entries":[{"startedDateTime":"2026-11-20T10:00:00Z","request":{"method":"GET","url":"/",`+
			`"headers":[{"name":"Content-Length","value":42},{"name":"X-Trace","value":true},{"name":7,"value":"x"}]},`+
			`"response":{"status":200}}]}}`)
	x, err := ParseExchange(headers.Rows[0])
	assert.Equal(t, "headers", fmt.Sprint(x.Request.Headers, err), "[{Content-Length 42} {X-Trace true}] <nil>")
}

// TestCharactersOfEvidence: characters that JSON of strict readers does not have become U+FFFD, each counted, in
// every kind.
func TestCharactersOfEvidence(t *testing.T) {
	for in, n := range map[string]int{`a\u0000b`: 1, `a\ud83db`: 1, `a\ude00`: 1,
		`\ud83d\ud83d`: 2, `\ud83d\u0041`: 1, `\uD83D`: 1, "a\xffb": 1, "\xc3(": 1, "\xed\xa0\xbd": 3, "a\x00b": 1,
		`\ud83d\ude00`: 0, `\\u0000`: 0, `\\\u0000`: 1, "😀": 0, `\ufffd`: 0, "a\x1bb": 0} {
		for kind, row := range map[api.AttachmentKind]string{
			api.KindConsole: `{"level":"error","timestamp":"2026-11-20T10:00:00Z","message":"m%","args":["%",{"%":1}]}`,
			api.KindActions: `{"type":"click","timestamp":"2026-11-20T10:00:00Z","selector":"%","text":"%"}`,
			api.KindReplay:  `{"type":3,"timestamp":1,"data":{"source":5,"id":1,"text":"%"}}`,
			api.KindNetwork: strings.Replace(sound[api.KindNetwork], `"text":"t"`, `"text":"%"`, 1)} {
			s := parsed(t, kind, string(file(kind, strings.ReplaceAll(row, "%", in))))
			counted := 0
			for _, r := range s.Repairs {
				counted += int(r.Count)
			}
			if want := n * strings.Count(row, "%"); counted != want || len(s.Rows) != 1 {
				t.Errorf("%s %q: %d replaced, want %d: %v", kind, in, counted, want, s.Repairs)
			}
			if text := string(s.Lines()); strings.Contains(text, "\x00") ||
				in != `\\u0000` && in != `\\\u0000` && strings.Contains(text, `\u0000`) ||
				strings.Contains(strings.ToLower(text), `\ud83d`) &&
					n > 0 || n > 0 && !strings.Contains(text, "\ufffd") && !strings.Contains(text, `\ufffd`) {
				t.Errorf("%s %q: %s", kind, in, text)
			}
		}
	}
}

// TestEntriesOfOtherTools: levels and times of other tools are read, and an entry that cannot be is left out and
// listed.
func TestEntriesOfOtherTools(t *testing.T) {
	for in, want := range map[string]string{`"warning"`: "warn", `"trace"`: "debug",
		`"assert"`: "error", `"verbose"`: "debug", `"SEVERE"`: "error",
		`"dir"`: "log", `"table"`: "log", `"Warn"`: "warn", `" error "`: "error", `"timeEnd"`: "log",
		`"startGroupCollapsed"`: "log", `"notice"`: "info", `"FATAL"`: "error",
		`"critical"`: "error", `50`: "error", `40`: "warn", `30`: "info",
		`20`: "debug", `60`: "error", `3`: "error", `4`: "warn", `6`: "info", `7`: "debug", `"loud"`: "log"} {
		s := parsed(t, api.KindConsole, `[{"level":`+in+`,"timestamp":1795168800000,"message":"m"}]`)
		var e api.ConsoleEntry
		if err := json.Unmarshal(s.Rows[0], &e); err != nil || string(e.Level) != want ||
			e.Timestamp.String() != "2026-11-20T10:00:00.000Z" || len(s.Repairs) > 0 != (in == `"loud"`) {
			t.Errorf("%s: %+v %v %v", in, e, err, s.Repairs)
		}
	}
	s := parsed(t, api.KindConsole, `{"level":"error","timestamp":"2026-11-20T10:00:00Z","message":"m"}`+"\n"+
		`{"level":"error",`+
		`"message":"no time"}`+"\n"+
		`{"level":"error","timestamp":12.5,"message":"since the page was loaded"}`+"\n7\n"+`{"level":"error",`+
		`"timestamp":"2026-11-20T10:00:00Z","message":5,"args":7,"stack":["x"]}`+"\n"+`{"level":"error","time`)
	assert.Equal(t, "the console", fmt.Sprint(len(s.Rows), places(s.Repairs)),
		"2 [entry_dropped /1 1 entry_dropped /2 1 entry_dropped /3 1 member_dropped /4/stack 1 member_converted /4/message 1 "+
			"member_dropped /4/args 1 entry_dropped /5 1]")
	s = parsed(t, api.KindActions, `[{"type":"click","timestamp":1795168800},{"type":null,"timestamp":1795168800},{"type":"input",`+
		`"timestamp":"2026-11-20T11:00:00+0100","value":7}]`)
	assert.Equal(t, "the actions", fmt.Sprint(len(s.Rows), places(s.Repairs)),
		"2 [entry_dropped /1 1 member_converted /2/value 1]")
	s = parsed(t, api.KindReplay, `[{"type":4,"timestamp":1795168800000},{"type":"3","timestamp":"2026-11-20T10:00:00Z"},{"type":3},null]`)
	assert.Equal(t, "the replay", fmt.Sprint(len(s.Rows), places(s.Repairs), " ", string(s.Rows[1])),
		`2 [entry_dropped /2 1 entry_dropped /3 1] {"timestamp":1795168800000,"type":3}`)
	many := parsed(t, api.KindActions, `[{"type":"click","timestamp":1795168800}`+strings.Repeat(`,{}`, 1000)+`]`)
	if n := len(many.Repairs); n != maxListed+1 || many.Repairs[n-1].Count != 1000-maxListed {
		t.Errorf("%d repairs are listed: %v", n, many.Repairs[n-1])
	}
}

// latin1 is a text with a character for each byte, as recorders put packed bytes into JSON.
func latin1(b []byte) string {
	var text strings.Builder
	for _, c := range b {
		text.WriteRune(rune(c))
	}
	return text.String()
}

func inZlib(s string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return latin1(b.Bytes())
}

func inGzip(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return latin1(b.Bytes())
}

func jsonOf(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// TestPackedEvents: events that rrweb or PostHog has packed are stored unpacked and without secrets; others that are
// packed are refused by name, and left out beside others.
func TestPackedEvents(t *testing.T) {
	const snapshot = `{"node":{"id":1,"childNodes":[{"id":2,"tagName":"input","attributes":{"type":"password","value":"hunter2\u0000x"}}]}}`
	for in, want := range map[string]string{
		jsonOf(inZlib(`{"type":2,"timestamp":1795168800000,"data":` + snapshot +
			`,"v":"v1"}`)): "",
		`{"type":2,"timestamp":1795168800000,"cv":"2024-10","data":` +
			jsonOf(inGzip(snapshot)) + `}`: "",
		`{"type":3,"timestamp":1795168800000,"cv":"2024-10","data":{"source":0,"texts":` +
			jsonOf(inGzip(`[{"id":1,"value":"token=hunter2xyz"}]`)) + `,"adds":` + jsonOf(inGzip(`[]`)) + `}}`: "",
		jsonOf(inZlib(`{"type":2,"timestamp":1795168800000,"v":"v9"}`)):      "is packed in a form that is not understood",
		jsonOf(inZlib(`{"type":2,"timestamp":1795168800000,"v":"v1"}`)[:20]): "is packed in a form that is not understood",
		`{"type":2,"timestamp":1,"cv":"2031-01","data":` + jsonOf(inGzip(snapshot)) +
			`}`: "is packed in a " +
			"form that is not understood",
		`{"type":2,"timestamp":1,"cv":"2024-10","data":` + jsonOf(inGzip(snapshot)[:40]) +
			`}`: "is packed in a form " +
			"that is not understood",
		`{"type":2,"timestamp":1,"cv":"2024-10","data":` + jsonOf("\x1f\u008b\ufffd\ufffd") +
			`}`: "is packed in a form " +
			"that is not understood",
		jsonOf(inZlib(`{"type":2,"timestamp":1,"v":"v1","data":"` + strings.Repeat("a",
			maxUnpacked) + `"}`)): "more than 8 MiB",
	} {
		s, err := Parse(api.KindReplay, []byte("["+in+"]"), redactor(t), redact.Counts{})
		var bad *Error
		if want != "" {
			if !errors.As(err, &bad) || !strings.Contains(bad.Detail, want) {
				t.Errorf("%.60s: %v, want %s", in, err, want)
			}
			if beside, err := Parse(api.KindReplay, []byte(`[{"type":4,"timestamp":1},`+in+"]"),
				redactor(t), redact.Counts{}); !strings.Contains(want, "MiB") &&
				(err != nil || len(beside.Rows) != 1 || len(beside.Repairs) != 1) {
				t.Errorf("%.60s beside another one: %v %v", in, err, beside.Repairs)
			}
			continue
		}
		text := string(s.Lines())
		if err != nil || strings.Contains(text, "hunter2") || strings.Contains(text, `"cv"`) ||
			strings.Contains(text, `"v"`) || !strings.Contains(text, "[redacted:") {
			t.Errorf("%.60s: %v %s", in, err, text)
		}
		evidence, repairs, err := Decode([]byte(`{"replay":[` + in + `]}`))
		if err != nil || len(evidence.Replay) != 1 || len(repairs) > 0 {
			t.Errorf("%.60s in a request: %v %v", in, err, repairs)
		}
	}
}
