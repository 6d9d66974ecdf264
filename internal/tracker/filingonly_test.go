package tracker_test

import (
	"errors"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
	"bugslice/internal/tracker"
)

// filingKey returns the caller of a new service token that files only.
func (w *world) filingKey(t *testing.T) access.Caller {
	t.Helper()
	k, err := w.CreateKey(t.Context(), w.owner, valid(api.CreateKey{Body: api.KeyFields{Name: "page", Type: api.WST,
		WorkspaceID: &w.workspace, Scopes: []api.Scope{api.SlicesWrite}, FilesOnly: true}}))
	must(t, err)
	assert.Equal(t, "the key says so", k.FilesOnly, true)
	return w.authenticate(t, k.Token)
}

// TestKeysThatFileOnly: a key that files only is refused every operation but those of filing, by a message that says
// so. It has one scope.
func TestKeysThatFileOnly(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		f := newFixture(t, w)
		c := w.filingKey(t)
		for _, op := range operations {
			if op.id == api.OpCreateSlice || op.id == api.OpCreateAttachment {
				continue
			}
			_, err := op.call(t.Context(), f, c)
			problem, ok := errors.AsType[*api.Problem](err)
			if !ok || problem.Code != api.CodeForbidden || !strings.Contains(problem.Detail, "files reports only") {
				t.Errorf("%s: %v", op.id, err)
			}
		}
		for _, scopes := range [][]api.Scope{{api.SlicesRead}, {api.SlicesRead, api.SlicesWrite}} {
			_, err := w.CreateKey(t.Context(), w.owner, valid(api.CreateKey{Body: api.KeyFields{Name: "page", Type: api.WST,
				WorkspaceID: &w.workspace, Scopes: scopes, FilesOnly: true}}))
			if problem, ok := errors.AsType[*api.Problem](err); !ok || len(problem.Errors) != 1 || problem.Errors[0].Pointer != "/scopes" {
				t.Errorf("a key that files only with %v: %v", scopes, err)
			}
		}
	})
}

// TestFilingTellsNothing: the response to a report with a key that files only is the same for a new slice and for an
// occurrence of one that others have filed and closed, without hints. Members that would tell something are refused.
func TestFilingTellsNothing(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, c := t.Context(), w.filingKey(t)
		secret := "a title of the team"
		theirs := w.report(t, "known", api.SliceFields{Summary: secret, Labels: []string{"internal"}})
		file := func(in api.NewSlice, hints bool) (api.FiledSlice, error) {
			in.Summary = "from a page"
			return w.CreateSlice(ctx, c, valid(api.CreateSlice{Body: in, Hints: hints}))
		}
		fresh, err := file(api.NewSlice{Fingerprint: new("fresh")}, true)
		must(t, err)
		found, err := file(api.NewSlice{Fingerprint: new("known"), AssigneeEmail: new("owner@test.example")}, true)
		must(t, err)
		assert.Equal(t, "it is an occurrence", found.ID, theirs.ID)
		assert.Equal(t, "it was counted", w.slice(t, theirs.ID).OccurrenceCount, int64(2))
		assert.Equal(t, "it does not exist", found.Existing(), false)
		found.ID, found.Number, found.Reference, found.URL = fresh.ID, fresh.Number, fresh.Reference, fresh.URL
		found.Fingerprint = fresh.Fingerprint
		found.CreatedAt, found.UpdatedAt, found.LastSeenAt = fresh.CreatedAt, fresh.UpdatedAt, fresh.LastSeenAt
		assert.Equal(t, "both responses", found, fresh)
		me := w.owner.ID
		for pointer, in := range map[string]api.NewSlice{"/assigneeId": {SliceFields: api.SliceFields{AssigneeID: &me}},
			"/status":        {SliceFields: api.SliceFields{Status: api.Closed}},
			"/externalId":    {SliceFields: api.SliceFields{ExternalID: new("1")}},
			"/duplicateOfId": {SliceFields: api.SliceFields{DuplicateOfID: &theirs.ID}}} {
			_, err := file(in, false)
			if problem, ok := errors.AsType[*api.Problem](err); !ok || len(problem.Errors) != 1 || problem.Errors[0].Pointer != pointer {
				t.Errorf("%s: %v", pointer, err)
			}
		}
	})
}

// TestFilesOfAFilingKey: a key that files only adds files to slices that it has filed or reported again, and to no
// other one, which is then like one that does not exist.
func TestFilesOfAFilingKey(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.limited(t, 0, 0) // with a storage of files
		ctx, c := t.Context(), w.filingKey(t)
		theirs := w.report(t, "known", api.SliceFields{Summary: "theirs"})
		attach := func(id string) error {
			_, err := w.CreateAttachment(ctx, c, valid(api.CreateAttachment{SliceID: id, Name: "a.txt"}),
				tracker.Upload{Body: strings.NewReader("text"), ContentType: "text/plain", Length: 4})
			return err
		}
		file := func(fingerprint string) api.FiledSlice {
			filed, err := w.CreateSlice(ctx, c, valid(api.CreateSlice{Body: api.NewSlice{Fingerprint: &fingerprint,
				SliceFields: api.SliceFields{Summary: "s"}}}))
			must(t, err)
			return filed
		}
		for _, id := range []string{theirs.ID, theirs.Reference} {
			if problem, ok := errors.AsType[*api.Problem](attach(id)); !ok || problem.Code != api.CodeNotFound {
				t.Errorf("a file of another slice is stored")
			}
		}
		must(t, attach(file("own").ID))
		must(t, attach(file("known").ID))
	})
}
