package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/output"
	"bugslice/internal/command/tree"
	"bugslice/internal/query"
)

func newView(s *session) *cobra.Command {
	list := listing[api.View]{use: "list", short: "List saved views", args: tree.NoArgs,
		none: "There are no saved views.",
		read: func(ctx context.Context, _ []string, limit int) ([]api.View, error) { return s.views(ctx, limit) },
		columns: func(*session) []output.Column[api.View] {
			return []output.Column[api.View]{
				{Title: "Name", Cell: func(v api.View) output.Cell { return text(v.Name) }},
				{Title: "Query", Flexible: true, Cell: func(v api.View) output.Cell { return text(v.Query) }},
				{Title: "For", Cell: func(v api.View) output.Cell {
					if v.WorkspaceID == nil {
						return text("you")
					}
					return text("workspace")
				}},
				{Title: "Id", Optional: true, Cell: func(v api.View) output.Cell {
					return output.Cell{Text: v.ID,
						Style: output.Dim}
				}},
			}
		}}
	return s.group("view", "Save queries, and list their reports", list.command(s), newViewRun(s), newViewCreate(s),
		newViewDelete(s))
}

func (s *session) views(ctx context.Context, limit int) ([]api.View, error) {
	w, err := s.findWorkspace(ctx)
	if err != nil {
		return nil, err
	}
	return all(ctx, s, api.ListViews{WorkspaceID: deref(w).ID}, limit)
}

// viewNamed returns the view with a name or an id.
func (s *session) viewNamed(ctx context.Context, name string) (view api.View, err error) {
	views, err := s.views(ctx, 0)
	if err != nil {
		return view, err
	}
	var found []query.Match
	for _, v := range views {
		if v.ID == name || strings.EqualFold(v.Name, name) {
			view = v
			found = append(found, query.Match{ID: v.ID, Value: v.ID})
		}
	}
	_, err = theOnly(found, "view", name)
	return view, err
}

func newViewRun(s *session) *cobra.Command {
	f := listFlags{all: true}
	cmd := s.command("run VIEW", "List the reports of a view", argument("view"), func(ctx context.Context,
		args []string) error {
		if err := f.format.Check(); err != nil {
			return err
		}
		view, err := s.viewNamed(ctx, args[0])
		if err != nil {
			return err
		}
		if view.WorkspaceID != nil {
			s.workspaceName = *view.WorkspaceID
		}
		in, err := f.input(ctx, s, view.Query)
		if err != nil {
			return err
		}
		return f.list(ctx, s, in)
	})
	cmd.Flags().IntVarP(&f.limit, "limit", "L", api.DefaultLimit, "how many are listed at most; 0 for all")
	cmd.Flags().BoolVar(&f.compact, "compact", false, "print each report in one line of words, for agents")
	output.Register[api.Slice](&f.format, cmd)
	return cmd
}

func newViewCreate(s *session) *cobra.Command {
	var shared bool
	var format output.Format
	cmd := s.changing(s.command("create NAME QUERY…", "Save a query as a view of yours, or of a workspace", nil,
		func(ctx context.Context, args []string) error {
			if len(args) < 2 {
				return tree.Usagef("a name and a query are required, such as: bugslice view create 'My bugs' " +
					"assignee:me")
			}
			if err := format.Check(); err != nil {
				return err
			}
			in := api.CreateView{Body: api.NewView{ViewFields: api.ViewFields{Name: args[0],
				Query: strings.Join(args[1:], " ")}}}
			if shared {
				w, err := s.workspace(ctx)
				if err != nil {
					return err
				}
				in.Body.WorkspaceID = &w.ID
			}
			view, done, err := change(ctx, s, in)
			if err != nil || !done {
				return err
			}
			return printRecord(ctx, s, &format, view, "Saved the view "+view.Name+".")
		}))
	cmd.Flags().BoolVar(&shared, "shared", false, "for all members of the workspace")
	output.Register[api.View](&format, cmd)
	return cmd
}

func newViewDelete(s *session) *cobra.Command {
	return s.changing(s.command("delete VIEW", "Delete a view", argument("view"), func(ctx context.Context,
		args []string) error {
		view, err := s.viewNamed(ctx, args[0])
		if err != nil {
			return err
		}
		_, done, err := change(ctx, s, api.DeleteView{ViewID: view.ID})
		if err != nil || !done {
			return err
		}
		return s.out.Line(s.out.Out, "Deleted the view %s.", view.Name)
	}))
}
