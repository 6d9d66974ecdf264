package redact

import "bugslice/internal/redact/decide"

// Counts are the secrets that were removed, by kind.
type Counts map[string]int

// Add adds other counts.
func (c Counts) Add(other Counts) {
	for kind, n := range other {
		c[kind] += n
	}
}

func (c Counts) count(rule *decide.Rule) {
	if c != nil {
		c[rule.Kind]++
	}
}
