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

// authority are the names by which the authority to write without a caller, and that of the operator, are obtained,
// passed on and used, each with the packages that may use it. A front end such as httpapi or web may not.
var authority = map[string]map[string][]string{
	"internal/store": {
		"Open":  {"internal/cli"},
		"Store": {"internal/access", "internal/cli", "internal/portable"},
		"Write": {"internal/access"},
	},
	"internal/access": {
		"Seal":         {"internal/cli"},
		"New":          {"internal/intake", "internal/oauth", "internal/tracker"},
		"Authority":    {"internal/intake", "internal/oauth", "internal/tracker"},
		"SystemWrite":  {"internal/intake", "internal/oauth", "internal/tracker"},
		"SystemChange": {"internal/intake", "internal/oauth", "internal/tracker"},
	},
	"internal/tracker": {
		"New":                  {"internal/cli"},
		"Operator":             {"internal/operator"},
		"OrganizationOperator": {"internal/operator", "internal/portable"},
		"OperatorTx":           {"internal/operator", "internal/portable"},
	},
}

// operatorPackages need that authority, and only these packages may import them.
var operatorPackages = map[string][]string{
	module + "/internal/operator": {"internal/cli", "internal/demo"},
	module + "/internal/portable": {"internal/cli", "internal/demo"},
}

// TestAuthority: only the program that opens the database obtains the authority of its operator, and only the service
// that of background work.
func TestAuthority(t *testing.T) {
	used := 0
	check := func(path, name string, allowed []string) {
		if used++; !slices.Contains(allowed, filepath.ToSlash(filepath.Dir(path))) {
			t.Errorf("%s uses %s, which is for %v alone", path, name, allowed)
		}
	}
	for path, text := range sources(t) {
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			slices.Contains(helpers, filepath.Dir(path)) {
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
		for of, names := range authority {
			imported := importedAs(file, module+"/"+of)
			ast.Inspect(file, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				from, _ := s.X.(*ast.Ident)
				allowed, restricted := names[s.Sel.Name]
				if restricted && from != nil && from.Name == imported {
					check(path, imported+"."+s.Sel.Name, allowed)
				}
				return true
			})
		}
	}
	if used < 70 {
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
