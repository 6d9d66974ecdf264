package command

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"bugslice/internal/ci/finding"
	"bugslice/internal/command/tree"
)

// readKept returns what was kept.
func readKept(path string) (*finding.Finding, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, tree.Usagef("there is no file %s", path)
	}
	if err != nil {
		return nil, err
	}
	found := &finding.Finding{}
	if err := json.Unmarshal(text, found); err != nil || found.At.IsZero() {
		return nil, tree.Usagef("%s is no file that bugslice ci report has kept", path)
	}
	return found, nil
}

// writeKept writes what is kept, for the user alone: it has the output of tests.
func writeKept(path string, found *finding.Finding) error {
	text, err := json.Marshal(found)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".bugslice-ci-*")
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}
