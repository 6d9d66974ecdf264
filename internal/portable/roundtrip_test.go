package portable_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"io"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/operator"
	"bugslice/internal/portable"
	"bugslice/internal/tracker"
)

// importRows imports an export.
func (in *instance) importRows(t *testing.T, rows map[string][][]byte,
	options portable.ImportOptions, open portable.Opener) portable.ImportReport {
	t.Helper()
	im, err := portable.Begin(t.Context(), in.operator.OrganizationOperator, options, rows["workspaces"][0])
	must(t, err)
	for _, table := range []string{"users", "slices", "occurrences", "attachments"} {
		if len(rows[table]) > 0 {
			must(t, im.Records(t.Context(), table, rows[table], open))
		}
	}
	report, err := im.Finish(t.Context())
	must(t, err)
	return report
}

// TestImportOfDisabledAssignee: a slice of a user who is disabled here, and no member, is unassigned, and the report
// says so.
func TestImportOfDisabledAssignee(t *testing.T) {
	engines(t, func(t *testing.T, in *instance) {
		added, err := in.operator.AddUser(t.Context(),
			operator.NewUser{Email: "mona@test.example", Workspaces: []string{in.workspace}})
		must(t, err)
		in.file(t, api.SliceFields{Summary: "a", AssigneeID: &added.UserID})
		rows := in.export(t)
		must(t, in.operators.DisableUser(t.Context(), added.UserID))
		for _, options := range []portable.ImportOptions{{ArchiveID: "a"},
			{ArchiveID: "b", AddMembers: true}, {ArchiveID: "b", AddMembers: true}} {
			r := in.importRows(t, rows, options, nil)
			assert.Equal(t, "disabled, strangers, no members, new members, assigned",
				[]int{r.Disabled, r.Strangers, r.Unassigned, r.MembersAdded, r.Assigned}, []int{1, 0, 0, 0, 0})
		}
		r := in.importRows(t, rows, portable.ImportOptions{ArchiveID: "c", Into: in.workspace}, nil)
		assert.Equal(t, "a disabled member", []int{r.Disabled, r.Assigned}, []int{0, 1})
	})
}

// TestImportKeepsStateOfMetadata: what became of the metadata of a file stays so in the copy of a workspace that
// keeps metadata, when its bytes do. Of other bytes it is what they are.
func TestImportKeepsStateOfMetadata(t *testing.T) {
	engines(t, func(t *testing.T, in *instance) {
		slice := in.file(t, api.SliceFields{Summary: "photo"})
		var b bytes.Buffer
		must(t, jpeg.Encode(&b, image.NewRGBA(image.Rect(0, 0, 8, 8)), nil))
		photo := b.String()[:2] + "\xff\xfe\x00\x05abc" + b.String()[2:]
		a, err := in.CreateAttachment(t.Context(), in.owner,
			valid(t, api.CreateAttachment{SliceID: slice.ID, Name: "photo"}),
			tracker.Upload{Body: strings.NewReader(photo), Length: int64(len(photo))})
		must(t, err)
		assert.Equal(t, "uploaded", a.Metadata, api.MetadataRemoved)
		f, err := in.ReadAttachment(t.Context(), in.owner, valid(t, api.GetAttachment{AttachmentID: a.ID}))
		must(t, err)
		stored, err := io.ReadAll(f.Bytes)
		must(t, err)
		must(t, f.Bytes.Close())
		open := func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(stored)), nil }
		for _, kept := range []bool{true, false} {
			_, err = in.UpdateWorkspace(t.Context(), in.owner,
				valid(t, api.UpdateWorkspace{WorkspaceID: in.workspace,
					Patch: api.WorkspacePatch{"keepFileMetadata": kept}}))
			must(t, err)
			for _, state := range []api.FileMetadata{api.MetadataRemoved, api.MetadataNone, api.MetadataKept} {
				rows := in.export(t)
				row := bytes.Replace(rows["attachments"][0], []byte(`"metadata":"removed"`),
					[]byte(`"metadata":"`+string(state)+`"`), 1)
				rows["attachments"] = [][]byte{row}
				r := in.importRows(t, rows,
					portable.ImportOptions{ArchiveID: string(state) + map[bool]string{true: "+"}[kept]}, open)
				assert.Equal(t, "files", r.Attachments, 1)
				page, err := in.ListAttachments(t.Context(), in.owner,
					valid(t, api.ListAttachments{SliceID: in.only(t, r.WorkspaceID)}))
				must(t, err)
				want := state
				if state == api.MetadataKept && !kept {
					want = api.MetadataNone
				}
				assert.Equal(t, "the state of a copy of "+string(state), page.Data[0].Metadata, want)
			}
		}
	})
}

// only returns the only slice of a workspace.
func (in *instance) only(t *testing.T, workspaceID string) string {
	t.Helper()
	page, err := in.ListSlices(t.Context(), in.owner,
		valid(t, api.ListSlices{SliceFilters: api.SliceFilters{WorkspaceID: workspaceID}}))
	must(t, err)
	if len(page.Data) != 1 {
		t.Fatalf("%d slices", len(page.Data))
	}
	return page.Data[0].ID
}
