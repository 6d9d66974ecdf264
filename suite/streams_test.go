package suite

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bugslice/api"
)

// sse is one server-sent event.
type sse struct {
	ID, Event, Data string
	At              time.Time
}

// stream opens a stream; events come on the channel, which is closed with the stream.
func (c client) stream(t *testing.T, path string, headers ...string) (<-chan sse, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, "GET", c.URL+path, nil)
	must(t, err)
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Accept", "text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := (&http.Transport{}).RoundTrip(req) //nolint:bodyclose // closed by the goroutine below
	must(t, err)
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%s: %d %s", path, res.StatusCode, res.Header.Get("Content-Type"))
	}
	out := make(chan sse, 10_000)
	go func() {
		defer close(out)
		defer res.Body.Close()
		var one sse
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				one.ID = value
			case "event":
				one.Event = value
			case "data":
				one.Data = value
			case "":
				if lines.Text() == "" && one.Data != "" {
					one.At = time.Now()
					out <- one
					one = sse{}
				} else if value == "heartbeat" {
					out <- sse{Event: "heartbeat"}
				}
			}
		}
	}()
	return out, cancel
}

// next returns the next event that is no heartbeat.
func next(t *testing.T, events <-chan sse) sse {
	t.Helper()
	timeout := time.After(15 * time.Second)
	for {
		select {
		case e, ok := <-events:
			if !ok {
				t.Fatal("the stream has ended")
			}
			if e.Event != "heartbeat" {
				return e
			}
		case <-timeout:
			t.Fatal("no event in 15 s")
		}
	}
}

// TestStreamFollowsPages: a client that reads pages, continues by stream and reconnects repeatedly during concurrent
// writes sees every event once and in order.
func TestStreamFollowsPages(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "follow")
		const writers, each = 6, 30
		var work sync.WaitGroup
		for i := range writers {
			work.Go(func() {
				for j := range each {
					o.slice(t, o.Workspace, map[string]any{"summary": fmt.Sprint(i, j)})
				}
			})
		}
		time.Sleep(30 * time.Millisecond)
		in, after, seen := "/v1/events?workspaceId="+o.Workspace, "", 0
		last := float64(0)
		take := func(e map[string]any) {
			if s := e["sequence"].(float64); s <= last {
				t.Errorf("%v after %v", s, last)
			} else {
				last = s
			}
			seen++
			after = e["id"].(string)
		}
		for _, row := range o.want(t, 200, "GET", in+"&limit=20", nil).get(t, "data").([]any) {
			take(row.(map[string]any))
		}
		for round := 0; seen < writers*each; round++ {
			var events <-chan sse
			var cancel context.CancelFunc
			if after == "" {
				events, cancel = o.stream(t, in)
			} else if round%2 == 0 {
				events, cancel = o.stream(t, in+"&after="+after)
			} else {
				events, cancel = o.stream(t, in+"&after=evt_ignored", "Last-Event-ID", after)
			}
			for range 25 {
				var e map[string]any
				raw := next(t, events)
				must(t, json.Unmarshal([]byte(raw.Data), &e))
				if raw.ID != e["id"] || raw.Event != e["type"] {
					t.Errorf("%+v", raw)
				}
				if take(e); seen == writers*each {
					break
				}
			}
			cancel()
		}
		work.Wait()
		if n := len(o.want(t, 200, "GET", in+"&limit=100&after="+after, nil).get(t, "data").([]any)); n != 0 {
			t.Errorf("%d events more than were written", n)
		}
	})
}

