package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// mutant is a check that is switched off.
type mutant struct {
	number         int
	file, function string
	line           int
	text, kind     string
	killed         bool
}

func (m *mutant) String() string {
	return fmt.Sprintf("%d %s:%d %s: %s (%s)", m.number, m.file, m.line, m.function, m.text, m.kind)
}

// key names a mutant wherever it stands in its file.
func (m *mutant) key() string { return m.function + ": " + m.text }

// checks are the functions that check a right, each with the switch that replaces its result while the mutant is
// active.
var checks = map[string]string{
	"Allow": "mutantError(%d)", "RequireAdmin": "mutantError(%d)", "checkGrantable": "mutantError(%d)",
	"verifyRights": "mutantError(%d)",
	"canRead":      "mutantError(%d)", "setGrant": "mutantError(%d)",
	"RoleIn": "mutantRole(%d)", "role": "mutantRole(%d)", "isAuthor": "mutantTrue(%d)", "authentic": "mutantTrue(%d)",
	"Reauthorize": "mutantCaller(%d, %s)", "reauthorize": "mutantCaller(%d, %s)",
}

// about matches a condition about a right.
var about = regexp.MustCompile(`RoleAdmin|UserCaller|ServiceCaller|\.Scopes|superseded|RevokedAt|cred\.|OrganizationID !=|OrgID !=|` +
	`Credential|operation == ""|unchanged|proved|\.read [!=]=|lockRole [!=]=|lacking|limit != nil`)

// grant matches a condition that grants a right when it holds.
var grant = regexp.MustCompile(`^(c\.WorkspaceID == workspaceID|c\.Type == UserCaller && \*k\.UserID == c\.ID)$`)

const switches = `package tracker

import (
	"os"
	"strconv"

	"bugslice/api"
	"bugslice/internal/access"
)

var mutantActive, _ = strconv.Atoi(os.Getenv("BUGSLICE_MUTANT"))

func mutantError(n int) func(error) error {
	return func(err error) error {
		if n == mutantActive {
			return nil
		}
		return err
	}
}

func mutantRole(n int) func(api.Role, error) (api.Role, error) {
	return func(r api.Role, err error) (api.Role, error) {
		if n == mutantActive {
			return api.RoleAdmin, nil
		}
		return r, err
	}
}

func mutantCaller(n int, c access.Caller) func(access.Caller, error) (access.Caller, error) {
	return func(now access.Caller, err error) (access.Caller, error) {
		if n == mutantActive {
			return c, nil
		}
		return now, err
	}
}

func mutantTrue(n int) func(bool) bool  { return func(b bool) bool { return b || n == mutantActive } }
func mutantFalse(n int) func(bool) bool { return func(b bool) bool { return b && n != mutantActive } }
`

// ofAccess matches what package access leaves out of the switches.
var ofAccess = regexp.MustCompile(`\t"[^"]*/internal/access"\n|access\.`)

// instrument writes the packages with a switch around each check, and returns the mutants.
func instrument(dir string) ([]*mutant, error) {
	var mutants []*mutant
	inAccess := ofAccess.ReplaceAllString(strings.Replace(switches, "package tracker", "package access", 1), "")
	files := map[string]string{tested + "/mutant_switches.go": switches, "internal/access/mutant_switches.go": inAccess}
	var paths []string
	for _, target := range targets {
		of, err := filepath.Glob(target + "/*.go")
		if err != nil {
			return nil, err
		}
		paths = append(paths, of...)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		s := &source{path: path, text: string(text), fset: token.NewFileSet(), first: len(mutants) + 1}
		if err := s.find(); err != nil {
			return nil, err
		}
		mutants = append(mutants, s.mutants...)
		files[path] = s.mutated()
	}
	return mutants, writeOverlay(dir, files)
}

// source is a file and the switches that are inserted into it.
type source struct {
	path, text string
	fset       *token.FileSet
	function   string
	first      int // number of its first mutant
	mutants    []*mutant
	inserts    []insert
}

type insert struct {
	at   int
	text string
}

func (s *source) find() error {
	file, err := parser.ParseFile(s.fset, s.path, s.text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			s.function = f.Name.Name
			ast.Inspect(f, s.visit)
		}
	}
	return nil
}

// visit inserts a switch around a call of a check, the condition of an if, and the only condition of a case. It is a
// visitor of ast.Inspect.
func (s *source) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		if replacement := checks[calledName(n)]; replacement != "" {
			s.wrap(n, replacement, calledName(n)+" is not checked", n)
		}
	case *ast.IfStmt:
		s.condition(n.Cond)
	case *ast.SwitchStmt:
		for _, clause := range n.Body.List {
			if exprs := clause.(*ast.CaseClause).List; n.Tag == nil && len(exprs) == 1 {
				s.condition(exprs[0])
			}
		}
	}
	return true
}

func (s *source) condition(e ast.Expr) {
	switch text := s.of(e); {
	case grant.MatchString(text):
		s.wrap(e, "mutantTrue(%d)", "always holds", nil)
	case about.MatchString(text):
		s.wrap(e, "mutantFalse(%d)", "never holds", nil)
	}
}

// wrap puts a switch around an expression.
func (s *source) wrap(e ast.Expr, to, kind string, call *ast.CallExpr) {
	number := s.first + len(s.mutants)
	args := []any{number}
	if strings.Contains(to, "%s") {
		args = append(args, s.of(call.Args[1]))
	}
	s.mutants = append(s.mutants, &mutant{number: number, file: filepath.Base(s.path),
		line:     s.fset.Position(e.Pos()).Line,
		function: s.function, text: strings.Join(strings.Fields(s.of(e)), " "), kind: kind})
	from, end := s.fset.Position(e.Pos()).Offset, s.fset.Position(e.End()).Offset
	s.inserts = append(s.inserts, insert{from, fmt.Sprintf(to, args...) + "("}, insert{end, ")"})
}

func (s *source) of(n ast.Node) string {
	return s.text[s.fset.Position(n.Pos()).Offset:s.fset.Position(n.End()).Offset]
}

// mutated returns the text with every switch inserted. Of two switches at one position, the outer one was found first.
func (s *source) mutated() string {
	text := s.text
	order := slices.Clone(s.inserts)
	slices.Reverse(order)
	slices.SortStableFunc(order, func(a, b insert) int { return b.at - a.at })
	for _, i := range order {
		text = text[:i.at] + i.text + text[i.at:]
	}
	return text
}

// calledName returns the name of the called function, without its receiver or package.
func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}
