package bugslice_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```")
	quoted  = regexp.MustCompile("`[^`\n]*`")
)

// TestLinks: each link between the documents leads to a file that exists, and to a heading that it has.
func TestLinks(t *testing.T) {
	documents, seen := sources(t), 0
	for path, text := range documents {
		if filepath.Ext(path) != ".md" {
			continue
		}
		prose := quoted.ReplaceAllString(fenced.ReplaceAllString(string(text), ""), "")
		for _, found := range link.FindAllStringSubmatch(prose, -1) {
			if strings.Contains(found[1], "://") {
				continue
			}
			seen++
			target, anchor, _ := strings.Cut(found[1], "#")
			if target = filepath.Join(filepath.Dir(path), target); strings.HasPrefix(found[1], "#") {
				target = path
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: there is no such file", path, found[1])
			} else if anchor != "" && !hasHeading(documents[target], anchor) {
				t.Errorf("%s links to %s: %s has no such heading", path, found[1], target)
			}
		}
	}
	if seen < 30 {
		t.Errorf("only %d links seen", seen)
	}
}

var notInAnchors = regexp.MustCompile(`[^\p{L}\p{N}\- _]`)

// hasHeading reports whether a Markdown document has a heading with an anchor, in the form that GitHub makes.
func hasHeading(text []byte, anchor string) bool {
	for _, found := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(string(text), ""), -1) {
		plain := notInAnchors.ReplaceAllString(strings.ToLower(found[1]), "")
		if strings.ReplaceAll(plain, " ", "-") == anchor {
			return true
		}
	}
	return false
}
