package httpapi

import (
	"mime"
	"net/http"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/admission"
	"bugslice/internal/httpserver"
	"bugslice/internal/operations"
)

// route is an operation with the functions that write its responses.
type route struct {
	operations.Operation
	write        responder            // the default response
	alternatives map[string]responder // by media type; nil when there is one response alone
}

// responder carries an operation out and writes its response. An error is written as a problem.
type responder func(a *API, q *request, op operations.Operation, in any) error

func newRoute(op operations.Operation) *route {
	rt := &route{Operation: op, write: (*API).writeRecord}
	switch {
	case op.OpenFile != nil:
		rt.write = (*API).writeFile
	case op.WriteJSON != nil:
		rt.write = (*API).writeStream
	case op.Text != nil:
		rt.alternatives = map[string]responder{"application/json": rt.write, "text/markdown": (*API).writeText}
	case op.Events != nil:
		rt.alternatives = map[string]responder{"application/json": rt.write, httpserver.EventStream: (*API).writeEvents}
	}
	return rt
}

// isDownload reports whether the response is large, so that a key may have only a few of them in progress.
func (rt *route) isDownload() bool { return rt.OpenFile != nil || rt.WriteJSON != nil }

// operation returns the handler of a route.
func (a *API) operation(rt *route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		httpserver.Info(r).Operation = rt.ID
		if err := a.serve(w, r, rt); err != nil {
			a.writeError(w, r, err)
		}
	})
}

// serve authenticates, limits, authorises, binds the input, carries the operation out and writes its response.
func (a *API) serve(w http.ResponseWriter, r *http.Request, rt *route) error {
	if err := rejectTokenInQuery(r); err != nil {
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
	if err := a.authorize(c, rt.Operation.Operation); err != nil {
		return err
	}
	if rt.isDownload() {
		if err := a.downloads.acquire(w, c.KeyID()); err != nil {
			return err
		}
		defer a.downloads.release(c.KeyID())
	}
	info.Recheck = a.Tracker.ResponseGuard(r.Context(), c, rt.ID)
	q := &request{Request: r, w: w, caller: c, memory: a.reserve(w, c)}
	defer q.memory.Release()
	write := negotiate(q, rt)
	in, err := a.bind(q, rt.Operation)
	if err != nil {
		return err
	}
	if err := a.rateLimitItems(w, c, in); err != nil {
		return err
	}
	return write(a, q, rt.Operation, in)
}

// authorize refuses an operation that the caller has no scope for, or that stores something while the disk is
// nearly full.
func (a *API) authorize(c access.Caller, op *api.Operation) error {
	if err := c.Allow(op.ID); err != nil {
		return err
	}
	return a.Tracker.CheckDisk(op.ID)
}

// reserve returns a Reservation for the body of a request.
func (a *API) reserve(w http.ResponseWriter, c access.Caller) *admission.Reservation {
	return a.Tracker.Reserve(c, func() { httpserver.InterruptRead(w) })
}

// negotiate returns the responder of the media type that the client prefers, or the default one when the client accepts
// none of them. It ignores the malformed types of an Accept header.
func negotiate(q *request, rt *route) responder {
	preferred, highest := rt.write, 0.0
	if rt.alternatives == nil {
		return preferred
	}
	q.w.Header().Add("Vary", "Accept")
	for accepted := range strings.SplitSeq(strings.Join(q.Header.Values("Accept"), ","), ",") {
		media, parameters, err := mime.ParseMediaType(accepted)
		if err != nil {
			continue
		}
		quality := 1.0
		if text, ok := parameters["q"]; ok {
			quality, _ = strconv.ParseFloat(text, 64) // a malformed one is 0: not accepted
		}
		if write := rt.alternatives[media]; write != nil && quality > highest {
			preferred, highest = write, quality
		}
	}
	return preferred
}
