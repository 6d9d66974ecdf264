package tracker_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/blob"
	"bugslice/internal/id"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// TestForeignFiles: the background work of a database removes only files that it has recorded. It leaves those of
// another instance alone, and no instance is bound or created beside them.
func TestForeignFiles(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		files, err := blob.Open("", t.TempDir(), nil)
		must(t, err)
		key := id.New(id.Blob)
		_, err = files.Put(t.Context(), key, strings.NewReader("of another instance"))
		must(t, err)
		w.with(t, func(o *tracker.Options) { o.Blobs = files })
		if err := w.BindFiles(t.Context()); err == nil || !strings.Contains(err.Error(), "bugslice admin adopt-files") {
			t.Errorf("bound: %v", err)
		}
		for range 2 {
			w.pass(t, 30*24*time.Hour)
			if _, err := w.RemoveFiles(t.Context()); err != nil {
				t.Error(err)
			}
		}
		r, err := files.Open(t.Context(), key)
		if err != nil {
			t.Fatalf("a file that this database never recorded: %v", err)
		}
		must(t, r.Close())
		must(t, w.AdoptFiles(t.Context()))
		must(t, w.BindFiles(t.Context()))
	})
}

// overtaken is a storage of which another node becomes the owner while its owner is read.
type overtaken struct {
	blob.Store
	bind func()
}

func (o overtaken) Owner(ctx context.Context) (blob.Owner, error) {
	owner, err := o.Store.Owner(ctx)
	o.bind()
	return owner, err
}

// TestFirstBindings: of nodes that bind a new database to its storage at once, none is refused.
func TestFirstBindings(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		files, err := blob.Open("", t.TempDir(), nil)
		must(t, err)
		w.with(t, func(o *tracker.Options) { o.Blobs = files })
		other := w.Tracker
		bind := sync.OnceFunc(func() { must(t, other.BindFiles(t.Context())) })
		w.with(t, func(o *tracker.Options) { o.Blobs = overtaken{files, bind} })
		must(t, w.BindFiles(t.Context()))
	})
}

// TestRemoval: bytes that no record names are removed when they are due, and no others.
func TestRemoval(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		t.Run("a record is deleted by a person", func(t *testing.T) {
			a, keys := s.attach(t)
			s.now = s.now.Add(30 * 24 * time.Hour)
			s.remove(t)
			s.there(t, true, keys...)
			s.detach(t, a)
			s.remove(t)
			s.there(t, false, keys...)
		})
		t.Run("a process ends between the bytes and the record", func(t *testing.T) {
			key := id.New(id.Blob)
			must(t, s.ReserveBlobs(t.Context(), key))
			_, err := s.files.Put(t.Context(), key, strings.NewReader("half"))
			must(t, err)
			s.now = s.now.Add(119 * time.Minute)
			s.remove(t)
			s.there(t, true, key)
			s.now = s.now.Add(time.Minute)
			s.remove(t)
			s.there(t, false, key)
		})
		t.Run("a slice is purged", func(t *testing.T) {
			a, keys := s.attach(t)
			_, err := s.DeleteSlice(t.Context(), s.owner, valid(api.DeleteSlice{SliceID: slicesOf(t, s, a)}))
			must(t, err)
			s.pass(t, 31*24*time.Hour)
			s.remove(t)
			s.there(t, true, keys...)
			s.now = s.now.Add(2 * time.Hour)
			s.remove(t)
			s.there(t, false, keys...)
		})
		t.Run("a backup is under way", func(t *testing.T) {
			a, keys := s.attach(t)
			must(t, s.store.Write(t.Context(), func(tx *store.Tx) error {
				return tx.ExtendLease(store.BackupJob, api.At(s.now.Add(10*time.Minute)))
			}))
			s.detach(t, a)
			s.remove(t)
			s.there(t, true, keys...)
			s.now = s.now.Add(10 * time.Minute)
			s.remove(t)
			s.there(t, false, keys...)
		})
	})
}

func slicesOf(t *testing.T, s *site, a api.Attachment) string {
	t.Helper()
	stored, err := s.store.Read(t.Context()).Attachment(a.ID)
	must(t, err)
	return stored.SliceID
}

// slow is a file whose parts take long to come.
type slow struct {
	parts int
	wait  func()
}

func (s *slow) Read(b []byte) (int, error) {
	if s.parts == 0 {
		return 0, io.EOF
	}
	s.parts--
	s.wait()
	return copy(b, bytes.Repeat([]byte{0x80}, 32<<10)), nil
}

