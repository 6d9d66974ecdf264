package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

const (
	liveUsers    = 5
	liveSessions = 100 // of each user; each has a stream
	liveTime     = 20 * time.Second
	liveChanges  = 10 // a second
)

// liveRates are the costs of open pages on a node. Processor times are shares of one core.
type liveRates struct {
	before, idle, busy         int     // MiB resident without streams, with idle ones, and at most during the changes
	idleCPU, busyCPU, aloneCPU float64 // with idle streams, with changes, and with the same changes without streams
}

// measureLive returns the table of open pages.
func measureLive(ctx context.Context, o options) (string, error) {
	r, err := onDatabases(ctx, o, "live", liveOn)
	if err != nil {
		return "", err
	}
	t := newTable(r, fmt.Sprintf("%d sessions of %d users, with a stream each, for %v. The server and the client share all cores.",
		liveUsers*liveSessions, liveUsers, liveTime), "500 open pages on one node")
	t.row("resident memory without streams, with idle ones, and at most during the changes, MiB",
		func(r liveRates) string { return fmt.Sprintf("%d, %d, %d", r.before, r.idle, r.busy) })
	t.row("processor, idle streams, of one core", func(r liveRates) string { return percent(r.idleCPU) })
	t.row(fmt.Sprintf("processor, %d changes a second without streams", liveChanges),
		func(r liveRates) string { return percent(r.aloneCPU) })
	t.row(fmt.Sprintf("processor, %d changes a second, each sent to 500 streams", liveChanges),
		func(r liveRates) string { return percent(r.busyCPU) })
	return t.String(), nil
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// liveOn measures on one database. Every stream must receive each change.
func liveOn(ctx context.Context, o options, in instance) (r liveRates, err error) {
	o.slices, o.workspaces, o.allCores = 1000, 1, true
	s, err := startBugslice(ctx, o, in)
	if err != nil {
		return r, err
	}
	defer s.stop()
	workspace, err := s.firstWorkspace()
	if err != nil {
		return r, err
	}
	browsers, err := s.browsers(ctx, o, in, workspace)
	if err != nil {
		return r, err
	}
	s.waitIdle()
	if r.aloneCPU, err = s.changing(1); err != nil {
		return r, err
	}
	s.waitIdle()
	r.before = s.resident()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var received atomic.Int64
	for _, b := range browsers {
		if err := s.follow(ctx, b, &received); err != nil {
			return r, err
		}
	}
	s.waitIdle()
	r.idle = s.resident()
	begun := s.cpuTime()
	time.Sleep(liveTime)
	r.idleCPU = s.share(begun, liveTime)
	peak := s.watchMemory()
	r.busyCPU, err = s.changing(2)
	r.busy = peak()
	if err != nil {
		return r, err
	}
	time.Sleep(2 * time.Second)
	changes := int64(liveChanges) * int64(liveTime/time.Second)
	if want := changes * int64(len(browsers)); received.Load() != want {
		return r, fmt.Errorf("the streams received %d changes, not %d", received.Load(), want)
	}
	return r, nil
}

// share returns the share of one core that a server has used since a time of cpuTime.
func (s *system) share(begun int, length time.Duration) float64 {
	return float64(s.cpuTime()-begun) / 100 / length.Seconds()
}

// browsers adds users, and returns a client for each of their sessions.
func (s *system) browsers(ctx context.Context, o options, in instance, workspace string) (
	all []*http.Client, err error,
) {
	for u := range liveUsers {
		email := fmt.Sprintf("u%d@example.com", u)
		args := append([]string{"admin", "user", "add", "--email", email, "--workspace", workspace}, in.flags(o)...)
		cmd := exec.CommandContext(ctx, filepath.Join(o.dir, "bugslice"), args...)
		cmd.Env = append(os.Environ(), "BUGSLICE_PASSWORD="+s.password)
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("user add: %w: %s", err, out)
		}
		for range liveSessions {
			b, err := s.signIn(email)
			if err != nil {
				return nil, err
			}
			all = append(all, b)
		}
	}
	return all, nil
}

// follow opens a stream, and counts the changes that it receives.
func (s *system) follow(ctx context.Context, browser *http.Client, received *atomic.Int64) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/live", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "text/event-stream")
	res, err := browser.Do(req)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(res.Body)
	if !lines.Scan() || res.StatusCode != http.StatusOK {
		return errors.Join(fmt.Errorf("%s: GET /live: %s", s.name, res.Status), res.Body.Close())
	}
	go func() {
		defer res.Body.Close()
		for lines.Scan() {
			received.Add(int64(strings.Count(lines.Text(), `"reference"`)))
		}
	}()
	return nil
}

// changing changes different slices for a while, and returns the share of one core that the server uses. The round
// distinguishes the values, so that each request is a change.
func (s *system) changing(round int) (float64, error) {
	paths := s.targets[getOne].paths
	begun, tick := s.cpuTime(), time.NewTicker(time.Second/liveChanges)
	defer tick.Stop()
	for i := range liveChanges * int(liveTime/time.Second) {
		<-tick.C
		patch := map[string]any{"summary": fmt.Sprint("Changed in round ", round)}
		if _, err := s.call(200, "PATCH", paths[i%len(paths)], patch); err != nil {
			return 0, err
		}
	}
	return s.share(begun, liveTime), nil
}
