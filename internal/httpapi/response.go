package httpapi

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"bugslice/api"
	"bugslice/internal/download"
	"bugslice/internal/operations"
)

// writeRecord carries an operation out and writes the record that it returns. A read that took long reads the rights
// of the caller again; a write always reports what it stored.
func (a *API) writeRecord(q *request, op operations.Operation, in any) error {
	started := time.Now()
	out, err := a.call(q, op, in)
	if err == nil && op.Effect == api.Reads && time.Since(started) > recheckEvery {
		_, err = a.Tracker.Reauthorize(q.Context(), q.caller, op.ID)
	}
	if err != nil {
		return err
	}
	q.memory.Release() // a slow client keeps no memory reserved for its request
	return a.writeJSON(q, op.Operation, out)
}

func (a *API) call(q *request, op operations.Operation, in any) (any, error) {
	if op.StoreFile != nil {
		return a.upload(q, op, in)
	}
	return op.Record(q.Context(), q.caller, in)
}

// writeJSON answers with a record, and the headers that follow from its type.
func (a *API) writeJSON(q *request, op *api.Operation, out any) error {
	w, r, h := q.w, q.Request, q.w.Header()
	h.Set("Cache-Control", "no-store")
	status := op.Status
	if status == http.StatusNoContent {
		w.WriteHeader(status)
		return nil
	}
	if found, ok := out.(api.FoundOrCreated); ok && found.Existing() {
		status = http.StatusOK
	}
	if record, ok := out.(api.Versioned); ok {
		tag := record.ETag()
		h.Set("ETag", tag)
		if op.Status != http.StatusCreated && !op.Secret {
			h.Set("Cache-Control", "private, no-cache")
		}
		if r.Method == http.MethodGet && etagMatches(r.Header.Get("If-None-Match"), tag) {
			w.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	if page, ok := out.(api.Paged); ok {
		a.setLink(h, r, page.PageInfo())
	}
	if record, ok := out.(api.Located); ok && status == http.StatusCreated {
		h.Set("Location", a.BaseURL+record.Location())
	}
	size := sizeOf(out)
	return a.bounded(q, op).Write(size, func() error { return encode(w, status, size, out) })
}

// bounded returns the bounds of a response in memory.
func (a *API) bounded(q *request, op *api.Operation) download.Response {
	return download.Response{Bounds: a.Tracker, Request: q.Request, Caller: q.caller, Stored: op.Effect != api.Reads}
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// encode writes a record of about size bytes as JSON. Only small buffers are reused, so that none keeps much memory.
func encode(w http.ResponseWriter, status, size int, out any) error {
	b := bytes.NewBuffer(make([]byte, 0, size+size/8))
	if size < download.LargeResponse {
		b = buffers.Get().(*bytes.Buffer)
		defer buffers.Put(b)
		b.Reset()
	}
	if err := appendJSON(b, out); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
	return nil
}

// encoded is a record that is JSON.
type encoded interface {
	Size() int
	io.WriterTo
}

// sizeOf returns the size of a record as JSON, or estimates it.
func sizeOf(out any) int {
	if e, ok := out.(encoded); ok {
		return e.Size() + 1
	}
	return jsonSize(reflect.ValueOf(out))
}

// appendJSON appends a record as JSON, and a line feed.
func appendJSON(b *bytes.Buffer, out any) error {
	if e, ok := out.(encoded); ok {
		_, err := e.WriteTo(b)
		b.WriteByte('\n')
		return err
	}
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}

// setLink sets the absolute URL of the next page.
func (a *API) setLink(h http.Header, r *http.Request, p api.Pagination) {
	if p.Cursor == nil {
		return
	}
	q := r.URL.Query()
	q.Set("cursor", *p.Cursor)
	h.Set("Link", "<"+a.BaseURL+r.URL.EscapedPath()+"?"+q.Encode()+`>; rel="next"`)
}

// etagMatches reports whether If-None-Match names the entity tag; it compares weakly.
func etagMatches(header, tag string) bool {
	for one := range strings.SplitSeq(header, ",") {
		if one = strings.TrimPrefix(strings.TrimSpace(one), "W/"); one == tag || one == "*" {
			return true
		}
	}
	return false
}
