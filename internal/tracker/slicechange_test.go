package tracker_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
)

// changeOf returns a change that comments on a slice, resolves it and marks a duplicate.
func changeOf(s, duplicate api.Slice) (in api.ChangeSlice) {
	in.SliceID = s.ID
	in.Body = api.SliceChangeRequest{Comment: new("Fixed."), Duplicates: []string{duplicate.Reference},
		Patch: api.SlicePatch{"status": "resolved", "resolution": "fixed"}}
	return in
}

// stateOf returns what a change could have changed of slices: versions, statuses and numbers of comments.
func (w *world) stateOf(t *testing.T, all ...api.Slice) (state []any) {
	for _, s := range all {
		s, err := w.GetSlice(t.Context(), w.owner, valid(api.GetSlice{SliceID: s.ID, MaxTokens: 500}))
		must(t, err)
		state = append(state, s.Version, s.Status, s.CommentCount)
	}
	return append(state, len(w.events(t)))
}

// TestChangeIsOne: a change is tried without a trace, carried out once whatever is retried, and says what it did.
func TestChangeIsOne(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		s, duplicate := w.file(t, "one", ""), w.file(t, "two", "")
		in := changeOf(s, duplicate)
		in.IdempotencyKey, in.Body.DryRun = "tried", true
		before := w.stateOf(t, s, duplicate)
		tried, err := w.ChangeSlice(t.Context(), w.owner, valid(in))
		must(t, err)
		assert.Equal(t, "state after a dry run", w.stateOf(t, s, duplicate), before)
		in.IdempotencyKey, in.Body.DryRun = "done", false
		done, err := w.ChangeSlice(t.Context(), w.owner, valid(in))
		must(t, err)
		again, err := w.ChangeSlice(t.Context(), w.owner, valid(in))
		must(t, err)
		assert.Equal(t, "the response to a retry", again, done)
		var fields []string
		for _, c := range done.Changes {
			fields = append(fields, c.Field)
		}
		assert.Equal(t, "changed members", strings.Join(fields, " "), "resolution status")
		assert.Equal(t, "duplicates", done.Duplicates, []string{duplicate.Reference})
		assert.Equal(t, "what was tried", tried.Slice.Version, done.Slice.Version)
		state := w.stateOf(t, s, duplicate)
		assert.Equal(t, "state", state[1:6], []any{api.Resolved, int64(1), int64(2), api.Resolved, int64(0)})
		assert.Equal(t, "comment", done.Comment.Body, "Fixed.")
	})
}

// TestChangeIsRefusedWhole: a change with a fault in any part stores nothing, and the refusal names every fault.
func TestChangeIsRefusedWhole(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		s, duplicate := w.file(t, "one", ""), w.file(t, "two", "")
		before := w.stateOf(t, s, duplicate)
		stranger := "usr_00000000000000000000000000"
		for name, c := range map[string]struct {
			spoil func(*api.SliceChangeRequest)
			code  string
			at    string
		}{
			"an unknown duplicate": {func(r *api.SliceChangeRequest) { r.Duplicates = append(r.Duplicates, "WEB-99") },
				api.CodeInvalidBody, "/duplicates/1"},
			"itself": {func(r *api.SliceChangeRequest) { r.Duplicates = append(r.Duplicates, s.ID) },
				api.CodeInvalidBody, "/duplicates/1"},
			"every part": {func(r *api.SliceChangeRequest) {
				r.Patch["assigneeId"], r.Duplicates = stranger, []string{"WEB-98", duplicate.ID, "WEB-99"}
			}, api.CodeInvalidBody, "/patch/assigneeId /duplicates/0 /duplicates/2"},
			"a wrong status": {func(r *api.SliceChangeRequest) { r.Patch["status"] = "open" },
				api.CodeInvalidBody, "/patch/resolution"},
			"an old version": {func(r *api.SliceChangeRequest) { r.IfMatch = `"0"` }, api.CodePrecondition, ""},
		} {
			in := changeOf(s, duplicate)
			c.spoil(&in.Body)
			_, err := w.ChangeSlice(t.Context(), w.owner, valid(in))
			var p *api.Problem
			if !errors.As(err, &p) {
				t.Fatalf("%s: %v", name, err)
			}
			var at []string
			for _, f := range p.Errors {
				at = append(at, f.Pointer)
			}
			assert.Equal(t, name, []string{p.Code, strings.Join(at, " ")}, []string{c.code, c.at})
			assert.Equal(t, "state after "+name, w.stateOf(t, s, duplicate), before)
		}
	})
}

