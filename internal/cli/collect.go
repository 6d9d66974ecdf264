package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"bugslice/internal/tracker"
)

func newCollect(env environment, s Streams) *cobra.Command {
	var p place
	var remove, asJSON bool
	cmd := &cobra.Command{Use: "collect", Args: noArgs,
		Short: "List the files and hold them against the records; remove what nothing knows of, with --remove",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := ready(cmd, env); err != nil {
				return err
			}
			return p.withFiles(cmd.Context(), env, func(in *instance) error {
				report, err := in.operator.CollectFiles(cmd.Context(), remove)
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(s.Out, report)
				}
				return printFiles(s.Out, report, remove)
			})
		}}
	p.flags(cmd)
	cmd.Flags().BoolVar(&remove, "remove", false, "remove the files that nothing knows of and that are older than 7 days")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func printFiles(out io.Writer, r tracker.FileReport, removed bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "FILES\tCOUNT\tBYTES\tOLDEST")
	row := func(what string, y tracker.Tally) {
		oldest := "-"
		if y.Oldest != nil {
			oldest = y.Oldest.Format(time.DateTime)
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\n", what, y.Files, y.Bytes, oldest)
	}
	row("named by a record", r.Named)
	row("unreferenced, removed by serve when due", r.Recorded)
	row("unknown, younger than 7 days", r.Young)
	row("unknown, older than 7 days", r.Old)
	if removed {
		row("removed of the last", r.Removed)
	}
	fmt.Fprintf(w, "missing: named by a record, not there\t%d\t-\t-\n", r.Missing)
	if err := w.Flush(); err != nil {
		return err
	}
	if len(r.Attachments) > 0 {
		fmt.Fprintln(out, "Files are missing of "+strings.Join(r.Attachments, ", ")+".")
	}
	if !removed && r.Old.Files > 0 {
		fmt.Fprintln(out, "bugslice collect --remove removes those unknown and older than 7 days.")
	}
	return nil
}

func newAdoptFiles(env environment, s Streams) *cobra.Command {
	var p place
	cmd := &cobra.Command{Use: "adopt-files", Short: "Give the directory or bucket of files to this database on purpose", Args: noArgs,
		Long: `Give the directory or bucket of files to this database on purpose.

Files belong to one database: the one that removes those its people delete. Run this when the files
were moved, or when this database takes the place of another one: after a restore beside the files, a
copy or a move of the database, or the promotion of a standby server. It removes nothing. The database
that owned the files before removes none of them from then on: one of another instance does not start
any more, and a copy of this one serves and says so. A server of this database need not be restarted.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := ready(cmd, env); err != nil {
				return err
			}
			return p.with(cmd.Context(), env, func(in *instance) error {
				err := p.aboutFiles(in.operator.AdoptFiles(cmd.Context()))
				if err == nil {
					_, err = fmt.Fprintln(s.Out, "The files belong to this database now.")
				}
				return err
			})
		}}
	p.flags(cmd)
	return cmd
}
