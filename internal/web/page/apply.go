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

// attempt is a report that a change is going to be tried on.
type attempt struct {
	Seen
	under  int64    // the version under which it is changed
	labels []string // when the change is one of labels
}

// maxAttempts is how often a change is tried while others change the same report.
const maxAttempts = 3

// Apply carries out the change of at most a batch of reports, and adds what became of it. A report that somebody has changed since the
// reader saw it is changed, too, unless they have changed the same field. A label is added or removed whatever happened to the others, and
// a report is deleted whatever happened to it, as on its page.
func (c Change) Apply(q *Request, reports []Seen, done *Changed) error {
	if c.Member == deleted {
		return deleteReports(q, reports, done)
	}
	labels, err := c.labelsOf(q, reports)
	if err != nil {
		return err
	}
	pending := make([]attempt, len(reports))
	for i, r := range reports {
		pending[i] = attempt{r, r.Version, labels[r.Reference]}
	}
	for n := 1; len(pending) > 0 && err == nil; n++ {
		var refused []attempt
		if refused, err = c.try(q, pending, done); err == nil {
			pending, err = c.renew(q, refused, n < maxAttempts, done)
		}
	}
	return err
}

// try changes reports, and returns those that have another version.
func (c Change) try(q *Request, all []attempt, done *Changed) (stale []attempt, err error) {
	in := api.BatchUpdateSlices{}
	for _, a := range all {
		item := api.BatchUpdateItem{ID: a.Reference, IfMatch: api.ETag(a.under), Patch: c.patchOf(a.labels)}
		in.Body.Items = append(in.Body.Items, item)
	}
	v, err := input.Check(in)
	if err != nil {
		return nil, err
	}
	results, err := q.Backend.BatchUpdateSlices(q.Context(), q.Session.Caller, v)
	for i, r := range results.Results {
		switch {
		case r.Problem != nil && r.Status == http.StatusPreconditionFailed:
			stale = append(stale, all[i])
		case r.Problem != nil:
			done.Refused.add(r.ID, q.explain(r.ID, r.Problem))
		case r.Slice.Version != all[i].under:
			done.Changed, done.WorkspaceID = append(done.Changed, r.ID), r.Slice.WorkspaceID
		}
	}
	return stale, err
}

// deleteReports deletes reports.
func deleteReports(q *Request, reports []Seen, done *Changed) error {
	in := api.BatchDeleteSlices{}
	for _, r := range reports {
		in.Body.Items = append(in.Body.Items, api.BatchDeleteItem{ID: r.Reference})
	}
	v, err := input.Check(in)
	if err != nil {
		return err
	}
	results, err := q.Backend.BatchDeleteSlices(q.Context(), q.Session.Caller, v)
	for _, r := range results.Results {
		if r.Problem != nil {
			done.Refused.add(r.ID, q.explain(r.ID, r.Problem))
		} else {
			done.Changed = append(done.Changed, r.ID)
		}
	}
	return err
}

// renew returns those of the reports to which the change still applies, with their present versions.
func (c Change) renew(q *Request, all []attempt, again bool, done *Changed) (applies []attempt, err error) {
	for _, a := range all {
		s, err := q.Backend.SliceSince(q.Context(), q.Session.Caller, a.Reference, a.Version)
		switch {
		case HasCode(err, api.CodeNotFound):
			done.Refused.add(a.Reference, q.explain(a.Reference, api.NotFound("slice")))
		case err != nil:
			return nil, err
		case again && (c.ofLabels() || !s.Changed(c.Member)):
			applies = append(applies, attempt{a.Seen, s.Version, s.Labels})
		default:
			done.Stale = append(done.Stale, a.Reference)
		}
	}
	return applies, nil
}

// labelsOf returns the labels of reports, by reference, when the change is one of labels.
func (c Change) labelsOf(q *Request, reports []Seen) (map[string][]string, error) {
	if !c.ofLabels() {
		return nil, nil
	}
	in := api.ListSlices{Paging: api.Paging{Limit: api.MaxLimit}}
	for _, r := range reports {
		in.Reference = append(in.Reference, r.Reference)
	}
	listed, err := q.ListReports(in)
	labels := map[string][]string{}
	for _, s := range listed.Data {
		labels[s.Reference] = s.Labels
	}
	return labels, err
}
