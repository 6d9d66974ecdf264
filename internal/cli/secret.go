package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

func newSecret(env environment, s Streams) *cobra.Command {
	return group("secret", "Manage the master secret", newSecretReset(env, s))
}

func newSecretReset(env environment, s Streams) *cobra.Command {
	flags := instanceFlags{ignoreLostSecrets: true}
	cmd := env.command("reset", "Replace the webhook secrets that cannot be decrypted, after the master secret was lost",
		func(ctx context.Context) error {
			if err := flags.validate(); err != nil {
				return err
			}
			if err := flags.requireDatabase(ctx); err != nil {
				return err
			}
			unlock, err := flags.lock()
			if err != nil {
				return err
			}
			defer unlock()
			return flags.openOrCreate(ctx, env, func(in *instance) error {
				webhooks, err := in.operator.ReplaceLostSecrets(ctx)
				if err != nil {
					return err
				}
				if err := in.operator.RecordCommand(ctx, "secret reset"); err != nil {
					return err
				}
				return printReplaced(s.Out, webhooks)
			})
		})
	flags.register(cmd)
	return cmd
}

// printReplaced lists the webhooks whose secrets were replaced.
func printReplaced(out io.Writer, webhooks []string) error {
	if len(webhooks) == 0 {
		_, err := fmt.Fprintln(out, "Every webhook secret can be decrypted: nothing was changed.")
		return err
	}
	fmt.Fprintf(out, "The secrets of %d webhooks were lost and replaced. The receivers refuse deliveries until "+
		"each secret is rotated (POST /v1/webhooks/ID/rotate-secret):\n", len(webhooks))
	for _, id := range webhooks {
		fmt.Fprintln(out, id)
	}
	return nil
}
