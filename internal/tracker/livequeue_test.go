package tracker

import (
	"errors"
	"testing"

	"bugslice/internal/access"
	"bugslice/internal/store"
)

// TestLiveQueue: a client that does not read gets a message to reload in place of the changes that it missed. It gets
// no change of a workspace that its user has left, and none after the end of the session.
func TestLiveQueue(t *testing.T) {
	s := &LiveStream{wake: make(chan struct{}, 1), positions: map[string]livePosition{}}
	two := []store.WorkspacePosition{{ID: "1", Key: "WEB", Sequence: 7}, {ID: "2", Key: "APP", Sequence: 9}}
	if !s.setWorkspaces(two) || s.setWorkspaces(two) {
		t.Error("the workspaces have changed twice, or never")
	}
	for range maxLiveQueue {
		s.push(LiveMessage{Type: LiveChanges, workspaceID: "1"})
	}
	s.push(LiveMessage{Type: LiveChanges, workspaceID: "2"})
	if got, err := s.Take(); len(got) != 1 || got[0].Type != LiveReload || got[0].Position != "APP.9,WEB.7" ||
		err != nil {
		t.Errorf("a slow client gets %d messages: %+v (%v)", len(got), got[0], err)
	}
	s.push(LiveMessage{Type: LiveChanges, workspaceID: "1"})
	s.push(LiveMessage{Type: LiveChanges, workspaceID: "2"})
	s.setWorkspaces(two[:1])
	if got, _ := s.Take(); len(got) != 1 || got[0].workspaceID != "1" {
		t.Errorf("after a workspace was left: %+v", got)
	}
	s.push(LiveMessage{Type: LiveChanges, workspaceID: "1"})
	s.end(access.ErrSessionEnded)
	if got, err := s.Take(); len(got) != 0 || !errors.Is(err, access.ErrSessionEnded) {
		t.Errorf("after the end: %+v (%v)", got, err)
	}
}
