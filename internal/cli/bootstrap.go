package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

func newBootstrap(env environment, s Streams) *cobra.Command {
	var p place
	var org, workspace string
	var owner tracker.NewUser
	var asJSON bool
	cmd := &cobra.Command{Use: "bootstrap", Short: "Make the first organisation, its owner and a workspace in an empty database", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := ready(cmd, env, "org", "email", "workspace"); err != nil {
				return err
			}
			owner.Password = env[envPassword]
			return p.beginNew(cmd.Context(), env, func(in *instance) error {
				f, err := in.operator.Found(cmd.Context(), org, workspace, owner, true)
				if err != nil {
					return err
				}
				return printFounded(s, f, asJSON)
			})
		}}
	p.flags(cmd)
	cmd.Flags().StringVar(&org, "org", "", "name of the organisation")
	cmd.Flags().StringVar(&workspace, "workspace", "", "name of the first workspace")
	personFlags(cmd, &owner, &asJSON)
	return cmd
}

// ready applies the environment and asks for the flags that must be there.
func ready(cmd *cobra.Command, env environment, required ...string) error {
	if err := env.apply(cmd); err != nil {
		return err
	}
	return require(cmd, required...)
}

func personFlags(cmd *cobra.Command, u *tracker.NewUser, asJSON *bool) {
	cmd.Flags().StringVar(&u.Email, "email", "", "e-mail address of the user")
	cmd.Flags().StringVar(&u.Name, "name", "", "full name of the user; from the e-mail address when left out")
	cmd.Flags().BoolVar(asJSON, "json", false, "print one JSON object")
}

func printFounded(s Streams, f tracker.Founded, asJSON bool) error {
	if asJSON {
		return printJSON(s.Out, f)
	}
	fmt.Fprintf(s.Out, "organisation  %s\nuser          %s\n", f.OrganizationID, f.UserID)
	if f.WorkspaceID != "" {
		fmt.Fprintf(s.Out, "workspace     %s\n", f.WorkspaceID)
	}
	fmt.Fprintf(s.Out, "password      %s\n", f.Password)
	if f.Token != "" {
		fmt.Fprintf(s.Out, "token         %s\n", f.Token)
	}
	_, err := fmt.Fprintln(s.Out, "\nKeep what is secret here: it is shown this once.")
	return err
}

func newOrg(env environment, s Streams) *cobra.Command {
	var p place
	var name string
	var owner tracker.NewUser
	var asJSON bool
	add := &cobra.Command{Use: "add", Short: "Add a further organisation, invisible to the others", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := ready(cmd, env, "name", "email"); err != nil {
				return err
			}
			owner.Password = env[envPassword]
			return p.beginNew(cmd.Context(), env, func(in *instance) error {
				f, err := in.operator.Found(cmd.Context(), name, "", owner, false)
				if err != nil {
					return err
				}
				return printFounded(s, f, asJSON)
			})
		}}
	p.flags(add)
	add.Flags().StringVar(&name, "name", "", "name of the organisation")
	add.Flags().StringVar(&owner.Email, "email", "", "e-mail address of its owner")
	add.Flags().StringVar(&owner.Name, "owner", "", "full name of its owner; from the e-mail address when left out")
	add.Flags().BoolVar(&owner.WithToken, "token", false, "mint a PAT with every scope for the owner")
	add.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	list := newList(env, s, "organisations", "ID\tNAME", func(_ store.Queries, o api.OrganizationRef) ([]api.OrganizationRef, error) {
		return []api.OrganizationRef{o}, nil
	},
		func(o api.OrganizationRef) []any { return []any{o.ID, o.Name} })
	return group("org", "Organisations", add, list)
}

func newMigrate(env environment, s Streams) *cobra.Command {
	var p place
	cmd := &cobra.Command{Use: "migrate", Short: "Bring the database to this program's schema (serve does it too)", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := ready(cmd, env); err != nil {
				return err
			}
			return p.with(cmd.Context(), env, func(in *instance) error {
				if err := in.store.Migrated(cmd.Context()); err != nil {
					return err
				}
				_, err := fmt.Fprintln(s.Out, "The database is current.")
				return err
			})
		}}
	p.flags(cmd)
	return cmd
}
