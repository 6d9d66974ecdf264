package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/tree"
	"bugslice/internal/operator"
)

func newWorkspace(env environment, s Streams) *cobra.Command {
	return tree.Group("workspace", "Manage workspaces and their members",
		newMemberAdd(env), newMemberRemove(env), newWorkspaceSet(env), newWorkspaceRemove(env, s),
		newWorkspaceList(env, s))
}

// memberFlags name a workspace and a user.
type memberFlags struct {
	instanceFlags
	workspace, user string
}

func (f *memberFlags) register(cmd *cobra.Command) {
	f.instanceFlags.register(cmd)
	cmd.Flags().StringVar(&f.workspace, "workspace", "", "id or name of the workspace")
	cmd.Flags().StringVar(&f.user, "user", "", "id or e-mail address of the user")
}

// withMember opens an existing instance, finds the workspace and the user, and runs fn with their ids.
func (f *memberFlags) withMember(ctx context.Context, env environment,
	fn func(o operator.Organization, workspaceID, userID string) error,
) error {
	return f.withExisting(ctx, env, func(in *instance) error {
		to, workspaceID, err := in.workspace(ctx, f.workspace)
		if err != nil {
			return err
		}
		userID, err := in.userID(ctx, f.user)
		if err != nil {
			return err
		}
		return fn(to, workspaceID, userID)
	})
}

func newMemberAdd(env environment) *cobra.Command {
	var f memberFlags
	var role string
	cmd := env.command("add-member", "Add a user to a workspace, or change the role of a member",
		func(ctx context.Context) error {
			r, err := parseRole(role)
			if err != nil {
				return err
			}
			return f.withMember(ctx, env, func(o operator.Organization, workspaceID, userID string) error {
				return o.PutMember(ctx, workspaceID, userID, r)
			})
		}, "workspace", "user")
	cmd.Example = "  bugslice admin workspace add-member --workspace Web --user bo@acme.example --role admin"
	f.register(cmd)
	cmd.Flags().StringVar(&role, "role", "member", "role in the workspace: member or admin")
	return cmd
}

func newMemberRemove(env environment) *cobra.Command {
	var f memberFlags
	cmd := env.command("remove-member", "Remove a member from a workspace", func(ctx context.Context) error {
		return f.withMember(ctx, env, func(o operator.Organization, workspaceID, userID string) error {
			return o.RemoveMember(ctx, workspaceID, userID)
		})
	}, "workspace", "user")
	cmd.Example = "  bugslice admin workspace remove-member --workspace Web --user bo@acme.example"
	f.register(cmd)
	return cmd
}

func newWorkspaceSet(env environment) *cobra.Command {
	var flags instanceFlags
	var workspace string
	var keepMetadata bool
	var cmd *cobra.Command
	cmd = env.command("set", "Change a setting of a workspace", func(ctx context.Context) error {
		if !cmd.Flags().Changed("keep-metadata") {
			return errors.New("nothing to change: give --keep-metadata, or --keep-metadata=false")
		}
		return flags.withExisting(ctx, env, func(in *instance) error {
			to, id, err := in.workspace(ctx, workspace)
			if err != nil {
				return err
			}
			return to.UpdateWorkspace(ctx, id, api.WorkspacePatch{"keepFileMetadata": keepMetadata})
		})
	}, "workspace")
	cmd.Example = "  bugslice admin workspace set --workspace Web --keep-metadata"
	flags.register(cmd)
	cmd.Flags().StringVar(&workspace, "workspace", "", "id or name of the workspace")
	cmd.Flags().BoolVar(&keepMetadata, "keep-metadata", false,
		"store pictures and videos with their metadata; =false removes it from new files again")
	return cmd
}

func newWorkspaceRemove(env environment, s Streams) *cobra.Command {
	var flags instanceFlags
	var workspace string
	cmd := env.command("remove", "Delete a workspace that only imports have changed", func(ctx context.Context) error {
		return flags.withExisting(ctx, env, func(in *instance) error {
			to, id, err := in.workspace(ctx, workspace)
			if err != nil {
				return err
			}
			if err := to.RemoveWorkspace(ctx, id); err != nil {
				return err
			}
			_, err = fmt.Fprintln(s.Out, "removed "+id)
			return err
		})
	}, "workspace")
	cmd.Example = "  bugslice admin workspace remove --workspace Web"
	flags.register(cmd)
	cmd.Flags().StringVar(&workspace, "workspace", "", "id or name of the workspace")
	return cmd
}

func newWorkspaceList(env environment, s Streams) *cobra.Command {
	type workspace struct {
		ID             string `json:"id"`
		Key            string `json:"key"`
		Name           string `json:"name"`
		OrganizationID string `json:"organizationId"`
	}
	return listing[workspace]{
		short:   "List the workspaces",
		columns: []any{"ID", "KEY", "NAME", "ORGANISATION"},
		read: func(ctx context.Context, in *instance, o api.OrganizationRef) (workspaces []workspace, err error) {
			records, err := in.store.Read(ctx).WorkspacesIn(o.ID)
			for _, w := range records {
				workspaces = append(workspaces, workspace{w.ID, w.Key, w.Name, w.OrganizationID})
			}
			return workspaces, err
		},
		cells: func(w workspace) []any { return []any{w.ID, w.Key, w.Name, w.OrganizationID} },
	}.command(env, s)
}
