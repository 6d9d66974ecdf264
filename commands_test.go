package bugslice_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	shellBlock    = regexp.MustCompile("(?ms)^```sh\n(.*?)^```")
	indentedBlock = regexp.MustCompile(`(?m)\n\n((?:    .*\n)+)`)
	comment       = regexp.MustCompile(`(^|\s)#(\s|$)`)
)

// TestCommandsOfDocuments: commands in documents can be pasted as they are. They have no comments, since an
// interactive zsh takes those for arguments.
func TestCommandsOfDocuments(t *testing.T) {
	seen := 0
	for path, text := range sources(t) {
		if filepath.Ext(path) != ".md" {
			continue
		}
		blocks := append(shellBlock.FindAllStringSubmatch(string(text), -1),
			indentedBlock.FindAllStringSubmatch(fenced.ReplaceAllString(string(text), ""), -1)...)
		for _, block := range blocks {
			seen++
			for line := range strings.Lines(block[1]) {
				if comment.MatchString(line) {
					t.Errorf("%s: a command with a comment: %s", path, line)
				}
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d blocks seen", seen)
	}
}
