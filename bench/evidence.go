package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// evidenceRates is what is measured of evidence on one database.
type evidenceRates struct {
	filed, plain float64       // reports a second of one client, with 1 MiB of evidence and without
	page, last   time.Duration // to read 1,000 rows in 10 pages, and the last of the pages
	memory, peak int           // MiB resident before an upload of 100 MiB, and at most during it
	upload       float64       // MiB a second
}

// measureEvidence returns the table of evidence.
func measureEvidence(ctx context.Context, o options) (string, error) {
	r, err := onDatabases(ctx, o, "evidence", evidenceOn)
	if err != nil {
		return "", err
	}
	speeds, err := redactionSpeeds(ctx)
	if err != nil {
		return "", err
	}
	t := newTable(r, "medians. The server has one core.", "evidence")
	t.row("filing with 1 MiB of evidence, one client, a second",
		func(r evidenceRates) string { return fmt.Sprintf("%.1f", r.filed) })
	t.row("the time of that beside filing without",
		func(r evidenceRates) string { return fmt.Sprintf("%.0f×", r.plain/r.filed) })
	t.row("1,000 console rows, in 10 pages", func(r evidenceRates) string { return millis(r.page) })
	t.row("the last of these pages beside the first", func(r evidenceRates) string {
		return fmt.Sprintf("%.2f", float64(r.last)/float64(r.page)*10)
	})
	t.row("a file of 100 MiB, MiB a second", func(r evidenceRates) string { return fmt.Sprintf("%.0f", r.upload) })
	t.row("resident memory, before and at most during it, MiB", func(r evidenceRates) string {
		return fmt.Sprintf("%d, %d", r.memory, r.peak)
	})
	fmt.Fprintf(t, "\nRedaction on one core: text %s, JSON %s, HAR %s.\n", speeds["Text"], speeds["Body"],
		speeds["HAR"])
	return t.String(), nil
}

// evidence is 1 MiB of it: 1,000 rows of a console and a HAR of 500 entries.
func evidence() map[string]any {
	var console, entries []any
	for i := range 1000 {
		console = append(console, map[string]any{"level": "error", "timestamp": "2026-11-20T10:00:00Z",
			"message": fmt.Sprintf("TypeError: cart.total is undefined (%d) after token=9b74c9897bac770ffc029102a200c5de", i),
			"stack":   strings.Repeat("    at checkout (https://shop.example.com/assets/checkout.js:42:17)\n", 4)})
	}
	for i := range 500 {
		entries = append(entries, map[string]any{"startedDateTime": "2026-11-20T10:00:00Z", "time": 12,
			"request": map[string]any{"method": "POST",
				"url": fmt.Sprintf("https://shop.example.com/api/items/%d?access_token=0123456789", i),
				"headers": []any{header("Authorization", "Bearer abcdef0123456789"),
					header("Accept", "application/json")},
				"postData": map[string]any{"mimeType": "application/json",
					"text": `{"password":"hunter2","items":[1,2,3]}`}},
			"response": map[string]any{"status": 200, "content": map[string]any{"mimeType": "application/json",
				"text": strings.Repeat(`{"id":4711,"name":"Kettle"}`, 20)}}})
	}
	har := map[string]any{"version": "1.2", "creator": map[string]any{"name": "b", "version": "1"}, "entries": entries}
	return map[string]any{"console": console, "network": map[string]any{"log": har}}
}

func header(name, value string) map[string]any { return map[string]any{"name": name, "value": value} }

// evidenceOn measures the filing and the reading of evidence on one instance.
func evidenceOn(ctx context.Context, o options, in instance) (r evidenceRates, err error) {
	o.slices, o.workspaces = 200, 1
	s, err := startBugslice(ctx, o, in)
	if err != nil {
		return r, err
	}
	defer s.stop()
	workspace, err := s.firstWorkspace()
	if err != nil {
		return r, err
	}
	full := slice(workspace, "2")
	full["evidence"] = evidence()
	raw, err := json.Marshal(full)
	if err != nil {
		return r, err
	}
	progress("%s: a report of %d KiB", in.name, len(raw)>>10)
	if r.plain, _, err = s.createRate(slice(workspace, "1"), 200); err != nil {
		return r, err
	}
	var id string
	if r.filed, id, err = s.createRate(json.RawMessage(raw), 30); err != nil {
		return r, err
	}
	if r.page, r.last, err = s.readRows(id); err != nil {
		return r, err
	}
	r.memory = s.resident()
	r.upload, r.peak, err = s.uploadLarge(id)
	return r, err
}

