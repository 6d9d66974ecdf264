package bugslice_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const maxLines = 500 // of a Go file that is no test

// TestSources: no production file is long, and no source has a mark of postponed work.
func TestSources(t *testing.T) {
	later := regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`)
	seen := 0
	for path, text := range sources(t) {
		seen++
		if n := bytes.Count(text, []byte("\n")); n > maxLines && strings.HasSuffix(path, ".go") &&
			!strings.HasSuffix(path, "_test.go") {
			t.Errorf("%s has %d lines, more than %d", path, n, maxLines)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if word := later.FindString(line); word != "" {
				t.Errorf("%s:%d: %s: do it now, or file an issue", path, i+1, word)
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d source files seen", seen)
	}
}

// sources returns the files that people have written, by path. Go repeats a cached test when a file that it has read
// changes.
func sources(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (slices.Contains(made, path) || slices.Contains(fetched, entry.Name())):
			return filepath.SkipDir
		case entry.Type().IsRegular() && written(path):
			files[path], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var (
	made = []string{"bin", "data", "dist", "compat/gen", "compat/oapi-codegen/client",
		"compat/ogen/client", "internal/web/static/built", "internal/web/static/vendor"}
	fetched = []string{".git", "node_modules"}
	kinds   = []string{".css", ".go", ".html", ".js", ".md", ".mjs", ".mod",
		".py", ".sh", ".sql", ".templ", ".ts", ".tsv", ".txtar", ".yaml", ".yml"}
)

// written reports whether a file is written by people and not generated, by its name.
func written(path string) bool {
	if filepath.Ext(path) == "" {
		return slices.Contains([]string{".ci", "scripts"}, filepath.Dir(path)) || filepath.Base(path) == "Makefile"
	}
	return slices.Contains(kinds, filepath.Ext(path)) && !strings.HasSuffix(path, "_templ.go")
}
