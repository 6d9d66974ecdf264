// Package find finds the secrets in a line of text, or in a URL, whatever the syntax: assignments, headers, options
// of commands, calls, elements, cells of tables, sentences. It asks package decide what is a secret and never decides
// itself.
//
// A Scanner collects the edits of one line. State is what the lines of a text have in common. Texts within texts are
// looked into by an Inner, which package redact is.
package find

import (
	"strings"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

// Edit replaces the bytes of a text from Start to End by With. It removes a secret, unless it has no rule.
type Edit struct {
	Start, End int
	Rule       *decide.Rule
	With       string
}

// Inner looks for secrets in a text within another text. Its results are nil for a text without secrets.
type Inner interface {
	Text(s string) *decide.Rule
	Body(mediaType, s string) *decide.Rule
}

// Scanner scans one line, or one URL, from left to right, and collects the edits that remove its secrets.
type Scanner struct {
	Set    *decide.Set
	Inner  Inner // nil when texts are nested too deep
	Marker func(rule *decide.Rule, url bool) string
	Edits  []Edit

	MidLine   bool // the text begins within a line
	Continues bool // the line continues after the text
	ItemStart int  // where the last item of an open list begins

	s                string
	st               *State
	before, from, to int  // where the word before the last begins, where the last begins and ends; -1 for none
	elementText      int  // where the tag of a secret element ends; -1 for none
	looked           int  // where the last word ends before which a name was looked for
	url              bool // the markers are those of URLs
}

// start begins a scan.
func (x *Scanner) start(s string, st *State) {
	x.s, x.st = s, st
	x.before, x.from, x.to, x.elementText, x.looked, x.url = -1, -1, -1, -1, 0, false
}

// Remove removes s[start:end], unless that is empty or a marker already.
func (x *Scanner) remove(start, end int, m decide.Meaning) {
	if start >= end || lex.IsMarker(x.s[start:end]) {
		return
	}
	x.Edits = append(x.Edits, Edit{start, end, m.Rule, x.Marker(m.Rule, x.url)})
}

// Remove removes the bytes from start to end.
func (x *Scanner) Remove(start, end int, m decide.Meaning) { x.remove(start, end, m) }

// removeUnlessPlaceholder removes s[from:to] unless it is a placeholder.
func (x *Scanner) removeUnlessPlaceholder(from, to int, m decide.Meaning) {
	if !decide.IsPlaceholder(x.s[from:to]) {
		x.remove(from, to, m)
	}
}

// withURLMarkers calls fn, whose edits have the markers of URLs.
func (x *Scanner) withURLMarkers(fn func()) {
	was := x.url
	x.url = true
	fn()
	x.url = was
}

// isAfter reports whether a word is among the 1,000 bytes before i, in small letters or in capitals.
func (x *Scanner) isAfter(i int, word string) bool {
	before := x.s[max(0, i-1000):i]
	return strings.Contains(before, word) || strings.Contains(before, strings.ToUpper(word))
}

// blanksEnd returns where the blanks that begin at v end.
func blanksEnd(s string, v int) int { return lex.Run(s, v, lex.Space) }

// skipBold returns the index of the value at v, after blanks and the asterisks of a name in bold Markdown.
func skipBold(s string, v int) int {
	for v < len(s) && s[v] == '*' {
		v++
	}
	return blanksEnd(s, v)
}

// argument returns the argument of a command at v without its quotes, and the index after it.
func (x *Scanner) argument(v int) (from, to, next int) {
	if from, to, next, ok := lex.Quoted(x.s, v); ok {
		return from, to, next
	}
	to = bareEnd(x.s, v, false)
	return v, to, to
}
