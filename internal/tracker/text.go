package tracker

import (
	"bugslice/api"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// truncate cuts a text that is longer than so many characters; 0 is no bound.
func truncate(s string, runes int) string {
	n := 0
	for i := range s {
		if n++; runes > 0 && n > runes {
			return s[:i]
		}
	}
	return s
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func equalStrings(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

func hasKey(m map[string]any, name string) bool { _, ok := m[name]; return ok }

func errorOf[T any](_ T, err error) error { return err }

// convert maps the data of a page.
func convert[A, B any](rows []A, f func(A) B) []B {
	out := make([]B, len(rows))
	for i, r := range rows {
		out[i] = f(r)
	}
	return out
}

// maxTime returns now, or was where the clock has gone back.
func maxTime(now, was api.Time) api.Time {
	if now.Before(was.Time) {
		return was
	}
	return now
}

func contains(q string, texts ...*string) bool {
	return slices.ContainsFunc(texts, func(s *string) bool { return s != nil && strings.Contains(strings.ToLower(*s), q) })
}
