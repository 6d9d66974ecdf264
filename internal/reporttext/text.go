package reporttext

import "bugslice/internal/untrusted"

// maxInline is the number of characters of text from outside in a line.
const maxInline = 300

// inlineText returns text from outside for a line of Markdown, between backticks or in a fence.
func inlineText(s string) string { return untrusted.Inline(s, maxInline) }

// truncate returns at most limit characters of a text.
func truncate(s string, limit int) string {
	n := 0
	for i := range s {
		if n++; n > limit {
			return s[:i]
		}
	}
	return s
}
