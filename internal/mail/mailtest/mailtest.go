// Package mailtest is a mail server for tests, which fails as they want.
package mailtest

import (
	"bytes"
	"errors"
	"io"
	"log"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"
)

// The steps of an exchange, at which a server fails.
const (
	Connect = "connect"
	Mail    = "mail"
	Rcpt    = "rcpt"
	Data    = "data"   // the mail is refused after it was sent, and not kept
	Answer  = "answer" // the mail is kept, and the connection ends without an answer
)

// Received is a mail that a server has taken.
type Received struct {
	From, To string
	Raw      string
	*mail.Message
}

// Server is a mail server on this machine.
type Server struct {
	Address string
	server  *smtp.Server

	mu       sync.Mutex
	fail     func(step, to string) *smtp.SMTPError
	received []Received
}

// New starts a server, which ends with the test. It takes every mail until Fail says otherwise.
func New(t testing.TB) *Server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Address: listener.Addr().String()}
	s.server = smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		if err := s.failure(Connect, ""); err != nil {
			return nil, err
		}
		return &session{s: s, c: c}, nil
	}))
	s.server.Domain, s.server.AllowInsecureAuth = "mail.test", true
	s.server.ErrorLog = log.New(io.Discard, "", 0)
	go func() { _ = s.server.Serve(listener) }()
	t.Cleanup(func() { _ = s.server.Close() })
	return s
}

// Fail sets what the server answers at a step of an exchange with a receiver, nil for going on.
func (s *Server) Fail(fail func(step, to string) *smtp.SMTPError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = fail
}

// Refusal returns an answer of a server: a code such as 550, an enhanced one such as 5.1.1, and its words.
func Refusal(code int, enhanced [3]int, words string) *smtp.SMTPError {
	return &smtp.SMTPError{Code: code, EnhancedCode: enhanced, Message: words}
}

// Received returns the mails that the server has taken, in their order.
func (s *Server) Received() []Received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Received(nil), s.received...)
}

func (s *Server) failure(step, to string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail == nil {
		return nil
	}
	if err := s.fail(step, to); err != nil {
		return err
	}
	return nil
}

type session struct {
	s        *Server
	c        *smtp.Conn
	from, to string
}

func (o *session) Reset()        {}
func (o *session) Logout() error { return nil }

func (o *session) Mail(from string, _ *smtp.MailOptions) error {
	o.from = from
	return o.s.failure(Mail, "")
}

func (o *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	o.to = to
	return o.s.failure(Rcpt, to)
}

func (o *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := o.s.failure(Data, o.to); err != nil {
		return err
	}
	message, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	o.s.mu.Lock()
	o.s.received = append(o.s.received, Received{From: o.from, To: strings.ToLower(o.to), Raw: string(raw), Message: message})
	o.s.mu.Unlock()
	if o.s.failure(Answer, o.to) != nil {
		_ = o.c.Conn().Close()
		return errors.New("the connection has ended")
	}
	return nil
}
