package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/id"
	"bugslice/internal/store"
	"bugslice/internal/store/storetest"
)

// engines runs a test on an empty, migrated store of each database.
func engines(t *testing.T, test func(t *testing.T, s *store.Store, o store.Options)) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o, err := storetest.Migrated(engine, t.TempDir())
			must(t, err)
			s, err := store.Open(o)
			must(t, err)
			defer s.Close()
			if s.Engine() != engine {
				t.Fatal(s.Engine())
			}
			test(t, s, o)
			if !t.Failed() && !t.Skipped() {
				storetest.CheckIndex(t, s)
			}
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// seed makes an organisation with a workspace.
func seed(t testing.TB, s *store.Store) (org, workspace string) {
	t.Helper()
	now := api.At(time.Now())
	w := store.Workspace{Workspace: api.Workspace{ID: id.New(id.Workspace), OrganizationID: id.New(id.Organization),
		WorkspaceFields: api.WorkspaceFields{Name: "w"}, CreatedAt: now, UpdatedAt: now}}
	must(t, s.Write(t.Context(), func(tx *store.Tx) error {
		if err := tx.InsertOrganization(api.OrganizationRef{ID: w.OrganizationID, Name: "o"}, now); err != nil {
			return err
		}
		return tx.InsertWorkspace(&w)
	}))
	return w.OrganizationID, w.ID
}

func insert(tx *store.Tx, workspace, summary string) (store.Slice, error) {
	n, err := tx.NextSequence(workspace, 1, 0)
	if err != nil {
		return store.Slice{}, err
	}
	s := store.Slice{Slice: api.Slice{ID: id.New(id.Slice), Number: n.Number, WorkspaceID: workspace,
		Reporter: api.Reporter{Type: "guest"}, Version: 1,
		SliceFields: api.SliceFields{Summary: summary, Status: api.Open, Labels: []string{},
			Metadata: map[string]string{}}}}
	s.CreatedAt = api.At(id.Time(s.ID))
	s.UpdatedAt = s.CreatedAt
	return s, tx.InsertSlice(&s, store.Terms(s.SliceFields, ""))
}

// TestBeforeMigration: the function is called for a schema that is older, and not for one that is current.
func TestBeforeMigration(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		called := 0
		o.BeforeMigration = func() { called++ }
		_, err := store.Migrate(t.Context(), o)
		must(t, err)
		if called != 0 {
			t.Error("the function was called for a current schema")
		}
		must(t, store.ExecWrite(t.Context(), s, "DELETE FROM goose_db_version WHERE version_id > 1"))
		_, _ = store.Migrate(t.Context(), o) // it fails, because the tables of the migrations exist
		if called != 1 {
			t.Errorf("the function was called %d times, want once", called)
		}
	})
}

// TestWritersShareCommits: of many writers at once, those that fail leave nothing, take
// nobody down with them, and the numbers of the others are without gaps.
func TestWritersShareCommits(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, _ store.Options) {
		_, w := seed(t, s)
		errOops := errors.New("oops")
		const writers = 200
		results := make([]error, writers)
		var work sync.WaitGroup
		for i := range writers {
			work.Go(func() {
				results[i] = s.Write(t.Context(), func(tx *store.Tx) error {
					if _, err := insert(tx, w, fmt.Sprint("slice ", i)); err != nil {
						return err
					}
					switch {
					case i%10 == 3:
						return errOops // after it has written
					case i%50 == 7:
						panic("in the middle")
					}
					return nil
				})
			})
		}
		work.Wait()
		good := 0
		for i, err := range results {
			switch {
			case i%10 == 3 && !errors.Is(err, errOops), i%50 == 7 &&
				(err == nil || !strings.Contains(err.Error(), "panic")):
				t.Errorf("%d: %v", i, err)
			case i%10 == 3, i%50 == 7:
			case err != nil:
				t.Errorf("%d: %v", i, err)
			default:
				good++
			}
		}
		rows, err := s.Read(t.Context()).
			Slices(store.SliceFilter{Workspaces: []string{w}, Limit: 1000, Ascending: true})
		must(t, err)
		var numbers []int64
		for _, row := range rows {
			numbers = append(numbers, row.Number)
		}
		slices.Sort(numbers)
		if len(numbers) != good || numbers[0] != 1 || numbers[good-1] != int64(good) {
			t.Errorf("%d rows for %d writers, numbers %d to %d", len(rows), good, numbers[0], numbers[len(numbers)-1])
		}
	})
}

