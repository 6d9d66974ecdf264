package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Bounds of the measuring of an operation.
const (
	maxRequests      = 200
	maxOperationTime = 10 * time.Second
	warmUp           = 5 // requests that are not counted
)

// request is a request of an operation. A request with a body is not a GET.
type request struct {
	method, path string
	body         any
	status       int
}

// operation is what is measured: requests that its function creates.
type operation struct {
	title  string
	create func(g *generator) request
}

// measureSizes returns the table of the operations on instances of several sizes. It keeps the columns that the
// document has of others.
func measureSizes(ctx context.Context, o options) (string, error) {
	if err := build(ctx, o.dir, "bugslice"); err != nil {
		return "", err
	}
	t, err := readSizeTable(o.output)
	if err != nil {
		return "", err
	}
	for _, text := range strings.Split(o.sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return "", fmt.Errorf("the size %q is not a number", text)
		}
		for _, engine := range []string{"SQLite", "PostgreSQL"} {
			if o.engine != "" && !strings.EqualFold(o.engine, engine) {
				continue
			}
			measured, err := measureSize(ctx, o, engine, n)
			if err != nil {
				return "", fmt.Errorf("%d slices on %s: %w", n, engine, err)
			}
			t.set(fmt.Sprintf("%s, %s", engine, thousands(n)), measured)
			if err := writeSizeTable(o, t); err != nil {
				return "", err
			}
		}
	}
	return t.String(), nil
}

// measureSize measures an instance of a size. With o.keep it fills it only once.
func measureSize(ctx context.Context, o options, engine string, n int) (timings, error) {
	in := instance{name: fmt.Sprintf("sizes-%s-%d", strings.ToLower(engine), n)}
	if engine == "PostgreSQL" {
		database, drop, err := newDatabase(ctx, o, fmt.Sprintf("sizes_%d", n))
		if err != nil {
			return nil, err
		}
		defer drop()
		in.database = database
	}
	s, w, err := serveFilled(ctx, o, in, n)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	if o.fillOnly {
		return nil, nil
	}
	operations, err := s.operations(w)
	if err != nil {
		return nil, err
	}
	begin := loadOf()
	all, err := s.timeOperations(o, in, w, operations)
	if err != nil {
		return nil, err
	}
	browser, err := s.signIn(bootstrapEmail)
	if err != nil {
		return nil, err
	}
	page := operation{"the page of the overview", func(*generator) request {
		return request{"GET", "/overview?workspace=" + w.Key, nil, 200}
	}}
	overview, err := s.timeOperation(browser, &generator{filled: &w}, page)
	if err != nil {
		return nil, err
	}
	first := timing{title: "measured, load of the machine",
		text: fmt.Sprintf("%s, %s to %s", time.Now().UTC().Format(time.DateOnly), begin, loadOf())}
	return slices.Concat(timings{first}, all, timings{overview}), nil
}

// loadOf returns the load of the machine in the last minute.
func loadOf() string {
	text, err := os.ReadFile("/proc/loadavg")
	load, _, found := strings.Cut(string(text), " ")
	if err != nil || !found {
		return "unknown"
	}
	return load
}

// serveFilled serves an instance with n slices, which are in o.workspaces workspaces. With o.keep it fills it only
// once.
func serveFilled(ctx context.Context, o options, in instance, n int) (s *system, w filled, err error) {
	o.allCores = true
	file := filepath.Join(o.dir, in.name+".json")
	var known keptInstance
	text, err := os.ReadFile(file)
	if err == nil && o.keep != "" {
		err = json.Unmarshal(text, &known)
	} else {
		known, err = fillInstance(ctx, o, in, n)
	}
	if err != nil {
		return nil, w, err
	}
	if err := in.vacuum(ctx, o); err != nil {
		return nil, w, err
	}
	if s, err = serveBugslice(ctx, o, in, []string{"--daily-slices", "0", "--workspace-quota", "0"}); err != nil {
		return nil, w, err
	}
	s.token, s.password, s.database = known.First.Token, known.First.Password, in.database
	if err = s.waitIndexed(known.Filled); err == nil && o.keep != "" {
		if text, err = json.Marshal(known); err == nil {
			err = os.WriteFile(file, text, 0o600)
		}
	}
	return s, known.Filled, err
}

