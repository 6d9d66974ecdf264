package tracker

import (
	"encoding/base32"
	"errors"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/redact"
	"bugslice/internal/secret"
	"bugslice/internal/store"
)

// Labels, fingerprints and externalIds are compared. One that holds a secret is stored as a keyed hash
// of the whole of it, so that equal values stay equal while none of them is kept.

const (
	keyedHead    = "redacted-"
	keyedLength  = 24 // characters after the head: 120 bits
	keyedPurpose = "redacted value"
)

var keyedDigits = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// isKeyed says whether a value is such a hash, which is left as it is.
func isKeyed(value string) bool {
	rest, ok := strings.CutPrefix(value, keyedHead)
	return ok && len(rest) == keyedLength && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// storedForms returns under which values a value may be stored: itself, and its hash under each master secret,
// the newest first.
func storedForms(ring *secret.Ring, value string) []string {
	all := []string{value}
	if !isKeyed(value) {
		for _, sum := range ring.Digests(keyedPurpose, value) {
			all = append(all, keyedHead+keyedDigits.EncodeToString(sum)[:keyedLength])
		}
	}
	return all
}

// storedFormsOf returns the forms of every value of a filter.
func storedFormsOf(ring *secret.Ring, values []string) (all []string) {
	for _, v := range values {
		all = append(all, storedForms(ring, v)...)
	}
	return all
}

// keyed returns a value as it is stored: its hash if there is a secret in it.
func (r redactor) keyed(value string, c redact.Counts) string {
	if isKeyed(value) || r.Text(value, c) == value {
		return value
	}
	return storedForms(r.secrets, value)[1]
}

// keyedAll returns such values, without those that are the same then.
func (r redactor) keyedAll(values []string, c redact.Counts) []string {
	out := make([]string, 0, len(values))
	for _, v := range values {
		if v = r.keyed(v, c); !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// checkExternalID refuses an externalId that another live slice has in another form. It runs behind the
// lock on the workspace; the unique index refuses the same form.
func checkExternalID(q store.Queries, s *store.Slice, forms []string) error {
	if s.ExternalID == nil {
		return nil
	}
	others := slices.DeleteFunc(slices.Clone(forms), func(form string) bool { return form == *s.ExternalID })
	if len(others) == 0 {
		return nil
	}
	switch _, err := q.SliceByExternalID(s.WorkspaceID, others...); {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	return refuseExternalID(*s.ExternalID)
}

func refuseExternalID(externalID string) error {
	const detail = "another slice of this workspace has this externalId"
	return api.Refuse(api.CodeExternalIDTaken, "The externalId "+externalID+" is taken: "+detail+".",
		api.Fault{Pointer: "/externalId", Code: api.CodeExternalIDTaken, Detail: detail})
}
