package sqldb

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fillLog commits transactions of about 500 pages each.
func fillLog(t *testing.T, d *DB[struct{}], commits int) {
	t.Helper()
	text := strings.Repeat("x", 500<<12)
	for range commits {
		if err := d.Write(t.Context(), func(tx *Tx[struct{}]) error { return tx.Exec("INSERT INTO filler (text) VALUES ($1)", text) }); err != nil {
			t.Fatal(err)
		}
	}
}

// openFiller opens a database with a table, and returns it with the size of its file and of its log in pages.
func openFiller(t *testing.T) (d *DB[struct{}], pages func(suffix string) int64) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "filler.db")
	d, err := Open[struct{}](Options{Path: path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := d.Write(t.Context(), func(tx *Tx[struct{}]) error { return tx.Exec("CREATE TABLE filler (text TEXT)") }); err != nil {
		t.Fatal(err)
	}
	return d, func(suffix string) int64 {
		info, err := os.Stat(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size() >> 12
	}
}

// TestCheckpointWithoutCommit: the log is copied into the file although no commit has copied it. Less than
// checkpointPages are not.
func TestCheckpointWithoutCommit(t *testing.T) {
	d, pages := openFiller(t)
	fillLog(t, d, 1)
	time.Sleep(50 * time.Millisecond)
	if n := pages(""); n > 400 {
		t.Errorf("the file has %d pages after a small commit", n)
	}
	fillLog(t, d, 2)
	for end := time.Now().Add(10 * time.Second); pages("") < 1000; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the file has %d pages, and its log %d", pages(""), pages("-wal"))
		}
	}
}

// TestLogIsBounded: commits that leave no time between them reuse the log: it has far less than their 30,000 pages. Where the machine is
// busy, a few commits more go into it before the writer waits.
func TestLogIsBounded(t *testing.T) {
	d, pages := openFiller(t)
	fillLog(t, d, 60)
	if n := pages("-wal"); n > maxLogPages+4000 {
		t.Errorf("the log has %d pages", n)
	}
}

// TestLogBesideReader: a log that a long read has kept from being reused is reused after it.
func TestLogBesideReader(t *testing.T) {
	d, pages := openFiller(t)
	if err := d.Snapshot(t.Context(), func(x *Executor) error {
		if _, err := One(x, ScanOne[int64], "SELECT count(*) FROM filler"); err != nil {
			return err
		}
		fillLog(t, d, 30)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	held := pages("-wal")
	fillLog(t, d, 30)
	if n := pages("-wal"); n > held+2000 {
		t.Errorf("the log has %d pages after the reader, and had %d", n, held)
	}
}

// TestCompactWaitsForReaders: the log is empty after Compact, although a reader had it meanwhile.
func TestCompactWaitsForReaders(t *testing.T) {
	d, pages := openFiller(t)
	fillLog(t, d, 1)
	reading, read := make(chan error), make(chan error)
	go func() {
		read <- d.Snapshot(t.Context(), func(x *Executor) error {
			_, err := One(x, ScanOne[int64], "SELECT count(*) FROM filler")
			reading <- err
			time.Sleep(500 * time.Millisecond)
			return err
		})
	}()
	if err := <-reading; err != nil {
		t.Fatal(err)
	}
	if err := d.Compact(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if n := pages("-wal"); n != 0 {
		t.Errorf("the log has %d pages", n)
	}
	if err := <-read; err != nil {
		t.Error(err)
	}
}

// TestCompactRefused: Compact says so when readers keep the log from being emptied.
func TestCompactRefused(t *testing.T) {
	d, _ := openFiller(t)
	fillLog(t, d, 1)
	if err := d.Snapshot(t.Context(), func(x *Executor) error {
		if _, err := One(x, ScanOne[int64], "SELECT count(*) FROM filler"); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		if err := d.Compact(ctx, nil); err == nil {
			t.Error("the log of a reader was emptied")
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestWritesBesideCompact: writes go on while Compact waits for a reader. Each of its attempts keeps them waiting for
// a short time only.
func TestWritesBesideCompact(t *testing.T) {
	d, _ := openFiller(t)
	fillLog(t, d, 1)
	if err := d.Snapshot(t.Context(), func(x *Executor) error {
		if _, err := One(x, ScanOne[int64], "SELECT count(*) FROM filler"); err != nil {
			return err
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- d.Compact(ctx, nil) }()
		for begin, n := time.Now(), 0; n < 20; n++ {
			fillLog(t, d, 1)
			if passed := time.Since(begin); passed > 10*time.Second {
				t.Errorf("%d writes took %v", n+1, passed)
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		stop()
		if err := <-ended; err == nil {
			t.Error("the log of a reader was emptied")
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
