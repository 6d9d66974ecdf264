package command

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"bugslice/internal/command/tree"
)

// Streams are what a command reads and writes. In may be nil.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Environment is what commands know of their process.
type Environment struct {
	Variables []string // as os.Environ returns them
	Streams   Streams
	Folder    string // in which the command is run; empty for that of the process
}

// folder returns the folder in which the command is run.
func (e Environment) folder() (string, error) {
	if e.Folder != "" {
		return e.Folder, nil
	}
	return os.Getwd()
}

// path returns the path of a file that is named in the folder of a command.
func (e Environment) path(name string) string {
	if e.Folder == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(e.Folder, name)
}

func readFile(e Environment, name string) ([]byte, error) {
	text, err := os.ReadFile(e.path(name))
	if errors.Is(err, os.ErrNotExist) {
		return nil, tree.Usagef("there is no file %s", name)
	}
	return text, err
}

// requireFiles refuses names of which there is no file, before anything is requested.
func requireFiles(e Environment, names ...string) error {
	for _, name := range names {
		info, err := os.Stat(e.path(name))
		switch {
		case errors.Is(err, os.ErrNotExist):
			return tree.Usagef("there is no file %s", name)
		case err != nil:
			return err
		case info.IsDir():
			return tree.Usagef("%s is a folder; name a file", name)
		}
	}
	return nil
}
