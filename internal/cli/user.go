package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/tree"
	"bugslice/internal/operator"
)

func newUser(env environment, s Streams) *cobra.Command {
	return tree.Group("user", "Manage users", newUserAdd(env, s), newUserList(env, s),
		userChange{"disable",
			"Disable a user: sessions and keys of programs end; other tokens are refused until it is enabled",
			func(ctx context.Context, in *instance, userID string) (string, error) {
				return "disabled " + userID, in.operator.DisableUser(ctx, userID)
			}}.command(env, s),
		userChange{"enable", "Enable a user who was disabled",
			func(ctx context.Context, in *instance, userID string) (string, error) {
				return "enabled " + userID, in.operator.EnableUser(ctx, userID)
			}}.command(env, s),
		userChange{"set-password", "Set a user's password to BUGSLICE_PASSWORD, or to a generated one",
			func(ctx context.Context, in *instance, userID string) (string, error) {
				set, err := in.operator.SetPassword(ctx, userID, env[envPassword])
				text := "password " + set.Text
				if set.Limited {
					text += "\n\nThe organisation signs in at its provider alone. This password opens the account for " +
						"24 hours all the same, for sessions that end then. Switch passwords on in the settings of the organisation, " +
						"under Sign-in."
				}
				return text, err
			}}.command(env, s),
		userChange{"remove-factors",
			"Remove a user's second factors: passkeys, authenticator app and recovery codes; sessions end",
			func(ctx context.Context, in *instance, userID string) (string, error) {
				return "removed the second factors of " + userID, in.operator.RemoveFactors(ctx, userID)
			}}.command(env, s),
		newUserResetLink(env, s), newUserErase(env, s))
}

func newUserAdd(env environment, s Streams) *cobra.Command {
	var flags instanceFlags
	var u operator.NewUser
	var org, role string
	var asJSON bool
	cmd := env.command("add", "Create a user in an organisation, and add the user to workspaces",
		func(ctx context.Context) (err error) {
			if u.Role, err = parseRole(role); err != nil {
				return err
			}
			u.Password = env[envPassword]
			return flags.withExisting(ctx, env, func(in *instance) error {
				to, workspaces, err := in.operatorFor(ctx, org, u.Workspaces)
				if err != nil {
					return err
				}
				u.Workspaces = workspaces
				added, err := to.AddUser(ctx, u)
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(s.Out, added)
				}
				return printCredentials(s.Out,
					[][2]string{{"user", added.UserID}, {"password", added.Password}, {"token", added.Token}})
			})
		}, "email")
	cmd.Example = "  bugslice admin user add --email bo@acme.example --workspace Web --token"
	flags.register(cmd)
	cmd.Flags().StringVar(&u.Email, "email", "", "e-mail address of the user")
	cmd.Flags().StringVar(&u.Name, "name", "", "full name of the user; from the e-mail address when empty")
	cmd.Flags().StringVar(&role, "role", "member", "role in the organisation: member or admin")
	cmd.Flags().StringSliceVar(&u.Workspaces, "workspace", nil,
		"id or name of a workspace to join as a member; repeatable")
	cmd.Flags().BoolVar(&u.WithToken, "token", false, "create a personal access token with every scope")
	cmd.Flags().StringVar(&org, "org", "", "id or name of the organisation; needed when there are several")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// parseRole validates the role of --role.
func parseRole(role string) (api.Role, error) {
	if role != string(api.RoleMember) && role != string(api.RoleAdmin) {
		return "", tree.Usagef("--role must be member or admin, not %q", role)
	}
	return api.Role(role), nil
}

// printCredentials prints the ids and secrets of a new user that are not empty.
func printCredentials(out io.Writer, fields [][2]string) error {
	var rows [][]any
	for _, f := range fields {
		if f[1] != "" {
			rows = append(rows, []any{f[0], f[1]})
		}
	}
	if err := printTable(out, rows...); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, "\nStore the secrets now: they are not shown again.")
	return err
}

func newUserList(env environment, s Streams) *cobra.Command {
	type user struct {
		ID             string    `json:"id"`
		Email          string    `json:"email"`
		Name           string    `json:"name"`
		Role           api.Role  `json:"role"`
		OrganizationID string    `json:"organizationId"`
		DisabledAt     *api.Time `json:"disabledAt"`
	}
	return listing[user]{
		short:   "List the users",
		columns: []any{"ID", "E-MAIL", "NAME", "ROLE", "ORGANISATION", "DISABLED"},
		read: func(ctx context.Context, in *instance, o api.OrganizationRef) (users []user, err error) {
			records, err := in.store.Read(ctx).Users(o.ID)
			for _, u := range records {
				users = append(users, user{u.ID, u.Email, u.Name, u.Role, u.OrgID, u.DisabledAt})
			}
			return users, err
		},
		cells: func(u user) []any {
			return []any{u.ID, u.Email, u.Name, u.Role, u.OrganizationID, orDash(u.DisabledAt)}
		},
	}.command(env, s)
}

// userChange is a command that changes one user and prints the result.
type userChange struct {
	use, short string
	change     func(ctx context.Context, in *instance, userID string) (result string, err error)
}

func (c userChange) command(env environment, s Streams) *cobra.Command {
	var flags instanceFlags
	var userID, email string
	cmd := env.command(c.use, c.short, func(ctx context.Context) error {
		if (userID == "") == (email == "") {
			return tree.Usagef("one of --user and --email is required")
		}
		return flags.withExisting(ctx, env, func(in *instance) error {
			id, err := in.userID(ctx, cmp.Or(userID, email))
			if err != nil {
				return err
			}
			result, err := c.change(ctx, in, id)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(s.Out, result)
			return err
		})
	})
	cmd.Example = "  bugslice admin user " + c.use + " --email bo@acme.example"
	flags.register(cmd)
	cmd.Flags().StringVar(&userID, "user", "", "id or e-mail address of the user")
	cmd.Flags().StringVar(&email, "email", "", "e-mail address of the user")
	return cmd
}
