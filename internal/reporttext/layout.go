package reporttext

import (
	"slices"
	"strings"
	"time"
)

// document is a Markdown document of sections. The first section is the most important one.
type document struct {
	path     string    // of the slice in the API
	zero     time.Time // of the first captured event
	sections []*section
	notes    []string // of what no section contains
}

// omissions returns the list of omitted content, empty for none.
func (d *document) omissions(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return "## Left out\n\nThe API has it at GET " + d.path + " and below:\n\n" + strings.Join(lines, "")
}

// add adds a section unless it is empty.
func (d *document) add(s *section) {
	if s == nil || len(s.entries) == 0 {
		return
	}
	s.prepare()
	d.sections = append(d.sections, s)
}

// note records that content is in no section, and its path relative to the slice.
func (d *document) note(content, path string) {
	d.notes = append(d.notes, omission(content, path))
}

// text returns the document with at most a number of tokens.
func (d *document) text(maxTokens int) string {
	budget := maxTokens
	for {
		text := d.write(budget)
		excess := tokens(text) - maxTokens
		if excess <= 0 || budget <= 0 {
			return text
		}
		budget -= excess
	}
}

// write returns the document with about a number of tokens.
func (d *document) write(budget int) string {
	var b strings.Builder
	left := slices.Clone(d.notes)
	for i, chosen := range d.selections(budget) {
		s := d.sections[i]
		if chosen.tokens > 0 {
			b.WriteString(s.write(chosen.texts))
		}
		left = append(left, s.omitted(chosen.texts)...)
	}
	return b.String() + d.omissions(left)
}

// omission returns the line of omitted content, with its path relative to the slice.
func omission(content, path string) string {
	if path != "" {
		content += ": " + path
	}
	return "- " + content + "\n"
}

// selections selects what is written of each section. A section with too little room for its heading is left out.
func (d *document) selections(budget int) []selection {
	allotted, rest := d.allot(budget)
	chosen := make([]selection, len(d.sections))
	for i, s := range d.sections {
		if allotted[i] > 0 {
			chosen[i] = s.selectWithin(allotted[i])
			rest += allotted[i] - chosen[i].tokens
		}
	}
	for i, s := range d.sections { // what one section leaves over, the others may have
		if rest > 0 && allotted[i] > 0 && chosen[i].tokens < s.full() {
			more := s.selectWithin(chosen[i].tokens + rest)
			rest -= more.tokens - chosen[i].tokens
			chosen[i] = more
		}
	}
	return chosen
}

// allot divides the tokens of a document among its sections. The first one has up to 60 % of them. rest are those that
// remain when every section has what it wants.
func (d *document) allot(budget int) (allotted []int, rest int) {
	wanted, shares := make([]int, len(d.sections)), make([]int, len(d.sections))
	for i, s := range d.sections {
		wanted[i], shares[i] = s.wanted(), s.share
	}
	first := min(wanted[0], budget*6/10)
	wanted[0] = 0
	isCut := make([]bool, len(d.sections))
	for {
		available := budget - first - d.reserved(isCut)
		allotted = divide(available, wanted, shares)
		changed, tooShort, weakest := false, false, -1
		for i := range allotted {
			if allotted[i] >= wanted[i] {
				continue
			}
			changed, isCut[i] = changed || !isCut[i], true
			tooShort = tooShort || allotted[i] < d.sections[i].least()
			if weakest < 0 || shares[i] < shares[weakest] {
				weakest = i
			}
		}
		switch {
		case changed:
		case tooShort:
			wanted[weakest] = 0
		default:
			rest = max(0, available-sum(allotted))
			allotted[0] = first
			return allotted, rest
		}
	}
}

// reserved returns the tokens of the list of omissions.
func (d *document) reserved(isCut []bool) int {
	left := slices.Clone(d.notes)
	for i, s := range d.sections {
		if isCut[i] {
			left = append(left, s.omitted(nil)...)
		}
	}
	return tokens(d.omissions(left))
}

// divide divides a budget by shares. No share gets more than is wanted; the rest is divided among the others.
func divide(budget int, wanted, shares []int) []int {
	allotted := make([]int, len(wanted))
	for {
		total := 0
		for i := range wanted {
			if allotted[i] < wanted[i] {
				total += shares[i]
			}
		}
		satisfied := slices.Clone(allotted)
		rest := budget
		for i := range wanted {
			if rest -= allotted[i]; allotted[i] < wanted[i] && wanted[i]*total <= (budget-sum(allotted))*shares[i] {
				satisfied[i] = wanted[i]
			}
		}
		if slices.Equal(satisfied, allotted) {
			for i := range wanted {
				if allotted[i] < wanted[i] {
					satisfied[i] = max(0, rest*shares[i]/total)
				}
			}
			return satisfied
		}
		allotted = satisfied
	}
}

func sum(numbers []int) (n int) {
	for _, one := range numbers {
		n += one
	}
	return n
}
