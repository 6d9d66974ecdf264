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

// classTexts returns the texts of a template, a script or code that may have classes.
func classTexts(path, text string) string {
	var all []string
	if ext := filepath.Ext(path); ext != ".html" {
		all = literals.FindAllString(text, -1)
	}
	if ext := filepath.Ext(path); ext == ".html" || ext == ".templ" {
		for _, found := range classNames.FindAllStringSubmatch(text, -1) {
			all = append(all, actions.ReplaceAllString(found[1], " "))
			for _, action := range actions.FindAllString(found[1], -1) {
				all = append(all, literals.FindAllString(action, -1)...)
			}
		}
	}
	return strings.Join(all, " ")
}

// TestStylesAreUsed: each class of a stylesheet is one that a template, a script or the code of the pages gives to an
// element. A class that was renamed in one place only would leave elements without their style.
func TestStylesAreUsed(t *testing.T) {
	t.Parallel()
	used := map[string]bool{} // a word that ends with - is the beginning of classes
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
			case ".html", ".templ", ".js", ".go":
				for _, word := range classWord.FindAllString(classTexts(path, string(text)), -1) {
					used[word] = true
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
