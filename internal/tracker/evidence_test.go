package tracker

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"bugslice/internal/blob"
	"bugslice/internal/evidence"
	"bugslice/internal/id"
	"bugslice/internal/store"
)

// TestReadingEnds: what nobody waits for any more is not read on.
func TestReadingEnds(t *testing.T) {
	dir, err := blob.Open("", t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	key := id.New(id.Blob)
	if _, err := dir.Put(t.Context(), key, bytes.NewReader(evidence.Pack(bytes.Repeat([]byte("{}\n"), 1000)))); err != nil {
		t.Fatal(err)
	}
	tr := &Tracker{blobs: dir}
	ctx, cancel := context.WithCancel(t.Context())
	read := 0
	err = tr.lines(ctx, store.Attachment{Blob: key}, func(int, []byte) (bool, error) {
		if read++; read == 10 {
			cancel()
		}
		return true, nil
	})
	if !errors.Is(err, context.Canceled) || read != 10 {
		t.Errorf("%d rows, %v", read, err)
	}
}
