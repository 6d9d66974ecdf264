package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/tracker"
)

func newUser(env environment, s Streams) *cobra.Command {
	return group("user", "Users", newUserAdd(env, s),
		newUserChange(env, s, "disable", "End a user's sessions and personal access tokens at once", func(ctx context.Context, t *tracker.Tracker, id string) (string, error) {
			return "disabled " + id, t.DisableUser(ctx, id)
		}),
		newUserChange(env, s, "enable", "Let a disabled user in again", func(ctx context.Context, t *tracker.Tracker, id string) (string, error) {
			return "enabled " + id, t.EnableUser(ctx, id)
		}),
		newUserChange(env, s, "set-password", "Set a user's password from BUGSLICE_PASSWORD, or a generated one", func(ctx context.Context, t *tracker.Tracker, id string) (string, error) {
			password, err := t.SetPassword(ctx, id, env[envPassword])
			return "password " + password, err
		}))
}

func newUserAdd(env environment, s Streams) *cobra.Command {
	var p place
	var u tracker.NewUser
	var org, role string
	var asJSON bool
	cmd := &cobra.Command{Use: "add", Short: "Add a user to the organisation and to workspaces", Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		if err := ready(cmd, env, "email"); err != nil {
			return err
		}
		if role != string(api.RoleMember) && role != string(api.RoleAdmin) {
			return usagef("--role must be member or admin, not %q", role)
		}
		u.Role, u.Password = api.Role(role), env[envPassword]
		return p.with(cmd.Context(), env, func(in *instance) error {
			c, err := in.operator(cmd.Context(), org, u.Workspaces)
			if err != nil {
				return err
			}
			added, err := in.tracker.AddUser(cmd.Context(), c, u)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(s.Out, added)
			}
			fmt.Fprintf(s.Out, "user      %s\npassword  %s\n", added.UserID, added.Password)
			if added.Token != "" {
				fmt.Fprintf(s.Out, "token     %s\n", added.Token)
			}
			return nil
		})
	}}
	p.flags(cmd)
	personFlags(cmd, &u, &asJSON)
	cmd.Flags().StringVar(&role, "role", "member", "role in the organisation: member or admin")
	cmd.Flags().StringSliceVar(&u.Workspaces, "workspace", nil, "workspace to join as a member; repeatable")
	cmd.Flags().BoolVar(&u.WithToken, "token", false, "mint a PAT with every scope")
	cmd.Flags().StringVar(&org, "org", "", "id of the organisation, where there are several")
	return cmd
}

// operator returns the operator of the organisation that is meant: the one named, the one of
// the workspaces, or the only one.
func (in *instance) operator(ctx context.Context, org string, workspaces []string) (tracker.Caller, error) {
	if org == "" && len(workspaces) > 0 {
		return in.tracker.OperatorOf(ctx, workspaces[0])
	}
	all, err := in.store.Read(ctx).Organizations()
	if err != nil {
		return tracker.Caller{}, err
	}
	for _, o := range all {
		if o.ID == org || org == "" && len(all) == 1 {
			return tracker.Operator(o), nil
		}
	}
	switch {
	case len(all) == 0:
		return tracker.Caller{}, fmt.Errorf("this database has no organisation yet; begin with bugslice bootstrap")
	case org == "":
		return tracker.Caller{}, usagef("this instance has %d organisations; say which with --org", len(all))
	}
	return tracker.Caller{}, fmt.Errorf("there is no organisation %s", org)
}

func newUserChange(env environment, s Streams, verb, short string, change func(context.Context, *tracker.Tracker, string) (string, error)) *cobra.Command {
	var p place
	var userID, email string
	cmd := &cobra.Command{Use: verb, Short: short, Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		if err := ready(cmd, env); err != nil {
			return err
		}
		if (userID == "") == (email == "") {
			return usagef("say who: --user ID or --email ADDRESS")
		}
		return p.with(cmd.Context(), env, func(in *instance) error {
			if email != "" {
				u, err := in.store.Read(cmd.Context()).UserByEmail(email)
				if err != nil {
					return fmt.Errorf("there is no user %s", email)
				}
				userID = u.ID
			}
			done, err := change(cmd.Context(), in.tracker, userID)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(s.Out, done)
			return err
		})
	}}
	p.flags(cmd)
	cmd.Flags().StringVar(&userID, "user", "", "id of the user")
	cmd.Flags().StringVar(&email, "email", "", "e-mail address of the user")
	return cmd
}

func newWorkspace(env environment, s Streams) *cobra.Command {
	return group("workspace", "Workspaces",
		newMembership(env, s, "add-member", "Make a user a member of a workspace, or change its role there", true),
		newMembership(env, s, "remove-member", "End a user's membership of a workspace", false),
		newWorkspaceRemove(env, s))
}

func newWorkspaceRemove(env environment, s Streams) *cobra.Command {
	var p place
	var workspaceID string
	cmd := &cobra.Command{Use: "remove", Short: "Remove a workspace in which nothing was done but importing into it", Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		if err := ready(cmd, env, "workspace"); err != nil {
			return err
		}
		return p.with(cmd.Context(), env, func(in *instance) error {
			c, err := in.tracker.OperatorOf(cmd.Context(), workspaceID)
			if err == nil {
				err = in.tracker.RemoveWorkspace(cmd.Context(), c, workspaceID)
			}
			if err == nil {
				_, err = fmt.Fprintln(s.Out, "removed "+workspaceID)
			}
			return err
		})
	}}
	p.flags(cmd)
	cmd.Flags().StringVar(&workspaceID, "workspace", "", "id of the workspace")
	return cmd
}

func newMembership(env environment, s Streams, verb, short string, add bool) *cobra.Command {
	var p place
	var workspaceID, userID, role string
	cmd := &cobra.Command{Use: verb, Short: short, Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		if err := ready(cmd, env, "workspace", "user"); err != nil {
			return err
		}
		if role != string(api.RoleMember) && role != string(api.RoleAdmin) {
			return usagef("--role must be member or admin, not %q", role)
		}
		return p.with(cmd.Context(), env, func(in *instance) error {
			c, err := in.tracker.OperatorOf(cmd.Context(), workspaceID)
			if err != nil {
				return err
			}
			if add {
				err = in.tracker.PutMember(cmd.Context(), c, workspaceID, userID, api.Role(role))
			} else {
				err = in.tracker.RemoveMember(cmd.Context(), c, workspaceID, userID)
			}
			return err
		})
	}}
	p.flags(cmd)
	cmd.Flags().StringVar(&workspaceID, "workspace", "", "id of the workspace")
	cmd.Flags().StringVar(&userID, "user", "", "id of the user")
	cmd.Flags().StringVar(&role, "role", "member", "role in the workspace: member or admin")
	if !add {
		_ = cmd.Flags().MarkHidden("role")
	}
	_ = s
	return cmd
}
