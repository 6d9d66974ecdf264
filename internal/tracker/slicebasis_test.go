package tracker_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
)

// updateItem carries out a batch of one item as a caller, and returns its result.
func (w *world) updateItem(t *testing.T, in api.BatchUpdateItem) api.BatchResult {
	t.Helper()
	if in.Patch == nil {
		in.Patch = api.SlicePatch{}
	}
	body := api.BatchUpdate{Items: []api.BatchUpdateItem{in}}
	out, err := w.BatchUpdateSlices(t.Context(), w.owner, valid(api.BatchUpdateSlices{Body: body}))
	must(t, err)
	return out.Results[0]
}

// TestBaseVersion: a change with a base version is refused when one of its members was changed after that version,
// and names the members. Status and resolution are changed together. A version that the slice never had, and one
// before too many changes, count as changed in every member.
func TestBaseVersion(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		first := w.report(t, "a", api.SliceFields{Summary: "a"})
		change := func(p api.SlicePatch) (version int64) {
			t.Helper()
			s, err := w.UpdateSlice(t.Context(), w.owner, valid(api.UpdateSlice{SliceID: first.ID, Patch: p}))
			must(t, err)
			return s.Version
		}
		// refused returns the faults of a change of members to what they are already, which writes nothing.
		refused := func(base int64, members ...string) string {
			t.Helper()
			s, err := w.GetSlice(t.Context(), w.owner, valid(api.GetSlice{SliceID: first.ID}))
			must(t, err)
			all := map[string]any{"status": string(s.Status), "priority": "high", "summary": s.Summary, "severity": nil}
			patch := api.SlicePatch{}
			for _, m := range members {
				patch[m] = all[m]
			}
			r := w.updateItem(t, api.BatchUpdateItem{ID: first.Reference, BaseVersion: &base, Patch: patch})
			if r.Problem == nil {
				return fmt.Sprint("changed ", r.Changed)
			}
			assert.Equal(t, "the code", r.Problem.Code, api.CodePrecondition)
			var pointers []string
			for _, f := range r.Problem.Errors {
				pointers = append(pointers, f.Pointer)
			}
			return strings.Join(pointers, " ")
		}
		assert.Equal(t, "nothing meanwhile", refused(first.Version, "status", "summary"), "changed false")
		change(api.SlicePatch{"priority": "high"})
		assert.Equal(t, "other members", refused(first.Version, "status", "summary"), "changed false")
		assert.Equal(t, "the same member", refused(first.Version, "priority", "summary"), "/priority")
		change(api.SlicePatch{"status": "resolved"})
		resolved := change(api.SlicePatch{"summary": "b"})
		change(api.SlicePatch{"resolution": "wont_fix"})
		assert.Equal(t, "the resolution", refused(resolved, "status", "summary", "priority"), "/status")
		must(t, second(w.CreateComment(t.Context(), w.owner,
			valid(api.CreateComment{SliceID: first.ID, Body: api.CommentFields{Body: "b"}}))))
		assert.Equal(t, "a comment", refused(resolved, "summary"), "changed false")
		assert.Equal(t, "no such version", refused(1000, "summary", "severity"), "/severity /summary")
		for i := range 21 {
			change(api.SlicePatch{"priority": []string{"low", "high"}[i%2]})
		}
		assert.Equal(t, "too many changes", refused(resolved, "summary"), "/summary")

		severity := api.SlicePatch{"severity": "major"}
		now := change(api.SlicePatch{"labels": []any{"x"}})
		before := now - 1
		r := w.updateItem(t, api.BatchUpdateItem{ID: first.ID, BaseVersion: &before, Patch: severity,
			AddLabels: []string{"y"}})
		if r.Problem != nil || !r.Changed || r.Slice.Version != now+1 {
			t.Errorf("a change of another member: %+v", r)
		}
		r = w.updateItem(t, api.BatchUpdateItem{ID: first.ID, BaseVersion: &now, IfMatch: api.ETag(now),
			Patch: severity})
		if r.Problem == nil || r.Problem.Code != api.CodePrecondition {
			t.Errorf("with an If-Match of another version: %+v", r)
		}
	})
}

