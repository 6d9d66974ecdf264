package redact

import (
	"maps"
	"slices"
	"strings"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/find"
	"bugslice/internal/redact/lex"
)

// Text redacts running text: prose, logs, console messages, stack traces, commands, Markdown
// and configuration, with the URLs, headers, assignments and pieces of JSON in it.
func (r *Redactor) Text(s string, c Counts) string {
	r = r.alone()
	return r.again(r.redactText(r.nextInStream(s, c), c, 0), c, false)
}

func (r *Redactor) redactText(s string, c Counts, depth int) string {
	st := newLines(s, depth)
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
		line, held := r.redactNext(s[at:end], &st, c)
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
		out = append(out, r.redactLine(st.key.unended(), &st, c)...)
	}
	if out == nil {
		return s
	}
	return string(append(out, s[copied:]...))
}

// lines are what the lines of a text have in common while they are redacted one by one.
type lines struct {
	find.State
	key   *pemKey // that has not ended
	depth int     // of texts within texts
}

func newLines(s string, depth int) lines {
	return lines{depth: depth, State: find.State{Kube: strings.Contains(s, "kind: Secret")}}
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
	if strings.Contains(s, opensPEM) {
		if s, st.key = removePEM(s, c); st.key != nil {
			return before, true
		}
	}
	line = r.redactLine(s, st, c)
	if before != "" {
		line = before + line
	}
	return line, false
}

// redactLine redacts a line until it no longer changes, so that a redacted line is never changed again. A line that still changes after
// maxRounds is removed as a whole.
func (r *Redactor) redactLine(s string, st *lines, c Counts) string {
	structured := false
	if j := lex.Indent(s); j < len(s) && (s[j] == '{' || s[j] == '[') && !st.InBlock() && st.depth < maxDepth {
		structured = true
		if out, ok := r.redactJSON(s, c, st.depth+1); ok {
			return out
		}
	}
	x := r.scanner(st.depth)
	out, ok := r.untilStable(s, c, func(s string) []find.Edit {
		after := st.State
		x.Edits = x.Edits[:0]
		x.ScanLine(s, &after)
		edits := r.finish(s, x.Edits, false)
		if len(edits) == 0 {
			st.State = after
		}
		return edits
	})
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

// scanner returns a scanner of texts at a depth.
func (r *Redactor) scanner(depth int) find.Scanner {
	x := find.Scanner{Set: r.set, Marker: r.marker}
	if depth < maxDepth {
		x.Inner = inner{r, depth + 1}
	}
	return x
}

// inner looks for secrets in texts that are within another one.
type inner struct {
	r     *Redactor
	depth int
}

func (n inner) Text(s string) *decide.Rule {
	return n.look(func(r *Redactor, c Counts) bool { return r.redactString(s, c, n.depth) != s })
}

func (n inner) Body(mediaType, s string) *decide.Rule {
	return n.look(func(r *Redactor, c Counts) bool { return r.bodies(r, mediaType, s, c, n.depth) != s })
}

// look returns the rule of a secret that redact removes.
func (n inner) look(redact func(r *Redactor, c Counts) bool) *decide.Rule {
	r := *n.r
	r.removed = nil
	c := Counts{}
	if !redact(&r, c) {
		return nil
	}
	kind := decide.KindField
	if len(c) > 0 {
		kind = slices.Min(slices.Collect(maps.Keys(c)))
	}
	return decide.Nested(kind)
}
