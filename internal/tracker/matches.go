package tracker

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
	"bugslice/internal/words"
)

// Limits of the reasons why a slice was found.
const (
	maxMatches      = 3   // of a slice
	maxMatchText    = 160 // characters
	maxMatchedWords = 12
	matchLead       = 40 // bytes of the text before the first word
	maxShownWord    = 64 // characters
)

// lookedFor finds words in texts.
type lookedFor struct {
	// of returns the searched word that a folded word of a text stands for; empty for none.
	of func(word string) string
	// inSummary is of for words of summaries; nil for the same.
	inSummary func(word string) string
	count     int // of searched words, after which nothing more has to be found; 0 for any number
}

// foundIn is a match with the searched words that it has.
type foundIn struct {
	api.Match
	searched []string
}

// in returns the line of a text with the most words, and whether there is one with any.
func (l lookedFor) in(part api.MatchedPart, text string) (best foundIn, ok bool) {
	of := l.of
	if part == api.MatchSummary && l.inSummary != nil {
		of = l.inSummary
	}
	for line := range strings.SplitSeq(text, "\n") {
		if found := foundInLine(part, line, of); len(found.searched) > len(best.searched) {
			best = found
		}
	}
	return best, len(best.searched) > 0
}

// foundInLine returns the words of a line that are looked for, and the text around them.
func foundInLine(part api.MatchedPart, line string, of func(string) string) (f foundIn) {
	first := -1
	for at, word := range wordsIn(line) {
		for _, folded := range foldedWords(word) {
			searched := of(folded)
			if searched == "" || slices.Contains(f.searched, searched) {
				continue
			}
			if first < 0 {
				first = at
			}
			f.searched = append(f.searched, searched)
			if shown := truncate(word, maxShownWord); len(f.Words) < maxMatchedWords && !slices.Contains(f.Words, shown) {
				f.Words = append(f.Words, shown)
			}
		}
	}
	if first >= 0 {
		f.In, f.Text = part, around(line, first)
	}
	return f
}

// wordsIn returns the sequences of letters, digits and marks in a text, with their positions.
func wordsIn(text string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		start := -1
		for i, r := range text + " " {
			if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
				if start < 0 {
					start = i
				}
				continue
			}
			if start >= 0 && !yield(start, text[start:i]) {
				return
			}
			start = -1
		}
	}
}

// foldedWords returns the words of the index in a sequence of letters and digits.
func foldedWords(word string) []string {
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf || len(word) > maxShownWord {
			return words.Split(word)
		}
	}
	return []string{strings.ToLower(word)}
}

// around returns the part of a line with a position, with a mark at each end that is cut.
func around(line string, at int) string {
	start := max(at-matchLead, 0)
	for start > 0 && !utf8.RuneStart(line[start]) {
		start++
	}
	text := line[start:]
	if start > 0 {
		if space := strings.IndexByte(text, ' '); space >= 0 && space < at-start { // begin with a whole word
			text = text[space+1:]
		}
		text = "…" + text
	}
	if short := truncate(text, maxMatchText); short != text {
		text = truncate(text, maxMatchText-1) + "…"
	}
	return strings.TrimSpace(text)
}

// inSymptoms returns the message of an error, and the address of a failed request, with the most words.
func (l lookedFor) inSymptoms(symptoms string) (all []foundIn) {
	var messages, addresses []string
	for line := range strings.SplitSeq(symptoms, "\n") {
		if strings.Contains(line, "://") && !strings.Contains(line, " ") {
			addresses = append(addresses, line)
		} else {
			messages = append(messages, line)
		}
	}
	all = l.appendIn(all, api.MatchError, strings.Join(messages, "\n"))
	return l.appendIn(all, api.MatchURL, strings.Join(addresses, "\n"))
}

func (l lookedFor) appendIn(all []foundIn, part api.MatchedPart, text string) []foundIn {
	if f, ok := l.in(part, text); ok {
		all = append(all, f)
	}
	return all
}

// inCompared returns the parts by which similar slices are compared.
func (l lookedFor) inCompared(s store.Slice) []foundIn {
	all := append(l.appendIn(nil, api.MatchSummary, s.Summary), l.inSymptoms(s.Symptoms)...)
	if s.SourceURL != nil {
		all = l.appendIn(all, api.MatchURL, *s.SourceURL)
	}
	return all
}

// inOwn returns the parts of a slice itself by which lists find it.
func (l lookedFor) inOwn(s store.Slice) []foundIn {
	all := append(l.appendIn(nil, api.MatchSummary, s.Summary), l.inSymptoms(s.Symptoms)...)
	if s.Description != nil {
		all = l.appendIn(all, api.MatchDescription, *s.Description)
	}
	all = l.appendIn(all, api.MatchLabel, strings.Join(s.Labels, ", "))
	for _, identifier := range []*string{s.ExternalID, s.Fingerprint} {
		if identifier != nil {
			all = l.appendIn(all, api.MatchIdentifier, *identifier)
		}
	}
	return all
}

// matchesOf returns why a search finds a slice. It reads comments and files while the slice itself does not have all
// words.
func (l lookedFor) matchesOf(q access.Queries, s store.Slice) ([]api.Match, error) {
	all := l.inOwn(s)
	if s.AttachmentCount > 0 && !l.isComplete(all) {
		files, err := q.SearchedFiles(s.ID)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			all = append(l.appendIn(all, api.MatchFile, f.Name), l.inSymptoms(f.Symptoms)...)
		}
	}
	if s.CommentCount > 0 && !l.isComplete(all) {
		for text, err := range q.SearchedComments(s.ID) {
			if err != nil {
				return nil, err
			}
			if all = l.appendIn(all, api.MatchComment, text); l.isComplete(all) {
				break
			}
		}
	}
	return l.best(all), nil
}

// isComplete reports whether parts have all words.
func (l lookedFor) isComplete(all []foundIn) bool {
	known := map[string]bool{}
	for _, f := range all {
		for _, w := range f.searched {
			known[w] = true
		}
	}
	return l.count > 0 && len(known) >= l.count
}

// best returns the parts with the most words that no other one has.
func (l lookedFor) best(all []foundIn) []api.Match {
	out, known := []api.Match{}, map[string]bool{}
	for len(out) < maxMatches {
		best, most := -1, 0
		for i, f := range all {
			added := 0
			for _, w := range f.searched {
				if !known[w] {
					added++
				}
			}
			if added > most {
				best, most = i, added
			}
		}
		if best < 0 {
			break
		}
		out = append(out, all[best].Match)
		for _, w := range all[best].searched {
			known[w] = true
		}
	}
	return out
}