// vacuum removes what earlier measurements have left in an instance on PostgreSQL, as PostgreSQL does by itself
// within minutes.
func (in instance) vacuum(ctx context.Context, o options) error {
	if in.database == "" {
		return nil
	}
	f, err := in.filler(ctx, o)
	if err != nil {
		return err
	}
	return errors.Join(f.exec("VACUUM ANALYZE"), f.exec("CHECKPOINT"), f.close())
}

// keptInstance is what is known of an instance that was filled.
type keptInstance struct {
	First  bootstrapped
	Filled filled
}

// fillInstance creates an instance with n slices in o.workspaces workspaces.
func fillInstance(ctx context.Context, o options, in instance, n int) (known keptInstance, err error) {
	if known.First, err = bootstrap(ctx, o, in); err != nil {
		return known, err
	}
	workspaces, err := emptyWorkspaces(ctx, o, in, known.First)
	if err != nil {
		return known, err
	}
	if known.Filled, err = fill(ctx, o, in, workspaces, n); err != nil {
		return known, err
	}
	progress("%s: derive the statistics", in.name)
	if err := bugslice(ctx, o, in, "migrate"); err != nil {
		return known, err
	}
	progress("%s: build the index", in.name)
	if in.database != "" {
		err = indexPostgres(ctx, o, in)
	} else {
		err = bugslice(ctx, o, in, "admin", "reindex")
	}
	progress("%s: filled", in.name)
	return known, err
}

// indexPostgres builds the index of terms on PostgreSQL, with that of GIN after the documents.
func indexPostgres(ctx context.Context, o options, in instance) error {
	f, err := in.filler(ctx, o)
	if err != nil {
		return err
	}
	const table, name = "slice_terms", "slice_terms_by_term"
	statements, err := dropIndexes(f, []string{table})
	if err != nil {
		return err
	}
	const none = "CREATE INDEX " + name + " ON " + table + " USING GIN (terms) WHERE false"
	if err := errors.Join(f.exec(none), bugslice(ctx, o, in, "admin", "reindex"),
		f.exec("DROP INDEX "+name)); err != nil {
		return err
	}
	progress("%s: create %d indexes of the terms", in.name, len(statements))
	for _, statement := range statements {
		if err := f.exec(statement); err != nil {
			return err
		}
	}
	return f.close()
}

