package tracker_test

import (
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
	"bugslice/internal/query"
)

// TestSearch: what a text finds, in which order, and for whom.
func TestSearch(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, c := t.Context(), newKeyPageCallers(t, w)
		text := "only here is the zebra"
		described := w.report(t, "Crème brûlée melts",
			api.SliceFields{Summary: "Crème brûlée melts", Description: &text})
		newer := w.file(t, "Checkout melts again", "")
		gone := w.file(t, "Checkout is gone", "")
		must(t, second(w.DeleteSlice(ctx, w.owner, valid(api.DeleteSlice{SliceID: gone.ID}))))
		w.view(t, nil, "melting")
		w.view(t, &w.workspace, "everything")
		for _, s := range []struct {
			who  string
			by   access.Caller
			text string
			want string // references, addresses or names of members, keys of workspaces, names of views
		}{
			{"owner", w.owner, "melts", newer.Reference + " " + described.Reference},
			{"owner", w.owner, "creme br", described.Reference},
			{"owner", w.owner, "zebra", described.Reference},
			{"owner", w.owner, "only zeb", described.Reference},
			{"owner", w.owner, "onl zebra", ""},
			{"owner", w.owner, "ze", ""},
			{"owner", w.owner, strings.ToLower(described.Reference), described.Reference},
			{"owner", w.owner, gone.Reference, ""},
			{"owner", w.owner, "one", "ONE"},
			{"owner", w.owner, "member@te", "member@test.example"},
			{"owner", w.owner, "view m", "view melting"},
			{"owner", w.owner, " - ", ""},
			{"member", c.member, "view", "view everything"},
			{"member", c.member, "admin@test", ""},
			{"member", c.member, "melts", newer.Reference + " " + described.Reference},
			{"service", c.service, "melts", newer.Reference + " " + described.Reference},
			{"outsider", c.outsider, "melts", ""},
			{"stranger", c.stranger, described.Reference, ""},
			{"stranger", c.stranger, "view", ""},
			{"other service", c.otherService, "owner@test", ""},
		} {
			found, err := w.Search(ctx, s.by, valid(api.Search{Q: s.text}))
			must(t, err)
			var got []string
			for _, f := range found.Slices {
				got = append(got, f.Reference)
			}
			for _, m := range found.Members {
				if m.Email != nil {
					m.Name = *m.Email
				}
				got = append(got, m.Name)
			}
			for _, f := range found.Workspaces {
				got = append(got, f.Key)
			}
			for _, v := range found.Views {
				got = append(got, v.Name)
			}
			if strings.Join(got, " ") != s.want {
				t.Errorf("%s, %q: %v, want %s", s.who, s.text, got, s.want)
			}
		}
	})
}

// TestReportersNamed: those who have filed reports are found by name, also after they have left, by those who see the
// reports.
func TestReportersNamed(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, c := t.Context(), newKeyPageCallers(t, w)
		file := func(by access.Caller) string {
			s, err := w.CreateSlice(ctx, by, valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
				SliceFields: api.SliceFields{Summary: "a"}}}))
			must(t, err)
			return s.ID
		}
		file(c.member)
		file(c.service)
		find := func(by access.Caller, workspaceID, name string) []string {
			return w.idsNamed(t, by, workspaceID, [2]string{query.Reporter, name})
		}
		assert.Equal(t, "a member", find(w.owner, w.workspace, strings.ToUpper(c.member.Name)), []string{c.member.ID})
		assert.Equal(t, "a key", find(w.owner, "", c.service.Name), []string{c.service.ID})
		assert.Equal(t, "a member who has filed nothing", find(w.owner, "", c.admin.Name), []string{c.admin.ID})
		assert.Equal(t, "a stranger", find(c.stranger, "", c.member.Name), []string(nil))
		must(t, w.In(w.owner.Organization).RemoveMember(ctx, w.workspace, c.member.ID))
		assert.Equal(t, "a former member", find(w.owner, w.workspace, c.member.Name), []string{c.member.ID})
		_, err := w.Directory(ctx, c.outsider, w.workspace).Find(query.Reporter, c.member.Name)
		wantCode(t, err, api.CodeNotFound)
	})
}
