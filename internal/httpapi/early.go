package httpapi

import (
	"bytes"
	"context"
	"net/http"
	"reflect"
	"strconv"

	"bugslice/api"
)

// maxEarly is the size in bytes up to which results are encoded early: no memory is reserved for them.
const maxEarly = 1 << 20

// earlyResponse is the response to a batch, which is encoded and compressed while its transaction is committed. It is sent after the
// commit, and only if the batch returns the results that it was made from.
type earlyResponse struct {
	results []api.BatchResult
	size    int           // of the JSON, by estimate
	body    *recorder     // nil unless it was encoded
	done    chan struct{} // closed when it was, or is given up
	giveUp  context.CancelFunc
}

// recorder is a ResponseWriter that keeps the response.
type recorder struct {
	header http.Header
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(int)             {}
func (r *recorder) Write(b []byte) (int, error) { return r.body.Write(b) }

// encodeEarly begins to encode the results of a batch, in a slot of the caller's organisation.
func (a *API) encodeEarly(q *request, op *api.Operation, results []api.BatchResult) {
	ctx, giveUp := context.WithCancel(q.Context())
	e := &earlyResponse{results: results, done: make(chan struct{}), giveUp: giveUp}
	q.early = e
	accepts := &http.Request{Method: q.Method, Header: http.Header{"Accept-Encoding": q.Header.Values("Accept-Encoding")}}
	go func() {
		defer close(e.done)
		defer giveUp()
		defer func() { _ = recover() }() // the server answers a panic when the response is encoded again
		out := api.BatchResults{Results: results}
		if e.size = jsonSize(reflect.ValueOf(out)); e.size > maxEarly {
			return
		}
		slot, err := a.Tracker.AcquireSlot(ctx, q.caller)
		if err != nil {
			return
		}
		defer slot.Release()
		body := &recorder{header: http.Header{}}
		a.compress.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			err = encode(w, op.Status, e.size, out)
		})).ServeHTTP(body, accepts)
		if err == nil {
			e.body = body
		}
	}()
}

// of returns the response when it is of these results, and was encoded. It gives up to wait for a slot.
func (e *earlyResponse) of(out any) *earlyResponse {
	r, ok := out.(api.BatchResults)
	if e == nil || !ok || len(r.Results) == 0 || &r.Results[0] != &e.results[0] {
		return nil
	}
	e.giveUp()
	if <-e.done; e.body == nil {
		return nil
	}
	return e
}

// send writes the response.
func (e *earlyResponse) send(w http.ResponseWriter, status int) error {
	h := w.Header()
	for _, name := range []string{"Content-Type", "Content-Encoding"} {
		if v := e.body.header.Get(name); v != "" {
			h.Set(name, v)
		}
	}
	h.Set("Content-Length", strconv.Itoa(e.body.body.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(e.body.body.Bytes())
	return nil
}
