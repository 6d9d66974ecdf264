package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Bounds of the measuring of an operation.
const (
	maxRequests      = 200
	maxOperationTime = 4 * time.Second
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

// measureMillion returns the table of the operations on a workspace with o.million slices.
func measureMillion(ctx context.Context, o options) (string, error) {
	r, err := onDatabases(ctx, o, "million", millionOn)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Measured %s on %s; %d slices in one workspace, at most %d requests of one client for each operation, and %d for the "+
		"page. The server and the client share all cores. PostgreSQL is measured after VACUUM ANALYZE and CHECKPOINT, which it does by "+
		"itself within minutes and half an hour.\n\n",
		time.Now().UTC().Format(time.DateOnly), processor(), o.million, maxRequests, pageRequests)
	b.WriteString("| operation: p50, p95 | SQLite | PostgreSQL |\n|---|---:|---:|\n")
	for i, p := range r.sqlite {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", p.title, p, r.postgres[i])
	}
	return b.String(), nil
}

// millionOn fills an instance and measures it.
func millionOn(ctx context.Context, o options, in instance) (all pageTimes, err error) {
	s, w, err := serveFilled(ctx, o, in, o.million)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	operations, err := s.operations(w)
	if err != nil {
		return nil, err
	}
	if all, err = s.timeOperations(in, w, operations); err != nil {
		return nil, err
	}
	browser, err := s.signIn(bootstrapEmail)
	if err != nil {
		return nil, err
	}
	overview := measuredPage{title: "the page of the overview", status: 200, paths: []string{"/overview?workspace=" + w.key}}
	one, err := s.timePage(browser, overview)
	return append(all, one), err
}

// serveFilled serves an instance with n slices in one workspace.
func serveFilled(ctx context.Context, o options, in instance, n int) (s *system, w filled, err error) {
	o.allCores = true
	first, err := bootstrap(ctx, o, in)
	if err != nil {
		return nil, w, err
	}
	empty, err := serveBugslice(ctx, o, in, nil) // binds its files while no record refers to one
	if err != nil {
		return nil, w, err
	}
	empty.stop()
	if w, err = fill(ctx, o, in, first, n); err != nil {
		return nil, w, err
	}
	progress("%s: derive the statistics", in.name)
	if err := migrate(ctx, o, in); err != nil {
		return nil, w, err
	}
	if in.database != "" {
		f, err := in.filler(ctx, o)
		if err == nil {
			err = errors.Join(f.exec("VACUUM ANALYZE"), f.exec("CHECKPOINT"), f.close())
		}
		if err != nil {
			return nil, w, err
		}
	}
	if s, err = serveBugslice(ctx, o, in, []string{"--daily-slices", "0", "--workspace-quota", "0"}); err == nil {
		s.token, s.password = first.Token, first.Password
		err = s.waitIndexed(w)
	}
	return s, w, err
}

// waitIndexed waits until the server has built the index of the slices.
func (s *system) waitIndexed(w filled) error {
	const most = time.Hour
	for begin := time.Now(); time.Since(begin) < most; time.Sleep(time.Second) {
		_, err := s.call(200, "GET", "/v1/slices?limit=1&status=open&workspaceId="+w.workspace, nil)
		if err == nil {
			progress("the index was built in %s", time.Since(begin).Round(time.Second))
			return nil
		}
	}
	return errors.New("the index is not built")
}

func (s *system) timeOperations(in instance, w filled, operations []operation) (all pageTimes, err error) {
	s.waitIdle()
	for _, o := range operations {
		seed := fnv.New64a() // of the title: the requests are the same whatever else is measured
		seed.Write([]byte(o.title))
		g := &generator{Rand: rand.New(rand.NewPCG(26, seed.Sum64())), filled: &w}
		g.zipf.words = rand.NewZipf(g.Rand, 1.1, 8, filledWords-1)
		t, err := s.timeOperation(g, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.title, err)
		}
		progress("%s: %s: %s", in.name, t.title, t)
		all = append(all, t)
	}
	return all, nil
}

// timeOperation sends requests on one connection.
func (s *system) timeOperation(g *generator, o operation) (pageTime, error) {
	var took []time.Duration
	for begin, i := time.Now(), 0; i < maxRequests+warmUp && (i < 2*warmUp || time.Since(begin) < maxOperationTime); i++ {
		one, err := s.timeRequest(o.create(g))
		if err != nil {
			return pageTime{}, err
		}
		if i >= warmUp {
			took = append(took, one)
		}
	}
	slices.Sort(took)
	return pageTime{o.title, took[len(took)/2], took[len(took)*95/100]}, nil
}

// timeRequest sends a request and returns the time until the last byte of the response.
func (s *system) timeRequest(r request) (time.Duration, error) {
	raw, err := json.Marshal(r.body)
	if err != nil || r.body == nil {
		raw = nil
	}
	q, err := http.NewRequest(r.method, s.url+r.path, bytes.NewReader(raw))
	if err != nil {
		return 0, err
	}
	q.Header.Set("Authorization", "Bearer "+s.token)
	q.Header.Set("Content-Type", "application/json")
	begin := time.Now()
	res, err := http.DefaultClient.Do(q)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != r.status {
		err = fmt.Errorf("%s %s: %s, want %d: %.300s", r.method, r.path, res.Status, r.status, text)
	}
	return time.Since(begin), err
}
