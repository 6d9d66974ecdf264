package report

import (
	"slices"

	"bugslice/api"
	"bugslice/internal/web/page"
)

// Removed returns what redaction has removed from the report; nil for nothing.
func (d *data) Removed() *api.Redaction {
	if d.Redaction == nil || len(d.Redaction.ByRule) == 0 {
		return nil
	}
	return d.Redaction
}

// RemovedTotal returns the number of values that were removed.
func (d *data) RemovedTotal() (n int64) {
	for _, count := range d.Redaction.ByRule {
		n += count.Count
	}
	return n
}

// RemovedID returns the element to which the markers of a kind lead: the first entry of the kind. It is empty for others.
func (d *data) RemovedID(i int) string {
	all := d.Redaction.ByRule
	kind := all[i].Kind
	if slices.IndexFunc(all, func(n api.RuleCount) bool { return n.Kind == kind }) < i {
		return ""
	}
	return "removed-" + kind
}

// MarkRemoved says that what a rule has removed was no secret, or takes that back.
func MarkRemoved(q *page.Request) (page.Result, error) {
	if _, err := get(q); err != nil { // a report that the reader does not see is not found, whatever the form has
		return page.Result{}, err
	}
	mistake := q.PostForm.Get("mistake") == "true"
	_, err := page.Call(q, q.Tracker.MarkRedaction, api.MarkRedaction{SliceID: q.PathValue("reference"),
		Body: api.RedactionMark{Kind: q.PostForm.Get("kind"), Rule: q.PostForm.Get("rule"),
			Shape: q.PostForm.Get("shape"), Mistake: mistake}})
	if err != nil {
		return page.Result{}, err
	}
	return page.Redirect(address(q)+"#removed", "")
}
