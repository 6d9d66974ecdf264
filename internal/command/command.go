package command

import (
	"context"

	"github.com/spf13/cobra"

	"bugslice/internal/command/tree"
)

// command returns a command, whose arguments are checked by args.
func (s *session) command(use, short string, args cobra.PositionalArgs,
	run func(ctx context.Context, args []string) error,
) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: args, RunE: func(cmd *cobra.Command, args []string) error {
		s.running = cmd
		return failureOf(run(cmd.Context(), args))
	}}
}

// argument requires one positional argument.
func argument(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return tree.Usagef("one %s is required; %s --help shows the usage", name, cmd.CommandPath())
		}
		return nil
	}
}

// arguments requires positional arguments.
func arguments(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return tree.Usagef("a %s is required; %s --help shows the usage", name, cmd.CommandPath())
		}
		return nil
	}
}

// atMostOne refuses several positional arguments.
func atMostOne(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return tree.Usagef("unexpected argument %q; %s --help shows the usage", args[1], cmd.CommandPath())
	}
	return nil
}
