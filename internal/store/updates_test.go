package store_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/store"
)

// TestUpdateStoresWhatChanged: UpdateSlice stores each member of a locked slice that has changed, and no other: what
// another statement of the transaction has stored stays.
func TestUpdateStoresWhatChanged(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		org, workspace := seed(t, s)
		db, _ := rawDatabase(t, o)
		user, space := id.New(id.User), id.New(id.Space)
		for _, text := range []string{
			`INSERT INTO users (id, org_id, email, name, role, password_hash, created_at) VALUES ('` + user + `', '` +
				org + `', 'u@test.example', 'n', 'member', '', 1)`,
			`INSERT INTO spaces (id, workspace_id, name, created_at, updated_at) VALUES ('` + space + `', '` +
				workspace + `', 'n', 1, 1)`,
		} {
			_, err := db.Exec(text)
			must(t, err)
		}
		filed, err := store.Write(t.Context(), s,
			func(tx *store.Tx) (store.Slice, error) { return insert(tx, workspace, "before") })
		must(t, err)
		other, err := store.Write(t.Context(), s,
			func(tx *store.Tx) (store.Slice, error) { return insert(tx, workspace, "other") })
		must(t, err)
		at := func(ms int64) *api.Time { v := api.FromMillis(ms); return &v }
		text := func(v string) *string { return &v }
		fixed, high, major := api.Resolution("fixed"), api.Priority("high"), api.Severity("major")
		changes := []func(v *store.Slice){
			func(v *store.Slice) { v.SpaceID = &space }, func(v *store.Slice) { v.Summary = "after" },
			func(v *store.Slice) { v.Description = text("d") }, func(v *store.Slice) { v.Status = api.Resolved },
			func(v *store.Slice) { v.Resolution = &fixed }, func(v *store.Slice) { v.Priority = &high },
			func(v *store.Slice) { v.Severity = &major }, func(v *store.Slice) { v.Labels = []string{"a", "b"} },
			func(v *store.Slice) { v.AssigneeID = &user },
			func(v *store.Slice) { v.SourceURL = text("https://shop.example.com") },
			func(v *store.Slice) { v.Environment.Release = text("1.2") },
			func(v *store.Slice) { v.Metadata = map[string]string{"a": "b"} },
			func(v *store.Slice) { v.ExternalID = text("x") }, func(v *store.Slice) { v.DuplicateOfID = &other.ID },
			func(v *store.Slice) { v.UpdatedAt = *at(9e12) }, func(v *store.Slice) { v.ResolvedAt = at(8e12) },
			func(v *store.Slice) { v.OccurrenceCount = 7 }, func(v *store.Slice) { v.LastSeenAt = *at(7e12) },
			func(v *store.Slice) { v.Redaction = &api.Redaction{Ruleset: "2", Counts: map[string]int64{"email": 1}} },
			func(v *store.Slice) { v.LastOccurrence = &api.Occurrence{At: *at(5), Metadata: map[string]string{}} },
			func(v *store.Slice) { v.AttachmentCount = 3 },
			func(v *store.Slice) { v.Evidence = api.EvidenceSummary{Console: 1} },
			func(v *store.Slice) { v.Evidence.ConsoleErrors = 2 }, func(v *store.Slice) { v.Evidence.Network = 3 },
			func(v *store.Slice) { v.Evidence.FailedRequests = 4 }, func(v *store.Slice) { v.Evidence.Actions = 5 },
			func(v *store.Slice) { v.Evidence.Replays = 6 }, func(v *store.Slice) { v.Evidence.Screenshots = 7 },
			func(v *store.Slice) { v.Evidence.Videos = 8 },
			func(v *store.Slice) { v.Evidence.Unreviewed = 9 }, func(v *store.Slice) { v.DeletedAt = at(6e12) },
			func(v *store.Slice) { v.DeletedAt = nil }, func(v *store.Slice) { v.AssigneeID = nil }, // back to none
		}
		for n, change := range slices.Concat(changes, changes) { // the second time in transactions with several slices
			comments, isGrouped := int64(n)+1, n >= len(changes)
			var want api.Slice
			must(t, s.Write(t.Context(), func(tx *store.Tx) error {
				if isGrouped {
					if err := changeOther(tx, filed.ID, other.ID, n); err != nil {
						return err
					}
				}
				v, err := tx.LockSlice(filed.ID)
				if err != nil {
					return err
				}
				change(&v)
				if err := store.ExecIn(tx, "UPDATE slices SET source_url = $2, comment_count = $3 WHERE id = $1",
					filed.ID, "https://kept.example.com", comments); err != nil {
					return err
				}
				want = v.Slice
				want.Version, want.CommentCount = v.Version+1, comments
				if n%len(changes) != 9 { // the change of the source URL
					want.SourceURL = text("https://kept.example.com")
				}
				return tx.UpdateSlice(&v)
			}))
			got, err := s.Read(t.Context()).Slice(filed.ID)
			must(t, err)
			stored, err := json.Marshal(got.Slice)
			must(t, err)
			expected, err := json.Marshal(want)
			must(t, err)
			if !bytes.Equal(stored, expected) {
				t.Errorf("change %d: %s, want %s", n, stored, expected)
			}
			if isGrouped {
				got, err := s.Read(t.Context()).Slice(other.ID)
				must(t, err)
				if got.Summary != fmt.Sprint("other ", n) || got.Version != int64(n-len(changes))+2 {
					t.Errorf("change %d of another slice in its transaction: %q, version %d", n, got.Summary,
						got.Version)
				}
			}
		}
	})
}