// TestSlowUpload: an upload that extends its reservation keeps its bytes. An upload whose reservation has ended is
// refused, and no record names removed bytes.
func TestSlowUpload(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		slice := s.file(t, "slow", "")
		upload := func(pause time.Duration) error {
			_, err := s.CreateAttachment(t.Context(), s.owner, valid(api.CreateAttachment{SliceID: slice.ID}),
				tracker.Upload{ContentType: "application/octet-stream", Length: -1, Body: &slow{6, func() {
					s.now = s.now.Add(pause)
					s.remove(t)
				}}})
			return err
		}
		must(t, upload(100*time.Minute))
		if err := upload(3 * time.Hour); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("want unavailable: %v", err)
		}
		report, err := s.CollectFiles(t.Context(), false)
		must(t, err)
		if report.Named.Files != 1 || report.Missing != 0 || report.Young.Files+report.Old.Files != 0 {
			t.Errorf("%+v", report)
		}
	})
}

// TestCopies: a copy of a database beside the files of its original serves, says that it removes nothing, and removes
// none of the files that its users delete. The original continues.
func TestCopies(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		a, keys := s.attach(t)
		b, more := s.attach(t)
		c := s.copied(t, false)
		must(t, c.BindFiles(t.Context()))
		if !strings.Contains(c.log.String(), "removal of files is suspended") || c.RemovalSuspended() == "" {
			t.Errorf("not exposed: %s", c.log)
		}
		c.detach(t, a)
		c.now = c.now.Add(48 * time.Hour)
		c.remove(t)
		if _, err := c.CollectFiles(t.Context(), true); err != nil {
			t.Error(err) // there is nothing of the kind
		}
		s.there(t, true, keys...)
		s.detach(t, b)
		s.remove(t)
		s.there(t, false, more...)
		if why := s.RemovalSuspended(); why != "" {
			t.Errorf("the original is suspended: %s", why)
		}

		must(t, c.AdoptFiles(t.Context()))
		c.remove(t)
		c.now = c.now.Add(2 * time.Minute)
		c.remove(t)
		s.there(t, false, keys...)
		s.remove(t)
		if s.RemovalSuspended() == "" {
			t.Error("both own the files")
		}
	})
}

// TestClones: of databases that differ in nothing but their token, the one that is running stays the
// owner. One that starts while no other runs becomes it, and the other is exposed when it comes back.
func TestClones(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		a, keys := s.attach(t)
		stale := s.copied(t, true)
		s.remove(t)
		must(t, stale.BindFiles(t.Context()))
		if stale.RemovalSuspended() == "" {
			t.Error("a token of before the last renewal is taken for the newest")
		}

		clone := s.copied(t, true)
		must(t, clone.BindFiles(t.Context()))
		clone.detach(t, a)
		for range 10 {
			clone.now, s.now = clone.now.Add(20*time.Second), s.now.Add(20*time.Second)
			clone.remove(t)
			s.remove(t)
		}
		if clone.RemovalSuspended() == "" || s.RemovalSuspended() != "" {
			t.Errorf("the clone: %q, the original: %q", clone.RemovalSuspended(), s.RemovalSuspended())
		}
		s.there(t, true, keys...)

		last := s.copied(t, true)
		for range 5 {
			last.now = last.now.Add(30 * time.Second)
			last.remove(t)
		}
		s.restart(t, last.now)
		must(t, s.BindFiles(t.Context()))
		if last.RemovalSuspended() != "" || s.RemovalSuspended() == "" {
			t.Errorf("the one that runs: %q, the one that comes back: %q", last.RemovalSuspended(),
				s.RemovalSuspended())
		}
	})
}

// TestRestartRemovesAfterTheFence: a process that starts again removes due files once it has seen that no other
// database renews the token.
func TestRestartRemovesAfterTheFence(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		a, keys := s.attach(t)
		s.restart(t, s.now)
		must(t, s.BindFiles(t.Context()))
		s.detach(t, a)
		s.remove(t)
		s.there(t, true, keys...)
		s.now = s.now.Add(90 * time.Second)
		s.remove(t)
		s.there(t, false, keys...)
	})
}

// cut is a storage in front of which a process dies: before or after the owner is written.
type cut struct {
	blob.Store
	before bool
	die    context.CancelFunc
}

func (c *cut) SetOwner(ctx context.Context, old, o blob.Owner) error {
	if c.before {
		c.die()
		return context.Canceled
	}
	err := c.Store.SetOwner(ctx, old, o)
	c.die()
	return err
}

