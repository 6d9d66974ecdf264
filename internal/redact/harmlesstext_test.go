package redact_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// harmlessKind is a kind of files of packages: where they are, and how their names end.
type harmlessKind struct {
	name  string
	ends  []string
	bytes int // at most, together
}

func harmlessKinds() []harmlessKind {
	return []harmlessKind{
		{"docs", []string{".md", ".txt", "README", "changelog", "NEWS", "copyright", ".rst"}, 9 << 20},
		{"scripts", []string{".js", ".ts", ".mjs", ".cjs", ".go", ".py"}, 9 << 20},
		{"json", []string{".json", ".map"}, 4 << 20},
		{"logs", []string{".log", ".out", ".golden"}, 3 << 20},
	}
}

// harmlessFiles returns files of a kind, of which those of one package have at most a twelfth of the bytes.
func harmlessFiles(t testing.TB, kind harmlessKind) (files []string) {
	t.Helper()
	total, of := 0, map[string]int{}
	for _, folder := range harmlessRoots(t) {
		root, depth := folder.root, folder.depth
		_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			isOfKind := func(end string) bool { return strings.HasSuffix(path, end) }
			if err != nil || entry.IsDir() || !slices.ContainsFunc(kind.ends, isOfKind) {
				return nil
			}
			parts := strings.Split(strings.TrimPrefix(path, root+"/"), "/")
			group := root + strings.Join(parts[:min(depth, len(parts))], "/")
			info, err := entry.Info()
			if err != nil || info.Size() == 0 || info.Size() > 400<<10 || total > kind.bytes ||
				of[group] > kind.bytes/12 {
				return nil
			}
			if strings.Contains(path, "secret") || strings.Contains(path, "testdata") && kind.name != "logs" {
				return nil
			}
			if raw, err := os.ReadFile(path); err != nil || !utf8.Valid(raw) {
				return nil
			}
			total, of[group] = total+int(info.Size()), of[group]+int(info.Size())
			files = append(files, path)
			return nil
		})
	}
	slices.Sort(files)
	return files
}

// harmlessRoot is a folder of packages; depth is how many names below it tell a package.
type harmlessRoot struct {
	root  string
	depth int
}

func harmlessRoots(t testing.TB) []harmlessRoot {
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return []harmlessRoot{{"../../tools/node_modules", 1}, {"/usr/share/doc", 1}, {strings.TrimSpace(string(cache)), 2}}
}
