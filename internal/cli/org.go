package cli

import (
	"context"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/tree"
	"bugslice/internal/operator"
)

func newBootstrap(env environment, s Streams) *cobra.Command {
	var flags instanceFlags
	var name, workspace string
	var owner operator.NewUser
	var asJSON bool
	cmd := env.command("bootstrap", "Create the first organisation, its owner and a workspace in an empty database",
		func(ctx context.Context) error {
			owner.Password = env[envPassword]
			b := operator.Bootstrap{Organization: name, Workspace: workspace, Owner: owner, First: true}
			return flags.bootstrap(ctx, env, b, func(created operator.BootstrapResult) error {
				return printOrganization(s, created, asJSON)
			})
		}, "org", "email", "workspace")
	cmd.Example = "  bugslice bootstrap --org Acme --email ada@acme.example --workspace Web"
	flags.register(cmd)
	cmd.Flags().StringVar(&name, "org", "", "name of the organisation")
	cmd.Flags().StringVar(&workspace, "workspace", "", "name of the workspace")
	cmd.Flags().StringVar(&owner.Email, "email", "", "e-mail address of the owner")
	cmd.Flags().StringVar(&owner.Name, "name", "", "full name of the owner; from the e-mail address when empty")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// bootstrap creates an organisation. It checks the command line before it creates a database.
func (f *instanceFlags) bootstrap(ctx context.Context, env environment, b operator.Bootstrap,
	show func(operator.BootstrapResult) error,
) error {
	if err := b.Complete(); err != nil {
		return tree.Usagef("%w", err)
	}
	return f.forNewOrganization(ctx, env, func(in *instance) error {
		created, err := in.operator.Bootstrap(ctx, b)
		if err != nil {
			return err
		}
		return show(created)
	})
}

func newOrg(env environment, s Streams) *cobra.Command {
	return tree.Group("org", "Manage organisations", newOrgAdd(env, s), listing[api.OrganizationRef]{
		short:   "List the organisations",
		columns: []any{"ID", "NAME"},
		read: func(_ context.Context, _ *instance, o api.OrganizationRef) ([]api.OrganizationRef, error) {
			return []api.OrganizationRef{o}, nil
		},
		cells: func(o api.OrganizationRef) []any { return []any{o.ID, o.Name} },
	}.command(env, s))
}

func newOrgAdd(env environment, s Streams) *cobra.Command {
	var flags instanceFlags
	var name string
	var owner operator.NewUser
	var asJSON bool
	cmd := env.command("add", "Create another organisation, which shares nothing with the others",
		func(ctx context.Context) error {
			owner.Password = env[envPassword]
			b := operator.Bootstrap{Organization: name, Owner: owner}
			return flags.bootstrap(ctx, env, b, func(created operator.BootstrapResult) error {
				return printOrganization(s, created, asJSON)
			})
		}, "name", "email")
	cmd.Example = "  bugslice admin org add --name Globex --email hank@globex.example --token"
	flags.register(cmd)
	cmd.Flags().StringVar(&name, "name", "", "name of the organisation")
	cmd.Flags().StringVar(&owner.Email, "email", "", "e-mail address of the owner")
	cmd.Flags().StringVar(&owner.Name, "owner", "", "full name of the owner; from the e-mail address when empty")
	cmd.Flags().BoolVar(&owner.WithToken, "token", false,
		"create a personal access token with every scope for the owner")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func printOrganization(s Streams, o operator.BootstrapResult, asJSON bool) error {
	if asJSON {
		return printJSON(s.Out, o)
	}
	return printCredentials(s.Out, [][2]string{{"organisation", o.OrganizationID}, {"user", o.UserID},
		{"workspace", o.WorkspaceID},
		{"password", o.Password}, {"token", o.Token}})
}
