package store

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/words"
)

// Terms returns the words by which the search finds a slice: those of its summary, description and symptoms.
func Terms(f api.SliceFields, symptoms string) []string {
	text := f.Summary
	if f.Description != nil {
		text += "\n" + *f.Description
	}
	return words.Split(text + "\n" + symptoms)
}

// Keywords returns the words that distinguish a slice from others: those of its summary, URL and first errors, without stop
// words and short words in Latin letters.
func Keywords(f api.SliceFields, symptoms string) []string {
	const (
		maxShortWord = 3    // letters of a word that is no keyword
		maxErrors    = 1000 // characters
	)
	text := f.Summary
	if f.SourceURL != nil {
		text += "\n" + *f.SourceURL
	}
	text += "\n" + firstRunes(symptoms, maxErrors)
	return slices.DeleteFunc(words.Split(text), func(w string) bool {
		return len(w) <= maxShortWord && w[0] < utf8.RuneSelf || stopWords[w]
	})
}

// firstRunes returns the first n characters of a text.
func firstRunes(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			return text[:i]
		}
	}
	return text
}

// stopWords are words that occur in most reports.
var stopWords = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range words.Split("with from that this when then does nothing have after before into press click open page steps " +
		"expected actual https http html") {
		m[w] = true
	}
	return m
}()

// creationRanges are the ranges of creation that are terms of the search index, as powers of two milliseconds: 37
// hours, 12 days and 99 days.
var creationRanges = []int{27, 30, 33}

// workspaceTerms returns the terms of the search index for words of the slices of a workspace. They begin with the last four characters
// of its id, so that a search reads few slices of others: each is compared with the workspace.
func workspaceTerms(workspaceID string, words []string) []string {
	prefix := workspaceID[max(len(workspaceID)-4, 0):]
	terms := make([]string, len(words))
	for i, w := range words {
		terms[i] = prefix + w
	}
	return terms
}

// rangeTerm returns the term of the slices that were created in a range. No word has its punctuation mark.
func rangeTerm(bits int, n int64) string {
	return "·" + strconv.Itoa(bits) + "·" + strconv.FormatInt(n, 10)
}

// documentTerms returns the terms by which the search index finds a slice with words.
func documentTerms(workspaceID, sliceID string, words []string) []string {
	created, all := id.Time(sliceID).UnixMilli(), slices.Clone(words)
	for _, bits := range creationRanges {
		all = append(all, rangeTerm(bits, created>>bits))
	}
	return workspaceTerms(workspaceID, all)
}

// creationTerms returns terms of which a slice has one if it was created between two times, and maybe if it was created shortly before or
// after. It returns none for a long time.
func creationTerms(from, to time.Time) (terms []string) {
	const most = 5
	for _, bits := range creationRanges {
		first, last := from.UnixMilli()>>bits, to.UnixMilli()>>bits
		if last-first >= most {
			continue
		}
		for n := first; n <= last; n++ {
			terms = append(terms, rangeTerm(bits, n))
		}
		return terms
	}
	return nil
}

// allOf returns the parameter of match for all of the terms.
func (e *engine) allOf(terms []string) string {
	return e.quote + strings.Join(terms, e.quote+e.and+e.quote) + e.quote
}

// anyOf returns the parameter of match for any of the terms.
func (e *engine) anyOf(terms []string) string {
	return e.quote + strings.Join(terms, e.quote+e.or+e.quote) + e.quote
}
