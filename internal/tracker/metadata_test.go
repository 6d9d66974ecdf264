package tracker_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// withMetadata returns the summaries of the slices that a filter by metadata selects, sorted. Their number is that of
// the counts. Without a workspace they are those of every workspace of the caller.
func (w *world) withMetadata(t *testing.T, c access.Caller, workspaceID string, filter map[string][]string) (
	[]string, error,
) {
	t.Helper()
	filters := api.SliceFilters{WorkspaceID: workspaceID, Metadata: filter}
	listed, err := w.ListSlices(t.Context(), c,
		valid(api.ListSlices{SliceFilters: filters, Paging: api.Paging{Limit: 100}}))
	counts, countErr := w.CountSlices(t.Context(), c, valid(api.CountSlices{SliceFilters: filters}))
	assert.Equal(t, "the code of the counts", code(countErr), code(err))
	counted := int64(0)
	for _, n := range counts.Data {
		counted += n.Count
	}
	assert.Equal(t, "the sum of the counts", counted, int64(len(listed.Data)))
	summaries := []string{}
	for _, s := range listed.Data {
		summaries = append(summaries, s.Summary)
	}
	slices.Sort(summaries)
	return summaries, err
}

// setMetadataKeys declares the metadata by which slices are filtered.
func (w *world) setMetadataKeys(t *testing.T, workspaceID string, keys ...any) {
	t.Helper()
	must(t, second(w.UpdateWorkspace(t.Context(), w.owner, valid(api.UpdateWorkspace{WorkspaceID: workspaceID,
		Patch: api.WorkspacePatch{"metadataKeys": keys}}))))
}

// TestMetadataFilters: lists and counts are filtered by the metadata that the workspace declares, as it is after each
// change. Other metadata is refused with the declared names.
func TestMetadataFilters(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		file := func(summary string, metadata map[string]string) api.Slice {
			return w.report(t, summary, api.SliceFields{Summary: summary, Metadata: metadata})
		}
		find := func(workspaceID string, filter map[string][]string, want ...string) {
			t.Helper()
			found, err := w.withMetadata(t, w.owner, workspaceID, filter)
			must(t, err)
			assert.Equal(t, fmt.Sprint(filter), found, append([]string{}, want...))
		}
		refuse := func(workspaceID, name string, hints ...string) {
			t.Helper()
			_, err := w.withMetadata(t, w.owner, workspaceID, map[string][]string{name: {"x"}})
			wantCode(t, err, api.CodeInvalidParameter)
			var p *api.Problem
			if errors.As(err, &p) {
				assert.Equal(t, "the fault", p.Errors[0].Parameter+" "+p.Errors[0].Code, "metadata["+name+
					"] not_filterable")
				assert.Contains(t, "the fault", p.Errors[0].Detail, hints...)
			}
		}
		order := func(values ...string) map[string][]string { return map[string][]string{"orderId": values} }
		a := file("a", map[string]string{"orderId": "4711", "tenant": "north"})
		file("b", map[string]string{"orderId": "4712", "tenant": "north"})
		file("c", nil)
		refuse(w.workspace, "orderId", "metadataKeys")
		refuse("", "orderId")
		w.setMetadataKeys(t, w.workspace, "orderId")
		find(w.workspace, order("4711"), "a")
		find("", order("4711", "4712", "4713"), "a", "b")
		refuse(w.workspace, "tenant", "orderId")
		refuse(w.workspace, "OrderId", "orderId")

		d := file("d", map[string]string{"orderId": "4711"})
		file("a", map[string]string{"orderId": "4799"}) // an occurrence, which is not filtered by
		find(w.workspace, order("4711"), "a", "d")
		find(w.workspace, order("4799"))
		must(t, second(w.patch(t, a.ID, api.SlicePatch{"metadata": map[string]any{"orderId": "true"}})))
		find(w.workspace, order("4711"), "d")
		find(w.workspace, order("true"), "a")
		must(t, second(w.patch(t, a.ID, api.SlicePatch{"metadata": map[string]any{"orderId": nil}})))
		find(w.workspace, order("true"))
		must(t, second(w.DeleteSlice(t.Context(), w.owner, valid(api.DeleteSlice{SliceID: d.ID}))))
		find(w.workspace, order("4711"))
		must(t, second(w.patch(t, a.ID, api.SlicePatch{"metadata": map[string]any{"orderId": "4711"}, "summary": "A"})))
		must(t, second(w.RestoreSlice(t.Context(), w.owner, valid(api.RestoreSlice{SliceID: d.ID}))))
		find(w.workspace, order("4711"), "A", "d")

		other, err := w.CreateWorkspace(t.Context(), w.owner,
			valid(api.CreateWorkspace{Body: api.WorkspaceFields{Name: "Two", MetadataKeys: []string{"tenant"}}}))
		must(t, err)
		first := w.workspace
		w.workspace = other.ID
		file("e", map[string]string{"orderId": "4711", "tenant": "north"})
		w.setMetadataKeys(t, first, "orderId", "tenant")
		find("", order("4711"), "A", "d")
		find("", map[string][]string{"tenant": {"north"}}, "A", "b", "e")
		find("", map[string][]string{"tenant": {"north"}, "orderId": {"4711"}}, "A")
		refuse(other.ID, "orderId", "tenant")
		w.setMetadataKeys(t, first)
		refuse("", "orderId", "tenant")
		find("", map[string][]string{"tenant": {"north"}}, "e")
	})
}

