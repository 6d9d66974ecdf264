package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// system is a server that is measured.
type system struct {
	name, url, token string
	password         string // of the first user
	database         string // URL on PostgreSQL
	cmd              *exec.Cmd
	targets          map[string]target // by scenario
	memory           int               // MiB resident after the scenarios
}

// target is what a scenario requests: one of the paths, or the first path with one of the bodies, in which NUMBER
// becomes a number.
type target struct {
	paths  []string
	bodies []string
}

// The scenarios.
const (
	listFirst = "list, first page"
	listDeep  = "list, deepest page"
	listAll   = "list, all workspaces"
	getOne    = "get one"
	create1   = "create, 1 client"
	create16  = "create, 16 clients"
	createAll = "create, 16 clients into all workspaces"
)

var scenarios = []string{listFirst, listDeep, listAll, getOne, create1, create16, createAll}

const description = `### Steps
1. Put two items in the cart
2. Enter a voucher and remove it
3. Press **Checkout**

### Expected
The address step opens.

### Actual
Nothing happens.
`

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// start starts a server with a command on the first core, and waits until it is ready.
func start(ctx context.Context, name, ready, listen string, args ...string) (*system, error) {
	cmd := exec.CommandContext(ctx, "taskset", append([]string{"-c", "0"}, args...)...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	return run(name, ready, listen, cmd)
}

// run starts a server that will listen on an address, and waits until it answers the path ready.
func run(name, ready, listen string, cmd *exec.Cmd) (*system, error) {
	s := &system{name: name, url: "http://" + listen, targets: map[string]target{}, cmd: cmd}
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	for range 300 {
		if res, err := http.Get(s.url + ready); err == nil {
			_ = res.Body.Close()
			if res.StatusCode == 200 {
				return s, nil
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.stop()
	return nil, fmt.Errorf("%s did not start", name)
}

func (s *system) stop() {
	if s.cmd.ProcessState == nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	}
}

// waitIdle waits, for 20 s at most, until a server has finished the work that its clients left. The next server's
// round would share the core with it.
func (s *system) waitIdle() {
	for last, n := s.cpuTime(), 0; n < 100; n++ {
		time.Sleep(200 * time.Millisecond)
		now := s.cpuTime()
		if now-last <= 1 {
			return
		}
		last = now
	}
}

// cpuTime returns the processor time that a server has used, in hundredths of a second.
func (s *system) cpuTime() int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return user + system
}

// call sends a request, requires the status, and decodes the response. It sends it again while the machine is too
// busy for a list.
func (s *system) call(status int, method, path string, body any) (m map[string]any, err error) {
	for range 20 {
		if m, err = s.callOnce(status, method, path, body); err == nil ||
			!strings.Contains(err.Error(), "query_too_broad") {
			return m, err
		}
	}
	return m, err
}

func (s *system) callOnce(status int, method, path string, body any) (map[string]any, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequest(method, s.url+path, bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if s.token != "" {
		req.Header.Set("Authorization", "Bearer "+s.token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != status {
		return nil, fmt.Errorf("%s: %s %s: %d, want %d: %s", s.name, method, path, res.StatusCode, status, text)
	}
	var m map[string]any
	return m, json.Unmarshal(text, &m)
}

// check sends one request of each scenario before the measurement. It requires 25 items in the member items of a
// list, and the status created for a creation.
func (s *system) check(items string, created int) error {
	for _, scenario := range scenarios {
		t, ok := s.targets[scenario]
		if !ok {
			continue
		}
		if len(t.bodies) > 0 {
			if _, err := s.call(created, "POST", t.paths[0], json.RawMessage(t.bodies[0])); err != nil {
				return err
			}
			continue
		}
		m, err := s.call(200, "GET", t.paths[0], nil)
		if err != nil {
			return err
		}
		if rows, _ := m[items].([]any); scenario != getOne && len(rows) != 25 {
			return fmt.Errorf("%s, %s: %d items, want 25", s.name, scenario, len(rows))
		}
	}
	return nil
}

// resident returns the resident memory of a server in MiB, or 0 when it is unknown.
func (s *system) resident() int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if size, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, _ := strconv.Atoi(strings.Fields(size)[0])
			return kib / 1024
		}
	}
	return 0
}
