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
	"strconv"
	"strings"
	"time"
)

// evidenceRates is what is measured of evidence on one database.
type evidenceRates struct {
	filed, plain  float64 // reports a second, with 1 MiB of evidence and without, one after the other
	page          time.Duration
	last          time.Duration
	memory, after int // MiB resident before an upload of 100 MiB and at most during it
	upload        float64
}

func measureEvidence(ctx context.Context, o options, dir string) (string, error) {
	if err := build(ctx, dir, "bugslice"); err != nil {
		return "", err
	}
	rates := map[string]evidenceRates{}
	for name, database := range map[string]string{"sqlite": "", "postgres": o.database} {
		r, err := evidenceOn(ctx, o, dir, name, database)
		if err != nil {
			return "", fmt.Errorf("evidence on %s: %w", name, err)
		}
		progress("%-10s %+v", name, r)
		rates[name] = r
	}
	speeds, err := redactionSpeeds(ctx)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Measured %s on %s; medians. The server has one core.\n\n", time.Now().UTC().Format(time.DateOnly), processor())
	b.WriteString("| evidence | SQLite | PostgreSQL |\n|---|---:|---:|\n")
	row := func(what string, value func(evidenceRates) string) {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", what, value(rates["sqlite"]), value(rates["postgres"]))
	}
	row("filing with 1 MiB of evidence, one client, a second", func(r evidenceRates) string { return fmt.Sprintf("%.1f", r.filed) })
	row("the time of that beside filing without", func(r evidenceRates) string { return fmt.Sprintf("%.0f×", r.plain/r.filed) })
	row("1,000 console rows, in 10 pages", func(r evidenceRates) string { return millis(r.page) })
	row("the last of these pages beside the first", func(r evidenceRates) string { return fmt.Sprintf("%.2f", float64(r.last)/float64(r.page)*10) })
	row("a file of 100 MiB, MiB a second", func(r evidenceRates) string { return fmt.Sprintf("%.0f", r.upload) })
	row("resident memory, before and at most during it, MiB", func(r evidenceRates) string { return fmt.Sprintf("%d, %d", r.memory, r.after) })
	fmt.Fprintf(&b, "\nRedaction on one core: text %s, JSON %s, HAR %s.\n", speeds["Text"], speeds["Body"], speeds["HAR"])
	return b.String(), nil
}

// megabyte is 1 MiB of evidence: 1,000 rows of a console and a HAR.
func megabyte() map[string]any {
	var console, entries []any
	for i := range 1000 {
		console = append(console, map[string]any{"level": "error", "timestamp": "2026-11-20T10:00:00Z", "message": fmt.Sprintf("TypeError: cart.total is undefined (%d) after token=9b74c9897bac770ffc029102a200c5de", i),
			"stack": strings.Repeat("    at checkout (https://shop.example.com/assets/checkout.js:42:17)\n", 4)})
	}
	for i := range 500 {
		entries = append(entries, map[string]any{"startedDateTime": "2026-11-20T10:00:00Z", "time": 12, "request": map[string]any{"method": "POST", "url": fmt.Sprintf("https://shop.example.com/api/items/%d?access_token=0123456789", i),
			"headers": []any{map[string]any{"name": "Authorization", "value": "Bearer abcdef0123456789"}, map[string]any{"name": "Accept", "value": "application/json"}}, "postData": map[string]any{"mimeType": "application/json", "text": `{"password":"hunter2","items":[1,2,3]}`}},
			"response": map[string]any{"status": 200, "content": map[string]any{"mimeType": "application/json", "text": strings.Repeat(`{"id":4711,"name":"Kettle"}`, 20)}}})
	}
	return map[string]any{"console": console, "network": map[string]any{"log": map[string]any{"version": "1.2", "creator": map[string]any{"name": "b", "version": "1"}, "entries": entries}}}
}

