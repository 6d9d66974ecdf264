package suite

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestTortureHeld: requests of many keys are held open under load, the rights of some keys end at random times, and
// the requests are completed. A refused request stores nothing, not even files; an allowed one succeeds. make torture
// repeats it.
func TestTortureHeld(t *testing.T) {
	t.Parallel()
	turns := sized(1, rounds())
	for _, engine := range tested() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, engine, t.TempDir(), "--rate-limit", "off")
			s.start(t)
			defer s.kill()
			stop := load(t, newOrg(t, s, "busy"), 2)
			for range turns {
				heldTurn(t, newOrg(t, s, "held")) // a workspace has few webhooks
			}
			stop()
			noFilesLeft(t, s)
		})
	}
}

// load has clients file reports with evidence until stop is called.
func load(t *testing.T, o org, clients int) (stop func()) {
	t.Helper()
	var ended atomic.Bool
	var work sync.WaitGroup
	for range clients {
		work.Go(func() {
			for !ended.Load() {
				if a, err := o.try("POST", "/v1/slices", report(o, 2<<10)); err != nil || a.Status != 201 {
					t.Errorf("under load: %d %s %v", a.Status, a.Body, err)
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	return func() { ended.Store(true); work.Wait() }
}

// heldTurn ends each way of losing rights once, and beside them a key that loses none.
func heldTurn(t *testing.T, o org) {
	t.Helper()
	first := o.slice(t, o.Workspace, nil)["id"].(string)
	lost := map[string]string{}
	var work sync.WaitGroup
	for _, e := range append(endings(), ending{name: "kept", end: func(*testing.T, *holder) {}}) {
		h := newHolder(t, o, e.key)
		if e.status == 0 { // it is served: one that changes a slice
			h.requests = slices.DeleteFunc(h.requests, func(r heldKind) bool {
				return r.method != "PATCH" || !strings.Contains(r.path, "/slices/")
			})
			e.status = 200
		} else {
			lost[h.keyID] = e.name
		}
		h.hold(t)
		work.Go(func() {
			time.Sleep(time.Duration(rand.IntN(900)) * time.Millisecond)
			e.end(t, h)
			time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond)
			h.finish(t, e.name, e.status)
		})
	}
	work.Wait()
	nothingHeld(t, o, first, lost)
}

// nothingHeld fails when the log of the workspace tells, since a slice was filed, of anything that one of the
// keys held open.
func nothingHeld(t *testing.T, o org, slice string, lost map[string]string) {
	t.Helper()
	begun, seen, cursor := false, 0, ""
	for more := true; more; {
		a := o.want(t, 200, "GET", "/v1/events?limit=100&workspaceId="+o.Workspace+cursor, nil)
		for _, row := range a.get(t, "data").([]any) {
			e := row.(map[string]any)
			text := fmt.Sprint(e["data"])
			begun = begun || strings.Contains(text, slice)
			by, _ := e["actor"].(map[string]any)["keyId"].(string)
			if !begun || lost[by] == "" {
				continue
			}
			seen++
			if strings.Contains(text, "held open") || strings.Contains(text, "held-open") {
				t.Errorf("%s: stored: %s", lost[by], text)
			}
		}
		if more = a.get(t, "pagination.hasMore") == true; more {
			cursor = "&cursor=" + a.get(t, "pagination.cursor").(string)
		}
	}
	if seen < len(lost) { // each has commented before
		t.Errorf("the log tells of %d changes by %d keys", seen, len(lost))
	}
}

// noFilesLeft waits until no file is stored that no record names.
func noFilesLeft(t *testing.T, s *server) {
	t.Helper()
	var h fileCounts
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(500 * time.Millisecond) {
		if h = s.collect(t); h.Unknown.Files+h.UnknownOld.Files+h.Unreferenced.Files+h.Missing == 0 {
			return
		}
	}
	t.Errorf("files are left: %+v", h)
}
