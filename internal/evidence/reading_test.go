package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/redact"
)

// readable says what of a set some reader cannot read: what was accepted is read back by all.
func readable(s Set) error {
	var errs []error
	lines := s.Lines()
	if !utf8.Valid(lines) {
		errs = append(errs, errors.New("no UTF-8"))
	}
	if s.Kind == api.KindNetwork && !json.Valid(lines) {
		errs = append(errs, errors.New("the file is no JSON"))
	}
	rows := 0
	err := earlier(lines).Rows(s.Kind, Filter{}, func(place int, line []byte) (bool, error) {
		if rows++; place != rows {
			return true, fmt.Errorf("row %d has place %d", rows, place)
		}
		var v any
		var err error
		switch s.Kind {
		case api.KindNetwork:
			v, err = Summary(line)
		case api.KindConsole:
			var e api.ConsoleEntry
			err = json.Unmarshal(line, &e)
			v = e
		case api.KindActions:
			var e api.ActionEntry
			err = json.Unmarshal(line, &e)
			v = e
		case api.KindReplay:
			v = json.RawMessage(line)
		}
		if err != nil {
			return true, fmt.Errorf("%s: %w", line, err)
		}
		_, err = json.Marshal(v)
		return true, err
	})
	if rows != len(s.Rows) && err == nil {
		err = fmt.Errorf("%d rows of %d", rows, len(s.Rows))
	}
	shown, showErr := ToAPI([]Set{s})
	_, writeErr := json.Marshal(shown)
	ErrorTexts([]Set{s})
	return errors.Join(append(errs, err, showErr, writeErr)...)
}

// wild are values that no tool should write, and one does.
var wild = []string{"null", "1", "-1", `"1"`, `"x"`, `""`, "{}", "[]",
	"true", "1e400", "-1e400", "1e308", `{"a":1}`, `["a"]`, `"9999-12-31T23:59:59-23:59"`,
	`"0000-01-01T00:00:00+10:00"`, `"2026-11-20T10:00:00Z"`, `"\ud800"`, "\"\xff\"",
	`{"source":5,"id":1,"text":"4111111111111111"}`, `{"source":0,"attributes":[{"id":{},"attributes":{"value":5}}]}`,
	`{"node":{"tagName":"INPUT","id":"x","attributes":{"type":"password","value":[1]}}}`}

var members = map[api.AttachmentKind][]string{
	api.KindConsole: {"level", "timestamp", "message", "stack", "args", "Message", "TIMESTAMP"},
	api.KindActions: {"type", "timestamp", "selector", "text", "value", "url", "Type"},
	api.KindReplay:  {"type", "timestamp", "data", "Data", "Type"},
	api.KindNetwork: {"startedDateTime", "time", "_error", "request.method",
		"request.url", "request.URL", "request.postData", "request.postData.text",
		"request.headers", "request.cookies", "response.status", "response.STATUS", "response.statusText",
		"response._error", "response.content", "response.content.text",
		"response.content.mimeType", "response.content.encoding", "request", "response", "Response",
		"_webSocketMessages"},
}

var sound = map[api.AttachmentKind]string{
	api.KindConsole: `{"level":"error","timestamp":"2026-11-20T10:00:00Z","message":"m","args":[1]}`,
	api.KindActions: `{"type":"input","timestamp":"2026-11-20T10:00:00Z","selector":"#a","value":"v"}`,
	api.KindReplay:  `{"type":3,"timestamp":1,"data":{"source":5,"id":1,"text":"t"}}`,
	api.KindNetwork: `{"startedDateTime":"2026-11-20T10:00:00Z","time":1,"request":{"method":"GET","url":"/",` +
		`"postData":{"mimeType":"a/b","text":"t"}},"response":{"status":200,"statusText":"OK","content":{"mimeType":"text/plain",` +
		`"text":"t"}}}`,
}

