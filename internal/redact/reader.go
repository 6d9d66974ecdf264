package redact

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/find"
	"bugslice/internal/redact/lex"
)

// Sizes of the pieces that a long line is read in.
const (
	maxLine    = 1 << 20
	lookahead  = 8 << 10 // held back, so that a token that begins before it is complete
	lookbehind = 4 << 10 // scanned again, so that a value has its name before it
)

// maxDocument bounds the bytes of JSON that are redacted as one document.
const maxDocument = 16 << 20

// Reader redacts what it reads from src in bounded memory: JSON of at most 16 MiB like Body, and everything else like
// Text, line by line. A line over 1 MiB is redacted in pieces that overlap: a secret across their boundary is
// removed, a token of a known format up to 8 KiB of it. A value that is removed from a line is removed from those after
// it, and not from those before. Patterns that would cost more than they may are an error. The counts are complete when
// Read returns io.EOF; until then only the reader may use them.
func (r *Redactor) Reader(src io.Reader, c Counts) io.Reader {
	r = r.Report()
	return &reader{r: r, c: c, source: src, src: buffered(src), st: r.newLines(0), first: true}
}

// buffers are those of readers that have read all.
var buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, maxLine) }}

func buffered(src io.Reader) *bufio.Reader {
	b := buffers.Get().(*bufio.Reader)
	b.Reset(src)
	return b
}

// release returns the buffer.
func (x *reader) release() {
	if x.src != nil {
		x.src.Reset(nil)
		buffers.Put(x.src)
		x.src = nil
	}
}

type reader struct {
	first     bool // nothing is read yet
	r         *Redactor
	c         Counts
	source    io.Reader
	src       *bufio.Reader // of the source
	st        *lines
	out       []byte
	err       error
	tail      string // of a long line: text that is written and is scanned again, and text that is not written
	written   int    // bytes of the tail that are written
	midLine   bool   // the tail begins within the line
	skipUntil string // the bytes that end a secret that continues
}

func (x *reader) Read(p []byte) (int, error) {
	for len(x.out) == 0 {
		if x.err != nil {
			x.release()
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

// fill redacts the next line, or the next piece of a long one.
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
		x.longLine(piece, false)
		return
	}
	if err != nil {
		x.err = err
	}
	if x.tail != "" || x.skipUntil != "" {
		x.longLine(piece, true)
	} else if piece != "" {
		x.line(piece)
	}
	if x.err != nil && x.st.key != nil {
		x.out = append(x.out, x.r.redactLine(x.st.key.unended(), x.st, x.c)...)
		x.st.key = nil
	}
}

// document redacts the whole input if it is one JSON document, and reports whether it is. Else it puts the bytes that
// it has read back in front of the rest of the input.
func (x *reader) document() bool {
	const byteOrderMark = "\ufeff"
	head, _ := x.src.Peek(512)
	s := strings.TrimLeft(strings.TrimPrefix(string(head), byteOrderMark), " \t\r\n")
	if s == "" || s[0] != '{' && s[0] != '[' {
		return false
	}
	raw, err := io.ReadAll(io.LimitReader(x.src, maxDocument+1))
	if err == nil && len(raw) <= maxDocument {
		text, marked := strings.CutPrefix(string(raw), byteOrderMark)
		if out, ok := x.r.redactJSON(text, x.c, 0); ok {
			if marked {
				x.out = append(x.out, byteOrderMark...)
			}
			x.out, x.err = append(x.out, x.r.RemoveRepeated(out, x.c)...), io.EOF
			return true
		}
	}
	more, _ := x.src.Peek(x.src.Buffered()) // Reset discards the buffered bytes
	rest := io.MultiReader(bytes.NewReader(append(raw, more...)), x.source)
	if err != nil {
		rest = io.MultiReader(bytes.NewReader(raw), failed{err})
	}
	x.src.Reset(rest)
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
	x.st.beginCutKey(text, x.c, func() string {
		more, _ := x.src.Peek(maxPEM)
		return s + string(more)
	})
	line, held := x.r.redactNext(text, x.st, x.c)
	x.out = append(x.out, x.r.RemoveRepeated(line, x.c)...)
	if !held {
		x.out = append(x.out, s[len(text):]...)
	}
}

// longLine redacts a piece of a long line. The end of every piece but the last is kept for the next one, from a place
// where no secret is cut.
func (x *reader) longLine(piece string, last bool) {
	if x.skipUntil != "" {
		k := strings.IndexAny(piece, x.skipUntil)
		if k < 0 {
			if last {
				x.skipUntil = ""
			}
			return
		}
		x.skipUntil, piece = "", piece[k:]
	}
	s := x.tail + piece
	edits, itemStart := x.findEdits(strings.TrimRight(s, "\r\n"), last)
	cut := x.cut(s, edits, itemStart, last)
	x.write(s, edits, cut)
	x.midLine = !last
	if last {
		x.tail, x.written = "", 0
		return
	}
	if n := len(edits); n > 0 && cut == len(s) {
		x.skipUntil = " \t\r\n\"'"
		if from := edits[n-1].Start; from > 0 && lex.In(s[from-1], lex.Quote) {
			x.skipUntil = s[from-1:from] + "\n"
		}
		x.tail, x.written = "", 0
		return
	}
	from := max(0, cut-lookbehind)
	if x.st.Continues() {
		from = cut
	}
	x.tail, x.written = strings.Clone(s[from:]), cut-from
}

// findEdits returns the edits of a piece of a long line, and where the last item of an open list begins.
func (x *reader) findEdits(s string, last bool) (edits []find.Edit, itemStart int) {
	look := &x.st.scanner
	look.Edits, look.ItemStart = nil, 0
	look.MidLine, look.Continues = x.midLine, !last
	look.ScanLine(s, &x.st.State)
	look.MidLine, look.Continues = false, false
	removePrivateKeys(look, s)
	return x.r.finish(s, look.Edits, false), look.ItemStart
}

// cut returns where the part of a piece ends that is written: before the last item of a list, and not within a secret.
func (x *reader) cut(s string, edits []find.Edit, itemStart int, last bool) int {
	switch {
	case last:
		return len(s)
	case itemStart > x.written:
		return itemStart
	}
	x.st.EndContinuation()
	cut := max(x.written, len(s)-lookahead)
	for _, e := range edits {
		if e.Start < cut && cut < e.End {
			if cut = e.Start; cut <= x.written {
				cut = e.End
			}
		}
	}
	return cut
}

// write writes the redacted part of a piece up to cut that is not written yet.
func (x *reader) write(s string, edits []find.Edit, cut int) {
	at := x.written
	for _, e := range edits {
		if e.End <= at || e.Start >= cut {
			continue
		}
		x.out = append(x.out, s[at:max(at, e.Start)]...)
		x.out = append(x.out, e.With...)
		x.c.count(e.Rule, s[e.Start:e.End])
		at = e.End
	}
	x.out = append(x.out, s[at:cut]...)
}

// removePrivateKeys removes the private keys within a piece of a line.
func removePrivateKeys(x *find.Scanner, s string) {
	for at := 0; ; {
		from, head := pemStart(s, at)
		if from < 0 {
			return
		}
		end := pemBodyEnd(s, head)
		if tail, ended := afterPEM(s[head:]); ended {
			end = len(s) - len(tail)
		}
		x.Remove(from, end, decide.PrivateKey)
		at = end
	}
}
