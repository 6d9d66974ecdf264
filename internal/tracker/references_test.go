package tracker_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/operator"
)

func (w *world) newWorkspace(c access.Caller, name, key string) (api.Workspace, error) {
	return w.CreateWorkspace(context.Background(), c,
		valid(api.CreateWorkspace{Body: api.WorkspaceFields{Name: name, Key: key}}))
}

func (w *world) setKey(workspaceID, key string) error {
	return second(w.UpdateWorkspace(context.Background(), w.owner,
		valid(api.UpdateWorkspace{WorkspaceID: workspaceID, Patch: api.WorkspacePatch{"key": key}})))
}

// wantTaken reports an error that is no refusal of a key that another workspace has.
func wantTaken(t *testing.T, err error) {
	t.Helper()
	var p *api.Problem
	if !errors.As(err, &p) || p.Code != api.CodeWorkspaceKeyTaken || len(p.Errors) != 1 ||
		p.Errors[0].Pointer != "/key" {
		t.Errorf("a taken key: %v", err)
	}
}

// atOnce calls fn from n goroutines and returns its errors.
func atOnce(n int, fn func(i int) error) []error {
	all := make([]error, n)
	var work sync.WaitGroup
	for i := range n {
		work.Go(func() { all[i] = fn(i) })
	}
	work.Wait()
	return all
}

// TestWorkspaceKeysAreUnique: of many workspaces that are made or renamed at once, no two get the same key.
func TestWorkspaceKeysAreUnique(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		const at = 20
		var ids, keys [at]string
		for _, err := range atOnce(at, func(i int) error {
			made, err := w.newWorkspace(w.owner, "Web shop", "")
			ids[i], keys[i] = made.ID, made.Key
			return err
		}) {
			must(t, err)
		}
		taken := map[string]bool{}
		for _, key := range keys {
			if taken[key] || !strings.HasPrefix(key, "WE") || len(key) > 6 {
				t.Errorf("the keys %v", keys)
			}
			taken[key] = true
		}
		if !taken["WEB"] || !taken["WEB20"] {
			t.Errorf("the keys %v", keys)
		}
		for what, change := range map[string]func(i int) error{
			"made":    func(int) error { return second(w.newWorkspace(w.owner, "a", "MADE")) },
			"changed": func(i int) error { return w.setKey(ids[i], "NEW") },
		} {
			done := 0
			for _, err := range atOnce(at, change) {
				if err == nil {
					done++
				} else {
					wantTaken(t, err)
				}
			}
			if done != 1 {
				t.Errorf("%d workspaces have the same key: %s", done, what)
			}
		}
	})
}

// TestKeyChange: a reference with a former key keeps its meaning, the key stays reserved, and its workspace may take it
// back. Lists show the present key at once, from the cache too.
func TestKeyChange(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		first := w.file(t, "first", "")
		if first.Reference != "ONE-1" {
			t.Fatalf("the reference %s", first.Reference)
		}
		other, err := w.newWorkspace(w.owner, "Other", "OTH")
		must(t, err)
		references := []string{"ONE-1", "one-1"}
		for _, key := range []string{"SHOP", "S2", "ONE"} {
			must(t, w.setKey(w.workspace, key))
			references = append(references, key+"-1")
			for _, reference := range append(references, first.ID) {
				w.wantReference(t, reference, first.ID, key+"-1")
			}
			page, err := w.ListSlices(t.Context(), w.owner,
				valid(api.ListSlices{SliceFilters: api.SliceFilters{WorkspaceID: w.workspace}, Paging: ten}))
			must(t, err)
			every, err := w.ListSlices(t.Context(), w.owner, valid(api.ListSlices{Paging: ten}))
			must(t, err)
			if page.Data[0].Reference != key+"-1" || every.Data[0].Reference != key+"-1" {
				t.Errorf("lists show %s and %s, not %s-1", page.Data[0].Reference, every.Data[0].Reference, key)
			}
			for _, former := range references[2:] {
				key, _, _ := strings.Cut(former, "-")
				wantTaken(t, w.setKey(other.ID, key))
				wantTaken(t, second(w.newWorkspace(w.owner, "Third", key)))
			}
		}
		second := w.file(t, "second", "")
		w.wantReference(t, "SHOP-2", second.ID, "ONE-2")
	})
}

// wantReference reports a reference that does not lead to a slice, or a slice that is not shown with its present one.
func (w *world) wantReference(t *testing.T, reference, sliceID, present string) {
	t.Helper()
	s, err := w.GetSlice(t.Context(), w.owner, valid(api.GetSlice{SliceID: reference}))
	must(t, err)
	r, err := w.Report(t.Context(), w.owner, reference)
	must(t, err)
	text, err := w.Markdown(t.Context(), w.owner, valid(api.GetSlice{SliceID: reference}))
	must(t, err)
	if s.ID != sliceID || s.Reference != present || r.ID != sliceID || r.Reference != present ||
		!strings.HasPrefix(text, "# "+present+" ("+sliceID+")") {
		t.Errorf("%s leads to %s (%s) and the report %s (%s), not to %s (%s)",
			reference, s.Reference, s.ID, r.Reference, r.ID, present, sliceID)
	}
}

