package api

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Error codes. They are stable: clients branch on them.
const (
	CodeInvalidParameter     = "invalid_parameter"
	CodeInvalidCursor        = "invalid_cursor"
	CodeMalformedBody        = "malformed_body"
	CodeUnauthorized         = "unauthorized"
	CodeScope                = "insufficient_scope"
	CodeSuperseded           = "token_superseded"
	CodeNetwork              = "network_not_allowed"
	CodeForbidden            = "forbidden"
	CodeNotFound             = "not_found"
	CodeMethod               = "method_not_allowed"
	CodeRequestTimeout       = "request_timeout"
	CodeConflict             = "conflict"
	CodeExternalIDTaken      = "external_id_taken"
	CodeWorkspaceKeyTaken    = "workspace_key_taken"
	CodeKeyExpired           = "key_expired"
	CodeReplaySecret         = "idempotent_secret_gone"
	CodeEventsGone           = "events_expired"
	CodeQuota                = "quota_exceeded"
	CodeDigest               = "digest_mismatch"
	CodeRange                = "range_not_satisfiable"
	CodeTooManyWebhooks      = "too_many_webhooks"
	CodeTooManySources       = "too_many_sources"
	CodeTooManyViews         = "too_many_views"
	CodeTooManyShares        = "too_many_shares"
	CodeWebhookDisabled      = "webhook_disabled"
	CodePrecondition         = "precondition_failed"
	CodeTooLarge             = "payload_too_large"
	CodeMediaType            = "unsupported_media_type"
	CodeInvalidBody          = "invalid_body"
	CodeRedactionCost        = "redaction_too_costly"
	CodeIdempotencyKeyReused = "idempotency_key_reused"
	CodeRateLimited          = "rate_limited"
	CodeDailyLimit           = "daily_limit"
	CodeNoSpace              = "insufficient_storage"
	CodeInternal             = "internal"
	CodeUnavailable          = "unavailable"
	CodeTooBroad             = "query_too_broad"
)

// CodeInfo describes an error code.
type CodeInfo struct {
	Code   string
	Status int
	Title  string
}

// Codes lists every error code.
var Codes = []CodeInfo{
	{CodeInvalidParameter, 400, "A parameter is not valid"},
	{CodeInvalidCursor, 400, "The cursor is not valid for this request"},
	{CodeMalformedBody, 400, "The body is not well-formed"},
	{CodeUnauthorized, 401, "A valid API key is required"},
	{CodeScope, 403, "The key does not have the required scope"},
	{CodeSuperseded, 403, "The newest token of the key is required"},
	{CodeNetwork, 403, "The organisation does not admit keys from the network of the request"},
	{CodeForbidden, 403, "The caller may not do this"},
	{CodeNotFound, 404, "The resource does not exist, or the caller may not see it"},
	{CodeMethod, 405, "The method is not allowed for this path"},
	{CodeRequestTimeout, 408, "The body arrived too slowly"},
	{CodeConflict, 409, "The request conflicts with another request"},
	{CodeExternalIDTaken, 409, "The externalId is already in use"},
	{CodeWorkspaceKeyTaken, 409, "The key of the workspace is already in use"},
	{CodeKeyExpired, 409, "The key has expired"},
	{CodeReplaySecret, 409, "The first response contained a secret that is shown only once"},
	{CodeTooManyWebhooks, 409, "The workspace has reached its limit of webhooks"},
	{CodeTooManySources, 409, "The workspace has reached its limit of sources"},
	{CodeTooManyViews, 409, "The limit of views is reached"},
	{CodeTooManyShares, 409, "The slice has reached its limit of shares"},
	{CodeWebhookDisabled, 409, "The webhook is not enabled"},
	{CodeEventsGone, 410, "The events after this one have been deleted"},
	{CodePrecondition, 412, "The resource has another version than If-Match names"},
	{CodeTooLarge, 413, "The body is too large"},
	{CodeMediaType, 415, "The media type of the body is not supported"},
	{CodeRange, 416, "The file does not have this range"},
	{CodeQuota, 413, "The workspace has reached its storage quota"},
	{CodeDigest, 400, "The body does not match its Content-Digest"},
	{CodeInvalidBody, 422, "The body is not valid"},
	{CodeRedactionCost, 422, "The redaction patterns of the workspace need too much time for this input"},
	{CodeIdempotencyKeyReused, 422, "The Idempotency-Key was used for another request"},
	{CodeRateLimited, 429, "Too many requests"},
	{CodeDailyLimit, 429, "The workspace has reached its daily limit of reports"},
	{CodeInternal, 500, "Internal server error"},
	{CodeUnavailable, 503, "The service is temporarily unavailable"},
	{CodeTooBroad, 503, "The query is too broad to answer in time"},
	{CodeNoSpace, 507, "The service has too little disk space to store anything"},
}