// TestIndexIsBuiltFirst: while the index is built, as after an upgrade, a list by it is refused, and the problem says
// how much is built. A list without filters is not.
func TestIndexIsBuiltFirst(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		for n := range 4 {
			w.report(t, fmt.Sprint(n), api.SliceFields{Summary: "a"})
		}
		must(t, w.store.Write(t.Context(), (*store.Tx).BeginIndex))
		for range 2 { // preparations, and the first slices
			must(t, w.store.Write(t.Context(), func(tx *store.Tx) error { return second(tx.AdvanceIndex(2)) }))
		}
		list := func(q string) ([]api.Slice, error) {
			found, err := w.ListSlices(t.Context(), w.owner,
				valid(api.ListSlices{SliceFilters: api.SliceFilters{Q: q}}))
			return found.Data, err
		}
		_, err := list("a")
		p, failed := tracker.ProblemOf(t.Context(), err)
		if p.Code != api.CodeUnavailable || failed || p.RetryAfter == 0 || !strings.Contains(p.Detail, "50 %") {
			t.Errorf("%+v, failed: %v", p, failed)
		}
		all, err := list("")
		must(t, err)
		assert.Equal(t, "reports without a filter", len(all), 4)
		w.BuildIndex(t.Context())
		all, err = list("a")
		must(t, err)
		assert.Equal(t, "reports with a word", len(all), 4)
	})
}

// TestMetadataBesideChanges: while slices and the declared names change at once, the lists are those of the metadata
// that the slices have in the end.
func TestMetadataBesideChanges(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		var ids []string
		for i := range 6 {
			ids = append(ids, w.report(t, fmt.Sprint(i),
				api.SliceFields{Summary: fmt.Sprint(i), Metadata: map[string]string{"n": "0"}}).ID)
		}
		var work sync.WaitGroup
		change := func(times int, fn func(ctx context.Context, r *rand.Rand) error) {
			work.Go(func() {
				r := rand.New(rand.NewPCG(1, uint64(times)))
				for range times {
					if err := fn(t.Context(), r); err != nil && code(err) != api.CodeNotFound {
						t.Error(err)
					}
				}
			})
		}
		for n := range 3 {
			change(30+n, func(ctx context.Context, r *rand.Rand) error {
				patch := api.SlicePatch{"metadata": map[string]any{"n": fmt.Sprint(r.IntN(3))}}
				return second(w.UpdateSlice(ctx, w.owner,
					valid(api.UpdateSlice{SliceID: ids[r.IntN(len(ids))], Patch: patch})))
			})
		}
		change(10, func(ctx context.Context, r *rand.Rand) error {
			if r.IntN(2) == 0 {
				return second(w.DeleteSlice(ctx, w.owner, valid(api.DeleteSlice{SliceID: ids[0]})))
			}
			return second(w.RestoreSlice(ctx, w.owner, valid(api.RestoreSlice{SliceID: ids[0]})))
		})
		change(15, func(ctx context.Context, r *rand.Rand) error {
			keys := [][]any{{}, {"n"}, {"m", "n"}}[r.IntN(3)]
			return second(w.UpdateWorkspace(ctx, w.owner,
				valid(api.UpdateWorkspace{WorkspaceID: w.workspace, Patch: api.WorkspacePatch{"metadataKeys": keys}})))
		})
		work.Wait()
		w.setMetadataKeys(t, w.workspace, "n")
		all, err := w.ListSlices(t.Context(), w.owner,
			valid(api.ListSlices{SliceFilters: api.SliceFilters{WorkspaceID: w.workspace}}))
		must(t, err)
		for value := range 3 {
			want := []string{}
			for _, s := range all.Data {
				if s.Metadata["n"] == fmt.Sprint(value) {
					want = append(want, s.Summary)
				}
			}
			slices.Sort(want)
			found, err := w.withMetadata(t, w.owner, w.workspace, map[string][]string{"n": {fmt.Sprint(value)}})
			must(t, err)
			assert.Equal(t, fmt.Sprint("slices with ", value), found, want)
		}
	})
}
