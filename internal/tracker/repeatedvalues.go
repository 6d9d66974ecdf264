package tracker

import (
	"encoding/base64"
	"slices"

	"bugslice/internal/redact"
	"bugslice/internal/store"
)

// A random value that was removed from a slice is removed from its later texts, too. The slice has a keyed hash of the
// value and of its own id, so that nobody learns from it which value it was, or that two slices have the same.

const (
	removedPurpose = "removed value"
	maxRemovedSums = 100 // of a slice
)

// removedSums returns the hashes of the values that were removed from a slice before, and now.
func (r redactor) removedSums(sliceID string, before []string) []string {
	all := slices.Clip(before)
	for _, value := range r.Removed() {
		if sum := r.sumsOf(sliceID, value)[0]; len(all) < maxRemovedSums && !slices.Contains(all, sum) {
			all = append(all, sum)
		}
	}
	return all
}

// sumsOf returns the hashes of a value under each master secret, the newest first.
func (r redactor) sumsOf(sliceID, value string) []string {
	return convert(r.secrets.Digests(removedPurpose, sliceID+" "+value), func(sum []byte) string {
		return base64.RawStdEncoding.EncodeToString(sum[:15])
	})
}

// knowing returns the redactor for later texts of a slice.
func (r redactor) knowing(s store.Slice) redactor {
	r.known, r.knownOf = s.Removed, s.ID
	return r
}

// removeKnown removes from a text the values that were removed from the slice before.
func (r redactor) removeKnown(text string, c redact.Counts) string {
	if len(r.known) == 0 {
		return text
	}
	return r.RemoveKnown(text, func(word string) bool {
		return slices.ContainsFunc(r.sumsOf(r.knownOf, word), func(sum string) bool { return slices.Contains(r.known, sum) })
	}, c)
}
