// Command bench measures Bugslice beside PocketBase and bare net/http in one run: each server on one core in turn,
// wrk on the other, with interleaved rounds and medians.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

type options struct {
	slices, workspaces, rounds int
	seconds                    time.Duration
	output, database, only     string
	sizes, engine, match, keep string // of the part sizes
	fillOnly                   bool
	dir                        string // of programs and data
	allCores                   bool   // for the server, instead of the first only
}

// parts are the tables, each between markers of its own in the document.
var parts = []struct {
	name    string
	measure func(context.Context, options) (string, error)
}{{"speed", measureSpeed}, {"webhooks", measureWebhooks}, {"evidence", measureEvidence},
	{"neighbours", measureNeighbours},
	{"pages", measurePages}, {"live", measureLive}, {"sizes", measureSizes}}

// postgresSettings are those that docs/operations.md recommends for large workspaces.
const postgresSettings = "shared_buffers = 2GB\nmin_wal_size = 2GB\nmax_wal_size = 8GB\ncheckpoint_timeout = 30min\nwal_compression = lz4"

func main() {
	var o options
	flag.IntVar(&o.slices, "slices", 200_000, "slices to create")
	flag.StringVar(&o.sizes, "sizes", "200000,1000000,10000000", "slices of the instances of the part sizes")
	flag.StringVar(&o.engine, "engine", "", "SQLite or PostgreSQL in the part sizes; both when empty")
	flag.StringVar(&o.match, "match", "", "part of the titles of the operations of the part sizes that are measured")
	flag.StringVar(&o.keep, "keep", "", "directory of the instances of the part sizes, which are filled once; a temporary one when empty")
	flag.BoolVar(&o.fillOnly, "fill", false, "fill the instances of the part sizes, and measure nothing")
	flag.IntVar(&o.workspaces, "workspaces", 20, "workspaces of the slices")
	flag.IntVar(&o.rounds, "rounds", 5, "rounds of each scenario; the report has medians")
	flag.DurationVar(&o.seconds, "time", 3*time.Second, "length of a round")
	flag.StringVar(&o.output, "output", "", "document that gets the tables")
	flag.StringVar(&o.only, "only", "", "speed, webhooks, evidence, neighbours, pages, live or sizes; all when empty")
	flag.StringVar(&o.database, "database-url", os.Getenv("BUGSLICE_TEST_POSTGRES"),
		"PostgreSQL to measure on; a temporary one when empty")
	flag.Parse()
	for _, tool := range []string{"wrk", "taskset", "psql"} {
		if _, err := exec.LookPath(tool); err != nil {
			fatal(fmt.Errorf("%s is missing; on Debian: apt-get install wrk util-linux postgresql-client", tool))
		}
	}
	if o.database == "" { // start again under a temporary PostgreSQL
		args := append([]string{os.Args[0]}, os.Args[1:]...)
		environment := append(os.Environ(), "BUGSLICE_TEST_POSTGRES_SETTINGS="+postgresSettings)
		fatal(syscall.Exec("../scripts/with-postgres", append([]string{"with-postgres"}, args...), environment))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	o.dir, err = directory(o)
	fatal(err)
	defer removeDirectory(o)
	for _, p := range parts {
		if o.only != "" && o.only != p.name {
			continue
		}
		report, err := p.measure(ctx, o)
		if err == nil && o.output != "" {
			err = write(o.output, p.name, report)
		}
		if err != nil {
			removeDirectory(o)
			fatal(err)
		}
		fmt.Println(report)
	}
}

// directory returns the directory of programs and data.
func directory(o options) (string, error) {
	if o.keep != "" {
		return o.keep, os.MkdirAll(o.keep, 0o700)
	}
	return os.MkdirTemp("", "bugslice-bench-")
}

func removeDirectory(o options) {
	if o.keep == "" {
		_ = os.RemoveAll(o.dir)
	}
}

func fatal(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format("15:04:05 ")+format+"\n", args...)
}

var packages = map[string]string{
	"bugslice":   "./cmd/bugslice",
	"bare":       "./bare",
	"pocketbase": "./pocketbase",
}

// build builds programs into a directory.
func build(ctx context.Context, dir string, names ...string) error {
	for _, name := range names {
		progress("build %s", name)
		cmd := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(dir, name), packages[name])
		if name == "bugslice" {
			cmd.Dir = ".."
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", name, err, out)
		}
	}
	return nil
}

// measureSpeed runs every scenario and returns the tables.
func measureSpeed(ctx context.Context, o options) (string, error) {
	if err := build(ctx, o.dir, "bugslice", "bare", "pocketbase"); err != nil {
		return "", err
	}
	ours, err := startBugslice(ctx, o, instance{"sqlite", ""})
	if err != nil {
		return "", err
	}
	defer ours.stop()
	peer, err := startPocketBase(ctx, o)
	if err != nil {
		return "", err
	}
	defer peer.stop()
	bare, err := startBare(ctx, o.dir, ours)
	if err != nil {
		return "", err
	}
	defer bare.stop()
	first, err := rounds(ctx, o, []*system{ours, peer, bare})
	if err != nil {
		return "", err
	}
	for _, s := range []*system{ours, peer, bare} {
		s.memory = s.resident()
		s.stop()
	}
	database, drop, err := newDatabase(ctx, o, "speed")
	if err != nil {
		return "", err
	}
	defer drop()
	pg, err := startBugslice(ctx, o, instance{"postgres", database})
	if err != nil {
		return "", err
	}
	defer pg.stop()
	second, err := rounds(ctx, o, []*system{pg})
	if err != nil {
		return "", err
	}
	pg.memory = pg.resident()
	return render(o, []results{first, second}, ours, peer, bare, pg), nil
}
