package redact

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/find"
	"bugslice/internal/redact/lex"
)

const (
	maxDepth  = 5  // of texts within texts
	maxRounds = 5  // of a line
	maxGrowth = 32 // bytes that a short line may always grow by
)

// applyEdits returns a text with edits.
func applyEdits(s string, edits []find.Edit) string {
	var b strings.Builder
	b.Grow(len(s))
	at := 0
	for _, e := range edits {
		b.WriteString(s[at:e.Start])
		b.WriteString(e.With)
		at = e.End
	}
	b.WriteString(s[at:])
	return b.String()
}

// untilStable makes the edits that a scan finds in a text until there are none. ok is false when there are still some
// after maxRounds.
func (r *Redactor) untilStable(s string, st *lines, c Counts, look scan) (out string, ok bool) {
	for range maxRounds {
		st.after, st.scanner.Edits = st.State, st.scanner.Edits[:0]
		look(&st.scanner, s, &st.after)
		edits := r.finish(s, st.scanner.Edits, st.url)
		if len(edits) == 0 {
			st.State = st.after
			return s, true
		}
		s = r.applyCounted(s, edits, c)
	}
	return s, false
}

// scan collects the edits of a text.
type scan func(x *find.Scanner, s string, st *find.State)

// lines are what the lines of a text have in common while they are redacted one by one.
type lines struct {
	find.State
	after   find.State // the line that is scanned
	scanner find.Scanner
	inner   inner
	key     *pemKey // that has not ended
	keyless int     // further lines in which no key without its first line begins
	depth   int     // of texts within texts
	url     bool    // the text is a URL or a form
}

var linesPool = sync.Pool{New: func() any { return new(lines) }}

// newLines returns the state of a text at a depth, which release takes back.
func (r *Redactor) newLines(depth int) *lines {
	st := linesPool.Get().(*lines)
	edits := st.scanner.Edits
	*st = lines{depth: depth, inner: inner{r, depth + 1}}
	st.scanner = find.Scanner{Set: r.set, Marker: r.mark, Edits: edits[:0]}
	if depth < maxDepth {
		st.scanner.Inner = &st.inner
	}
	return st
}

func (st *lines) release() { linesPool.Put(st) }

// inner looks for secrets in texts that are within another one.
type inner struct {
	r     *Redactor
	depth int
}

func (n *inner) Text(s string) *decide.Rule {
	return n.ruleIf(func(r *Redactor, c Counts) bool { return r.forms.text(r, s, c, n.depth) != s })
}

func (n *inner) Body(mediaType, s string) *decide.Rule {
	return n.ruleIf(func(r *Redactor, c Counts) bool { return r.forms.body(r, mediaType, s, c, n.depth) != s })
}

// ruleIf returns the rule of the secret that redact removes, or nil if it removes none.
func (n *inner) ruleIf(redact func(r *Redactor, c Counts) bool) *decide.Rule {
	r := *n.r
	r.removed = nil
	c := Counts{}
	if !redact(&r, c) {
		return nil
	}
	kind := decide.KindField
	if len(c) > 0 {
		kind = slices.Min(slices.Collect(maps.Keys(c.ByKind())))
	}
	return decide.Nested(kind)
}

// applyCounted makes edits, counts them, and records the values that they remove.
func (r *Redactor) applyCounted(s string, edits []find.Edit, c Counts) string {
	for _, e := range edits {
		c.count(e.Rule, s[e.Start:e.End])
		r.removed.add(s[e.Start:e.End], e.Rule)
	}
	return applyEdits(s, edits)
}

// finish adds the matches of the workspace's patterns to the edits of a text, and sorts and merges them.
func (r *Redactor) finish(s string, edits []find.Edit, url bool) []find.Edit {
	if len(r.patterns) > 0 {
		edits = r.addPatterns(s, edits, url)
	}
	if len(edits) < 2 {
		return edits
	}
	slices.SortStableFunc(edits, func(a, b find.Edit) int { return a.Start - b.Start })
	merged := edits[:1]
	for _, e := range edits[1:] {
		if last := &merged[len(merged)-1]; e.Start < last.End {
			last.End = max(last.End, e.End)
			continue
		}
		merged = append(merged, e)
	}
	return merged
}

// wholeLine removes a line.
func wholeLine(s string) []find.Edit {
	return []find.Edit{{Start: 0, End: len(s), Rule: decide.TooMuch.Rule, With: lex.Marker(decide.KindLine)}}
}

// addPatterns adds the matches of the workspace's patterns. A match within a marker is ignored, and a match that
// reaches into a marker removes all of it. Masks that would make a line much longer remove it as a whole.
func (r *Redactor) addPatterns(s string, edits []find.Edit, url bool) []find.Edit {
	markers, growth := markersIn(s), 0
	for _, p := range r.patterns {
		matches, ok := p.find(s, r.work)
		if !ok {
			return wholeLine(s)
		}
		next := 0
		for _, at := range matches {
			start, end := at[2*p.group], at[2*p.group+1]
			if start < 0 {
				continue
			}
			for next < len(markers) && markers[next].End <= start {
				next++
			}
			e, ok := r.patternEdit(p, s, widened(start, end, markers[next:]), url)
			if ok {
				growth += len(e.With) - (e.End - e.Start)
				edits = append(edits, e)
			}
		}
		if growth > 4*len(s)+maxGrowth {
			return wholeLine(s)
		}
	}
	return edits
}

// widened returns a match with the markers that it reaches into; it is empty within a marker.
func widened(start, end int, markers []find.Edit) [2]int {
	for _, m := range markers {
		if m.Start >= end {
			break
		}
		if m.Start <= start && end <= m.End {
			return [2]int{start, start}
		}
		start, end = min(start, m.Start), max(end, m.End)
	}
	return [2]int{start, end}
}

// patternEdit returns the edit of a match of a pattern; ok is false when there is nothing to do.
func (r *Redactor) patternEdit(p pattern, s string, at [2]int, url bool) (e find.Edit, ok bool) {
	start, end := at[0], at[1]
	with := p.mask
	if with == "" || url || r.trace != nil {
		with = r.mark(p.rule, url)
	}
	if start >= end || s[start:end] == with || with != p.mask && lex.IsMarker(s[start:end]) {
		return e, false
	}
	return find.Edit{Start: start, End: end, Rule: p.rule, With: with}, true
}

// markersIn returns the places of markers.
func markersIn(s string) (all []find.Edit) {
	for i := 0; i < len(s); i++ {
		end := lex.MarkerEnd(s, i)
		if end == i && strings.HasPrefix(s[i:], lex.URLMarker) {
			end = i + len(lex.URLMarker)
		}
		if end > i {
			all = append(all, find.Edit{Start: i, End: end})
			i = end - 1
		}
	}
	return all
}
