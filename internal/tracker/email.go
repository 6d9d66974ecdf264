package tracker

import (
	"errors"
	"net/mail"
	"strings"
)

var (
	errEmail     = errors.New("this is not an e-mail address")
	errLookalike = errors.New("this address has a letter that looks like i or k and is another one")
)

// lookalikes are the letters whose lower case is an ASCII letter: with them the address would become that of somebody
// else.
const lookalikes = "\u0130\u212a"

// ParseEmail returns the e-mail address of a new user in lower case. It refuses one with a name before it, and one in
// quotes: without them it would be no address, such as one with a space.
func ParseEmail(text string) (string, error) {
	text = strings.TrimSpace(text)
	address, err := mail.ParseAddress(text)
	if err != nil || address.Address != text || len(text) > 254 || strings.ContainsRune(text, 0) {
		return "", errEmail
	}
	if strings.ContainsAny(address.Address, lookalikes) {
		return "", errLookalike
	}
	return strings.ToLower(address.Address), nil
}
