// Package evidence reads what tools captured of a bug (console, network as HAR 1.2, actions,
// replay as events of rrweb), removes its secrets, and keeps it as lines of JSON, gzipped. It
// is pure, and everything it reads is hostile.
package evidence

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/redact"
)

// Set is what was captured of one kind. Head is what stands before the rows of a HAR.
type Set struct {
	Kind api.AttachmentKind
	Head json.RawMessage // of network alone
	Rows []json.RawMessage
}

// Limits of one set.
const (
	MaxBytes = 16 << 20 // unpacked
	maxRows  = 50_000
)

// Error says what is wrong with a set, by a JSON pointer into it.
type Error struct{ Pointer, Detail string }

func (e *Error) Error() string { return e.Pointer + ": " + e.Detail }

func wrong(pointer, format string, args ...any) error {
	return &Error{pointer, fmt.Sprintf(format, args...)}
}

// Read returns the sets of what came along with a slice, without secrets.
func Read(e *api.Evidence, d *redact.Redactor, c redact.Counts) ([]Set, error) {
	var sets []Set
	if len(e.Console) > 0 {
		s := Set{Kind: api.KindConsole}
		for i := range e.Console {
			if err := s.add(console(e.Console[i], d, c)); err != nil {
				return nil, err
			}
		}
		sets = append(sets, s)
	}
	if len(e.Network) > 0 && string(e.Network) != "null" {
		s, err := network(e.Network, d, c)
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	if len(e.Actions) > 0 {
		s := Set{Kind: api.KindActions}
		for i := range e.Actions {
			if err := s.add(action(e.Actions[i], d, c)); err != nil {
				return nil, err
			}
		}
		sets = append(sets, s)
	}
	if len(e.Replay) > 0 {
		s, err := replay(e.Replay, d, c)
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	return sets, nil
}

func (s *Set) add(v any) error {
	b, err := marshal(v)
	s.Rows = append(s.Rows, b)
	return err
}

// marshal writes JSON in one line, with < and & as they are.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

func console(e api.ConsoleEntry, d *redact.Redactor, c redact.Counts) api.ConsoleEntry {
	e.Message = d.Body("", e.Message, c)
	if e.Stack != nil {
		clean := d.Text(*e.Stack, c)
		e.Stack = &clean
	}
	for i, arg := range e.Args {
		e.Args[i] = clean(arg, d, c)
	}
	return e
}

// clean removes the secrets of any JSON.
func clean(raw json.RawMessage, d *redact.Redactor, c redact.Counts) json.RawMessage {
	text := "[" + string(raw) + "]" // a string alone is no body of JSON
	out := d.Body("application/json", text, c)
	if out == text {
		return raw
	}
	return json.RawMessage(out[1 : len(out)-1])
}

func action(e api.ActionEntry, d *redact.Redactor, c redact.Counts) api.ActionEntry {
	for _, p := range []**string{&e.Text, &e.URL, &e.Selector} {
		if *p != nil {
			text := d.Text(**p, c)
			if p == &e.URL {
				text = d.URL(**p, c)
			}
			*p = &text
		}
	}
	if e.Value != nil && *e.Value != "" {
		name := ""
		if e.Selector != nil {
			name = *e.Selector
		}
		value := d.Input(name, *e.Value, c)
		e.Value = &value
	}
	return e
}

// network reads a HAR: an object with log, which has entries with a request and a response.
func network(raw json.RawMessage, d *redact.Redactor, c redact.Counts) (Set, error) {
	var har struct {
		Log map[string]any `json:"log"`
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&har); err != nil || har.Log == nil {
		return Set{}, wrong("", "a HAR is an object with log")
	}
	entries, ok := har.Log["entries"].([]any)
	if !ok {
		return Set{}, wrong("/log/entries", "must be an array")
	}
	if len(entries) > maxRows {
		return Set{}, wrong("/log/entries", "at most %d entries", maxRows)
	}
	delete(har.Log, "entries")
	head := d.Value(har.Log, c)
	s := Set{Kind: api.KindNetwork}
	var err error
	if s.Head, err = marshal(head); err != nil {
		return s, err
	}
	for i, e := range entries {
		entry, ok := e.(map[string]any)
		if why := entryFault(entry); !ok || why != "" {
			return s, wrong(fmt.Sprintf("/log/entries/%d", i), "%s", why)
		}
		d.Entry(entry, c)
		if err := s.add(entry); err != nil {
			return s, err
		}
	}
	return s, nil
}

// entryFault says what an entry of a HAR lacks.
func entryFault(entry map[string]any) string {
	request, _ := entry["request"].(map[string]any)
	response, _ := entry["response"].(map[string]any)
	started, _ := entry["startedDateTime"].(string)
	method, _ := request["method"].(string)
	address, _ := request["url"].(string)
	switch {
	case request == nil || method == "" || address == "":
		return "must have a request with method and url"
	case response == nil:
		return "must have a response (status 0 when there was none)"
	}
	if _, ok := response["status"].(json.Number); !ok {
		return "response must have a status"
	}
	if _, err := time.Parse(time.RFC3339, started); err != nil {
		return "startedDateTime must be an RFC 3339 time"
	}
	return ""
}

// replay reads events of rrweb: objects with a type and a timestamp.
func replay(events []json.RawMessage, d *redact.Redactor, c redact.Counts) (Set, error) {
	s := Set{Kind: api.KindReplay}
	if len(events) > maxRows {
		return s, wrong("", "at most %d events", maxRows)
	}
	typed := typedSecrets(events, d, c)
	for i, raw := range events {
		if masked, ok := typed[i]; ok {
			raw = masked
		}
		var head struct {
			Type      *float64 `json:"type"`
			Timestamp *float64 `json:"timestamp"`
		}
		if err := json.Unmarshal(raw, &head); err != nil || head.Type == nil || head.Timestamp == nil {
			return s, wrong(fmt.Sprintf("/%d", i), "must be an event of rrweb: an object with type and timestamp")
		}
		if err := s.add(clean(raw, d, c)); err != nil {
			return s, err
		}
	}
	return s, nil
}

// Parse reads a file of a kind: JSON, or lines of it.
func Parse(kind api.AttachmentKind, file []byte, d *redact.Redactor, c redact.Counts) (Set, error) {
	file = bytes.TrimLeft(file, " \t\r\n\ufeff")
	if kind == api.KindNetwork {
		return network(file, d, c)
	}
	rows, err := rowsOf(file)
	if err != nil {
		return Set{}, err
	}
	s := Set{Kind: kind}
	if kind == api.KindReplay {
		return replay(rows, d, c)
	}
	for i, raw := range rows {
		var v any
		if kind == api.KindConsole {
			var e api.ConsoleEntry
			if err := json.Unmarshal(raw, &e); err != nil || e.Message == "" && len(e.Args) == 0 || !known(e.Level) || e.Timestamp.IsZero() {
				return s, wrong(fmt.Sprintf("/%d", i), "must have a level, a timestamp and a message")
			}
			v = console(e, d, c)
		} else {
			var e api.ActionEntry
			if err := json.Unmarshal(raw, &e); err != nil || e.Type == "" || e.Timestamp.IsZero() {
				return s, wrong(fmt.Sprintf("/%d", i), "must have a type and a timestamp")
			}
			v = action(e, d, c)
		}
		if err := s.add(v); err != nil {
			return s, err
		}
	}
	return s, nil
}

func known(l api.ConsoleLevel) bool {
	for _, v := range l.Values() {
		if v == string(l) {
			return true
		}
	}
	return false
}

// rowsOf reads an array, or objects one after the other.
func rowsOf(file []byte) ([]json.RawMessage, error) {
	if bytes.HasPrefix(file, []byte("[")) {
		var rows []json.RawMessage
		if err := json.Unmarshal(file, &rows); err != nil {
			return nil, wrong("", "is no JSON array")
		}
		if len(rows) > maxRows {
			return nil, wrong("", "at most %d rows", maxRows)
		}
		return rows, nil
	}
	var rows []json.RawMessage
	for dec := json.NewDecoder(bytes.NewReader(file)); ; {
		var one json.RawMessage
		if err := dec.Decode(&one); errors.Is(err, io.EOF) {
			return rows, nil
		} else if err != nil {
			return nil, wrong(fmt.Sprintf("/%d", len(rows)), "is no JSON")
		}
		if rows = append(rows, one); len(rows) > maxRows {
			return nil, wrong("", "at most %d rows", maxRows)
		}
	}
}

// Lines returns a set as it is kept: a line for the head of a HAR, and one for each row.
func (s Set) Lines() []byte {
	var b bytes.Buffer
	if s.Head != nil {
		b.Write(s.Head)
		b.WriteByte('\n')
	}
	for _, r := range s.Rows {
		b.Write(r)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// Pack compresses lines.
func Pack(lines []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(lines) // into memory
	_ = w.Close()
	return b.Bytes()
}

// Each reads packed lines and shows them one by one, until fn returns false.
func Each(packed io.Reader, fn func(line []byte) (bool, error)) error {
	z, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(io.LimitReader(z, 2*MaxBytes), 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		if line = bytes.TrimRight(line, "\n"); len(line) > 0 {
			if more, ferr := fn(line); ferr != nil || !more {
				return ferr
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Summary shows an entry of a HAR in short.
func Summary(line []byte) (api.NetworkEntry, error) {
	type body struct {
		MimeType string `json:"mimeType"`
		Text     string `json:"text"`
		Encoding string `json:"encoding"`
	}
	var e struct {
		StartedDateTime api.Time `json:"startedDateTime"`
		Time            float64  `json:"time"`
		Error           string   `json:"_error"`
		Request         struct {
			Method, URL string
			PostData    body
		}
		Response struct {
			Status     float64
			StatusText string
			Content    body
			Error      string `json:"_error"`
		}
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return api.NetworkEntry{}, err
	}
	n := api.NetworkEntry{StartedAt: e.StartedDateTime, DurationMs: max(0, e.Time), Method: e.Request.Method, URL: e.Request.URL,
		Status: int64(max(0, min(e.Response.Status, 999))), StatusText: e.Response.StatusText}
	n.ContentType, n.RequestBody = some(e.Response.Content.MimeType), some(cut(e.Request.PostData.Text))
	if e.Response.Content.Encoding == "" {
		n.ResponseBody = some(cut(e.Response.Content.Text))
	}
	if n.Error = some(e.Error); n.Error == nil {
		n.Error = some(e.Response.Error)
	}
	return n, nil
}

func some(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

const bodyShown = 4096 // characters

func cut(s string) string {
	if len(s) <= bodyShown {
		return s
	}
	n := 0
	for i := range s {
		if n++; n > bodyShown {
			return s[:i]
		}
	}
	return strings.ToValidUTF8(s, "")
}

// Show returns sets as they would be sent.
func Show(sets []Set) (*api.Evidence, error) {
	e := &api.Evidence{Console: []api.ConsoleEntry{}, Actions: []api.ActionEntry{}, Replay: []json.RawMessage{}}
	for _, s := range sets {
		var err error
		switch s.Kind {
		case api.KindConsole:
			err = json.Unmarshal(array(s.Rows), &e.Console)
		case api.KindActions:
			err = json.Unmarshal(array(s.Rows), &e.Actions)
		case api.KindReplay:
			e.Replay = s.Rows
		case api.KindNetwork:
			e.Network = slices.Concat(ArchiveHead(s.Head), array(s.Rows), []byte(ArchiveEnd))
		}
		if err != nil {
			return nil, err
		}
	}
	return e, nil
}

func array(rows []json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, r := range rows {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(r)
	}
	b.WriteByte(']')
	return b.Bytes()
}

// ArchiveHead is what stands before the list of entries in a HAR.
func ArchiveHead(head json.RawMessage) []byte {
	head = bytes.TrimSuffix(bytes.TrimSpace(head), []byte("}"))
	if len(head) > 1 {
		head = append(slices.Clip(head), ',')
	}
	return slices.Concat([]byte(`{"log":`), head, []byte(`"entries":`))
}

// ArchiveEnd is what stands behind it.
const ArchiveEnd = "}}"

// Errors returns what sets are searched by: the messages of errors, and the addresses of
// requests that failed. It is bounded.
func Errors(sets []Set) (texts []string) {
	for _, s := range sets {
		for _, row := range s.Rows {
			if len(texts) >= 20 {
				return texts
			}
			switch s.Kind {
			case api.KindConsole:
				var e api.ConsoleEntry
				if json.Unmarshal(row, &e) == nil && e.Level == "error" {
					texts = append(texts, cut(e.Message))
				}
			case api.KindNetwork:
				if n, err := Summary(row); err == nil && Failed(n) {
					texts = append(texts, cut(n.URL))
				}
			}
		}
	}
	return texts
}

// Failed says whether a request got no answer, or one of 400 and above.
func Failed(n api.NetworkEntry) bool { return n.Status == 0 || n.Status >= 400 }
