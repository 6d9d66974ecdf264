package report

import (
	"slices"

	"bugslice/api"
	"bugslice/internal/web/page"
)

// maxMentions is how many of the reports that mention a report its page lists.
const maxMentions = 5

// mentions returns the newest reports that the reader sees, and whose texts or comments mention a report by its
// reference.
func mentions(q *page.Request, s api.Slice) ([]api.Slice, error) {
	listed, err := q.ListReports(api.ListSlices{Paging: api.Paging{Limit: maxMentions + 1},
		SliceFilters: api.SliceFilters{Q: `"` + s.Reference + `"`}})
	found := slices.DeleteFunc(listed.Data, func(other api.Slice) bool { return other.ID == s.ID })
	return found[:min(len(found), maxMentions)], err
}

// MentionedIn returns a text that changes with the reports that mention this one.
func (d *data) MentionedIn() (references string) {
	for _, m := range d.MentionedBy {
		references += " " + m.Reference
	}
	return references
}
