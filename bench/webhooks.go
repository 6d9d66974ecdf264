package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// hookRates is what is measured of webhooks on one database.
type hookRates struct {
	one, four              float64 // deliveries a second, to one receiver and to four
	p50, p99               time.Duration
	bare, queued, delivers float64 // creations a second: without a webhook, with one that only queues, with one that delivers
}

// measureWebhooks returns the table of webhooks.
func measureWebhooks(ctx context.Context, o options) (string, error) {
	r, err := onDatabases(ctx, o, "webhooks", webhooksOn)
	if err != nil {
		return "", err
	}
	leases, err := measureLeases(ctx)
	if err != nil {
		return "", err
	}
	conditions := fmt.Sprintf("medians of %d rounds. The server has one core, the receiver and the clients the other.",
		o.rounds)
	t := newTable(r, conditions, "webhooks")
	t.row("deliveries a second, one receiver", func(r hookRates) string { return perSecond(r.one) })
	t.row("deliveries a second, four receivers", func(r hookRates) string { return perSecond(r.four) })
	t.row("from the POST's answer to the arrival, p50", func(r hookRates) string { return millis(r.p50) })
	t.row("from the POST's answer to the arrival, p99", func(r hookRates) string { return millis(r.p99) })
	t.row("POST /v1/slices a second, 16 clients, no webhook", func(r hookRates) string { return perSecond(r.bare) })
	t.row("… with a webhook that queues, as a share of that",
		func(r hookRates) string { return ratio(r.queued, r.bare, "%.2f") })
	t.row("… with a webhook that delivers on the same core",
		func(r hookRates) string { return ratio(r.delivers, r.bare, "%.2f") })
	for _, rows := range []string{"0", "1000000"} {
		fmt.Fprintf(t, "| a lease with %s rows in the queue | %s | %s |\n", rows, leases["sqlite/"+rows],
			leases["postgres/"+rows])
	}
	return t.String(), nil
}

func millis(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }

// sink is a receiver that counts deliveries and records their times.
type sink struct {
	*httptest.Server
	n  atomic.Int64
	mu sync.Mutex
	at map[string]time.Time // by slice
}

// newSink starts a sink, which must be closed.
func newSink() *sink {
	k := &sink{at: map[string]time.Time{}}
	k.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		now := time.Now()
		var e struct {
			Data struct{ Slice struct{ ID string } }
		}
		if json.Unmarshal(body, &e) == nil {
			k.mu.Lock()
			k.at[e.Data.Slice.ID] = now
			k.mu.Unlock()
		}
		k.n.Add(1)
		w.WriteHeader(http.StatusNoContent)
	}))
	return k
}

// webhooksOn measures the webhooks of one instance.
func webhooksOn(ctx context.Context, o options, in instance) (r hookRates, err error) {
	o.slices, o.workspaces = 1000, 1
	s, err := startBugslice(ctx, o, in, "--webhook-allow", "127.0.0.1")
	if err != nil {
		return r, err
	}
	defer s.stop()
	workspace, err := s.firstWorkspace()
	if err != nil {
		return r, err
	}
	creations, deliveries := map[hook][]float64{}, map[int][]float64{}
	for range o.rounds {
		for _, h := range []hook{noHook, queuingHook, deliveringHook} {
			rate, err := s.creationRate(ctx, o, workspace, h)
			if err != nil {
				return r, err
			}
			creations[h] = append(creations[h], rate)
		}
		for _, receivers := range []int{1, 4} {
			rate, err := s.deliveryRate(workspace, receivers)
			if err != nil {
				return r, err
			}
			deliveries[receivers] = append(deliveries[receivers], rate)
		}
	}
	r = hookRates{one: median(deliveries[1]), four: median(deliveries[4]), bare: median(creations[noHook]),
		queued: median(creations[queuingHook]), delivers: median(creations[deliveringHook])}
	r.p50, r.p99, err = s.latency(workspace)
	return r, err
}

// median returns the median, and sorts v.
func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// createWebhook creates a webhook of the workspace and returns its path.
func (s *system) createWebhook(workspace, url string, enabled bool) (string, error) {
	m, err := s.call(201, "POST", "/v1/webhooks", map[string]any{"workspaceId": workspace, "url": url,
		"eventTypes": []string{"slice.created"}, "enabled": enabled})
	if err != nil {
		return "", err
	}
	return "/v1/webhooks/" + m["id"].(string), nil
}

