package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"bugslice/internal/store"
)

func newSecret(env environment, s Streams) *cobra.Command {
	p := place{loseSecrets: true}
	reset := &cobra.Command{Use: "reset", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := ready(cmd, env); err != nil {
				return err
			}
			if err := p.check(); err != nil {
				return err
			}
			if there, err := store.Exists(cmd.Context(), p.options()); err != nil || !there {
				return p.noData(err)
			}
			unlock, err := p.lock()
			if err != nil {
				return err
			}
			defer unlock()
			return p.begin(cmd.Context(), env, func(in *instance) error {
				lost, err := in.operator.ReplaceLostSecrets(cmd.Context())
				if err != nil {
					return err
				}
				if len(lost) == 0 {
					_, err = fmt.Fprintln(s.Out, "No secret of a webhook is lost: nothing was changed.")
					return err
				}
				fmt.Fprintf(s.Out, "The secrets of %d webhooks were lost. "+
					"Their receivers refuse what they get until each is rotated (POST /v1/webhooks/ID/rotate-secret):\n", len(lost))
				for _, id := range lost {
					fmt.Fprintln(s.Out, id)
				}
				return nil
			})
		}}
	p.flags(reset)
	reset.Short = "Go on without a master secret that is lost: webhooks whose secrets cannot be decrypted get new ones"
	return group("secret", "The master secret of an instance", reset)
}
