package bugslice_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// The laws of layout are bands: what most of the code stays well inside, and a limit that nothing exceeds.
const (
	maxWideShare  = 0.01  // of the lines, those of more than wideColumns
	wideColumns   = 120   // of a line, with a tab as four
	maxParams     = 5     // of a function, beside its context
	maxParamShare = 0.005 // of the functions, those with maxParams
	maxFiles      = 60    // of a folder, without tests and generated files
	maxMethods    = 60    // of a type
	maxExported   = 150   // names of a package
)

// An exception is larger than a band, for a reason. Its limit lies close above it, so that it does not grow unseen.
type exception struct {
	limit  int
	reason string
}

var (
	largeFolders = map[string]exception{
		"docs/archive":              {110, "decisions of the time before version 0.1.0, which nobody adds to"},
		"internal/store":            {94, "a file for the statements of each kind of record, under one transaction"},
		"internal/store/migrations": {72, "a file for each change of the schema, which stays as databases have run it"},
		"internal/tracker":          {187, "slices, files, comments and what follows from them lock each other's rows"},
	}
	largeTypes = map[string]exception{
		"client.Client": {115, "a method for each operation, generated from the contract"},
		"internal/redact.Redactor": {70,
			"a method for each form of text, which all call each other: JSON in a URL in a command"},
		"internal/redact/find.Scanner": {115,
			"a method for each syntax in which a name has a value, over one position in a text"},
		"internal/store.Queries": {227,
			"a method for each statement that reads; a transaction and a reader share them"},
		"internal/store.Tx": {240, "a method for each statement that writes"},
		"internal/tracker.Tracker": {650, "a method for each operation, under one set of rights, " +
			"which share what they check"},
	}
	largePackages = map[string]exception{
		"api": {915, "the contract: an input type and a record for each operation, and each of their values"},
	}
)

// check reports what is larger than a band without being an exception, or larger than its exception, and exceptions
// that are none.
func check(t *testing.T, what string, sizes map[string]int, band int, exceptions map[string]exception) {
	t.Helper()
	for name, n := range sizes {
		if e, ok := exceptions[name]; ok && n > e.limit {
			t.Errorf("%s has %d %s, more than %d, the limit of this exception (%s)", name, n, what, e.limit, e.reason)
		} else if !ok && n > band {
			t.Errorf("%s has %d %s, more than %d", name, n, what, band)
		}
	}
	for name := range exceptions {
		if sizes[name] <= band {
			t.Errorf("%s has %d %s, at most %d: it is no exception", name, sizes[name], what, band)
		}
	}
}

// TestFunctions: few functions take maxParams parameters and none takes more, and no type or package grows without end.
func TestFunctions(t *testing.T) {
	methods, names := map[string]int{}, map[string]int{}
	var many []string
	all := 0
	for _, p := range typedPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		names[name] = p.exported
		for _, f := range p.functions {
			if strings.Contains(f.at, "_templ.go:") {
				continue
			}
			all++
			if f.receiver != "" {
				methods[name+"."+f.receiver]++
			}
			if f.params > maxParams {
				t.Errorf("%s takes %d parameters beside its context, more than %d", f.at, f.params, maxParams)
			}
			if f.params == maxParams {
				many = append(many, f.at)
			}
		}
	}
	slices.Sort(many)
	if share := float64(len(many)) / float64(all); all < 1000 || share > maxParamShare {
		t.Errorf("%d of %d functions take %d parameters, more than %g:\n%s", len(many), all, maxParams, maxParamShare,
			strings.Join(many, "\n"))
	}
	check(t, "methods", methods, maxMethods, largeTypes)
	check(t, "exported names", names, maxExported, largePackages)
}

// TestFolders: one can take in the files of a folder.
func TestFolders(t *testing.T) {
	files := map[string]int{}
	for path := range sources(t) {
		if !strings.HasSuffix(path, "_test.go") {
			files[filepath.Dir(path)]++
		}
	}
	check(t, "files", files, maxFiles, largeFolders)
}

// TestWideLines: few lines of Go are as wide as a screen.
func TestWideLines(t *testing.T) {
	wide, all := map[string]int{}, map[string]int{}
	for path, text := range sources(t) {
		kind := "code"
		if strings.HasSuffix(path, "_test.go") {
			kind = "tests"
		}
		if filepath.Ext(path) != ".go" {
			continue
		}
		for line := range strings.Lines(string(text)) {
			all[kind]++
			if columns(strings.TrimSuffix(line, "\n")) > wideColumns {
				wide[kind]++
			}
		}
	}
	for _, kind := range []string{"code", "tests"} {
		if share := float64(wide[kind]) / float64(all[kind]); all[kind] == 0 || share > maxWideShare {
			t.Errorf("%d of %d lines of %s have more than %d columns, more than %g of them", wide[kind], all[kind],
				kind,
				wideColumns, maxWideShare)
		}
	}
}

// columns returns the width of a line.
func columns(line string) int { return utf8.RuneCountInString(line) + 3*strings.Count(line, "\t") }
