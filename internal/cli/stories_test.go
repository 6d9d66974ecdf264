package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"bugslice/internal/cli"
	"bugslice/internal/mail/mailtest"
	"bugslice/internal/store/storetest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"bugslice": func() {
		os.Exit(cli.Run(context.Background(), os.Args[1:], os.Environ(),
			cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
	}})
}

// TestStories runs the scripts on both databases, and those of which no database decides the outcome on SQLite.
func TestStories(t *testing.T) {
	for _, run := range []struct{ name, engine, dir string }{{"sqlite", "sqlite", "script"},
		{"postgres", "postgres", "script"},
		{"oneEngine", "sqlite", "oneengine"}} {
		t.Run(run.name, func(t *testing.T) {
			t.Parallel()
			testscript.Run(t, testscript.Params{Dir: "testdata/" + run.dir, RequireExplicitExec: true,
				Setup: func(e *testscript.Env) error { return setup(e, run.engine, run.dir) },
				Cmds: map[string]func(*testscript.TestScript, bool, []string){"serve": serve, "shutdown": shutdown,
					"http": request, "field": field, "exits": exits, "receiver": receiver, "until": until,
					"mailserver": mailServer}})
		})
	}
}

func setup(e *testscript.Env, engine, dir string) error {
	e.Setenv("ENGINE", engine)
	e.Setenv("GOGC", "400") // a short command ends before its first collection; serve and exits run without it
	e.Setenv("BUGSLICE_DATA", e.WorkDir+"/data")
	if engine == "sqlite" {
		return nil
	}
	name := strings.TrimPrefix(filepath.Base(e.WorkDir), "script-")
	script, err := os.ReadFile(filepath.Join("testdata", dir, name+".txtar"))
	if err != nil {
		return err
	}
	first, second := storetest.Database, ""
	if !slices.Contains(migrating, name) {
		first = func() (string, error) {
			o, err := storetest.Migrated("postgres", "")
			return o.URL, err
		}
	}
	url, err := first()
	if err == nil && bytes.Contains(script, []byte("SECOND_DATABASE_URL")) {
		second, err = storetest.Database()
	}
	e.Setenv("BUGSLICE_DATABASE_URL", url)
	e.Setenv("SECOND_DATABASE_URL", second)
	return err
}

// migrating are the stories that begin with an empty database. The others begin with one that is migrated.
var migrating = []string{"bootstrap", "instance", "state"}

// serve [FLAG…] starts the server and sets $URL. Its standard output is in the file serve.out.
func serve(ts *testscript.TestScript, _ bool, args []string) {
	cmd := exec.Command(lookup(ts, "bugslice"), append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	cmd.Env = environment(ts)
	cmd.Dir = ts.Getenv("WORK")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := os.Create(ts.MkAbs("serve.out"))
	ts.Check(err)
	cmd.Stdout = out
	r, w, err := os.Pipe()
	ts.Check(err)
	cmd.Stderr = w
	ts.Check(cmd.Start())
	_ = w.Close()
	ts.Defer(func() { _ = cmd.Process.Kill(); _ = cmd.Wait(); _ = out.Close() })
	d := json.NewDecoder(r)
	for {
		var line struct{ Msg, Address string }
		if err := d.Decode(&line); err != nil {
			rest, _ := io.ReadAll(io.MultiReader(d.Buffered(), r))
			ts.Fatalf("the server did not start: %v %s", err, rest)
		}
		if line.Msg == "serving" {
			ts.Setenv("URL", "http://"+line.Address)
			break
		}
	}
	go func() { _, _ = io.Copy(io.Discard, r); _ = r.Close() }()
	ts.Setenv("SERVER_PID", strconv.Itoa(cmd.Process.Pid))
}

func lookup(ts *testscript.TestScript, name string) string {
	for _, dir := range strings.Split(ts.Getenv("PATH"), ":") {
		if _, err := os.Stat(dir + "/" + name); err == nil {
			return dir + "/" + name
		}
	}
	ts.Fatalf("no %s in the PATH", name)
	return ""
}

func environment(ts *testscript.TestScript) []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "BUGSLICE_DATA", "BUGSLICE_DATABASE_URL",
		"BUGSLICE_SECRET_KEY",
		"BUGSLICE_RATE_LIMIT", "BUGSLICE_RATE_LIMT", "BUGSLICE_SMTP", "BUGSLICE_SMTP_PASSWORD_FILE", "BUGSLICE_MAIL_FROM"} {
		if v := ts.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// exits CODE ARGUMENT… runs bugslice and requires the exit code. The errors are in the file stderr.txt.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	cmd := exec.Command(lookup(ts, "bugslice"), args[1:]...)
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = environment(ts)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	_ = cmd.Run()
	ts.Check(os.WriteFile(ts.MkAbs("stderr.txt"), stderr.Bytes(), 0o600))
	if code := strconv.Itoa(cmd.ProcessState.ExitCode()); code != args[0] {
		ts.Fatalf("exit %s, want %s: %s", code, args[0], &stderr)
	}
}