// put puts JSON at a path of an object, as text: so that a name may stand twice in other cases.
func put(row map[string]any, path, value string) {
	for {
		name, rest, more := strings.Cut(path, ".")
		if !more {
			row[name] = json.RawMessage(value)
			return
		}
		inner := object(row[name])
		if inner == nil {
			return
		}
		row, path = inner, rest
	}
}

func file(kind api.AttachmentKind, rows ...string) []byte {
	all := "[" + strings.Join(rows, ",") + "]"
	if kind == api.KindNetwork {
		all = `{"log":{"creator":{},"entries":` + all + `}}`
	}
	return []byte(all)
}

// TestAcceptedEvidenceIsReadable: every reader reads evidence that was accepted.
func TestAcceptedEvidenceIsReadable(t *testing.T) {
	d := redactor(t)
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]api.AttachmentKind{api.KindConsole, api.KindNetwork, api.KindActions,
			api.KindReplay}).Draw(t, "kind")
		var row map[string]any
		if err := json.Unmarshal([]byte(sound[kind]), &row); err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			put(row, rapid.SampledFrom(members[kind]).Draw(t, "member"), rapid.SampledFrom(wild).Draw(t, "value"))
		}
		text, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		in := file(kind, sound[kind], string(text))
		s, err := Parse(kind, in, d, redact.Counts{})
		var bad *Error
		if errors.As(err, &bad) {
			return
		}
		taken++
		if err == nil {
			err = readable(s)
		}
		if err != nil {
			t.Fatalf("%s\n%v", in, err)
		}
	})
	if taken == 0 {
		t.Error("nothing was accepted")
	}
}

// TestOptionalMembers of a wrong type are passed over, an entry without a request is refused when it is alone, one
// without a time is left out, and one without a response or a status has the status 0.
func TestOptionalMembers(t *testing.T) {
	d := redactor(t)
	for member, refused := range map[string]bool{"time": false, "_error": false,
		"response._error": false, "response.statusText": false, "response.content": false,
		"response.content.text": false, "response.content.mimeType": false,
		"response.content.encoding": false, "request.postData": false,
		"request.postData.text": false, "request.URL": false, "request.METHOD": false, "response.STATUS": false,
		"request": true, "request.method": true, "request.url": true, "response": false,
		"response.status": false, "startedDateTime": false} {
		for _, value := range []string{"[5]", "{}", "null", "1e400", "true"} {
			var row map[string]any
			if err := json.Unmarshal([]byte(sound[api.KindNetwork]), &row); err != nil {
				t.Fatal(err)
			}
			put(row, member, value)
			text, _ := json.Marshal(row)
			s, err := Parse(api.KindNetwork, file(api.KindNetwork, string(text)), d, redact.Counts{})
			if (err != nil) != refused {
				t.Errorf("%s %s: %v", member, value, err)
			}
			if err != nil {
				continue
			}
			want := "GET / 200"
			switch member {
			case "startedDateTime":
				assert.Equal(t, member, fmt.Sprint(len(s.Rows), places(s.Repairs)),
					"0 [entry_dropped /log/entries/0 1]")
				continue
			case "response", "response.status":
				if want = "GET / 0"; member == "response" && value == "{}" {
					assert.Equal(t, member, places(s.Repairs),
						[]string{"member_converted /log/entries/0/response/status 1"})
				} else {
					assert.Equal(t, member, places(s.Repairs),
						[]string{"member_converted /log/entries/0/" + strings.ReplaceAll(member, ".", "/") + " 1"})
				}
			}
			n, err := Summary(s.Rows[0])
			if err != nil {
				t.Fatal(err)
			}
			assert.Equal(t, fmt.Sprint(member, " ", value), fmt.Sprint(n.Method, " ", n.URL, " ", n.Status), want)
		}
	}
}

