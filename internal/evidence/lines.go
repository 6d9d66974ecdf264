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

// Lines returns a set as it is kept, and read back as a file: a line for each row. Of network it is
// a whole HAR, with a line before its entries and one behind them.
func (s Set) Lines() []byte {
	var b bytes.Buffer
	s.lines(func(line []byte, _ int) {
		b.Write(line)
		b.WriteByte('\n')
	})
	return b.Bytes()
}

// lines shows the lines of a set with the classes of their rows.
func (s Set) lines(show func(line []byte, class int)) {
	archive := s.Kind == api.KindNetwork
	if archive {
		show(append(ArchiveHead(s.Head), '['), noClass)
	}
	for i, r := range s.Rows {
		class := noClass
		if i < len(s.classes) {
			class = s.classes[i]
		}
		if archive && i < len(s.Rows)-1 {
			r = append(slices.Clip(r), ',')
		}
		show(r, class)
	}
	if archive {
		show([]byte(archiveEnd), noClass)
	}
}

// First is the place of the first line of a kind.
func First(kind api.AttachmentKind) int {
	if kind == api.KindNetwork {
		return 0
	}
	return 1
}

// Row returns what a kept line holds by its place: a row, or what stands before the list of entries
// in a HAR, which was once kept as the log alone. It is not ok where the list has ended.
func Row(kind api.AttachmentKind, place int, line []byte) (row []byte, ok bool) {
	switch {
	case kind != api.KindNetwork:
		return line, true
	case place > 0:
		return bytes.TrimSuffix(line, []byte(",")), string(line) != archiveEnd
	case bytes.HasSuffix(line, []byte(`"entries":[`)):
		return bytes.TrimSuffix(line, []byte("[")), true
	}
	return ArchiveHead(line), true
}

var errCut = errors.New("evidence: a set goes on behind what one may have")

// Each reads packed lines and shows them one by one, until fn returns false. A set that is larger
// than one may be is an error, not a shorter set. A line is there until fn returns.
func Each(packed io.Reader, fn func(line []byte) (bool, error)) error {
	z, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	bound := &io.LimitedReader{R: z, N: maxRead + 1}
	err = scan(bufio.NewReaderSize(bound, lineBuffer), func(line []byte) (bool, error) {
		if bound.N <= 0 {
			return false, errCut
		}
		return fn(line)
	})
	if err == nil && bound.N <= 0 {
		err = errCut
	}
	return err
}

const lineBuffer = 32 << 10

// scan shows the lines that are not empty, until fn returns false.
func scan(in *bufio.Reader, fn func(line []byte) (bool, error)) error {
	var long []byte
	for {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, line...)
			continue
		}
		if len(long) > 0 {
			long = append(long, line...)
			line, long = long, nil
		}
		if line = bytes.TrimRight(line, "\n"); len(line) > 0 && (err == nil || errors.Is(err, io.EOF)) {
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
			e.Network = s.Lines()
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