func (s *system) remove(path string) error {
	req, err := http.NewRequest(http.MethodDelete, s.url+path, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	res, err := http.DefaultClient.Do(req)
	if err == nil {
		err = res.Body.Close()
	}
	s.waitIdle()
	return err
}

// hook is the webhook of a workspace in which slices are created.
type hook int

const (
	noHook      hook = iota
	queuingHook      // its receiver hangs, so that deliveries are only queued
	deliveringHook
)

// creationRate measures POST /v1/slices in a workspace with a webhook.
func (s *system) creationRate(ctx context.Context, o options, workspace string, h hook) (float64, error) {
	receiver := newSink()
	defer receiver.Close()
	if h == queuingHook {
		hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}))
		defer func() { hangs.CloseClientConnections(); hangs.Close() }()
		receiver.URL = hangs.URL
	}
	if h != noHook {
		path, err := s.createWebhook(workspace, receiver.URL, true)
		if err != nil {
			return 0, err
		}
		defer func() { _ = s.remove(path) }()
	}
	return load(ctx, o.dir, s, s.targets[create16], 16, o.seconds)
}

const burst = 4000 // events in the queue when the deliveries start

// deliveryRate measures how fast a full queue is delivered to a number of receivers, in deliveries a second.
func (s *system) deliveryRate(workspace string, receivers int) (float64, error) {
	var sinks []*sink
	var paths []string
	defer func() {
		for i := range paths {
			_ = s.remove(paths[i])
			sinks[i].Close()
		}
	}()
	for range receivers {
		k := newSink()
		path, err := s.createWebhook(workspace, k.URL, false)
		if err != nil {
			return 0, err
		}
		sinks, paths = append(sinks, k), append(paths, path)
	}
	since := time.Now().UTC().Add(-time.Second).Format(time.RFC3339)
	if err := s.createSlices(burst/receivers, workspace); err != nil {
		return 0, err
	}
	if err := s.postEach(paths, "/enable", nil); err != nil {
		return 0, err
	}
	s.waitIdle()
	begin := time.Now()
	if err := s.postEach(paths, "/recover", map[string]any{"since": since}); err != nil {
		return 0, err
	}
	delivered := int64(0)
	for delivered < burst && time.Since(begin) < time.Minute {
		time.Sleep(time.Millisecond)
		delivered = 0
		for _, k := range sinks {
			delivered += k.n.Load()
		}
	}
	if delivered < burst {
		return 0, fmt.Errorf("%d of %d delivered in a minute", delivered, burst)
	}
	return float64(delivered) / time.Since(begin).Seconds(), nil
}

// postEach posts a body to an action of each webhook.
func (s *system) postEach(webhooks []string, action string, body any) error {
	for _, path := range webhooks {
		if _, err := s.call(200, "POST", path+action, body); err != nil {
			return err
		}
	}
	return nil
}

// latency measures the time from the response of a POST to the arrival of its message, one at a time.
func (s *system) latency(workspace string) (p50, p99 time.Duration, err error) {
	k := newSink()
	defer k.Close()
	path, err := s.createWebhook(workspace, k.URL, true)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = s.remove(path) }()
	answered := map[string]time.Time{}
	const n = 1000
	for i := range n {
		id, err := s.createSlice(slice(workspace, strconv.Itoa(i)))
		if err != nil {
			return 0, 0, err
		}
		answered[id] = time.Now()
		time.Sleep(3 * time.Millisecond)
	}
	for range 1000 {
		if k.n.Load() >= n {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	var took []time.Duration
	for id, at := range answered {
		took = append(took, max(0, k.at[id].Sub(at)))
	}
	slices.Sort(took)
	return took[n/2], took[n*99/100], nil
}

var leaseLine = regexp.MustCompile(`BenchmarkClaim/(\w+)/(\d+)\S*\s+\d+\s+([0-9.]+) ns/op`)

// measureLeases runs the store's own benchmark of leasing a delivery, beside rows of other webhooks.
func measureLeases(ctx context.Context) (map[string]string, error) {
	progress("leases")
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^BenchmarkClaim$", "-benchtime", "500x",
		"-timeout", "20m", "./internal/store")
	cmd.Dir = ".."
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	found := map[string]string{}
	for _, m := range leaseLine.FindAllStringSubmatch(string(out), -1) {
		ns, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			return nil, err
		}
		found[m[1]+"/"+m[2]] = fmt.Sprintf("%.2f ms", ns/1e6)
	}
	if len(found) != 4 {
		return nil, fmt.Errorf("no figures in %s", out)
	}
	return found, nil
}