// changeOther locks two slices and changes the summary of the second one.
func changeOther(tx *store.Tx, first, second string, n int) error {
	if _, err := tx.LockSlices([]string{first, second}); err != nil {
		return err
	}
	v, err := tx.LockSlice(second)
	if err != nil {
		return err
	}
	v.Summary = fmt.Sprint("other ", n)
	return tx.UpdateSlice(&v)
}

// insertSeveral inserts n slices, and returns their ids.
func insertSeveral(t *testing.T, s *store.Store, workspace string, n int) []string {
	t.Helper()
	ids := make([]string, n)
	must(t, s.Write(t.Context(), func(tx *store.Tx) error {
		for i := range ids {
			v, err := insert(tx, workspace, "before")
			if err != nil {
				return err
			}
			ids[i] = v.ID
		}
		return nil
	}))
	return ids
}

// changeSeveral changes slices: the priority of each second one, which becomes none for some, and the summary and
// the release of the others.
func changeSeveral(tx *store.Tx, ids []string) error {
	if _, err := tx.LockSlices(ids); err != nil {
		return err
	}
	for i, id := range ids {
		v, err := tx.LockSlice(id)
		if err != nil {
			return err
		}
		v.Priority = nil
		if low := api.Priority("low"); i%3 > 0 {
			v.Priority = &low
		}
		if i%2 > 0 {
			v.Summary, v.Environment.Release = fmt.Sprint("after ", i), new(fmt.Sprint(i))
		}
		v.UpdatedAt = api.FromMillis(9e12 + int64(i))
		if err := tx.UpdateSlice(&v); err != nil {
			return err
		}
	}
	return nil
}

