package oauth

import (
	"errors"
	"net/http"
	"time"

	"bugslice/api"
	"bugslice/internal/store"
)

// Error is a refusal as RFC 6749 and its extensions name it.
type Error struct {
	Code        string // such as invalid_grant
	Description string // a sentence for developers, in ASCII
	RetryAfter  time.Duration
}

func (e *Error) Error() string { return e.Code + ": " + e.Description }

// Status returns the HTTP status of a refusal by an endpoint of programs.
func (e *Error) Status() int {
	switch e.Code {
	case "invalid_client":
		return http.StatusUnauthorized
	case "temporarily_unavailable":
		return http.StatusServiceUnavailable
	case "too_many_requests":
		return http.StatusTooManyRequests
	case "server_error":
		return http.StatusInternalServerError
	}
	return http.StatusBadRequest
}

func refuse(code, description string) *Error { return &Error{Code: code, Description: description} }

var (
	errUnknownClient = refuse("invalid_client",
		"The client_id is unknown: register again, or use the URL of a metadata document.")
	errUnknownCode = refuse("invalid_grant",
		"The code is unknown or has expired, was used before, or is of another client.")
	errRefresh = refuse("invalid_grant", "The refresh token is unknown or was replaced, or its key was revoked.")
)

// orUnknown turns a missing record into a refusal.
func orUnknown(err error, refusal *Error) error {
	if errors.Is(err, store.ErrNotFound) {
		return refusal
	}
	return err
}

// isRefused reports whether a problem refuses to renew a key: it was revoked or has expired, or its user has lost the
// right.
func isRefused(err error) bool {
	p, ok := errors.AsType[*api.Problem](err)
	return ok && p.Status < http.StatusInternalServerError
}

// isProblem reports whether an error is a problem with a code.
func isProblem(err error, code string) bool {
	p, ok := errors.AsType[*api.Problem](err)
	return ok && p.Code == code
}
