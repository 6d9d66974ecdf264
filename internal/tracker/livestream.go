package tracker

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
	"bugslice/internal/store/notices"
)

const (
	liveInterval = 250 * time.Millisecond // between two deliveries of a node
	liveRecheck  = time.Second            // between two reads of the rights of streams without changes
	liveChunk    = 500                    // records that a statement names
)

// OpenLive opens a live stream over all workspaces of a session, present and future ones. It continues after a
// position; with an empty one it begins now. The caller of OpenLive closes it.
func (t *Tracker) OpenLive(ctx context.Context, s Session, after string) (*LiveStream, error) {
	if err := s.Caller.Allow(api.OpListEvents); err != nil {
		return nil, err
	}
	own, ok := s.Caller.Credential.(access.SessionCredential)
	if !ok {
		return nil, access.ErrNoCredential
	}
	mine, err := t.access.Read(ctx).WorkspacePositions([]string{s.Caller.ID})
	if err != nil {
		return nil, err
	}
	stream := &LiveStream{live: t.live, sessionID: own.ID, userID: s.Caller.ID, tokenHash: own.TokenHash(),
		wake: make(chan struct{}, 1), positions: map[string]livePosition{}}
	stream.setWorkspaces(mine[s.Caller.ID])
	complete := after == "" || stream.resume(parsePositions(after))
	ready, err := json.Marshal(map[string]string{"user": s.Caller.ID})
	if err != nil {
		return nil, err
	}
	stream.push(LiveMessage{Type: LiveReady, Data: ready})
	if !complete {
		stream.push(LiveMessage{Type: LiveReload, Data: noData})
	}
	return stream, t.live.add(stream)
}

// resume moves the stream back to former positions. It reports whether no change is missing: each workspace has a
// position, after which its log has at most maxLiveBacklog events.
func (s *LiveStream) resume(former map[string]int64) (complete bool) {
	complete = true
	for workspaceID, end := range s.positions {
		sequence, ok := former[end.key]
		if !ok || sequence > end.sequence || end.sequence-sequence > maxLiveBacklog {
			complete = false
			continue
		}
		s.positions[workspaceID] = livePosition{end.key, sequence}
	}
	return complete
}

// LiveStreams returns the number of open live streams on this node.
func (t *Tracker) LiveStreams() int { return len(t.live.all()) }

// runLive delivers changes to the live streams until ctx ends: at once after a commit of this node, and every
// pollInterval for the commits of other nodes.
func (t *Tracker) runLive(ctx context.Context) {
	var recheckedAt time.Time
	for ctx.Err() == nil {
		published := t.access.Commits()
		d := liveDelivery{t: t, q: t.access.Read(ctx), streams: t.live.all(), read: map[readPosition]liveBatch{}}
		recheck := time.Since(recheckedAt) >= liveRecheck
		if recheck {
			recheckedAt = time.Now()
		}
		if err := d.run(recheck); err != nil && ctx.Err() == nil {
			t.warn("deliver changes to open pages", err)
		}
		select {
		case <-published:
		case <-t.live.opened:
		case <-time.After(pollInterval):
		case <-ctx.Done():
		}
		select {
		case <-time.After(liveInterval):
		case <-ctx.Done():
		}
	}
}

// liveDelivery is one delivery to all streams. Streams at the same position share what is read.
type liveDelivery struct {
	t       *Tracker
	q       access.Queries
	streams []*LiveStream
	read    map[readPosition]liveBatch
	inboxes map[string]int64  // the versions of the inboxes of the users of the streams
	unread  map[string][]byte // what is sent of them, by user
}

// readPosition is the position in the log of a workspace after which its changes are read.
type readPosition struct {
	workspaceID string
	sequence    int64
}

// liveBatch is the changes of a workspace after a position.
type liveBatch struct {
	last   int64 // sequence
	data   []byte
	reload bool
}

// run reads the changes, then the rights, and then queues the changes for the streams that may read them. Without
// changes it does so when recheck is set.
func (d *liveDelivery) run(recheck bool) error {
	if len(d.streams) == 0 {
		return nil
	}
	if err := d.readChanges(); err != nil {
		return err
	}
	if changed, err := d.readInboxes(); err != nil || len(d.read) == 0 && !changed && !recheck {
		return err
	}
	credentials, positions := map[string]store.SessionCredential{}, map[string][]store.WorkspacePosition{}
	for part := range slices.Chunk(d.streams, liveChunk) {
		found, err := d.q.SessionCredentials(distinct(part, func(s *LiveStream) string { return s.tokenHash }))
		if err != nil {
			return err
		}
		for hash, c := range found {
			credentials[hash] = c
		}
		mine, err := d.q.WorkspacePositions(distinct(part, func(s *LiveStream) string { return s.userID }))
		if err != nil {
			return err
		}
		for userID, all := range mine {
			positions[userID] = all
		}
	}
	for _, s := range d.streams {
		if c, ok := credentials[s.tokenHash]; !ok {
			s.end(access.ErrSessionEnded)
		} else if err := d.t.access.CheckSession(c, s.tokenHash, api.OpListEvents); err != nil {
			s.end(err)
		} else {
			d.deliver(s, positions[s.userID])
			if err := d.deliverInbox(s, positions[s.userID]); err != nil {
				return err
			}
		}
	}
	return nil
}

