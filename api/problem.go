package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Codes of refusal. They are stable: clients branch on them.
const (
	CodeInvalidParameter = "invalid_parameter"
	CodeInvalidCursor    = "invalid_cursor"
	CodeMalformedBody    = "malformed_body"
	CodeUnauthorized     = "unauthorized"
	CodeScope            = "insufficient_scope"
	CodeSuperseded       = "token_superseded"
	CodeForbidden        = "forbidden"
	CodeNotFound         = "not_found"
	CodeMethod           = "method_not_allowed"
	CodeRequestTimeout   = "request_timeout"
	CodeConflict         = "conflict"
	CodeExternalIDTaken  = "external_id_taken"
	CodeTransition       = "transition_not_allowed"
	CodeKeyExpired       = "key_expired"
	CodeReplaySecret     = "idempotent_secret_gone"
	CodeEventsGone       = "events_expired"
	CodeQuota            = "quota_exceeded"
	CodeDigest           = "digest_mismatch"
	CodeRange            = "range_not_satisfiable"
	CodeTooManyWebhooks  = "too_many_webhooks"
	CodeWebhookDisabled  = "webhook_disabled"
	CodePrecondition     = "precondition_failed"
	CodeTooLarge         = "payload_too_large"
	CodeMediaType        = "unsupported_media_type"
	CodeInvalidBody      = "invalid_body"
	CodeRedactionCost    = "redaction_too_costly"
	CodeKeyReused        = "idempotency_key_reused"
	CodeRateLimited      = "rate_limited"
	CodeDailyLimit       = "daily_limit"
	CodeNoSpace          = "insufficient_storage"
	CodeInternal         = "internal"
	CodeUnavailable      = "unavailable"
)

// CodeInfo says which status a code goes with and what it means.
type CodeInfo struct {
	Code   string
	Status int
	Title  string
}

// Codes lists every code of refusal.
var Codes = []CodeInfo{
	{CodeInvalidParameter, 400, "A parameter is not valid"},
	{CodeInvalidCursor, 400, "The cursor is not valid for this request"},
	{CodeMalformedBody, 400, "The body is not well-formed"},
	{CodeUnauthorized, 401, "A valid API key is needed"},
	{CodeScope, 403, "The key lacks the scope"},
	{CodeSuperseded, 403, "A newer token of the key is needed"},
	{CodeForbidden, 403, "The caller may not do this"},
	{CodeNotFound, 404, "There is nothing here that the caller can see"},
	{CodeMethod, 405, "The method is not allowed here"},
	{CodeRequestTimeout, 408, "The body came too slowly"},
	{CodeConflict, 409, "The request conflicts with another one"},
	{CodeExternalIDTaken, 409, "The externalId is taken"},
	{CodeTransition, 409, "The status cannot change that way"},
	{CodeKeyExpired, 409, "The key has expired"},
	{CodeReplaySecret, 409, "The first answer held a secret that is shown once"},
	{CodeTooManyWebhooks, 409, "The workspace has as many webhooks as it may"},
	{CodeWebhookDisabled, 409, "The webhook is not enabled"},
	{CodeEventsGone, 410, "The events behind this one are no longer kept"},
	{CodePrecondition, 412, "It is not what If-Match names"},
	{CodeTooLarge, 413, "The body is too large"},
	{CodeMediaType, 415, "The body's media type is not taken"},
	{CodeRange, 416, "The file has no such range"},
	{CodeQuota, 413, "The workspace has no more room"},
	{CodeDigest, 400, "The body is not what Content-Digest says"},
	{CodeInvalidBody, 422, "The body is not valid"},
	{CodeRedactionCost, 422, "The workspace's patterns would cost too much on this"},
	{CodeKeyReused, 422, "The Idempotency-Key belongs to another request"},
	{CodeRateLimited, 429, "Too many requests"},
	{CodeDailyLimit, 429, "The workspace has filed as many reports as it may today"},
	{CodeInternal, 500, "Something went wrong on our side"},
	{CodeUnavailable, 503, "The service cannot answer right now"},
	{CodeNoSpace, 507, "The service has little disk left, and stores nothing"},
}

// Fault points at one thing wrong with a request: a member of the body (Pointer, RFC 6901)
// or a parameter.
type Fault struct {
	Pointer   string `json:"pointer,omitempty" example:"/summary" doc:"JSON pointer into the body."`
	Parameter string `json:"parameter,omitempty" example:"limit" doc:"Name of the query, path or header parameter."`
	Code      string `json:"code" example:"too_long"`
	Detail    string `json:"detail" example:"at most 200 characters, this has 214"`
}

// Problem is every refusal on the wire (RFC 9457), and the one error type of the service.
type Problem struct {
	Type      string  `json:"type" example:"https://bugs.example.com/docs#not_found" doc:"A page about the code."`
	Title     string  `json:"title"`
	Status    int     `json:"status" minimum:"400" maximum:"599"`
	Detail    string  `json:"detail" doc:"What went wrong this time, and what to do."`
	Code      string  `json:"code" doc:"Stable; branch on this."`
	RequestID string  `json:"requestId" example:"req_01ja8m2c9tf3qb6h0v5r4x7kyz" doc:"Quote it when you ask for help."`
	Errors    []Fault `json:"errors,omitempty" doc:"Every fault found, when the request's shape is at fault."`

	RetryAfter time.Duration `json:"-"` // when to ask again; not said when 0
}

// Error is the problem in one line.
func (p *Problem) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", p.Code, p.Detail)
	for _, f := range p.Errors {
		fmt.Fprintf(&b, "; %s%s: %s", f.Pointer, f.Parameter, f.Detail)
	}
	return b.String()
}

// Refuse returns the problem of that code with its status and title. An unknown code is a
// mistake in the program and panics.
func Refuse(code, detail string, faults ...Fault) *Problem {
	i := slices.IndexFunc(Codes, func(c CodeInfo) bool { return c.Code == code })
	if i < 0 {
		panic("api: no code " + code)
	}
	c := Codes[i]
	return &Problem{Title: c.Title, Status: c.Status, Detail: detail, Code: code, Errors: faults}
}

// Internal returns the problem of an error that nobody foresaw. The cause belongs in the log, not in it.
func Internal() *Problem {
	return Refuse(CodeInternal, "Something unforeseen happened. The request id leads to the cause in our log.")
}

// NotFound refuses what does not exist and what the caller cannot see, alike.
func NotFound(what string) *Problem {
	return Refuse(CodeNotFound, "No such "+what+", or you cannot see it.")
}

// InvalidMember refuses one member of a body.
func InvalidMember(pointer, code, detail string) *Problem {
	return Refuse(CodeInvalidBody, detail, Fault{Pointer: pointer, Code: code, Detail: detail})
}

// InvalidParameter refuses one parameter.
func InvalidParameter(name, code, detail string) *Problem {
	return Refuse(CodeInvalidParameter, detail, Fault{Parameter: name, Code: code, Detail: detail})
}

// StatusText is the reason phrase of the problem's status.
func (p *Problem) StatusText() string { return http.StatusText(p.Status) }
