// Package evidence reads what tools captured of a bug: console messages, network requests as HAR 1.2, actions of the
// user, and a replay of rrweb events. It removes their secrets, and packs them as lines of JSON in gzip blocks with an
// index. It trusts no input.
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

// Read returns the sets of evidence that a request contains, without secrets.
func Read(e *api.Evidence, d *redact.Redactor, c redact.Counts) ([]Set, error) {
	var sets []Set
	for _, part := range []struct {
		kind    api.AttachmentKind
		present bool
		add     func(*Set, redaction) error
	}{
		{api.KindConsole, len(e.Console) > 0, func(s *Set, r redaction) error { return s.addConsole(e.Console, r) }},
		{api.KindNetwork, len(e.Network) > 0 && string(e.Network) != "null",
			func(s *Set, r redaction) error { return s.addNetwork(e.Network, r) }},
		{api.KindActions, len(e.Actions) > 0, func(s *Set, r redaction) error { return s.addActions(e.Actions, r) }},
		{api.KindReplay, len(e.Replay) > 0, func(s *Set, r redaction) error { return s.addReplay(e.Replay, r) }},
	} {
		if !part.present {
			continue
		}
		s := Set{Kind: part.kind}
		err := part.add(&s, newRedaction(d, c))
		s.Repairs = below("/evidence/"+string(part.kind), s.repairs.all)
		if fault, ok := errors.AsType[*Error](err); ok {
			fault.Pointer = "/" + string(part.kind) + fault.Pointer
		}
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	return sets, nil
}

// Parse reads a file of a kind, without secrets. The file is a HAR for network, and for other kinds a JSON array or one
// JSON object after the other.
func Parse(kind api.AttachmentKind, file []byte, d *redact.Redactor, c redact.Counts) (Set, error) {
	s := Set{Kind: kind}
	err := s.parse(bytes.TrimLeft(file, " \t\r\n\ufeff"), newRedaction(d, c))
	s.Repairs = s.repairs.all
	return s, err
}

// parse adds the rows of a file. It leaves out a row that lacks a required member, and refuses a file without any other.
func (s *Set) parse(file []byte, r redaction) error {
	if s.Kind == api.KindNetwork {
		return s.addNetwork(file, r)
	}
	rows, err := s.splitRows(file)
	if err != nil {
		return err
	}
	switch s.Kind {
	case api.KindReplay:
		return s.addReplay(rows, r)
	case api.KindActions:
		entries, err := userActions.decode(rows, &s.repairs)
		if err != nil {
			return err
		}
		return s.addActions(entries, r)
	default:
		entries, err := messages.decode(rows, &s.repairs)
		if err != nil {
			return err
		}
		return s.addConsole(entries, r)
	}
}

func isCompleteAction(e api.ActionEntry) bool { return e.Type != "" && !e.Timestamp.IsZero() }

func isCompleteMessage(e api.ConsoleEntry) bool {
	return slices.Contains(e.Level.Values(), string(e.Level)) && !e.Timestamp.IsZero() && (e.Message != "" || len(e.Args) > 0)
}

// splitRows splits a JSON array, or JSON values one after the other, after repairs of their text if they need some. It refuses more than
// maxRows.
func (s *Set) splitRows(file []byte) (rows []json.RawMessage, err error) {
	if rows, err = splitRows(file); err == nil {
		return rows, nil
	}
	if lines := linesOf(file); len(lines) > 0 {
		return lines, nil
	}
	repaired, replaced := repairText(file)
	s.repairs.characters("", replaced)
	return splitRows(repaired)
}

// linesOf returns the lines of a file if at least one is a JSON object: the others, such as one that was cut off, are left out later. It
// returns none when there are more than maxRows.
func linesOf(file []byte) (rows []json.RawMessage) {
	sound := false
	for line := range bytes.Lines(file) {
		line = bytes.Trim(line, " \t\r\n")
		if len(line) == 0 {
			continue
		}
		sound = sound || line[0] == '{' && json.Valid(line)
		if rows = append(rows, line); len(rows) > maxRows {
			return nil
		}
	}
	if !sound {
		return nil
	}
	return rows
}

// splitRows splits a JSON array, or JSON values one after the other. It refuses more than maxRows.
func splitRows(file []byte) (rows []json.RawMessage, err error) {
	if bytes.HasPrefix(file, []byte("[")) {
		if err := json.Unmarshal(file, &rows); err != nil {
			return nil, invalid("", "is not a JSON array")
		}
	} else if rows, err = splitValues(file); err != nil {
		return nil, err
	}
	if len(rows) > maxRows {
		return nil, invalid("", "at most %d rows", maxRows)
	}
	return rows, nil
}

// splitLines returns the lines of a file with one JSON value in each, without a copy. It is not ok for another file. It stops after
// maxRows+1 of them.
func splitLines(file []byte) (values []json.RawMessage, ok bool) {
	for line := range bytes.Lines(file) {
		line = bytes.Trim(line, " \t\r\n")
		switch {
		case len(line) == 0:
		case !json.Valid(line):
			return nil, false
		default:
			values = append(values, line)
		}
		if len(values) > maxRows {
			break
		}
	}
	return values, true
}

// splitValues splits JSON values one after the other. It stops after maxRows+1 of them.
func splitValues(file []byte) (values []json.RawMessage, err error) {
	if lines, ok := splitLines(file); ok {
		return lines, nil
	}
	dec := json.NewDecoder(bytes.NewReader(file))
	for len(values) <= maxRows {
		var value json.RawMessage
		err := dec.Decode(&value)
		if errors.Is(err, io.EOF) {
			return values, nil
		}
		if err != nil {
			return nil, invalid(fmt.Sprintf("/%d", len(values)), "is not JSON")
		}
		values = append(values, value)
	}
	return values, nil
}

// ToAPI returns sets as a client would send them.
func ToAPI(sets []Set) (*api.Evidence, error) {
	e := &api.Evidence{Console: []api.ConsoleEntry{}, Actions: []api.ActionEntry{}, Replay: []json.RawMessage{}}
	for _, s := range sets {
		var err error
		switch s.Kind {
		case api.KindConsole:
			err = json.Unmarshal(joinArray(s.Rows), &e.Console)
		case api.KindActions:
			err = json.Unmarshal(joinArray(s.Rows), &e.Actions)
		case api.KindReplay:
			e.Replay = s.Rows
		case api.KindNetwork:
			e.Network = s.Lines()
		}
		for i := range e.Console {
			if e.Console[i].Args == nil {
				e.Console[i].Args = []json.RawMessage{}
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return e, nil
}

// maxErrorTexts is how many texts ErrorTexts returns at most.
const maxErrorTexts = 20

// ErrorTexts returns the messages of console errors and the addresses of failed requests, by which similar slices are
// found.
func ErrorTexts(sets []Set) (texts []string) {
	for _, s := range sets {
		for _, row := range s.Rows {
			if len(texts) == maxErrorTexts {
				return texts
			}
			if text, isError := errorText(s.Kind, row); isError {
				texts = append(texts, truncate(text))
			}
		}
	}
	return texts
}

// errorText returns the message of a console error, or the address of a failed request.
func errorText(kind api.AttachmentKind, row json.RawMessage) (text string, isError bool) {
	switch kind {
	case api.KindConsole:
		var e api.ConsoleEntry
		err := json.Unmarshal(row, &e)
		return e.Message, err == nil && e.Level == "error"
	case api.KindNetwork:
		n, err := Summary(row)
		return n.URL, err == nil && Failed(n)
	}
	return "", false
}