// TestStreamShowsWhatTheKeyMayRead, and no longer: it ends with the key, with a problem.
func TestStreamShowsWhatTheKeyMayRead(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "streams")
		in := "/v1/events?after=latest&workspaceId=" + o.Workspace
		o.slice(t, o.Workspace, nil) // before the streams
		narrow, narrowID := o.newKey(t, map[string]any{"name": "narrow", "type": "pat",
			"scopes": []string{"spaces:read"}})
		member, memberID := o.newUser(t, "member", o.Workspace)
		all, end := o.stream(t, in)
		defer end()
		asked, endAsked := o.stream(t, in+"&type=space.created")
		defer endAsked()
		few, endFew := narrow.stream(t, in)
		defer endFew()
		theirs, endTheirs := member.stream(t, in)
		defer endTheirs()
		o.slice(t, o.Workspace, nil)
		o.want(t, 201, "POST", "/v1/workspaces/"+o.Workspace+"/spaces", map[string]any{"name": "space"})
		for name, c := range map[string]struct {
			from <-chan sse
			want string
		}{"all": {all, "slice.created space.created"}, "asked": {asked, "space.created"},
			"narrow": {few, "space.created"}, "member": {theirs, "slice.created space.created"}} {
			for _, want := range strings.Fields(c.want) {
				if e := next(t, c.from); e.Event != want {
					t.Errorf("%s: %s, want %s", name, e.Event, want)
				}
			}
		}
		o.want(t, 204, "DELETE", "/v1/api-keys/"+narrowID, nil)
		o.cli(t, "admin", "workspace", "remove-member", "--workspace", o.Workspace, "--user", memberID)
		for name, c := range map[string]struct {
			from <-chan sse
			code string
		}{"revoked": {few, "unauthorized"}, "left": {theirs, "not_found"}} {
			e := next(t, c.from)
			var p api.Problem
			if err := json.Unmarshal([]byte(e.Data), &p); err != nil || e.Event != "problem" || p.Code != c.code ||
				!strings.HasPrefix(p.RequestID, "req_") || p.Type != s.URL+"/docs#"+c.code {
				t.Errorf("%s: %v, %+v", name, err, e)
			}
			if _, more := <-c.from; more {
				t.Errorf("%s: the stream goes on", name)
			}
		}
		for _, query := range []string{"&cursor=x", "&limit=5", "&type=nothing"} {
			o.want(t, 400, "GET", in+query, nil, "Accept", "text/event-stream")
		}
		newOrg(t, s, "other").want(t, 404, "GET", in, nil, "Accept", "text/event-stream")
		o.want(t, 200, "GET", in, nil, "Accept", "text/event-stream;q=0.5, application/json")
		streams := 0
		for range 30 {
			req, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+in, nil)
			must(t, err)
			req.Header.Set("Authorization", "Bearer "+o.token)
			req.Header.Set("Accept", "text/event-stream")
			res, err := transport.RoundTrip(req)
			must(t, err)
			defer res.Body.Close()
			if res.StatusCode == 429 {
				break
			}
			streams++
		}
		if streams > 20 {
			t.Errorf("one key has %d streams", streams)
		}
	})
}

// TestStreamAcrossNodes: an event written on one node appears within a second on the streams of
// another, and a node that is drained ends its streams.
func TestStreamAcrossNodes(t *testing.T) {
	t.Parallel()
	one := newServer(t, "postgres", t.TempDir(), "--rate-limit", "off")
	one.start(t)
	defer one.kill()
	two := one.node()
	two.start(t)
	defer two.kill()
	o := newOrg(t, one, "nodes")
	events, cancel := client{two, o.token}.stream(t, "/v1/events?workspaceId="+o.Workspace)
	defer cancel()
	for range 10 {
		o.slice(t, o.Workspace, nil)
		begin := time.Now()
		if e := next(t, events); e.At.Sub(begin) > time.Second {
			t.Errorf("appeared after %v", e.At.Sub(begin))
		}
		time.Sleep(137 * time.Millisecond)
	}
	must(t, two.cmd.Process.Signal(syscall.SIGTERM))
	begin := time.Now()
	for e := range events {
		if e.Event != "heartbeat" {
			t.Errorf("%+v", e)
		}
	}
	if d := time.Since(begin); d > 5*time.Second {
		t.Errorf("the stream ended %v after the node was asked to", d)
	}
	if err := two.cmd.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
}
