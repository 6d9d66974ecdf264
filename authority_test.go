package bugslice_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

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