// TestBaseVersionsOfParallelChanges: of parallel changes of one member with the same base version one applies, and
// those of other members all do.
func TestBaseVersionsOfParallelChanges(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		s := w.report(t, "a", api.SliceFields{Summary: "a"})
		items := []api.BatchUpdateItem{
			{Patch: api.SlicePatch{"summary": "b"}}, {Patch: api.SlicePatch{"description": "b"}},
			{AddLabels: []string{"b"}},
			{AddLabels: []string{"c"}}, {Patch: api.SlicePatch{"severity": "minor"}},
		}
		for _, p := range []string{"low", "medium", "high", "urgent"} {
			items = append(items, api.BatchUpdateItem{Patch: api.SlicePatch{"priority": p}})
		}
		results := make([]api.BatchResult, len(items))
		var all sync.WaitGroup
		for i, item := range items {
			item.ID, item.BaseVersion = s.ID, &s.Version
			all.Go(func() { results[i] = w.updateItem(t, item) })
		}
		all.Wait()
		changed := 0
		for i, r := range results {
			switch {
			case r.Changed:
				changed++
			case i < 5 || r.Problem == nil || r.Problem.Code != api.CodePrecondition:
				t.Errorf("item %d: %+v", i, r)
			}
		}
		assert.Equal(t, "changes", changed, 6)
		stored, err := w.GetSlice(t.Context(), w.owner, valid(api.GetSlice{SliceID: s.ID}))
		must(t, err)
		assert.Equal(t, "version", stored.Version, s.Version+6)
		assert.Equal(t, "labels", len(stored.Labels), 2)
	})
}

// TestLabelsOfAnItem: labels are added and removed beside the others, as the member labels is validated and redacted.
// A label that is added and removed is added.
func TestLabelsOfAnItem(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		s := w.report(t, "a", api.SliceFields{Summary: "a", Labels: []string{"x", "y"}})
		for _, c := range []struct {
			name        string
			add, remove []string
			patch       api.SlicePatch
			want        string // the labels, or the pointer and the code of the fault
			same        bool
		}{
			{"one more", []string{"z"}, nil, nil, "x y z", false},
			{"one that it has", []string{"z"}, nil, nil, "x y z", true},
			{"one that it does not have", nil, []string{"w"}, nil, "x y z", true},
			{"both", []string{"v"}, []string{"x", "v"}, nil, "y z v", false},
			{"spaces", []string{" z ", "u  u"}, []string{"y"}, api.SlicePatch{"priority": "low"}, "z v u u", false},
			{"a comma", []string{"a,b"}, nil, nil, "/labels/0 wrong_form", false},
			{"twice", []string{"a", "a"}, nil, nil, "/labels repeated", false},
			{"with a patch of labels", []string{"a"}, nil, api.SlicePatch{"labels": []any{"b"}}, "/labels repeated",
				false},
		} {
			r := w.updateItem(t, api.BatchUpdateItem{ID: s.ID, Patch: c.patch, AddLabels: c.add,
				RemoveLabels: c.remove})
			if r.Problem != nil {
				assert.Equal(t, c.name, r.Problem.Errors[0].Pointer+" "+r.Problem.Errors[0].Code, c.want)
				continue
			}
			assert.Equal(t, c.name, strings.Join(r.Slice.Labels, " "), c.want)
			assert.Equal(t, c.name+": changed", r.Changed, !c.same)
		}
		var many []string
		for n := range 48 {
			many = append(many, fmt.Sprint("l", n))
		}
		r := w.updateItem(t, api.BatchUpdateItem{ID: s.ID, AddLabels: many})
		if r.Problem == nil || r.Problem.Errors[0].Code != "too_many" || r.Slice != nil {
			t.Errorf("51 labels: %+v", r)
		}
		r = w.updateItem(t, api.BatchUpdateItem{ID: s.ID, AddLabels: many, RemoveLabels: []string{"v"}})
		if r.Problem != nil || len(r.Slice.Labels) != 50 {
			t.Errorf("50 labels: %+v", r.Problem)
		}
	})
}