// TestUpdatesOfSeveralSlices: a transaction stores each change of its slices at its end, or where ApplySlices asks
// for it.
func TestUpdatesOfSeveralSlices(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		_, workspace := seed(t, s)
		ids := insertSeveral(t, s, workspace, 75)
		check := func(i int, v store.Slice, err error) {
			must(t, err)
			var got struct{ summary, release, priority string }
			got.summary = v.Summary
			if v.Environment.Release != nil {
				got.release = *v.Environment.Release
			}
			if v.Priority != nil {
				got.priority = string(*v.Priority)
			}
			want := got
			want.summary, want.release, want.priority = "before", "", ""
			if i%2 > 0 {
				want.summary, want.release = fmt.Sprint("after ", i), fmt.Sprint(i)
			}
			if i%3 > 0 {
				want.priority = "low"
			}
			if got != want || v.UpdatedAt != api.FromMillis(9e12+int64(i)) {
				t.Errorf("slice %d: %+v, updated at %v; want %+v", i, got, v.UpdatedAt, want)
			}
		}
		must(t, s.Write(t.Context(), func(tx *store.Tx) error {
			if err := changeSeveral(tx, ids[:25]); err != nil {
				return err
			}
			if err := tx.ApplySlices(); err != nil {
				return err
			}
			for i, id := range ids[:25] {
				v, err := tx.Slice(id)
				check(i, v, err)
			}
			return nil
		}))
		must(t, s.Write(t.Context(), func(tx *store.Tx) error { return changeSeveral(tx, ids) }))
		for i, id := range ids {
			v, err := s.Read(t.Context()).Slice(id)
			check(i, v, err)
		}
	})
}

// TestUpdatesOfOneSlice: a transaction may change a slice again.
func TestUpdatesOfOneSlice(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		_, workspace := seed(t, s)
		sliceID := insertSeveral(t, s, workspace, 1)[0]
		must(t, s.Write(t.Context(), func(tx *store.Tx) error {
			v, err := tx.LockSlice(sliceID)
			for n := 0; n < 3 && err == nil; n++ {
				v.Summary = fmt.Sprint("after ", n)
				err = tx.UpdateSlice(&v)
			}
			return err
		}))
		v, err := s.Read(t.Context()).Slice(sliceID)
		must(t, err)
		if v.Summary != "after 2" || v.Version != 4 {
			t.Errorf("%q, version %d", v.Summary, v.Version)
		}
	})
}

// TestUpdatesThatFail: of a transaction that fails before its end nothing is stored, nor of one that changes a slice
// over another version than the stored one.
func TestUpdatesThatFail(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		_, workspace := seed(t, s)
		ids := insertSeveral(t, s, workspace, 5)
		errOops := errors.New("oops")
		if err := s.Write(t.Context(), func(tx *store.Tx) error {
			return errors.Join(changeSeveral(tx, ids),
				errOops)
		}); !errors.Is(err, errOops) {
			t.Errorf("a transaction that fails: %v", err)
		}
		err := s.Write(t.Context(), func(tx *store.Tx) error {
			if _, err := tx.LockSlices(ids); err != nil {
				return err
			}
			for _, id := range ids[:2] {
				v, err := tx.LockSlice(id)
				if err != nil {
					return err
				}
				v.Summary = "after"
				if id == ids[1] {
					v.Version++
				}
				if err := tx.UpdateSlice(&v); err != nil {
					return err
				}
			}
			return nil
		})
		if !errors.Is(err, store.ErrConflict) {
			t.Errorf("a change over another version: %v", err)
		}
		must(t, s.Write(t.Context(), func(tx *store.Tx) error { return changeOther(tx, ids[3], ids[4], 1) }))
		for i, id := range ids {
			v, err := s.Read(t.Context()).Slice(id)
			must(t, err)
			if i < 4 && (v.Summary != "before" || v.Version != 1) || i == 4 &&
				(v.Summary != "other 1" || v.Version != 2) {
				t.Errorf("slice %d: %q, version %d", i, v.Summary, v.Version)
			}
		}
	})
}

