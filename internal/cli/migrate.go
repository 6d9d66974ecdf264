package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

func newMigrate(env environment, s Streams) *cobra.Command {
	var flags instanceFlags
	cmd := env.command("migrate", "Migrate the database to this version (serve does so too)", func(ctx context.Context) error {
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
	return cmd
}
