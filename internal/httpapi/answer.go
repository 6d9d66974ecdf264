package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"bugslice/api"
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// writeJSON answers with the record that an operation returned, and the headers that follow from its type.
func (a *API) writeJSON(q *request, op *api.Operation, out any) error {
	w, r, h := q.w, q.Request, q.w.Header()
	h.Set("Cache-Control", "no-store")
	status := op.Status
	switch v := out.(type) {
	case api.Nothing:
		w.WriteHeader(http.StatusNoContent)
		return nil
	case api.FiledSlice:
		h.Set("ETag", api.ETag(v.Version))
		if v.Existing() {
			status = http.StatusOK
		}
	case api.Slice:
		h.Set("ETag", api.ETag(v.Version))
		h.Set("Cache-Control", "private, no-cache")
		if r.Method == http.MethodGet && etagMatches(r.Header.Get("If-None-Match"), api.ETag(v.Version)) {
			w.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	v := reflect.ValueOf(out)
	if p := v.FieldByName("Pagination"); p.IsValid() {
		a.setLink(h, r, p.Interface().(api.Pagination))
	}
	if status == http.StatusCreated {
		h.Set("Location", a.location(r, v))
	}
	size := weigh(v)
	return a.whenLarge(q, op, size, func() error { return encode(w, status, size, out) })
}

// encode writes an answer as JSON. Only small buffers are kept for the next one.
func encode(w http.ResponseWriter, status, size int, out any) error {
	b := bytes.NewBuffer(make([]byte, 0, size+size/8))
	if size < largeAnswerSize {
		b = buffers.Get().(*bytes.Buffer)
		defer buffers.Put(b)
		b.Reset()
	}
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
	return nil
}

// location returns the URL of a record that was created: its own address, or one below its list.
func (a *API) location(r *http.Request, v reflect.Value) string {
	id := v.FieldByName("ID").String()
	switch v.Interface().(type) {
	case api.Attachment:
		return a.BaseURL + "/v1/attachments/" + id
	case api.Comment:
		return a.BaseURL + "/v1/comments/" + id
	}
	return a.BaseURL + r.URL.Path + "/" + id
}

// setLink names the next page by its absolute URL.
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
