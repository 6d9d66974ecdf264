package page

import (
	"net/http"

	"bugslice/api"
	"bugslice/internal/input"
)

// Seen is a report that a form changes, with the version that the reader saw.
type Seen struct {
	Reference string
	Version   int64
}

// Apply carries out the change of at most a batch of reports, and adds what became of it. A report that somebody has
// changed since the reader saw it is changed, too, unless they have changed the same field. A label is added or
// removed whatever happened to the others, and a report is deleted whatever happened to it, as on its page.
func (c Change) Apply(q *Request, reports []Seen, done *Changed) error {
	results, err := c.send(q, reports)
	for _, r := range results.Results {
		switch {
		case r.Problem != nil && r.Status == http.StatusPreconditionFailed:
			done.Stale = append(done.Stale, r.ID)
		case r.Problem != nil:
			done.Refused.add(r.ID, q.explain(r.ID, r.Problem))
		case r.Changed:
			done.Changed = append(done.Changed, r.ID)
			if r.Slice != nil {
				done.WorkspaceID = r.Slice.WorkspaceID
			}
		}
	}
	return err
}

// send carries out the change as a batch.
func (c Change) send(q *Request, reports []Seen) (api.BatchResults, error) {
	if c.Member == deleted {
		return deleteReports(q, reports)
	}
	in := api.BatchUpdateSlices{}
	for _, r := range reports {
		in.Body.Items = append(in.Body.Items, api.BatchUpdateItem{ID: r.Reference, BaseVersion: &r.Version,
			Patch: c.patch, AddLabels: c.add, RemoveLabels: c.remove})
	}
	v, err := input.Check(in)
	if err != nil {
		return api.BatchResults{}, err
	}
	return q.Tracker.BatchUpdateSlices(q.Context(), q.Session.Caller, v)
}

func deleteReports(q *Request, reports []Seen) (api.BatchResults, error) {
	in := api.BatchDeleteSlices{}
	for _, r := range reports {
		in.Body.Items = append(in.Body.Items, api.BatchDeleteItem{ID: r.Reference})
	}
	v, err := input.Check(in)
	if err != nil {
		return api.BatchResults{}, err
	}
	return q.Tracker.BatchDeleteSlices(q.Context(), q.Session.Caller, v)
}
