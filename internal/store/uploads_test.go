package store_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/store"
	"bugslice/internal/store/uploads"
)

// TestPieces: of pieces that are added at once at one place, one is; one beyond the length is none, and after the
// last one the file is attached once.
func TestPieces(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, _ store.Options) {
		now := api.At(time.Now())
		u := uploads.Upload{Hash: "h", SourceID: "src", Subject: "slc", Occurrence: 1, Kind: "replay", Length: 10,
			ChangedAt: now,
			ExpiresAt: api.At(now.Add(time.Hour))}
		write := func(fn func(uploads.Writer) error) error {
			return s.Write(t.Context(), func(tx *store.Tx) error { return fn(tx.Uploads()) })
		}
		for range 2 { // creating again is the same
			must(t, write(func(w uploads.Writer) error {
				stored, err := w.Create(u)
				assert.Equal(t, "length", stored.Length, int64(10))
				return err
			}))
		}
		var added atomic.Int64
		var work sync.WaitGroup
		for n := range 4 {
			work.Go(func() {
				err := write(func(w uploads.Writer) error {
					return w.AddPiece("h", uploads.Piece{Start: 0, Size: 4, Blob: fmt.Sprint("b", n)}, now)
				})
				if err == nil {
					added.Add(1)
				} else if !errors.Is(err, uploads.ErrOffset) {
					t.Error(err)
				}
			})
		}
		work.Wait()
		assert.Equal(t, "pieces at one place", added.Load(), int64(1))
		for _, p := range []uploads.Piece{{Start: 5, Size: 5}, {Start: 4, Size: 7}, {Start: 0, Size: 4}} {
			if err := write(func(w uploads.Writer) error { return w.AddPiece("h", p, now) }); !errors.Is(err,
				uploads.ErrOffset) {
				t.Errorf("%v: %v", p, err)
			}
		}
		must(t, write(func(w uploads.Writer) error {
			blobs, err := w.Attach("h", now)
			assert.Equal(t, "blobs of an incomplete file", len(blobs), 0)
			return err
		}))
		must(t, write(func(w uploads.Writer) error {
			return w.AddPiece("h", uploads.Piece{Start: 4, Size: 6, Blob: "last"}, now)
		}))
		q := s.Read(t.Context()).Uploads()
		waiting, err := q.Unattached(api.At(now.Add(time.Second)), now, 9)
		must(t, err)
		assert.Equal(t, "waiting", len(waiting), 1)
		number, bytes, err := q.Totals("slc", 1)
		must(t, err)
		assert.Equal(t, "totals", fmt.Sprint(number, bytes), "1 10")
		for _, want := range []int{2, 0} {
			must(t, write(func(w uploads.Writer) error {
				blobs, err := w.Attach("h", now)
				assert.Equal(t, "blobs", len(blobs), want)
				return err
			}))
		}
		if _, err := q.Upload("h", api.At(now.Add(2*time.Hour))); !errors.Is(err, store.ErrNotFound) {
			t.Error("an expired upload is found", err)
		}
	})
}

// TestTokensAndReportsOnce: a token serves one report, and a report is stored once, whichever request is first. What
// has expired is deleted, in batches.
func TestTokensAndReportsOnce(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, _ store.Options) {
		now := api.At(time.Now())
		write := func(fn func(uploads.Writer) error) error {
			return s.Write(t.Context(), func(tx *store.Tx) error { return fn(tx.Uploads()) })
		}
		use := func(report string) error {
			return write(func(w uploads.Writer) error { return w.UseToken("t", report, api.At(now.Add(time.Minute))) })
		}
		must(t, use("a"))
		must(t, use("a"))
		if err := use("b"); !errors.Is(err, uploads.ErrUsed) {
			t.Error(err)
		}
		var added atomic.Int64
		var work sync.WaitGroup
		for n := range 4 {
			work.Go(func() {
				must(t, write(func(w uploads.Writer) error {
					r := uploads.Report{SourceID: "src", Name: "r", ReceivedAt: now}
					_, isNew, err := w.AddReport(r)
					if err != nil || !isNew {
						return err
					}
					r.Subject, r.Occurrence = fmt.Sprint("slc", n), 1
					return w.SetSubject(r)
				}))
			})
		}
		work.Wait()
		r, err := s.Read(t.Context()).Uploads().Report("src", "r")
		must(t, err)
		must(t, write(func(w uploads.Writer) error {
			again, isNew, err := w.AddReport(uploads.Report{SourceID: "src", Name: "r", ReceivedAt: now})
			if isNew || again.Subject != r.Subject || again.Subject == "" {
				t.Error(isNew, again, r)
			}
			added.Add(1)
			return err
		}))
		must(t, write(func(w uploads.Writer) error {
			for n := range 5 {
				if err := w.UseToken(fmt.Sprint("old", n), "x", now); err != nil {
					return err
				}
			}
			return nil
		}))
		for _, want := range []int{2, 2, 1, 0} {
			must(t, write(func(w uploads.Writer) error {
				n, err := w.DeleteExpired(now, api.At(now.Add(-time.Hour)), 2)
				assert.Equal(t, "deleted", n, want)
				return err
			}))
		}
		must(t, use("a")) // it has not expired
	})
}
