package cli

import (
	"context"
	"fmt"
	"regexp"

	"github.com/spf13/cobra"

	"bugslice/internal/command/tree"
	"bugslice/internal/store"
)

// defaultRole is the role of --grants without a value.
const defaultRole = "bugslice_app"

func newMigrate(env environment, s Streams) *cobra.Command {
	var flags instanceFlags
	var grants string
	cmd := env.command("migrate", "Migrate the database to this version (serve does so too)",
		func(ctx context.Context) error {
			flags.migrate = "on"
			if grants != "" {
				return flags.printGrants(ctx, grants, s)
			}
			return flags.withExisting(ctx, env, func(in *instance) error {
				if err := in.store.Migrated(ctx); err != nil {
					return err
				}
				if err := in.operator.RecordCommand(ctx, "migrate"); err != nil {
					return err
				}
				_, err := fmt.Fprintln(s.Out, "The database is current.")
				return err
			})
		})
	flags.register(cmd)
	cmd.Flags().StringVar(&grants, "grants", "",
		"print the SQL that lets a role serve with --migrate=off, without the right to change "+
			"the schema, and change nothing: --grants=ROLE; "+defaultRole+" without a value")
	cmd.Flags().Lookup("grants").NoOptDefVal = defaultRole
	_ = cmd.Flags().MarkHidden("migrate") // it is the only command that ignores the flag
	return cmd
}

var roleName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_$]{0,62}$`)

// printGrants prints what a role needs in a PostgreSQL database.
func (f *instanceFlags) printGrants(ctx context.Context, role string, s Streams) error {
	if err := f.validate(); err != nil {
		return err
	}
	if f.databaseURL == "" {
		return tree.Usagef("--grants requires --database-url: SQLite has no roles")
	}
	if !roleName.MatchString(role) {
		return tree.Usagef("--grants must be the name of a role, of letters, digits and underscores, not %q", role)
	}
	if err := f.requireDatabase(ctx); err != nil {
		return err
	}
	grants, err := store.Grants(ctx, f.storeOptions(), role)
	if err == nil {
		_, err = fmt.Fprint(s.Out, grants)
	}
	return err
}
