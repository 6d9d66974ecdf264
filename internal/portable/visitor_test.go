package portable_test

import (
	"testing"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
	"bugslice/internal/portable"
	"bugslice/internal/store"
)

// TestImportOfVisitors: an imported slice keeps who filed it as a visitor and the name of the source, without the id
// of the
// source, which means nothing here. The search finds it.
func TestImportOfVisitors(t *testing.T) {
	engines(t, func(t *testing.T, in *instance) {
		of := in.reported(t).WorkspaceID
		source, err := in.CreateSource(t.Context(), in.owner, valid(t, api.CreateSource{Body: api.NewSource{
			WorkspaceID: &of, SourceFields: api.SourceFields{Name: "Shop", Reporters: api.ReportersAnyone,
				MaxReportBytes: 1 << 20, MaxDailyBytes: 1 << 20,
				Limits: api.SourceLimits{PerMinute: 9, PerHour: 9, PerDay: 9, PerAddressHour: 9}}}}))
		must(t, err)
		stored, err := in.Visitors().SourceByKey(t.Context(), source.Key)
		must(t, err)
		name, email := "Ada", "ada@example.com"
		c, err := in.Visitors().Caller(access.Reporting{Source: stored, Visitor: api.Visitor{Name: &name, Email: &email,
			Verified: true}})
		must(t, err)
		_, err = in.Visitors().Report(t.Context(), c, valid(t, api.CreateSlice{Body: api.NewSlice{
			SliceFields: api.SliceFields{Summary: "The cart is empty"}}}))
		must(t, err)
		rows := in.export(t)
		im, err := portable.Begin(t.Context(), in.operator.OrganizationOperator,
			portable.ImportOptions{ArchiveID: "visitors"}, rows["workspaces"][0])
		must(t, err)
		for _, table := range store.ExportTables()[1:] {
			if len(rows[table]) > 0 {
				must(t, im.Records(t.Context(), table, rows[table], nil))
			}
		}
		_, err = im.Finish(t.Context())
		must(t, err)
		found, err := in.ListSlices(t.Context(), in.owner, valid(t, api.ListSlices{Paging: api.Paging{Limit: 10},
			Sort:  "createdAt",
			Order: "desc", SliceFilters: api.SliceFilters{WorkspaceID: im.WorkspaceID(), Source: []string{"Shop"},
				ReporterID: []string{"visitor"}}}))
		must(t, err)
		assert.Equal(t, "reports of visitors", len(found.Data), 1)
		assert.Equal(t, "the visitor", found.Data[0].Visitor,
			&api.Visitor{SourceName: "Shop", Name: &name, Email: &email, Verified: true})
		assert.Equal(t, "the reporter", found.Data[0].Reporter, api.Reporter{Type: "guest", Name: "Ada"})
	})
}