// TestConflictsRunAgain: a closure that finds its record changed is run again, and stops
// being so after a while.
func TestConflictsRunAgain(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, _ store.Options) {
		runs := 0
		must(t, s.Write(t.Context(), func(*store.Tx) error {
			if runs++; runs < 3 {
				return store.ErrConflict
			}
			return nil
		}))
		if runs != 3 {
			t.Errorf("%d runs", runs)
		}
		if err := s.Write(t.Context(), func(*store.Tx) error { return store.ErrConflict }); !errors.Is(err,
			store.ErrUnavailable) {
			t.Errorf("for ever: %v", err)
		}
	})
}

// TestCacheIsNeverStale: what a list shows after a committed change is the change.
func TestCacheIsNeverStale(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		other, err := store.Open(o) // another node
		must(t, err)
		defer other.Close()
		_, w := seed(t, s)
		made, err := store.Write(t.Context(), s,
			func(tx *store.Tx) (store.Slice, error) { return insert(tx, w, "before") })
		must(t, err)
		f := store.SliceFilter{Workspaces: []string{w}, Limit: 10}
		for i := range 20 {
			node := []*store.Store{s, other}[i%2]
			must(t, node.Write(t.Context(), func(tx *store.Tx) error {
				row, err := tx.LockSlice(made.ID)
				if err != nil {
					return err
				}
				row.Summary = fmt.Sprint("after ", i)
				return tx.UpdateSlice(&row)
			}))
			for _, reader := range []*store.Store{s, other} {
				rows, err := reader.Read(t.Context()).Slices(f)
				must(t, err)
				got, err := reader.Read(t.Context()).Slice(made.ID)
				must(t, err)
				if want := fmt.Sprint("after ", i); rows[0].Summary != want || got.Summary != want ||
					got.Version != int64(i+2) {
					t.Fatalf("%s and %s, want %s", rows[0].Summary, got.Summary, want)
				}
			}
		}
	})
}

// TestSearchFollowsUpdates: the search finds a slice by the words it has, and by none that it had.
func TestSearchFollowsUpdates(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, _ store.Options) {
		_, w := seed(t, s)
		made, err := store.Write(t.Context(), s,
			func(tx *store.Tx) (store.Slice, error) { return insert(tx, w, "platypus") })
		must(t, err)
		found := func(word string) int {
			rows, err := s.Read(t.Context()).
				Slices(store.SliceFilter{Workspaces: []string{w}, Words: []string{word}, Limit: 10})
			must(t, err)
			return len(rows)
		}
		former := "platypus"
		for _, summary := range []string{"echidna", "???"} {
			made.Summary = summary
			must(t, s.Write(t.Context(), func(tx *store.Tx) error { return tx.UpdateSlice(&made) }))
			if n := found(former); n != 0 {
				t.Errorf("%d slices found by the former word %s", n, former)
			}
			former = summary
		}
	})
}

