package redact

import (
	"context"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"bugslice/internal/redact/decide"
)

// MaxWork bounds the work that the patterns of a workspace may cause in one request. A unit is one byte that one step
// of a pattern reads, which takes 1 to 3 ns in usual patterns and 10 ns in the slowest.
const MaxWork = 1_000_000_000

// matchWork is the work of a match, beside that of the bytes that are read.
const matchWork = 32

// CostError says that the patterns would cause more work than a request may. Index is the pattern that has caused
// most of it.
type CostError struct{ Index int }

func (e *CostError) Error() string {
	return fmt.Sprintf("patterns[%d] costs too much on this input", e.Index)
}

// work is the work that patterns have caused. It depends on the rules and the input alone, never on time or load.
type work struct {
	ctx   context.Context
	left  int64
	spent []int64 // by pattern
	err   error
}

// charge counts work of a pattern, and reports whether the request may do it.
func (w *work) charge(index int, n int64) bool {
	switch {
	case w == nil:
		return true
	case w.err != nil:
		return false
	case w.ctx.Err() != nil:
		w.err = w.ctx.Err()
		return false
	}
	w.spent[index] += n
	if w.left -= n; w.left < 0 {
		w.err = &CostError{Index: slices.Index(w.spent, slices.Max(w.spent))}
	}
	return w.err == nil
}

// pattern is a pattern of a workspace, with the bounds of its cost.
type pattern struct {
	re           *regexp.Regexp
	group        int
	mask         string // the usual marker when empty
	index        int
	rule         *decide.Rule
	steps        int64
	prefix       string // of every match
	maxMatch     int64  // the most bytes of a match
	maxLookahead int64  // bytes that an attempt may read after the match that it finds
}

func newPattern(index int, rule *decide.Rule) (pattern, error) {
	text := rule.ID
	re, err := regexp.Compile(text)
	if err != nil {
		return pattern{}, err
	}
	p := pattern{re: re, index: index, rule: rule, group: max(re.SubexpIndex("secret"), 0)}
	p.prefix, _ = re.LiteralPrefix()
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return p, err
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return p, err
	}
	p.steps, p.maxMatch, p.maxLookahead = int64(len(program.Inst)), maxLength(tree), maxLength(withoutTail(tree))+
		utf8.UTFMax
	return p, nil
}

// find returns the matches of a pattern in a line; ok is false when they would cost too much. The search for the
// first match reads the whole line, at each step only near the literal prefix of the pattern if it has one. The
// search for the next match reads again what the search before it has read beyond its match. No more matches are
// looked for than the remaining work allows.
func (p pattern) find(line string, w *work) (matches [][]int, ok bool) {
	n := int64(len(line))
	near := n
	if p.prefix != "" {
		near = min(n, int64(strings.Count(line, p.prefix))*(p.maxMatch+int64(len(p.prefix))))
	}
	if !w.charge(p.index, n+near*p.steps) {
		return nil, false
	}
	if near == 0 {
		return nil, true
	}
	each, most := min(n, p.maxLookahead)*p.steps+matchWork, n+1
	if w != nil {
		most = min(most, w.left/each+1)
	}
	matches = p.re.FindAllStringSubmatchIndex(line, int(most))
	return matches, w.charge(p.index, int64(len(matches))*each)
}

// unbounded is the length of a match without a bound. It is longer than a line, and products with it do not overflow.
const unbounded = 1 << 31

// maxLength returns the most bytes that a match has.
func maxLength(tree *syntax.Regexp) (n int64) {
	switch tree.Op {
	case syntax.OpLiteral:
		n = int64(len(tree.Rune)) * utf8.UTFMax
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		n = utf8.UTFMax
	case syntax.OpStar, syntax.OpPlus:
		n = unbounded
	case syntax.OpRepeat:
		if n = maxLength(tree.Sub[0]) * int64(tree.Max); tree.Max < 0 {
			n = unbounded
		}
	case syntax.OpAlternate:
		for _, sub := range tree.Sub {
			n = max(n, maxLength(sub))
		}
	default: // a sequence, a group, an optional part, or a position
		for _, sub := range tree.Sub {
			n += maxLength(sub)
		}
	}
	return min(n, unbounded)
}

// withoutTail returns an expression whose open-ended repetition of single characters at its end is as short as
// possible. All characters after that belong to the match, and the search ends with it.
func withoutTail(tree *syntax.Regexp) *syntax.Regexp {
	switch tree.Op {
	case syntax.OpCapture:
		return withoutTail(tree.Sub[0])
	case syntax.OpConcat:
		last := len(tree.Sub) - 1
		short := *tree
		short.Sub = append(slices.Clone(tree.Sub[:last]), withoutTail(tree.Sub[last]))
		return &short
	case syntax.OpStar, syntax.OpPlus, syntax.OpRepeat:
		of := tree.Sub[0]
		if tree.Max < 0 || tree.Op != syntax.OpRepeat {
			if of.Op == syntax.OpCharClass || of.Op == syntax.OpLiteral && len(of.Rune) == 1 {
				fewest := max(tree.Min, 1)
				return &syntax.Regexp{Op: syntax.OpRepeat, Sub: tree.Sub, Min: fewest, Max: fewest}
			}
		}
	}
	return tree
}
