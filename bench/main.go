// Command bench measures Bugslice against PocketBase and against bare net/http, side by side
// in one run: each server on one core in turn, wrk on the other, rounds interleaved, medians.
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
	allCores                   bool // for the server, and not the first alone
}

// parts are the tables, each between its own markers of the document.
var parts = []struct {
	name    string
	measure func(context.Context, options, string) (string, error)
}{{"speed", measure}, {"webhooks", measureWebhooks}, {"evidence", measureEvidence}, {"neighbours", measureNeighbours}}

func main() {
	var o options
	flag.IntVar(&o.slices, "slices", 200_000, "slices to seed")
	flag.IntVar(&o.workspaces, "workspaces", 20, "workspaces they lie in")
	flag.IntVar(&o.rounds, "rounds", 5, "rounds of each scenario; medians are shown")
	flag.DurationVar(&o.seconds, "time", 3*time.Second, "length of a round")
	flag.StringVar(&o.output, "output", "", "document to write the tables into")
	flag.StringVar(&o.only, "only", "", "speed, webhooks, evidence or neighbours; all when left out")
	flag.StringVar(&o.database, "database-url", os.Getenv("BUGSLICE_TEST_POSTGRES"), "PostgreSQL to measure on; started when left out")
	flag.Parse()
	for _, tool := range []string{"wrk", "taskset"} {
		if _, err := exec.LookPath(tool); err != nil {
			fatal(fmt.Errorf("%s is missing; on Debian: apt-get install wrk util-linux", tool))
		}
	}
	if o.database == "" { // again, with a throwaway PostgreSQL around
		args := append([]string{os.Args[0]}, os.Args[1:]...)
		fatal(syscall.Exec("../scripts/with-postgres", append([]string{"with-postgres"}, args...), os.Environ()))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, err := os.MkdirTemp("", "bugslice-bench-")
	fatal(err)
	defer os.RemoveAll(dir)
	for _, p := range parts {
		if o.only != "" && o.only != p.name {
			continue
		}
		report, err := p.measure(ctx, o, dir)
		if err == nil && o.output != "" {
			err = write(o.output, p.name, report)
		}
		if err != nil {
			os.RemoveAll(dir)
			fatal(err)
		}
		fmt.Println(report)
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

// build builds the programs by name.
func build(ctx context.Context, dir string, names ...string) error {
	packages := map[string]string{"bugslice": "bugslice/cmd/bugslice", "bare": "bugslice/bench/bare", "pocketbase": "bugslice/bench/pocketbase"}
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

// measure runs every scenario and returns the tables.
func measure(ctx context.Context, o options, dir string) (string, error) {
	if err := build(ctx, dir, "bugslice", "bare", "pocketbase"); err != nil {
		return "", err
	}
	ours, err := startBugslice(ctx, o, dir, "sqlite", "")
	if err != nil {
		return "", err
	}
	defer ours.stop()
	peer, err := startPocketBase(ctx, o, dir)
	if err != nil {
		return "", err
	}
	defer peer.stop()
	bare, err := startBare(ctx, dir, ours)
	if err != nil {
		return "", err
	}
	defer bare.stop()
	first, err := rounds(ctx, o, dir, []*system{ours, peer, bare})
	if err != nil {
		return "", err
	}
	for _, s := range []*system{ours, peer, bare} {
		s.memory = resident(s.cmd.Process.Pid)
		s.stop()
	}
	pg, err := startBugslice(ctx, o, dir, "postgres", o.database)
	if err != nil {
		return "", err
	}
	defer pg.stop()
	second, err := rounds(ctx, o, dir, []*system{pg})
	if err != nil {
		return "", err
	}
	pg.memory = resident(pg.cmd.Process.Pid)
	return render(o, first, second, ours, peer, bare, pg), nil
}
