package store

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestQueriesOnlyRead: no method of Queries, and nothing that it calls or names, writes or locks a row.
func TestQueriesOnlyRead(t *testing.T) {
	files := parsePackage(t, "")
	if n := len(readingMethods(files)); n < 50 {
		t.Errorf("%d methods of Queries found", n)
	}
	for _, fault := range writesOfQueries(files) {
		t.Error(fault)
	}
}

// TestWritesOfQueriesAreFound: the check above refuses what it is for.
func TestWritesOfQueriesAreFound(t *testing.T) {
	for name, method := range map[string]string{
		"exec":             "func (q Queries) Bad() { _, _ = q.db.Exec(`SELECT 1`) }",
		"returning":        "func (q Queries) Bad() { _, _ = sqldb.List(q.db, sqldb.ScanOne[string], `UPDATE users SET name = $1 RETURNING id`) }",
		"with":             "func (q Queries) Bad() { _, _ = sqldb.List(q.db, sqldb.ScanOne[string], `WITH a AS (DELETE FROM users RETURNING id) SELECT id FROM a`) }",
		"constant":         "const bad = `INSERT INTO users (id) VALUES ($1) RETURNING id`\nfunc (q Queries) Bad() { _, _ = sqldb.List(q.db, sqldb.ScanOne[string], bad) }",
		"helper":           "func bad() string { return `DELETE FROM users` }\nfunc (q Queries) Bad() { _, _ = sqldb.List(q.db, sqldb.ScanOne[string], bad()) }",
		"row lock":         "func (q Queries) Bad() { _, _ = sqldb.List(q.db, sqldb.ScanOne[string], `SELECT id FROM users`+q.db.Engine.LockRow) }",
		"row lock in text": "func (q Queries) Bad() { _, _ = sqldb.List(q.db, sqldb.ScanOne[string], `SELECT id FROM users FOR UPDATE`) }",
		"transaction":      "func (q Queries) Bad() { tx := &Tx{Queries: q}; _ = tx.DeleteComment(`c`) }",
		"pointer":          "func (q *Queries) Bad() { _, _ = q.db.Exec(`SELECT 1`) }",
	} {
		if len(writesOfQueries(parsePackage(t, "package store\n"+method))) == 0 {
			t.Errorf("%s: passes", name)
		}
	}
}

// TestDriver: statements run through package sqldb alone.
func TestDriver(t *testing.T) {
	var importing []string
	set := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		f, err := parser.ParseFile(set, name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		uses := func(i *ast.ImportSpec) bool { return i.Path.Value == `"database/sql"` }
		if !strings.HasSuffix(name, "_test.go") && slices.ContainsFunc(f.Imports, uses) {
			importing = append(importing, name)
		}
	}
	if len(importing) > 0 {
		t.Errorf("%q import database/sql", importing)
	}
}

// parsePackage returns the files of this package that are not tests, and extra.
func parsePackage(t *testing.T, extra string) []*ast.File {
	t.Helper()
	set := token.NewFileSet()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	if extra != "" {
		f, err := parser.ParseFile(set, "extra.go", extra, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	e := f.Recv.List[0].Type
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	id, _ := e.(*ast.Ident)
	if id == nil {
		return "?"
	}
	return id.Name
}

func readingMethods(files []*ast.File) (methods []*ast.FuncDecl) {
	for _, file := range files {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && receiver(f) == "Queries" {
				methods = append(methods, f)
			}
		}
	}
	return methods
}

// declarations returns the package's functions, methods, constants and variables by name. Methods of Tx and of
// those that make one are left out: Queries has none of these. So are the words of migrations.
func declarations(files []*ast.File) map[string][]ast.Node {
	all := map[string][]ast.Node{}
	for _, file := range files {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if !slices.Contains([]string{"Tx", "Store", "loader"}, receiver(d)) {
					all[d.Name.Name] = append(all[d.Name.Name], d)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if v, ok := s.(*ast.ValueSpec); ok && v.Names[0].Name != "schema" {
						for _, name := range v.Names {
							all[name.Name] = append(all[name.Name], v)
						}
					}
				}
			}
		}
	}
	return all
}

var (
	writingText  = regexp.MustCompile(`\b(INSERT|UPDATE|DELETE|MERGE|TRUNCATE|CREATE|DROP|ALTER|LOCK|FOR (NO KEY |KEY )?(UPDATE|SHARE))\b`)
	writingNames = []string{"Exec", "ExecOne", "ExecCount", "Insert", "LockKeys", "Tx", "LockRow", "LockShare",
		"LockParent", "SkipLocked"}
)

// writesOfQueries follows each name from the methods of Queries to its declarations, and returns what writes or locks.
func writesOfQueries(files []*ast.File) (faults []string) {
	declared, seen := declarations(files), map[ast.Node]bool{}
	var visit func(root string, n ast.Node)
	visit = func(root string, n ast.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if n.Kind == token.STRING && writingText.MatchString(n.Value) {
					faults = append(faults, root+" reaches the statement "+n.Value)
				}
			case *ast.Ident:
				if slices.Contains(writingNames, n.Name) {
					faults = append(faults, root+" reaches "+n.Name)
				}
				for _, d := range declared[n.Name] {
					visit(root, d)
				}
			}
			return true
		})
	}
	for _, m := range readingMethods(files) {
		visit("Queries."+m.Name.Name, m)
	}
	return faults
}