// TestChangesAtOnce: two changes that mark each other's slices as duplicates do not wait for each other, and one wins.
func TestChangesAtOnce(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		for range 5 {
			a, b := w.file(t, "one", ""), w.file(t, "two", "")
			failed := make(chan error, 2)
			for _, pair := range [][2]api.Slice{{a, b}, {b, a}} {
				go func() {
					_, err := w.ChangeSlice(context.WithoutCancel(t.Context()), w.owner, valid(changeOf(pair[0], pair[1])))
					failed <- err
				}()
			}
			first, second := <-failed, <-failed
			if (first == nil) == (second == nil) {
				t.Fatalf("one of both must be refused: %v, %v", first, second)
			}
		}
	})
}

// TestChangeFixedInNewest: newest as the release of a fix is the newest release that counts; the answer says which one
// that is, and warns when the newest report of the bug names it. Without a release it is refused.
func TestChangeFixedInNewest(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		fix := func(id, release string, dryRun bool) (api.SliceChange, error) {
			return w.ChangeSlice(t.Context(), w.owner, valid(api.ChangeSlice{SliceID: id, Body: api.SliceChangeRequest{DryRun: dryRun,
				Patch: api.SlicePatch{"status": "resolved", "fixedInRelease": release}}}))
		}
		none := w.file(t, "without a release", "")
		_, err := fix(none.ID, "newest", false)
		assert.Equal(t, "refused", faultOf(t, err), "/patch/fixedInRelease not_a_release")
		in := func(release, fingerprint string) string {
			return w.report(t, fingerprint, api.SliceFields{Environment: api.Environment{Release: &release}}).ID
		}
		old, seen := in("1.9.0", "old"), in("1.10.0", "seen")
		in("99999999999.0.0", "absurd")
		want := &api.ChosenRelease{Name: "1.10.0", ChosenBy: "version", PassedOver: []string{"99999999999.0.0"}}
		for _, dryRun := range []bool{true, false} {
			out, err := fix(seen, "newest", dryRun)
			must(t, err)
			assert.Equal(t, "newest", out.NewestRelease, want)
			assert.Equal(t, "fixed in", *out.Slice.FixedInRelease, "1.10.0")
			if len(out.Warnings) != 1 || out.Warnings[0].Code != "still_seen" {
				t.Errorf("warnings: %+v", out.Warnings)
			}
		}
		out, err := fix(old, "newest", false)
		must(t, err)
		assert.Equal(t, "warnings for a bug of an older release", len(out.Warnings), 0)
		out, err = fix(none.ID, "1.10.0", false)
		must(t, err)
		assert.Equal(t, "a name", out.NewestRelease, (*api.ChosenRelease)(nil))
		in("1.9.0", "named")
		out, err = fix(in("1.10.0", "named"), "1.10.0", false)
		must(t, err)
		assert.Equal(t, "warnings of a name that the last report has", len(out.Warnings), 1)
	})
}

// faultOf returns the pointer and the code of the only fault of a refusal.
func faultOf(t *testing.T, err error) string {
	t.Helper()
	var p *api.Problem
	if !errors.As(err, &p) || len(p.Errors) != 1 {
		t.Fatalf("%v has not one fault", err)
	}
	return p.Errors[0].Pointer + " " + p.Errors[0].Code
}
