package bugslice_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCompiledTemplates: the Go code of each .templ file is what make templates writes.
func TestCompiledTemplates(t *testing.T) {
	dir := t.TempDir()
	committed := map[string][]byte{}
	for path, text := range sources(t) {
		if filepath.Ext(path) != ".templ" {
			continue
		}
		copied := filepath.Join(dir, strings.TrimPrefix(path, "internal/web/"))
		if err := os.MkdirAll(filepath.Dir(copied), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(copied, text, 0o600); err != nil {
			t.Fatal(err)
		}
		compiled, err := os.ReadFile(strings.TrimSuffix(path, ".templ") + "_templ.go")
		if err != nil {
			t.Error(err)
		}
		committed[strings.TrimSuffix(copied, ".templ")+"_templ.go"] = compiled
	}
	if len(committed) < 3 {
		t.Fatalf("only %d templates seen", len(committed))
	}
	run(t, "go", "tool", "-modfile=tools/go.mod", "templ", "generate", "-path", dir)
	for path, want := range committed {
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not that of its template: run make templates (%v)", strings.TrimPrefix(path, dir+"/"), err)
		}
	}
}
