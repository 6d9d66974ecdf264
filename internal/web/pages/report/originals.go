package report

import (
	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/web/page"
)

// maxOriginals is the number of reports that are offered as the original.
const maxOriginals = 8

// original is a report that is offered as the original of a duplicate.
type original struct{ Reference, Summary, Status string }

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
	listed, err := q.Tracker.ListSimilar(q.Context(), q.Session.Caller, v)
	for _, s := range listed.Data {
		o.All = append(o.All, original{s.Reference, s.Summary, string(s.Status)})
	}
	return err
}

// search finds reports of the workspace by a reference or by words.
func (o *originals) search(q *page.Request, of api.Slice) error {
	v, err := input.Check(api.Search{Q: o.Text, WorkspaceID: of.WorkspaceID})
	if err != nil {
		return nil //nolint:nilerr // a text that cannot be searched finds nothing
	}
	found, err := q.Tracker.Search(q.Context(), q.Session.Caller, v)
	for _, s := range found.Slices {
		if s.ID != of.ID && s.WorkspaceID == of.WorkspaceID {
			o.All = append(o.All, original{s.Reference, s.Summary, string(s.Status)})
		}
	}
	return err
}
