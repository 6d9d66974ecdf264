package store

import (
	"slices"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/words"
)

// Terms returns the words of the texts of a slice: those of its summary, description and symptoms.
func Terms(f api.SliceFields, symptoms string) []string {
	text := f.Summary
	if f.Description != nil {
		text += "\n" + *f.Description
	}
	return words.Split(text + "\n" + symptoms)
}

// Keywords returns the words that distinguish a slice from others: those of its summary, URL and first errors,
// without stop words and short words in Latin letters.
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
