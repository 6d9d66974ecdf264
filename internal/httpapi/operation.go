package httpapi

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/admission"
	"bugslice/internal/httpserver"
	"bugslice/internal/tracker"
)

// request is an authorised request and its response.
type request struct {
	*http.Request
	w      http.ResponseWriter
	caller tracker.Caller
	memory *admission.Reservation // of the body
}

// operation returns the handler of a route.
func (a *API) operation(rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		httpserver.Info(r).Operation = rt.op.ID
		if err := a.serve(w, r, rt); err != nil {
			a.writeError(w, r, err)
		}
	})
}

// serve is the order in which a request is refused or answered.
func (a *API) serve(w http.ResponseWriter, r *http.Request, rt route) error {
	if err := tokenInQuery(r); err != nil {
		return err
	}
	c, err := a.authenticate(w, r)
	if err != nil {
		return err
	}
	info := httpserver.Info(r)
	info.KeyID = c.KeyID()
	if err := a.rateLimit(w, c); err != nil {
		return err
	}
	if err := a.authorize(c, rt.op); err != nil {
		return err
	}
	if rt.download {
		if err := a.downloads.acquire(w, c.KeyID()); err != nil {
			return err
		}
		defer a.downloads.release(c.KeyID())
	}
	if rt.in.Body == nil && !rt.upload && r.ContentLength != 0 { // the rest of a body that nobody asked for is not read
		w.Header().Set("Connection", "close")
	}
	info.Recheck = a.Tracker.Continued(r.Context(), c, rt.op.ID)
	q := &request{Request: r, w: w, caller: c, memory: a.reserve(w, c)}
	defer q.memory.Release()
	write := negotiate(q, rt)
	in, err := a.bind(q, rt)
	if err != nil {
		return err
	}
	if write != nil {
		return write(a, q, in)
	}
	started := time.Now()
	out, err := rt.call(a, q, in)
	if err == nil && rt.op.Effect == api.Reads && time.Since(started) > recheckEvery {
		_, err = a.Tracker.Reauthorize(r.Context(), c, rt.op.ID) // it may have waited; what was stored is told
	}
	if err != nil {
		return err
	}
	q.memory.Release() // a client that receives slowly keeps no memory reserved
	return a.writeJSON(q, rt.op, out)
}

// authorize refuses an operation that the caller has no scope for, or that stores something while the disk is
// nearly full.
func (a *API) authorize(c tracker.Caller, op *api.Operation) error {
	if err := c.Allow(op.ID); err != nil {
		return err
	}
	return a.Tracker.CheckDisk(op.ID)
}

// reserve returns a Reservation for the body of a request.
func (a *API) reserve(w http.ResponseWriter, c tracker.Caller) *admission.Reservation {
	return a.Tracker.Reserve(c, func() { httpserver.InterruptRead(w) })
}

// negotiate returns the responder of the media type that the client prefers, or of a route that has no JSON
// response. It returns nil for a JSON response, which is the default.
func negotiate(q *request, rt route) responder {
	if rt.alternatives == nil {
		return rt.write
	}
	q.w.Header().Add("Vary", "Accept")
	best, quality := rt.write, 0.0
	for one := range strings.SplitSeq(strings.Join(q.Header.Values("Accept"), ","), ",") {
		media, options, err := mime.ParseMediaType(one)
		if err != nil {
			continue
		}
		weight := 1.0
		if text, ok := options["q"]; ok {
			weight, _ = strconv.ParseFloat(text, 64)
		}
		if alternative := rt.alternatives[media]; weight > quality && (alternative != nil || media == "application/json") {
			best, quality = alternative, weight
		}
	}
	return best
}
