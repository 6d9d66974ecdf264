package tracker_test

import (
	"errors"
	"testing"

	"bugslice/internal/operator"
	"bugslice/internal/store"
)

// TestInvisibleReferencesLookUnknown: for a caller who is no member of the workspace, the first query finds as little
// of an existing slice as of a missing one, so that no further query tells them apart.
func TestInvisibleReferencesLookUnknown(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, first := t.Context(), w.file(t, "first", "")
		u, err := w.In(w.owner.Organization).AddUser(ctx, operator.NewUser{Email: "u@test.example"})
		must(t, err)
		other, err := w.newWorkspace(w.owner, "Other", "OTH")
		must(t, err)
		org, q := w.owner.Organization.ID, w.store.Read(ctx)
		several := []store.Reference{{Key: "ONE", Number: 1}, {Key: "ONE", Number: 2}, {Key: "OTH", Number: 1}}
		for _, reader := range []string{w.owner.ID, w.workspace} {
			id, err := q.SliceID(org, reader, "ONE", 1)
			must(t, err)
			if id != first.ID {
				t.Errorf("%s is led to %s", reader, id)
			}
			ids, err := q.SliceIDs(org, reader, several)
			must(t, err)
			if len(ids) != 1 || ids[several[0]] != first.ID {
				t.Errorf("%s is led to %v", reader, ids)
			}
		}
		for _, reader := range []string{u.UserID, other.ID, ""} {
			if ids, err := q.SliceIDs(org, reader, several); err != nil || len(ids) > 0 {
				t.Errorf("%q is led to %v (%v)", reader, ids, err)
			}
			for number := range int64(3) {
				if id, err := q.SliceID(org, reader, "ONE", number); !errors.Is(err, store.ErrNotFound) {
					t.Errorf("%q is led to %s (%v)", reader, id, err)
				}
			}
		}
	})
}
