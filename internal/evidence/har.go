package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/redact"
)

var errBehind = errors.New("something stands behind the value")

// decode reads one JSON value and nothing behind it. Numbers stay as they were written.
func decode(raw []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errBehind
	}
	return nil
}

// begins is how a HAR begins, also one that was cut off.
var begins = regexp.MustCompile(`^\s*\{\s*"log"\s*:\s*\{`)

// network reads a HAR: an object with log, which has entries with a request and a response.
func (s *Set) network(raw json.RawMessage, d *redact.Redactor, c redact.Counts) error {
	var har any
	if err := decode(raw, &har); err != nil {
		return &Error{Detail: "its JSON is not well-formed", Other: errors.Is(err, errBehind) || !begins.Match(raw)}
	}
	log := object(object(har)["log"])
	if log == nil {
		return &Error{Detail: "must be a HAR, an object with log", Other: true}
	}
	entries, ok := log["entries"].([]any)
	if !ok {
		return &Error{Pointer: "/log/entries", Detail: "must be an array", Other: true}
	}
	if len(entries) > maxRows {
		return wrong("/log/entries", "at most %d entries", maxRows)
	}
	delete(log, "entries")
	var err error
	if s.Head, err = marshal(d.Value(log, c)); err != nil {
		return err
	}
	for i, e := range entries {
		entry := object(e)
		n, fault := exchange(entry)
		if fault != "" {
			return wrong(fmt.Sprintf("/log/entries/%d", i), "%s", fault)
		}
		d.Entry(entry, c)
		if err := s.add(entry, StatusClass(n)); err != nil {
			return err
		}
	}
	return nil
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func text(m map[string]any, name string) string {
	s, _ := m[name].(string)
	return s
}

// number reads a number that a float64 holds; any other value is 0 and none.
func number(v any) (float64, bool) {
	n, _ := v.(json.Number)
	f, err := n.Float64()
	if err != nil {
		return 0, false
	}
	return f, true
}

// exchange reads an entry of a HAR in short, and says what it lacks of what it must have. Both
// what is taken and what is shown is read by it alone: an optional member of a wrong type is as
// if it were not there, and names count in their own case.
func exchange(entry map[string]any) (n api.NetworkEntry, fault string) {
	request, response := object(entry["request"]), object(entry["response"])
	content := object(response["content"])
	n.Method, n.URL, n.StatusText = text(request, "method"), text(request, "url"), text(response, "statusText")
	n.ContentType, n.RequestBody = some(text(content, "mimeType")), some(cut(text(object(request["postData"]), "text")))
	if text(content, "encoding") == "" {
		n.ResponseBody = some(cut(text(content, "text")))
	}
	if n.Error = some(text(entry, "_error")); n.Error == nil {
		n.Error = some(text(response, "_error"))
	}
	took, _ := number(entry["time"])
	status, answered := number(response["status"])
	n.DurationMs, n.Status = max(0, took), int64(max(0, min(status, 999)))
	late := n.StartedAt.UnmarshalText([]byte(text(entry, "startedDateTime")))
	switch {
	case n.Method == "" || n.URL == "":
		fault = "must have a request with method and url"
	case response == nil:
		fault = "must have a response (status 0 when there was none)"
	case !answered:
		fault = "response must have a status, which is a number"
	case late != nil:
		fault = "startedDateTime must be an RFC 3339 time"
	}
	return n, fault
}

// Summary shows an entry of a HAR in short, or says what it lacks.
func Summary(line []byte) (api.NetworkEntry, error) {
	var entry map[string]any
	if err := decode(line, &entry); err != nil {
		return api.NetworkEntry{}, err
	}
	n, fault := exchange(entry)
	if fault != "" {
		return n, errors.New(fault)
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

// ArchiveHead is what stands before the list of entries in a HAR.
func ArchiveHead(head json.RawMessage) []byte {
	head = bytes.TrimSuffix(bytes.TrimSpace(head), []byte("}"))
	if len(head) > 1 {
		head = append(slices.Clip(head), ',')
	}
	return slices.Concat([]byte(`{"log":`), head, []byte(`"entries":`))
}

// ArchiveEnd is what stands behind the list.
const (
	ArchiveEnd = "}}"
	archiveEnd = "]" + ArchiveEnd
)
