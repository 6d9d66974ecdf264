package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/gateway"
	"bugslice/internal/id"
	"bugslice/internal/operations"
	"bugslice/internal/tracker"
)

// lines is a second front end: calls over a connection that begins with a line that is a token. Each further line is a
// call, {"operation": …, "arguments": {…}}, and is answered by a line: {"result": …} or {"problem": …}.
type lines struct {
	*gateway.Gateway
	operations map[string]*operations.Operation
	address    netip.Addr
	ctx        context.Context
}

func newLines(ctx context.Context, g *gateway.Gateway) *lines {
	f := &lines{Gateway: g, operations: map[string]*operations.Operation{}, ctx: ctx,
		address: netip.MustParseAddr("192.0.2.1")}
	for _, op := range operations.All(g.Tracker) {
		f.operations[op.ID] = &op
	}
	return f
}

// serve answers the calls of a client until the connection ends.
func (f *lines) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	token, err := in.ReadString('\n')
	for err == nil {
		if _, err = in.Peek(1); err == nil { // a call arrives
			err = f.answer(conn, in, strings.TrimSpace(token))
		}
	}
}

// answer reads a call and answers it. After an error the answer is incomplete.
func (f *lines) answer(conn net.Conn, in *bufio.Reader, token string) (err error) {
	out := &gateway.Pipe{To: conn, Interrupt: func() { _ = conn.SetWriteDeadline(time.Now()) }}
	client := gateway.Client{Token: token, Address: f.address, RequestID: id.New(id.Request),
		InterruptRead: func() { _ = conn.SetReadDeadline(time.Now()) }}
	line := &lineReader{from: in}
	call, err := f.Open(f.ctx, client)
	if err != nil {
		return f.refuse(out, line, client.RequestID, err)
	}
	defer func() { call.Close(err) }()
	record, err := f.carryOut(call, line)
	sent := false
	if err == nil {
		out.Recheck = call.Recheck
		err = call.Write(out, record, func(record []byte) error {
			sent = true
			_, err := out.Write(slices.Concat([]byte(`{"result":`), bytes.TrimSpace(record), []byte("}\n")))
			return err
		})
	}
	if err == nil || sent {
		return err
	}
	return f.refuse(out, line, client.RequestID, err)
}

// carryOut reads a line under the reservation of the call, and carries it out.
func (f *lines) carryOut(call *gateway.Call, line io.Reader) (any, error) {
	if err := call.Count(); err != nil {
		return nil, err
	}
	raw, err := call.Memory.ReadAll(f.ctx, io.LimitReader(line, api.DefaultBody), -1)
	if err != nil {
		return nil, err
	}
	var message struct {
		Operation string
		Arguments json.RawMessage
	}
	if json.Unmarshal(raw, &message) != nil || f.operations[message.Operation] == nil {
		return nil, api.NewProblem(api.CodeMalformedBody, "The line is no call of an operation.")
	}
	if err := call.Begin(f.operations[message.Operation]); err != nil {
		return nil, err
	}
	if err := call.BindArguments(message.Arguments); err != nil {
		return nil, err
	}
	return call.Record()
}

// refuse answers with the problem of an error, when the rest of the line has arrived.
func (f *lines) refuse(out io.Writer, line io.Reader, requestID string, err error) error {
	p, _ := tracker.ProblemOf(f.ctx, err)
	said := *p
	said.RequestID, said.Type = requestID, "/docs#"+p.Code
	text, err := json.Marshal(map[string]any{"problem": said})
	_, unread := io.Copy(io.Discard, line)
	_, unsent := out.Write(append(text, '\n'))
	return errors.Join(err, unread, unsent)
}

// lineReader reads up to the end of a line.
type lineReader struct {
	from  *bufio.Reader
	ended bool
}

func (l *lineReader) Read(p []byte) (n int, err error) {
	if l.ended || len(p) == 0 {
		return 0, io.EOF
	}
	if _, err := l.from.Peek(1); err != nil {
		return 0, err
	}
	part, _ := l.from.Peek(min(len(p), l.from.Buffered()))
	if end := bytes.IndexByte(part, '\n'); end >= 0 {
		part, l.ended = part[:end+1], true
	}
	n = copy(p, part)
	return l.from.Discard(n)
}
