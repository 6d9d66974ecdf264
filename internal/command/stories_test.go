package command_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"github.com/godbus/dbus/v5"
	"github.com/rogpeppe/go-internal/testscript"

	"bugslice/api"
	"bugslice/client/clienttest"
	"bugslice/internal/command"
	"bugslice/webhook"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"bugslice": func() {
		streams := command.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
		e := command.Environment{Variables: os.Environ(), Streams: streams}
		os.Exit(command.Run(context.Background(), os.Args[1:], e, "1.2.3"))
	}})
}

// TestStories runs the scripts against one server. Each has a workspace of its own, $KEY, and a personal access token.
func TestStories(t *testing.T) {
	server := clienttest.New(t)
	var stories atomic.Int64
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error { return setup(e, server, stories.Add(1)) },
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "terminal": terminal,
			"receiver": receiver, "keyring": keyring, "decides": decides(server), "other": other,
			"interrupted": interrupted(server), "breaking": breaking(server)}})
}

func setup(e *testscript.Env, server *clienttest.Server, number int64) error {
	e.Values[secretsKey{}] = &secrets{items: map[dbus.ObjectPath]secretItem{}}
	key := fmt.Sprintf("W%c%c", 'A'+rune(number%26), 'A'+rune(number/26))
	in := api.CreateWorkspace{Body: api.WorkspaceFields{Name: "Shop " + key, Key: key}}
	w, err := server.Client().CreateWorkspace(context.Background(), in)
	if err != nil {
		return err
	}
	fields := api.KeyFields{Name: "Service", Type: api.WST, Scopes: api.AllScopes(), WorkspaceID: &w.ID}
	service, err := server.Client().CreateKey(context.Background(), api.CreateKey{Body: fields})
	if err != nil {
		return err
	}
	for name, value := range map[string]string{"KEY": key, "key": strings.ToLower(key), "WORKSPACE_ID": w.ID,
		"BUGSLICE_URL": server.URL, "BUGSLICE_TOKEN": server.Token, "BUGSLICE_WORKSPACE": key, "SERVER": server.URL,
		"TOKEN": server.Token, "SERVICE_TOKEN": service.Token, "HOME": e.WorkDir + "/home", "PAGER": "cat",
		"GOGC": "400", "LONG": strings.Repeat("x", 300),
		"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.com", "GIT_COMMITTER_NAME": "Ada",
		"GIT_COMMITTER_EMAIL": "ada@example.com"} {
		e.Setenv(name, value)
	}
	return nil
}

// start returns a command of a script. Its first argument may be <FILE, its standard input.
func start(ts *testscript.TestScript, args []string) *exec.Cmd {
	input, isInput := strings.CutPrefix(args[0], "<")
	if isInput {
		args = args[1:]
	}
	program, err := exec.LookPath(args[0])
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if _, missing := os.Stat(filepath.Join(dir, args[0])); missing == nil {
			program, err = filepath.Join(dir, args[0]), nil
			break
		}
	}
	ts.Check(err)
	cmd := exec.Command(program, args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range variables {
		if value := ts.Getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	if isInput {
		cmd.Stdin = strings.NewReader(ts.ReadFile(input))
	}
	return cmd
}

var variables = []string{"PATH", "HOME", "BUGSLICE_URL", "BUGSLICE_TOKEN", "BUGSLICE_WORKSPACE", "BUGSLICE_PROFILE",
	"PAGER", "NO_COLOR", "TERM", "EDITOR", "BROWSER", "GOGC", "XDG_CONFIG_HOME", "DBUS_SESSION_BUS_ADDRESS"}

// exits CODE [<FILE] ARGUMENT… runs a command and requires its exit code. Its outputs are the files out and err.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	cmd := start(ts, args[1:])
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	ts.Check(os.WriteFile(ts.MkAbs("out"), out.Bytes(), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs("err"), errs.Bytes(), 0o600))
	if code := strconv.Itoa(cmd.ProcessState.ExitCode()); code != args[0] {
		ts.Fatalf("exit %s, want %s\n%s\n%s", code, args[0], &out, &errs)
	}
}

