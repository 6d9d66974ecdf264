package tracker

import "sync"

// broadcaster wakes the event streams of this node when their workspaces have new events.
type broadcaster struct {
	mu            sync.Mutex
	subscriptions map[string]*subscription // by workspace
}

// subscription is shared by the streams of a workspace.
type subscription struct {
	streams int
	last    int64         // sequence of the workspace's last event
	wake    chan struct{} // closed and replaced when last grows
}

func (b *broadcaster) subscribe(workspaceID string) *subscription {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.subscriptions == nil {
		b.subscriptions = map[string]*subscription{}
	}
	s := b.subscriptions[workspaceID]
	if s == nil {
		s = &subscription{wake: make(chan struct{})}
		b.subscriptions[workspaceID] = s
	}
	s.streams++
	return s
}

func (b *broadcaster) unsubscribe(workspaceID string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.subscriptions[workspaceID]; s.streams > 1 {
		s.streams--
	} else {
		delete(b.subscriptions, workspaceID)
	}
}

// workspaceIDs returns the workspaces that have streams on this node.
func (b *broadcaster) workspaceIDs() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make([]string, 0, len(b.subscriptions))
	for workspaceID := range b.subscriptions {
		all = append(all, workspaceID)
	}
	return all
}

// advance wakes the streams of each workspace whose last sequence has grown.
func (b *broadcaster) advance(last map[string]int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for workspaceID, sequence := range last {
		if s := b.subscriptions[workspaceID]; s != nil && sequence > s.last {
			s.last = sequence
			close(s.wake)
			s.wake = make(chan struct{})
		}
	}
}

// position returns the last sequence of a workspace, and a channel that is closed when it grows.
func (b *broadcaster) position(s *subscription) (int64, <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return s.last, s.wake
}
