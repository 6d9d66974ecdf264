package portable_test

import (
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/portable"
	"bugslice/internal/store"
)

// TestImportOfVia: an imported slice, its occurrences and its comments keep the name of the key with which they were
// written, without an id, which means nothing here. The comments keep the reactions of users here. Its activity says
// that it is imported, and names no key.
func TestImportOfVia(t *testing.T) {
	engines(t, func(t *testing.T, in *instance) {
		s := in.reported(t)
		comment, err := in.CreateComment(t.Context(), in.owner, valid(t, api.CreateComment{SliceID: s.ID,
			Body: api.CommentFields{Body: "text"}}))
		must(t, err)
		_, err = in.SetReaction(t.Context(), in.owner, valid(t, api.SetReaction{CommentID: comment.ID,
			Body: api.ReactionSetting{Kind: "heart"}}))
		must(t, err)
		if s.Via == nil || s.Via.KeyID == nil {
			t.Fatal("the slice names no key")
		}
		rows, want := in.export(t), &api.Via{Name: s.Via.Name}
		im, err := portable.Begin(t.Context(), in.operator.OrganizationOperator,
			portable.ImportOptions{ArchiveID: "via"}, rows["workspaces"][0])
		must(t, err)
		for _, table := range store.ExportTables()[1:] {
			if len(rows[table]) > 0 {
				must(t, im.Records(t.Context(), table, rows[table], nil))
			}
		}
		_, err = im.Finish(t.Context())
		must(t, err)
		id, ten := in.only(t, im.WorkspaceID()), api.Paging{Limit: 10}
		imported, err := in.GetSlice(t.Context(), in.owner, valid(t, api.GetSlice{SliceID: id}))
		must(t, err)
		assert.Equal(t, "the slice", imported.Via, want)
		occurrences, err := in.ListOccurrences(t.Context(), in.owner, valid(t, api.ListOccurrences{SliceID: id, Paging: ten}))
		must(t, err)
		assert.Equal(t, "occurrences", len(occurrences.Data), 3)
		for _, o := range occurrences.Data {
			assert.Equal(t, "an occurrence", o.Via, want)
		}
		comments, err := in.ListComments(t.Context(), in.owner, valid(t, api.ListComments{SliceID: id, Paging: ten}))
		must(t, err)
		assert.Equal(t, "the comment", comments.Data[0].Via, want)
		assert.Equal(t, "its reactions", comments.Data[0].Reactions, []api.Reaction{{Kind: "heart", Count: 1,
			Own: true}})
		activity, err := in.ListActivity(t.Context(), in.owner, valid(t, api.ListActivity{SliceID: id, Paging: ten}))
		must(t, err)
		came := 0
		for _, a := range activity.Data {
			if a.Imported {
				came++
			}
			assert.Equal(t, "the key of an activity", a.Via, (*api.Via)(nil))
			if a.Comment != nil {
				assert.Equal(t, "the comment of an activity", a.Comment.Via, want)
			}
		}
		assert.Equal(t, "imported activity", came, 4)
	})
}
