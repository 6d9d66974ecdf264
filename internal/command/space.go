package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/output"
	"bugslice/internal/command/tree"
)

func countText(n int64, more bool) string {
	if more {
		return fmt.Sprintf("%d+", n)
	}
	return fmt.Sprint(n)
}

func newSpace(s *session) *cobra.Command {
	list := listing[api.Space]{use: "list", short: "List the spaces of a workspace", args: tree.NoArgs,
		none: "It has no spaces.",
		read: func(ctx context.Context, _ []string, limit int) ([]api.Space, error) {
			w, err := s.workspace(ctx)
			if err != nil {
				return nil, err
			}
			return all(ctx, s, api.ListSpaces{WorkspaceID: w.ID}, limit)
		},
		columns: func(*session) []output.Column[api.Space] {
			return []output.Column[api.Space]{
				{Title: "Name", Cell: func(r api.Space) output.Cell { return text(r.Name) }},
				{Title: "Description", Flexible: true,
					Cell: func(r api.Space) output.Cell { return text(deref(r.Description)) }},
				{Title: "Id", Optional: true, Cell: func(r api.Space) output.Cell {
					return output.Cell{Text: r.ID,
						Style: output.Dim}
				}},
			}
		}}
	return s.group("space", "Group reports within a workspace", list.command(s), newSpaceCreate(s), newSpaceEdit(s),
		newSpaceDelete(s))
}

func newSpaceCreate(s *session) *cobra.Command {
	var description string
	var format output.Format
	cmd := s.changing(s.command("create NAME", "Create a space", argument("name"), func(ctx context.Context,
		args []string) error {
		if err := format.Check(); err != nil {
			return err
		}
		w, err := s.workspace(ctx)
		if err != nil {
			return err
		}
		in := api.CreateSpace{WorkspaceID: w.ID, Body: api.SpaceFields{Name: args[0], Description: given(description)}}
		space, done, err := change(ctx, s, in)
		if err != nil || !done {
			return err
		}
		s.forget()
		return printRecord(ctx, s, &format, space, "Created the space "+space.Name+".")
	}))
	cmd.Flags().StringVar(&description, "description", "", "`text` that describes it")
	output.Register[api.Space](&format, cmd)
	return cmd
}

func newSpaceEdit(s *session) *cobra.Command {
	var name, description string
	var format output.Format
	cmd := s.command("edit SPACE", "Change the name or the description of a space", argument("space"), nil)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return failureOf(func() error {
			if err := format.Check(); err != nil {
				return err
			}
			patch := api.SpacePatch{}
			if cmd.Flags().Changed("name") {
				patch = patch.Name(name)
			}
			if cmd.Flags().Changed("description") {
				patch = patch.Description(given(description))
			}
			if len(patch) == 0 {
				return tree.Usagef("--name or --description is required")
			}
			return s.editSpace(cmd.Context(), args[0], patch, &format)
		}())
	}
	cmd.Flags().StringVar(&name, "name", "", "the new `name`")
	cmd.Flags().StringVar(&description, "description", "", "`text` that describes it; an empty one removes it")
	output.Register[api.Space](&format, cmd)
	return s.changing(cmd)
}

func (s *session) editSpace(ctx context.Context, name string, patch api.SpacePatch, format *output.Format) error {
	w, err := s.workspace(ctx)
	if err != nil {
		return err
	}
	id, err := s.spaceID(ctx, w.ID, name)
	if err != nil {
		return err
	}
	space, done, err := change(ctx, s, api.UpdateSpace{WorkspaceID: w.ID, SpaceID: id, Patch: patch})
	if err != nil || !done {
		return err
	}
	s.forget()
	return printRecord(ctx, s, format, space, "Changed the space "+space.Name+".")
}

func newSpaceDelete(s *session) *cobra.Command {
	var yes bool
	cmd := s.changing(s.command("delete SPACE", "Delete a space; its reports stay", argument("space"),
		func(ctx context.Context, args []string) error {
			w, err := s.workspace(ctx)
			if err != nil {
				return err
			}
			id, err := s.spaceID(ctx, w.ID, args[0])
			if err != nil {
				return err
			}
			if !yes && !s.dryRun {
				if err := s.confirm(ctx, "Delete the space "+args[0]+"? Its reports stay."); err != nil {
					return err
				}
			}
			_, done, err := change(ctx, s, api.DeleteSpace{WorkspaceID: w.ID, SpaceID: id})
			if err != nil || !done {
				return err
			}
			s.forget()
			return s.out.Line(s.out.Out, "Deleted the space %s.", args[0])
		}))
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}
