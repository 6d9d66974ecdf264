package command

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/output"
	"bugslice/internal/command/tree"
)

// The values of --sort and --branch of ci tests.
var (
	testSorts    = []string{"failed", "flaky", "newest", "slowest"}
	testBranches = []string{"default", "other"}
)

func newCITests(s *session) *cobra.Command {
	in := api.ListTests{}
	list := listing[api.Test]{use: "tests", short: "List the tests of the last 30 days, those that failed most first",
		args: tree.NoArgs,
		none: "No test has runs like this. bugslice ci report counts them.",
		read: func(ctx context.Context, _ []string, limit int) ([]api.Test, error) {
			if !slices.Contains(testSorts, in.Sort) {
				return nil, tree.Usagef("--sort must be one of %s, not %q", strings.Join(testSorts, ", "), in.Sort)
			}
			if in.Branch != "" && !slices.Contains(testBranches, in.Branch) {
				return nil, tree.Usagef("--branch must be default or other, not %q", in.Branch)
			}
			if _, err := s.client(); err != nil {
				return nil, err
			}
			if !strings.HasPrefix(s.credentials.Token, "svc_wst_") { // whose workspace is the default
				w, err := s.workspace(ctx)
				if err != nil {
					return nil, err
				}
				in.WorkspaceID = w.ID
			}
			return all(ctx, s, in, limit)
		},
		columns: testColumns}
	cmd := list.command(s)
	cmd.Flags().StringVar(&in.Sort, "sort", "failed", "`order`: failed, flaky, newest or slowest")
	cmd.Flags().StringVar(&in.Suite, "suite", "", "list the tests of a `suite`")
	cmd.Flags().StringVar(&in.Branch, "branch", "", "count the runs of these `branches`: default or other; both by default")
	cmd.Flags().Lookup("sort").Annotations = map[string][]string{tree.Choices: testSorts}
	cmd.Flags().Lookup("branch").Annotations = map[string][]string{tree.Choices: testBranches}
	return cmd
}

func testColumns(s *session) []output.Column[api.Test] {
	count := func(title string, of func(api.Test) int64) output.Column[api.Test] {
		return output.Column[api.Test]{Title: title,
			Cell: func(t api.Test) output.Cell { return text(strconv.FormatInt(of(t), 10)) }}
	}
	return []output.Column[api.Test]{
		{Title: "Test", Flexible: true, Cell: func(t api.Test) output.Cell { return text(t.Name) }},
		{Title: "Suite", Flexible: true, Optional: true, Cell: func(t api.Test) output.Cell { return text(t.Suite) }},
		count("Failed", func(t api.Test) int64 { return t.Failed }),
		count("Flaky", func(t api.Test) int64 { return t.Flaky }),
		count("Runs", func(t api.Test) int64 { return t.Runs }),
		{Title: "Time", Optional: true, Cell: func(t api.Test) output.Cell {
			return text(fmt.Sprint(time.Duration(t.AverageMs) * time.Millisecond))
		}},
		{Title: "Report", Cell: func(t api.Test) output.Cell {
			if t.Slice == nil {
				return text("")
			}
			return text(t.Slice.Reference)
		}},
		{Title: "Last run", Optional: true, Cell: func(t api.Test) output.Cell { return s.ago(&t.LastRunAt) }},
	}
}
