package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/redact"
)

func redactor(t testing.TB) *redact.Redactor {
	t.Helper()
	d, err := redact.New(redact.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const har = `{"log":{"version":"1.2","creator":{"name":"c","version":"1"},"pages":[],"entries":[
{"startedDateTime":"2026-11-20T10:00:00.000Z","time":1.5,"request":{"method":"GET","url":"https://a/?token=secret12345"},` +
	`"response":{"status":200,"content":{"mimeType":"text/plain","text":"ü"}},"big":12345678901234567890},
{"startedDateTime":"2026-11-20T10:00:00+01:00","time":-1,"request":{"method":"GET","url":"https://b/"},"response":{"status":0,` +
	`"_error":"net::ERR_FAILED"}}]}}`

// TestArchiveRoundTrip: a HAR comes back as it was sent, numbers too, without its secrets.
func TestArchiveRoundTrip(t *testing.T) {
	c := redact.Counts{}
	s, err := Parse(api.KindNetwork, []byte(har), redactor(t), c)
	if err != nil || len(s.Rows) != 2 {
		t.Fatalf("%d rows, want 2: %v", len(s.Rows), err)
	}
	assert.Equal(t, "secrets", c.ByKind()["field"], 1)
	old := string(s.Head) + "\n" + string(s.Rows[0]) + "\n" + string(s.Rows[1]) + "\n" // as it was kept once
	var lines []string
	for _, kept := range []string{old, string(s.Lines())} {
		lines = nil
		if err := earlier([]byte(kept)).Parts(api.KindNetwork, func(place int, first bool, row []byte) error {
			if place != len(lines) || !first {
				t.Errorf("place %d for %d", place, len(lines))
			}
			lines = append(lines, string(row))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, "the parts", lines, []string{string(ArchiveHead(s.Head)), string(s.Rows[0]), string(s.Rows[1])})
	}
	var got, want map[string]any
	if err := json.Unmarshal(s.Lines(), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(strings.Replace(har, "secret12345", "REDACTED", 1)), &want); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || !strings.Contains(lines[1], "12345678901234567890") {
		t.Errorf("%v\n%v", got, want)
	}
	n, err := Summary([]byte(lines[2]))
	if err != nil {
		t.Fatal(err)
	}
	assert.Equal(t, "the second entry", fmt.Sprint(n.Status, " ", n.DurationMs, " ", *n.Error, " ", Failed(n), " ",
		n.StartedAt),
		"0 0 net::ERR_FAILED true 2026-11-20T09:00:00.000Z")
}

// TestFaults are named by where they are.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		kind api.AttachmentKind
		in   string
		at   string
	}{
		{api.KindNetwork, `[]`, ""}, {api.KindNetwork, `{"log":{}}`, "/log/entries"},
		{api.KindNetwork, `{"log":{"entries":[{}]}}`, "/log/entries/0"},
		{api.KindNetwork, `{"log":{"entries":[null,{"request":{"method":"","url":"u"},"response":{"status":1}}]}}`,
			"/log/entries/0"},
		{api.KindConsole, `[{"level":"error","message":"m"},{"level":"loud"}]`, "/0"},
		{api.KindConsole, `{"level"`, "/0"}, {api.KindConsole, `[1]`, "/0"},
		{api.KindReplay, `[{"type":1}]`, "/0"}, {api.KindReplay, `{}`, "/0"},
		{api.KindActions, `[{"type":""}]`, "/0"}, {api.KindActions, `[`, ""},
	} {
		var bad *Error
		if _, err := Parse(c.kind, []byte(c.in), redactor(t), redact.Counts{}); !errors.As(err, &bad) ||
			bad.Pointer != c.at {
			t.Errorf("%s %s: %v", c.kind, c.in, err)
		}
	}
	for _, in := range []string{`[{"type":4,"timestamp":1}]`,
		"{\"type\":4,\"timestamp\":1}\n{\"type\":3,\"timestamp\":2}\n", "\ufeff[ ]"} {
		if _, err := Parse(api.KindReplay, []byte(in), redactor(t), redact.Counts{}); err != nil {
			t.Errorf("%s: %v", in, err)
		}
	}
	if err := EachLine(strings.NewReader("no gzip"), 0, nil); err == nil {
		t.Error("no gzip is read")
	}
}

// fuzz: whatever is accepted is read back by every reader, each row in a line.
func fuzz(f *testing.F, kind api.AttachmentKind, seeds ...string) {
	f.Add(file(kind, sound[kind]))
	for _, member := range members[kind] {
		for _, value := range wild {
			var row map[string]any
			if err := json.Unmarshal([]byte(sound[kind]), &row); err != nil {
				f.Fatal(err)
			}
			put(row, member, value)
			text, _ := json.Marshal(row)
			f.Add(file(kind, string(text)))
		}
	}
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	d := redactor(f)
	f.Fuzz(func(t *testing.T, in []byte) {
		s, err := Parse(kind, in, d, redact.Counts{})
		var bad *Error
		if errors.As(err, &bad) {
			return
		}
		for _, row := range s.Rows {
			if bytes.ContainsAny(row, "\n") {
				t.Errorf("more than a line: %q", row)
			}
		}
		if err == nil {
			err = readable(s)
		}
		if err != nil {
			t.Error(err)
		}
	})
}

func FuzzHAR(f *testing.F) { fuzz(f, api.KindNetwork, har) }
func FuzzReplay(f *testing.F) {
	fuzz(f, api.KindReplay, `[{"type":4,"timestamp":1,"data":{}}]`, "{\"type\":1,\n\"timestamp\":2}",
		`[{"type":2,"timestamp":1,"data":{"node":{"id":1,"childNodes":[{"id":2,"tagName":"textarea","attributes":{"name":"pin",`+
			`"value":1},"childNodes":[{"type":3,"id":3,"textContent":"x"}]}]}}}]`)
}
func FuzzConsole(f *testing.F) {
	fuzz(f, api.KindConsole, `[{"level":"error","timestamp":"2026-11-20T10:00:00Z","message":"m","args":[1,"x",{"password":"p"}]}]`)
}
func FuzzActions(f *testing.F) { fuzz(f, api.KindActions) }
