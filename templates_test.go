package bugslice_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCompiledTemplates: the Go code of each .templ file is what make templates writes.
func TestCompiledTemplates(t *testing.T) {
	dir := t.TempDir()
	committed := map[string][]byte{}
	for path, text := range sources(t) {
		if filepath.Ext(path) != ".templ" {
			continue
		}
		copied := filepath.Join(dir, strings.TrimPrefix(path, "internal/web/"))
		if err := os.MkdirAll(filepath.Dir(copied), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(copied, text, 0o600); err != nil {
			t.Fatal(err)
		}
		compiled, err := os.ReadFile(strings.TrimSuffix(path, ".templ") + "_templ.go")
		if err != nil {
			t.Error(err)
		}
		committed[strings.TrimSuffix(copied, ".templ")+"_templ.go"] = compiled
	}
	if len(committed) < 3 {
		t.Fatalf("only %d templates seen", len(committed))
	}
	run(t, "go", "tool", "-modfile=tools/go.mod", "templ", "generate", "-path", dir)
	for path, want := range committed {
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not that of its template: run make templates (%v)", strings.TrimPrefix(path, dir+"/"), err)
		}
	}
}

// TestTemplateLanguages: rows are compiled. A row is what a page shows for each record of a list, and what scripts
// find and replace one by one: it has data-report or data-time. Pages, forms and their parts are html/template. A
// component exists once: where a page has a name for a compiled one, the name leads to it and has no markup.
func TestTemplateLanguages(t *testing.T) {
	compiled := regexp.MustCompile(`(?m)^templ (\w+)\(`)
	defined := regexp.MustCompile(`(?s)\{\{-? ?define "([^"]+)"(.*?)(?:\{\{-? ?define |$)`)
	capital := regexp.MustCompile(`\B[A-Z]`)
	row := regexp.MustCompile(`<[^<>]*\sdata-(?:report|time)=`)
	names, pages, rows := map[string]string{}, map[string]string{}, 0
	for path, text := range sources(t) {
		switch {
		case !strings.HasPrefix(path, "internal/web/"):
		case filepath.Ext(path) == ".html":
			pages[path] = string(text)
		case filepath.Ext(path) == ".templ":
			rows += len(row.FindAll(text, -1))
			for _, m := range compiled.FindAllStringSubmatch(string(text), -1) {
				names[strings.ToLower(capital.ReplaceAllString(m[1], "-$0"))] = path
			}
		}
	}
	if len(names) < 20 || len(pages) < 40 || rows < 5 {
		t.Fatalf("%d components, %d pages and %d rows seen", len(names), len(pages), rows)
	}
	for path, text := range pages {
		for _, found := range row.FindAllString(text, -1) {
			if !strings.Contains(text, found+`"{{.Reference}}" data-live-whole`) { // the report of the page, and no row
				t.Errorf("%s has the row %s: rows are .templ", path, found)
			}
		}
		for at := defined.FindStringSubmatchIndex(text); at != nil; at = defined.FindStringSubmatchIndex(text) {
			name, body := text[at[2]:at[3]], text[at[4]:at[5]]
			if names[name] != "" && strings.Contains(body, "<") {
				t.Errorf("%s defines %s, as %s does", path, name, names[name])
			}
			text = text[at[5]:]
		}
	}
}