// TestTimestampFormat: every time is in UTC with three decimals.
func TestTimestampFormat(t *testing.T) {
	for _, at := range []string{"9999-12-31T23:59:59-23:59", "0000-01-01T00:00:00+10:00", "2026-02-30T00:00:00Z",
		"today"} {
		row := fmt.Sprintf(`{"level":"error","message":"m","type":"t","timestamp":%q,"startedDateTime":%[1]q,"request":{"method":"G",`+
			`"url":"u"},"response":{"status":1}}`, at)
		for _, kind := range []api.AttachmentKind{api.KindConsole, api.KindActions, api.KindNetwork} {
			if s, err := Parse(kind, file(kind, row), redactor(t), redact.Counts{}); err == nil &&
				(kind != api.KindNetwork || len(s.Rows) > 0) {
				t.Errorf("%s: %s is taken", kind, at)
			}
		}
	}
}

// TestStrangeReplays: replays with members of unexpected types are read.
func TestStrangeReplays(t *testing.T) {
	for _, in := range []string{
		`[{"type":3,"timestamp":1,"Data":{"source":5,"id":1,"text":"4111111111111111"}}]`,
		`[{"type":3,"timestamp":1,"data":[]},{"type":3,"timestamp":1,"data":{"source":5,"id":{},"text":"4111111111111111"}}]`,
	} {
		s, err := Parse(api.KindReplay, []byte(in), redactor(t), redact.Counts{})
		if err == nil {
			err = readable(s)
		}
		if err != nil || strings.Contains(string(s.Lines()), "4111111111111111") {
			t.Errorf("%s: %v\n%s", in, err, s.Lines())
		}
	}
}

// TestEvidenceTooLargeAfterRedaction: what marks make too large is refused, and nothing is read in part.
func TestEvidenceTooLargeAfterRedaction(t *testing.T) {
	grown := `{"type":4,"timestamp":1,"data":{"secrets":["a"` + strings.Repeat(`,"a"`, 2_250_000) + `]}}`
	if _, err := Parse(api.KindReplay, file(api.KindReplay, grown), redactor(t), redact.Counts{}); !errors.Is(err,
		ErrLarge) {
		t.Errorf("%v", err)
	}
	row := append(bytes.Repeat([]byte("x"), 1<<20-1), '\n')
	for rows, whole := range map[int]bool{maxRead >> 20: true, maxRead>>20 + 1: false} {
		n := 0
		err := EachLine(bytes.NewReader(packEarlier(bytes.Repeat(row, rows))), 0, func(line []byte) (bool, error) {
			n++
			return true, nil
		})
		if (err == nil) != whole || whole && n != rows {
			t.Errorf("%d rows: %d read, %v", rows, n, err)
		}
	}
}