// TestPurge: slices that were deleted long ago are removed with their words and with their content in events.
func TestPurge(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, _ store.Options) {
		org, w := seed(t, s)
		now := api.At(time.Now())
		var gone, kept store.Slice
		must(t, s.Write(t.Context(), func(tx *store.Tx) (err error) {
			if gone, err = insert(tx, w, "secretive platypus"); err != nil {
				return err
			}
			if kept, err = insert(tx, w, "other platypus"); err != nil {
				return err
			}
			kept.DuplicateOfID = &gone.ID
			if err := tx.UpdateSlice(&kept); err != nil {
				return err
			}
			tx.InsertEvent(store.Event{ID: id.New(id.Event), OrgID: org, Type: "slice.created",
				Actor: store.Actor{Type: "operator"}, SubjectKind: "slice", SubjectID: gone.ID,
				Data: []byte(`{"slice":{"summary":"secretive"}}`), CreatedAt: now})
			return nil
		}))
		purge := func(before api.Time) int {
			n, err := store.Write(t.Context(), s,
				func(tx *store.Tx) (int, error) { return storetest.Purge(tx, before) })
			must(t, err)
			return n
		}
		if n := purge(now); n != 0 {
			t.Errorf("purged %d live slices", n)
		}
		must(t, s.Write(t.Context(), func(tx *store.Tx) error {
			gone.DeletedAt = &now
			return tx.UpdateSlice(&gone)
		}))
		if n := purge(now); n != 0 {
			t.Errorf("purged %d too early", n)
		}
		if n := purge(api.At(now.Add(time.Second))); n != 1 {
			t.Errorf("purged %d", n)
		}
		if _, err := s.Read(t.Context()).Slice(gone.ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("still there: %v", err)
		}
		row, err := s.Read(t.Context()).Slice(kept.ID)
		if err != nil || row.DuplicateOfID != nil {
			t.Errorf("%v %v", row.DuplicateOfID, err)
		}
		rows, err := s.Read(t.Context()).
			Slices(store.SliceFilter{Workspaces: []string{w}, Words: []string{"platypus"}, Limit: 10})
		if err != nil || len(rows) != 1 {
			t.Errorf("%d found, %v", len(rows), err)
		}
		var dump strings.Builder
		_, err = s.Dump(t.Context(), func(string) (io.Writer, error) { return &dump, nil })
		must(t, err)
		if strings.Contains(dump.String(), "secretive") {
			t.Error("the content is still in the database")
		}
	})
}

// TestManyWorkspaces merges more workspaces than one query scans.
func TestManyWorkspaces(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, _ store.Options) {
		var workspaces, want []string
		for range 230 {
			_, w := seed(t, s)
			workspaces = append(workspaces, w)
		}
		for i := range 60 {
			made, err := store.Write(t.Context(), s,
				func(tx *store.Tx) (store.Slice, error) { return insert(tx, workspaces[i*37%230], "x") })
			must(t, err)
			want = append(want, made.ID)
		}
		slices.Reverse(want)
		var got []string
		for after := ""; ; {
			rows, err := s.Read(t.Context()).Slices(store.SliceFilter{Workspaces: workspaces, AfterID: after, Limit: 7})
			must(t, err)
			for _, row := range rows {
				got = append(got, row.ID)
			}
			if len(rows) < 7 {
				break
			}
			after = got[len(got)-1]
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v\n%v", got, want)
		}
	})
}

// TestMigrateOnce: several nodes that start at once migrate a database once, and its records stay.
func TestMigrateOnce(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		_, w := seed(t, s)
		var work sync.WaitGroup
		for range 4 {
			work.Go(func() {
				if n, err := store.Migrate(context.Background(), o); n != 0 || err != nil {
					t.Error(n, err)
				}
			})
		}
		work.Wait()
		must(t, s.Migrated(t.Context()))
		if _, err := s.Read(t.Context()).Workspace(w); err != nil {
			t.Error(err)
		}
	})
}

// TestMigrateNoDatabase: a file that is no database is refused as such. No migration has begun, and none is mentioned.
func TestMigrateNoDatabase(t *testing.T) {
	t.Parallel()
	o := store.Options{Path: filepath.Join(t.TempDir(), "test.db")}
	must(t, os.WriteFile(o.Path, []byte(strings.Repeat("no database ", 1000)), 0o600))
	_, err := store.Migrate(t.Context(), o)
	assert.Contains(t, "the error", fmt.Sprint(err), "file is not a database")
	assert.NotContains(t, "the error", fmt.Sprint(err), "begins it again")
}

