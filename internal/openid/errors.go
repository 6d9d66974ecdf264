package openid

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"strings"
	"unicode"

	"golang.org/x/oauth2"

	"bugslice/internal/safehttp"
)

// Error says why a provider did not confirm a person.
type Error struct {
	Away   bool   // the provider did not answer: it may later
	Ended  bool   // the provider has ended what it had given
	Detail string `untrusted:"true"` // a sentence, with the provider's words
}

// Error implements error.
func (e *Error) Error() string { return "openid: " + e.Detail }

func refuse(detail string) *Error { return &Error{Detail: detail} }

// maxWords is the length of a provider's words that are shown.
const maxWords = 300

// shorten returns the words of a provider without control characters, and not too many of them.
func shorten(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, " "))
	if runes := []rune(text); len(runes) > maxWords {
		text = string(runes[:maxWords]) + "…"
	}
	return strings.TrimSpace(text)
}

// refusal returns the Error of an error of a request or of a check.
func refusal(err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	var answered *oauth2.RetrieveError
	if errors.As(err, &answered) {
		return refusedExchange(answered)
	}
	if errors.Is(err, safehttp.ErrNotAllowed) {
		return refuse("The provider's address is not allowed: " + afterColon(err.Error()) +
			". The operator can allow it by --oidc-allow.")
	}
	var syntax *json.SyntaxError
	var away net.Error
	switch {
	case errors.Is(err, errLarge):
		return refuse("The provider's response has more than 256 KiB.")
	case errors.As(err, &syntax):
		return refuse("The provider's response is no JSON.")
	case errors.As(err, &away), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &Error{Away: true, Detail: "The provider did not answer: " + shorten(err.Error())}
	}
	return refuse(shorten(err.Error()))
}

// afterColon returns the last words of an error, which say the reason.
func afterColon(text string) string {
	if i := strings.LastIndex(text, ": "); i >= 0 {
		text = text[i+2:]
	}
	return shorten(text)
}

// refusedExchange returns the Error of a token endpoint that has refused a code or a refresh token.
func refusedExchange(e *oauth2.RetrieveError) *Error {
	words := "The provider refused: " + shorten(strings.TrimSpace(e.ErrorCode+" "+e.ErrorDescription))
	switch {
	case e.ErrorCode == "invalid_grant":
		return &Error{Ended: true, Detail: words}
	case e.ErrorCode == "" && e.Response != nil:
		return refuse("The provider refused: " + shorten(e.Response.Status))
	}
	return refuse(words)
}
