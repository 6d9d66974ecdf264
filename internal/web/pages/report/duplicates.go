package report

import (
	"net/url"
	"strings"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/web/page"
)

// maxOriginals is the number of reports that are offered as the original.
const maxOriginals = 8

// original is a report that is offered as the original of a duplicate.
type original struct{ Reference, Summary, Status string }

// ShowOriginals shows the reports of which this one may be a duplicate: the most similar ones, or those that a text finds.
func ShowOriginals(q *page.Request) (page.Result, error) { return showOriginals(q, false) }

// showOriginals is ShowOriginals. missing says that the form has not named a report that the reader sees.
func showOriginals(q *page.Request, missing bool) (page.Result, error) {
	d, err := load(q)
	if err != nil {
		return page.Result{}, err
	}
	d.Originals = &originals{Text: strings.TrimSpace(q.URL.Query().Get("q")), Missing: missing}
	if d.Originals.Text == "" {
		err = d.Originals.readSimilar(q, d.ID)
	} else {
		err = d.Originals.search(q, d)
	}
	if err != nil {
		return page.Result{}, err
	}
	if missing {
		return page.Invalid(view, d)
	}
	return page.Show(view, d)
}

// originals are the reports that are offered as the original.
type originals struct {
	Text    string // of the search; empty for the most similar ones
	Missing bool
	All     []original
}

func (o *originals) readSimilar(q *page.Request, sliceID string) error {
	v, err := input.Check(api.ListSimilar{SliceID: sliceID, Paging: api.Paging{Limit: maxOriginals}})
	if err != nil {
		return err
	}
	listed, err := q.Backend.ListSimilar(q.Context(), q.Session.Caller, v)
	for _, s := range listed.Data {
		o.All = append(o.All, original{s.Reference, s.Summary, string(s.Status)})
	}
	return err
}

// search finds reports of the workspace by a reference or by words.
func (o *originals) search(q *page.Request, d *data) error {
	v, err := input.Check(api.Search{Q: o.Text, WorkspaceID: d.WorkspaceID})
	if err != nil {
		return nil //nolint:nilerr // a text that cannot be searched finds nothing
	}
	found, err := q.Backend.Search(q.Context(), q.Session.Caller, v)
	for _, s := range found.Slices {
		if s.ID != d.ID && s.WorkspaceID == d.WorkspaceID {
			o.All = append(o.All, original{s.Reference, s.Summary, string(s.Status)})
		}
	}
	return err
}

// MarkDuplicate resolves the report as a duplicate of the one that the form names.
func MarkDuplicate(q *page.Request) (page.Result, error) {
	form := url.Values{"resolution": {string(api.Duplicate)}}
	c, _ := page.ChangeOf(form)
	return apply(q, c)
}