// readChanges reads what is recorded after the position of each stream.
func (d *liveDelivery) readChanges() error {
	last := map[string]int64{}
	var workspaces []string
	for _, s := range d.streams {
		for workspaceID := range s.positions {
			if _, ok := last[workspaceID]; !ok {
				last[workspaceID] = 0
				workspaces = append(workspaces, workspaceID)
			}
		}
	}
	for part := range slices.Chunk(workspaces, liveChunk) {
		found, err := d.q.LastSequences(part)
		if err != nil {
			return err
		}
		for workspaceID, sequence := range found {
			last[workspaceID] = sequence
		}
	}
	for _, s := range d.streams {
		for workspaceID, p := range s.positions {
			at := readPosition{workspaceID, p.sequence}
			if _, ok := d.read[at]; ok || p.sequence >= last[workspaceID] {
				continue
			}
			rows, err := d.q.SliceChanges(workspaceID, p.sequence, maxLiveBacklog)
			if err != nil {
				return err
			}
			if d.read[at], err = batchOf(rows, p, last[workspaceID]); err != nil {
				return err
			}
		}
	}
	return nil
}

// readInboxes reads the versions of the inboxes, and reports whether one differs from what was sent.
func (d *liveDelivery) readInboxes() (changed bool, err error) {
	d.inboxes, d.unread = map[string]int64{}, map[string][]byte{}
	for part := range slices.Chunk(d.streams, liveChunk) {
		found, err := d.q.Notices().Versions(distinct(part, func(s *LiveStream) string { return s.userID }))
		if err != nil {
			return false, err
		}
		maps.Copy(d.inboxes, found)
	}
	return slices.ContainsFunc(d.streams, func(s *LiveStream) bool { return s.inbox != d.inboxes[s.userID] }), nil
}

// deliverInbox queues the number of unread slices of the user of a stream, who has these workspaces, when the inbox has
// changed.
func (d *liveDelivery) deliverInbox(s *LiveStream, workspaces []store.WorkspacePosition) error {
	version := d.inboxes[s.userID]
	if version == s.inbox {
		return nil
	}
	if d.unread[s.userID] == nil {
		f := notices.Filter{UserID: s.userID, Now: d.t.clock(),
			Workspaces: convert(workspaces, func(w store.WorkspacePosition) string { return w.ID })}
		n, err := d.q.Notices().CountUnread(f, MaxUnread)
		if err != nil {
			return err
		}
		d.unread[s.userID] = fmt.Appendf(nil, `{"unread":%d}`, n)
	}
	s.inbox = version
	s.push(LiveMessage{Type: LiveInbox, Data: d.unread[s.userID]})
	return nil
}

// deliver queues the changes for a stream whose user has these workspaces.
func (d *liveDelivery) deliver(s *LiveStream, workspaces []store.WorkspacePosition) {
	reload := s.setWorkspaces(workspaces)
	for workspaceID, p := range s.positions {
		batch, ok := d.read[readPosition{workspaceID, p.sequence}]
		if !ok {
			continue
		}
		s.positions[workspaceID] = livePosition{p.key, batch.last}
		reload = reload || batch.reload
		if batch.data != nil {
			s.push(LiveMessage{Type: LiveChanges, Data: batch.data, workspaceID: workspaceID})
		}
	}
	if reload {
		s.push(LiveMessage{Type: LiveReload, Data: noData})
	}
}

// liveChange is a change of a slice, as a page reads it.
type liveChange struct {
	Reference string `json:"reference"`
	Version   int64  `json:"version"`
	Kind      string `json:"kind"` // created, changed or deleted
}

// batchOf returns the changes that the events between a position and the last sequence have caused, one of each
// slice. The page must reload when events are missing, and when the workspace has changed, which may have another
// key.
func batchOf(rows []store.SliceChange, after livePosition, last int64) (b liveBatch, err error) {
	b.last, b.reload = last, len(rows) == 0 || rows[0].Sequence != after.sequence+1
	var changes []liveChange
	at := map[int64]int{} // the index in changes, by number
	for _, row := range rows {
		b.last = row.Sequence
		b.reload = b.reload || row.Type == api.EventWorkspaceUpdated
		if row.Number == nil {
			continue
		}
		i, ok := at[*row.Number]
		if !ok {
			i = len(changes)
			at[*row.Number] = i
			changes = append(changes, liveChange{after.key + "-" + strconv.FormatInt(*row.Number, 10), *row.Version,
				"changed"})
		}
		if row.Type == api.EventSliceCreated || row.Type == api.EventSliceRestored {
			changes[i].Kind = "created"
		}
		if row.Deleted {
			changes[i].Kind = "deleted"
		}
	}
	if len(changes) > 0 {
		b.data, err = json.Marshal(map[string]any{"changes": changes})
	}
	return b, err
}

// distinct returns the values of f, each once.
func distinct(streams []*LiveStream, f func(*LiveStream) string) []string {
	all := convert(streams, f)
	slices.Sort(all)
	return slices.Compact(all)
}