// TestReferencesOfOthers: a reference leads nobody to a slice that they may not see, and to none that does not exist.
func TestReferencesOfOthers(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, first := t.Context(), w.file(t, "first", "")
		here := w.In(w.owner.Organization)
		u, err := here.AddUser(ctx, operator.NewUser{Email: "u@test.example", WithToken: true})
		must(t, err)
		colleague, err := w.Authenticate(ctx, u.Token)
		must(t, err)
		f, err := w.Bootstrap(ctx, operator.Bootstrap{Organization: "Other",
			Workspace: "One", Owner: operator.NewUser{Email: "o@test.example"}})
		must(t, err)
		stranger, err := w.Authenticate(ctx, f.Token)
		must(t, err)
		service, err := w.Authenticate(ctx, w.service(t).Token)
		must(t, err)
		get := func(c access.Caller, reference string) (string, string) {
			s, err := w.GetSlice(ctx, c, valid(api.GetSlice{SliceID: reference}))
			if _, reported := w.Report(ctx, c, reference); code(reported) != code(err) {
				t.Errorf("%s is %v, and its report %v", reference, err, reported)
			}
			return s.ID, code(err)
		}
		for who, c := range map[string]access.Caller{"a colleague": colleague, "a stranger": stranger} {
			if _, refused := get(c, "ONE-1"); refused != notFound {
				t.Errorf("ONE-1 is %s to %s", refused, who)
			}
		}
		in := api.CreateSlice{Body: api.NewSlice{WorkspaceID: &f.WorkspaceID,
			SliceFields: api.SliceFields{Summary: "theirs"}}}
		theirs, err := w.CreateSlice(ctx, stranger, valid(in))
		must(t, err)
		for id, c := range map[string]access.Caller{theirs.ID: stranger, first.ID: service} {
			if found, refused := get(c, "ONE-1"); found != id {
				t.Errorf("ONE-1 leads to %s (%s), not to %s", found, refused, id)
			}
		}
		for _, number := range []string{"2", "1000000000000", "9999999999999"} {
			if _, refused := get(w.owner, "ONE-"+number); refused != notFound {
				t.Errorf("ONE-%s is %s", number, refused)
			}
		}
		must(t, second(w.DeleteSlice(ctx, w.owner, valid(api.DeleteSlice{SliceID: "ONE-1"}))))
		if _, refused := get(w.owner, "ONE-1"); refused != notFound {
			t.Errorf("a deleted slice is %s", refused)
		}
		must(t, second(w.RestoreSlice(ctx, w.owner, valid(api.RestoreSlice{SliceID: "ONE-1"}))))
		w.wantReference(t, "ONE-1", first.ID, "ONE-1")
	})
}

// TestOperationsTakeReferences: every operation on a slice does for a reference what it does for the id, and refuses
// those who may not see the slice.
func TestOperationsTakeReferences(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		f := newFixture(t, w)
		callers := newCallers(t, f)
		for _, id := range []*string{&f.slice, &f.deleted} {
			number, err := w.store.Read(t.Context()).Slice(*id)
			must(t, err)
			*id = api.Reference("one", number.Number)
		}
		must(t, w.setKey(w.workspace, "NEXT"))
		for _, o := range operations {
			if !strings.Contains(api.Lookup(o.id).Path, "{sliceId}") {
				continue
			}
			for who, c := range callers.outside {
				if _, err := o.call(t.Context(), f, c); code(err) != o.outside {
					t.Errorf("%s of a reference by %s: %v", o.id, who, err)
				}
			}
			shown, err := o.call(t.Context(), f, w.owner)
			if err != nil {
				t.Errorf("%s of a reference: %v", o.id, err)
			}
			if p, ok := shown.(api.Page[api.Activity]); ok && len(p.Data) == 0 {
				t.Errorf("%s of a reference is empty", o.id)
			}
			if p, ok := shown.(api.Page[api.Comment]); ok && len(p.Data) == 0 {
				t.Errorf("%s of a reference is empty", o.id)
			}
			if p, ok := shown.(api.Page[api.Attachment]); ok && len(p.Data) == 0 {
				t.Errorf("%s of a reference is empty", o.id)
			}
		}
	})
}

// TestMyWorkspaces are those of the caller, by name, with its role.
func TestMyWorkspaces(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		for _, name := range []string{"two", "A"} {
			must(t, second(w.newWorkspace(w.owner, name, "")))
		}
		u, err := w.In(w.owner.Organization).AddUser(t.Context(),
			operator.NewUser{Email: "u@test.example", Workspaces: []string{w.workspace}, WithToken: true})
		must(t, err)
		member, err := w.Authenticate(t.Context(), u.Token)
		must(t, err)
		service, err := w.Authenticate(t.Context(), w.service(t).Token)
		must(t, err)
		for want, c := range map[string]access.Caller{
			"W1 A admin, ONE One admin, TWO two admin": w.owner, "ONE One member": member, "ONE One admin ": service,
		} {
			all, err := w.MyWorkspaces(t.Context(), c)
			must(t, err)
			shown := make([]string, len(all))
			for i, mine := range all {
				shown[i] = fmt.Sprint(mine.Key, " ", mine.Name, " ", mine.Role)
			}
			if got := strings.Join(shown, ", "); got != strings.TrimSpace(want) {
				t.Errorf("%s, not %s", got, want)
			}
		}
		if _, err := w.MyWorkspaces(t.Context(), access.Caller{}); code(err) != api.CodeUnauthorized {
			t.Errorf("to nobody: %v", err)
		}
	})
}
