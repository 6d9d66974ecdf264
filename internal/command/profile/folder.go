package profile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pelletier/go-toml/v2"
)

// FolderFile is the file of a folder that says to which workspace the reports of its project belong.
const FolderFile = ".bugslice.toml"

// FolderWorkspace returns the workspace that the nearest FolderFile names, in a folder or one of its parents, and
// that file; empty without one. The file chooses no server, because a project of others must not get a token.
func FolderWorkspace(dir string) (workspace, file string, err error) {
	for {
		file := filepath.Join(dir, FolderFile)
		text, err := os.ReadFile(file)
		if err == nil {
			var settings struct {
				Workspace string `toml:"workspace"`
			}
			if err := toml.Unmarshal(text, &settings); err != nil {
				return "", "", fmt.Errorf("%s: %w", file, err)
			}
			return settings.Workspace, file, nil
		}
		if !errors.Is(err, os.ErrNotExist) && !errors.Is(err, os.ErrPermission) {
			return "", "", err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", "", nil
		}
		dir = parent
	}
}
