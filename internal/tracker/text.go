package tracker

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/words"
)

// truncate returns at most limit characters of a text, all of them when limit is 0.
func truncate(s string, limit int) string {
	n := 0
	for i := range s {
		if n++; limit > 0 && n > limit {
			return s[:i]
		}
	}
	return s
}

// digest returns the SHA-256 in hexadecimal.
func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func equalStrings(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

func hasKey(m map[string]any, name string) bool { _, ok := m[name]; return ok }

func errorOf[T any](_ T, err error) error { return err }

// convert applies f to each element. Its result is never nil.
func convert[A, B any](rows []A, f func(A) B) []B {
	out := make([]B, len(rows))
	for i, r := range rows {
		out[i] = f(r)
	}
	return out
}

// maxTime returns the later time, so that the time of an update never goes back with the clock.
func maxTime(a, b api.Time) api.Time {
	if a.Before(b.Time) {
		return b
	}
	return a
}

// anyContains reports whether one of the texts contains q, which is folded, as searches compare them.
func anyContains(q string, texts ...*string) bool {
	return slices.ContainsFunc(texts, func(s *string) bool { return s != nil && strings.Contains(words.Fold(*s), q) })
}

// evict deletes random entries of a cache until it has fewer than limit.
func evict[V any](cache map[string]V, limit int) {
	for key := range cache {
		if len(cache) < limit {
			return
		}
		delete(cache, key)
	}
}

// text returns a text that may be missing, empty then.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
