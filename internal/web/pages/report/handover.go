package report

import (
	"io"
	"mime"
	"net/http"
	"strconv"

	"bugslice/api"
	"bugslice/internal/download"
	"bugslice/internal/input"
	"bugslice/internal/web/page"
)

// agentTokens is the length of the Markdown for an agent.
const agentTokens = 8000

// Markdown answers with the report as Markdown, for an agent.
func Markdown(q *page.Request) (page.Result, error) {
	v, err := input.Check(api.GetSlice{SliceID: q.PathValue("reference"), MaxTokens: agentTokens})
	if err != nil {
		return page.Result{}, err
	}
	text, err := q.Tracker.Markdown(q.Context(), q.Session.Caller, v)
	return page.Result{Write: func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		_, err := io.WriteString(w, text)
		return err
	}}, err
}

// Archive answers with the network requests of one occurrence as a file.
func Archive(q *page.Request) (page.Result, error) {
	s, err := get(q)
	if err != nil {
		return page.Result{}, err
	}
	in := api.GetArchive{SliceID: s.ID}
	if text := q.URL.Query().Get("occurrence"); text != "" {
		if in.Occurrence, err = strconv.Atoi(text); err != nil {
			return page.Result{}, api.InvalidParameter("occurrence", "malformed", "occurrence must be a number")
		}
	}
	v, err := input.Check(in)
	return page.Result{Write: func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Content-Disposition",
			mime.FormatMediaType("attachment", map[string]string{"filename": s.Reference + ".har"}))
		return download.WriteJSON(w, r, func(to io.Writer) error {
			return q.Tracker.GetArchive(r.Context(),
				q.Session.Caller, v, to)
		})
	}}, err
}
