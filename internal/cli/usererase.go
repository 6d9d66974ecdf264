package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"bugslice/internal/command/tree"
)

// userFlags name a user of an instance.
type userFlags struct {
	instanceFlags
	userID, email string
}

func (f *userFlags) register(cmd *cobra.Command) {
	f.instanceFlags.register(cmd)
	cmd.Flags().StringVar(&f.userID, "user", "", "id of the user")
	cmd.Flags().StringVar(&f.email, "email", "", "e-mail address of the user")
}

// withUser opens an existing instance, finds the user, and runs fn with its id.
func (f *userFlags) withUser(ctx context.Context, env environment, fn func(in *instance, userID string) error) error {
	if (f.userID == "") == (f.email == "") {
		return tree.Usagef("one of --user ID and --email ADDRESS is required")
	}
	return f.withExisting(ctx, env, func(in *instance) error {
		id, err := in.userID(ctx, cmp.Or(f.userID, f.email))
		if err != nil {
			return err
		}
		return fn(in, id)
	})
}

func newUserResetLink(env environment, s Streams) *cobra.Command {
	var f userFlags
	var baseURL string
	cmd := env.command("reset-link", "Create a link with which a user sets another password, once and within 24 hours",
		func(ctx context.Context) error {
			return f.withUser(ctx, env, func(in *instance, userID string) error {
				text, err := in.operator.NewResetLink(ctx, userID)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(s.Out, "%s/reset/%s\n", strings.TrimSuffix(baseURL, "/"), text)
				return err
			})
		})
	cmd.Example = "  bugslice admin user reset-link --email bo@acme.example --base-url https://bugs.acme.example"
	f.register(cmd)
	cmd.Flags().StringVar(&baseURL, "base-url", "", "address of the server, with which the link begins")
	return cmd
}

func newUserErase(env environment, s Streams) *cobra.Command {
	var f userFlags
	var yes bool
	const short = "Replace the name and the e-mail address of a user by “Deleted user” everywhere"
	cmd := env.command("erase", short, func(ctx context.Context) error {
		return f.withUser(ctx, env, func(in *instance, userID string) error {
			c, err := in.operator.CountErasure(ctx, userID)
			if err != nil {
				return err
			}
			err = printTable(s.Out, []any{"reports", c.Slices}, []any{"occurrences", c.Occurrences},
				[]any{"comments", c.Comments},
				[]any{"files", c.Files}, []any{"events", c.Events}, []any{"memberships", c.Memberships},
				[]any{"sessions", c.Sessions},
				[]any{"keys", c.Keys}, []any{"invitations", c.Invitations})
			if err != nil {
				return err
			}
			if !yes {
				_, err = fmt.Fprintln(s.Out, "\nNothing was changed. Repeat the command with --yes to erase the user.")
				return err
			}
			if err := in.operator.EraseUser(ctx, userID); err != nil {
				return err
			}
			_, err = fmt.Fprintln(s.Out, "erased "+userID)
			return err
		})
	})
	cmd.Example = "  bugslice admin user erase --email bo@acme.example"
	f.register(cmd)
	cmd.Flags().BoolVar(&yes, "yes", false, "erase the user; without it, only count what would be changed")
	return cmd
}