// createRate creates n slices with one client, and returns the median rate and the id of the last one.
func (s *system) createRate(body any, n int) (rate float64, id string, err error) {
	var rates []float64
	for range n {
		begin := time.Now()
		m, err := s.call(201, "POST", "/v1/slices", body)
		if err != nil {
			return 0, "", err
		}
		id = m["id"].(string)
		rates = append(rates, 1/time.Since(begin).Seconds())
	}
	return median(rates), id, nil
}

// readRows reads the 1,000 rows of a console, and returns the median times of all pages and of the last one.
func (s *system) readRows(id string) (all, last time.Duration, err error) {
	var totals, lasts []float64
	for range 10 {
		begin, rows := time.Now(), 0
		pageBegin, pageTime := begin, time.Duration(0)
		err := s.forEachPage("/v1/slices/"+id+"/console?limit=100", func(page []any, _ string) {
			rows += len(page)
			pageTime, pageBegin = time.Since(pageBegin), time.Now()
		})
		if err != nil {
			return 0, 0, err
		}
		if rows != 1000 {
			return 0, 0, fmt.Errorf("%d rows, want 1000", rows)
		}
		totals, lasts = append(totals, float64(time.Since(begin))), append(lasts, float64(pageTime))
	}
	return time.Duration(median(totals)), time.Duration(median(lasts)), nil
}

// uploadLarge uploads 100 MiB and returns the rate in MiB a second and the peak memory of the server.
func (s *system) uploadLarge(id string) (rate float64, peak int, err error) {
	const size = 100 << 20
	body := io.LimitReader(rand.NewChaCha8([32]byte{7}), size)
	req, err := http.NewRequest(http.MethodPost, s.url+"/v1/slices/"+id+"/attachments?name=large.bin", body)
	if err != nil {
		return 0, 0, err
	}
	req.ContentLength = size
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/octet-stream")
	stop := s.watchMemory()
	begin := time.Now()
	res, err := http.DefaultClient.Do(req)
	took := time.Since(begin)
	peak = stop()
	if err != nil {
		return 0, peak, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusCreated {
		text, _ := io.ReadAll(res.Body)
		return 0, peak, fmt.Errorf("%d %s", res.StatusCode, bytes.TrimSpace(text))
	}
	return size / float64(1<<20) / took.Seconds(), peak, nil
}

// watchMemory samples the resident memory of a server until stop, which returns the peak.
func (s *system) watchMemory() (stop func() int) {
	done, result := make(chan struct{}), make(chan int)
	go func() {
		peak := 0
		for {
			select {
			case <-done:
				result <- peak
				return
			case <-time.After(20 * time.Millisecond):
				peak = max(peak, s.resident())
			}
		}
	}()
	return func() int {
		close(done)
		return <-result
	}
}

var speedLine = regexp.MustCompile(`Benchmark(Text|Body|HAR)\S*\s.*?([0-9.]+ MB/s)`)

// redactionSpeeds runs the benchmarks of package redact on one core, and returns their rates by name.
func redactionSpeeds(ctx context.Context) (map[string]string, error) {
	binary := filepath.Join(os.TempDir(), fmt.Sprintf("redact-%d.test", os.Getpid()))
	defer os.Remove(binary)
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-o", binary, "./internal/redact")
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	cmd = exec.CommandContext(ctx, "taskset", "-c", "0", binary, "-test.run", "^$", "-test.bench", ".",
		"-test.benchtime", "3s")
	cmd.Dir = "../internal/redact"
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	found := map[string]string{}
	for _, m := range speedLine.FindAllStringSubmatch(string(out), -1) {
		found[m[1]] = m[2]
	}
	if len(found) != 3 {
		return nil, fmt.Errorf("no figures in %s", out)
	}
	return found, nil
}
