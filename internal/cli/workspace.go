package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

func newWorkspace(env environment, s Streams) *cobra.Command {
	return group("workspace", "Workspaces",
		newMembership(env, "add-member", "Make a user a member of a workspace, or change its role there", true),
		newMembership(env, "remove-member", "End a user's membership of a workspace", false),
		newWorkspaceRemove(env, s), newWorkspaceList(env, s))
}

func newWorkspaceRemove(env environment, s Streams) *cobra.Command {
	var p place
	var workspace string
	cmd := &cobra.Command{Use: "remove", Short: "Remove a workspace in which nothing was done but importing into it", Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		if err := ready(cmd, env, "workspace"); err != nil {
			return err
		}
		return p.with(cmd.Context(), env, func(in *instance) error {
			operator, workspaceID, err := in.workspace(cmd.Context(), workspace)
			if err == nil {
				err = operator.RemoveWorkspace(cmd.Context(), workspaceID)
			}
			if err == nil {
				_, err = fmt.Fprintln(s.Out, "removed "+workspaceID)
			}
			return err
		})
	}}
	p.flags(cmd)
	cmd.Flags().StringVar(&workspace, "workspace", "", "id or name of the workspace")
	return cmd
}

func newMembership(env environment, verb, short string, add bool) *cobra.Command {
	var p place
	var workspace, user, role string
	cmd := &cobra.Command{Use: verb, Short: short, Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		if err := ready(cmd, env, "workspace", "user"); err != nil {
			return err
		}
		if role != string(api.RoleMember) && role != string(api.RoleAdmin) {
			return usagef("--role must be member or admin, not %q", role)
		}
		return p.with(cmd.Context(), env, func(in *instance) error {
			operator, workspaceID, err := in.workspace(cmd.Context(), workspace)
			if err != nil {
				return err
			}
			userID, err := in.user(cmd.Context(), user)
			if err != nil {
				return err
			}
			if add {
				return operator.PutMember(cmd.Context(), workspaceID, userID, api.Role(role))
			}
			return operator.RemoveMember(cmd.Context(), workspaceID, userID)
		})
	}}
	p.flags(cmd)
	cmd.Flags().StringVar(&workspace, "workspace", "", "id or name of the workspace")
	cmd.Flags().StringVar(&user, "user", "", "id or e-mail address of the user")
	cmd.Flags().StringVar(&role, "role", "member", "role in the workspace: member or admin")
	if !add {
		_ = cmd.Flags().MarkHidden("role")
	}
	return cmd
}

func newWorkspaceList(env environment, s Streams) *cobra.Command {
	type row struct {
		ID             string `json:"id"`
		Name           string `json:"name"`
		OrganizationID string `json:"organizationId"`
	}
	return newList(env, s, "workspaces", "ID\tNAME\tORGANISATION", func(q store.Queries, o api.OrganizationRef) ([]row, error) {
		var rows []row
		all, err := q.WorkspacesIn(o.ID)
		for _, w := range all {
			rows = append(rows, row{w.ID, w.Name, w.OrganizationID})
		}
		return rows, err
	}, func(r row) []any { return []any{r.ID, r.Name, r.OrganizationID} })
}

// workspace returns the id of a workspace that is named by it, or by a name that no other one
// has, and the operator of its organisation.
func (in *instance) workspace(ctx context.Context, said string) (tracker.OrganizationOperator, string, error) {
	operator, err := in.operator.InOrganizationOf(ctx, said)
	if err == nil || strings.HasPrefix(said, "wsp_") {
		return operator, said, err
	}
	all, err := in.operator.Organizations(ctx)
	if err != nil {
		return operator, "", err
	}
	var called []string
	for _, o := range all {
		workspaces, err := in.store.Read(ctx).WorkspacesIn(o.ID)
		if err != nil {
			return operator, "", err
		}
		for _, w := range workspaces {
			if w.Name == said {
				operator, called = in.operator.In(o), append(called, w.ID)
			}
		}
	}
	switch len(called) {
	case 0:
		return operator, "", fmt.Errorf("there is no workspace %s; bugslice workspace list shows them", said)
	case 1:
		return operator, called[0], nil
	}
	return operator, "", fmt.Errorf("%d workspaces are called %s; say which by its id: %s", len(called), said, strings.Join(called, ", "))
}
