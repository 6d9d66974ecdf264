package tracker

import "sync"

// broadcaster wakes the streams of this node. One goroutine looks how far the logs of their
// workspaces have come: at once after a commit of its own node, and every pollEvery for
// those of the others.
type broadcaster struct {
	mu            sync.Mutex
	subscriptions map[string]*subscription // by workspace
}

type subscription struct {
	streams int
	last    int64
	wake    chan struct{} // closed and replaced when the log has grown
}

func (f *broadcaster) subscribe(workspaceID string) *subscription {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.subscriptions == nil {
		f.subscriptions = map[string]*subscription{}
	}
	t := f.subscriptions[workspaceID]
	if t == nil {
		t = &subscription{wake: make(chan struct{})}
		f.subscriptions[workspaceID] = t
	}
	t.streams++
	return t
}

func (f *broadcaster) unsubscribe(workspaceID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t := f.subscriptions[workspaceID]; t.streams > 1 {
		t.streams--
	} else {
		delete(f.subscriptions, workspaceID)
	}
}

func (f *broadcaster) workspaceIDs() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := make([]string, 0, len(f.subscriptions))
	for workspaceID := range f.subscriptions {
		all = append(all, workspaceID)
	}
	return all
}

func (f *broadcaster) advance(last map[string]int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for workspaceID, sequence := range last {
		if t := f.subscriptions[workspaceID]; t != nil && sequence > t.last {
			t.last = sequence
			close(t.wake)
			t.wake = make(chan struct{})
		}
	}
}

// position returns how far the log has come, and what is closed when it comes further.
func (f *broadcaster) position(t *subscription) (int64, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return t.last, t.wake
}
