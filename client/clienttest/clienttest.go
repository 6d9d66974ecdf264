// Package clienttest starts a Bugslice server for the tests of programs that use package client: the server itself,
// in the process of the test, with a database and files in a temporary directory. It has no rate limit, and its
// webhooks may send to this machine.
//
//	func TestReporter(t *testing.T) {
//		server := clienttest.New(t)
//		slice, err := server.Client().CreateSlice(t.Context(), api.CreateSlice{…})
package clienttest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"bugslice/api"
	"bugslice/client"
	"bugslice/internal/cli"
)

// Server is a running server with an organisation, its owner and a workspace.
type Server struct {
	URL       string
	Token     string // of a personal access token of the owner, with every scope
	Password  string // of the owner, owner@example.com
	Workspace string // the id of the workspace, whose references begin with WEB

	dir    string
	cancel context.CancelFunc
	ended  chan struct{}
	log    lockedBuffer
}

// New starts a server, which the end of the test stops. When the test has failed, the log of the server is in its
// output.
func New(t testing.TB) *Server {
	t.Helper()
	s, err := Start(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		if t.Failed() {
			t.Logf("the log of the server:\n%s", s.Log())
		}
	})
	return s
}

// Start starts a server with its files in an empty directory. The caller closes it.
func Start(dir string) (*Server, error) {
	s := &Server{dir: filepath.Join(dir, "data")}
	var out bytes.Buffer
	args := []string{"bootstrap", "--data", s.dir, "--org", "Test", "--email", "owner@example.com", "--name", "Owner",
		"--workspace", "Web", "--json"}
	if err := cli.Execute(context.Background(), args, nil, cli.Streams{Out: &out, Err: &s.log}); err != nil {
		return nil, fmt.Errorf("clienttest: %w\n%s", err, s.Log())
	}
	var made struct{ Token, Password, WorkspaceID string }
	if err := json.Unmarshal(out.Bytes(), &made); err != nil {
		return nil, err
	}
	s.Token, s.Password, s.Workspace = made.Token, made.Password, made.WorkspaceID
	return s, s.Restart()
}

// Restart stops the server and starts it again with the same records, at the same address.
func (s *Server) Restart() error {
	s.Close()
	listen := "127.0.0.1:0"
	if s.URL != "" {
		listen = strings.TrimPrefix(s.URL, "http://")
	}
	args := []string{"serve", "--data", s.dir, "--listen", listen, "--rate-limit", "off", "--min-free-disk", "0",
		"--webhook-allow", "127.0.0.1"}
	ctx, cancel := context.WithCancel(context.Background())
	address, ended, failure := make(chan string, 1), make(chan struct{}), make(chan error, 1)
	s.cancel, s.ended = cancel, ended
	go func() {
		defer close(ended)
		log := io.MultiWriter(&s.log, &addressFinder{found: address})
		failure <- cli.Execute(ctx, args, nil, cli.Streams{Out: io.Discard, Err: log})
	}()
	select {
	case found := <-address:
		s.URL = "http://" + found
		return nil
	case err := <-failure:
		return fmt.Errorf("clienttest: the server did not start: %w\n%s", err, s.Log())
	}
}

// Close stops the server. Requests in progress are completed, for at most a few seconds.
func (s *Server) Close() {
	if s.cancel == nil {
		return
	}
	s.cancel()
	<-s.ended
	s.cancel = nil
}

// Client returns a client with the token of the owner.
func (s *Server) Client() *client.Client { return s.clientWith(s.Token) }

// NewClient returns a client with a new key of the owner that has these scopes.
func (s *Server) NewClient(t testing.TB, scopes ...api.Scope) *client.Client {
	t.Helper()
	fields := api.KeyFields{Name: "test", Type: api.PAT, Scopes: scopes}
	key, err := s.Client().CreateKey(t.Context(), api.CreateKey{Body: fields})
	if err != nil {
		t.Fatal(err)
	}
	return s.clientWith(key.Token)
}

func (s *Server) clientWith(token string) *client.Client {
	c, err := client.New(s.URL, token, client.Options{})
	if err != nil {
		panic(err) // the address is its own
	}
	return c
}

// Log returns the log of the server, a JSON object a line.
func (s *Server) Log() string { return s.log.String() }

// lockedBuffer is a buffer that is read while it is written.
type lockedBuffer struct {
	sync.Mutex
	b bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.Lock()
	defer l.Unlock()
	return l.b.String()
}

// addressFinder finds the address of the server in its log, which it gets a line at a time.
type addressFinder struct {
	sync.Mutex
	found chan string // nil when it is found
}

func (f *addressFinder) Write(line []byte) (int, error) {
	f.Lock()
	defer f.Unlock()
	var entry struct{ Msg, Address string }
	if f.found != nil && json.Unmarshal(line, &entry) == nil && entry.Msg == "serving" {
		f.found <- entry.Address
		f.found = nil
	}
	return len(line), nil
}
