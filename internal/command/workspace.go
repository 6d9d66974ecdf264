package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/output"
	"bugslice/internal/command/tree"
)

func newWorkspace(s *session) *cobra.Command {
	list := listing[api.Workspace]{use: "list", short: "List the workspaces that you see", args: tree.NoArgs,
		none: "You see no workspace. Ask an admin to add you to one.",
		read: func(ctx context.Context, _ []string, limit int) ([]api.Workspace, error) {
			return all(ctx, s, api.ListWorkspaces{}, limit)
		},
		columns: func(s *session) []output.Column[api.Workspace] {
			return []output.Column[api.Workspace]{
				{Title: "Key", Cell: func(w api.Workspace) output.Cell {
					return output.Cell{Text: w.Key,
						Style: output.Cyan}
				}},
				{Title: "Name", Flexible: true, Cell: func(w api.Workspace) output.Cell { return text(w.Name) }},
				{Title: "Id", Optional: true,
					Cell: func(w api.Workspace) output.Cell { return output.Cell{Text: w.ID, Style: output.Dim} }},
			}
		}}
	return s.group("workspace", "List, show and create workspaces", list.command(s), newWorkspaceView(s),
		newWorkspaceCreate(s),
		newMembers(s), newLabels(s))
}

func newWorkspaceView(s *session) *cobra.Command {
	var format output.Format
	cmd := s.command("view [WORKSPACE]", "Show a workspace", atMostOne, func(ctx context.Context, args []string) error {
		if err := format.Check(); err != nil {
			return err
		}
		if len(args) > 0 {
			s.workspaceName = args[0]
		}
		found, err := s.workspace(ctx)
		if err != nil {
			return err
		}
		w, err := call(ctx, s, api.GetWorkspace{WorkspaceID: found.ID})
		if err != nil {
			return err
		}
		if format.IsSet() {
			return format.Print(ctx, s.out, w)
		}
		return s.printPairs([][2]string{{"key", w.Key}, {"name", w.Name}, {"description", deref(w.Description)},
			{"id", w.ID},
			{"time zone", w.TimeZone}, {"metadata", strings.Join(w.MetadataKeys, ", ")}, {"created",
				s.out.Time(w.CreatedAt.Time)}})
	})
	output.Register[api.Workspace](&format, cmd)
	return cmd
}

func newWorkspaceCreate(s *session) *cobra.Command {
	var key, description string
	var format output.Format
	cmd := s.changing(s.command("create NAME", "Create a workspace, of which you become an admin", argument("name"),
		func(ctx context.Context, args []string) error {
			if err := format.Check(); err != nil {
				return err
			}
			in := api.CreateWorkspace{Body: api.WorkspaceFields{Name: args[0], Key: key,
				Description: given(description)}}
			w, done, err := change(ctx, s, in)
			if err != nil || !done {
				return err
			}
			s.forget()
			return printRecord(ctx, s, &format, w, "Created the workspace "+w.Key+" "+w.Name+".")
		}))
	cmd.Flags().StringVar(&key, "key", "", "`key` with which its references begin, such as WEB; made from the "+
		"name by default")
	cmd.Flags().StringVar(&description, "description", "", "`text` that describes it")
	output.Register[api.Workspace](&format, cmd)
	return cmd
}

func newMembers(s *session) *cobra.Command {
	return listing[api.Member]{use: "members", short: "List the members of a workspace", args: tree.NoArgs,
		none: "It has no members.",
		read: func(ctx context.Context, _ []string, limit int) ([]api.Member, error) {
			w, err := s.workspace(ctx)
			if err != nil {
				return nil, err
			}
			return all(ctx, s, api.ListMembers{WorkspaceID: w.ID}, limit)
		},
		columns: func(*session) []output.Column[api.Member] {
			return []output.Column[api.Member]{
				{Title: "Name", Flexible: true, Cell: func(m api.Member) output.Cell { return text(m.Name) }},
				{Title: "E-mail", Cell: func(m api.Member) output.Cell { return text(deref(m.Email)) }},
				{Title: "Role", Cell: func(m api.Member) output.Cell { return text(string(m.Role)) }},
				{Title: "Id", Optional: true, Cell: func(m api.Member) output.Cell {
					return output.Cell{Text: m.UserID, Style: output.Dim}
				}},
			}
		}}.command(s)
}

func newLabels(s *session) *cobra.Command {
	return listing[api.LabelCount]{use: "labels", short: "List the labels of the reports of a workspace",
		args: tree.NoArgs,
		none: "No report has a label.",
		read: func(ctx context.Context, _ []string, limit int) ([]api.LabelCount, error) {
			w, err := s.workspace(ctx)
			if err != nil {
				return nil, err
			}
			return all(ctx, s, api.ListLabels{WorkspaceID: w.ID}, limit)
		},
		columns: func(*session) []output.Column[api.LabelCount] {
			return []output.Column[api.LabelCount]{
				{Title: "Label", Flexible: true, Cell: func(l api.LabelCount) output.Cell { return text(l.Label) }},
				{Title: "Reports", Cell: func(l api.LabelCount) output.Cell {
					return text(countText(l.Count,
						l.More))
				}},
			}
		}}.command(s)
}
