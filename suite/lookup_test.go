package suite

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
)

// TestListByReference: a list has the slices with the references that are asked for and that the caller sees.
func TestListByReference(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "lookup")
		workspace := func(name, key string) string {
			return call(t, o.client, api.CreateWorkspace{Body: api.WorkspaceFields{Name: name, Key: key}}).ID
		}
		web, app := workspace("Web", "WEB"), workspace("App", "APP")
		for range 3 {
			org{client: o.client, Workspace: web}.file(t, api.SliceFields{})
			org{client: o.client, Workspace: app}.file(t, api.SliceFields{})
		}
		call(t, o.client, api.UpdateWorkspace{WorkspaceID: web, Patch: api.WorkspacePatch{}.Key("SHOP")})
		call(t, o.client, api.DeleteSlice{SliceID: "APP-3"})
		member, _ := o.newUser(t, "member", web)
		stranger := newOrg(t, s, "stranger")
		list := func(c client, filters api.SliceFilters) string {
			var found []string
			for _, row := range call(t, c, api.ListSlices{SliceFilters: filters}).Data {
				found = append(found, row.Reference)
			}
			slices.Sort(found)
			return strings.Join(found, " ")
		}
		for references, want := range map[string]string{"WEB-1": "SHOP-1", "shop-2 APP-1": "APP-1 SHOP-2",
			"WEB-1 SHOP-1": "SHOP-1",
			"SHOP-9":       "", "APP-3 APP-2": "APP-2", "NONE-1": ""} {
			assert.Equal(t, references, list(o.client, api.SliceFilters{Reference: strings.Fields(references)}), want)
		}
		both := []string{"SHOP-1", "APP-1"}
		assert.Equal(t, "in a workspace", list(o.client, api.SliceFilters{Reference: both, WorkspaceID: app}), "APP-1")
		assert.Equal(t, "closed", list(o.client, api.SliceFilters{Reference: both, Status: []api.Status{api.Closed}}),
			"")
		assert.Equal(t, "a member of one workspace", list(member, api.SliceFilters{Reference: both}), "SHOP-1")
		assert.Equal(t, "a stranger", list(stranger.client, api.SliceFilters{Reference: both}), "")
		sorted := api.ListSlices{SliceFilters: api.SliceFilters{Reference: []string{"SHOP-1", "SHOP-2", "APP-1"}},
			Order: "asc", Sort: "updatedAt"}
		assert.Equal(t, "over pages", pageSizes(t, o.client, 2, func(p api.Paging) api.Input[api.Page[api.Slice]] {
			sorted.Paging = p
			return sorted
		}), []int{2, 1})
		for _, bad := range []string{"WEB", "WEB-0", "x", "slc_01ja8m2c9tf3qb6h0v5r4x7kyz", strings.Repeat("A", 21)} {
			p := refused(t, o.client, api.CodeInvalidParameter,
				api.ListSlices{SliceFilters: api.SliceFilters{Reference: []string{"WEB-1", bad}}})
			assert.Equal(t, bad, p.Errors[0].Parameter, "reference")
		}
	})
}

// pageSizes reads a list, and returns how many rows its pages have.
func pageSizes[T any](t *testing.T, c client, limit int, in func(api.Paging) api.Input[api.Page[T]]) (sizes []int) {
	t.Helper()
	for p := (api.Paging{Limit: limit}); ; {
		page := call(t, c, in(p))
		sizes = append(sizes, len(page.Data))
		if page.Pagination.Cursor == nil {
			return sizes
		}
		p.Cursor = *page.Pagination.Cursor
	}
}

// TestSearchMembers: members are found by the beginnings of the words of their names, over several pages.
func TestSearchMembers(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "people")
		for n := range 3 {
			o.newUser(t, fmt.Sprint("robot", n), o.Workspace)
		}
		in := api.ListMembers{WorkspaceID: o.Workspace}
		for q, want := range map[string]int{"robot": 3, "ROB": 3, "robot1": 1, "obot": 0, "r": 3, "robot nothing": 0} {
			in.Q = q
			assert.Equal(t, q, len(call(t, o.client, in).Data), want)
		}
		assert.Equal(t, "over pages", pageSizes(t, o.client, 2, func(p api.Paging) api.Input[api.Page[api.Member]] {
			return api.ListMembers{Paging: p, WorkspaceID: o.Workspace, Q: "robot"}
		}), []int{2, 1})
		in.Q = "!"
		checkNoWords(t, refused(t, o.client, api.CodeInvalidParameter, in))
	})
}

func checkNoWords(t *testing.T, p api.Problem) {
	t.Helper()
	if f := p.Errors[0]; f.Parameter != "q" || f.Code != "no_words" {
		t.Errorf("%+v", f)
	}
}

// TestSearchNames: labels and spaces are found by the beginnings of their words, and a member by the e-mail address,
// by admins alone.
func TestSearchNames(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "names")
		for _, labels := range [][]string{{"sign in", "Checkout", "cart"}, {"cart", "sign out"}} {
			o.file(t, api.SliceFields{Labels: labels})
		}
		for _, name := range []string{"Sign in", "Shop"} {
			call(t, o.client, api.CreateSpace{WorkspaceID: o.Workspace, Body: api.SpaceFields{Name: name}})
		}
		for q, want := range map[string][]api.LabelCount{
			"sign":   {{Label: "sign in", Count: 1}, {Label: "sign out", Count: 1}},
			"SIGN o": {{Label: "sign out", Count: 1}}, "ign": {},
			"c": {{Label: "Checkout", Count: 1}, {Label: "cart", Count: 2}},
		} {
			assert.Equal(t, q, call(t, o.client, api.ListLabels{WorkspaceID: o.Workspace, Q: q}).Data, want)
		}
		for q, want := range map[string]int{"s": 2, "in": 1, "x": 0} {
			assert.Equal(t, q, len(call(t, o.client, api.ListSpaces{WorkspaceID: o.Workspace, Q: q}).Data), want)
		}
		assert.Equal(t, "over pages", pageSizes(t, o.client, 1, func(p api.Paging) api.Input[api.Page[api.LabelCount]] {
			return api.ListLabels{Paging: p, WorkspaceID: o.Workspace, Q: "s"}
		}), []int{1, 1})
		checkNoWords(t, refused(t, o.client, api.CodeInvalidParameter,
			api.ListLabels{WorkspaceID: o.Workspace, Q: "!"}))
		checkNoWords(t, refused(t, o.client, api.CodeInvalidParameter,
			api.ListSpaces{WorkspaceID: o.Workspace, Q: "!"}))
		o.checkMembersByEmail(t)
	})
}

// checkMembersByEmail adds a member, whom admins alone find by the address.
func (o org) checkMembersByEmail(t *testing.T) {
	t.Helper()
	robot, _ := o.newUser(t, "robot", o.Workspace)
	email := *call(t, o.client, api.ListMembers{WorkspaceID: o.Workspace, Q: "robot"}).Data[0].Email
	find := func(c client, q, email string) []api.Member {
		return call(t, c, api.ListMembers{WorkspaceID: o.Workspace, Q: q, Email: email}).Data
	}
	if found := find(o.client, "", strings.ToUpper(email)); len(found) != 1 || *found[0].Email != email {
		t.Errorf("found %+v, want %s", found, email)
	}
	for what, found := range map[string][]api.Member{"with another name": find(o.client, "nothing", email),
		"nobody": find(o.client, "", "nobody@example.com"), "by a member": find(robot, "", email)} {
		if len(found) != 0 {
			t.Errorf("%s: found %+v", what, found)
		}
	}
}
