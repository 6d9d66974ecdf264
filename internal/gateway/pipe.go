package gateway

import "io"

// Pipe is the Connection of a front end that has no httpserver.Server, such as a pipe. It writes a response in pieces,
// and refuses each piece but the first to a client that has lost the right to it. After an error the response is
// incomplete, and the front end closes the connection, so that it does not look complete.
type Pipe struct {
	To        io.Writer
	Interrupt func()       // makes a pending write of To return; nil when none can
	Recheck   func() error // that of the call

	started    bool // a piece was written
	writePiece func(send func() (int, error)) (int, error)
}

const pieceSize = 16 << 10

// Write implements io.Writer.
func (p *Pipe) Write(b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		if p.started {
			err = p.Recheck()
		}
		if err == nil {
			var written int
			written, err = p.write(b[n:min(len(b), n+pieceSize)])
			n += written
		}
	}
	return n, err
}

func (p *Pipe) write(piece []byte) (int, error) {
	p.started = true
	if p.writePiece == nil {
		return p.To.Write(piece)
	}
	return p.writePiece(func() (int, error) { return p.To.Write(piece) })
}

// SetWritePiece implements Connection.
func (p *Pipe) SetWritePiece(write func(send func() (int, error)) (int, error)) { p.writePiece = write }

// InterruptWrite implements Connection.
func (p *Pipe) InterruptWrite() {
	if p.Interrupt != nil {
		p.Interrupt()
	}
}
