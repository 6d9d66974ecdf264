package web

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	cssNoise   = regexp.MustCompile(`(?s)/\*.*?\*/|"[^"]*"|url\([^)]*\)`)
	cssClass   = regexp.MustCompile(`\.([a-zA-Z][\w-]*)`)
	classNames = regexp.MustCompile(`class="((?:\{\{[^}]*\}\}|[^"])*)"`)
	actions    = regexp.MustCompile(`\{\{[^}]*\}\}`)
	literals   = regexp.MustCompile("\"[^\"\n]*\"|`[^`]*`")
	classWord  = regexp.MustCompile(`[a-zA-Z][\w-]*`)
)

// TestStylesAreUsed: each class of a stylesheet is one that a template, a script or the code of the pages gives to an
// element. A class that was renamed in one place only would leave elements without their style.
func TestStylesAreUsed(t *testing.T) {
	t.Parallel()
	used := map[string]bool{} // a word that ends with - is the beginning of classes
	add := func(text string) {
		for _, word := range classWord.FindAllString(text, -1) {
			used[word] = true
		}
	}
	styled := map[string]string{}
	for _, root := range []string{".", "../markdown"} {
		must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			switch filepath.Ext(path) {
			case ".css":
				for _, found := range cssClass.FindAllStringSubmatch(cssNoise.ReplaceAllString(string(text), ""), -1) {
					styled[found[1]] = path
				}
			case ".html", ".templ":
				for _, found := range classNames.FindAllStringSubmatch(string(text), -1) {
					add(actions.ReplaceAllString(found[1], " "))
					for _, action := range actions.FindAllString(found[1], -1) {
						for _, literal := range literals.FindAllString(action, -1) {
							add(literal)
						}
					}
				}
			}
			if ext := filepath.Ext(path); ext == ".js" || ext == ".go" || ext == ".templ" {
				for _, literal := range literals.FindAllString(string(text), -1) {
					add(literal)
				}
			}
			return err
		}))
	}
	if len(styled) < 200 {
		t.Errorf("only %d classes were found", len(styled))
	}
	for class, path := range styled {
		if !used[class] && !hasUsedBeginning(used, class) {
			t.Errorf("%s has styles for the class %s, which no element has", path, class)
		}
	}
}

// hasUsedBeginning says whether a class begins with a word that a template completes, such as badge- of
// badge-{{.State}}.
func hasUsedBeginning(used map[string]bool, class string) bool {
	for i := range class {
		if class[i] == '-' && used[class[:i+1]] {
			return true
		}
	}
	return false
}
