package mcpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"bugslice/internal/httpserver"
)

// maxResponse is the size of the largest response of the API in bytes that a tool reads.
const maxResponse = 32 << 20

// errTooLarge is the error of a response that is larger.
var errTooLarge = errors.New("the response of the API is too large for a tool")

// inProcess sends requests to the handler of the API, as part of the request that is answered.
type inProcess struct {
	handler http.Handler
	outer   *http.Request
}

// RoundTrip implements http.RoundTripper. The cause of an internal error is logged with the outer request.
func (t *inProcess) RoundTrip(r *http.Request) (response *http.Response, err error) {
	if r.Body == nil {
		r.Body = http.NoBody
	}
	defer r.Body.Close()
	inner, info := httpserver.Nested(t.outer, r)
	inner.Host, inner.RequestURI, inner.RemoteAddr = t.outer.Host, r.URL.RequestURI(), t.outer.RemoteAddr
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the API has failed: %v", p)
		}
		if outer := httpserver.Info(t.outer); info.Err != nil && outer.Err == nil {
			outer.Err = info.Err
		}
	}()
	w := &recorder{header: http.Header{}}
	t.handler.ServeHTTP(w, inner)
	if w.tooLarge {
		return nil, errTooLarge
	}
	w.WriteHeader(http.StatusOK)
	return &http.Response{StatusCode: w.status, Status: strconv.Itoa(w.status) + " " + http.StatusText(w.status),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: w.header, Body: io.NopCloser(&w.body),
		ContentLength: int64(w.body.Len()), Request: r}, nil
}

// recorder is a response in memory.
type recorder struct {
	header   http.Header
	status   int // 0 until the header is written
	body     bytes.Buffer
	tooLarge bool
}

// Header implements http.ResponseWriter.
func (w *recorder) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
}

// Write implements http.ResponseWriter.
func (w *recorder) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.body.Len()+len(b) > maxResponse {
		w.tooLarge = true
		return 0, errTooLarge
	}
	return w.body.Write(b)
}
