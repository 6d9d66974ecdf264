package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"bugslice/internal/command/tree"
	"bugslice/internal/store"
)

// instanceStatus is the state of an instance as its database records it.
type instanceStatus struct {
	Version    string           `json:"version"`
	Engine     string           `json:"engine"`
	Migrations store.Migrations `json:"migrations"`
	Sizes      store.Sizes      `json:"sizes"`
	Backlog    store.Backlog    `json:"backlog"`
	Jobs       []store.JobState `json:"jobs"`
	Index      *indexStatus     `json:"index,omitempty"` // nil for a database with an older schema
}

// indexStatus is the state of the index of reports.
type indexStatus struct {
	Percent int64             `json:"percent"` // that is built
	Check   *store.IndexCheck `json:"check"`   // nil unless it was verified
}

func newStatus(env environment, s Streams) *cobra.Command {
	var flags instanceFlags
	var asJSON, verify bool
	cmd := env.command("status", "Show the sizes, the migration, the backlog of deliveries and the jobs of an instance",
		func(ctx context.Context) error {
			if verify {
				flags.progress = s.Err
			}
			status, err := flags.status(ctx)
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(s.Out, status)
			} else {
				err = printStatus(s.Out, status)
			}
			if x := status.Index; err == nil && x != nil && x.Check != nil && x.Check.Faults > 0 {
				err = errors.New("the index of reports has faults: run bugslice admin reindex")
			}
			return err
		})
	flags.register(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().BoolVar(&verify, "verify", false,
		"compare the whole index of reports with the records, and exit with 1 when it has faults")
	return cmd
}

// status reads the state of an existing instance. It changes nothing and migrates nothing. Of a database with an
// older schema it reads the migration only.
func (f *instanceFlags) status(ctx context.Context) (status instanceStatus, err error) {
	if err := f.validate(); err != nil {
		return status, err
	}
	if err := f.requireDatabase(ctx); err != nil {
		return status, err
	}
	db, err := store.Open(f.storeOptions())
	if err != nil {
		return status, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	q := db.Read(ctx)
	status = instanceStatus{Version: tree.Version(Version), Engine: db.Engine()}
	if status.Migrations, err = q.Migrations(); err != nil || status.Migrations.Database < status.Migrations.Program {
		return status, err
	}
	if status.Sizes, err = q.Sizes(); err != nil {
		return status, err
	}
	if status.Backlog, err = q.Backlog(); err != nil {
		return status, err
	}
	if status.Jobs, err = q.Jobs(); err != nil {
		return status, err
	}
	status.Index, err = f.indexStatus(ctx, db)
	return status, err
}

// indexStatus reads the state of the index, and verifies it when progress is shown. One that is being built is not
// verified.
func (f *instanceFlags) indexStatus(ctx context.Context, db *store.Store) (*indexStatus, error) {
	b, err := db.Read(ctx).IndexBuild()
	if err == nil {
		return &indexStatus{Percent: b.Percent()}, nil
	}
	if !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	status := &indexStatus{Percent: 100}
	if f.progress == nil {
		return status, nil
	}
	c, err := checkIndex(ctx, db, f.progress)
	status.Check = &c
	return status, err
}

func (x *indexStatus) String() string {
	switch {
	case x.Percent < 100:
		return fmt.Sprintf("%d %%, it is being built", x.Percent)
	case x.Check == nil:
		return "complete"
	case x.Check.Faults > 0:
		return describeFaults(*x.Check)
	}
	return "complete, and verified with " + count(x.Check.Slices, "report")
}

func describeFaults(c store.IndexCheck) string {
	return fmt.Sprintf("%s in %s: %s", count(c.Faults, "fault"), count(c.Slices, "report"),
		strings.Join(c.Faulty, ", "))
}

func printStatus(out io.Writer, s instanceStatus) error {
	migration := fmt.Sprintf("%d, current", s.Migrations.Database)
	if s.Migrations.Database < s.Migrations.Program {
		migration = fmt.Sprintf("%d, this program needs %d: run bugslice serve or bugslice migrate",
			s.Migrations.Database, s.Migrations.Program)
	}
	if s.Migrations.Check() != nil {
		migration = fmt.Sprintf("%d, newer than this program, which knows %d", s.Migrations.Database,
			s.Migrations.Program)
	}
	if s.Migrations.Database == 0 {
		migration = fmt.Sprintf("0, the first start did not finish; this program needs %d: run bugslice serve",
			s.Migrations.Program)
	}
	rows := [][]any{{"version", s.Version}, {"database", s.Engine}, {"migration", migration}}
	if s.Migrations.Database < s.Migrations.Program {
		return printTable(out, rows...)
	}
	oldest := ""
	if s.Backlog.Oldest != nil {
		oldest = ", the oldest since " + s.Backlog.Oldest.String()
	}
	z := s.Sizes
	rows = append(rows, []any{"database size", count(z.DatabaseBytes, "byte")},
		[]any{"organisations", z.Organizations}, []any{"users", z.Users}, []any{"workspaces", z.Workspaces},
		[]any{"reports", z.Slices},
		[]any{"events", z.Events}, []any{"files", fmt.Sprintf("%d with %s", z.Attachments, count(z.FileBytes, "byte"))},
		[]any{"index of reports", s.Index},
		[]any{"deliveries", fmt.Sprintf("%d waiting%s; %d failed", s.Backlog.Waiting, oldest, s.Backlog.Failed)})
	if err := printTable(out, rows...); err != nil {
		return err
	}
	fmt.Fprintln(out)
	jobs := [][]any{{"JOB", "LAST RUN", "NEXT RUN", "LEASED UNTIL", "SUSPENDED SINCE"}}
	for _, j := range s.Jobs {
		jobs = append(jobs, []any{j.Name, orDash(j.LastRunAt), orDash(j.NextRunAt), orDash(j.LeasedUntil),
			orDash(j.SuspendedAt)})
	}
	return printTable(out, jobs...)
}
