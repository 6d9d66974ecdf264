package httpapi

import (
	"net/http"
	"time"

	"bugslice/internal/access"
	"bugslice/internal/admission"
	"bugslice/internal/ratelimit"
	"bugslice/internal/tracker"
)

// Options are what an API is made from.
type Options struct {
	Tracker   *tracker.Tracker
	BaseURL   string             // without a trailing slash
	RateLimit int                // requests a minute for each key; 0 is no limit
	Failures  *ratelimit.Limiter // of failed authentications by client address, shared by all front ends
}

// API answers /v1, /openapi.json and /docs. It is safe for concurrent use.
type API struct {
	Options
	handler   http.Handler
	perKey    *ratelimit.Limiter // nil is no limit
	streams   *concurrencyLimit
	downloads *concurrencyLimit
}

// FailuresPerMinute bounds the failed authentications of one client address.
const FailuresPerMinute = 60

const (
	streamsPerKey   = 20                     // event streams that a key may have open on a node
	downloadsPerKey = 64                     // downloads that a key may have in progress on a node
	recheckEvery    = 500 * time.Millisecond // after which the rights of a caller are read again
)

// request is an authorised request and its response.
type request struct {
	*http.Request
	w      http.ResponseWriter
	caller access.Caller
	memory *admission.Reservation // of the body
}
