package page

import (
	"bugslice/api"
	"bugslice/internal/tracker"
)

// Start is what to do first in a new workspace.
type Start struct {
	tracker.Start
	Workspace Workspace
	Curl      string // a command that files a report
	BaseURL   string
	Once      string
	At        api.Time // when it is shown
}

// Done returns how many of the four steps are done.
func (s *Start) Done() (n int) {
	for _, done := range []bool{s.KeyUsed, s.Demo, s.Imported, s.Shared} {
		if done {
			n++
		}
	}
	return n
}

// LoadStart returns what to do first in a workspace; nil when everything is done, when the workspace is no longer
// new, and for readers who do not administer it.
func (q *Request) LoadStart(w Workspace) (*Start, error) {
	if w.Role != api.RoleAdmin {
		return nil, nil
	}
	done, err := q.Tracker.Start(q.Context(), q.Session.Caller, w.ID)
	s := &Start{Start: done, Workspace: w, Curl: FilingCurl(q.BaseURL, w.ID), BaseURL: q.BaseURL, Once: Once(),
		At: api.At(q.Now)}
	if err != nil || done.Established || s.Done() == 4 {
		return nil, err
	}
	return s, nil
}

// FilingCurl returns a command that files a report with a key, in a workspace unless its id is empty.
func FilingCurl(baseURL, workspaceID string) string {
	body := `{"summary":"My first report"}`
	if workspaceID != "" {
		body = `{"summary":"My first report","workspaceId":"` + workspaceID + `"}`
	}
	return "curl -H 'Authorization: Bearer YOUR_KEY' \\\n  -H 'Content-Type: application/json' \\\n  -d '" + body +
		"' \\\n  '" +
		baseURL + api.Lookup(api.OpCreateSlice).Path + "'"
}
