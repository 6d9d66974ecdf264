package evidence

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"bugslice/api"
)

// ArchiveEnd is the text after the list of entries in a HAR.
const ArchiveEnd = "}}"

// entriesEnd is the line after the last entry.
const entriesEnd = "]" + ArchiveEnd

// ArchiveHead returns the text before the list of entries in a HAR, of whose log head is the other members.
func ArchiveHead(head json.RawMessage) []byte {
	head = bytes.TrimSuffix(bytes.TrimSpace(head), []byte("}"))
	if len(head) > 1 {
		head = append(slices.Clip(head), ',')
	}
	return slices.Concat([]byte(`{"log":`), head, []byte(`"entries":`))
}

// FirstIndex returns the index of the first line of a file. Rows have the indexes from 1 on; the line before the
// entries of a HAR has the index 0.
func FirstIndex(kind api.AttachmentKind) int {
	if kind == api.KindNetwork {
		return 0
	}
	return 1
}

// Row returns the row of a line, or ArchiveHead for the line with index 0. It is not ok for the line after the last
// row. Earlier versions stored the log of a HAR alone in the line with index 0.
func Row(kind api.AttachmentKind, index int, line []byte) (row []byte, ok bool) {
	switch {
	case kind != api.KindNetwork:
		return line, true
	case index > 0:
		return bytes.TrimSuffix(line, []byte(",")), string(line) != entriesEnd
	case bytes.HasSuffix(line, []byte(`"entries":[`)):
		return bytes.TrimSuffix(line, []byte("[")), true
	}
	return ArchiveHead(line), true
}

var errTooLarge = errors.New("evidence: a packed set is larger than a set may be")

// EachLine unpacks a set and calls fn for each line, until fn returns false. It returns an error for a set that is
// larger than a set may be. A line is valid until fn returns. A line of at most longest bytes is not copied.
func EachLine(packed io.Reader, longest int, fn func(line []byte) (bool, error)) error {
	z, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	limited := &io.LimitedReader{R: z, N: maxRead + 1}
	err = scan(bufio.NewReaderSize(limited, max(lineBuffer, longest+1)), func(line []byte) (bool, error) {
		if limited.N <= 0 {
			return false, errTooLarge
		}
		return fn(line)
	})
	if err == nil && limited.N <= 0 {
		err = errTooLarge
	}
	return err
}

// Unpack unpacks a set whose lines have so many bytes. It returns an error for a set that has fewer.
func Unpack(packed io.Reader, lines []byte) error {
	z, err := gzip.NewReader(packed)
	if err == nil {
		_, err = io.ReadFull(z, lines)
	}
	return err
}

const lineBuffer = 32 << 10

// scan calls fn for each line that is not empty, until fn returns false.
func scan(in *bufio.Reader, fn func(line []byte) (bool, error)) error {
	for {
		line, readErr := readLine(in)
		if readErr != nil && !errors.Is(readErr, io.EOF) {
			return readErr
		}
		if len(line) > 0 {
			if more, err := fn(line); err != nil || !more {
				return err
			}
		}
		if readErr != nil { // io.EOF
			return nil
		}
	}
}

// readLine returns the next line, with io.EOF when no line break follows it. The line is valid until the next read.
func readLine(in *bufio.Reader) ([]byte, error) {
	var start []byte // of a line that is longer than the buffer
	line, err := in.ReadSlice('\n')
	for errors.Is(err, bufio.ErrBufferFull) {
		start = append(start, line...)
		line, err = in.ReadSlice('\n')
	}
	if start != nil {
		line = append(start, line...)
	}
	return bytes.TrimSuffix(line, []byte("\n")), err
}
