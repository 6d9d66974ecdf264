package redact

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

// Sizes of the pieces that a long line is read in.
const (
	maxLine = 1 << 20
	ahead   = 8 << 10 // kept back, so that a token which begins before is seen whole
	behind  = 4 << 10 // looked at again, so that a name is seen before its value
)

// maxDocument bounds the JSON that is redacted as one.
const maxDocument = 16 << 20

// Reader redacts what it reads, in bounded memory: JSON of at most 16 MiB like Body, all else
// like Text, line by line. A line over 1 MiB is redacted in pieces that overlap: what is secret
// in it is found across their boundaries, up to 8 KiB of a token that is known by its format.
// Work beyond what the patterns may make is an error. The counts are whole when the reader has answered io.EOF, and belong to it until then.
func (r *Redactor) Reader(src io.Reader, c Counts) io.Reader {
	return &reader{r: r, c: c, src: bufio.NewReaderSize(src, maxLine), first: true}
}

type reader struct {
	first bool // nothing was read yet
	r     *Redactor
	c     Counts
	src   *bufio.Reader
	st    state
	out   []byte
	err   error
	kept  string // of a long line: what was written already and is looked at again, and what was not
	done  int    // how much of it was written
	mid   bool   // what is kept begins within the line
	skip  string // the bytes that end a secret which goes on
}

func (x *reader) Read(p []byte) (int, error) {
	for len(x.out) == 0 {
		if x.err != nil {
			return 0, x.err
		}
		x.fill()
		if err := x.r.Err(); err != nil {
			x.out, x.err = nil, err
		}
	}
	n := copy(p, x.out)
	x.out = x.out[n:]
	return n, nil
}

// fill redacts the next line, or the next piece of one.
func (x *reader) fill() {
	x.out = x.out[:0]
	if x.first {
		x.first = false
		if x.document() {
			return
		}
	}
	chunk, err := x.src.ReadSlice('\n')
	piece := string(chunk)
	if errors.Is(err, bufio.ErrBufferFull) {
		x.long(piece, false)
		return
	}
	if err != nil {
		x.err = err
	}
	if x.kept != "" || x.skip != "" {
		x.long(piece, true)
	} else if piece != "" {
		x.line(piece)
	}
	if x.err != nil && x.st.key != nil {
		x.out = append(x.out, x.r.line(x.st.key.cut(), &x.st, x.c)...)
		x.st.key = nil
	}
}

// document redacts all there is, if that is one JSON document.
func (x *reader) document() bool {
	const mark = "\ufeff"
	head, _ := x.src.Peek(512)
	s := strings.TrimLeft(strings.TrimPrefix(string(head), mark), " \t\r\n")
	if s == "" || s[0] != '{' && s[0] != '[' {
		return false
	}
	raw, err := io.ReadAll(io.LimitReader(x.src, maxDocument+1))
	if err == nil && len(raw) <= maxDocument {
		text, marked := strings.CutPrefix(string(raw), mark)
		if out, ok := x.r.json(text, x.c, 0); ok {
			if marked {
				x.out = append(x.out, mark...)
			}
			x.out, x.err = append(x.out, out...), io.EOF
			return true
		}
	}
	rest := io.Reader(x.src)
	if err != nil {
		rest = failed{err}
	}
	x.src = bufio.NewReaderSize(io.MultiReader(bytes.NewReader(raw), rest), maxLine)
	return false
}

type failed struct{ err error }

func (f failed) Read([]byte) (int, error) { return 0, f.err }

func (x *reader) line(s string) {
	text := strings.TrimSuffix(s, "\n")
	text = strings.TrimSuffix(text, "\r")
	if !strings.HasSuffix(s, "\n") {
		text = s
	}
	line, held := x.r.next(text, &x.st, x.c)
	x.out = append(x.out, line...)
	if !held {
		x.out = append(x.out, s[len(text):]...)
	}
}

// long redacts a piece of a long line. Of a piece that is not the last, the end waits for the
// next one; it begins where no secret is cut.
func (x *reader) long(piece string, last bool) {
	if x.skip != "" {
		k := strings.IndexAny(piece, x.skip)
		if k < 0 {
			if last {
				x.skip = ""
			}
			return
		}
		x.skip, piece = "", piece[k:]
	}
	s := x.kept + piece
	end := strings.TrimRight(s, "\r\n")
	look := scan{r: x.r, s: end, st: &x.st, mid: x.mid, more: !last}
	look.line()
	look.keys()
	look.finish()
	cut := len(s)
	if look.edge > x.done && !last { // within a list
		cut = look.edge
	} else if !last {
		x.st.below = nil
		cut = max(x.done, len(s)-ahead)
		for _, e := range look.edits {
			if e.start < cut && cut < e.end {
				if cut = e.start; cut <= x.done {
					cut = e.end
				}
			}
		}
	}
	at := x.done
	for _, e := range look.edits {
		if e.end <= at || e.start >= cut {
			continue
		}
		x.out = append(x.out, s[at:max(at, e.start)]...)
		x.out = append(x.out, e.with...)
		x.c.count(e.kind)
		at = e.end
	}
	x.out = append(x.out, s[at:cut]...)
	x.mid = !last
	if last {
		x.kept, x.done = "", 0
		return
	}
	if n := len(look.edits); n > 0 && cut == len(s) {
		x.skip = " \t\r\n\"'"
		if from := look.edits[n-1].start; from > 0 && sets[s[from-1]]&quote != 0 {
			x.skip = s[from-1:from] + "\n"
		}
		x.kept, x.done = "", 0
		return
	}
	from := max(0, cut-behind)
	if x.st.below != nil {
		from = cut
	}
	x.kept, x.done = strings.Clone(s[from:]), cut-from
}

// keys notes the private keys within a piece.
func (x *scan) keys() {
	for at := 0; ; {
		k := strings.Index(x.s[at:], opensPEM)
		if k < 0 {
			return
		}
		from := at + k
		at = from + len(opensPEM)
		head := title(x.s, from)
		if head == from {
			continue
		}
		end := bodyEnd(x.s, head)
		if tail, ended := afterPEM(x.s[head:]); ended {
			end = len(x.s) - len(tail)
		}
		x.take(from, end, kindKey)
		at = end
	}
}
