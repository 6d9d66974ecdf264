package ui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestNotices: each notice that a page leaves for the next one has its text, each text is left by some page, and the
// next page shows it.
func TestNotices(t *testing.T) {
	t.Parallel()
	known := slices.Clone(noticeTemplates)
	for name := range notices {
		known = append(known, name)
	}
	left, all := leftNotices(t)
	for name, where := range left {
		if !slices.Contains(known, name) {
			t.Errorf("%s leaves the notice %q, which has no text", where, name)
		}
	}
	for _, name := range known {
		if !all[name] {
			t.Errorf("no page leaves the notice %q", name)
		}
		var shown strings.Builder
		v := &View{Notice: name, About: url.Values{"changed": {"2"}, "reference": {"WEB-1"}, "queued": {"3"},
			"verb": {"done"}}}
		if err := base().ExecuteTemplate(&shown, "notice-about", v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.Contains(shown.String(), `class="notice`) {
			t.Errorf("%s shows nothing: %q", name, &shown)
		}
	}
	if len(left) < 50 {
		t.Errorf("only %d notices were found in the sources of pages", len(left))
	}
}

// leftNotices returns the texts that the sources of pages give to parameters, fields and variables of the name
// notice, with the place of each, and all texts of the sources. What follows a question mark is no part of a name.
func leftNotices(t *testing.T) (left map[string]string, all map[string]bool) {
	t.Helper()
	files, where := token.NewFileSet(), []*ast.File{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.HasSuffix(path, "ui/notices.go") {
			return err
		}
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		where = append(where, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	parameters := map[string]int{} // the position of the parameter notice, by the name of the function
	for _, f := range where {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				if i := noticeParameter(fn); i >= 0 {
					parameters[fn.Name.Name] = i
				}
			}
		}
	}
	left, all = map[string]string{}, map[string]bool{}
	leave := func(e ast.Expr) {
		if name := nameOf(e); name != "" {
			left[name] = files.Position(e.Pos()).String()
		}
	}
	for _, f := range where {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				all[nameOf(n)] = true
			case *ast.KeyValueExpr:
				if isNotice(n.Key) {
					leave(n.Value)
				}
			case *ast.AssignStmt:
				for i, to := range n.Lhs {
					if isNotice(to) && len(n.Rhs) == len(n.Lhs) {
						leave(n.Rhs[i])
					}
				}
			case *ast.CallExpr:
				if i, ok := parameters[called(n)]; ok && i < len(n.Args) {
					leave(n.Args[i])
				}
			}
			return true
		})
	}
	return left, all
}

func noticeParameter(fn *ast.FuncDecl) int {
	i := 0
	for _, field := range fn.Type.Params.List {
		for _, name := range field.Names {
			if isNotice(name) {
				return i
			}
			i++
		}
	}
	return -1
}

func isNotice(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && (name.Name == "notice" || name.Name == "Notice")
}

// called returns the name of the function that a call calls.
func called(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// nameOf returns the name of a notice from a text, or from one to which others are added; empty for none.
func nameOf(e ast.Expr) string {
	if sum, ok := e.(*ast.BinaryExpr); ok {
		return nameOf(sum.X)
	}
	text, ok := e.(*ast.BasicLit)
	if !ok || text.Kind != token.STRING {
		return ""
	}
	value, err := strconv.Unquote(text.Value)
	if err != nil {
		return ""
	}
	name, _, _ := strings.Cut(value, "?")
	return name
}
