package store

import (
	"unicode/utf8"

	"github.com/kljensen/snowball/english"

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

// Keywords are the words by which a slice is compared with others: those of its summary, URL and first errors, without
// stop words and short words in Latin letters, as stems, each once.
type Keywords struct {
	Words     []string // the first word of each stem
	Stems     []string
	OfSummary int // how many of the first are of the summary
}

// Keywords returns the keywords of a slice. Words of standard messages are stop words of errors.
func (s *Slice) Keywords() (k Keywords) {
	const maxErrors = 1000 // characters
	known := map[string]bool{}
	add := func(text string, stop map[string]bool) {
		for _, w := range words.Split(text) {
			if stem := Stem(w); isKeyword(w) && !stop[w] && !known[stem] {
				known[stem] = true
				k.Words, k.Stems = append(k.Words, w), append(k.Stems, stem)
			}
		}
	}
	add(s.Summary, nil)
	k.OfSummary = len(k.Stems)
	if s.SourceURL != nil {
		add(*s.SourceURL, nil)
	}
	add(firstRunes(s.Symptoms, maxErrors), errorStopWords)
	return k
}

// isKeyword reports whether a folded word distinguishes slices.
func isKeyword(word string) bool {
	const maxShortWord = 3 // letters of a word that is no keyword
	return (len(word) > maxShortWord || word[0] >= utf8.RuneSelf) && !stopWords[word]
}

// Stem returns the stem of a folded word: of one in Latin letters, without the endings of English.
func Stem(word string) string {
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return word
		}
	}
	return english.Stem(word, true)
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

// stopWords are words that occur in most reports, and names of browsers and systems, which say nothing of the bug.
var stopWords = wordSet("with from that this when then does nothing have after before into press click open page steps " +
	"expected actual https http html firefox chrome chromium safari edge opera android iphone ipad windows macos linux")

// errorStopWords are words of the messages that browsers and languages write for many errors.
var errorStopWords = wordSet("failed load resource server responded status error errors uncaught promise cannot read " +
	"properties property undefined null reading typeerror referenceerror exception function object request")

func wordSet(text string) map[string]bool {
	m := map[string]bool{}
	for _, w := range words.Split(text) {
		m[w] = true
	}
	return m
}