// TestCutRenewals: wherever a binding or a renewal is cut off, the database stays the owner.
func TestCutRenewals(t *testing.T) {
	for name, before := range map[string]bool{"before the storage is written": true, "behind it": false} {
		t.Run(name, func(t *testing.T) {
			sites(t, func(t *testing.T, s *site) {
				whole := s.files
				dying := func(do func(ctx context.Context) error) {
					t.Helper()
					ctx, die := context.WithCancel(t.Context())
					s.files = &cut{whole, before, die}
					s.restart(t, s.now)
					if err := do(ctx); err == nil {
						t.Error("not cut off")
					}
					s.files = whole
					s.restart(t, s.now)
				}
				s.files, s.dir = nil, t.TempDir() // bound anew, elsewhere
				var err error
				whole, err = blob.Open("", s.dir, nil)
				must(t, err)
				s.unbind(t)
				dying(s.bindFiles)
				must(t, s.BindFiles(t.Context()))
				a, keys := s.attach(t)
				for range 2 {
					dying(func(ctx context.Context) error {
						must(t, s.BindFiles(t.Context()))
						s.now = s.now.Add(2 * time.Minute)
						_, err := s.RemoveFiles(ctx)
						return err
					})
					s.now = s.now.Add(10 * time.Minute) // the lease of the dead one ends
				}
				must(t, s.BindFiles(t.Context()))
				s.detach(t, a)
				s.now = s.now.Add(2 * time.Minute)
				s.remove(t)
				s.there(t, false, keys...)
			})
		})
	}
}

func (s *site) bindFiles(ctx context.Context) error { return s.BindFiles(ctx) }

// TestUpgrade: the files of a version that knew no owner are taken over by the database that names
// them, and by no other. An owner that is lost is not replaced in silence.
func TestUpgrade(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		_, keys := s.attach(t)
		must(t, os.Remove(filepath.Join(s.dir, "instance.json")))
		s.restart(t, s.now)
		if err := s.BindFiles(t.Context()); err == nil || !strings.Contains(err.Error(), "bugslice admin adopt-files") {
			t.Errorf("bound to a storage that lost its owner: %v", err)
		}
		s.unbind(t)
		s.dir = t.TempDir()
		here := s.files
		var err error
		s.files, err = blob.Open("", s.dir, nil)
		must(t, err)
		s.restart(t, s.now)
		if err := s.BindFiles(t.Context()); err == nil || !strings.Contains(err.Error(), "are not in this storage") {
			t.Errorf("bound to an empty storage though it names files: %v", err)
		}
		s.files = here
		s.restart(t, s.now)
		must(t, s.BindFiles(t.Context()))
		s.now = s.now.Add(30 * 24 * time.Hour)
		s.remove(t)
		s.there(t, true, keys...)
	})
}

// TestCollectUnknownFiles: unknown files are listed, and with the flag those older than 7 days are removed.
func TestCollectUnknownFiles(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		_, named := s.attach(t)
		lost, gone := s.attach(t)
		must(t, s.files.Delete(t.Context(), gone[0]))
		reserved, young, old := id.New(id.Blob), id.New(id.Blob), id.New(id.Blob)
		must(t, s.ReserveBlobs(t.Context(), reserved))
		for _, key := range []string{reserved, young, old} {
			_, err := s.files.Put(t.Context(), key, strings.NewReader("four"))
			must(t, err)
		}
		long := time.Now().Add(-8 * 24 * time.Hour)
		for _, key := range append([]string{reserved, old}, named...) {
			must(t, os.Chtimes(filepath.Join(s.dir, key[len(key)-2:], key), long, long))
		}
		for _, remove := range []bool{false, true} {
			report, err := s.CollectFiles(t.Context(), remove)
			must(t, err)
			if report.Named.Files != 3 || report.Recorded.Files != 1 ||
				report.Young.Files != 1 || report.Old.Files != 1 || report.Old.Bytes != 4 ||
				report.Missing != 1 || report.Attachments[0] != lost.ID || (report.Removed.Files == 1) != remove {
				t.Errorf("%+v", report)
			}
			s.there(t, !remove, old)
		}
		s.there(t, true, append(named, reserved, young)...)

		c := s.copied(t, false)
		must(t, c.BindFiles(t.Context()))
		c.now = c.now.Add(8 * 24 * time.Hour)
		if _, err := c.CollectFiles(t.Context(), true); err == nil ||
			!strings.Contains(err.Error(), "nothing was removed") {
			t.Errorf("a copy removed: %v", err)
		}
		s.there(t, true, young)
	})
}
