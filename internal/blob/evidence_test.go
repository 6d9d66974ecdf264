package blob

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/evidence"
	"bugslice/internal/id"
)

// TestEvidenceFromAnyPlace: packed evidence is read from any place, by its index, wherever it is stored.
func TestEvidenceFromAnyPlace(t *testing.T) {
	set := evidence.Set{Kind: api.KindReplay}
	for i := range 20_000 {
		set.Rows = append(set.Rows, json.RawMessage(fmt.Sprintf(`{"type":3,"n":%d,"noise":"%x"}`, i,
			noise(64 + i%64)[i%64:])))
	}
	set.Rows = append(set.Rows, json.RawMessage(`"`+strings.Repeat("long", 100_000)+`"`))
	lines := set.Lines()
	stores(t, func(t *testing.T, s Store) {
		key := id.New(id.Blob)
		_, err := s.Put(t.Context(), key, bytes.NewReader(set.Pack()))
		must(t, err)
		src, err := s.Open(t.Context(), key)
		must(t, err)
		index, err := evidence.ReadIndex(src, int64(len(lines)))
		must(t, err)
		if index == nil {
			t.Fatal("there is no index")
		}
		r := evidence.NewReader(src, int64(len(lines)), index)
		for _, at := range []int{len(lines) - 1, 0, len(lines) / 2, len(lines)/2 + 100_000, 70_000,
			len(lines) - 300_000} {
			_, err := r.Seek(int64(at), io.SeekStart)
			must(t, err)
			got := make([]byte, min(100_000, len(lines)-at))
			if _, err := io.ReadFull(r, got); err != nil || !bytes.Equal(got, lines[at:at+len(got)]) {
				t.Errorf("from %d: %v", at, err)
			}
		}
		for _, after := range []int{0, 12_345, 19_990} {
			next := after
			must(t, r.Rows(set.Kind, evidence.Filter{After: after}, func(place int, row []byte) (bool, error) {
				if next++; place != next || !bytes.Equal(row, set.Rows[place-1]) {
					t.Fatalf("row %d is %.80s", place, row)
				}
				return place < after+500, nil
			}))
			if next != min(after+500, len(set.Rows)) {
				t.Errorf("rows up to %d behind %d", next, after)
			}
		}
		must(t, r.Close())
	})
}
