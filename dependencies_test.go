package bugslice_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

const dependencies = designFolder + "/dependencies.md"

// TestDependencies: each direct requirement is named in its chapter.
func TestDependencies(t *testing.T) {
	reasons, err := os.ReadFile(dependencies)
	if err != nil {
		t.Fatal(err)
	}
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
		if !r.Indirect && !strings.Contains(string(reasons), "`"+r.Path+"`") {
			t.Errorf("go.mod requires %s, and %s does not say why", r.Path, dependencies)
		}
	}
}
