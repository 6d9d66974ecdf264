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
		read    func(*Set) error
	}{
		{api.KindConsole, len(e.Console) > 0, func(s *Set) error { return s.console(e.Console, d, c) }},
		{api.KindNetwork, len(e.Network) > 0 && string(e.Network) != "null", func(s *Set) error { return s.network(e.Network, d, c) }},
		{api.KindActions, len(e.Actions) > 0, func(s *Set) error { return s.actions(e.Actions, d, c) }},
		{api.KindReplay, len(e.Replay) > 0, func(s *Set) error { return s.replay(e.Replay, d, c) }},
	} {
		if !part.present {
			continue
		}
		s := Set{Kind: part.kind}
		err := part.read(&s)
		var invalid *Error
		if errors.As(err, &invalid) {
			invalid.Pointer = "/" + string(part.kind) + invalid.Pointer
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
	err := s.parse(bytes.ToValidUTF8(bytes.TrimLeft(file, " \t\r\n\ufeff"), []byte("\ufffd")), d, c)
	return s, err
}

func (s *Set) parse(file []byte, d *redact.Redactor, c redact.Counts) error {
	if s.Kind == api.KindNetwork {
		return s.network(file, d, c)
	}
	rows, err := splitRows(file)
	if err != nil {
		return err
	}
	switch s.Kind {
	case api.KindReplay:
		return s.replay(rows, d, c)
	case api.KindActions:
		all, err := decodeRows(rows, "must have a type and a timestamp", func(e api.ActionEntry) bool {
			return e.Type != "" && !e.Timestamp.IsZero()
		})
		if err != nil {
			return err
		}
		return s.actions(all, d, c)
	}
	all, err := decodeRows(rows, "must have a level, a timestamp and a message", func(e api.ConsoleEntry) bool {
		return slices.Contains(e.Level.Values(), string(e.Level)) && !e.Timestamp.IsZero() && (e.Message != "" || len(e.Args) > 0)
	})
	if err != nil {
		return err
	}
	return s.console(all, d, c)
}

// splitRows splits a JSON array, or JSON values one after the other.
func splitRows(file []byte) (rows []json.RawMessage, err error) {
	if bytes.HasPrefix(file, []byte("[")) {
		if err := json.Unmarshal(file, &rows); err != nil {
			return nil, invalid("", "is not a JSON array")
		}
		if len(rows) > maxRows {
			return nil, invalid("", "at most %d rows", maxRows)
		}
		return rows, nil
	}
	for dec := json.NewDecoder(bytes.NewReader(file)); ; {
		var row json.RawMessage
		if err := dec.Decode(&row); errors.Is(err, io.EOF) {
			return rows, nil
		} else if err != nil {
			return nil, invalid(fmt.Sprintf("/%d", len(rows)), "is not JSON")
		}
		if rows = append(rows, row); len(rows) > maxRows {
			return nil, invalid("", "at most %d rows", maxRows)
		}
	}
}

// decodeRows decodes each row as a T, and refuses one that is not complete with the detail.
func decodeRows[T any](rows []json.RawMessage, detail string, complete func(T) bool) ([]T, error) {
	all := make([]T, len(rows))
	for i, raw := range rows {
		if err := json.Unmarshal(raw, &all[i]); err != nil || !complete(all[i]) {
			return nil, invalid(fmt.Sprintf("/%d", i), "%s", detail)
		}
		if err := checkLengths(i, &all[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
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
			if len(texts) >= maxErrorTexts {
				return texts
			}
			switch s.Kind {
			case api.KindConsole:
				var e api.ConsoleEntry
				if json.Unmarshal(row, &e) == nil && e.Level == "error" {
					texts = append(texts, truncate(e.Message))
				}
			case api.KindNetwork:
				if n, err := Summary(row); err == nil && Failed(n) {
					texts = append(texts, truncate(n.URL))
				}
			}
		}
	}
	return texts
}
