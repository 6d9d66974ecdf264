package access

import (
	"errors"

	"bugslice/api"
	"bugslice/internal/store"
)

// MaskNotFound turns a missing record, and any refusal, into not_found: a caller cannot tell a record that it may not
// see from one that does not exist.
func MaskNotFound(err error, noun string) error {
	if IsRefusal(err) {
		return api.NotFound(noun)
	}
	return OrNotFound(err, noun)
}

// OrNotFound turns a missing record into not_found.
func OrNotFound(err error, noun string) error {
	if errors.Is(err, store.ErrNotFound) {
		return api.NotFound(noun)
	}
	return err
}

// IsRefusal reports whether an error is a problem of the request. A write that was refused has stored nothing. After
// any other error, such as a lost connection during COMMIT, the write may be committed.
func IsRefusal(err error) bool {
	var p *api.Problem
	return errors.As(err, &p)
}

// errNoInbox refuses a caller that is no user.
var errNoInbox = api.NewProblem(api.CodeForbidden,
	"A service token has no inbox: notices and watches are those of a user. Use a personal access token.")

var errOperatorOnly = api.NewProblem(api.CodeForbidden, "Only the operator may do this, at the command line.")
