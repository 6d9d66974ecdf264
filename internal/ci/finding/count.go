package finding

import (
	"cmp"
	"slices"
	"strings"

	"bugslice/internal/ci/cause"
	"bugslice/internal/ci/results"
)

const maxCounted = 300 // characters of the name of a test or of its suite

// count returns how the tests of some runs ended, by suite and name. Skipped tests are left out.
func count(runs []*results.Run) []Count {
	type key struct{ suite, name string }
	all := map[key]*Count{}
	for _, run := range runs {
		for _, s := range run.Suites {
			for _, c := range s.Cases {
				if c.Outcome == results.Skipped {
					continue
				}
				k := key{shortName(s.Name), shortName(caseName(c))}
				if k.name == "" {
					k.name = "(no name)"
				}
				known := all[k]
				if known == nil {
					known = &Count{ID: cause.TestID(s, c), Suite: k.suite, Name: k.name}
					all[k] = known
				}
				known.add(c)
			}
		}
	}
	counts := make([]Count, 0, len(all))
	for _, c := range all {
		counts = append(counts, *c)
	}
	slices.SortFunc(counts, func(a, b Count) int {
		return cmp.Or(strings.Compare(a.Suite, b.Suite), strings.Compare(a.Name, b.Name))
	})
	return counts
}

func (n *Count) add(c *results.Case) {
	n.Duration += c.Duration
	switch {
	case c.Outcome.Broken():
		n.Failed++
	case c.Outcome == results.Flaky:
		n.Flaky++
	default:
		n.Passed++
	}
}

// caseName returns the name of a test with that of its class.
func caseName(c *results.Case) string {
	if c.Class == "" || strings.Contains(c.Name, c.Class) {
		return c.Name
	}
	return strings.Trim(c.Class+" › "+c.Name, " ›")
}

// shortName returns a name on one line of at most 300 characters. A long one keeps both ends.
func shortName(name string) string {
	name = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(name, "\ufffd"),
		func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
	runes := []rune(name)
	if len(runes) <= maxCounted {
		return name
	}
	return string(runes[:maxCounted/2]) + "…" + string(runes[len(runes)-maxCounted/2+1:])
}
