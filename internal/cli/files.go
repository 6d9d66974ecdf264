package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugslice/internal/tracker"
)

func newCollect(env environment, s Streams) *cobra.Command {
	var flags instanceFlags
	var remove, asJSON bool
	cmd := env.command("collect", "Compare the stored files with the records, and delete orphaned files with --remove",
		func(ctx context.Context) error {
			return flags.withFiles(ctx, env, func(in *instance) error {
				report, err := in.operator.CollectFiles(ctx, remove)
				if err != nil {
					return err
				}
				if remove {
					if err := in.operator.RecordCommand(ctx, "admin collect --remove"); err != nil {
						return err
					}
				}
				if asJSON {
					return printJSON(s.Out, report)
				}
				return printFiles(s.Out, report, remove)
			})
		})
	flags.register(cmd)
	cmd.Flags().BoolVar(&remove, "remove", false,
		"delete the files that are unknown to the database and older than 7 days")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// printFiles prints a report of the stored files as a table. removed says that the old unknown files were deleted.
func printFiles(out io.Writer, r tracker.FileReport, removed bool) error {
	row := func(label string, t tracker.Tally) []any {
		oldest := "-"
		if t.Oldest != nil {
			oldest = t.Oldest.Format(time.DateTime)
		}
		return []any{label, t.Files, t.Bytes, oldest}
	}
	rows := [][]any{{"FILES", "COUNT", "BYTES", "OLDEST"},
		row("named by a record", r.Named),
		row("unreferenced, serve deletes them when due", r.Recorded),
		row("unknown, younger than 7 days", r.Young),
		row("unknown, older than 7 days", r.Old)}
	if removed {
		rows = append(rows, row("deleted, of those", r.Removed))
	}
	rows = append(rows, []any{"named by a record, but missing", r.Missing, "-", "-"})
	if err := printTable(out, rows...); err != nil {
		return err
	}
	if len(r.Attachments) > 0 {
		fmt.Fprintf(out, "These attachments lack files: %s.\n", strings.Join(r.Attachments, ", "))
	}
	if !removed && r.Old.Files > 0 {
		fmt.Fprintln(out, "bugslice admin collect --remove deletes the files that are unknown and older than 7 days.")
	}
	return nil
}

func newAdoptFiles(env environment, s Streams) *cobra.Command {
	var flags instanceFlags
	cmd := env.command("adopt-files", "Make the database the owner of its directory or bucket of files",
		func(ctx context.Context) error {
			return flags.withExisting(ctx, env, func(in *instance) error {
				if err := flags.fileError(in.operator.AdoptFiles(ctx)); err != nil {
					return err
				}
				if err := in.operator.RecordCommand(ctx, "admin adopt-files"); err != nil {
					return err
				}
				_, err := fmt.Fprintln(s.Out, "The files belong to this database now.")
				return err
			})
		})
	cmd.Long = `Make the database the owner of its directory or bucket of files.

Files belong to one database, which deletes those that its users delete. Run this command after the files
were moved, or when this database replaces another one: after a restore beside the files, after the
database was copied or moved, or after a standby server was promoted.

The command deletes nothing. The former owner deletes no files from then on: another instance does not
start any more, and a copy of this one serves and reports it. Running servers of this database need no
restart.`
	flags.register(cmd)
	return cmd
}
