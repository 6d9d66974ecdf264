package tracker_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/operator"
)

// auditEvent is a row of the audit log.
type auditEvent struct {
	ID            string        `json:"id"`
	Type          api.EventType `json:"type"`
	ActorType     string        `json:"actor_type"`
	ActorID       *string       `json:"actor_id"`
	KeyID         *string       `json:"actor_key_id"`
	SessionID     *string       `json:"actor_session_id"`
	RequestID     *string       `json:"request_id"`
	ClientAddress *string       `json:"client_address"`
}

// audited returns the events that were written since the ones that are known, in the order of their ids, and adds
// them to those.
func (w *world) audited(t *testing.T, known map[string]bool) (added []auditEvent) {
	t.Helper()
	var rows bytes.Buffer
	_, err := w.store.Dump(t.Context(), func(table string) (io.Writer, error) {
		if table == "events" {
			return &rows, nil
		}
		return io.Discard, nil
	})
	must(t, err)
	for d := json.NewDecoder(&rows); d.More(); {
		var e auditEvent
		must(t, d.Decode(&e))
		if !known[e.ID] {
			known[e.ID] = true
			added = append(added, e)
		}
	}
	slices.SortFunc(added, func(a, b auditEvent) int { return strings.Compare(a.ID, b.ID) })
	return added
}

// narrower are the types of events that come beside the one of the change itself.
var narrower = map[api.EventType]bool{api.EventSliceStatusChanged: true, api.EventSliceAssigned: true}

// unaudited are the operations that write without an event: a count of tests is a figure, and no record of the
// workspace.
var unaudited = map[string]bool{api.OpRecordTestRun: true, api.OpUpdateNotices: true, api.OpSetWatch: true}

// TestEveryWriteIsAudited: an operation that writes leaves one event, and those that are narrower beside it, with the
// actor, the credential, the request and the client's address. One that reads leaves none.
func TestEveryWriteIsAudited(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		f, known := newFixture(t, w), map[string]bool{}
		w.audited(t, known)
		for i, o := range operations {
			c, address := w.owner, "203.0.113.7"
			c.Request = access.Request{ID: fmt.Sprint("req_", i), ClientAddress: address}
			if _, err := o.call(t.Context(), f, c); err != nil {
				t.Errorf("%s: %v", o.id, err)
			}
			changes := 0
			for _, e := range w.audited(t, known) {
				if !narrower[e.Type] {
					changes++
				}
				want := auditEvent{e.ID, e.Type, "user", &c.ID, new(c.KeyID()), nil, &c.Request.ID, &address}
				if !reflect.DeepEqual(e, want) {
					t.Errorf("%s: the event is %s, want %s", o.id, asJSON(e), asJSON(want))
				}
			}
			want := 1
			if api.Lookup(o.id).Effect == api.Reads || unaudited[o.id] {
				want = 0
			}
			if changes != want {
				t.Errorf("%s: %d events, want %d", o.id, changes, want)
			}
		}
	})
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	return fmt.Sprint(string(b), err)
}

// TestReplaysAreNotAudited: a request that is answered from its Idempotency-Key, and a change that changes nothing,
// leave no event.
func TestReplaysAreNotAudited(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		known := map[string]bool{}
		slice := w.file(t, "once", "key")
		w.audited(t, known)
		w.file(t, "once", "key")
		_, err := w.patch(t, slice.ID, api.SlicePatch{"summary": "once"})
		must(t, err)
		if added := w.audited(t, known); len(added) > 0 {
			t.Errorf("%+v", added)
		}
	})
}

// TestTheOperatorIsAudited as an operator, without a request.
func TestTheOperatorIsAudited(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		known := map[string]bool{}
		w.audited(t, known)
		here := w.In(w.owner.Organization)
		u, err := here.AddUser(t.Context(), operator.NewUser{Email: "u@test.example"})
		must(t, err)
		changes := map[string]func() error{
			"PutMember":    func() error { return here.PutMember(t.Context(), w.workspace, u.UserID, api.RoleMember) },
			"RemoveMember": func() error { return here.RemoveMember(t.Context(), w.workspace, u.UserID) },
			"SetPassword":  func() error { return second(w.SetPassword(t.Context(), u.UserID, "")) },
			"DisableUser":  func() error { return w.Operator.DisableUser(t.Context(), u.UserID) },
			"EnableUser":   func() error { return w.Operator.EnableUser(t.Context(), u.UserID) },
			"AddWorkspace": func() error {
				return second(here.AddWorkspace(t.Context(), api.WorkspaceFields{Name: "n"}, u.UserID))
			},
		}
		w.audited(t, known)
		for _, what := range []string{"PutMember", "RemoveMember", "SetPassword", "DisableUser", "EnableUser",
			"AddWorkspace"} {
			must(t, changes[what]())
			added := w.audited(t, known)
			if len(added) != 1 {
				t.Errorf("%s leaves %d events, want 1", what, len(added))
			}
			for _, e := range added {
				if e.ActorType != "operator" || e.ActorID != nil || e.KeyID != nil || e.RequestID != nil ||
					e.ClientAddress != nil {
					t.Errorf("%s: %+v", what, e)
				}
			}
		}
	})
}