// TestJobs are leased to one at a time, and a dead node's lease ends.
func TestJobs(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, _ store.Options) {
		now := api.At(time.Now())
		lease := func(at api.Time) bool {
			t.Helper()
			_, err := store.Write(t.Context(), s, func(tx *store.Tx) (store.Job, error) {
				return tx.LeaseJob("j", at, api.At(at.Add(time.Minute)), api.At(at.Add(24*time.Hour)))
			})
			if !errors.Is(err, store.ErrNotFound) {
				must(t, err)
			}
			return err == nil
		}
		after := func(d time.Duration) api.Time { return api.At(now.Add(d)) }
		renew := func(leased, until api.Time) bool {
			t.Helper()
			renewed, err := store.Write(t.Context(), s,
				func(tx *store.Tx) (bool, error) { return tx.RenewLease("j", leased, until) })
			must(t, err)
			return renewed
		}
		expired := func(at api.Time) bool {
			t.Helper()
			names, err := s.Read(t.Context()).ExpiredLeases(at)
			must(t, err)
			return slices.Equal(names, []string{"j"})
		}
		if !lease(now) || lease(now) || expired(now) || !expired(after(time.Minute)) {
			t.Error("leased twice, or not at all, or it does not expire")
		}
		later := after(2 * time.Minute)
		if !lease(later) {
			t.Error("the lease of a dead node does not end")
		}
		leased := after(3 * time.Minute)
		if renew(after(time.Minute), after(time.Hour)) || !renew(leased, after(4*time.Minute)) {
			t.Error("a lost lease was renewed, or one that was not lost was not")
		}
		finish := func(leased api.Time) {
			t.Helper()
			must(t, s.Write(t.Context(), func(tx *store.Tx) error {
				return errors.Join(tx.SuspendJob("j", after(time.Minute), now),
					tx.FinishJob("j", leased, later, api.At(later.Add(time.Hour))))
			}))
		}
		if finish(leased); !expired(after(4 * time.Minute)) {
			t.Error("a node without the lease ended it")
		}
		if finish(after(4 * time.Minute)); expired(after(24 * time.Hour)) {
			t.Error("a job that ended has a lease that expires")
		}
		if lease(later) || !lease(api.At(later.Add(2*time.Hour))) {
			t.Error("not due, and then due")
		}
	})
}

// TestMigrationCounts what the rows of an instance take that counted its files alone.
func TestMigrationCounts(t *testing.T) {
	text, err := os.ReadFile("migrations/00006_limits.sql")
	must(t, err)
	_, count, ok := strings.Cut(string(text), "UPDATE workspaces")
	if !ok {
		t.Fatal("the migration counts nothing")
	}
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		org, workspace := seed(t, s)
		must(t, s.Write(t.Context(), func(tx *store.Tx) error {
			made, err := insert(tx, workspace, "grün")
			if err != nil {
				return err
			}
			c := api.Comment{ID: id.New(id.Comment), SliceID: made.ID, CommentFields: api.CommentFields{Body: "größer"}}
			if err := tx.InsertComment(c); err != nil {
				return err
			}
			a := store.Attachment{WorkspaceID: workspace, Blob: id.New(id.Blob), Stored: 5000}
			a.ID, a.SliceID = id.New(id.Attachment), made.ID
			if err := tx.ReserveBlobs([]string{a.Blob}, api.At(time.Now())); err != nil {
				return err
			}
			if err := tx.InsertAttachment(a); err != nil {
				return err
			}
			if _, err := tx.BumpVersion(made.ID, store.SliceCounts{Attachments: 1, Comments: 1},
				made.UpdatedAt); err != nil {
				return err
			}
			sequence := int64(1)
			tx.InsertEvent(store.Event{ID: id.New(id.Event), OrgID: org, WorkspaceID: &workspace, Sequence: &sequence,
				Type: "t", SubjectKind: "slice", SubjectID: made.ID, Data: []byte(`{"a":"ü"}`)})
			return nil
		}))
		db, err := sql.Open("pgx", o.URL)
		if o.URL == "" {
			db, err = sql.Open("sqlite", o.Path)
		}
		must(t, err)
		defer db.Close()
		for _, statement := range []string{"UPDATE workspaces SET stored = 5000", "UPDATE workspaces" + count} {
			_, err := db.ExecContext(t.Context(), statement)
			must(t, err)
		}
		have, err := s.Read(t.Context()).StoredBytes(workspace)
		must(t, err)
		want, err := s.Read(t.Context()).MeasureStored()
		must(t, err)
		if have != want[workspace] || have < 5000+4*256 {
			t.Errorf("the migration counts %d bytes, the rows have %d", have, want[workspace])
		}
	})
}
