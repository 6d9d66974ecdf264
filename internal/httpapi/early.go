package httpapi

import (
	"bytes"
	"context"
	"net/http"
	"strconv"

	"bugslice/api"
)

// earlyResponse is the response to a batch, which is encoded and compressed while its transaction is committed. It is sent after the
// commit, and only if the batch returns the results that it was made from.
type earlyResponse struct {
	results []api.BatchResult
	encoded *encoded      // nil when it could not be encoded
	done    chan struct{} // closed when encoded is set
	giveUp  context.CancelFunc
}

// encoded is a ResponseWriter that keeps a response, whose body had about size bytes before its compression.
type encoded struct {
	size   int
	header http.Header
	body   bytes.Buffer
}

// beginEarly begins to encode the response with results. encode must not wait any longer once its context has ended.
func beginEarly(ctx context.Context, results []api.BatchResult, encode func(context.Context) *encoded) *earlyResponse {
	ctx, giveUp := context.WithCancel(ctx)
	e := &earlyResponse{results: results, done: make(chan struct{}), giveUp: giveUp}
	go func() {
		defer close(e.done)
		defer giveUp()
		defer func() { _ = recover() }() // the response is encoded again after the commit, where the server answers a panic
		e.encoded = encode(ctx)
	}()
	return e
}

// madeFrom returns the response if it was made from these results. It returns nil for others, and for a response that still waits to be
// encoded, which it gives up.
func (e *earlyResponse) madeFrom(out any) *encoded {
	r, ok := out.(api.BatchResults)
	if e == nil || !ok || len(r.Results) == 0 || &r.Results[0] != &e.results[0] {
		return nil
	}
	e.giveUp()
	<-e.done
	return e.encoded
}

func (e *encoded) Header() http.Header         { return e.header }
func (e *encoded) WriteHeader(int)             {}
func (e *encoded) Write(b []byte) (int, error) { return e.body.Write(b) }

// send writes the kept response to w. Its error is nil: a client that is gone needs none.
func (e *encoded) send(w http.ResponseWriter, status int) error {
	h := w.Header()
	for _, name := range []string{"Content-Type", "Content-Encoding"} {
		if v := e.header.Get(name); v != "" {
			h.Set(name, v)
		}
	}
	h.Set("Content-Length", strconv.Itoa(e.body.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(e.body.Bytes())
	return nil
}
