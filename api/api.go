// Package api is the contract in Go: the operations, the records they exchange and the
// codes of their errors. It is shared by the server, its doors and the public client,
// holds no secrets or hashes beyond the tokens a creation shows once, and imports the
// standard library alone.
package api

import (
	"fmt"
	"time"
)

// Limits of every list operation, from the contract.
const (
	MinLimit     = 1
	MaxLimit     = 100
	DefaultLimit = 25
)

// Time is an instant in UTC, shown as RFC 3339 with exactly three decimals.
type Time struct{ time.Time }

const timeLayout = "2006-01-02T15:04:05.000Z"

// At returns the instant of t, cut to the millisecond and in UTC.
func At(t time.Time) Time { return Time{t.UTC().Truncate(time.Millisecond)} }

// FromMillis returns the instant ms milliseconds after the Unix epoch.
func FromMillis(ms int64) Time { return Time{time.UnixMilli(ms).UTC()} }

// MarshalJSON writes the instant as a JSON string.
func (t Time) MarshalJSON() ([]byte, error) {
	return t.UTC().AppendFormat(nil, `"`+timeLayout+`"`), nil
}

// String is the wire form without quotes.
func (t Time) String() string { return t.UTC().Format(timeLayout) }

// UnmarshalText reads any RFC 3339 timestamp, query parameters included, whose year in UTC has
// four digits: what String writes can be read again.
func (t *Time) UnmarshalText(b []byte) error {
	v, err := time.Parse(time.RFC3339, string(b))
	if year := v.UTC().Year(); err != nil || year < 1 || year > 9999 {
		return fmt.Errorf("not an RFC 3339 timestamp: %q", b)
	}
	*t = At(v)
	return nil
}

// UnmarshalJSON reads a JSON string with an RFC 3339 timestamp; null leaves t as it is.
func (t *Time) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	if len(b) < 2 || b[0] != '"' || b[len(b)-1] != '"' {
		return fmt.Errorf("not an RFC 3339 timestamp: %s", b)
	}
	return t.UnmarshalText(b[1 : len(b)-1])
}

// Pagination tells where a page stands in its list. Cursor is null exactly when HasMore is false.
type Pagination struct {
	Cursor  *string `json:"cursor" doc:"Pass it as the cursor parameter of the next request, repeating the other parameters. Null exactly when hasMore is false."`
	HasMore bool    `json:"hasMore" doc:"Whether more results follow."`
	Limit   int     `json:"limit" minimum:"1" maximum:"100" doc:"The page size in effect."`
}

// Page is the envelope of every list.
type Page[T any] struct {
	Data       []T        `json:"data"`
	Pagination Pagination `json:"pagination"`
}

// Paging holds the two parameters that every list takes.
type Paging struct {
	Limit  int    `query:"limit" json:"-" minimum:"1" maximum:"100" default:"25" example:"25" doc:"How many results a page holds, from 1 to 100."`
	Cursor string `query:"cursor" json:"-" doc:"The pagination.cursor of the previous answer. Repeat the other parameters with it; limit may change."`
}

// Idempotency is carried by every POST. A key that was seen within 24 hours with the same
// request gives the first answer again; with another request it is refused.
type Idempotency struct {
	IdempotencyKey string `header:"Idempotency-Key" json:"-" maxLength:"255" doc:"Makes a retry safe: the same key with the same request within 24 hours gives the first answer again."`
}

// RequestKey returns the Idempotency-Key of a request, empty when it came without one.
func (i Idempotency) RequestKey() string { return i.IdempotencyKey }

// Nothing is the answer of operations that answer with no body.
type Nothing struct{}
