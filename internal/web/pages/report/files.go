package report

import (
	"net/url"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/web/page"
)

// filesOfPage is the number of files that a page lists.
const filesOfPage = 50

// fileList is a page of the files of a report that the evidence does not show, the oldest first.
type fileList struct {
	All         []api.Attachment
	First, Next string // the addresses of the first page, unless it is this one, and of the next one; empty for none
}

// listFiles returns the page of the files that the address names, by default the first one.
func listFiles(q *page.Request, s api.Slice) (l fileList, err error) {
	cursor, path := q.URL.Query().Get("files"), "/"+s.Reference
	v, err := input.Check(api.ListAttachments{SliceID: s.ID, Paging: api.Paging{Limit: filesOfPage, Cursor: cursor},
		Kind: []api.AttachmentKind{api.KindLog, api.KindOther}})
	if err != nil {
		return l, err
	}
	listed, err := q.Tracker.ListAttachments(q.Context(), q.Session.Caller, v)
	l.All = listed.Data
	if cursor != "" {
		l.First = path
	}
	if next := listed.Pagination.Cursor; next != nil {
		l.Next = path + "?" + url.Values{"files": {*next}}.Encode()
	}
	return l, err
}
