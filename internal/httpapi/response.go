package httpapi

import (
	"net/http"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/httpserver"
)

// writeRecord carries an operation out and writes the record that it returns.
func (a *API) writeRecord(q *request) error {
	record := q.call.Record
	if q.call.Operation.StoreFile != nil {
		record = q.upload
	}
	out, err := record()
	if err != nil {
		return err
	}
	return a.writeJSON(q, out)
}

// writeJSON answers with a record, and the headers that follow from its type.
func (a *API) writeJSON(q *request, out any) error {
	w, r, h, op := q.w, q.Request, q.w.Header(), q.call.Operation
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
	return q.call.Write(httpserver.Info(r), out, func(body []byte) error {
		h.Set("Content-Type", "application/json")
		h.Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(status)
		_, _ = w.Write(body)
		return nil
	})
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
