package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// neighbourRates are the times of a short request of one organisation: alone, and while another
// organisation keeps the server busy.
type neighbourRates struct{ idle, searching, streaming time.Duration }

func measureNeighbours(ctx context.Context, o options, dir string) (string, error) {
	if err := build(ctx, dir, "bugslice"); err != nil {
		return "", err
	}
	rates := map[string]neighbourRates{}
	for name, database := range map[string]string{"sqlite": "", "postgres": o.database} {
		r, err := neighboursOn(ctx, o, dir, name, database)
		if err != nil {
			return "", fmt.Errorf("neighbours on %s: %w", name, err)
		}
		progress("%-10s %+v", name, r)
		rates[name] = r
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Measured %s on %s; medians. The server and the clients share all cores.\n\n", time.Now().UTC().Format(time.DateOnly), processor())
	b.WriteString("| another organisation's GET of a slice, p50 | SQLite | PostgreSQL |\n|---|---:|---:|\n")
	row := func(what string, value func(neighbourRates) time.Duration) {
		cell := func(r neighbourRates) string {
			if value(r) == r.idle {
				return millis(r.idle)
			}
			return fmt.Sprintf("%s, %.1f×", millis(value(r)), float64(value(r))/float64(r.idle))
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", what, cell(rates["sqlite"]), cell(rates["postgres"]))
	}
	row("idle", func(r neighbourRates) time.Duration { return r.idle })
	row("16 connections search a console of 20,000 rows in vain, and ask for its Markdown", func(r neighbourRates) time.Duration { return r.searching })
	row("100 event streams begin at the start of a log of 1,000 events, again and again", func(r neighbourRates) time.Duration { return r.streaming })
	return b.String(), nil
}

func neighboursOn(ctx context.Context, o options, dir, name, database string) (r neighbourRates, err error) {
	o.slices, o.workspaces, o.allCores = 1000, 1, true
	s, err := startBugslice(ctx, o, dir, "neighbours-"+name, database)
	if err != nil {
		return r, err
	}
	defer s.stop()
	other, err := s.neighbour(ctx, dir, "neighbours-"+name, database)
	if err != nil {
		return r, err
	}
	me, err := s.call(200, "GET", "/v1/workspaces", nil)
	if err != nil {
		return r, err
	}
	workspace := me["data"].([]any)[0].(map[string]any)["id"].(string)
	body := slice(workspace, "1")
	body["evidence"] = map[string]any{"console": longConsole()}
	made, err := s.call(201, "POST", "/v1/slices", body)
	if err != nil {
		return r, err
	}
	console := "/v1/slices/" + made["id"].(string)
	keys, err := s.streamKeys(workspace)
	if err != nil {
		return r, err
	}
	if r.idle, err = other.medianGet(o.seconds); err != nil {
		return r, err
	}
	search := func(ctx context.Context, i int) error {
		if i%2 == 0 {
			return s.read(ctx, s.token, console+"/console?q=nomatch", "application/json")
		}
		return s.read(ctx, s.token, console, "text/markdown")
	}
	if r.searching, err = beside(ctx, 16, search, func() (time.Duration, error) { return other.medianGet(o.seconds) }); err != nil {
		return r, err
	}
	stream := func(ctx context.Context, i int) error {
		one, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		return s.read(one, keys[i%len(keys)], "/v1/events", "text/event-stream")
	}
	r.streaming, err = beside(ctx, 100, stream, func() (time.Duration, error) { return other.medianGet(o.seconds) })
	return r, err
}

// longConsole has 9 MB of rows, a tenth of which are errors.
func longConsole() (rows []any) {
	for i := range 20_000 {
		level := "log"
		if i%10 == 0 {
			level = "error"
		}
		rows = append(rows, map[string]any{"level": level, "timestamp": "2026-11-20T10:00:00Z", "message": fmt.Sprintf("row %d: %s", i, strings.Repeat("the cart was rendered ", 17))})
	}
	return rows
}

// tenant is a user of an organisation, with a slice.
type tenant struct {
	*system
	path string
}

// neighbour adds an organisation to a running server.
func (s *system) neighbour(ctx context.Context, dir, name, database string) (tenant, error) {
	args := []string{"org", "add", "--name", "Neighbour", "--email", "n@example.com", "--token", "--json", "--data", filepath.Join(dir, "data-"+name)}
	if database != "" {
		args = append(args, "--database-url", database)
	}
	out, err := exec.CommandContext(ctx, filepath.Join(dir, "bugslice"), args...).Output()
	if err != nil {
		return tenant{}, fmt.Errorf("org add: %w", err)
	}
	var added struct{ Token string }
	if err := json.Unmarshal(out, &added); err != nil {
		return tenant{}, err
	}
	t := tenant{system: &system{name: s.name, url: s.url, token: added.Token}}
	w, err := t.call(201, "POST", "/v1/workspaces", map[string]any{"name": "n"})
	if err != nil {
		return t, err
	}
	made, err := t.call(201, "POST", "/v1/slices", slice(w["id"].(string), "1"))
	if err == nil {
		t.path = "/v1/slices/" + made["id"].(string)
	}
	return t, err
}

// medianGet reads a slice again and again.
func (t tenant) medianGet(length time.Duration) (time.Duration, error) {
	var took []time.Duration
	for begin := time.Now(); time.Since(begin) < length; {
		at := time.Now()
		if _, err := t.call(200, "GET", t.path, nil); err != nil {
			return 0, err
		}
		took = append(took, time.Since(at))
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

// streamKeys mints as many keys as 100 streams take.
func (s *system) streamKeys(workspace string) (keys []string, err error) {
	for i := range 5 {
		k, err := s.call(201, "POST", "/v1/api-keys", map[string]any{"name": fmt.Sprint("k", i), "type": "wst", "workspaceId": workspace, "scopes": []string{"slices:read"}})
		if err != nil {
			return nil, err
		}
		keys = append(keys, k["token"].(string))
	}
	return keys, nil
}

// read asks for what may be much, and takes all of it. A request that ends with ctx is none that fails,
// nor is one that is told to come again.
func (s *system) read(ctx context.Context, token, path, accept string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Accept", accept)
	res, err := http.DefaultClient.Do(req)
	if err == nil {
		_, err = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		if res.StatusCode != 200 && res.StatusCode != 429 && res.StatusCode != 503 {
			return fmt.Errorf("%s: %d", path, res.StatusCode)
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// beside measures while a number of clients do something again and again, for a second before, too.
func beside(ctx context.Context, clients int, do func(ctx context.Context, i int) error, measure func() (time.Duration, error)) (time.Duration, error) {
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	var fault atomic.Pointer[error]
	for i := range clients {
		work.Go(func() {
			for ctx.Err() == nil {
				if err := do(ctx, i); err != nil {
					fault.Store(&err)
					return
				}
			}
		})
	}
	time.Sleep(time.Second)
	d, err := measure()
	cancel()
	work.Wait()
	if bad := fault.Load(); err == nil && bad != nil {
		err = *bad
	}
	return d, err
}
