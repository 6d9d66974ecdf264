package reporttext

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"bugslice/internal/untrusted"
)

// section is a part of a Markdown document: entries under a heading, of which the most important ones that fit are
// written.
type section struct {
	heading  string
	language string // of the fence around text from outside; empty for text of the service
	entries  []entry
	share    int    // of the length, in relation to other sections
	isText   bool   // the entries are the lines of a text, of which the beginning is kept
	preface  string // the first line of the fence; empty for none
	more     []counted
	source   // of entries without one of their own; without a noun their content is not missed

	fenceCost   int  // tokens of a fence around any of the entries
	isShortened bool // runs of backticks were truncated
	hasOthers   bool // entries of a rank from zero on
}

// entry is a part of a section, of one line or more.
type entry struct {
	intro   string // Markdown before a fence of its own; empty in a section with one fence
	text    string
	rows    int // for which it stands
	rank    int // entries of a higher rank are more important, and of one rank the later ones
	last    time.Time
	*source // of the rows; nil for that of the section
}

// counted is a number of rows that are not among the entries of a section.
type counted struct {
	source
	rows int
}

// selection is what is written of a section.
type selection struct {
	texts  []string // of the entries; empty for one that is left out
	tokens int
}

// emptyLines match several empty lines, which are written as one.
var emptyLines = regexp.MustCompile(`\n(?:[ \t\r]*\n){2,}`)

// textSection returns a section of a text from outside, nil for an empty one.
func textSection(heading, language, text string, share int) *section {
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	s := &section{heading: heading, language: language, share: share, isText: true}
	if heading != "" {
		s.noun = "the rest of the " + strings.ToLower(heading)
	}
	for i, line := range strings.Split(emptyLines.ReplaceAllString(text, "\n\n"), "\n") {
		s.entries = append(s.entries, entry{text: line, rank: -i})
	}
	return s
}

// clean returns text from outside as it is written. isShortened says that a run of backticks was truncated.
func clean(text string) (cleaned string, isShortened bool) {
	seen := untrusted.Visible(text)
	cleaned = untrusted.CutRuns(seen)
	return cleaned, len(cleaned) < len(seen)
}

// fenced returns text from outside in a fence, before an empty line.
func fenced(language, text string) string { return untrusted.Fenced(language, text) + "\n" }

// write returns the Markdown of a section with a text for each entry.
func (s *section) write(texts []string) string {
	var b, plain strings.Builder
	for i, text := range texts {
		switch {
		case text == "" && (!s.isText || s.entries[i].text != ""): // an empty line of a text is written
		case s.entries[i].intro != "":
			b.WriteString(s.entries[i].intro + "\n\n" + fenced(s.language, text))
		default:
			plain.WriteString(text + "\n")
		}
	}
	if plain.Len() > 0 && s.language != "" {
		text := plain.String()
		if s.preface != "" {
			text = s.preface + "\n" + text
		}
		b.WriteString(fenced(s.language, text))
	} else if plain.Len() > 0 {
		b.WriteString(plain.String() + "\n")
	}
	if s.heading == "" || b.Len() == 0 {
		return b.String()
	}
	return "## " + s.heading + "\n\n" + b.String()
}

// prepare cleans the entries, which is needed before a section is measured or written.
func (s *section) prepare() {
	longest := 3
	s.preface, _ = clean(s.preface)
	for i := range s.entries {
		s.hasOthers = s.hasOthers || s.entries[i].rank >= 0
		if e := &s.entries[i]; s.language != "" {
			text, isShortened := clean(e.text)
			s.isShortened, e.text = s.isShortened || isShortened, text
			longest = max(longest, len(untrusted.Fence(text)))
		}
	}
	s.fenceCost = 2*tokens(strings.Repeat("`", longest)) + tokens(s.language) + 3
}

// overhead returns the tokens of a section beside its entries.
func (s *section) overhead() int {
	n := 0
	if s.heading != "" {
		n = tokens("## " + s.heading + "\n\n")
	}
	if s.language == "" || s.entries[0].intro != "" {
		return n
	}
	if s.preface != "" {
		n += tokens(s.preface + "\n")
	}
	return n + s.fenceCost
}

// cost returns the tokens that a text of an entry adds to its section.
func (s *section) cost(e entry, text string) int {
	if e.intro == "" {
		return tokens(text + "\n")
	}
	return tokens(e.intro) + tokens(text) + s.fenceCost + 2
}

