package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/store"
)

// newList is a command that lists what the organisations have, as aligned text or as JSON.
func newList[T any](env environment, s Streams, what, head string, read func(store.Queries, api.OrganizationRef) ([]T, error), cells func(T) []any) *cobra.Command {
	var p place
	var org string
	var asJSON bool
	cmd := &cobra.Command{Use: "list", Short: "List the " + what, Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		if err := ready(cmd, env); err != nil {
			return err
		}
		return p.with(cmd.Context(), env, func(in *instance) error {
			q := in.store.Read(cmd.Context())
			all, err := q.Organizations()
			if err != nil {
				return err
			}
			rows, known := []T{}, org == ""
			for _, o := range all {
				if org != "" && o.ID != org {
					continue
				}
				known = true
				more, err := read(q, o)
				if err != nil {
					return err
				}
				rows = append(rows, more...)
			}
			if !known {
				return fmt.Errorf("there is no organisation %s; bugslice org list shows them", org)
			}
			if asJSON {
				return printJSON(s.Out, rows)
			}
			w := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, head)
			for _, r := range rows {
				var line []string
				for _, cell := range cells(r) {
					line = append(line, printable(fmt.Sprint(cell)))
				}
				fmt.Fprintln(w, strings.Join(line, "\t"))
			}
			return w.Flush()
		})
	}}
	p.flags(cmd)
	cmd.Flags().StringVar(&org, "org", "", "only those of the organisation with this id")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	return cmd
}

// printable keeps what others wrote from moving the cursor of a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}
