package bugslice_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestModulePath: only go.mod and imports name the path of the module, so that make rename-module changes it. The
// linter names methods by their packages.
func TestModulePath(t *testing.T) {
	named := regexp.MustCompile(`(^|[^\w/.-])` + regexp.QuoteMeta(module) +
		`/(api|bench|client|cmd|compat|deploy|docs|examples|internal|scripts|suite|tools|webhook)\b`)
	imported := regexp.MustCompile(`^\s*(import )?([\w.]+ )?"` + regexp.QuoteMeta(module) + `/[^"]*"$`)
	files := sources(t)
	dockerfile, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	files["Dockerfile"] = dockerfile
	for path, text := range files {
		if filepath.Base(path) == "go.mod" || path == ".golangci.yml" {
			continue
		}
		imports := filepath.Ext(path) == ".go" || filepath.Ext(path) == ".templ"
		for i, line := range strings.Split(string(text), "\n") {
			if named.MatchString(line) && (!imports || !imported.MatchString(line)) {
				t.Errorf("%s:%d names the path of the module: %s", path, i+1, line)
			}
		}
	}
}
