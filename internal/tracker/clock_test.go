package tracker_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/blob"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// pass moves the clock by a time, and runs the jobs that are due then: once to see that time has
// passed, and again an hour later, at the end of it.
func (w *world) pass(t *testing.T, d time.Duration) {
	t.Helper()
	w.now = w.now.Add(d - time.Hour)
	w.RunJobs(t.Context())
	w.now = w.now.Add(time.Hour)
	w.RunJobs(t.Context())
}

// expired files a slice and deletes it; 31 days later it is to be purged. It reports whether it is.
func (w *world) expired(t *testing.T) (purged func() bool) {
	t.Helper()
	s := w.file(t, "to be purged", "")
	_, err := w.DeleteSlice(t.Context(), w.owner, valid(api.DeleteSlice{SliceID: s.ID}))
	must(t, err)
	return func() bool {
		t.Helper()
		_, err := w.store.Read(t.Context()).Slice(s.ID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			t.Fatal(err)
		}
		return err != nil
	}
}

// TestClockThatJumped purges nothing until an hour has passed, across restarts too, and the log says
// so; one that was set back in that hour has cost nothing.
func TestClockThatJumped(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		var log bytes.Buffer
		logged := func(o *tracker.Options) { o.Log = slog.New(slog.NewJSONHandler(&log, nil)) }
		w.with(t, logged)
		w.pass(t, 2*time.Hour) // a fresh instance waits for its first hour
		assert.NotContains(t, "the log of a fresh instance", log.String(), `"level":"WARN"`)
		purged := w.expired(t)

		w.now = w.now.Add(31 * 24 * time.Hour)
		w.RunJobs(t.Context())
		w.now = w.now.Add(59 * time.Minute)
		w.RunJobs(t.Context())
		if purged() {
			t.Fatal("a slice was purged within the hour")
		}
		if n := strings.Count(log.String(), `"level":"WARN"`); n != 1 {
			t.Errorf("the log has %d warnings, want one for all jobs that wait: %s", n, &log)
		}
		assert.Contains(t, "the log", log.String(), "they wait for an hour", "purge deleted slices",
			"delete workspaces")

		w.now = w.now.Add(-31*24*time.Hour + 2*time.Hour) // somebody has set the clock
		w.RunJobs(t.Context())
		if purged() {
			t.Fatal("a slice was purged after the clock was set")
		}

		w.now = w.now.Add(31 * 24 * time.Hour)
		w.RunJobs(t.Context())
		w.with(t, logged) // the process ends, and another one begins
		w.now = w.now.Add(30 * time.Minute)
		w.RunJobs(t.Context())
		if purged() {
			t.Fatal("a restart ended the wait")
		}
		w.now = w.now.Add(31 * time.Minute)
		w.RunJobs(t.Context())
		if !purged() {
			t.Error("nothing was purged after the hour")
		}
	})
}

// TestClockThatJumpsAgain: a new process ignores a wait that is older than a day.
func TestClockThatJumpsAgain(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.pass(t, 2*time.Hour)
		purged := w.expired(t)
		w.now = w.now.Add(25 * time.Hour)
		w.RunJobs(t.Context())
		w.with(t, func(*tracker.Options) {})
		w.now = w.now.Add(31 * 24 * time.Hour)
		w.RunJobs(t.Context())
		if purged() {
			t.Error("a second jump ended the wait of the first")
		}
	})
}

// TestClockThatWasAhead: jobs and deliveries that a clock which was ahead has put off are due when it is correct
// again, and so is the removal of files after a backup.
func TestClockThatWasAhead(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.hook(t)
		correct := w.now
		w.now = correct.Add(400 * 24 * time.Hour)
		w.RunJobs(t.Context())
		w.file(t, "Sent by a clock that is ahead", "")
		w.sender.why = api.AttemptConnection
		if n := w.deliver(t); n != 1 {
			t.Fatalf("%d attempts were made, want one that fails", n)
		}
		w.sender.why = ""
		must(t, w.store.Write(t.Context(), func(tx *store.Tx) error {
			return tx.ExtendLease(store.BackupJob, api.At(w.now.Add(10*time.Minute)))
		}))
		w.now = correct.Add(time.Minute)
		if n := w.deliver(t); n != 0 {
			t.Fatalf("%d deliveries are due before their time was corrected", n)
		}
		w.RunJobs(t.Context())
		q := w.store.Read(t.Context())
		jobs, err := q.Jobs()
		must(t, err)
		for _, j := range jobs {
			if j.NextRunAt != nil && j.NextRunAt.After(w.now.Add(time.Hour)) {
				t.Errorf("job %q is not due before %s", j.Name, j.NextRunAt)
			}
		}
		backup, err := q.JobLeased(store.BackupJob, api.At(w.now))
		must(t, err)
		if n := w.deliver(t); n != 1 || backup {
			t.Errorf("%d attempts were made, want 1; the backup is leased: %v", n, backup)
		}
	})
}