// TestRefusedItem: an item of a transaction that is refused leaves the changes of the others. It has written nothing
// when it was refused before a statement that writes.
func TestRefusedItem(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		_, workspace := seed(t, s)
		ids := insertSeveral(t, s, workspace, 5)
		errRefused := errors.New("refused")
		must(t, s.Write(t.Context(), func(tx *store.Tx) error {
			if _, err := tx.LockSlices(ids); err != nil {
				return err
			}
			for i, id := range ids {
				wrote, err := tx.Attempt(func(tx *store.Tx) error {
					v, err := tx.LockSlice(id)
					if err != nil {
						return err
					}
					if i == 2 {
						return errRefused
					}
					v.Summary = fmt.Sprint("after ", i)
					err = tx.UpdateSlice(&v)
					switch {
					case err == nil && i == 3:
						return errRefused // its change is not written
					case err == nil && i == 4:
						return tx.ReserveNumber(workspace, 1)
					}
					return err
				})
				if wrote != (i == 4) || (err != nil) != (i == 2 || i == 3) {
					t.Errorf("item %d: wrote %v, %v", i, wrote, err)
				}
			}
			return nil
		}))
		for i, id := range ids {
			v, err := s.Read(t.Context()).Slice(id)
			must(t, err)
			summary, version := fmt.Sprint("after ", i), int64(2)
			if i == 2 || i == 3 {
				summary, version = "before", 1
			}
			if v.Summary != summary || v.Version != version {
				t.Errorf("slice %d: %q, version %d", i, v.Summary, v.Version)
			}
		}
	})
}

// TestSavepoint: what a function has written in a savepoint is undone when it fails, with its charges and statistics;
// the rest of the transaction is committed.
func TestSavepoint(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		_, workspace := seed(t, s)
		db, _ := rawDatabase(t, o)
		errOops := errors.New("oops")
		var failed []error
		file := func(externalID string, after error) func(tx *store.Tx) error {
			return func(tx *store.Tx) error {
				v, err := insert(tx, workspace, "s")
				if err != nil {
					return err
				}
				tx.Charge(workspace, 1000)
				if v, err = tx.LockSlice(v.ID); err != nil {
					return err
				}
				v.ExternalID, v.Metadata = &externalID, map[string]string{"order": externalID}
				return errors.Join(tx.UpdateSlice(&v), after)
			}
		}
		must(t, s.Write(t.Context(), func(tx *store.Tx) error {
			w, err := tx.LockWorkspace(workspace)
			if err != nil {
				return err
			}
			w.MetadataKeys = []string{"order"}
			return tx.UpdateWorkspace(&w)
		}))
		must(t, s.Write(t.Context(), func(tx *store.Tx) error {
			failed = nil
			for _, item := range []func(tx *store.Tx) error{file("a", nil), file("b", errOops), file("a", nil),
				func(*store.Tx) error { panic("in the middle") },
				file("c", nil)} {
				f, err := tx.Savepoint(item)
				if err != nil {
					return err
				}
				failed = append(failed, f)
			}
			return nil
		}))
		var taken *store.UniqueViolationError
		if failed[0] != nil || !errors.Is(failed[1], errOops) || !errors.As(failed[2], &taken) || failed[3] == nil ||
			failed[4] != nil {
			t.Errorf("errors %v", failed)
		}
		all, err := s.Read(t.Context()).Slices(store.SliceFilter{Workspaces: []string{workspace}, Limit: 10})
		must(t, err)
		if len(all) != 2 || all[0].Number != 2 || *all[0].ExternalID != "c" || *all[1].ExternalID != "a" {
			t.Errorf("%d slices: %+v", len(all), all)
		}
		counts, _, err := s.Read(t.Context()).
			CountSlices(store.SliceFilter{Workspaces: []string{workspace}}, store.ByStatus)
		must(t, err)
		if len(counts) != 1 || counts[0].Count != 2 {
			t.Errorf("counts %+v", counts)
		}
		stored, err := s.Read(t.Context()).StoredBytes(workspace)
		must(t, err)
		for value, n := range map[string]int{"a": 1, "b": 0, "c": 1} {
			found, err := s.Read(t.Context()).Slices(store.SliceFilter{Workspaces: []string{workspace}, Limit: 10,
				Metadata: []store.MetadataFilter{{Name: "order", Values: []string{value}}}})
			if err != nil || len(found) != n {
				t.Errorf("%d slices with %s: %v", len(found), value, err)
			}
		}
		var charged int64
		must(t, db.QueryRow("SELECT count(*) FROM slices").Scan(&charged))
		if stored/1000 != charged {
			t.Errorf("%d bytes are charged for %d slices of 1,000", stored, charged)
		}
	})
}
