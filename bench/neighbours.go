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

// neighbourRates are the times of a short request of one organisation: on an idle server, and while another
// organisation loads it.
type neighbourRates struct{ idle, searching, streaming time.Duration }

// measureNeighbours returns the table of an organisation's response times beside a busy one.
func measureNeighbours(ctx context.Context, o options) (string, error) {
	r, err := onDatabases(ctx, o, "neighbours", neighboursOn)
	if err != nil {
		return "", err
	}
	t := newTable(r, "medians. The server and the clients share all cores.",
		"another organisation's GET of a slice, p50")
	t.row("idle", func(r neighbourRates) string { return millis(r.idle) })
	t.row("16 connections search a console of 20,000 rows in vain, and ask for its Markdown",
		func(r neighbourRates) string {
			return r.beside(r.searching)
		})
	t.row("100 event streams begin at the start of a log of 1,000 events, again and again",
		func(r neighbourRates) string {
			return r.beside(r.streaming)
		})
	return t.String(), nil
}

// beside shows a time, and how many times the idle one it is.
func (r neighbourRates) beside(d time.Duration) string {
	return fmt.Sprintf("%s, %.1f×", millis(d), float64(d)/float64(r.idle))
}

// neighboursOn measures the requests of one organisation of an instance beside those of another one.
func neighboursOn(ctx context.Context, o options, in instance) (r neighbourRates, err error) {
	o.slices, o.workspaces, o.allCores = 1000, 1, true
	s, err := startBugslice(ctx, o, in)
	if err != nil {
		return r, err
	}
	defer s.stop()
	other, err := s.addOrganization(ctx, o, in)
	if err != nil {
		return r, err
	}
	workspace, err := s.firstWorkspace()
	if err != nil {
		return r, err
	}
	body := slice(workspace, "1")
	body["evidence"] = map[string]any{"console": longConsole()}
	id, err := s.createSlice(body)
	if err != nil {
		return r, err
	}
	console := "/v1/slices/" + id
	keys, err := s.streamKeys(workspace)
	if err != nil {
		return r, err
	}
	get := func() (time.Duration, error) { return other.medianGet(o.seconds) }
	if r.idle, err = get(); err != nil {
		return r, err
	}
	search := func(ctx context.Context, i int) error {
		if i%2 == 0 {
			return s.read(ctx, s.token, console+"/console?q=nomatch", "application/json")
		}
		return s.read(ctx, s.token, console, "text/markdown")
	}
	if r.searching, err = during(ctx, 16, search, get); err != nil {
		return r, err
	}
	stream := func(ctx context.Context, i int) error {
		one, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		return s.read(one, keys[i%len(keys)], "/v1/events", "text/event-stream")
	}
	r.streaming, err = during(ctx, 100, stream, get)
	return r, err
}

// longConsole has 9 MB of rows, a tenth of which are errors.
func longConsole() (rows []any) {
	for i := range 20_000 {
		level := "log"
		if i%10 == 0 {
			level = "error"
		}
		rows = append(rows, map[string]any{"level": level, "timestamp": "2026-11-20T10:00:00Z",
			"message": fmt.Sprintf("row %d: %s", i, strings.Repeat("the cart was rendered ", 17))})
	}
	return rows
}

// tenant is a user of an organisation, with the path of a slice.
type tenant struct {
	*system
	path string
}

// addOrganization adds an organisation to a running server.
func (s *system) addOrganization(ctx context.Context, o options, in instance) (tenant, error) {
	args := append([]string{"admin", "org", "add", "--name", "Neighbour", "--email", "n@example.com", "--token",
		"--json"},
		in.flags(o)...)
	out, err := exec.CommandContext(ctx, filepath.Join(o.dir, "bugslice"), args...).Output()
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
	id, err := t.createSlice(slice(w["id"].(string), "1"))
	t.path = "/v1/slices/" + id
	return t, err
}

// medianGet reads a slice repeatedly and returns the median time.
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

// streamKeys creates enough keys for 100 streams.
func (s *system) streamKeys(workspace string) (keys []string, err error) {
	for i := range 5 {
		k, err := s.call(201, "POST", "/v1/api-keys", map[string]any{"name": fmt.Sprint("k", i), "type": "wst",
			"workspaceId": workspace, "scopes": []string{"slices:read"}})
		if err != nil {
			return nil, err
		}
		keys = append(keys, k["token"].(string))
	}
	return keys, nil
}

// read reads a response of any length. A request that ends with ctx is no error, and neither is a response that asks
// to retry later.
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

// during measures while clients repeat a request. They begin a second before. An error of a request is an error.
func during(ctx context.Context, clients int, request func(ctx context.Context, i int) error,
	measure func() (time.Duration, error),
) (time.Duration, error) {
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	var failed atomic.Pointer[error]
	for i := range clients {
		work.Go(func() {
			for ctx.Err() == nil {
				if err := request(ctx, i); err != nil {
					failed.Store(&err)
					return
				}
			}
		})
	}
	time.Sleep(time.Second)
	d, err := measure()
	cancel()
	work.Wait()
	if first := failed.Load(); err == nil && first != nil {
		err = *first
	}
	return d, err
}