// TestClockThatWasAnHourAhead: a job that such a clock has put off, or leased, runs within minutes once the clock is
// correct.
func TestClockThatWasAnHourAhead(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		spaceID := w.space(t, "Checkout")
		w.fileIn(t, spaceID, "Cart")
		correct := w.now
		for _, state := range []string{"put off", "leased"} {
			w.now = correct.Add(time.Hour)
			w.RunJobs(t.Context())
			if state == "leased" {
				spaceID = w.space(t, "Cart")
				w.fileIn(t, spaceID, "Cart")
				must(t, w.store.Write(t.Context(), func(tx *store.Tx) error {
					return tx.ExtendLease("detach slices of deleted spaces", api.At(w.now.Add(15*time.Second)))
				}))
			}
			w.now = correct.Add(time.Minute)
			must(t, w.deleteSpace(spaceID))
			w.RunJobs(t.Context())
			if n := len(w.detached(t, "spaceId", spaceID)); n != 1 {
				t.Errorf("%s: %d slices are detached, want 1", state, n)
			}
		}
	})
}

// TestClockThatDiffers from the database's by more than a minute purges nothing, and the log says so
// once, whatever asks meanwhile. Other work goes on.
func TestClockThatDiffers(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		var log bytes.Buffer
		skew := time.Duration(0)
		files, err := blob.Open("", t.TempDir(), nil)
		must(t, err)
		w.with(t, func(o *tracker.Options) {
			o.Blobs = files
			o.Log = slog.New(slog.NewJSONHandler(&log, nil))
			o.DatabaseClock = func(context.Context) (time.Time, bool, error) { return w.now.Add(-skew), true, nil }
		})
		must(t, w.BindFiles(t.Context()))
		w.pass(t, 2*time.Hour)
		purged := w.expired(t)
		at := api.At(w.now.Add(38 * 24 * time.Hour))
		_, err = w.CreateKey(t.Context(), w.owner,
			valid(api.CreateKey{Body: api.KeyFields{Name: "ends", Type: api.WST,
				WorkspaceID: &w.workspace, Scopes: []api.Scope{api.SlicesRead}, ExpiresAt: &at}}))
		must(t, err)
		for _, skew = range []time.Duration{61 * time.Second, -61 * time.Second} {
			log.Reset()
			w.pass(t, 31*24*time.Hour)
			for range 10 {
				w.now = w.now.Add(30 * time.Second)
				w.RunJobs(t.Context())
				_, err := w.RemoveFiles(t.Context())
				must(t, err)
			}
			if n := strings.Count(log.String(), "differs from the database's"); purged() || n != 1 {
				t.Fatalf("purged: %v; the log tells of it %d times, want 1: %s", purged(), n, &log)
			}
			w.now = w.now.Add(-31*24*time.Hour - 5*time.Minute)
			agreeing := skew
			skew = 0
			w.RunJobs(t.Context())
			if skew = agreeing; strings.Count(log.String(), "agrees with the database's again") != 1 {
				t.Fatalf("the log does not say once that the clocks agree again: %s", &log)
			}
		}
		p, err := w.ListEvents(t.Context(), w.owner, valid(api.ListEvents{WorkspaceID: w.workspace,
			Type: []api.EventType{api.EventKeyExpiring}, Paging: api.Paging{Limit: 5}}))
		if err != nil || len(p.Data) != 1 {
			t.Errorf("%d keys were told of, want 1: %v", len(p.Data), err)
		}
		skew = 59 * time.Second
		w.pass(t, 31*24*time.Hour)
		if !purged() {
			t.Error("nothing was purged though the clocks agree")
		}
	})
}

// TestDatabaseClock is PostgreSQL's own; SQLite has none.
func TestDatabaseClock(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		at, own, err := w.store.Clock(t.Context())
		must(t, err)
		if own != (w.store.Engine() == "postgres") {
			t.Errorf("own clock: %v", own)
		}
		if d := time.Since(at); own && d.Abs() > 10*time.Second {
			t.Errorf("the database's clock is %s away", d)
		}
	})
}
