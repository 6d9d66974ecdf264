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

// encoded is a response with a body that had about size bytes before its compression.
type encoded struct {
	size   int
	header http.Header
	body   bytes.Buffer
}

// beginEarly begins to encode the response for results. The function encode stops to wait when its context ends.
func beginEarly(ctx context.Context, results []api.BatchResult, encode func(context.Context) *encoded) *earlyResponse {
	ctx, giveUp := context.WithCancel(ctx)
	e := &earlyResponse{results: results, done: make(chan struct{}), giveUp: giveUp}
	go func() {
		defer close(e.done)
		defer giveUp()
		defer func() { _ = recover() }() // the server answers a panic when the response is encoded again
		e.encoded = encode(ctx)
	}()
	return e
}

// of returns the response when it was made from these results, and nil when it was not, or waits to be encoded.
func (e *earlyResponse) of(out any) *encoded {
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

// send writes the response.
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
