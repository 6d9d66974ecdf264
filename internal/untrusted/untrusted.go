// Package untrusted writes text from outside into Markdown that agents and people read: the text stays in its fence or
// between its backticks, and has nothing that nobody sees.
//
//	untrusted.Code(summary, 120)            // in a line, between backticks
//	untrusted.Fenced("text", description)   // in a fence of its own
package untrusted

import (
	"regexp"
	"strings"
	"unicode"
)

// colors match the sequences with which programs colour a line in a terminal.
var colors = regexp.MustCompile("\x1b\\[[0-9;:]*m")

// Visible returns a text in UTF-8 without characters that nobody sees. A terminal would obey some of them, and a reader
// of the Markdown would not know what an agent was told by others. The joiners and the variation selectors that scripts
// and emoji need stay.
func Visible(text string) string {
	before := rune(-1)
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == '\u200c', r == '\u200d', varies(before, r):
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r),
			unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
			return -1
		}
		before = r
		return r
	}, colors.ReplaceAllString(strings.ToValidUTF8(text, "�"), ""))
}

// varies reports whether a variation selector may follow a character: that of an emoji or of text once, and others
// after a Chinese character. After any other, one could hide a byte behind each letter.
func varies(before, r rune) bool {
	if r == '\ufe0e' || r == '\ufe0f' {
		return before >= 0 && !unicode.Is(unicode.Variation_Selector, before)
	}
	return unicode.Is(unicode.Variation_Selector, r) && unicode.Is(unicode.Han, before)
}

// Inline returns at most n characters of a text in one line without backticks.
func Inline(text string, n int) string {
	return Shortened(strings.ReplaceAll(strings.Join(strings.Fields(Visible(text)), " "), "`", "'"), n)
}

// Code returns at most n characters of a text in one line between backticks, and nothing for an empty text.
func Code(text string, n int) string {
	if text = Inline(text, n); text == "" {
		return ""
	}
	return "`" + text + "`"
}

// Shortened returns at most n characters of a text, followed by an ellipsis when it has more.
func Shortened(text string, n int) string {
	count := 0
	for i := range text {
		if count++; count > n {
			return text[:i] + "…"
		}
	}
	return text
}

// backtickRuns match runs of backticks, which could end a fence.
var backtickRuns = regexp.MustCompile("`{3,}")

// MaxRun is the number of backticks to which a longer run is cut.
const MaxRun = 10

// CutRuns cuts runs of backticks to MaxRun, so that no fence is long.
func CutRuns(text string) string {
	return backtickRuns.ReplaceAllStringFunc(text, func(run string) string { return run[:min(len(run), MaxRun)] })
}

// Fenced returns a text in a fence that it cannot end, with a line break at the end.
func Fenced(language, text string) string {
	text = CutRuns(Visible(text))
	fence := Fence(text)
	return fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

// Fence returns the fence of a text: longer than every run of backticks in it.
func Fence(text string) string {
	fence := "```"
	for _, run := range backtickRuns.FindAllString(text, -1) {
		fence = strings.Repeat("`", max(len(fence), len(run)+1))
	}
	return fence
}
