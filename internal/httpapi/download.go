package httpapi

import (
	"io"

	"bugslice/internal/download"
	"bugslice/internal/httpserver"
)

// writeFile answers with the bytes of a file.
func (a *API) writeFile(q *request) error {
	f, err := q.call.File()
	if err != nil {
		return err
	}
	return download.WriteFile(q.w, q.Request, f)
}

// writeText answers with a record as Markdown.
func (a *API) writeText(q *request) error {
	text, err := q.call.Text()
	if err != nil {
		return err
	}
	h := q.w.Header()
	h.Set("Content-Type", "text/markdown; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	return q.call.Response(httpserver.Info(q.Request)).Write(len(text), func() error {
		_, _ = io.WriteString(q.w, text)
		return nil
	})
}

// writeStream answers with JSON that is written while it is read.
func (a *API) writeStream(q *request) error {
	return download.WriteJSON(q.w, q.Request, q.call.JSON)
}
