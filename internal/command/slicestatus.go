package command

import (
	"context"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/output"
	"bugslice/internal/command/tree"
)

// concern is a report that concerns the caller, and why.
type concern struct {
	why    string
	report api.Slice
}

// concerns are the reasons why a report concerns the caller, with their queries.
var concerns = []struct{ why, query string }{{"assigned", "assignee:me"}, {"mentioned", "mentions:me"},
	{"reported", "reporter:me"}}

func newSliceStatus(s *session) *cobra.Command {
	var limit int
	cmd := s.command("status", "List the reports that concern you: assigned to you, mentioning you, and yours",
		tree.NoArgs, func(ctx context.Context, _ []string) error {
			var found []concern
			for _, c := range concerns {
				f := listFlags{limit: limit}
				in, err := f.input(ctx, s, c.query)
				if err != nil {
					return err
				}
				reports, err := f.read(ctx, s, in)
				if err != nil {
					return err
				}
				for _, r := range reports {
					found = append(found, concern{c.why, r})
				}
			}
			return printConcerns(s, found)
		})
	cmd.Flags().IntVarP(&limit, "limit", "L", 10, "how many are listed of each at most; 0 for all")
	return cmd
}

func printConcerns(s *session, found []concern) error {
	if len(found) == 0 && s.out.Terminal {
		s.tell("No report that is open or in progress concerns you.")
		return nil
	}
	columns := []output.Column[concern]{{Title: "You are", Cell: func(c concern) output.Cell {
		return output.Cell{Text: c.why, Style: output.Dim}
	}}}
	for _, c := range sliceColumns(s, nil) {
		if c.Title != "Assignee" {
			columns = append(columns, output.Column[concern]{Title: c.Title, Flexible: c.Flexible, Optional: c.Optional,
				Cell: func(r concern) output.Cell { return c.Cell(r.report) }})
		}
	}
	return output.Table(s.out, found, columns)
}
