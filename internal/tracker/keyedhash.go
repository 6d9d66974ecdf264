package tracker

import (
	"encoding/base32"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/redact"
	"bugslice/internal/secret"
	"bugslice/internal/store"
)

// Labels, fingerprints and external ids are looked up by equality. A value that contains a secret is stored as a keyed
// hash of the value, so that equal values have equal hashes and the secret is not stored.

const (
	keyedPrefix  = "redacted-"
	keyedLength  = 24 // characters after the prefix: 120 bits
	keyedPurpose = "redacted value"
)

var keyedDigits = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// isKeyed reports whether a value has the form of a keyed hash. Such a value is not hashed again.
func isKeyed(value string) bool {
	hash, ok := strings.CutPrefix(value, keyedPrefix)
	return ok && len(hash) == keyedLength && strings.Trim(hash, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// storedForms returns the forms in which a value may be stored: the value itself, and its hash under each master
// secret, the newest first.
func storedForms(ring *secret.Ring, value string) []string {
	forms := []string{value}
	if !isKeyed(value) {
		for _, sum := range ring.Digests(keyedPurpose, value) {
			forms = append(forms, keyedPrefix+keyedDigits.EncodeToString(sum)[:keyedLength])
		}
	}
	return forms
}

// storedFormsOf returns the stored forms of all values of a filter.
func storedFormsOf(ring *secret.Ring, values []string) (forms []string) {
	for _, v := range values {
		forms = append(forms, storedForms(ring, v)...)
	}
	return forms
}

// storedTexts returns the stored forms of the values of filters by texts, by their words. Those of a text that is
// never stored as a hash find nothing.
func storedTexts(ring *secret.Ring, filters []api.TextFilter) map[string][]string {
	texts := map[string][]string{}
	for _, f := range filters {
		if len(*f.Values) > 0 {
			texts[f.Word] = storedFormsOf(ring, *f.Values)
		}
	}
	return texts
}

// storedForm returns the form in which a value is stored: its keyed hash if it contains a secret, else the value.
func (r redactor) storedForm(value string, c redact.Counts) string {
	if isKeyed(value) || r.Text(value, c) == value {
		return value
	}
	return storedForms(r.secrets, value)[1]
}

// storedLabels returns the stored forms of labels, without duplicates and without invisible labels.
func (r redactor) storedLabels(labels []string, c redact.Counts) []string {
	out := make([]string, 0, len(labels))
	for _, v := range labels {
		if v = r.storedForm(normalLabel(v), c); v != "" && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// checkExternalID refuses an external id of a slice, as it is stored, when another live slice of the workspace has it
// in one of its forms. The transaction must have locked the forms.
func checkExternalID(tx *access.Tx, s *store.Slice, externalID string, forms []string) error {
	if err := tx.ApplySlices(); err != nil {
		return err
	}
	taken, err := tx.IsExternalIDOfAnother(s, forms...)
	if err == nil && taken {
		err = refuseExternalID(externalID)
	}
	return err
}

func refuseExternalID(externalID string) error {
	const detail = "another slice of this workspace has this externalId"
	return api.NewProblem(api.CodeExternalIDTaken, "The externalId "+externalID+" is taken: "+detail+".",
		api.Fault{Pointer: "/externalId", Code: api.CodeExternalIDTaken, Detail: detail})
}
