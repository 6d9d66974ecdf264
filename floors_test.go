// Package bugslice_test holds the house rules: which package may import which, how long a
// file may grow, and that each dependency has its reason on record.
package bugslice_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// floors is the house. A package imports only from floors below its own. The sealing of
// secrets stands half a floor lower, because cursors are sealed with it.
var floors = map[string]float64{
	"cmd/bugslice": 7,

	"internal/cli": 6,

	"internal/deliver": 5,
	"internal/demo":    5,
	"internal/httpapi": 5,
	"internal/mcp":     5,
	"internal/web":     5,

	"internal/web/pages/audit":      4.9,
	"internal/web/pages/delivery":   4.9,
	"internal/web/pages/newwebhook": 4.9,
	"internal/web/pages/redaction":  4.9,
	"internal/web/pages/webhook":    4.9,
	"internal/web/pages/webhooks":   4.9,

	"internal/web/pages/confirm":   4.9,
	"internal/web/pages/endedkeys": 4.9,
	"internal/web/pages/key":       4.9,
	"internal/web/pages/files":     4.9,
	"internal/web/pages/keys":      4.9,
	"internal/web/pages/login":     4.9,
	"internal/web/pages/my":        4.9,
	"internal/web/pages/newfiles":  4.9,
	"internal/web/pages/newkey":    4.9,
	"internal/web/pages/newreport": 4.9,
	"internal/web/pages/overview":  4.9,
	"internal/web/pages/problem":   4.9,
	"internal/web/pages/profile":   4.9,
	"internal/web/pages/replay":    4.9,
	"internal/web/pages/report":    4.9,
	"internal/web/pages/reports":   4.9,
	"internal/web/pages/search":    4.9,
	"internal/web/pages/security":  4.9,
	"internal/web/pages/setup":     4.9,
	"internal/web/pages/share":     4.9,
	"internal/web/pages/shared":    4.9,
	"internal/web/pages/shares":    4.9,
	"internal/web/page":            4.8,
	"internal/web/ui":              4.7,
	"internal/web/static":          4.6,
	"internal/download":            4.6,

	"internal/httpserver": 4.5,
	"internal/operations": 4.5,

	"internal/web/pages/erasure":      4.9,
	"internal/web/pages/invitation":   4.9,
	"internal/web/pages/invite":       4.9,
	"internal/web/pages/newworkspace": 4.9,
	"internal/web/pages/people":       4.9,
	"internal/web/pages/person":       4.9,
	"internal/web/pages/reset":        4.9,
	"internal/web/pages/workspace":    4.9,

	"internal/operator": 4.2,
	"internal/portable": 4.2,

	"internal/apidoc":  4,
	"internal/tracker": 4,

	"internal/input": 3,

	"client":               2,
	"examples/receiver-go": 2,
	"internal/blob":        2,
	"internal/query":       2,
	"internal/store":       2,

	"internal/admission":  1,
	"internal/config":     1,
	"internal/cursor":     1,
	"internal/disk":       1,
	"internal/evidence":   1.5,
	"internal/fairshare":  1,
	"internal/github":     1,
	"internal/id":         1,
	"internal/markdown":   1,
	"internal/media":      1,
	"internal/password":   1,
	"internal/ratelimit":  1,
	"internal/redact":     1,
	"internal/safehttp":   1,
	"internal/schema":     1,
	"internal/strictjson": 1,
	"internal/throttle":   1,
	"internal/token":      1,
	"internal/words":      1,
	"webhook":             1,

	"internal/secret": 0.5,

	"api": 0, // and nothing but the standard library
}

// helpers serve tests, and the shop that tests visit. They stand outside the floors: they may import any of them, and
// no production code imports one.
var helpers = []string{"internal/assert", "internal/browsertest", "internal/password/passwordtest", "internal/store/storetest", "suite",
	"suite/mutants", "suite/recordings", "examples/shop", "examples/shop/serve"}

const (
	module   = "bugslice"
	maxLines = 500 // of a Go file that is no test
)

