package redact

import (
	"slices"
	"strings"
)

// Text redacts running text: prose, logs, console messages, stack traces, commands, Markdown
// and configuration, with the URLs, headers, assignments and pieces of JSON in it.
func (r *Redactor) Text(s string, c Counts) string { return r.text(s, c, 0) }

func (r *Redactor) text(s string, c Counts, depth int) string {
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
		line, held := r.next(s[at:end], &st, c)
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
		out = append(out, r.line(st.key.cut(), &st, c)...)
	}
	if out == nil {
		return s
	}
	return string(append(out, s[copied:]...))
}

// state is what one line tells about those after it.
type state struct {
	depth int // of texts within texts
	pair  int // lines in which a value belongs to the telling name before it
	aws   int // lines in which a secret key may follow an access key
	block int // the least indentation of a value's further lines, plus one
	kube  bool
	data  int // the indentation below which all values are secrets, plus one

	key   *key   // a private key goes on
	putty int    // lines that are a private key
	netrc int    // lines in which a password may follow a login
	below *below // what goes on from an earlier line
	shell string // the lines of a command that goes on
}

const (
	maxDepth  = 5 // of texts within texts
	maxRounds = 5
)

// next redacts one line. A line that is held comes out, together with its end, before a later one.
func (r *Redactor) next(s string, st *state, c Counts) (line string, held bool) {
	before := ""
	if st.key != nil {
		tail, ended := st.key.ends(s)
		switch {
		case ended:
			s = st.key.held + tail
		case st.key.takes(s):
			return "", true
		default:
			text := st.key.cut()
			st.key = nil
			before = r.line(text, st, c) + "\n"
		}
		st.key = nil
	}
	if strings.Contains(s, opensPEM) {
		s = pem(s, st, c)
		if st.key != nil {
			return before, true
		}
	}
	line = r.line(s, st, c)
	if before != "" {
		line = before + line
	}
	return line, false
}

// line redacts one line, again and again until nothing changes: so that it will not change
// when it comes a second time. A line that does not come to rest goes as a whole.
func (r *Redactor) line(s string, st *state, c Counts) string {
	structured := false
	if j := indent(s); j < len(s) && (s[j] == '{' || s[j] == '[') && st.block == 0 && st.depth < maxDepth {
		structured = true
		if out, ok := r.json(s, c, st.depth+1); ok {
			return out
		}
	}
	out, ok := settle(s, c, func(s string) []edit {
		after := *st
		x := scan{r: r, s: s, st: &after}
		x.line()
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
		if again, ok := r.json(out, c, st.depth+1); ok {
			return again
		}
	}
	return out
}

// settle makes the edits that are found, until none are. It says whether that came to be.
func settle(s string, c Counts, look func(string) []edit) (string, bool) {
	for range maxRounds {
		edits := look(s)
		if len(edits) == 0 {
			return s, true
		}
		for _, e := range edits {
			c.count(e.kind)
		}
		s = apply(s, edits)
	}
	return s, false
}

// finish adds what the workspace's patterns find, and puts the edits in order.
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
