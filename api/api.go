// Package api is the contract of the HTTP API in Go: the operations, their input and output types, and the error
// codes. The server, its front ends and the public client share it. It contains no secret or hash except the tokens
// that a creation returns once, and it imports only the standard library.
//
// The struct tags and the comments above the fields are published: the OpenAPI document is made from them.
//
// A merge patch (RFC 7396), such as a SlicePatch, changes members of a record: one that is absent stays, null
// removes, and any other value replaces. A patch has a method for each member, which returns it with the member set;
// nil is null:
//
//	api.SlicePatch{}.Status(api.Resolved).AssigneeID(nil)
package api

import (
	"fmt"
	"time"
)

// Limits of the page size of every list.
const (
	MinLimit     = 1
	MaxLimit     = 100
	DefaultLimit = 25
)

// Time is an instant in UTC. It is written as RFC 3339 with exactly three decimals.
type Time struct{ time.Time }

const timeLayout = "2006-01-02T15:04:05.000Z"

// At returns the instant of t in UTC, truncated to the millisecond.
func At(t time.Time) Time { return Time{t.UTC().Truncate(time.Millisecond)} }

// FromMillis returns the instant ms milliseconds after the Unix epoch.
func FromMillis(ms int64) Time { return Time{time.UnixMilli(ms).UTC()} }

// MarshalJSON returns the instant as a JSON string.
func (t Time) MarshalJSON() ([]byte, error) {
	return t.UTC().AppendFormat(make([]byte, 0, len(timeLayout)+2), `"`+timeLayout+`"`), nil
}

// String returns the instant as it is in JSON, without quotes.
func (t Time) String() string { return t.UTC().Format(timeLayout) }

// UnmarshalText parses an RFC 3339 timestamp. It refuses a year in UTC outside of 1 to 9999, which String could not
// write in four digits.
func (t *Time) UnmarshalText(b []byte) error {
	v, err := time.Parse(time.RFC3339, string(b))
	if year := v.UTC().Year(); err != nil || year < 1 || year > 9999 {
		return fmt.Errorf("not an RFC 3339 timestamp: %q", b)
	}
	*t = At(v)
	return nil
}

// UnmarshalJSON parses a JSON string with an RFC 3339 timestamp. Null leaves t unchanged.
func (t *Time) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	if len(b) < 2 || b[0] != '"' || b[len(b)-1] != '"' {
		return fmt.Errorf("not an RFC 3339 timestamp: %s", b)
	}
	return t.UnmarshalText(b[1 : len(b)-1])
}

// Pagination describes a page's position in its list.
type Pagination struct {
	// An opaque position. Pass it as the cursor parameter of the next request, with the other parameters unchanged.
	// Null exactly when hasMore is false.
	Cursor *string `json:"cursor"`
	// Whether more results follow.
	HasMore bool `json:"hasMore"`
	// The page size in effect.
	Limit int `json:"limit" minimum:"1" maximum:"100"`
}

// Page is the envelope of every list.
type Page[T any] struct {
	Data       []T        `json:"data"`
	Pagination Pagination `json:"pagination"`
	// The release for which newest stands in the filters; only when they have the word and reports name a release.
	NewestRelease *ChosenRelease `json:"newestRelease,omitempty" schema:"SlicePage"`
}

// Paging holds the two parameters of every list.
type Paging struct {
	// The maximum number of results in a page, from 1 to 100.
	Limit int `query:"limit" json:"-" minimum:"1" maximum:"100" default:"25" example:"25"`
	// The pagination.cursor of the previous response. Repeat the other parameters with it; only limit may change.
	Cursor string `query:"cursor" json:"-"`
}

// Idempotency is part of the input of every POST.
type Idempotency struct {
	// Makes a retry safe: within 24 hours, the same key with the same request returns the first response again. The
	// same key with another request of the same operation is refused. A key belongs to its caller and its operation:
	// with another operation it is another key.
	IdempotencyKey string `header:"Idempotency-Key" json:"-" maxLength:"255"`
}

// RequestKey returns the Idempotency-Key of a request, or "".
func (i Idempotency) RequestKey() string { return i.IdempotencyKey }

// Nothing is the output of operations whose response has no body.
type Nothing struct{}

// Bytes is the output of operations that return a file.
type Bytes struct{}

// names returns values as strings, for the Values methods.
func names[T ~string](values ...T) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = string(v)
	}
	return all
}
