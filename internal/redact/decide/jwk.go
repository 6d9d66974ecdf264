package decide

import "bugslice/internal/redact/lex"

// IsJWKSecret reports whether a member of a JSON web key is secret, by its name and length. certain is set when the
// object is known to be such a key.
func IsJWKSecret(name, text string, certain bool) bool {
	switch name {
	case "d", "p", "q", "dp", "dq", "qi", "k":
		return (len(text) >= 40 || certain && len(text) >= 16) && lex.Run(text, 0, lex.Word) == len(text) &&
			lex.HasCapitalAndDigit(text)
	}
	return false
}

// KeyType is a member that every JSON web key has.
const KeyType = `"kty"`
