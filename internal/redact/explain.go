package redact

import (
	"strings"
)

// Removal is a part of a text that is removed: the bytes from Start to End.
type Removal struct {
	Start, End int
	Kind       string // as in Counts
	Rule       string // the field or the pattern of Rules that removes it; empty for a built-in rule
}

// Explain returns the parts of a text that Text removes, in order. ok is false when they cannot be located, because the
// redacted text is written in another way than the text was.
func (r *Redactor) Explain(s string) (removals []Removal, ok bool) {
	traced := *r
	traced.traced = true
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
		if removed := s[span[0]:span[1]]; isMarker(removed) || removed == "" {
			continue // it was redacted before
		}
		kind, rule := r.ruleOf(kinds[i])
		removals = append(removals, Removal{span[0], span[1], kind, rule})
	}
	return removals, true
}

// ruleOf returns the kind and the rule of a removal from the kind in a traced text.
func (r *Redactor) ruleOf(kind string) (string, string) {
	for prefix, all := range map[string][]string{ownField: r.rules.Fields, ownPattern: r.rules.Patterns} {
		at, ok := strings.CutPrefix(kind, prefix)
		if !ok || len(at) != 2 {
			continue
		}
		if i := int(at[0]-'a')*26 + int(at[1]-'a'); i < len(all) {
			return kindRule, all[i]
		}
	}
	return kind, ""
}

// split returns the texts before, between and after the markers of a redacted text, and the kinds of the markers. Quotes around a marker
// belong to it, because the marker of a number is in quotes.
func split(s string) (literals, kinds []string) {
	from := 0
	for i := 0; i < len(s); i++ {
		end := markerEnd(s, i)
		if end == i {
			continue
		}
		kinds = append(kinds, s[i+len(markerPrefix):end-1])
		start := i
		if start > from && s[start-1] == '"' && end < len(s) && s[end] == '"' {
			start, end = start-1, end+1
		}
		literals = append(literals, s[from:start])
		from, i = end, end-1
	}
	return append(literals, s[from:]), kinds
}

// locate returns the spans of a text between literals, without the quotes around them. ok is false for a text that does not consist of the
// literals with something between each two of them.
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
