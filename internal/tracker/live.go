package tracker

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"bugslice/api"
	"bugslice/internal/store"
)

// liveStreams are the open live streams of this node.
type liveStreams struct {
	mu      sync.Mutex
	streams map[*LiveStream]struct{}
	opened  chan struct{} // receives after a stream was opened
}

func newLiveStreams() *liveStreams {
	return &liveStreams{streams: map[*LiveStream]struct{}{}, opened: make(chan struct{}, 1)}
}

// The limits of live streams.
const (
	maxLiveStreams = 20   // of a session, on a node
	maxLiveQueue   = 100  // messages that a slow client has not read
	maxLiveBacklog = 1000 // events after a position from which a stream continues
)

// LiveStream says to a page which slices change in the workspaces of its user. It has references and versions, and
// nothing else of a slice.
type LiveStream struct {
	live      *liveStreams
	sessionID string
	userID    string
	tokenHash string
	wake      chan struct{} // receives after a message was queued, or the stream has ended

	inbox     int64                   // the version of the inbox that was sent; of the goroutine that delivers
	positions map[string]livePosition // by workspace id; of the goroutine that delivers, once the stream is open

	mu    sync.Mutex
	queue []LiveMessage
	err   error // why the stream has ended
}

// livePosition is the position of a stream in the log of a workspace.
type livePosition struct {
	key      string // of the workspace
	sequence int64
}

// The types of live messages.
const (
	LiveReady   = "ready"   // the stream is open; the data name its user
	LiveChanges = "changes" // the data are references and versions of slices
	LiveInbox   = "inbox"   // the data have the number of slices of which the user has unread notices
	LiveReload  = "reload"  // changes are missing: events are not available, or the workspaces of the user have changed
)

// LiveMessage is a message of a live stream. A stream that is opened at its position continues after it.
type LiveMessage struct {
	Type     string
	Position string
	Data     []byte // JSON; shared by streams

	workspaceID string // of changes
}

// add adds a stream. It refuses more than maxLiveStreams of a session.
func (l *liveStreams) add(s *LiveStream) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for other := range l.streams {
		if other.sessionID == s.sessionID {
			n++
		}
	}
	if n >= maxLiveStreams {
		return api.NewProblem(api.CodeRateLimited,
			fmt.Sprintf("The session has %d live streams on this node, and may not have more.", n))
	}
	l.streams[s] = struct{}{}
	notify(l.opened)
	return nil
}

func (l *liveStreams) all() []*LiveStream {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Keys(l.streams))
}

// Close ends the stream.
func (s *LiveStream) Close() {
	s.live.mu.Lock()
	defer s.live.mu.Unlock()
	delete(s.live.streams, s)
}

// notify makes the receiver of a channel with a capacity of one run.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Wake returns a channel that receives when Take has something to return.
func (s *LiveStream) Wake() <-chan struct{} { return s.wake }

// Take returns the messages since the last call, or why the stream has ended.
func (s *LiveStream) Take() ([]LiveMessage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.queue
	s.queue = nil
	return taken, s.err
}

// end ends the stream. Messages that its client has not read are dropped.
func (s *LiveStream) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue, s.err = nil, err
	notify(s.wake)
}

// push queues a message with the position of the stream. The client of a full queue must reload instead.
func (s *LiveStream) push(m LiveMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) >= maxLiveQueue {
		s.queue, m = nil, LiveMessage{Type: LiveReload, Data: noData}
	}
	m.Position = formatPositions(s.positions)
	s.queue = append(s.queue, m)
	notify(s.wake)
}

var noData = []byte("{}")

// setWorkspaces gives the stream the workspaces of its user, at their ends where they are new, and reports whether they
// have changed. Queued changes of a workspace that the user has left are dropped.
func (s *LiveStream) setWorkspaces(current []store.WorkspacePosition) (changed bool) {
	ends := map[string]store.WorkspacePosition{}
	for _, w := range current {
		ends[w.ID] = w
		if p, ok := s.positions[w.ID]; !ok {
			s.positions[w.ID], changed = livePosition{w.Key, w.Sequence}, true
		} else if p.key != w.Key {
			s.positions[w.ID], changed = livePosition{w.Key, p.sequence}, true
		}
	}
	for workspaceID := range s.positions {
		if _, ok := ends[workspaceID]; !ok {
			delete(s.positions, workspaceID)
			s.drop(workspaceID)
			changed = true
		}
	}
	return changed
}

// drop removes the queued changes of a workspace.
func (s *LiveStream) drop(workspaceID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = slices.DeleteFunc(s.queue, func(m LiveMessage) bool { return m.workspaceID == workspaceID })
}

// formatPositions returns positions as text: WEB.12,APP.7.
func formatPositions(positions map[string]livePosition) string {
	all := slices.SortedFunc(maps.Values(positions), func(a, b livePosition) int { return cmp.Compare(a.key, b.key) })
	return strings.Join(convert(all, func(p livePosition) string {
		return p.key + "." +
			strconv.FormatInt(p.sequence, 10)
	}), ",")
}

// parsePositions returns the sequences of a text of formatPositions, by key of the workspace. Anything else in the text
// is ignored.
func parsePositions(text string) map[string]int64 {
	all := map[string]int64{}
	for part := range strings.SplitSeq(text, ",") {
		key, number, _ := strings.Cut(part, ".")
		if n, err := strconv.ParseInt(number, 10, 64); err == nil && n >= 0 {
			all[key] = n
		}
	}
	return all
}
