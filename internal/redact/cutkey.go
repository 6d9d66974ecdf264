package redact

import (
	"strings"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

// leastCutKey is the number of digits of base64 in the first line of a private key that has lost the line before it.
const leastCutKey = 16

// beginCutKey begins a private key in a line when the line and those after it are base64 up to the end of a key, as
// in a log whose beginning is cut off. text returns the text from the line on, at least maxPEM bytes of it.
func (st *lines) beginCutKey(line string, c Counts, text func() string) {
	if st.keyless > 0 {
		st.keyless--
		return
	}
	from := cutKeyStart(line)
	if from < 0 || st.key != nil || strings.Contains(line[:from], closesPEM) {
		return
	}
	key := pemKey{held: line[:from] + lex.Marker(decide.KindKey), margin: len(withoutColors(line[:from])), body: true}
	probe := key
	st.keyless = -1 // the first line is this one
	for s := range strings.Lines(text()) {
		s = strings.TrimRight(s, "\r\n")
		if mark, to := pemMark(s, 0, closesPEM); mark >= 0 {
			if pemTitleEnd(s, to) > to && probe.continues(s[:mark]) {
				st.key = &key
				c.countUnseen(decide.PrivateKey.Rule)
			}
			break
		}
		if !probe.continues(s) {
			break
		}
		st.keyless++
	}
	if st.keyless = max(0, st.keyless); st.key != nil {
		st.keyless = 0
	}
}

// cutKeyStart returns where the digits of base64 begin at the end of a line that may be one of a private key; -1 when
// it has too few.
func cutKeyStart(line string) int {
	if strings.IndexByte(line, '\x1b') >= 0 {
		return -1
	}
	end := len(line)
	for end > 0 && strings.IndexByte(" \t\"',+", line[end-1]) >= 0 {
		end--
	}
	from := end
	for from > 0 && lex.In(line[from-1], lex.Alnum|lex.Base) {
		from--
	}
	if end-from < leastCutKey || !lex.HasCapitalAndDigit(line[from:end]) {
		return -1
	}
	return from
}

// removeCutPEM removes the digits of base64 before the end of a private key that begins in no line.
func removeCutPEM(s string, c Counts) string {
	mark, to := pemMark(s, 0, closesPEM)
	if mark < 0 || pemTitleEnd(s, to) == to || strings.Contains(s[:mark], opensPEM) {
		return s
	}
	from := mark
	for from > 0 && (lex.In(s[from-1], lex.Base64) || s[from-1] == '\\' || s[from-1] == '%') {
		from--
	}
	for from < mark && s[from] == '\\' {
		from++
	}
	if mark-from < leastCutKey || !lex.HasCapitalAndDigit(s[from:mark]) {
		return s
	}
	c.countUnseen(decide.PrivateKey.Rule)
	return s[:from] + lex.Marker(decide.KindKey) + s[to+dashesEnd(s[to:]):]
}