// TestLimits: what is too long is truncated in a file as in a report, each place is listed, and the rows beside it
// are stored.
func TestLimits(t *testing.T) {
	const line = `{"level":"error","type":"t","timestamp":"2026-11-20T10:00:00Z","message":"m",%s}`
	long := func(n int) string { return strings.Repeat("ö", n) }
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct {
		kind         api.AttachmentKind
		member, want string // the repair
		kept         string // the end of what is stored
	}{
		{api.KindConsole, `"message":"` + long(65537) + `"`, "truncated /1/message 1", `öö…"`},
		{api.KindConsole, `"stack":"` + long(65537) + `"`, "truncated /1/stack 1", `öö…"`},
		{api.KindConsole, `"args":[0` + strings.Repeat(",0", 101) + `]`,
			"truncated /1/args 2", `"args":[0` + strings.Repeat(",0", 99) + `]`},
		{api.KindConsole, `"args":[1,` + deep(901) + `]`, "truncated /1 1",
			`"args":[1,` + deep(900)[:900] + "null" + deep(900)[900:] + `]`},
		{api.KindConsole, `"args":[1,` + deep(20_000) + `]`, "truncated /1 1", "null" + deep(900)[900:] + `]`},
		{api.KindConsole, `"args":[` + deep(900) + `]`, "", `[` + deep(900) + `]`},
		{api.KindActions, `"value":"` + long(10001) + `"`, "truncated /1/value 1", `öö…"`},
		{api.KindActions, `"selector":"` + long(2000) + `"`, "truncated /1/selector 1", `öö…"`},
		{api.KindActions, `"url":"/` + long(20_000) + `"`, "truncated /1/url 1", `…"`},
		{api.KindActions, `"type":"` + long(51) + `"`, "truncated /1/type 1", `"type":"` + long(49) + `…"`},
		{api.KindConsole, `"message":"` + long(65536) + `"`, "", `öö"`},
	} {
		in := string(file(c.kind, fmt.Sprintf(line, `"text":""`), fmt.Sprintf(line, c.member)))
		s := parsed(t, c.kind, in)
		assert.Equal(t, c.want+" in a file", strings.Join(places(s.Repairs), " "), c.want)
		if len(s.Rows) != 2 || !strings.Contains(string(s.Rows[1]), c.kept) {
			t.Errorf("%s: %d rows, %.200s", c.want, len(s.Rows), s.Lines())
		}
		e, repairs, err := Decode([]byte(`{"` + string(c.kind) + `":` + strings.NewReplacer(`"text":"",`,
			"", `,"text":""`, "").Replace(in) + `}`))
		if err != nil {
			t.Fatal(err)
		}
		sets, err := Read(e, redactor(t), redact.Counts{})
		if err != nil || len(sets) != 1 || string(sets[0].Rows[1]) != string(s.Rows[1]) {
			t.Errorf("%s in a request: %v", c.want, err)
		}
		listed := ""
		for _, r := range repairs {
			if r.Code == api.RepairTruncated {
				listed = strings.Replace(places([]api.Repair{r})[0], "/evidence/"+string(c.kind), "", 1)
			}
		}
		assert.Equal(t, c.want+" in a request", listed, c.want)
	}
	secrets := strings.Repeat("pin=1 ", 65536/6)
	s, err := Parse(api.KindConsole, file(api.KindConsole, fmt.Sprintf(line, `"message":"`+secrets+`"`)), redactor(t),
		redact.Counts{})
	var e api.ConsoleEntry
	if err == nil {
		err = json.Unmarshal(s.Rows[0], &e)
	}
	if n := utf8.RuneCountInString(e.Message); err != nil || n != 65536 {
		t.Errorf("%d characters, %v", n, err)
	}
}

// TestTooManyRows: the first rows are stored, and the others are counted.
func TestTooManyRows(t *testing.T) {
	const message = `{"level":"log","timestamp":"2026-11-20T10:00:00Z","message":"m"}`
	const entry = `{"startedDateTime":"2026-11-20T10:00:00Z","time":1,"request":{"method":"GET","url":"/"},"response":{"status":200}}`
	list := func(row string, n int) string { return "[" + row + strings.Repeat(","+row, n-1) + "]" }
	for in, further := range map[string]int{list("{}", maxRows+2): 2, strings.Repeat("{}\n", maxRows+2): 2,
		strings.Repeat("{} ", maxRows+2): 2, strings.Repeat("{}\n", maxRows+2) + "{": 3} {
		s := Set{}
		rows, err := s.splitRows([]byte(in))
		assert.Equal(t, fmt.Sprintf("%.10q", in), fmt.Sprint(len(rows), places(s.repairs.all), err),
			fmt.Sprintf("50000 [entry_dropped  %d] <nil>", further))
	}
	network := parsed(t, api.KindNetwork, `{"log":{"entries":[`+entry+strings.Repeat(",0", maxRows)+`,`+entry+`]}}`)
	assert.Equal(t, "network", fmt.Sprint(len(network.Rows), " ", places(network.Repairs)[0]),
		"1 entry_dropped /log/entries 49982")
	e, repairs, err := Decode([]byte(`{"console":` + list(message, 20_003) + `,"replay":` + list("0", maxRows+1) + `}`))
	assert.Equal(t, "a request", fmt.Sprint(len(e.Console), len(e.Replay), places(repairs), err),
		"20000 50000 [entry_dropped /evidence/console 3 entry_dropped /evidence/replay 1] <nil>")
}
