package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

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
}

func newStatus(env environment, s Streams) *cobra.Command {
	var flags instanceFlags
	var asJSON bool
	cmd := env.command("status", "Show the sizes, the migration, the backlog of deliveries and the jobs of an instance",
		func(ctx context.Context) error {
			status, err := flags.status(ctx)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(s.Out, status)
			}
			return printStatus(s.Out, status)
		})
	flags.register(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// status reads the state of an existing instance. It changes nothing and migrates nothing. Of a database with an older schema it
// reads the migration only.
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
	status = instanceStatus{Version: version(), Engine: db.Engine()}
	if status.Migrations, err = q.Migrations(); err != nil || status.Migrations.Database < status.Migrations.Program {
		return status, err
	}
	if status.Sizes, err = q.Sizes(); err != nil {
		return status, err
	}
	if status.Backlog, err = q.Backlog(); err != nil {
		return status, err
	}
	status.Jobs, err = q.Jobs()
	return status, err
}

func printStatus(out io.Writer, s instanceStatus) error {
	migration := fmt.Sprintf("%d, current", s.Migrations.Database)
	if s.Migrations.Database < s.Migrations.Program {
		migration = fmt.Sprintf("%d, this program needs %d: run bugslice serve or bugslice migrate",
			s.Migrations.Database, s.Migrations.Program)
	}
	if s.Migrations.Check() != nil {
		migration = fmt.Sprintf("%d, newer than this program, which knows %d", s.Migrations.Database, s.Migrations.Program)
	}
	if s.Migrations.Database == 0 {
		migration = fmt.Sprintf("0, the first start did not finish; this program needs %d: run bugslice serve", s.Migrations.Program)
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
		[]any{"organisations", z.Organizations}, []any{"users", z.Users}, []any{"workspaces", z.Workspaces}, []any{"reports", z.Slices},
		[]any{"events", z.Events}, []any{"files", fmt.Sprintf("%d with %s", z.Attachments, count(z.FileBytes, "byte"))},
		[]any{"deliveries", fmt.Sprintf("%d waiting%s; %d failed", s.Backlog.Waiting, oldest, s.Backlog.Failed)})
	if err := printTable(out, rows...); err != nil {
		return err
	}
	fmt.Fprintln(out)
	jobs := [][]any{{"JOB", "LAST RUN", "NEXT RUN", "LEASED UNTIL", "SUSPENDED SINCE"}}
	for _, j := range s.Jobs {
		jobs = append(jobs, []any{j.Name, orDash(j.LastRunAt), orDash(j.NextRunAt), orDash(j.LeasedUntil), orDash(j.SuspendedAt)})
	}
	return printTable(out, jobs...)
}
