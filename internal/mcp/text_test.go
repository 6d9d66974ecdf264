package mcp

import (
	"strings"
	"testing"
)

// TestFences: a text cannot end its fence, and has nothing that nobody sees.
func TestFences(t *testing.T) {
	for _, text := range []string{"a", "```", "x\n```\ny", strings.Repeat("`", 40), "````text\n`````", "\u202ea\u200b\x1b[1m"} {
		lines := strings.Split(strings.TrimSuffix(fenced(text), "\n"), "\n")
		end := lines[len(lines)-1]
		if lines[0] != end+"text" {
			t.Errorf("%q: begins with %q and ends with %q", text, lines[0], end)
		}
		for _, line := range lines[1 : len(lines)-1] {
			if strings.HasPrefix(strings.TrimSpace(line), end) || strings.ContainsAny(line, "\u202e\u200b\x1b") {
				t.Errorf("%q: the line %q", text, line)
			}
		}
	}
}
