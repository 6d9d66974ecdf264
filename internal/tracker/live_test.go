package tracker_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/operator"
	"bugslice/internal/tracker"
)

// work does the background work of a world until the test ends.
func (w *world) work(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { w.Run(ctx); close(done) }()
	t.Cleanup(func() { stop(); <-done })
}

// live is an open stream of a test, with the position after its last message.
type live struct {
	*tracker.LiveStream
	t        *testing.T
	queue    []tracker.LiveMessage
	position string
}

func (w *world) live(t *testing.T, s tracker.Session, after string) *live {
	t.Helper()
	stream, err := w.OpenLive(t.Context(), s, after)
	must(t, err)
	t.Cleanup(stream.Close)
	l := &live{LiveStream: stream, t: t}
	if m, err := l.next(); err != nil || m != `ready {"user":"`+s.Caller.ID+`"}` {
		t.Fatalf("%s %v", m, err)
	}
	return l
}

// next returns the next message as its type and its data, or why the stream has ended.
func (l *live) next() (string, error) {
	l.t.Helper()
	for len(l.queue) == 0 {
		got, err := l.Take()
		if err != nil {
			return "", err
		}
		if l.queue = got; len(got) > 0 {
			break
		}
		select {
		case <-l.Wake():
		case <-time.After(15 * time.Second):
			l.t.Fatal("no message in 15 s")
		}
	}
	m := l.queue[0]
	l.queue, l.position = l.queue[1:], m.Position
	return m.Type + " " + string(m.Data), nil
}

// changes returns the changes of the next messages up to a reference, each as reference, version and kind.
func (l *live) changes(until string) string {
	l.t.Helper()
	var all []string
	for {
		m, err := l.next()
		must(l.t, err)
		data, ok := strings.CutPrefix(m, "changes ")
		if !ok {
			l.t.Fatalf("%s, no changes", m)
		}
		var d struct {
			Changes []struct {
				Reference, Kind string
				Version         int64
			}
		}
		must(l.t, json.Unmarshal([]byte(data), &d))
		for _, c := range d.Changes {
			all = append(all, fmt.Sprint(c.Reference, " ", c.Version, " ", c.Kind))
			if c.Reference == until {
				slices.Sort(all)
				return strings.Join(all, ", ")
			}
		}
	}
}

// TestLiveStream: a stream has the reference, the version and the kind of each change, and continues after a
// position, also one of another process.
func TestLiveStream(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.person(t, "u@test.example")
		s, _ := w.signIn(t, "u@test.example")
		first, second := w.file(t, "first", ""), w.file(t, "second", "")
		w.work(t)
		l := w.live(t, s, "")
		begin := l.position
		_, err := w.UpdateSlice(t.Context(), w.owner, valid(api.UpdateSlice{SliceID: first.ID,
			Patch: api.SlicePatch{"status": "closed"}}))
		must(t, err)
		if got := l.changes(first.Reference); got != first.Reference+" 2 changed" {
			t.Errorf("an update is %s", got)
		}
		_, err = w.CreateComment(t.Context(), w.owner,
			valid(api.CreateComment{SliceID: second.ID, Body: api.CommentFields{Body: "x"}}))
		must(t, err)
		if got := l.changes(second.Reference); got != second.Reference+" 2 changed" {
			t.Errorf("a comment is %s", got)
		}
		_, err = w.DeleteSlice(t.Context(), w.owner, valid(api.DeleteSlice{SliceID: second.ID}))
		must(t, err)
		if got := l.changes(second.Reference); !strings.HasSuffix(got, " deleted") {
			t.Errorf("a deletion is %s", got)
		}
		third := w.file(t, "third", "")
		if got := l.changes(third.Reference); got != third.Reference+" 1 created" {
			t.Errorf("a report is %s", got)
		}
		l.Close()
		w.with(t, func(*tracker.Options) {}) // another process
		w.work(t)
		again := w.live(t, s, begin)
		want := first.Reference + " 2 changed, " + second.Reference + " 3 deleted, " + third.Reference + " 1 created"
		if got := again.changes(third.Reference); got != want {
			t.Errorf("after %s: %s, want %s", begin, got, want)
		}
		if again.position != l.position {
			t.Errorf("at %s, not %s", again.position, l.position)
		}
	})
}

