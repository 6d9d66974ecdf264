package tracker

import (
	"strings"

	"bugslice/internal/evidence"
)

// Limits of the errors by which a slice is found, in characters.
const (
	maxSymptoms = 4000
	maxMessages = 3000 // of these for the messages, before the addresses of failed requests
)

// symptomsOf returns the errors in evidence.
func symptomsOf(sets []evidence.Set) string {
	messages, addresses := evidence.ErrorTexts(sets)
	text := truncate(strings.Join(messages, "\n"), maxMessages) + "\n" + strings.Join(addresses, "\n")
	return truncate(strings.Trim(text, "\n"), maxSymptoms)
}
