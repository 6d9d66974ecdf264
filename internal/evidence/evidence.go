// Package evidence reads what tools captured of a bug (console, network as HAR 1.2, actions,
// replay as events of rrweb), removes its secrets, and keeps it as lines of JSON, gzipped. It
// is pure, and everything it reads is hostile.
package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"bugslice/api"
	"bugslice/internal/redact"
)

// Set is what was captured of one kind. Head is what stands before the rows of a HAR.
type Set struct {
	Kind api.AttachmentKind
	Head json.RawMessage // of network alone
	Rows []json.RawMessage
	size int // of the rows, in bytes

	classes []int // of the rows, where they have some
}

// Limits of one set.
const (
	MaxBytes = 16 << 20    // as it is sent
	maxKept  = 32 << 20    // as it is kept: marks may be longer than what they stand for
	maxRead  = 4 * maxKept // sets of an earlier version may be larger
	maxRows  = 50_000
)

// ErrLarge says that a set without its secrets is larger than one may be.
var ErrLarge = fmt.Errorf("without its secrets, for which marks stand, it has more than %d MiB", maxKept>>20)

// Error says what is wrong with a set, by a JSON pointer into it. Other says that it is JSON, and
// nothing that tries to be such a set.
type Error struct {
	Pointer, Detail string
	Other           bool
}

func (e *Error) Error() string {
	if e.Pointer == "" {
		return e.Detail
	}
	return e.Pointer + ": " + e.Detail
}

func wrong(pointer, format string, args ...any) error {
	return &Error{Pointer: pointer, Detail: fmt.Sprintf(format, args...)}
}

// Read returns the sets of what came along with a slice, without secrets.
func Read(e *api.Evidence, d *redact.Redactor, c redact.Counts) ([]Set, error) {
	var sets []Set
	for _, part := range []struct {
		kind api.AttachmentKind
		some bool
		read func(*Set) error
	}{
		{api.KindConsole, len(e.Console) > 0, func(s *Set) error { return s.console(e.Console, d, c) }},
		{api.KindNetwork, len(e.Network) > 0 && string(e.Network) != "null", func(s *Set) error { return s.network(e.Network, d, c) }},
		{api.KindActions, len(e.Actions) > 0, func(s *Set) error { return s.actions(e.Actions, d, c) }},
		{api.KindReplay, len(e.Replay) > 0, func(s *Set) error { return s.replay(e.Replay, d, c) }},
	} {
		if !part.some {
			continue
		}
		s := Set{Kind: part.kind}
		err := part.read(&s)
		var bad *Error
		if errors.As(err, &bad) {
			bad.Pointer = "/" + string(part.kind) + bad.Pointer
		}
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	return sets, nil
}

// Parse reads a file of a kind: JSON, or lines of it.
func Parse(kind api.AttachmentKind, file []byte, d *redact.Redactor, c redact.Counts) (Set, error) {
	s := Set{Kind: kind}
	err := s.parse(bytes.ToValidUTF8(bytes.TrimLeft(file, " \t\r\n\ufeff"), []byte("\ufffd")), d, c)
	return s, err
}

func (s *Set) parse(file []byte, d *redact.Redactor, c redact.Counts) error {
	if s.Kind == api.KindNetwork {
		return s.network(file, d, c)
	}
	rows, err := rowsOf(file)
	switch {
	case err != nil:
		return err
	case s.Kind == api.KindReplay:
		return s.replay(rows, d, c)
	case s.Kind == api.KindActions:
		all, err := typed(rows, "must have a type and a timestamp", func(e api.ActionEntry) bool { return e.Type != "" && !e.Timestamp.IsZero() })
		if err != nil {
			return err
		}
		return s.actions(all, d, c)
	}
	all, err := typed(rows, "must have a level, a timestamp and a message", func(e api.ConsoleEntry) bool {
		return slices.Contains(e.Level.Values(), string(e.Level)) && !e.Timestamp.IsZero() && (e.Message != "" || len(e.Args) > 0)
	})
	if err != nil {
		return err
	}
	return s.console(all, d, c)
}

// typed reads each row as a T, which must be whole.
func typed[T any](rows []json.RawMessage, want string, whole func(T) bool) ([]T, error) {
	all := make([]T, len(rows))
	for i, raw := range rows {
		if err := json.Unmarshal(raw, &all[i]); err != nil || !whole(all[i]) {
			return nil, wrong(fmt.Sprintf("/%d", i), "%s", want)
		}
		if err := tooLong(i, &all[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (s *Set) add(v any, class int) error {
	b, err := marshal(v)
	s.Rows, s.classes = append(s.Rows, b), append(s.classes, class)
	if s.size += len(b) + len(",\n"); err == nil && s.size+len(s.Head)+len(ArchiveHead(nil))+len(archiveEnd) >= maxKept {
		err = ErrLarge
	}
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

func (s *Set) console(rows []api.ConsoleEntry, d *redact.Redactor, c redact.Counts) error {
	for i, e := range rows {
		e.Message = d.Body("", e.Message, c)
		if e.Stack != nil {
			stack := d.Text(*e.Stack, c)
			e.Stack = &stack
		}
		e.Args = slices.Clone(e.Args)
		for j, arg := range e.Args {
			var err error
			if e.Args[j], err = clean(arg, d, c); err != nil {
				return wrong(fmt.Sprintf("/%d/args/%d", i, j), "%s", err)
			}
		}
		fit(&e)
		if err := s.add(e, LevelClass(e.Level)); err != nil {
			return err
		}
	}
	return nil
}

// maxNesting is how deep arrays and objects may stand in each other.
const maxNesting = 900

var errDeep = fmt.Errorf("is nested deeper than %d", maxNesting)

// nested returns how deep JSON is nested.
func nested(raw []byte) (deepest int) {
	depth, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
			if c == '\\' {
				i++
			}
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// clean removes the secrets of any JSON.
func clean(raw json.RawMessage, d *redact.Redactor, c redact.Counts) (json.RawMessage, error) {
	if nested(raw) > maxNesting {
		return nil, errDeep
	}
	text := "[" + string(raw) + "]" // a string alone is no body of JSON
	out := d.Body("application/json", text, c)
	if out == text {
		return raw, nil
	}
	if !json.Valid([]byte(out)) {
		return nil, errDeep
	}
	return json.RawMessage(out[1 : len(out)-1]), nil
}

// replay reads events of rrweb: objects with a type and a timestamp.
func (s *Set) replay(events []json.RawMessage, d *redact.Redactor, c redact.Counts) error {
	if len(events) > maxRows {
		return wrong("", "at most %d events", maxRows)
	}
	typed := typedSecrets(events, d, c)
	for i, raw := range events {
		var e map[string]any
		_ = decode(raw, &e) // nil when it is no object
		_, kind := number(e["type"])
		_, at := number(e["timestamp"])
		if !kind || !at {
			return wrong(fmt.Sprintf("/%d", i), "must be an event of rrweb: an object with type and timestamp")
		}
		if masked, ok := typed[i]; ok {
			raw = masked
		}
		raw, err := clean(raw, d, c)
		if err != nil {
			return wrong(fmt.Sprintf("/%d", i), "%s", err)
		}
		if err := s.add(raw, noClass); err != nil {
			return err
		}
	}
	return nil
}

// rowsOf reads an array, or objects one after the other.
func rowsOf(file []byte) ([]json.RawMessage, error) {
	if bytes.HasPrefix(file, []byte("[")) {
		var rows []json.RawMessage
		if err := json.Unmarshal(file, &rows); err != nil {
			return nil, wrong("", "it is no JSON array")
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
