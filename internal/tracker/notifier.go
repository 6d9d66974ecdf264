package tracker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/recipients"
	"bugslice/internal/store"
	"bugslice/internal/store/notices"
)

// Limits of the work of the notifier.
const (
	noticeBatch    = 200                    // events that are read at once
	noticeInterval = 250 * time.Millisecond // between two passes of a node that has read its logs
	noticeRest     = 4                      // times the length of a pass until the next one, so that writes have the processor
	noticePoll     = 2 * time.Second        // after which a node looks for what others have committed
	maxUntold      = 1000                   // events that tell nobody after a stored position
	maxEventAge    = 7 * 24 * time.Hour     // of an event of which somebody is told
)

// notifier tells users of the events of the logs. It is of one goroutine.
type notifier struct {
	t *Tracker
	// passed are the events up to which this node has read the log of each workspace. Those after the stored position
	// tell nobody, so that a workspace without recipients costs no writes.
	passed map[string]int64
}

func newNotifier(t *Tracker) *notifier { return &notifier{t: t, passed: map[string]int64{}} }

// runNotifier tells users of what happens until ctx ends: at once after a commit of this node, and every noticePoll for
// the commits of other nodes.
func (t *Tracker) runNotifier(ctx context.Context) {
	n := newNotifier(t)
	for ctx.Err() == nil {
		published, began := t.access.Commits(), time.Now()
		more, err := n.pass(ctx)
		if ctx.Err() == nil {
			t.warn("tell users of events", err)
		}
		pause := noticeRest * time.Since(began)
		if !more || err != nil {
			select {
			case <-published:
			case <-time.After(noticePoll):
			case <-ctx.Done():
			}
			pause = max(pause, noticeInterval)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// Notify tells users of every event in the logs.
func (t *Tracker) Notify(ctx context.Context) error {
	n := newNotifier(t)
	for more := true; more; {
		var err error
		if more, err = n.pass(ctx); err != nil {
			return err
		}
	}
	return nil
}

// pass tells users of the next events of each workspace, and reports whether there may be others. A workspace whose
// events cannot be told stops no other one.
func (n *notifier) pass(ctx context.Context) (more bool, failed error) {
	all, err := n.t.access.Read(ctx).Notices().Positions()
	if err != nil {
		return false, err
	}
	for _, p := range all {
		after := max(p.Told, n.passed[p.WorkspaceID])
		if after >= p.Last {
			continue
		}
		upTo, err := n.tell(ctx, p, after)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("workspace %s: %w", p.WorkspaceID, err))
			continue
		}
		n.passed[p.WorkspaceID] = upTo
		more = more || upTo < p.Last
	}
	return more, failed
}

// tell tells users of the next events of a workspace after a sequence. It returns the sequence up to which it did. What
// it has read before is stored only while the position of the workspace is that of before, so that every user is told
// once, whichever nodes do so at once.
func (n *notifier) tell(ctx context.Context, p notices.Position, after int64) (upTo int64, err error) {
	q := n.t.access.Read(ctx)
	events, err := q.Notices().Events(p, recipients.Types(), after, noticeBatch)
	if err != nil {
		return after, err
	}
	upTo = p.Last
	if len(events) == noticeBatch {
		upTo = events[len(events)-1].Sequence
	}
	oldest := n.t.now().Add(-maxEventAge)
	events = slices.DeleteFunc(events, func(e notices.Event) bool { return e.CreatedAt.Before(oldest) })
	b := noticesOf{t: n.t, q: q, at: p, now: n.t.clock()}
	if err := b.read(events); err != nil {
		return after, err
	}
	if b.isEmpty() && upTo-p.Told < maxUntold {
		return upTo, nil
	}
	moved, err := access.SystemWrite(ctx, n.t.authority, func(tx *access.Tx) (bool, error) {
		moved, err := tx.Notices().Advance(p.WorkspaceID, p.Told, upTo)
		if err != nil || !moved {
			return false, err
		}
		return true, b.store(tx)
	})
	if !moved { // another node has told of some of these events
		return after, err
	}
	return upTo, err
}

// noticesOf is what users are told of events of a workspace.
type noticesOf struct {
	t   *Tracker
	q   access.Queries
	at  notices.Position
	now api.Time

	views     []notices.WatchedView // over the workspace
	all       []notices.Notice
	mentioned []notices.Watch
	matches   []notices.Match
	withheld  bool // somebody may not read a slice now, and is not told later
}

// isEmpty reports whether reading the same events again later would change nothing.
func (b *noticesOf) isEmpty() bool {
	return len(b.all)+len(b.mentioned)+len(b.matches) == 0 && !b.withheld
}

// store stores them, and wakes the open pages.
func (b *noticesOf) store(tx *access.Tx) error {
	w := tx.Notices()
	if err := w.AddWatches(b.mentioned); err != nil {
		return err
	}
	if err := w.AddMatches(b.matches); err != nil {
		return err
	}
	if len(b.all) == 0 {
		return nil
	}
	tx.NotifyOnCommit()
	added, err := w.Add(b.all)
	if err != nil {
		return err
	}
	return b.t.queueMails(tx, added)
}

// read decides who is told of events.
func (b *noticesOf) read(events []notices.Event) error {
	if len(events) == 0 {
		return nil
	}
	watched, err := b.isWatched()
	if err != nil {
		return err
	}
	told := make([]toldEvent, 0, len(events))
	var ids []string
	for _, e := range events {
		one := toldEvent{Event: e, rules: recipients.Event{Type: e.Type, ActorType: e.ActorType, ActorID: text(e.ActorID)}}
		if err := one.decode(); err != nil {
			return err
		}
		if !one.rules.MayConcern(len(one.mentions) > 0, watched) {
			continue
		}
		if told = append(told, one); !slices.Contains(ids, e.SliceID) {
			ids = append(ids, e.SliceID)
		}
	}
	if len(told) == 0 {
		return nil
	}
	if err := b.resolve(told); err != nil {
		return err
	}
	people, err := b.concerned(ids)
	if err != nil {
		return err
	}
	if err := b.addMatches(told, people); err != nil {
		return err
	}
	return b.decide(told, people)
}

// isWatched reports whether somebody watches the workspace, a space of it, or a view over it.
func (b *noticesOf) isWatched() (watched bool, err error) {
	if b.views, err = b.q.Notices().WatchedViews(b.at.WorkspaceID); err != nil || len(b.views) > 0 {
		return true, err
	}
	return b.q.Notices().IsWatched(b.at.WorkspaceID)
}

// toldEvent is an event with what its data have.
type toldEvent struct {
	notices.Event

	rules    recipients.Event
	mentions []string // ids and e-mail addresses
}

// decode reads the data of an event.
func (e *toldEvent) decode() error {
	if len(e.Data) == 0 {
		return nil
	}
	var data struct {
		Slice    *struct{ Description, AssigneeID *string }
		Comment  *struct{ Body string }
		Previous map[string]any
	}
	if err := json.Unmarshal(e.Data, &data); err != nil {
		return err
	}
	var now, before string
	if data.Slice != nil {
		e.rules.AssigneeID = text(data.Slice.AssigneeID)
		if e.Type != api.EventSliceUpdated || hasKey(data.Previous, "description") {
			now = text(data.Slice.Description)
			before, _ = data.Previous["description"].(string)
		}
	}
	if data.Comment != nil {
		now = data.Comment.Body
		before, _ = data.Previous["body"].(string)
	}
	known := store.Mentioned(before)
	e.mentions = slices.DeleteFunc(store.Mentioned(now), func(name string) bool { return slices.Contains(known, name) })
	return nil
}

// resolve finds the members of the workspace whom events mention.
func (b *noticesOf) resolve(all []toldEvent) error {
	var names []string
	for _, e := range all {
		names = append(names, e.mentions...)
	}
	slices.Sort(names)
	members, err := b.q.FindMembers(b.at.WorkspaceID, slices.Compact(names))
	if err != nil {
		return err
	}
	for i, e := range all {
		for _, name := range e.mentions {
			if m, ok := members[name]; ok {
				all[i].rules.Mentioned = append(all[i].rules.Mentioned, m.UserID)
			}
		}
	}
	return nil
}

// concerned returns what rules need of slices that are not deleted.
func (b *noticesOf) concerned(ids []string) (map[string]*recipients.Slice, error) {
	rows, err := b.q.SlicesByID(ids)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	people, subjects := map[string]*recipients.Slice{}, []string{b.at.WorkspaceID}
	for _, s := range rows {
		one := &recipients.Slice{AssigneeID: text(s.AssigneeID)}
		if s.Reporter.Type == "user" {
			one.ReporterID = text(s.Reporter.ID)
		}
		people[s.ID], subjects = one, append(subjects, s.ID)
		if s.SpaceID != nil && !slices.Contains(subjects, *s.SpaceID) {
			subjects = append(subjects, *s.SpaceID)
		}
	}
	commenters, err := b.q.Notices().Commenters(ids)
	if err != nil {
		return nil, err
	}
	watches, err := b.q.Notices().WatchesOf(subjects)
	if err != nil {
		return nil, err
	}
	for _, s := range rows {
		one := people[s.ID]
		one.Commenters = commenters[s.ID]
		for _, w := range watches {
			switch {
			case w.SubjectID != s.ID && w.SubjectID != s.WorkspaceID && w.SubjectID != text(s.SpaceID):
			case w.Reason == "":
				one.Choices = append(one.Choices, recipients.Choice{UserID: w.UserID, SubjectID: w.SubjectID, Kind: w.Kind, Level: w.Level})
			default:
				one.Mentioned = append(one.Mentioned, w.UserID)
			}
		}
	}
	return people, nil
}

// decide makes the notices of events, for the members of the workspace, and the watches of those who are mentioned.
func (b *noticesOf) decide(all []toldEvent, people map[string]*recipients.Slice) error {
	told, users := make([][]recipients.Recipient, len(all)), []string{}
	for i, e := range all {
		if s := people[e.SliceID]; s != nil {
			told[i] = recipients.Of(e.rules, *s)
		}
		for _, r := range told[i] {
			users = append(users, r.UserID)
		}
	}
	slices.Sort(users)
	readers, err := b.q.Notices().Readers(b.at.WorkspaceID, slices.Compact(users))
	if err != nil {
		return err
	}
	for i, e := range all {
		for _, r := range told[i] {
			if !slices.Contains(readers, r.UserID) {
				b.withheld = true
				continue
			}
			n := notices.Notice{ID: id.New(id.Notice), UserID: r.UserID, WorkspaceID: b.at.WorkspaceID, SliceID: &e.SliceID,
				EventID: e.ID, Type: e.Type, Reason: r.Reason, RequestID: e.RequestID, Slices: 1}
			if e.rules.ByVisitor() {
				request := notices.VisitorsRequest(e.rules.ActorID, e.CreatedAt)
				n.RequestID = &request
			}
			if r.SubjectID != "" {
				n.SubjectID = &r.SubjectID
			}
			if b.all = append(b.all, n); r.Reason == api.ReasonMentioned {
				b.mentioned = append(b.mentioned, notices.Watch{UserID: r.UserID, SubjectID: e.SliceID, Kind: "slice",
					WorkspaceID: &b.at.WorkspaceID, Level: api.Watching, Reason: api.ReasonMentioned, CreatedAt: b.now})
			}
		}
	}
	return nil
}
