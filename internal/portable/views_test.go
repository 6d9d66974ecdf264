package portable_test

import (
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/portable"
)

// TestImportViews: a view of a workspace is imported once, and its query names the records here. The views of one
// user are in no export.
func TestImportViews(t *testing.T) {
	engines(t, func(t *testing.T, in *instance) {
		space, err := in.CreateSpace(t.Context(), in.owner, valid(t,
			api.CreateSpace{WorkspaceID: in.workspace, Body: api.SpaceFields{Name: "space"}}))
		must(t, err)
		for _, workspace := range []*string{&in.workspace, nil} {
			fields := api.ViewFields{Name: "view", Query: "space:" + space.ID + " assignee:me"}
			_, err = in.CreateView(t.Context(), in.owner, valid(t,
				api.CreateView{Body: api.NewView{WorkspaceID: workspace, ViewFields: fields}}))
			must(t, err)
		}
		rows := in.export(t)
		if len(rows["views"]) != 1 {
			t.Fatalf("%d views are exported", len(rows["views"]))
		}
		im, err := portable.Begin(t.Context(), in.operator.OrganizationOperator,
			portable.ImportOptions{ArchiveID: "archive"}, rows["workspaces"][0])
		must(t, err)
		for _, table := range []string{"users", "spaces", "views", "views"} {
			must(t, im.Records(t.Context(), table, rows[table], nil))
		}
		listed, err := in.ListViews(t.Context(), in.owner, valid(t,
			api.ListViews{WorkspaceID: im.WorkspaceID(), Paging: api.Paging{Limit: 10}}))
		must(t, err)
		spaces, err := in.ListSpaces(t.Context(), in.owner, valid(t,
			api.ListSpaces{WorkspaceID: im.WorkspaceID(), Paging: api.Paging{Limit: 10}}))
		must(t, err)
		imported := listed.Data[0]
		if len(listed.Data) != 2 || imported.Query != "space:"+spaces.Data[0].ID+" assignee:me" {
			t.Errorf("views %+v", listed.Data)
		}
		broken := strings.Replace(string(rows["views"][0]), "assignee:me", "staus:open", 1)
		broken = strings.Replace(broken, "viw_", "viw_0", 1)
		broken = broken[:strings.Index(broken, "viw_")+30] + broken[strings.Index(broken, "viw_")+31:]
		if err := im.Records(t.Context(), "views", [][]byte{[]byte(broken)}, nil); err == nil {
			t.Error("a view with a query that cannot be parsed is imported")
		}
	})
}
