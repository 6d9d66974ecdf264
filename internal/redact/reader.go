package redact

import (
	"bufio"
	"bytes"
	"io"
)

const (
	pieceSize = 256 << 10
	overlap   = 16 << 10 // no secret that is looked for is longer, but a private key
)

// Reader removes secrets from a text as it is read, piece by piece, with bounded memory. A
// piece ends at the end of a line where there is one; a line that is longer than a piece is cut
// where no word is, or else behind all that may belong to a secret.
func (d *Redactor) Reader(src io.Reader, c Counts) io.Reader {
	r, w := io.Pipe()
	go func() { w.CloseWithError(d.copy(w, src, c)) }()
	return r
}

func (d *Redactor) copy(dst io.Writer, src io.Reader, c Counts) error {
	in := bufio.NewReaderSize(src, pieceSize)
	var held []byte
	for {
		piece := make([]byte, pieceSize)
		n, err := io.ReadFull(in, piece)
		held = append(held, piece[:n]...)
		last := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !last {
			return err
		}
		cut := len(held)
		if !last {
			cut = boundary(held)
		}
		if _, err := io.WriteString(dst, d.lines(string(held[:cut]), c)); err != nil {
			return err
		}
		held = append([]byte(nil), held[cut:]...)
		if last {
			return nil
		}
	}
}

// boundary returns where a piece may be cut.
func boundary(b []byte) int {
	if i := bytes.LastIndex(b, []byte("PRIVATE KEY")); i >= 0 && !bytes.Contains(b[i:], []byte("-----END")) {
		// the key goes on: keep it together, unless it is longer than keys are
		if begin := bytes.LastIndex(b[:i], []byte("-----BEGIN")); begin > 0 && len(b)-begin < pieceSize/2 {
			if line := bytes.LastIndexByte(b[:begin], '\n'); line > 0 {
				return line + 1
			}
			return begin
		}
	}
	if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
		return i + 1
	}
	if len(b) < 4*pieceSize {
		return 0 // a long line: look at more of it
	}
	if i := bytes.LastIndexAny(b[:len(b)-overlap], " \t,;"); i > 0 {
		return i + 1
	}
	return len(b) - overlap
}
