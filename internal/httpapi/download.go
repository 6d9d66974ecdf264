package httpapi

import (
	"io"

	"bugslice/internal/download"
	"bugslice/internal/operations"
)

// writeFile answers with the bytes of a file.
func (a *API) writeFile(q *request, op operations.Operation, in any) error {
	f, err := op.OpenFile(q.Context(), q.caller, in)
	if err != nil {
		return err
	}
	return download.WriteFile(q.w, q.Request, f)
}

// writeText answers with a record as Markdown.
func (a *API) writeText(q *request, op operations.Operation, in any) error {
	text, err := op.Text(q.Context(), q.caller, in)
	if err != nil {
		return err
	}
	h := q.w.Header()
	h.Set("Content-Type", "text/markdown; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	return a.bounded(q, op.Operation).Write(len(text), func() error {
		_, _ = io.WriteString(q.w, text)
		return nil
	})
}

// writeStream answers with JSON that is written while it is read.
func (a *API) writeStream(q *request, op operations.Operation, in any) error {
	return download.WriteJSON(q.w, q.Request, func(w io.Writer) error { return op.WriteJSON(q.Context(), q.caller, in, w) })
}