// TestLiveStreamReloads: a stream that cannot continue without a gap says so, and continues.
func TestLiveStreamReloads(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.person(t, "u@test.example")
		s, _ := w.signIn(t, "u@test.example")
		w.work(t)
		now := w.live(t, s, "").position
		key, _, _ := strings.Cut(now, ".")
		for _, after := range []string{key + ".9999", "OTHER.1", "nonsense", key + ".-1"} {
			l := w.live(t, s, after)
			if m, err := l.next(); m != "reload {}" || l.position != now {
				t.Errorf("after %q: %s at %s (%v)", after, m, l.position, err)
			}
			made := w.file(t, "next", "")
			if got := l.changes(made.Reference); got != made.Reference+" 1 created" {
				t.Errorf("after %q: %s", after, got)
			}
			l.Close()
			now = l.position
		}
		l := w.live(t, s, "")
		_, err := w.UpdateWorkspace(t.Context(), w.owner,
			valid(api.UpdateWorkspace{WorkspaceID: w.workspace, Patch: api.WorkspacePatch{"key": "NEW"}}))
		must(t, err)
		if m, err := l.next(); m != "reload {}" || !strings.HasPrefix(l.position, "NEW.") {
			t.Errorf("with another key: %s at %s (%v)", m, l.position, err)
		}
	})
}

// TestLiveStreamFollowsRights: a stream has the workspaces of its user, at any time, and no other ones. It ends with
// its session.
func TestLiveStreamFollowsRights(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		u := w.person(t, "u@test.example")
		in := w.In(w.owner.Organization)
		other, err := in.AddWorkspace(ctx, api.WorkspaceFields{Key: "OTHER", Name: "Other"}, w.owner.ID)
		must(t, err)
		_, err = w.Bootstrap(ctx, operator.Bootstrap{Organization: "Elsewhere", Workspace: "One",
			Owner: operator.NewUser{Email: "x@else.example", Password: secretWords}})
		must(t, err)
		w.work(t)
		s, _ := w.signIn(t, "u@test.example")
		stranger, _ := w.signIn(t, "x@else.example")
		l, theirs := w.live(t, s, ""), w.live(t, stranger, "")
		file := func(workspaceID string) string {
			made, err := w.CreateSlice(ctx, w.owner,
				valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &workspaceID,
					SliceFields: api.SliceFields{Summary: "x"}}}))
			must(t, err)
			return made.Reference
		}
		file(other.ID) // before the user is a member
		first := file(w.workspace)
		if got := l.changes(first); got != first+" 1 created" {
			t.Errorf("a member of one workspace reads %s", got)
		}
		must(t, in.PutMember(ctx, other.ID, u.UserID, api.RoleMember))
		if m, err := l.next(); m != "reload {}" || !strings.Contains(l.position, "OTHER.") {
			t.Fatalf("after a workspace was added: %s at %s (%v)", m, l.position, err)
		}
		added := file(other.ID)
		if got := l.changes(added); got != added+" 1 created" {
			t.Errorf("a member of both reads %s", got)
		}
		must(t, in.RemoveMember(ctx, other.ID, u.UserID))
		file(other.ID)
		if m, err := l.next(); m != "reload {}" || strings.Contains(l.position, "OTHER.") {
			t.Fatalf("after a workspace was removed: %s at %s (%v)", m, l.position, err)
		}
		if got, err := theirs.Take(); len(got) != 0 || err != nil {
			t.Errorf("another organisation reads %v (%v)", got, err)
		}
		if n := w.LiveStreams(); n != 2 {
			t.Errorf("%d streams are open", n)
		}
		for what, end := range map[string]func(tracker.Session){
			"ended":    func(s tracker.Session) { must(t, w.EndSession(ctx, s, s.ID)) },
			"disabled": func(tracker.Session) { must(t, w.Operator.DisableUser(ctx, u.UserID)) },
			"proved": func(s tracker.Session) {
				must(t,
					second(w.ProvePassword(ctx, client("203.0.113.7"), s, secretWords)))
			},
		} {
			s, _ := w.signIn(t, "u@test.example")
			l := w.live(t, s, "")
			end(s)
			file(w.workspace)
			if m, err := l.next(); code(err) != api.CodeUnauthorized {
				t.Errorf("%s: %s (%v)", what, m, err)
			}
			late := w.live(t, s, "")
			if m, err := late.next(); code(err) != api.CodeUnauthorized {
				t.Errorf("%s: opened late: %s (%v)", what, m, err)
			}
			must(t, w.Operator.EnableUser(ctx, u.UserID))
		}
		if _, err := w.OpenLive(ctx, tracker.Session{Caller: w.owner}, ""); code(err) != api.CodeUnauthorized {
			t.Errorf("with a key: %v", err)
		}
		if _, err := w.OpenLive(ctx, tracker.Session{}, ""); code(err) != api.CodeUnauthorized {
			t.Errorf("without a session: %v", err)
		}
	})
}

// TestLiveStreamLimits: a session has a limited number of streams.
func TestLiveStreamLimits(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.person(t, "u@test.example")
		s, _ := w.signIn(t, "u@test.example")
		var all []*live
		for range 20 {
			all = append(all, w.live(t, s, ""))
		}
		if _, err := w.OpenLive(t.Context(), s, ""); code(err) != api.CodeRateLimited {
			t.Errorf("a further stream: %v", err)
		}
		all[0].Close()
		w.live(t, s, "").Close()
		other, _ := w.signIn(t, "u@test.example")
		w.live(t, other, "")
	})
}
