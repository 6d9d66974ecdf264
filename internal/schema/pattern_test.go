package schema

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// TestPatternRules: each pattern of package api has a rule in words, because people on the pages read the faults, too.
func TestPatternRules(t *testing.T) {
	files, err := filepath.Glob("../../api/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no file of package api: %v", err)
	}
	tag, found := regexp.MustCompile(`pattern:("(?:[^"\\]|\\.)*")`), map[string]bool{`\S`: true}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range tag.FindAllSubmatch(text, -1) {
			pattern, err := strconv.Unquote(string(m[1]))
			if err != nil {
				t.Fatal(err)
			}
			if !found[pattern] && patternRules[pattern] == "" {
				t.Errorf("%s: no rule in words for the pattern %s", file, pattern)
			}
			found[pattern] = true
		}
	}
	for pattern := range patternRules {
		if !found[pattern] {
			t.Errorf("no member has the pattern %s", pattern)
		}
	}
}
