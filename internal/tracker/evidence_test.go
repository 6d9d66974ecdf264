package tracker

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"bugslice/api"
	"bugslice/internal/blob"
	"bugslice/internal/evidence"
	"bugslice/internal/id"
	"bugslice/internal/store"
)

// TestAbandonedReadsEnd: evidence is read no further when its client has left.
func TestAbandonedReadsEnd(t *testing.T) {
	dir, err := blob.Open("", t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	key, set := id.New(id.Blob), evidence.Set{Kind: api.KindReplay}
	for range 1000 {
		set.Rows = append(set.Rows, []byte("{}"))
	}
	if _, err := dir.Put(t.Context(), key, bytes.NewReader(set.Pack())); err != nil {
		t.Fatal(err)
	}
	tr := &Tracker{blobs: blob.NewWatch(dir), derived: newDerivedCache()}
	ctx, cancel := context.WithCancel(t.Context())
	read, a := 0, store.Attachment{Blob: key}
	a.Kind, a.Size = set.Kind, int64(len(set.Lines()))
	err = tr.scanRows(ctx, a, evidence.Filter{}, func(int, []byte) (bool, error) {
		if read++; read == 10 {
			cancel()
		}
		return true, nil
	})
	if !errors.Is(err, context.Canceled) || read != 10 {
		t.Errorf("%d rows, %v", read, err)
	}
}