// shutdown ends the server by SIGTERM.
func shutdown(ts *testscript.TestScript, _ bool, _ []string) {
	pid, err := strconv.Atoi(ts.Getenv("SERVER_PID"))
	ts.Check(err)
	p, err := os.FindProcess(pid)
	ts.Check(err)
	ts.Check(p.Signal(syscall.SIGTERM))
	for range 100 {
		if p.Signal(syscall.Signal(0)) != nil {
			return
		}
		var status syscall.WaitStatus
		if got, _ := syscall.Wait4(pid, &status, syscall.WNOHANG, nil); got == pid {
			if status.ExitStatus() != 0 {
				ts.Fatalf("the server ended with %d", status.ExitStatus())
			}
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	ts.Fatalf("the server did not stop")
}

// http STATUS METHOD PATH [BODY] sends a request with $TOKEN and requires the status. The body of the response is in
// the file answer.
func request(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 3 {
		ts.Fatalf("usage: http STATUS METHOD PATH [BODY]")
	}
	body := strings.Join(args[3:], " ")
	req, err := http.NewRequest(args[1], ts.Getenv("URL")+args[2], bytes.NewReader([]byte(body)))
	ts.Check(err)
	req.Header.Set("Authorization", "Bearer "+ts.Getenv("TOKEN"))
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	ts.Check(err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("answer"), text, 0o600))
	if strconv.Itoa(res.StatusCode) != args[0] {
		ts.Fatalf("%d, want %s: %s", res.StatusCode, args[0], text)
	}
}

// until TEXT PATH polls the path with $TOKEN until the response contains the text, for 20 s at most.
func until(ts *testscript.TestScript, _ bool, args []string) {
	for range 200 {
		request(ts, false, []string{"200", "GET", args[1]})
		if strings.Contains(ts.ReadFile("answer"), args[0]) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	ts.Fatalf("after 20 s: %s", ts.ReadFile("answer"))
}

// field VARIABLE FILE NAME sets a variable from a member of the JSON object in a file.
func field(ts *testscript.TestScript, _ bool, args []string) {
	var m map[string]any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &m))
	v, ok := m[args[2]]
	if !ok {
		ts.Fatalf("no member %s in %s", args[2], ts.ReadFile(args[1]))
	}
	ts.Setenv(args[0], fmt.Sprint(v))
}

// freePort returns a port that is free, below those that the system assigns to others until it is used.
func freePort() string {
	for {
		port := strconv.Itoa(20_000 + rand.IntN(10_000))
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil && l.Close() == nil {
			return port
		}
	}
}

// mailserver [COMMAND=ANSWER…] starts a mail server at $SMTP, which answers so (mailtest.Talk).
func mailServer(ts *testscript.TestScript, _ bool, args []string) {
	answers := map[string]string{}
	for _, a := range args {
		command, answer, _ := strings.Cut(a, "=")
		answers[command] = strings.ReplaceAll(answer, "|", "\r\n")
	}
	address, end, err := mailtest.Talk(answers)
	ts.Check(err)
	ts.Defer(end)
	ts.Setenv("SMTP", address)
}

// receiver port chooses a free $PORT. receiver start and stop run examples/receiver-node with $WEBHOOK_SECRET there;
// its output is in the file received. receiver wait TEXT COUNT waits until so many lines of it contain the text.
func receiver(ts *testscript.TestScript, _ bool, args []string) {
	switch args[0] {
	case "port":
		ts.Setenv("PORT", freePort())
	case "start":
		startReceiver(ts)
	case "stop":
		pid, err := strconv.Atoi(ts.Getenv("RECEIVER_PID"))
		ts.Check(err)
		ts.Check(syscall.Kill(pid, syscall.SIGKILL))
		for listens(ts) {
			time.Sleep(10 * time.Millisecond)
		}
	case "wait":
		want, err := strconv.Atoi(args[2])
		ts.Check(err)
		for range 400 {
			if strings.Count(ts.ReadFile("received"), args[1]) >= want {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		ts.Fatalf("received in 20 s: %s", ts.ReadFile("received"))
	}
}

func startReceiver(ts *testscript.TestScript) {
	cmd := exec.Command("node", filepath.Join(repository, "examples/receiver-node/server.js"))
	cmd.Env = append(os.Environ(), "PORT="+ts.Getenv("PORT"), "WEBHOOK_SECRET="+ts.Getenv("WEBHOOK_SECRET"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := os.OpenFile(ts.MkAbs("received"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	ts.Check(err)
	cmd.Stdout, cmd.Stderr = out, out
	ts.Check(cmd.Start())
	ts.Setenv("RECEIVER_PID", strconv.Itoa(cmd.Process.Pid))
	ts.Defer(func() { _ = cmd.Process.Kill(); _ = cmd.Wait(); _ = out.Close() })
	for range 100 {
		if listens(ts) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	ts.Fatalf("the receiver does not listen (make test installs node and standardwebhooks)")
}

func listens(ts *testscript.TestScript) bool {
	c, err := net.Dial("tcp", "127.0.0.1:"+ts.Getenv("PORT"))
	if err == nil {
		_ = c.Close()
	}
	return err == nil
}

// repository is where the tests were started from, two folders up.
var repository = func() string {
	dir, err := filepath.Abs("../..")
	if err != nil {
		panic(err)
	}
	return dir
}()