// emptyWorkspaces creates further workspaces and returns all. It binds the files of the instance, while no record
// refers to one.
func emptyWorkspaces(ctx context.Context, o options, in instance, first bootstrapped) ([]string, error) {
	s, err := serveBugslice(ctx, o, in, nil)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	s.token = first.Token
	all := []string{first.WorkspaceID}
	for i := 1; i < o.workspaces; i++ {
		w, err := s.call(201, "POST", "/v1/workspaces", map[string]any{"name": fmt.Sprint("w", i)})
		if err != nil {
			return nil, err
		}
		all = append(all, w["id"].(string))
	}
	for _, id := range all {
		if _, err := s.call(200, "PATCH", "/v1/workspaces/"+id,
			map[string]any{"metadataKeys": []string{"customer"}}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// waitIndexed waits until the server has built the index of the slices.
func (s *system) waitIndexed(w filled) error {
	const most = time.Hour
	for begin := time.Now(); time.Since(begin) < most; time.Sleep(time.Second) {
		if _, err := s.call(200, "GET", "/v1/slices?limit=1&status=open&workspaceId="+w.Workspace, nil); err == nil {
			return nil
		}
	}
	return errors.New("the index is not built")
}

// timing is what was measured of an operation: the time of a request, and the processor time of the server and the
// database for it.
type timing struct {
	title                              string
	p50, p95, processor50, processor95 time.Duration
	refused                            int    // with query_too_broad
	text                               string // in place of all
}

type timings []timing

func (t timing) String() string {
	if t.text != "" {
		return t.text
	}
	text := fmt.Sprintf("%s, %s; %s", ms(t.p50), ms(t.p95), ms(t.processor95))
	if t.refused > 0 {
		text += fmt.Sprintf("; %d refused", t.refused)
	}
	return text
}

// ms returns a time in milliseconds, with two digits or more.
func ms(d time.Duration) string {
	if v := float64(d.Microseconds()) / 1000; v < 10 {
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprint(d.Round(time.Millisecond).Milliseconds())
}

func (s *system) timeOperations(o options, in instance, w filled, operations []operation) (all timings, err error) {
	s.waitIdle()
	for _, operation := range operations {
		if !strings.Contains(operation.title, o.match) {
			continue
		}
		seed := fnv.New64a() // of the title: the requests are the same whatever else is measured
		seed.Write([]byte(operation.title))
		g := &generator{Rand: rand.New(rand.NewPCG(26, seed.Sum64())), filled: &w}
		g.zipf.words = rand.NewZipf(g.Rand, 1.1, 8, filledWords-1)
		t, err := s.timeOperation(http.DefaultClient, g, operation)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", operation.title, err)
		}
		progress("%s: %s: %s", in.name, t.title, t)
		all = append(all, t)
	}
	return all, nil
}

// sample is what was measured of one request.
type sample struct {
	took, processor time.Duration
	path            string
	refused         bool
}

// timeOperation sends requests on one connection.
func (s *system) timeOperation(client *http.Client, g *generator, o operation) (timing, error) {
	var all []sample
	processes := s.processes()
	for begin, i := time.Now(), 0; i < maxRequests+warmUp &&
		(i < 4*warmUp || time.Since(begin) < maxOperationTime); i++ {
		one, err := s.timeRequest(client, o.create(g), processes)
		if err != nil {
			return timing{}, err
		}
		if i >= warmUp {
			all = append(all, one)
		}
	}
	t := timing{title: o.title}
	slices.SortFunc(all, func(a, b sample) int { return cmp.Compare(a.took, b.took) })
	t.p50, t.p95 = all[len(all)/2].took, all[len(all)*95/100].took
	slices.SortFunc(all, func(a, b sample) int { return cmp.Compare(a.processor, b.processor) })
	t.processor50, t.processor95 = all[len(all)/2].processor, all[len(all)*95/100].processor
	for i, one := range all {
		if one.refused {
			t.refused++
		}
		if slow := 30 * time.Millisecond; i >= len(all)-3 && one.processor > slow {
			progress("%s: %s of the processor, %s: %s", o.title, ms(one.processor), ms(one.took), one.path)
		}
	}
	return t, nil
}

// timeRequest sends a request and returns the time until the last byte of the response. Only a list may be refused as
// too broad.
func (s *system) timeRequest(client *http.Client, r request, processes []int) (one sample, err error) {
	raw, err := json.Marshal(r.body)
	if err != nil || r.body == nil {
		raw = nil
	}
	q, err := http.NewRequest(r.method, s.url+r.path, bytes.NewReader(raw))
	if err != nil {
		return one, err
	}
	if client == http.DefaultClient { // others have a session
		q.Header.Set("Authorization", "Bearer "+s.token)
	}
	q.Header.Set("Content-Type", "application/json")
	before, begin := processorTime(processes), time.Now()
	res, err := client.Do(q)
	if err != nil {
		return one, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	one = sample{time.Since(begin), processorTime(processes) - before, r.path,
		bytes.Contains(text, []byte("query_too_broad"))}
	if err == nil && res.StatusCode != r.status && !one.refused {
		err = fmt.Errorf("%s %s: %s, want %d: %.300s", r.method, r.path, res.Status, r.status, text)
	}
	return one, err
}
