package tracker_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// elsewhere returns the world of another process with the same database.
func (w *world) elsewhere(t *testing.T) *world {
	t.Helper()
	s, err := store.Open(store.Options{Path: w.path, URL: w.url})
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	other := &world{store: s, now: w.now, owner: w.owner, workspace: w.workspace, passwords: w.passwords,
		sender: w.sender}
	other.with(t, func(*tracker.Options) {})
	return other
}

// TestChangedRights: a right that another process takes or gives is gone or there at the next request, also for a key
// that was used just before.
func TestChangedRights(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, other := t.Context(), w.elsewhere(t)
		in := other.In(w.owner.Organization)
		s := w.file(t, "checkout does nothing", "")
		list := valid(api.ListSlices{})
		for n := range 6 {
			user := w.colleague(t, fmt.Sprintf("colleague%d@test.example", n), api.RoleMember, api.RoleMember)
			c := user.Caller
			k, err := w.CreateKey(ctx, c,
				valid(api.CreateKey{Body: api.KeyFields{Name: "k", Type: api.PAT, Scopes: api.AllScopes()}}))
			must(t, err)
			sees := func() string {
				c, err := w.AuthenticateRequest(ctx, k.Token)
				if err != nil {
					return code(err)
				}
				w.NoteUse(c, "test")
				page, err := w.ListSlicesJSON(ctx, c, list)
				must(t, err)
				_, err = w.GetSliceJSON(ctx, c, valid(api.GetSlice{SliceID: s.ID}))
				return fmt.Sprint(strings.Contains(text(t, page), s.ID), code(err))
			}
			before, err := w.AuthenticateRequest(ctx, k.Token)
			must(t, err)
			const seen, unseen = "true<nil>", "falsenot_found"
			assert.Equal(t, "at first", sees(), seen)
			must(t, w.Flush(ctx))
			assert.Equal(t, "with a stored use", sees(), seen)
			assert.Equal(t, "again", sees(), seen)
			want := unseen
			switch n {
			case 0, 1:
				must(t, in.RemoveMember(ctx, w.workspace, c.ID))
			case 2, 3:
				must(t, other.Operator.DisableUser(ctx, c.ID))
				want = api.CodeUnauthorized
			default:
				must(t, second(other.RevokeKey(ctx, c, valid(api.RevokeKey{KeyID: k.ID}))))
				want = api.CodeUnauthorized
			}
			_, late := w.Reauthorize(ctx, before, api.OpDryRun) // as before a read whose body has arrived late
			if late == nil {
				_, late = w.DryRun(ctx, before, valid(api.DryRun{WorkspaceID: w.workspace,
					Body: api.DryRunFields{Text: new("x")}}))
			}
			if late == nil {
				t.Error("a read of a request that began before the change succeeds")
			}
			if err := w.fileAs(before); err == nil {
				t.Error("a write of a request that began before the change succeeds")
			}
			assert.Equal(t, "after the change", sees(), want)
			if n < 2 {
				must(t, in.PutMember(ctx, w.workspace, c.ID, api.RoleMember))
				assert.Equal(t, "after the opposite", sees(), seen)
			}
		}
	})
}

// TestRightsEpoch: a change of any column of which rights are read raises the epoch, and one that is rolled back does
// not.
func TestRightsEpoch(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		epoch := func() int64 {
			n, ok, err := w.store.Read(t.Context()).RightsEpoch()
			must(t, err)
			assert.Equal(t, "whether there is an epoch", ok, w.path != "")
			return n
		}
		if epoch(); w.path == "" {
			return
		}
		db, err := sql.Open("sqlite", w.path)
		must(t, err)
		defer db.Close()
		unread := []string{"last_used_at", "last_used_address", "last_used_agent", "expiry_told_at"}
		for _, table := range []string{"api_keys", "key_tokens", "users", "memberships", "organizations"} {
			for _, column := range columnsOf(t, db, table) {
				before := epoch()
				must(t, second(db.Exec("UPDATE "+table+" SET "+column+" = "+column)))
				if raised := epoch() > before; raised == (table == "api_keys" && slices.Contains(unread, column)) {
					t.Errorf("%s.%s: raised %t", table, column, raised)
				}
			}
			before := epoch()
			tx, err := db.Begin()
			must(t, err)
			must(t, second(tx.Exec("PRAGMA defer_foreign_keys = 1")))
			must(t, second(tx.Exec("DELETE FROM "+table)))
			must(t, tx.Rollback())
			assert.Equal(t, "after a deletion that is rolled back", epoch(), before)
		}
	})
}

