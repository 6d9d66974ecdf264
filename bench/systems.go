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
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// system is a server to be measured: what is asked of it in each scenario.
type system struct {
	name, url, token string
	cmd              *exec.Cmd
	targets          map[string]target // by scenario
	memory           string
}

// target is a request: a path, or several to choose from, or a body to post with %d for a number.
type target struct {
	paths []string
	body  []string
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

const description = "### Steps\n1. Put two items in the cart\n2. Enter a voucher and remove it\n3. Press **Checkout**\n\n### Expected\nThe address step opens.\n\n### Actual\nNothing happens.\n"

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// start starts a server on the first core and waits until it answers.
func start(ctx context.Context, name, ready string, listen string, args ...string) (*system, error) {
	cmd := exec.CommandContext(ctx, "taskset", append([]string{"-c", "0"}, args...)...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	return run(name, ready, listen, cmd)
}

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

// settle waits, for 20 s at most, until a server has done what it was still at when its
// clients left: on the core that they share, the next one's round would pay for it.
func (s *system) settle() {
	for last, n := s.busy(), 0; n < 100; n++ {
		time.Sleep(200 * time.Millisecond)
		now := s.busy()
		if now-last <= 1 {
			return
		}
		last = now
	}
}

// busy returns the processor time a server has used, in hundredths of a second.
func (s *system) busy() int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return user + system
}

// call sends a request and decodes its answer, which must have the status.
func (s *system) call(status int, method, path string, body any) (map[string]any, error) {
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

func startBugslice(ctx context.Context, o options, dir, name, database string, args ...string) (*system, error) {
	place := []string{"--data", filepath.Join(dir, "data-"+name)}
	if database != "" {
		place = append(place, "--database-url", database)
	}
	binary := filepath.Join(dir, "bugslice")
	out, err := exec.CommandContext(ctx, binary, append([]string{"bootstrap", "--org", "Bench", "--email", "bench@example.com", "--workspace", "w0", "--json"}, place...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("bootstrap: %w", err)
	}
	var first struct{ WorkspaceID, Token string }
	if err := json.Unmarshal(out, &first); err != nil {
		return nil, err
	}
	listen, err := freePort()
	if err != nil {
		return nil, err
	}
	command := append([]string{binary, "serve", "--listen", listen, "--rate-limit", "off"}, append(args, place...)...)
	var s *system
	if o.allCores {
		s, err = run("Bugslice on "+name, "/readyz", listen, exec.CommandContext(ctx, command[0], command[1:]...))
	} else {
		s, err = start(ctx, "Bugslice on "+name, "/readyz", listen, command...)
	}
	if err != nil {
		return nil, err
	}
	s.token = first.Token
	workspaces := []string{first.WorkspaceID}
	for i := 1; i < o.workspaces; i++ {
		w, err := s.call(201, "POST", "/v1/workspaces", map[string]any{"name": fmt.Sprint("w", i)})
		if err != nil {
			return nil, err
		}
		workspaces = append(workspaces, w["id"].(string))
	}
	if err := s.seed(o, workspaces); err != nil {
		return nil, err
	}
	return s, s.aim(workspaces)
}

func slice(workspace string, i string) map[string]any {
	return map[string]any{"workspaceId": workspace, "summary": "Checkout button does nothing, case " + i, "description": description, "priority": "high", "severity": "major",
		"sourceUrl": "https://shop.example.com/cart", "labels": []string{"checkout", "firefox"}, "metadata": map[string]string{"customer": "4711"},
		"environment": map[string]string{"browser": "Firefox 144", "os": "Windows 11", "viewport": "1440x812", "locale": "sv-SE"}}
}

func (s *system) seed(o options, workspaces []string) error {
	progress("%s: seed %d slices", s.name, o.slices)
	const clients = 32
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = clients
	errs := make(chan error, clients)
	var work sync.WaitGroup
	for c := range clients {
		work.Go(func() {
			for i := c; i < o.slices; i += clients {
				if _, err := s.call(201, "POST", "/v1/slices", slice(workspaces[i%len(workspaces)], strconv.Itoa(i))); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	work.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
}

// walk follows a list of Bugslice to its end, and shows the caller each page with the cursor
// parameter that led to it.
func (s *system) walk(path string, page func(rows []any, cursor string)) error {
	for cursor := ""; ; {
		m, err := s.call(200, "GET", path+cursor, nil)
		if err != nil {
			return err
		}
		page(m["data"].([]any), cursor)
		next := m["pagination"].(map[string]any)
		if next["hasMore"] == false {
			return nil
		}
		cursor = "&cursor=" + next["cursor"].(string)
	}
}

// aim finds the deepest full page and every id, and checks the answers.
func (s *system) aim(workspaces []string) error {
	path := "/v1/slices?workspaceId=" + workspaces[0]
	s.targets[listFirst] = target{paths: []string{path}}
	s.targets[listAll] = target{paths: []string{"/v1/slices"}}
	err := s.walk(path+"&limit=25", func(rows []any, cursor string) {
		if len(rows) == 25 {
			s.targets[listDeep] = target{paths: []string{path + cursor}}
		}
	})
	if err != nil {
		return err
	}
	var ids, one, many []string
	for i, w := range workspaces {
		err := s.walk("/v1/slices?limit=100&workspaceId="+w, func(rows []any, _ string) {
			for _, r := range rows {
				ids = append(ids, "/v1/slices/"+r.(map[string]any)["id"].(string))
			}
		})
		if err != nil {
			return err
		}
		b, err := json.Marshal(slice(w, "NUMBER"))
		if err != nil {
			return err
		}
		if i == 0 {
			one = []string{string(b)}
		}
		many = append(many, string(b))
	}
	s.targets[getOne] = target{paths: ids}
	s.targets[create1] = target{paths: []string{"/v1/slices"}, body: one}
	s.targets[create16] = s.targets[create1]
	s.targets[createAll] = target{paths: []string{"/v1/slices"}, body: many}
	return s.check("data", 201)
}

// check asks each target once, before anything is measured: a list must hold 25 items, and a
// creation must answer with the status.
func (s *system) check(items string, created int) error {
	for _, scenario := range scenarios {
		t, ok := s.targets[scenario]
		if !ok {
			continue
		}
		if len(t.body) > 0 {
			if _, err := s.call(created, "POST", t.paths[0], json.RawMessage(t.body[0])); err != nil {
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

func startPocketBase(ctx context.Context, o options, dir string) (*system, error) {
	binary, data := filepath.Join(dir, "pocketbase"), filepath.Join(dir, "data-pocketbase")
	progress("PocketBase: seed %d slices", o.slices)
	if out, err := exec.CommandContext(ctx, binary, "seed", strconv.Itoa(o.slices), strconv.Itoa(o.workspaces), "--dir", data).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("seed PocketBase: %w: %s", err, out)
	}
	listen, err := freePort()
	if err != nil {
		return nil, err
	}
	s, err := start(ctx, "PocketBase", "/api/health", listen, binary, "serve", "--http", listen, "--dir", data)
	if err != nil {
		return nil, err
	}
	m, err := s.call(200, "POST", "/api/collections/users/auth-with-password", map[string]any{"identity": "bench@example.com", "password": "correct horse battery"})
	if err != nil {
		return nil, err
	}
	s.token = m["token"].(string)
	const records = "/api/collections/slices/records"
	page := func(n int, filter string) string {
		return fmt.Sprintf("%s?page=%d&perPage=25&skipTotal=1&sort=-created%s", records, n, filter)
	}
	const in = "&filter=(workspace%3D'workspace000000')"
	s.targets[listFirst] = target{paths: []string{page(1, in)}}
	s.targets[listDeep] = target{paths: []string{page(max(1, o.slices/o.workspaces/25), in)}}
	s.targets[listAll] = target{paths: []string{page(1, "")}}
	ids, err := s.records(records, o.slices)
	if err != nil {
		return nil, err
	}
	s.targets[getOne] = target{paths: ids}
	body := slice("", "NUMBER")
	delete(body, "workspaceId")
	body["workspace"], body["status"] = "workspace000000", "open"
	b, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	s.targets[create1] = target{paths: []string{records}, body: []string{string(b)}}
	s.targets[create16] = s.targets[create1]
	return s, s.check("items", 200)
}

// records returns the paths of all records of a PocketBase collection, of which there must be n.
func (s *system) records(collection string, n int) ([]string, error) {
	var paths []string
	for page := 1; len(paths) < n; page++ {
		m, err := s.call(200, "GET", fmt.Sprintf("%s?page=%d&perPage=1000&skipTotal=1&fields=id", collection, page), nil)
		if err != nil {
			return nil, err
		}
		rows, _ := m["items"].([]any)
		if len(rows) == 0 {
			return nil, fmt.Errorf("%s shows %d records of %d", s.name, len(paths), n)
		}
		for _, r := range rows {
			paths = append(paths, collection+"/"+r.(map[string]any)["id"].(string))
		}
	}
	return paths, nil
}

// startBare serves the very bytes of Bugslice's answers.
func startBare(ctx context.Context, dir string, ours *system) (*system, error) {
	files := map[string]string{"list": ours.targets[listFirst].paths[0], "one": ours.targets[getOne].paths[0]}
	for name, path := range files {
		m, err := ours.call(200, "GET", path, nil)
		if err != nil {
			return nil, err
		}
		b, err := json.Marshal(m)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), b, 0o600)
		}
		if err != nil {
			return nil, err
		}
	}
	listen, err := freePort()
	if err != nil {
		return nil, err
	}
	s, err := start(ctx, "bare net/http", "/one", listen, filepath.Join(dir, "bare"), "-listen", listen, "-list", filepath.Join(dir, "list"), "-one", filepath.Join(dir, "one"))
	if err != nil {
		return nil, err
	}
	for _, name := range []string{listFirst, listDeep, listAll} {
		s.targets[name] = target{paths: []string{"/list"}}
	}
	s.targets[getOne] = target{paths: []string{"/one"}}
	return s, s.check("data", 0)
}

// resident returns the resident memory of a process, in MiB.
func resident(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return "-"
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.Atoi(strings.Fields(rest)[0])
			if err == nil {
				return strconv.Itoa(kib / 1024)
			}
		}
	}
	return "-"
}
