package portable_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/blob"
	"bugslice/internal/input"
	"bugslice/internal/operator"
	"bugslice/internal/password/passwordtest"
	"bugslice/internal/portable"
	"bugslice/internal/secret"
	"bugslice/internal/store"
	"bugslice/internal/store/storetest"
	"bugslice/internal/tracker"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// instance is an instance with an owner and a workspace.
type instance struct {
	*tracker.Tracker
	operator  operator.Organization
	operators operator.Operator
	store     *store.Store
	owner     access.Caller
	workspace string
}

func engines(t *testing.T, test func(t *testing.T, in *instance)) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			o, err := storetest.Migrated(engine, t.TempDir())
			must(t, err)
			test(t, newInstance(t, o))
		})
	}
}

func newInstance(t *testing.T, o store.Options) *instance {
	t.Helper()
	s, err := store.Open(o)
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	ring, err := secret.Parse(strings.Repeat("ab", 32))
	must(t, err)
	blobs, err := blob.Open("", t.TempDir(), func(string) string { return "" })
	must(t, err)
	in := &instance{store: s}
	var authority *tracker.Operator
	in.Tracker, authority = tracker.New(tracker.Options{Store: access.Seal(s), Secrets: ring,
		Passwords: passwordtest.Weak(),
		Blobs:     blobs})
	of := operator.Operator{Operator: authority}
	in.operators = of
	b, err := of.Bootstrap(t.Context(), operator.Bootstrap{Organization: "Test",
		Workspace: "One", Owner: operator.NewUser{Email: "owner@test.example"}})
	must(t, err)
	in.operator, in.workspace = of.In(api.OrganizationRef{ID: b.OrganizationID}), b.WorkspaceID
	in.owner, err = in.Authenticate(t.Context(), b.Token)
	must(t, err)
	return in
}

func valid[In any](t *testing.T, in In) input.Valid[In] {
	t.Helper()
	v, err := input.Check(in)
	must(t, err)
	return v
}

func (in *instance) file(t *testing.T, fields api.SliceFields) api.Slice {
	t.Helper()
	made, err := in.CreateSlice(t.Context(), in.owner, valid(t,
		api.CreateSlice{Body: api.NewSlice{WorkspaceID: &in.workspace, SliceFields: fields}}))
	must(t, err)
	return made.Slice
}

// export returns the rows of the workspace by their tables.
func (in *instance) export(t *testing.T) map[string][][]byte {
	t.Helper()
	written := map[string]*bytes.Buffer{}
	_, _, err := in.store.Export(t.Context(), in.workspace, func(name string) (io.Writer, error) {
		written[name] = &bytes.Buffer{}
		return written[name], nil
	}, func(store.ExportProgress) {})
	must(t, err)
	rows := map[string][][]byte{}
	for name, b := range written {
		if b.Len() > 0 {
			rows[name] = bytes.Split(bytes.TrimSpace(b.Bytes()), []byte("\n"))
		}
	}
	return rows
}

