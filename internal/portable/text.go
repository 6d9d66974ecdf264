package portable

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"bugslice/internal/store"
)

// Values of an export may be long: so much is quoted of one, and said of a record.
const (
	maxQuoted = 100
	maxError  = 1000
)

// truncate cuts a text that has more characters.
func truncate(s string, runes int) string {
	n := 0
	for i := range s {
		if n++; n > runes {
			return s[:i]
		}
	}
	return s
}

// recordError says what is wrong with a record. Its length is bounded, whatever it quotes.
type recordError struct {
	table, id string
	err       error
}

// wrapRecord names a record in an error.
func wrapRecord(table, id string, err error) error {
	if err == nil {
		return nil
	}
	var taken *store.UniqueViolationError
	if errors.As(err, &taken) {
		err = fmt.Errorf("another record has what only one may have (%s)", taken.Index)
	}
	return &recordError{table, Printable(id), err}
}

func (e *recordError) Error() string {
	text := e.err.Error()
	if short := truncate(text, maxError); len(short) < len(text) {
		text = short + "…"
	}
	return e.table + " " + e.id + ": " + text
}

func (e *recordError) Unwrap() error { return e.err }

// maxListed is how many things one message names.
const maxListed = 20

// List names things in a sentence, the first of many.
func List(all []string) string {
	slices.Sort(all)
	short := make([]string, min(len(all), maxListed))
	for i := range short {
		short[i] = Printable(all[i])
	}
	text := strings.Join(short, ", ")
	if more := len(all) - len(short); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Printable shortens a value of a file for a message. Characters that a terminal would obey are replaced.
func Printable(text string) string {
	short := text
	if len(text) > maxQuoted {
		short = strings.ToValidUTF8(text[:maxQuoted], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, short)
}
