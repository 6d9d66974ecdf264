package page

import (
	"bugslice/api"
	"bugslice/internal/tracker"
)

// Start is what to do first in a new workspace.
type Start struct {
	tracker.Start
	Workspace Workspace
	Once      string
	At        api.Time // when it is shown
}

// step is a step of a start.
type step struct {
	name string
	done bool
}

// steps returns the steps in their order. What only some workspaces need, such as an API key or an import, is no step.
func (s *Start) steps() []step {
	return []step{{"replay", s.Replay}, {"recorded", s.Recorded}, {"shared", s.Shared}}
}

// Steps returns the number of the steps.
func (s *Start) Steps() int { return len(s.steps()) }

// Done returns how many of the steps are done.
func (s *Start) Done() (n int) {
	for _, step := range s.steps() {
		if step.done {
			n++
		}
	}
	return n
}

// Next returns the name of the first step that is not done.
func (s *Start) Next() string {
	for _, step := range s.steps() {
		if !step.done {
			return step.name
		}
	}
	return ""
}

// LoadStart returns what to do first in a workspace; nil when everything is done, when the workspace is no longer
// new, and for readers who do not administer it.
func (q *Request) LoadStart(w Workspace) (*Start, error) {
	if w.Role != api.RoleAdmin {
		return nil, nil
	}
	done, err := q.Tracker.Start(q.Context(), q.Session.Caller, w.ID)
	s := &Start{Start: done, Workspace: w, Once: Once(), At: api.At(q.Now)}
	if err != nil || done.Established || s.Next() == "" {
		return nil, err
	}
	return s, nil
}
