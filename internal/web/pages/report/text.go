package report

import (
	"net/url"
	"strings"

	"bugslice/api"
	"bugslice/internal/web/page"
)

// Edit changes the title or the description. When somebody else has changed it since the reader saw it, the page
// shows both texts and changes nothing.
func Edit(q *page.Request) (page.Result, error) {
	member := "description"
	if q.PostForm.Has("summary") {
		member = "summary"
	}
	typed := unixLines(q.PostForm.Get(member))
	patch := api.SlicePatch{member: typed}
	if member == "description" && typed == "" {
		patch[member] = nil
	}
	before, _, err := update(q, func(s api.Slice) (api.SlicePatch, bool) {
		return patch, fingerprintOf(current(s, member)) == q.PostForm.Get("former")
	})
	if err == nil {
		return page.Redirect(address(q), "")
	}
	if page.HasCode(err, api.CodeNotFound, api.CodeUnauthorized, api.CodeForbidden) {
		return page.Result{}, err
	}
	return refuse(q, err, func(d *data) {
		d.Edit, d.Form = member, url.Values{member: {typed}}
		if page.HasCode(err, api.CodePrecondition) {
			d.Refused, d.Conflict = "", conflict{Present: true, Text: current(before, member)}
		}
	})
}

// current returns the title or the description of a report.
func current(s api.Slice, member string) string {
	if member == "summary" {
		return s.Summary
	}
	return plain(s.Description)
}

// unixLines returns the text of a form, whose lines end with CR LF.
func unixLines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