func evidenceOn(ctx context.Context, o options, dir, name, database string) (r evidenceRates, err error) {
	o.slices, o.workspaces = 200, 1
	s, err := startBugslice(ctx, o, dir, "evidence-"+name, database)
	if err != nil {
		return r, err
	}
	defer s.stop()
	me, err := s.call(200, "GET", "/v1/workspaces", nil)
	if err != nil {
		return r, err
	}
	workspace := me["data"].([]any)[0].(map[string]any)["id"].(string)
	plain, full := slice(workspace, "1"), slice(workspace, "2")
	full["evidence"] = megabyte()
	raw, err := json.Marshal(full)
	if err != nil {
		return r, err
	}
	progress("%s: a report of %d KiB", name, len(raw)>>10)
	id := ""
	rate := func(body any, n int) (float64, error) {
		var each []float64
		for range n {
			begin := time.Now()
			m, err := s.call(201, "POST", "/v1/slices", body)
			if err != nil {
				return 0, err
			}
			id = m["id"].(string)
			each = append(each, 1/time.Since(begin).Seconds())
		}
		return median(each), nil
	}
	if r.plain, err = rate(plain, 200); err != nil {
		return r, err
	}
	if r.filed, err = rate(json.RawMessage(raw), 30); err != nil {
		return r, err
	}
	var whole, last []float64
	for range 10 {
		begin, at, rows := time.Now(), time.Now(), 0
		if err := s.walk("/v1/slices/"+id+"/console?limit=100", func(page []any, _ string) {
			rows += len(page)
			last = append(last, float64(time.Since(at)))
			at = time.Now()
		}); err != nil {
			return r, err
		}
		if rows != 1000 {
			return r, fmt.Errorf("%d rows", rows)
		}
		whole = append(whole, float64(time.Since(begin)))
	}
	var tails []float64
	for i := 9; i < len(last); i += 10 {
		tails = append(tails, last[i])
	}
	r.page, r.last = time.Duration(median(whole)), time.Duration(median(tails))
	r.memory, _ = strconv.Atoi(resident(s.cmd.Process.Pid))
	r.upload, r.after, err = s.large(id)
	return r, err
}

// large uploads 100 MiB and returns MiB a second, and how much memory the server took at most.
func (s *system) large(id string) (rate float64, most int, err error) {
	const size = 100 << 20
	done := make(chan struct{})
	watched := make(chan int)
	go func() {
		peak := 0
		for {
			select {
			case <-done:
				watched <- peak
				return
			case <-time.After(20 * time.Millisecond):
				now, _ := strconv.Atoi(resident(s.cmd.Process.Pid))
				peak = max(peak, now)
			}
		}
	}()
	req, err := http.NewRequest(http.MethodPost, s.url+"/v1/slices/"+id+"/attachments?name=large.bin", io.LimitReader(rand.NewChaCha8([32]byte{7}), size))
	if err != nil {
		return 0, 0, err
	}
	req.ContentLength = size
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/octet-stream")
	begin := time.Now()
	res, err := http.DefaultClient.Do(req)
	took := time.Since(begin)
	close(done)
	most = <-watched
	if err != nil {
		return 0, most, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusCreated {
		text, _ := io.ReadAll(res.Body)
		return 0, most, fmt.Errorf("%d %s", res.StatusCode, bytes.TrimSpace(text))
	}
	return size / float64(1<<20) / took.Seconds(), most, nil
}

var speedLine = regexp.MustCompile(`Benchmark(Text|Body|HAR)\S*\s.*?([0-9.]+ MB/s)`)

func redactionSpeeds(ctx context.Context) (map[string]string, error) {
	binary := filepath.Join(os.TempDir(), fmt.Sprintf("redact-%d.test", os.Getpid()))
	defer os.Remove(binary)
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-o", binary, "./internal/redact")
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	cmd = exec.CommandContext(ctx, "taskset", "-c", "0", binary, "-test.run", "^$", "-test.bench", ".", "-test.benchtime", "3s")
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
