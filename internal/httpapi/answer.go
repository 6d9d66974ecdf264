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
	"bugslice/internal/tracker"
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// answer writes what an operation returned, with the headers that follow from it.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, c tracker.Caller, rt route, out any) error {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	status := rt.op.Status
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
		if r.Method == http.MethodGet && fresh(r.Header.Get("If-None-Match"), api.ETag(v.Version)) {
			w.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	v := reflect.ValueOf(out)
	if p := v.FieldByName("Pagination"); p.IsValid() {
		s.link(h, r, p.Interface().(api.Pagination))
	}
	if status == http.StatusCreated {
		h.Set("Location", s.location(r, v))
	}
	size := weigh(v)
	return s.whenLarge(r, c, rt, size, func() error { return encode(w, status, size, out) })
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

// location is where what was made can be read: at its own address, or below its list.
func (s *Server) location(r *http.Request, v reflect.Value) string {
	id := v.FieldByName("ID").String()
	switch v.Interface().(type) {
	case api.Attachment:
		return s.BaseURL + "/v1/attachments/" + id
	case api.Comment:
		return s.BaseURL + "/v1/comments/" + id
	}
	return s.BaseURL + r.URL.Path + "/" + id
}

// link points at the next page by its absolute URL.
func (s *Server) link(h http.Header, r *http.Request, p api.Pagination) {
	if p.Cursor == nil {
		return
	}
	q := r.URL.Query()
	q.Set("cursor", *p.Cursor)
	h.Set("Link", "<"+s.BaseURL+r.URL.EscapedPath()+"?"+q.Encode()+`>; rel="next"`)
}

// fresh says whether If-None-Match names the entity tag; it compares weakly.
func fresh(header, tag string) bool {
	for one := range strings.SplitSeq(header, ",") {
		if one = strings.TrimPrefix(strings.TrimSpace(one), "W/"); one == tag || one == "*" {
			return true
		}
	}
	return false
}
