package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"bugslice/internal/command/tree"
)

// Streams are what a command reads and writes. In may be nil.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// command returns a command without arguments. Before run, its flags are set from the environment, and the
// required ones are checked.
func (e environment) command(use, short string, run func(context.Context) error, required ...string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: tree.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		if err := ready(cmd, e, required...); err != nil {
			return err
		}
		return run(cmd.Context())
	}}
}

// fileCommand is command for a command whose one argument is a file.
func (e environment) fileCommand(use, short string, run func(ctx context.Context, file string) error) *cobra.Command {
	return &cobra.Command{Use: use + " FILE", Short: short, Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := ready(cmd, e); err != nil {
				return err
			}
			return run(cmd.Context(), args[0])
		}}
}

// ready sets the flags of a command from the environment, and refuses it when a required flag is empty.
func ready(cmd *cobra.Command, env environment, required ...string) error {
	if err := env.apply(cmd); err != nil {
		return err
	}
	for _, name := range required {
		if value := cmd.Flag(name).Value.String(); value == "" || value == "[]" {
			return tree.Usagef("--%s is required; %s --help lists the flags", name, cmd.CommandPath())
		}
	}
	return nil
}
