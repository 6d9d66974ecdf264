package redact

import (
	"strings"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/find"
	"bugslice/internal/redact/lex"
)

// Text redacts running text: prose, logs, console messages, stack traces, commands, Markdown
// and configuration, with the URLs, headers, assignments and pieces of JSON in it.
func (r *Redactor) Text(s string, c Counts) string {
	r = r.Report()
	return r.RemoveRepeated(r.redactText(r.nextInStream(s, c), c, 0), c)
}

func (r *Redactor) redactText(s string, c Counts, depth int) string {
	st := r.newLines(depth)
	defer st.release()
	st.Kube = strings.Contains(s, "kind: Secret")
	var out []byte
	copied := 0
	for at := 0; at < len(s); {
		end, next := len(s), len(s)
		if k := strings.IndexByte(s[at:], '\n'); k >= 0 {
			end, next = at+k, at+k+1
		}
		if end > at && s[end-1] == '\r' {
			end--
		}
		st.beginCutKey(s[at:end], c, func() string { return s[at:min(len(s), at+maxPEM)] })
		line, held := r.redactNext(s[at:end], st, c)
		if held || line != s[at:end] {
			out = append(out, s[copied:at]...)
			out = append(out, line...)
			copied = end
			if held {
				copied = next
			}
		}
		at = next
	}
	if st.key != nil {
		out = append(out, r.redactLine(st.key.unended(), st, c)...)
	}
	if out == nil {
		return s
	}
	return string(append(out, s[copied:]...))
}

// redactNext redacts the next line of a text. A line that is held is written, with its line break, before a later one.
func (r *Redactor) redactNext(s string, st *lines, c Counts) (line string, held bool) {
	before := ""
	if st.key != nil {
		tail, ended := st.key.endsIn(s)
		switch {
		case ended:
			s = st.key.held + tail
		case st.key.continues(s):
			return "", true
		default:
			text := st.key.unended()
			st.key = nil
			before = r.redactLine(text, st, c) + "\n"
		}
		st.key = nil
	}
	if strings.Contains(s, closesPEM) {
		s = removeCutPEM(s, c)
	}
	if strings.Contains(s, opensPEM) {
		if s, st.key = removePEM(s, c); st.key != nil {
			return before, true
		}
	}
	line = r.redactLine(s, st, c)
	if line != s && strings.Contains(line, opensPEM) {
		if from, _ := pemStart(line, 0); from >= 0 { // the title of a key has become short enough
			line, held = r.redactNext(line, st, c)
		}
	}
	if before != "" {
		line = before + line
	}
	return line, held
}

// redactLine redacts a line until it no longer changes, so that a redacted line is never changed again. A line that
// still changes after maxRounds is removed as a whole.
func (r *Redactor) redactLine(s string, st *lines, c Counts) string {
	structured := false
	if j := lex.Indent(s); j < len(s) && (s[j] == '{' || s[j] == '[') && !st.InBlock() && st.depth < maxDepth {
		structured = true
		if out, ok := r.redactJSON(s, c, st.depth+1); ok {
			return out
		}
	}
	out, ok := r.untilStable(s, st, c, (*find.Scanner).ScanLine)
	if !ok {
		return lex.Marker(decide.KindLine)
	}
	if structured && out != s {
		if again, ok := r.redactJSON(out, c, st.depth+1); ok {
			return again
		}
	}
	return out
}
