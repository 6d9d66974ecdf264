package bugslice_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDependencies: each direct requirement is named in a decision record.
func TestDependencies(t *testing.T) {
	paths, err := filepath.Glob("docs/decisions/*.md")
	if err != nil {
		t.Fatal(err)
	}
	var records []string
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, string(text))
	}
	reasons := strings.Join(records, "\n")
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal(run(t, "go", "mod", "edit", "-json"), &mod); err != nil {
		t.Fatal(err)
	}
	for _, r := range mod.Require {
		if !r.Indirect && !strings.Contains(reasons, r.Path) {
			t.Errorf("go.mod requires %s, and no record in docs/decisions says why", r.Path)
		}
	}
}
