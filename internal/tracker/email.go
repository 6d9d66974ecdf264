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

// lookalikes are the letters whose lower case is an ASCII letter: with them the address would become that of somebody else.
const lookalikes = "\u0130\u212a"

// ParseEmail returns the e-mail address of a new user in lower case.
func ParseEmail(text string) (string, error) {
	address, err := mail.ParseAddress(strings.TrimSpace(text))
	if err != nil || address.Name != "" || len(text) > 254 || strings.ContainsRune(text, 0) {
		return "", errEmail
	}
	if strings.ContainsAny(address.Address, lookalikes) {
		return "", errLookalike
	}
	return strings.ToLower(address.Address), nil
}