// columnsOf returns the columns of a table of SQLite.
func columnsOf(t *testing.T, db *sql.DB, table string) (all []string) {
	t.Helper()
	rows, err := db.Query("SELECT name FROM pragma_table_info('" + table + "')")
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		var name string
		must(t, rows.Scan(&name))
		all = append(all, name)
	}
	must(t, rows.Err())
	return all
}

// text returns the JSON of a record as a response has it.
func text(t *testing.T, v any) string {
	t.Helper()
	var b strings.Builder
	if j, ok := v.(io.WriterTo); ok {
		must(t, second(j.WriteTo(&b)))
		return b.String() + "\n"
	}
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	must(t, e.Encode(v))
	return b.String()
}

// cursors are encrypted, each in its own way.
var cursors = regexp.MustCompile(`"cursor":"[^"]*"`)

// TestSlicesAsJSON: after any change the JSON of slices and of their pages is that of the records, also where it was
// encoded before.
func TestSlicesAsJSON(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		space, err := w.CreateSpace(ctx, w.owner,
			valid(api.CreateSpace{WorkspaceID: w.workspace, Body: api.SpaceFields{Name: "Shop"}}))
		must(t, err)
		var ids []string
		for n := range 8 {
			ids = append(ids, w.file(t, fmt.Sprintf("<b>%d & \u2028 \"x\"", n), "").ID)
		}
		must(t, second(w.In(w.owner.Organization).AddWorkspace(ctx, api.WorkspaceFields{Name: "Two"}, w.owner.ID)))
		check := func(what string) {
			t.Helper()
			for _, in := range []api.ListSlices{{}, {Sort: "updatedAt"},
				{Sort: "priority", SliceFilters: api.SliceFilters{WorkspaceID: w.workspace}},
				{Order: "asc", Paging: api.Paging{Limit: 3}},
				{SliceFilters: api.SliceFilters{Status: []api.Status{api.Closed}}}} {
				for range 20 { // pages
					want, err := w.ListSlices(ctx, w.owner, valid(in))
					must(t, err)
					got, err := w.ListSlicesJSON(ctx, w.owner, valid(in))
					must(t, err)
					assert.Equal(t, what, cursors.ReplaceAllString(text(t, got), ""),
						cursors.ReplaceAllString(text(t, want), ""))
					if in.Cursor = ""; !want.Pagination.HasMore {
						break
					}
					in.Cursor = *[]api.Page[api.Slice]{want, {Pagination: got.PageInfo()}}[rand.N(2)].Pagination.Cursor
				}
			}
			for _, sliceID := range ids {
				want, errWant := w.GetSlice(ctx, w.owner, valid(api.GetSlice{SliceID: sliceID}))
				got, err := w.GetSliceJSON(ctx, w.owner, valid(api.GetSlice{SliceID: sliceID}))
				assert.Equal(t, what, code(err), code(errWant))
				if err == nil {
					assert.Equal(t, what, text(t, got)+got.ETag(), text(t, want)+want.ETag())
				}
			}
		}
		check("at first")
		for range 15 {
			sliceID := ids[rand.N(len(ids))]
			_, err := w.patch(t, sliceID,
				api.SlicePatch{"priority": []any{"high", "low", nil}[rand.N(3)], "spaceId": space.ID})
			must(t, err)
			w.now = w.now.Add(time.Second)
			check("after a patch")
		}
		must(t, second(w.UpdateWorkspace(ctx, w.owner, valid(api.UpdateWorkspace{WorkspaceID: w.workspace,
			Patch: api.WorkspacePatch{"key": "OTHER"}}))))
		check("with another key")
		must(t, second(w.DeleteSpace(ctx, w.owner,
			valid(api.DeleteSpace{WorkspaceID: w.workspace, SpaceID: space.ID}))))
		check("without the space")
		must(t, second(w.DeleteSlice(ctx, w.owner, valid(api.DeleteSlice{SliceID: ids[0]}))))
		check("after a deletion")
	})
}