// terminal COLUMNS [<FILE[@TEXT]] ARGUMENT… runs a command in a terminal, into which the file is typed when the terminal
// shows the text, or anything. What the terminal shows is the file screen.
func terminal(ts *testscript.TestScript, neg bool, args []string) {
	columns, err := strconv.Atoi(args[0])
	ts.Check(err)
	prompt := ""
	if input, isInput := strings.CutPrefix(args[1], "<"); isInput {
		args[1], prompt, _ = strings.Cut("<"+input, "@")
	}
	cmd := start(ts, args[1:])
	typed := cmd.Stdin
	cmd.Stdin = nil
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: uint16(columns)})
	ts.Check(err)
	defer tty.Close()
	var screen bytes.Buffer
	if typed != nil {
		for screen.Len() == 0 || !strings.Contains(screen.String(), prompt) {
			piece := make([]byte, 4096)
			n, err := tty.Read(piece)
			screen.Write(piece[:n])
			ts.Check(err)
		}
		_, err = io.Copy(tty, typed)
		ts.Check(err)
	}
	_, _ = io.Copy(&screen, tty) // the end of a terminal is an error
	err = cmd.Wait()
	text := strings.ReplaceAll(screen.String(), "\r\n", "\n")
	ts.Check(os.WriteFile(ts.MkAbs("screen"), []byte(text), 0o600))
	if (err != nil) != neg {
		ts.Fatalf("%v\n%s", err, text)
	}
}

// receiver SECRET starts a receiver of webhooks at $RECEIVER. It writes the type of each message with a valid
// signature to the file received.
func receiver(ts *testscript.TestScript, _ bool, args []string) {
	verifier, err := webhook.NewVerifier(args[0])
	ts.Check(err)
	file := ts.MkAbs("received")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if err := verifier.Verify(r.Header, body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err == nil {
			_, _ = f.Write(append(body, '\n'))
			_ = f.Close()
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	ts.Defer(server.Close)
	ts.Setenv("RECEIVER", server.URL)
}

// interrupted PATH ARGUMENT… interrupts a command when it requests a path that ends so, before the server has it. Its
// errors are the file err.
func interrupted(server *clienttest.Server) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		address, err := url.Parse(server.URL)
		ts.Check(err)
		reached := make(chan struct{}, 1)
		forward := httputil.NewSingleHostReverseProxy(address)
		proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, args[0]) {
				_, _ = io.Copy(io.Discard, r.Body)
				reached <- struct{}{}
				<-r.Context().Done()
				return
			}
			forward.ServeHTTP(w, r)
		}))
		defer proxy.Close()
		cmd := start(ts, args[1:])
		cmd.Env = append(cmd.Env, "BUGSLICE_URL="+proxy.URL)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		ts.Check(cmd.Start())
		<-reached
		ts.Check(cmd.Process.Signal(syscall.SIGINT))
		_ = cmd.Wait()
		ts.Check(os.WriteFile(ts.MkAbs("err"), errs.Bytes(), 0o600))
		if code := cmd.ProcessState.ExitCode(); code != 130 {
			ts.Fatalf("exit %d, want 130\n%s", code, &errs)
		}
	}
}

// breaking PATH ARGUMENT… runs a command, which succeeds although the connection of its first request of a path that
// ends so is reset when a part of the body has arrived. Its outputs are the files out and err.
func breaking(server *clienttest.Server) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		address, err := url.Parse(server.URL)
		ts.Check(err)
		var broken atomic.Bool
		forward := httputil.NewSingleHostReverseProxy(address)
		proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, args[0]) && broken.CompareAndSwap(false, true) {
				_, _ = io.CopyN(io.Discard, r.Body, 1<<20)
				if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
					_ = c.(*net.TCPConn).SetLinger(0)
					_ = c.Close()
				}
				return
			}
			forward.ServeHTTP(w, r)
		}))
		defer proxy.Close()
		before := ts.Getenv("BUGSLICE_URL")
		ts.Setenv("BUGSLICE_URL", proxy.URL)
		exits(ts, false, append([]string{"0"}, args[1:]...))
		ts.Setenv("BUGSLICE_URL", before)
	}
}
