package markdown

import (
	"testing"

	"bugslice/internal/assert"
)

// TestText: a text in one line has its words without the marks of formatting.
func TestText(t *testing.T) {
	for source, want := range map[string]string{
		"The **total** of `cart.go` is _wrong_.":      "The total of cart.go is wrong.",
		"# Steps\n\n1. Open\n2. Pay\n\n> and wait":    "Steps Open Pay and wait",
		"[the log](https://a.example) says\n`a < b`":  "the log says a < b",
		"| a | b |\n|---|---|\n| 1 | 2 |":             "a b 1 2",
		"```go\nfmt.Println(\"&amp;\")\n```":          `fmt.Println("&amp;")`,
		"5 * 3 * 2 is snake_case_word":                "5 * 3 * 2 is snake_case_word",
		"a <b>bold</b> <script>alert(1)</script> end": "a bold <script>alert(1)</script> end",
		"<!-- -->": "<!-- -->",
		"":         "",
	} {
		assert.Equal(t, source, Text(source), want)
	}
}
