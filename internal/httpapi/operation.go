package httpapi

import (
	"mime"
	"net/http"
	"strconv"
	"strings"

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
type responder func(a *API, q *request) error

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

// operation returns the handler of a route.
func (a *API) operation(rt *route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		httpserver.Info(r).Operation = rt.ID
		if err := a.serve(w, r, rt); err != nil {
			a.WriteProblem(w, r, problemOf(r, err))
		}
	})
}

// serve authenticates, limits, authorises, binds the input, carries the operation out and writes its response.
func (a *API) serve(w http.ResponseWriter, r *http.Request, rt *route) (err error) {
	if err := rejectTokenInQuery(r); err != nil {
		return err
	}
	call, err := a.authenticate(w, r, rt.Operation.Operation)
	if err != nil {
		return err
	}
	defer func() { call.Close(err) }()
	info := httpserver.Info(r)
	info.KeyID = call.Caller.KeyID()
	err = call.Count()
	setRate(w.Header(), call.Rate)
	if err != nil {
		return err
	}
	if err := call.Begin(&rt.Operation); err != nil {
		return err
	}
	info.Recheck = call.Recheck
	q := &request{Request: r, w: w, call: call}
	write := negotiate(q, rt)
	source, err := readInput(q)
	if err != nil {
		return err
	}
	err = call.Bind(source)
	setRate(w.Header(), call.Rate)
	if err != nil {
		return err
	}
	return write(a, q)
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
