package redact

import (
	"slices"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

// trace records which rules remove something, for Explain. Its markers number them.
type trace struct{ rules []*decide.Rule }

func (t *trace) marker(rule *decide.Rule) string {
	n := slices.Index(t.rules, rule)
	if n < 0 {
		n = len(t.rules)
		t.rules = append(t.rules, rule)
	}
	return lex.Marker("trace_" + string([]byte{'a' + byte(n/676%26), 'a' + byte(n/26%26), 'a' + byte(n%26)}))
}

// rule returns the rule that a marker, whose kind it is given, names; nil for another marker.
func (t *trace) rule(kind string) *decide.Rule {
	const prefix = "trace_"
	if len(kind) != len(prefix)+3 || kind[:len(prefix)] != prefix {
		return nil
	}
	n := 0
	for _, c := range []byte(kind[len(prefix):]) {
		n = n*26 + int(c-'a')
	}
	if n >= len(t.rules) {
		return nil
	}
	return t.rules[n]
}
