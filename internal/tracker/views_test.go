package tracker_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/access"
)

// view saves a view of a workspace, or of the owner alone.
func (w *world) view(t *testing.T, workspaceID *string, query string) api.View {
	t.Helper()
	in := api.CreateView{Body: api.NewView{WorkspaceID: workspaceID,
		ViewFields: api.ViewFields{Name: "view " + query, Query: query}}}
	v, err := w.CreateView(t.Context(), w.owner, valid(in))
	must(t, err)
	return v
}

// TestViews: who sees and changes the views of a workspace and those of a user alone.
func TestViews(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, c := t.Context(), newKeyPageCallers(t, w)
		create := func(by access.Caller, workspaceID *string) (api.View, error) {
			in := api.CreateView{Body: api.NewView{WorkspaceID: workspaceID,
				ViewFields: api.ViewFields{Name: "open", Query: "status:open"}}}
			return w.CreateView(ctx, by, valid(in))
		}
		shared, err := create(c.admin, &w.workspace)
		must(t, err)
		alone, err := create(c.member, nil)
		must(t, err)
		ofService, err := create(c.service, nil)
		must(t, err)
		if ofService.WorkspaceID == nil || *ofService.WorkspaceID != w.workspace || alone.WorkspaceID != nil {
			t.Errorf("workspaces %v, %v", ofService.WorkspaceID, alone.WorkspaceID)
		}
		_, err = create(c.member, &w.workspace)
		if code(err) != api.CodeForbidden {
			t.Errorf("a view of the workspace by a member: %v", err)
		}
		for _, l := range []struct {
			who       string
			by        access.Caller
			workspace string
			want      []string
			code      string
		}{
			{"admin", c.admin, w.workspace, []string{shared.ID, ofService.ID}, ""},
			{"member", c.member, "", []string{shared.ID, alone.ID, ofService.ID}, ""},
			{"service", c.service, "", []string{shared.ID, ofService.ID}, ""},
			{"outsider", c.outsider, "", nil, ""},
			{"stranger", c.stranger, "", nil, ""},
			{"other service", c.otherService, "", nil, ""},
			{"outsider of the workspace", c.outsider, w.workspace, nil, api.CodeNotFound},
		} {
			listed, err := w.ListViews(ctx, l.by, valid(api.ListViews{WorkspaceID: l.workspace, Paging: ten}))
			var got []string
			for _, v := range listed.Data {
				got = append(got, v.ID)
			}
			if !slices.Equal(got, l.want) || err != nil != (l.code != "") || l.code != "" && code(err) != l.code {
				t.Errorf("%s: %v, %v, want %v %s", l.who, got, err, l.want, l.code)
			}
		}
		for who, by := range map[string]access.Caller{"admin": c.admin, "service": c.service, "owner": w.owner,
			"stranger": c.stranger} {
			change := api.UpdateView{ViewID: alone.ID, Patch: api.ViewPatch{"name": "taken"}}
			if err := second(w.UpdateView(ctx, by, valid(change))); code(err) != api.CodeNotFound {
				t.Errorf("%s changes a view of a member: %v", who, err)
			}
			if err := second(w.DeleteView(ctx, by,
				valid(api.DeleteView{ViewID: alone.ID}))); code(err) != api.CodeNotFound {
				t.Errorf("%s deletes a view of a member: %v", who, err)
			}
		}
		must(t, second(w.DeleteView(ctx, c.member, valid(api.DeleteView{ViewID: alone.ID, IfMatch: alone.ETag()}))))
	})
}

// TestViewVersions: a change is based on a version, and one without an effect keeps it.
func TestViewVersions(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		v := w.view(t, nil, "status:open")
		update := func(ifMatch string, patch api.ViewPatch) (api.View, error) {
			return w.UpdateView(t.Context(), w.owner,
				valid(api.UpdateView{ViewID: v.ID, IfMatch: ifMatch, Patch: patch}))
		}
		changed, err := update(v.ETag(), api.ViewPatch{"query": "status:closed"})
		must(t, err)
		same, err := update("", api.ViewPatch{"query": "status:closed"})
		must(t, err)
		if changed.Version != 2 || same.Version != 2 || changed.Query != "status:closed" || changed.Name != v.Name {
			t.Errorf("%+v, %+v", changed, same)
		}
		if err := second(update(v.ETag(), api.ViewPatch{"name": "late"})); code(err) != api.CodePrecondition {
			t.Errorf("a change of an older version: %v", err)
		}
		if err := second(w.DeleteView(t.Context(), w.owner,
			valid(api.DeleteView{ViewID: v.ID, IfMatch: v.ETag()}))); code(
			err) != api.CodePrecondition {
			t.Errorf("a deletion of an older version: %v", err)
		}
		err = second(update("", api.ViewPatch{"query": "é staus:open"}))
		if p, ok := errors.AsType[*api.Problem](err); !ok || p.Errors[0].Pointer != "/query" ||
			!strings.Contains(err.Error(), "(at character 3)") {
			t.Errorf("an unknown word: %v", err)
		}
	})
}

// TestViewLimit: a user and a workspace have 100 views each, whoever creates them at once.
func TestViewLimit(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		for _, workspace := range []*string{nil, &w.workspace} {
			for i := range 98 {
				w.view(t, workspace, fmt.Sprint("word", i))
			}
			results := make(chan error, 5)
			for range cap(results) {
				go func() {
					in := api.CreateView{Body: api.NewView{WorkspaceID: workspace,
						ViewFields: api.ViewFields{Name: "late"}}}
					results <- second(w.CreateView(t.Context(), w.owner, valid(in)))
				}()
			}
			created := 0
			for range cap(results) {
				switch err := <-results; {
				case err == nil:
					created++
				case code(err) != api.CodeTooManyViews:
					t.Error(err)
				}
			}
			if created != 2 {
				t.Errorf("%d views beyond 98", created)
			}
		}
	})
}
