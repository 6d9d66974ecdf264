package bugslice_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

const (
	maxCycle   = 3   // files of a package that reach each other
	maxColumns = 140 // of a line, with a tab as four
)

// TestLayout: within a package, files use each other in one direction, but for small groups.
func TestLayout(t *testing.T) {
	checked := 0
	for _, p := range typedPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		checked++
		for _, cycle := range cycles(p.uses) {
			if len(cycle) > maxCycle {
				t.Errorf("%s: %d files use each other, more than %d: %s", name, len(cycle), maxCycle,
					strings.Join(cycle, " "))
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d packages checked", checked)
	}
}

// wide finds the files in which lines may be longer.
var wide = regexp.MustCompile(`^examples/shop/site/` + // recorded evidence has these pages and scripts as they are
	`|^(api|internal/store)/.*_test\.go$`)

// TestColumns: no line is longer than a screen is wide.
func TestColumns(t *testing.T) {
	languages := map[string]int{}
	for path, text := range sources(t) {
		language := filepath.Ext(path)
		if !slices.Contains([]string{".css", ".go", ".html", ".js", ".mjs", ".templ", ".ts"}, language) ||
			wide.MatchString(path) {
			continue
		}
		languages[language]++
		for i, line := range strings.Split(string(text), "\n") {
			if n := columns(line); n > maxColumns {
				t.Errorf("%s:%d: %d columns, more than %d", path, i+1, n, maxColumns)
			}
		}
	}
	if len(languages) < 7 {
		t.Errorf("only these languages seen: %v", languages)
	}
}

type typedPackage struct {
	ImportPath string
	uses       map[string][]string // file to the files whose functions, types, variables and methods it uses
	functions  []function
	exported   int // names
}

// typedPackages type-checks the module's packages against the export data of what they import, once.
func typedPackages(t *testing.T) []typedPackage {
	t.Helper()
	typed.Do(func() { typed.packages = checkPackages(t) })
	return typed.packages
}

var typed struct {
	sync.Once
	packages []typedPackage
}

func checkPackages(t *testing.T) []typedPackage {
	t.Helper()
	exports := map[string]string{}
	type listed struct {
		ImportPath, Dir, Export string
		GoFiles                 []string
		Module                  *struct{ Main bool }
	}
	var ours []listed
	d := json.NewDecoder(bytes.NewReader(run(t, "go", "list", "-export", "-deps",
		"-json=ImportPath,Dir,Export,GoFiles,Module", "./...")))
	for {
		var p listed
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if p.Module != nil && p.Module.Main && len(p.GoFiles) > 0 {
			ours = append(ours, p)
		}
	}
	set := token.NewFileSet()
	imports := importer.ForCompiler(set, "gc",
		func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	var all []typedPackage
	for _, p := range ours {
		var files []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
		checked, err := (&types.Config{Importer: imports}).Check(p.ImportPath, set, files, info)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, typedPackage{p.ImportPath, fileUses(set, checked, info), functions(set, info),
			exported(checked)})
	}
	return all
}

// fileUses returns which file of a package uses which other for a function, type, variable or method.
func fileUses(set *token.FileSet, p *types.Package, info *types.Info) map[string][]string {
	file := func(pos token.Pos) string { return filepath.Base(set.Position(pos).Filename) }
	uses := map[string][]string{}
	for id, object := range info.Uses {
		if f, ok := object.(*types.Func); ok {
			object = f.Origin()
		}
		f, isFunc := object.(*types.Func)
		method := isFunc && f.Signature().Recv() != nil && !types.IsInterface(f.Signature().Recv().Type())
		if object.Pkg() != p || object.Parent() != p.Scope() && !method {
			continue
		}
		if from, to := file(id.Pos()), file(object.Pos()); from != to && !slices.Contains(uses[from], to) {
			uses[from] = append(uses[from], to)
		}
	}
	return uses
}

// cycles returns the groups of files that reach each other, by Tarjan's algorithm.
func cycles(uses map[string][]string) (groups [][]string) {
	index, low := map[string]int{}, map[string]int{}
	var stack []string
	var visit func(string)
	visit = func(v string) {
		index[v] = len(index) + 1
		low[v] = index[v]
		stack = append(stack, v)
		for _, w := range uses[v] {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if slices.Contains(stack, w) {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] == index[v] {
			at := slices.Index(stack, v)
			group := slices.Clone(stack[at:])
			slices.Sort(group)
			groups, stack = append(groups, group), stack[:at]
		}
	}
	for v := range uses {
		if index[v] == 0 {
			visit(v)
		}
	}
	return groups
}

// function is a function or a method of this module.
type function struct {
	at, receiver string // where it is; the type of its receiver, empty without one
	params       int    // beside a context
}

// functions returns the functions and methods that a package declares, without those of interfaces.
func functions(set *token.FileSet, info *types.Info) (all []function) {
	for id, object := range info.Defs {
		f, ok := object.(*types.Func)
		if !ok {
			continue
		}
		found := function{at: set.Position(id.Pos()).String() + ": " + f.Name()}
		if recv := f.Signature().Recv(); recv != nil {
			if types.IsInterface(recv.Type()) {
				continue
			}
			found.receiver = types.TypeString(recv.Type(), func(*types.Package) string { return "" })
			found.receiver, _, _ = strings.Cut(strings.TrimPrefix(found.receiver, "*"), "[")
		}
		for v := range f.Signature().Params().Variables() {
			if v.Type().String() != "context.Context" {
				found.params++
			}
		}
		all = append(all, found)
	}
	return all
}

// exported returns the number of exported names of the scope of a package.
func exported(p *types.Package) (n int) {
	for _, name := range p.Scope().Names() {
		if token.IsExported(name) {
			n++
		}
	}
	return n
}
