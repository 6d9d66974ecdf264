package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"bugslice/internal/tracker"
)

func newCollect(env environment, s Streams) *cobra.Command {
	var p place
	var age time.Duration
	cmd := &cobra.Command{Use: "collect", Short: "Remove files that no record names, as serve does each hour", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := ready(cmd, env); err != nil {
				return err
			}
			if age < 0 {
				return usagef("--older-than must not be negative")
			}
			return p.with(cmd.Context(), env, func(in *instance) error {
				n, err := in.tracker.Collect(cmd.Context(), age)
				if err == nil {
					_, err = fmt.Fprintf(s.Out, "Removed %d files.\n", n)
				}
				return err
			})
		}}
	p.flags(cmd)
	cmd.Flags().DurationVar(&age, "older-than", tracker.OrphanAge, "leave younger files alone; a short time takes uploads under way for orphans")
	return cmd
}
