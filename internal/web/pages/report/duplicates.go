package report

import (
	"net/url"
	"strings"

	"bugslice/api"
	"bugslice/internal/web/page"
)

// ShowOriginals shows the reports of which this one may be a duplicate: the most similar ones, or those that a text
// finds.
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
		err = d.Originals.search(q, d.Slice)
	}
	if err != nil {
		return page.Result{}, err
	}
	if missing {
		return page.Invalid(view, d)
	}
	return page.Show(view, d)
}

// MarkDuplicate resolves the report as a duplicate of the report that the form names.
func MarkDuplicate(q *page.Request) (page.Result, error) {
	form := url.Values{"resolution": {string(api.Duplicate)}}
	c, _ := page.ChangeOf(form)
	return apply(q, c)
}
