package report

import (
	"bugslice/api"
	"bugslice/internal/web/page"
)

// authors returns the ids of the users beside whose names the page shows a picture.
func authors(r page.Report) (ids []string) {
	add := func(by api.Reporter) {
		if by.Type == "user" && by.ID != nil {
			ids = append(ids, *by.ID)
		}
	}
	add(r.Reporter)
	for _, c := range r.Comments {
		add(c.Author)
	}
	if r.AssigneeID != nil {
		ids = append(ids, *r.AssigneeID)
	}
	return ids
}
