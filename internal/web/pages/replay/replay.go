// Package replay is the frame in which a replay is played, and the events that are played there.
package replay

import (
	"bytes"
	"embed"
	"html/template"
	"io"
	"net/http"
	"strconv"

	"bugslice/api"
	"bugslice/internal/download"
	"bugslice/internal/evidence"
	"bugslice/internal/input"
	"bugslice/internal/web/page"
	"bugslice/internal/web/static"
)

//go:embed frame.html
var folder embed.FS

var frame = template.Must(template.New("frame.html").Funcs(template.FuncMap{"asset": static.URL}).
	ParseFS(folder, "frame.html"))

// Frame is a document that is the same for every replay. The page around it sends it the events.
func Frame(*page.Request) (page.Result, error) {
	var b bytes.Buffer
	if err := frame.Execute(&b, evidence.EventList); err != nil {
		return page.Result{}, err
	}
	return page.Result{Write: func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(b.Bytes())
		return nil
	}}, nil
}

// Events answers with the rrweb events of an occurrence of a report, as the API does.
func Events(q *page.Request) (page.Result, error) {
	in := api.GetReplay{SliceID: q.PathValue("reference")}
	if text := q.URL.Query().Get("occurrence"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return page.Result{}, api.NotFound("occurrence")
		}
		in.Occurrence = n
	}
	v, err := input.Check(in)
	if err != nil {
		return page.Result{}, err
	}
	return page.Result{Write: func(w http.ResponseWriter, r *http.Request) error {
		return download.WriteJSON(w, r, func(to io.Writer) error {
			return q.Tracker.GetReplay(r.Context(), q.Session.Caller, v, to)
		})
	}}, nil
}
