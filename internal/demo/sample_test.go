package demo

import (
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/operator"
)

// TestFile: a demo report has evidence of each kind and its screenshots, its secrets are redacted, and it is filed
// once.
func TestFile(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			in := emptyOn(t, engine)
			made, err := in.Operator.Bootstrap(t.Context(), operator.Bootstrap{Organization: "Acme", Workspace: "Web",
				Owner: operator.NewUser{Email: "ada@acme.example", WithToken: true}})
			must(t, err)
			c, err := in.Tracker.Authenticate(t.Context(), made.Token)
			must(t, err)
			filing := Filing{WorkspaceID: made.WorkspaceID, Once: "once", EndedAt: time.Now().Truncate(time.Second)}
			filed, err := File(t.Context(), in.Tracker, c, filing)
			must(t, err)
			again, err := File(t.Context(), in.Tracker, c, filing)
			must(t, err)
			assert.Equal(t, "the report of a duplicate request", again.ID, filed.ID)
			s, err := call(t.Context(), c, in.Tracker.GetSlice, api.GetSlice{SliceID: filed.ID})
			must(t, err)
			e := s.Evidence
			if e.ConsoleErrors == 0 || e.FailedRequests == 0 || e.Actions == 0 || e.Replays == 0 ||
				s.Labels[0] != Label {
				t.Errorf("the evidence is %+v, the labels %q", e, s.Labels)
			}
			captured, err := ReadCapture(CapturedReports[0].Visits[0].Capture)
			must(t, err)
			assert.Equal(t, "screenshots", int(e.Screenshots), len(captured.Screenshots))
		})
	}
}
