package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"bugslice/internal/command/tree"
)

// oneFile requires the name of one file as the only argument.
func oneFile(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return tree.Usagef("the name of one file is required: %s FILE", cmd.CommandPath())
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
