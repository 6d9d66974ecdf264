package redact

import (
	"context"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxWork is how much work the patterns of a workspace may make of one request. A unit is one
// byte that one step of a pattern looks at, which takes 1 to 3 ns in patterns as people write
// them and 10 ns in the worst.
const MaxWork = 1_000_000_000

// matchWork is what a match costs beside the bytes that are looked at.
const matchWork = 32

// CostError says that the patterns would make more work of a request than they may. Index is the
// pattern that made the most of it.
type CostError struct{ Index int }

func (e *CostError) Error() string {
	return fmt.Sprintf("patterns[%d] costs too much on this input", e.Index)
}

// work is what patterns have cost so far. It depends on the rules and the input alone, never on
// time or load.
type work struct {
	ctx   context.Context
	left  int64
	spent []int64 // by pattern
	err   error
}

// Within returns the redactor for one request, whose patterns may make so much work. It is for
// one goroutine at a time. When they would make more, or ctx ends, Err says so, and what was
// returned must not be used.
func (r *Redactor) Within(ctx context.Context, most int64) *Redactor {
	c := *r
	c.work = &work{ctx: ctx, left: most, spent: make([]int64, len(r.patterns))}
	return &c
}

// Err returns why the results of a request cannot be used: a CostError, or that of its context.
func (r *Redactor) Err() error {
	if r.work == nil {
		return nil
	}
	return r.work.err
}

// charge counts work of a pattern, and says whether it may be done.
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

// pattern is one of a workspace, with what bounds its cost.
type pattern struct {
	re     *regexp.Regexp
	group  int
	mask   string // the usual mark when empty
	index  int
	steps  int64
	prefix string // that every match begins with
	alive  int64  // bytes within which an attempt to match ends, from where it began
	wasted int64  // bytes that an attempt may look at behind the match that it finds
}

func newPattern(index int, text string) (pattern, error) {
	re, err := regexp.Compile(text)
	if err != nil {
		return pattern{}, err
	}
	p := pattern{re: re, index: index, group: max(re.SubexpIndex("secret"), 0)}
	p.prefix, _ = re.LiteralPrefix()
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return p, err
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return p, err
	}
	p.steps, p.alive, p.wasted = int64(len(program.Inst)), longest(tree), longest(withoutTail(tree))+utf8.UTFMax
	return p, nil
}

// find returns the matches of a pattern in a line, or says that they would cost too much. The
// search for the first looks at the whole line, at each step only near the literal that matches
// begin with if there is one; the search for the next looks again at what the one before it did
// beyond its match. No more matches are looked for than may be paid for.
func (p pattern) find(line string, w *work) (matches [][]int, ok bool) {
	n := int64(len(line))
	near := n
	if p.prefix != "" {
		near = min(n, int64(strings.Count(line, p.prefix))*(p.alive+int64(len(p.prefix))))
	}
	if !w.charge(p.index, n+near*p.steps) {
		return nil, false
	}
	if near == 0 {
		return nil, true
	}
	each, most := min(n, p.wasted)*p.steps+matchWork, n+1
	if w != nil {
		most = min(most, w.left/each+1)
	}
	matches = p.re.FindAllStringSubmatchIndex(line, int(most))
	return matches, w.charge(p.index, int64(len(matches))*each)
}

// endless is the length of what has no longest match. It is more than a line has, and products
// with it do not overflow.
const endless = 1 << 31

// longest returns how many bytes a match has at most.
func longest(tree *syntax.Regexp) (n int64) {
	switch tree.Op {
	case syntax.OpLiteral:
		n = int64(len(tree.Rune)) * utf8.UTFMax
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		n = utf8.UTFMax
	case syntax.OpStar, syntax.OpPlus:
		n = endless
	case syntax.OpRepeat:
		if n = longest(tree.Sub[0]) * int64(tree.Max); tree.Max < 0 {
			n = endless
		}
	case syntax.OpAlternate:
		for _, sub := range tree.Sub {
			n = max(n, longest(sub))
		}
	default: // a sequence, a group, an optional part, or a place
		for _, sub := range tree.Sub {
			n += longest(sub)
		}
	}
	return min(n, endless)
}

// withoutTail returns an expression with as few as it takes of an open-ended repetition of single
// characters at its end. From there on all of them belong to the match, and the search ends with it.
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
