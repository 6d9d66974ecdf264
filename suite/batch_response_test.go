package suite

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"

	"bugslice/internal/assert"
)

// decoded returns the body of a response, decompressed.
func decoded(t *testing.T, a answer) []byte {
	t.Helper()
	plain, err := a.plain()
	must(t, err)
	return plain
}

// plain returns the body, decompressed: as much of it as came, with the error of one that was cut off.
func (a answer) plain() ([]byte, error) {
	var r io.Reader = bytes.NewReader(a.Body)
	var err error
	switch a.Header.Get("Content-Encoding") {
	case "gzip":
		r, err = gzip.NewReader(r)
	case "zstd":
		r, err = zstd.NewReader(r)
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// resultsOf returns the results of a batch.
func resultsOf(t *testing.T, a answer) []any {
	t.Helper()
	var out struct{ Results []any }
	must(t, json.Unmarshal(decoded(t, a), &out))
	return out.Results
}

// TestBatchResponse: a batch answers with the records as they are stored, whichever encoding the client accepts,
// whether or not an item fails, and whether the slices are of one workspace or of two.
func TestBatchResponse(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "batch-response")
		other := o.want(t, 201, "POST", "/v1/workspaces", map[string]any{"name": "second"}).get(t, "id").(string)
		long := strings.Repeat("The button does nothing when I press it. ", 100)
		var ids []string
		for n := range 40 {
			ids = append(ids, o.slice(t, o.Workspace, map[string]any{"description": long,
				"summary": fmt.Sprint("é<&>\u2028 ", n)})["id"].(string))
		}
		elsewhere := o.slice(t, other, map[string]any{"description": long})["id"].(string)
		for _, accept := range []string{"identity", "gzip", "zstd, gzip"} {
			for name, more := range map[string]string{"all succeed": "",
				"one fails": "slc_00000000000000000000000000", "of two workspaces": elsewhere} {
				t.Run(accept+", "+name, func(t *testing.T) {
					var items []any
					for _, id := range append(ids[:len(ids):len(ids)], more) {
						if id != "" {
							items = append(items, map[string]any{"id": id,
								"patch": map[string]any{"metadata": map[string]any{"by": accept + name}}})
						}
					}
					a := o.want(t, 200, "POST", "/v1/slices/batch-update", map[string]any{"items": items},
						"Accept-Encoding", accept)
					want := map[string]string{"gzip": "gzip", "zstd, gzip": "zstd"}[accept]
					assert.Equal(t, "Content-Encoding", a.Header.Get("Content-Encoding"), want)
					assert.Equal(t, "Content-Type", a.Header.Get("Content-Type"), "application/json")
					assert.Equal(t, "Cache-Control", a.Header.Get("Cache-Control"), "no-store")
					assert.Equal(t, "Vary", strings.Join(a.Header.Values("Vary"), ", "), "Accept-Encoding")
					if length := a.Header.Get("Content-Length"); length != "" && length != strconv.Itoa(len(a.Body)) {
						t.Errorf("Content-Length %s of %d bytes", length, len(a.Body))
					}
					results := resultsOf(t, a)
					assert.Equal(t, "results", len(results), len(items))
					for n, r := range results {
						id := memberAt(items[n], "id").(string)
						assert.Equal(t, "id", memberAt(r, "id"), any(id))
						if id == "slc_00000000000000000000000000" {
							wantMembers(t, "the failed item", r,
								members{"status": 404, "slice": nil, "problem.code": "not_found"})
							continue
						}
						assert.Equal(t, "the slice", memberAt(r, "slice"),
							any(o.want(t, 200, "GET", "/v1/slices/"+id, nil).JSON(t)))
					}
				})
			}
		}
	})
}

// TestBatchesAtOnce: batches of several clients for the same slices answer each with the versions that they have
// stored, beside requests that fail, whose transactions others may share.
func TestBatchesAtOnce(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "batches-at-once")
		var items []string
		for range 20 {
			items = append(items, o.slice(t, o.Workspace,
				map[string]any{"description": strings.Repeat("long ", 300)})["id"].(string))
		}
		const clients, batches = 4, 8
		answers := make([][]answer, clients)
		var wg sync.WaitGroup
		for c := range clients {
			wg.Go(func() {
				for b := range batches {
					var some []any
					for n, id := range items {
						if c%2 == 0 {
							id = items[len(items)-1-n]
						}
						some = append(some, map[string]any{"id": id,
							"patch": map[string]any{"summary": fmt.Sprintf("client %d, batch %d", c, b)}})
					}
					a, err := o.try("POST", "/v1/slices/batch-update", map[string]any{"items": some}, "Accept-Encoding",
						"gzip")
					if err != nil {
						t.Error(err)
						return
					}
					answers[c] = append(answers[c], a)
					_, _ = o.try("PATCH", "/v1/slices/"+items[0],
						map[string]any{"duplicateOfId": items[0], "status": "closed", "resolution": "duplicate"})
				}
			})
		}
		wg.Wait()
		type version struct {
			id string
			n  float64
		}
		stored := map[version]any{}
		for c, all := range answers {
			for b, a := range all {
				assert.Equal(t, "status", a.Status, 200)
				for _, r := range resultsOf(t, a) {
					wantMembers(t, "a result", r,
						members{"status": 200, "slice.summary": fmt.Sprintf("client %d, batch %d", c, b)})
					v := version{memberAt(r, "id").(string), memberAt(r, "slice.version").(float64)}
					if stored[v] != nil {
						t.Errorf("two batches answered with version %v of %s", v.n, v.id)
					}
					stored[v] = memberAt(r, "slice")
				}
			}
		}
		for _, id := range items {
			now := o.want(t, 200, "GET", "/v1/slices/"+id, nil).JSON(t)
			assert.Equal(t, "version", now["version"], any(float64(1+clients*batches)))
			assert.Equal(t, "the newest version", stored[version{id, now["version"].(float64)}], any(now))
		}
	})
}
