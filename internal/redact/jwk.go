package redact

// isJWKSecret reports whether a member of a JSON web key is secret, by its name and length. certain is set when the object is known to be
// such a key.
func isJWKSecret(name, text string, certain bool) bool {
	switch name {
	case "d", "p", "q", "dp", "dq", "qi", "k":
		return (len(text) >= 40 || certain && len(text) >= 16) && run(text, 0, word) == len(text) && hasCapitalAndDigit(text)
	}
	return false
}

// keyType is a member that every JSON web key has.
const keyType = `"kty"`