// Fault is an error in one member of the body (Pointer, RFC 6901), or in one parameter.
type Fault struct {
	Pointer   string `json:"pointer,omitempty" example:"/summary" doc:"JSON pointer into the body."`
	Parameter string `json:"parameter,omitempty" example:"limit" doc:"Name of the query, path or header parameter."`
	Code      string `json:"code" example:"too_long"`
	Detail    string `json:"detail" example:"at most 200 characters, but it has 214"`
}

// Problem is an error response (RFC 9457), and the error type of the service.
type Problem struct {
	Type      string  `json:"type" example:"https://bugs.example.com/docs#not_found" doc:"A page that describes the code."`
	Title     string  `json:"title"`
	Status    int     `json:"status" minimum:"400" maximum:"599"`
	Detail    string  `json:"detail" doc:"What is wrong with this request, and what to do."`
	Code      string  `json:"code" doc:"The error code. It is stable; branch on it."`
	RequestID string  `json:"requestId" example:"req_01ja8m2c9tf3qb6h0v5r4x7kyz" doc:"Quote it when you ask for help."`
	Errors    []Fault `json:"errors,omitempty" doc:"Every fault of the request, when it is not valid."`

	RetryAfter time.Duration `json:"-"` // when to send the request again; 0 is unknown
	Kind       string        `json:"-"` // of the record that was not found; empty for another problem
}

// Error returns the problem in one line.
func (p *Problem) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", p.Code, p.Detail)
	for _, f := range p.Errors {
		if f.Detail != p.Detail {
			fmt.Fprintf(&b, "; %s%s: %s", f.Pointer, f.Parameter, f.Detail)
		}
	}
	return b.String()
}

// NewProblem returns the problem of a code, with its status and title. It panics when there is no such code.
func NewProblem(code, detail string, faults ...Fault) *Problem {
	i := slices.IndexFunc(Codes, func(c CodeInfo) bool { return c.Code == code })
	if i < 0 {
		panic("api: no code " + code)
	}
	c := Codes[i]
	return &Problem{Title: c.Title, Status: c.Status, Detail: detail, Code: code, Errors: faults}
}

// Internal returns the problem of an unexpected error. It does not contain the cause, which is logged.
func Internal() *Problem {
	return NewProblem(CodeInternal, "An unexpected error occurred. The cause is logged with the request id.")
}

// NotFound returns the problem of a resource that does not exist, and of one that the caller may not see.
func NotFound(kind string) *Problem {
	p := NewProblem(CodeNotFound, "There is no such "+kind+", or you may not see it.")
	p.Kind = kind
	return p
}

// InvalidMember returns the problem of one member of a body.
func InvalidMember(pointer, code, detail string) *Problem {
	return NewProblem(CodeInvalidBody, detail, Fault{Pointer: pointer, Code: code, Detail: detail})
}

// InvalidParameter returns the problem of one parameter.
func InvalidParameter(name, code, detail string) *Problem {
	return NewProblem(CodeInvalidParameter, detail, Fault{Parameter: name, Code: code, Detail: detail})
}
