package bugslice_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// A chapter of the design is read in a few minutes.
const (
	minWords = 300
	maxWords = 900
	mapWords = 1200 // of ARCHITECTURE.md
)

const (
	designFolder  = "docs/design"
	archiveFolder = "docs/archive"
)

// TestDesign: each chapter of the design is short and listed, and so is the map of the packages.
func TestDesign(t *testing.T) {
	documents := sources(t)
	index, chapters := string(documents[designFolder+"/README.md"]), 0
	for path, text := range documents {
		if filepath.Dir(path) != designFolder || filepath.Base(path) == "README.md" {
			continue
		}
		chapters++
		if n := wordsOf(string(text)); n < minWords || n > maxWords {
			t.Errorf("%s has %d words: a chapter has %d to %d", path, n, minWords, maxWords)
		}
		if !strings.Contains(index, "]("+filepath.Base(path)+")") {
			t.Errorf("%s is not listed in %s/README.md", path, designFolder)
		}
	}
	if chapters < 12 {
		t.Errorf("only %d chapters seen", chapters)
	}
	if n := wordsOf(string(documents["ARCHITECTURE.md"])); n > mapWords {
		t.Errorf("ARCHITECTURE.md has %d words, more than %d: what belongs to one part is in its chapter", n, mapWords)
	}
}

// TestArchive: the index of the archive lists each record, and no other document links to one: records are not kept
// up to date.
func TestArchive(t *testing.T) {
	documents, records := sources(t), 0
	index := string(documents[archiveFolder+"/README.md"])
	for path, text := range documents {
		if filepath.Ext(path) != ".md" {
			continue
		}
		if filepath.Dir(path) == archiveFolder {
			if records++; filepath.Base(path) != "README.md" && !strings.Contains(index, "]("+filepath.Base(path)+")") {
				t.Errorf("%s is not listed in %s/README.md", path, archiveFolder)
			}
			continue
		}
		for _, found := range link.FindAllStringSubmatch(string(text), -1) {
			target, _, _ := strings.Cut(found[1], "#")
			target = filepath.Join(filepath.Dir(path), target)
			if filepath.Dir(target) == archiveFolder && filepath.Base(target) != "README.md" {
				t.Errorf("%s links to %s: a link leads to the chapter that says what is so", path, found[1])
			}
		}
	}
	if records < 50 {
		t.Errorf("only %d records seen", records)
	}
}

// record is how a comment would name a record of the archive.
var record = regexp.MustCompile(`(?i)\bdecisions? \d+`)

// TestRecordsInComments: no source names a record by its number.
func TestRecordsInComments(t *testing.T) {
	for path, text := range sources(t) {
		if found := record.Find(text); found != nil && filepath.Dir(path) != archiveFolder {
			t.Errorf("%s names %q: name the chapter of %s", path, found, designFolder)
		}
	}
}

// wordsOf counts the words of a text: what stands between blanks and has a letter or a digit.
func wordsOf(text string) (n int) {
	for _, word := range strings.Fields(text) {
		if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}