// TestRowsHaveEveryColumn: what an export writes into a table is what an import reads from it, and an import reads
// the rows of earlier exports, which lack some columns.
func TestRowsHaveEveryColumn(t *testing.T) {
	engines(t, func(t *testing.T, in *instance) {
		ctx := t.Context()
		space, err := in.CreateSpace(ctx, in.owner, valid(t, api.CreateSpace{WorkspaceID: in.workspace,
			Body: api.SpaceFields{Name: "space"}}))
		must(t, err)
		_, err = in.CreateView(ctx, in.owner, valid(t, api.CreateView{Body: api.NewView{WorkspaceID: &in.workspace,
			ViewFields: api.ViewFields{Name: "view", Query: "space:" + space.ID}}}))
		must(t, err)
		slice := in.file(t, api.SliceFields{Summary: "s", SpaceID: &space.ID, Labels: []string{"label"}})
		comment, err := in.CreateComment(ctx, in.owner,
			valid(t, api.CreateComment{SliceID: slice.ID, Body: api.CommentFields{Body: "b"}}))
		must(t, err)
		_, err = in.SetReaction(ctx, in.owner, valid(t, api.SetReaction{CommentID: comment.ID,
			Body: api.ReactionSetting{Kind: "eyes"}}))
		must(t, err)
		console := api.ConsoleEntry{Level: "error", Timestamp: api.At(time.Now()), Message: "m"}
		filed := api.NewSlice{WorkspaceID: &in.workspace, SliceFields: api.SliceFields{Summary: "t"},
			Evidence: &api.Evidence{Console: []api.ConsoleEntry{console}}}
		_, err = in.CreateSlice(ctx, in.owner, valid(t, api.CreateSlice{Body: filed}))
		must(t, err)
		rows := in.export(t)
		for _, table := range store.ExportTables() {
			if len(rows[table]) == 0 {
				t.Errorf("the table %s has no row", table)
				continue
			}
			var written map[string]any
			must(t, json.Unmarshal(rows[table][0], &written))
			read := portable.Columns(table)
			if table == "events" { // early exports have these
				read = slices.DeleteFunc(read,
					func(c string) bool { return c == "request_id" || c == "client_address" })
			}
			slices.Sort(read)
			if columns := slices.Sorted(maps.Keys(written)); !slices.Equal(columns, read) {
				t.Errorf("%s: an export writes the columns\n%v\nand an import reads\n%v", table, columns, read)
			}
			for _, column := range portable.LaterColumns(table) {
				delete(written, column)
			}
			earlier, err := json.Marshal(written)
			must(t, err)
			if err := portable.ReadRow(table, earlier); err != nil {
				t.Errorf("%s: the row of an earlier export: %v", table, err)
			}
		}
	})
}

// TestImportBeside: reports filed during an import take no number of its slices.
func TestImportBeside(t *testing.T) {
	engines(t, func(t *testing.T, in *instance) {
		in.file(t, api.SliceFields{Summary: "a"})
		in.file(t, api.SliceFields{Summary: "b"})
		rows := in.export(t)
		options := portable.ImportOptions{ArchiveID: "archive"}
		im, err := portable.Begin(t.Context(), in.operator.OrganizationOperator, options, rows["workspaces"][0])
		must(t, err)
		must(t, im.Records(t.Context(), "users", rows["users"], nil))
		must(t, im.Records(t.Context(), "slices", rows["slices"][:1], nil))
		in.workspace = im.WorkspaceID()
		if made := in.file(t, api.SliceFields{Summary: "meanwhile"}); made.Number != 3 {
			t.Errorf("number %d", made.Number)
		}
		must(t, im.Records(t.Context(), "slices", rows["slices"][1:], nil))
	})
}

// TestImportKeepsKeys: an imported workspace has the key of the export when it is free in the organisation, and
// otherwise one from its name. References to its slices work, also in activities of other slices.
func TestImportKeepsKeys(t *testing.T) {
	engines(t, func(t *testing.T, in *instance) {
		in.file(t, api.SliceFields{Summary: "a"})
		rows := in.export(t)
		of := string(rows["workspaces"][0])
		for i, c := range []struct{ line, key string }{
			{of, "ONE2"},
			{strings.Replace(of, `"ONE"`, `"MOVED"`, 1), "MOVED"},
			{strings.Replace(of, `"key":"ONE",`, "", 1), "ONE3"},
			{strings.Replace(of, `"ONE"`, `"one"`, 1), ""},
			{strings.Replace(of, `"ONE"`, `"<b>"`, 1), ""},
			{strings.Replace(of, `"ONE"`, `"TOOLONG"`, 1), ""},
		} {
			im, err := portable.Begin(t.Context(), in.operator.OrganizationOperator,
				portable.ImportOptions{ArchiveID: fmt.Sprint(i)}, []byte(c.line))
			if c.key == "" {
				if err == nil || !strings.Contains(err.Error(), "/key") {
					t.Errorf("%s: %v", c.line, err)
				}
				continue
			}
			must(t, err)
			for _, table := range []string{"users", "slices", "events"} {
				must(t, im.Records(t.Context(), table, rows[table], nil))
			}
			s, err := in.GetSlice(t.Context(), in.owner, valid(t, api.GetSlice{SliceID: c.key + "-1"}))
			must(t, err)
			if s.WorkspaceID != im.WorkspaceID() || s.Reference != c.key+"-1" {
				t.Errorf("%s-1 is %s of %s", c.key, s.Reference, s.WorkspaceID)
			}
		}
	})
}
