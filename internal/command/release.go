package command

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/output"
	"bugslice/internal/command/tree"
)

func newRelease(s *session) *cobra.Command {
	list := listing[api.Release]{use: "list", short: "List the releases of a workspace, the newest first",
		args: tree.NoArgs,
		none: "No report names a release.",
		read: func(ctx context.Context, _ []string, limit int) ([]api.Release, error) {
			w, err := s.workspace(ctx)
			if err != nil {
				return nil, err
			}
			return all(ctx, s, api.ListReleases{WorkspaceID: w.ID}, limit)
		},
		columns: func(s *session) []output.Column[api.Release] {
			count := func(title string, of func(api.Release) int64) output.Column[api.Release] {
				return output.Column[api.Release]{Title: title,
					Cell: func(r api.Release) output.Cell { return text(strconv.FormatInt(of(r), 10)) }}
			}
			seen := func(title string, of func(api.Release) *api.Time) output.Column[api.Release] {
				return output.Column[api.Release]{Title: title, Optional: true, Cell: func(r api.Release) output.Cell {
					if at := of(r); at != nil {
						return output.Cell{Text: s.out.Time(at.Time), Style: output.Dim}
					}
					return text("")
				}}
			}
			return []output.Column[api.Release]{
				{Title: "Release", Flexible: true, Cell: func(r api.Release) output.Cell { return text(r.Name) }},
				count("New", func(r api.Release) int64 { return r.FirstSeenCount }),
				count("Seen", func(r api.Release) int64 { return r.SeenCount }),
				count("Fixed", func(r api.Release) int64 { return r.FixedCount }),
				seen("First seen", func(r api.Release) *api.Time { return r.FirstSeenAt }),
				seen("Last seen", func(r api.Release) *api.Time { return r.LastSeenAt }),
			}
		}}
	return s.group("release", "List releases", list.command(s))
}
