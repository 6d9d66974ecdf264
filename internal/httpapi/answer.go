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

// answer writes what an operation returned, with the headers that follow from it.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, rt route, out any) error {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	switch v := out.(type) {
	case api.Nothing:
		w.WriteHeader(http.StatusNoContent)
		return nil
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
	if rt.op.Status == http.StatusCreated {
		h.Set("Location", s.BaseURL+r.URL.Path+"/"+v.FieldByName("ID").String())
	}
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return err
	}
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(rt.op.Status)
	_, _ = w.Write(b.Bytes())
	return nil
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
