package redact

import (
	"cmp"
	"maps"
	"slices"

	"bugslice/internal/redact/decide"
)

// Secret is what is known of a secret that was removed.
type Secret struct {
	Kind  string
	Rule  string // the identifier of the rule; the field or the pattern of the workspace; empty when no rule found it
	Shape string // of the value, such as random; empty when it was removed unseen
}

// Counts are the numbers of secrets that were removed.
type Counts map[Secret]int

// Add adds other counts.
func (c Counts) Add(other Counts) {
	for secret, n := range other {
		c[secret] += n
	}
}

// AddKind adds secrets of a kind that no rule has found.
func (c Counts) AddKind(kind string, n int) { c[Secret{Kind: kind}] += n }

// Total returns the number of all secrets.
func (c Counts) Total() (n int) {
	for _, secrets := range c {
		n += secrets
	}
	return n
}

// ByKind returns the number of secrets of each kind.
func (c Counts) ByKind() map[string]int {
	kinds := map[string]int{}
	for secret, n := range c {
		kinds[secret.Kind] += n
	}
	return kinds
}

// Secrets returns what was removed, the most frequent first.
func (c Counts) Secrets() []Secret {
	return slices.SortedFunc(maps.Keys(c), func(a, b Secret) int {
		return cmp.Or(c[b]-c[a], cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Shape, b.Shape))
	})
}

// count counts a value that a rule removed.
func (c Counts) count(rule *decide.Rule, value string) {
	if c != nil {
		c[Secret{rule.Kind, rule.ID, decide.ShapeOf(value).String()}]++
	}
}

// countUnseen counts values that a rule removed and nobody looked at.
func (c Counts) countUnseen(rule *decide.Rule) {
	if c != nil {
		c[Secret{Kind: rule.Kind, Rule: rule.ID}]++
	}
}
