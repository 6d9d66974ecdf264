package tracker

import (
	"strings"
	"sync"
	"unicode"

	"bugslice/internal/access"
	"bugslice/internal/redact"
	"bugslice/internal/store"
)

// NoteUse records that a caller's API key was used by a client. It does not access the database: a background task
// stores the use, unless one within the last minute is already stored.
func (t *Tracker) NoteUse(c access.Caller, userAgent string) {
	keyID, ok := t.access.UnusedKey(c)
	if !ok {
		return
	}
	t.keyUsage.record(keyID, store.KeyUse{At: t.clock(), Address: c.Request.ClientAddress,
		UserAgent: cleanUserAgent(userAgent)})
}

const (
	maxUserAgent  = 200  // characters that are stored
	readUserAgent = 2000 // characters that are searched for secrets
)

// builtInRules removes secrets without the rules of a workspace.
var builtInRules = sync.OnceValue(func() *redact.Redactor {
	r, err := redact.New(redact.Rules{})
	if err != nil {
		panic(err) // there is no rule to refuse
	}
	return r
})

// cleanUserAgent returns the start of a User-Agent header without control characters and known secrets.
func cleanUserAgent(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r) || r == unicode.ReplacementChar: // invalid UTF-8, and what changes the direction of text
			return -1
		}
		return r
	}, truncate(text, readUserAgent))
	return truncate(strings.TrimSpace(builtInRules().Text(text, redact.Counts{})), maxUserAgent)
}
