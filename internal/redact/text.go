package redact

import (
	"slices"
	"strings"
)

// Text redacts running text: prose, logs, console messages, stack traces, commands, Markdown
// and configuration, with the URLs, headers, assignments and pieces of JSON in it.
func (r *Redactor) Text(s string, c Counts) string {
	return r.redactText(r.nextInStream(s, c), c, 0)
}

func (r *Redactor) redactText(s string, c Counts, depth int) string {
	st := state{depth: depth, kube: strings.Contains(s, "kind: Secret")}
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

// state is what the lines of a text have in common while they are redacted one by one.
type state struct {
	depth int  // of texts within texts
	pair  int  // lines in which a value may follow its sensitive name
	aws   int  // lines in which a secret key may follow an access key
	block int  // the least indentation of a value's further lines, plus one
	kube  bool // the text has a Kubernetes secret
	data  int  // the indentation below which all values are secrets, plus one

	key          *pemKey       // that has not ended
	putty        int           // lines that are a private key
	netrc        int           // lines in which a password may follow a login
	continuation *continuation // from an earlier line
	shell        string        // the lines of a command that has not ended
}

// redactNext redacts the next line of a text. A line that is held is written, with its line break, before a later one.
func (r *Redactor) redactNext(s string, st *state, c Counts) (line string, held bool) {
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
		s = removePEM(s, st, c)
		if st.key != nil {
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
func (r *Redactor) redactLine(s string, st *state, c Counts) string {
	structured := false
	if j := indent(s); j < len(s) && (s[j] == '{' || s[j] == '[') && st.block == 0 && st.depth < maxDepth {
		structured = true
		if out, ok := r.redactJSON(s, c, st.depth+1); ok {
			return out
		}
	}
	out, ok := untilStable(s, c, func(s string) []edit {
		after := *st
		x := scan{r: r, s: s, st: &after}
		x.scanLine()
		x.finish()
		if len(x.edits) == 0 {
			*st = after
		}
		return x.edits
	})
	if !ok {
		return marker(kindLine)
	}
	if structured && out != s {
		if again, ok := r.redactJSON(out, c, st.depth+1); ok {
			return again
		}
	}
	return out
}

// finish adds the matches of the workspace's patterns, and sorts and merges the edits.
func (x *scan) finish() {
	if len(x.r.patterns) > 0 {
		x.patterns()
	}
	if len(x.edits) < 2 {
		return
	}
	slices.SortStableFunc(x.edits, func(a, b edit) int { return a.start - b.start })
	merged := x.edits[:1]
	for _, e := range x.edits[1:] {
		if last := &merged[len(merged)-1]; e.start < last.end {
			last.end = max(last.end, e.end)
			continue
		}
		merged = append(merged, e)
	}
	x.edits = merged
}
