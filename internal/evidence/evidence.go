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
	d = d.Report()
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
	for i := range sets {
		sets[i].redactAgain(d, c)
	}
	return sets, nil
}

// Parse reads a file of a kind, without secrets. The file is a HAR for network, and for other kinds a JSON array or one
// JSON object after the other.
func Parse(kind api.AttachmentKind, file []byte, d *redact.Redactor, c redact.Counts) (Set, error) {
	s := Set{Kind: kind}
	d = d.Report()
	err := s.parse(bytes.TrimLeft(file, " \t\r\n\ufeff"), newRedaction(d, c))
	s.redactAgain(d, c)
	s.Repairs = s.repairs.all
	return s, err
}

// parse adds the rows of a file. It leaves out a row that lacks a required member, and refuses a file without any
// other.
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
	return slices.Contains(e.Level.Values(), string(e.Level)) && !e.Timestamp.IsZero() &&
		(e.Message != "" || len(e.Args) > 0)
}

// splitRows splits a JSON array, or JSON values one after the other, after repairs of their text if they need some.
// Rows beyond maxRows are left out.
func (s *Set) splitRows(file []byte) ([]json.RawMessage, error) {
	found, err := splitRows(file)
	if err != nil {
		if found = linesOf(file); len(found.rows) == 0 {
			repaired, replaced := repairText(file)
			s.repairs.characters("", replaced)
			if found, err = splitRows(repaired); err != nil {
				return nil, err
			}
		}
	}
	s.repairs.add("", api.RepairDropped, found.further, fmt.Sprintf("at most %d rows", maxRows))
	return found.rows, nil
}

// fileRows are the first rows of a file, at most maxRows, and the number of further ones.
type fileRows struct {
	rows    []json.RawMessage
	further int
}

func (f *fileRows) add(row json.RawMessage) {
	if len(f.rows) == maxRows {
		f.further++
		return
	}
	f.rows = append(f.rows, row)
}

// linesOf returns the lines of a file if at least one is a JSON object: the others, such as one that was cut off, are
// left out later.
func linesOf(file []byte) (found fileRows) {
	sound := false
	for line := range bytes.Lines(file) {
		line = bytes.Trim(line, " \t\r\n")
		if len(line) == 0 {
			continue
		}
		sound = sound || line[0] == '{' && json.Valid(line)
		found.add(line)
	}
	if !sound {
		return fileRows{}
	}
	return found
}

// splitRows splits a JSON array, or JSON values one after the other.
func splitRows(file []byte) (found fileRows, err error) {
	if !bytes.HasPrefix(file, []byte("[")) {
		return splitValues(file)
	}
	var rows []json.RawMessage
	file, _ = shallow(file, tooDeep)
	if json.Unmarshal(file, &rows) != nil {
		return found, invalid("", "is not a JSON array")
	}
	found.rows = rows[:min(len(rows), maxRows)]
	found.further = len(rows) - len(found.rows)
	return found, nil
}

// splitLines returns the lines of a file with one JSON value in each, without a copy. It is not ok for another file.
func splitLines(file []byte) (found fileRows, ok bool) {
	for line := range bytes.Lines(file) {
		line = bytes.Trim(line, " \t\r\n")
		switch {
		case len(line) == 0:
		case !json.Valid(line):
			return fileRows{}, false
		default:
			found.add(line)
		}
	}
	return found, true
}

// splitValues splits JSON values one after the other.
func splitValues(file []byte) (found fileRows, err error) {
	if lines, ok := splitLines(file); ok {
		return lines, nil
	}
	dec := json.NewDecoder(bytes.NewReader(file))
	for i := 0; ; i++ {
		var value json.RawMessage
		err := dec.Decode(&value)
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return fileRows{}, invalid(fmt.Sprintf("/%d", i), "is not JSON")
		}
		found.add(value)
	}
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

// maxErrorTexts is how many messages, and how many addresses, ErrorTexts returns at most.
const maxErrorTexts = 20

// ErrorTexts returns the first messages of console errors, and the first addresses of failed requests, each once.
// Slices are found by them.
func ErrorTexts(sets []Set) (messages, addresses []string) {
	for _, s := range sets {
		texts := &messages
		if s.Kind == api.KindNetwork {
			texts = &addresses
		}
		for i, row := range s.Rows {
			if len(*texts) == maxErrorTexts {
				break
			}
			if i < len(s.classes) && !mayBeError(s.Kind, s.classes[i]) { // which need not be decoded again
				continue
			}
			if text, isError := errorText(s.Kind, row); isError && !slices.Contains(*texts, truncate(text)) {
				*texts = append(*texts, truncate(text))
			}
		}
	}
	return messages, addresses
}

// mayBeError reports whether a row of a class may be a console error or a failed request.
func mayBeError(kind api.AttachmentKind, class int) bool {
	switch kind {
	case api.KindConsole:
		return class == LevelClass("error")
	case api.KindNetwork:
		return class <= 0 || class > 3
	}
	return false
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