// wanted returns the tokens of a section with the entries that are not expendable.
func (s *section) wanted() int {
	n := s.overhead()
	for _, e := range s.entries {
		if !s.isExpendable(e) {
			n += s.cost(e, e.text)
		}
	}
	return n
}

// full returns the tokens of a section with all its entries.
func (s *section) full() int {
	n := s.overhead()
	for _, e := range s.entries {
		n += s.cost(e, e.text)
	}
	return n
}

// isExpendable reports whether an entry is written only when every section has its other entries: one of a rank below
// zero, beside others.
func (s *section) isExpendable(e entry) bool {
	return e.rank < 0 && !s.isText && s.hasOthers
}

// least returns the tokens with which a section is worth its heading.
func (s *section) least() int {
	first := s.entries[s.byImportance()[0]]
	return s.overhead() + min(s.cost(first, first.text), 40)
}

// byImportance returns the indexes of the entries, the most important first.
func (s *section) byImportance() []int {
	order := make([]int, len(s.entries))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := s.entries[i], s.entries[j]
		return cmp.Or(b.rank-a.rank, b.last.Compare(a.last), j-i)
	})
	return order
}

// selectWithin selects texts of the entries with at most a number of tokens. Important entries come first: each may
// have two thirds of what remains, at least its first line, and then all that remains. The most important entry has
// at least two lines, as a failed request with its response, and it alone is cut within a line.
func (s *section) selectWithin(budget int) selection {
	chosen := selection{texts: make([]string, len(s.entries)), tokens: s.overhead()}
	costs := make([]int, len(s.entries))
	order := s.byImportance()
	for _, thirds := range []int{2, 3} {
		if s.isText {
			thirds = 3
		}
		for _, i := range order {
			e, remaining := s.entries[i], budget-chosen.tokens+costs[i]
			if chosen.texts[i] == e.text {
				continue
			}
			within := max(costs[i], remaining*thirds/3)
			least := 1
			if i == order[0] {
				least = 2
			}
			text := s.leadingLines(e, least, within, remaining)
			if text == "" && i == order[0] {
				text = truncateTokens(e.text, within-s.cost(e, "")-2) + "…"
			}
			if text == "" || s.cost(e, text) > remaining {
				break
			}
			chosen.texts[i], chosen.tokens = text, chosen.tokens-costs[i]+s.cost(e, text)
			if costs[i] = s.cost(e, text); s.isText && text != e.text {
				return chosen
			}
		}
	}
	return chosen
}

// leadingLines returns the lines of an entry that fit in a number of tokens: at least the least number of lines that
// fits in what remains.
func (s *section) leadingLines(e entry, least, within, remaining int) string {
	if s.cost(e, e.text) <= within {
		return e.text
	}
	lines := strings.Split(e.text, "\n")
	for n := len(lines) - 1; n > 0; n-- {
		text := strings.Join(lines[:n], "\n") + "\n…"
		if cost := s.cost(e, text); cost <= within || n <= least && cost <= remaining {
			return text
		}
	}
	if len(lines) == 1 && s.cost(e, e.text) <= remaining {
		return e.text
	}
	return ""
}

// omitted returns what the texts of the entries leave out, each with its path; nothing when they are complete.
func (s *section) omitted(texts []string) (left []string) {
	more, isCut := slices.Clone(s.more), s.isShortened
	for i, e := range s.entries {
		isCut = isCut || texts == nil || texts[i] != e.text
		if texts != nil && texts[i] != "" || e.rows == 0 {
			continue
		}
		of := s.source
		if e.source != nil {
			of = *e.source
		}
		more = append(more, counted{of, e.rows})
	}
	for len(more) > 0 {
		of, rows := more[0].source, 0
		more = slices.DeleteFunc(more, func(c counted) bool {
			if c.source == of {
				rows += c.rows
			}
			return c.source == of
		})
		if of.noun != "" && rows > 0 {
			left = append(left, omission(fmt.Sprintf("%d more %s", rows, of.noun), of.path))
		}
	}
	switch {
	case len(left) > 0 || !isCut:
	case s.isText && s.noun != "":
		left = append(left, omission(s.noun, s.path))
	case s.noun != "":
		left = append(left, omission("parts of "+s.noun, s.path))
	}
	return left
}
