package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/command/output"
	"bugslice/internal/command/profile"
	"bugslice/internal/command/tree"
)

// The exit codes of a client.
const (
	codeFailed      = 1
	codeUsage       = 2
	codeSignIn      = 3
	codeNotFound    = 4
	codeConflict    = 5
	codeLimit       = 6
	codeInterrupted = 130
)

// ExitCodes describes the exit codes.
const ExitCodes = "The exit code is 0, 1 after a failure, and 2 for a mistake in the command line or the " +
	"environment; of a client, " +
	"3 when nobody is signed in or the key has expired, 4 when a record does not exist or the key has no right " +
	"to it, 5 when something " +
	"was changed meanwhile, 6 when a limit refuses it, and 130 when it was interrupted."

// Failure is the error of a command of a client.
type Failure struct {
	Code int
	Err  error
	Next string // what to do; empty when the error says it
}

// Error returns the error with what to do.
func (f *Failure) Error() string {
	if f.Next == "" {
		return f.Err.Error()
	}
	return f.Err.Error() + "; " + f.Next
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// Print prints the error, and returns the exit code. The failure of a command that was run has been printed by it.
func (f *Failure) Print(w io.Writer) int {
	if f.Err != nil {
		fmt.Fprintln(w, "bugslice: "+output.Safe(f.Error()))
	}
	return f.Code
}

// failureOf returns the error of a command as a failure; nil for none.
func failureOf(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Failure](err); ok {
		return err
	}
	if p, ok := errors.AsType[*api.Problem](err); ok {
		return refusal(p)
	}
	switch {
	case errors.Is(err, context.Canceled):
		return &Failure{codeInterrupted, errors.New("interrupted"), ""}
	case errors.Is(err, profile.ErrNotSignedIn):
		return &Failure{codeSignIn, err, signIn}
	}
	if _, ok := errors.AsType[tree.UsageError](err); ok {
		return &Failure{codeUsage, err, ""}
	}
	if errors.Is(err, http.ErrSchemeMismatch) {
		return &Failure{codeFailed, errors.New("the server speaks http, and not https"),
			"begin its address with http://, if no stranger can read the network"}
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return &Failure{codeFailed, err,
			"check the address, which bugslice auth status shows or --url has, and whether the server runs"}
	}
	return &Failure{codeFailed, err, ""}
}

const signIn = "run bugslice auth login, or set " + profile.EnvURL + " and " + profile.EnvToken

// limits are the codes of problems that a limit causes.
var limits = []string{api.CodeRateLimited, api.CodeDailyLimit, api.CodeQuota, api.CodeTooLarge, api.CodeNoSpace,
	api.CodeTooBroad,
	api.CodeTooManyWebhooks, api.CodeTooManyViews, api.CodeTooManyShares, api.CodeRedactionCost}

// refusal returns the problem of a response as a failure.
func refusal(p *api.Problem) *Failure {
	f := &Failure{Code: codeFailed, Err: refused{p}}
	switch {
	case slices.Contains(limits, p.Code):
		f.Code, f.Next = codeLimit, limitAdvice(p)
	case p.Status == http.StatusUnauthorized:
		f.Code, f.Next = codeSignIn, "the key is unknown, revoked or expired: "+signIn
	case p.Code == api.CodeScope:
		f.Code, f.Next = codeNotFound, "bugslice auth status shows the scopes of the key"
	case p.Status == http.StatusForbidden:
		f.Code, f.Next = codeNotFound, "ask an admin of the workspace"
	case p.Status == http.StatusNotFound:
		f.Code, f.Next = codeNotFound, "bugslice slice list and bugslice workspace list show what you may see"
	case p.Code == api.CodeExternalIDTaken, p.Code == api.CodeWorkspaceKeyTaken:
		f.Code, f.Next = codeConflict, "choose another one"
	case p.Status == http.StatusConflict, p.Status == http.StatusPreconditionFailed, p.Status == http.StatusGone:
		f.Code, f.Next = codeConflict, "look at it again, and repeat the command"
	case p.Status == http.StatusBadRequest, p.Status == http.StatusUnprocessableEntity:
		f.Code, f.Next = codeUsage, "correct the flags or arguments"
	case p.Code == "":
		f.Next = "check the address by bugslice auth status"
	case p.Status >= http.StatusInternalServerError:
		f.Next = "try again later; when it stays, tell the operator " + p.RequestID
	}
	return f
}

func limitAdvice(p *api.Problem) string {
	switch p.Code {
	case api.CodeTooBroad:
		return "narrow the query: by --workspace, a status or a date"
	case api.CodeTooManyShares:
		return "revoke one: bugslice share list shows them"
	case api.CodeTooManyViews:
		return "delete one: bugslice view list shows them"
	case api.CodeTooManyWebhooks:
		return "delete one: bugslice webhook list shows them"
	case api.CodeQuota, api.CodeNoSpace:
		return "ask the operator for space"
	case api.CodeTooLarge, api.CodeRedactionCost:
		return "send less"
	}
	if p.RetryAfter > 0 {
		return fmt.Sprintf("try again in %s", p.RetryAfter)
	}
	return "try again later"
}

// refused is a problem as people read it.
type refused struct{ p *api.Problem }

func (r refused) Unwrap() error { return r.p }

func (r refused) Error() string {
	text := strings.TrimRight(r.p.Detail, ".")
	if text == "" {
		text = r.p.Title
	}
	if first := r.p.Errors; len(first) > 0 && strings.HasPrefix(text, placeOf(first[0])+": ") {
		text = "" // it is the first fault, and says that there are more
	}
	for _, f := range r.p.Errors {
		if detail := strings.TrimRight(f.Detail, "."); !strings.Contains(text, detail) {
			text += "; " + placeOf(f) + ": " + detail
		}
	}
	return strings.TrimPrefix(text, "; ")
}

// placeOf returns the part of the request that has a fault.
func placeOf(f api.Fault) string { return f.Pointer + f.Parameter }

var errNothingDone = errors.New("nothing was changed")
