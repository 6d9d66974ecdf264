package untrusted_test

import (
	"strings"
	"testing"

	"bugslice/internal/assert"
	"bugslice/internal/untrusted"
)

// TestFences: a text cannot end its fence, and has nothing that nobody sees.
func TestFences(t *testing.T) {
	for _, text := range []string{"a", "```", "x\n```\ny", strings.Repeat("`", 40), "````text\n`````", "\u202ea\u200b\x1b[1m"} {
		lines := strings.Split(strings.TrimSuffix(untrusted.Fenced("text", text), "\n"), "\n")
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

// TestInline: a line has no line breaks, no backticks, and nothing that nobody sees.
func TestInline(t *testing.T) {
	assert.Equal(t, "line", untrusted.Code("re\U000E0141\u3164lease\u202e\n`1`\x1b[31m \xff", 100), "`release '1' �`")
	assert.Equal(t, "shortened", untrusted.Code("héllo", 2), "`hé…`")
	assert.Equal(t, "empty", untrusted.Code(" \n\u200b", 10), "")
	assert.Equal(t, "emoji and joiners", untrusted.Inline("❤\ufe0f 👩\u200d💻", 10), "❤\ufe0f 👩\u200d💻")
}
