package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
)

// usageError is a mistake in the command line or the environment.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// noArgs refuses positional arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("unexpected argument %q; %s --help shows the usage", args[0], cmd.CommandPath())
	}
	return nil
}

// oneFile requires the name of one file as the only argument.
func oneFile(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usagef("the name of one file is required: %s FILE", cmd.CommandPath())
	}
	return nil
}

// requireFiles refuses names of files that do not exist. It ignores empty names.
func requireFiles(names ...string) error {
	for _, name := range names {
		if _, err := os.Stat(name); name != "" && errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("there is no file %s", name)
		}
	}
	return nil
}
