package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

func newUser(env environment, s Streams) *cobra.Command {
	return group("user", "Users", newUserAdd(env, s),
		newUserChange(env, s, "disable", "End a user's sessions and personal access tokens at once", func(ctx context.Context, o *tracker.Operator, id string) (string, error) {
			return "disabled " + id, o.DisableUser(ctx, id)
		}),
		newUserChange(env, s, "enable", "Let a disabled user in again", func(ctx context.Context, o *tracker.Operator, id string) (string, error) {
			return "enabled " + id, o.EnableUser(ctx, id)
		}),
		newUserChange(env, s, "set-password", "Set a user's password from BUGSLICE_PASSWORD, or a generated one", func(ctx context.Context, o *tracker.Operator, id string) (string, error) {
			password, err := o.SetPassword(ctx, id, env[envPassword])
			return "password " + password, err
		}), newUserList(env, s))
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
			operator, err := in.operatorFor(cmd.Context(), org, u.Workspaces)
			if err != nil {
				return err
			}
			added, err := operator.AddUser(cmd.Context(), u)
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

// operatorFor returns the operator of the organisation that is meant: the one named, the one of
// the workspaces, or the only one.
func (in *instance) operatorFor(ctx context.Context, org string, workspaces []string) (none tracker.OrganizationOperator, err error) {
	if org == "" && len(workspaces) > 0 {
		return in.operator.InOrganizationOf(ctx, workspaces[0])
	}
	all, err := in.operator.Organizations(ctx)
	if err != nil {
		return none, err
	}
	for _, o := range all {
		if o.ID == org || org == "" && len(all) == 1 {
			return in.operator.In(o), nil
		}
	}
	switch {
	case len(all) == 0:
		return none, fmt.Errorf("this database has no organisation yet; begin with bugslice bootstrap")
	case org == "":
		return none, usagef("this instance has %d organisations; say which with --org", len(all))
	}
	return none, fmt.Errorf("there is no organisation %s", org)
}

// user returns the id of a user who is named by it, or by an e-mail address.
func (in *instance) user(ctx context.Context, said string) (string, error) {
	if !strings.Contains(said, "@") {
		return said, nil
	}
	u, err := in.store.Read(ctx).UserByEmail(strings.ToLower(strings.TrimSpace(said)))
	if errors.Is(err, store.ErrNotFound) {
		err = fmt.Errorf("there is no user %s; bugslice user list shows them", said)
	}
	return u.ID, err
}

func newUserList(env environment, s Streams) *cobra.Command {
	type row struct {
		ID             string    `json:"id"`
		Email          string    `json:"email"`
		Name           string    `json:"name"`
		Role           api.Role  `json:"role"`
		OrganizationID string    `json:"organizationId"`
		DisabledAt     *api.Time `json:"disabledAt"`
	}
	return newList(env, s, "users", "ID\tE-MAIL\tNAME\tROLE\tORGANISATION\tDISABLED", func(q store.Queries, o api.OrganizationRef) ([]row, error) {
		var rows []row
		all, err := q.Users(o.ID)
		for _, u := range all {
			rows = append(rows, row{u.ID, u.Email, u.Name, u.Role, u.OrgID, u.DisabledAt})
		}
		return rows, err
	}, func(r row) []any {
		disabled := "-"
		if r.DisabledAt != nil {
			disabled = r.DisabledAt.String()
		}
		return []any{r.ID, r.Email, r.Name, r.Role, r.OrganizationID, disabled}
	})
}

func newUserChange(env environment, s Streams, verb, short string, change func(context.Context, *tracker.Operator, string) (string, error)) *cobra.Command {
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
			who, err := in.user(cmd.Context(), userID+email)
			if err != nil {
				return err
			}
			done, err := change(cmd.Context(), in.operator, who)
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
