package redact

import (
	"strings"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

// Removal is a part of a text that is removed: the bytes from Start to End.
type Removal struct {
	Start, End int
	Kind       string // as in Counts
	ID         string // of the built-in or the added rule that removes it; empty for a field or a pattern
	Rule       string // the field or the pattern of Rules that removes it; empty for another rule
}

// Explain returns the parts of a text that Text removes, in order. ok is false when they cannot be located, because the
// redacted text is written in another way than the text was.
func (r *Redactor) Explain(s string) (removals []Removal, ok bool) {
	traced := *r
	traces := &trace{}
	traced.trace, traced.mark = traces, func(rule *decide.Rule, _ bool) string { return traces.marker(rule) }
	literals, kinds := split(traced.Text(s, Counts{}))
	if len(kinds) == 0 {
		return nil, true
	}
	if _, ok := locate(r.Text(s, Counts{}), literals); !ok {
		return nil, false
	}
	spans, ok := locate(s, literals)
	if !ok {
		return nil, false
	}
	for i, span := range spans {
		if text := s[span[0]:span[1]]; lex.IsMarker(text) || text == "" {
			continue // it was redacted before
		}
		removals = append(removals, removalBy(traced.trace.rule(kinds[i]), kinds[i], span))
	}
	return removals, true
}

// removalBy returns the removal of a span by a rule. Without a rule, its marker names the kind.
func removalBy(rule *decide.Rule, kind string, span [2]int) Removal {
	out := Removal{Start: span[0], End: span[1], Kind: kind}
	if rule == nil {
		return out
	}
	out.Kind = rule.Kind
	if rule.Sort == "field" || rule.Sort == "pattern" {
		out.Rule = rule.ID
	} else {
		out.ID = rule.ID
	}
	return out
}

// split returns the texts before, between and after the markers of a redacted text, and the kinds of the markers.
// Quotes around a marker belong to it, because the marker of a number is in quotes.
func split(s string) (literals, kinds []string) {
	from := 0
	for i := 0; i < len(s); i++ {
		end := lex.MarkerEnd(s, i)
		if end == i {
			continue
		}
		kinds = append(kinds, s[i+len(lex.MarkerPrefix):end-1])
		start := i
		if start > from && s[start-1] == '"' && end < len(s) && s[end] == '"' {
			start, end = start-1, end+1
		}
		literals = append(literals, s[from:start])
		from, i = end, end-1
	}
	return append(literals, s[from:]), kinds
}

// locate returns the spans of a text between literals, without the quotes around them. ok is false for a text that
// does not consist of the literals with something between each two of them.
func locate(s string, literals []string) (spans [][2]int, ok bool) {
	last := len(literals) - 1
	if !strings.HasPrefix(s, literals[0]) || !strings.HasSuffix(s, literals[last]) {
		return nil, false
	}
	at, end := len(literals[0]), len(s)-len(literals[last])
	for i, next := range literals[1:] {
		stop := end
		if i+1 < last {
			k := -1
			if at < end {
				k = strings.Index(s[at+1:end], next)
			}
			if k < 0 {
				return nil, false
			}
			stop = at + 1 + k
		}
		if stop <= at {
			return nil, false
		}
		span := [2]int{at, stop}
		if stop-at > 2 && s[at] == '"' && s[stop-1] == '"' {
			span = [2]int{at + 1, stop - 1}
		}
		spans = append(spans, span)
		at = stop + len(next)
	}
	return spans, true
}
