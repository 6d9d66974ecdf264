package evidence

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"bugslice/api"
)

// Set is captured evidence of one kind, without secrets.
type Set struct {
	Kind api.AttachmentKind
	Head json.RawMessage // the log of a HAR, without its entries
	Rows []json.RawMessage
	// What is stored otherwise than it was sent.
	Repairs []api.Repair

	repairs repairs
	size    int   // of the rows, in bytes
	classes []int // of the rows
}

// ErrLarge says that a set is too large after its secrets were replaced.
var ErrLarge = fmt.Errorf("with its secrets replaced, it has more than %d MiB", maxStored>>20)

// Error describes invalid evidence. Pointer is a JSON pointer to the invalid value. OtherFormat says that the file is
// JSON of another format, not an invalid set.
type Error struct {
	Pointer, Detail string
	OtherFormat     bool
}

func (e *Error) Error() string {
	if e.Pointer == "" {
		return e.Detail
	}
	return e.Pointer + ": " + e.Detail
}

func invalid(pointer, format string, args ...any) error {
	return &Error{Pointer: pointer, Detail: fmt.Sprintf(format, args...)}
}

// add appends a row of a class. It returns ErrLarge when the set becomes too large.
func (s *Set) add(row any, class int) error {
	b, err := marshal(row)
	s.Rows, s.classes = append(s.Rows, b), append(s.classes, class)
	if s.size += len(b) + len(",\n"); err == nil && s.size+len(s.Head)+len(ArchiveHead(nil))+
		len(entriesEnd) >= maxStored {
		err = ErrLarge
	}
	return err
}

// Lines returns the file of a set, with one row per line. The file of a network set is a HAR, with one line before its
// entries and one after them.
func (s Set) Lines() []byte {
	var b bytes.Buffer
	s.eachLine(func(line []byte, _ int) {
		b.Write(line)
		b.WriteByte('\n')
	})
	return b.Bytes()
}

// Pack returns the packed file of a set.
func (s Set) Pack() []byte {
	var b bytes.Buffer
	w := NewWriter(&b) // into memory: it cannot fail
	s.eachLine(func(line []byte, class int) { _ = w.Line(line, class) })
	_ = w.Close()
	return b.Bytes()
}

// eachLine calls fn for each line of the file, with the class of its row.
func (s Set) eachLine(fn func(line []byte, class int)) {
	isHAR := s.Kind == api.KindNetwork
	if isHAR {
		fn(append(ArchiveHead(s.Head), '['), noClass)
	}
	for i, row := range s.Rows {
		class := noClass
		if i < len(s.classes) {
			class = s.classes[i]
		}
		if isHAR && i < len(s.Rows)-1 {
			row = append(slices.Clip(row), ',')
		}
		fn(row, class)
	}
	if isHAR {
		fn([]byte(entriesEnd), noClass)
	}
}
