package schema

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
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

// TestPatternLiterals: no pattern of the document ends a line, because generators write patterns as literals of
// JavaScript.
func TestPatternLiterals(t *testing.T) {
	document, err := os.ReadFile("../../api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	patterns := regexp.MustCompile(`"pattern": ("(?:[^"\\]|\\.)*")`).FindAllSubmatch(document, -1)
	if len(patterns) < 10 {
		t.Fatalf("%d patterns", len(patterns))
	}
	for _, m := range patterns {
		var pattern string
		if err := json.Unmarshal(m[1], &pattern); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(pattern, "\n\r\u2028\u2029") {
			t.Errorf("the pattern %q ends a line", pattern)
		}
	}
}