// TestFloors holds each import of production code against the floors.
func TestFloors(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		if len(p.GoFiles) == 0 || slices.Contains(helpers, name) {
			continue
		}
		floor, ok := floors[name]
		if !ok {
			t.Errorf("package %s has no floor: say in the table of floors_test.go on which it stands, or name it a test helper", name)
			continue
		}
		for _, path := range p.Imports {
			below, ours := strings.CutPrefix(path, module+"/")
			switch {
			case name == "api" && (ours || strings.Contains(strings.Split(path, "/")[0], ".")):
				t.Errorf("api imports %s: it imports the standard library alone", path)
			case !ours:
			case slices.Contains(helpers, below):
				t.Errorf("%s imports %s, which is for tests alone", name, below)
			case floors[below] >= floor:
				t.Errorf("%s (floor %v) imports %s (floor %v): imports go down", name, floor, below, floors[below])
			}
		}
	}
}

type goPackage struct {
	ImportPath string
	GoFiles    []string
	Imports    []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(run(t, "go", "list", "-json=ImportPath,GoFiles,Imports", "./...")))
	var all []goPackage
	for {
		var p goPackage
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func run(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, &stderr)
	}
	return out
}

// operatorOnly are the names of the tracker by which the operator's authority is obtained, passed on and used, and the
// packages that may use them. A front end such as httpapi or web may not.
var operatorOnly = map[string][]string{
	"New":                  {"internal/cli"},
	"Operator":             {"internal/operator"},
	"OrganizationOperator": {"internal/operator", "internal/portable"},
	"OperatorTx":           {"internal/operator", "internal/portable"},
}

// operatorPackages need that authority, and only these packages may import them.
var operatorPackages = map[string][]string{
	module + "/internal/operator": {"internal/cli", "internal/demo"},
	module + "/internal/portable": {"internal/cli", "internal/demo"},
}

// TestOperatorAuthority: only the program that opens the database obtains the authority of its operator.
func TestOperatorAuthority(t *testing.T) {
	used := 0
	check := func(path, name string, allowed []string) {
		if used++; !slices.Contains(allowed, filepath.ToSlash(filepath.Dir(path))) {
			t.Errorf("%s uses %s, which is for %v alone", path, name, allowed)
		}
	}
	for path, text := range sources(t) {
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || slices.Contains(helpers, filepath.Dir(path)) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range file.Imports {
			imported := strings.Trim(i.Path.Value, `"`)
			if allowed, restricted := operatorPackages[imported]; restricted {
				check(path, imported, allowed)
			}
		}
		name := importedAs(file, module+"/internal/tracker")
		ast.Inspect(file, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			from, _ := s.X.(*ast.Ident)
			allowed, restricted := operatorOnly[s.Sel.Name]
			if restricted && from != nil && from.Name == name {
				check(path, "tracker."+s.Sel.Name, allowed)
			}
			return true
		})
	}
	if used < 20 {
		t.Errorf("only %d uses seen", used)
	}
}

// importedAs returns the name by which a file knows a package, empty when it does not import it.
func importedAs(file *ast.File, path string) string {
	for _, i := range file.Imports {
		if strings.Trim(i.Path.Value, `"`) == path {
			if i.Name != nil {
				return i.Name.Name
			}
			return filepath.Base(path)
		}
	}
	return ""
}

// TestFiles: no production file is long, and no source puts work off.
func TestFiles(t *testing.T) {
	later := regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`)
	seen := 0
	for path, text := range sources(t) {
		seen++
		if n := bytes.Count(text, []byte("\n")); n > maxLines && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
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

// sources reads what people wrote, with its path. Go caches a test by the files it reads:
// having read them all, this one runs again whenever one changes.
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
	made    = []string{"bin", "data", "dist", "compat/gen", "compat/oapi-codegen/client", "compat/ogen/client"}
	fetched = []string{".git", "node_modules"}
	kinds   = []string{".css", ".go", ".html", ".js", ".md", ".mod", ".py", ".sh", ".sql", ".templ", ".tsv", ".txtar", ".yaml", ".yml"}
)

// written says whether people wrote a file, as far as its name tells.
func written(path string) bool {
	if filepath.Ext(path) == "" {
		return slices.Contains([]string{".ci", "scripts"}, filepath.Dir(path)) || filepath.Base(path) == "Makefile"
	}
	return slices.Contains(kinds, filepath.Ext(path)) && !strings.HasSuffix(path, ".min.js") && !strings.HasSuffix(path, "_templ.go")
}

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
