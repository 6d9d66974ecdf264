package tracker_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
)

// TestFixedInRelease: the release of a fix stands beside a resolution and goes with it. Without a resolution it is
// refused, and so is the word by which filters mean the newest release.
func TestFixedInRelease(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		fixed := func(s api.Slice, err error) string {
			t.Helper()
			must(t, err)
			if s.FixedInRelease == nil {
				return ""
			}
			return *s.FixedInRelease
		}
		made, err := w.fingerprinted(t, "print", false)
		must(t, err)
		for name, c := range map[string]struct {
			patch api.SlicePatch
			fault string
		}{
			"open":        {api.SlicePatch{"fixedInRelease": "2.0"}, "/fixedInRelease not_resolved"},
			"in progress": {api.SlicePatch{"status": "in_progress", "fixedInRelease": "2.0"}, "/fixedInRelease not_resolved"},
			"a word":      {api.SlicePatch{"status": "resolved", "fixedInRelease": "newest"}, "/fixedInRelease not_a_release"},
		} {
			_, err := w.patch(t, made.ID, c.patch)
			var p *api.Problem
			if !errors.As(err, &p) || len(p.Errors) != 1 {
				t.Fatalf("%s: %v", name, err)
			}
			assert.Equal(t, name, p.Errors[0].Pointer+" "+p.Errors[0].Code, c.fault)
		}
		_, err = w.CreateSlice(t.Context(), w.owner, valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
			SliceFields: api.SliceFields{Summary: "s", FixedInRelease: new("2.0")}}}))
		wantCode(t, err, api.CodeInvalidBody)

		assert.Equal(t, "resolved", fixed(w.patch(t, made.ID, api.SlicePatch{"status": "resolved", "fixedInRelease": "2.0"})), "2.0")
		assert.Equal(t, "closed", fixed(w.patch(t, made.ID, api.SlicePatch{"status": "closed"})), "2.0")
		assert.Equal(t, "removed", fixed(w.patch(t, made.ID, api.SlicePatch{"fixedInRelease": nil})), "")
		assert.Equal(t, "set later", fixed(w.patch(t, made.ID, api.SlicePatch{"fixedInRelease": "2.1"})), "2.1")
		assert.Equal(t, "opened", fixed(w.patch(t, made.ID, api.SlicePatch{"status": "open"})), "")
		must(t, second(w.patch(t, made.ID, api.SlicePatch{"status": "resolved", "fixedInRelease": "2.2"})))
		again, err := w.fingerprinted(t, "print", true)
		must(t, err)
		assert.Equal(t, "filed again", fixed(again.Slice, nil), "")
		p, err := w.ListActivity(t.Context(), w.owner, valid(api.ListActivity{SliceID: made.ID, Paging: api.Paging{Limit: 100}}))
		must(t, err)
		told := ""
		for _, c := range p.Data[len(p.Data)-1].Changes {
			if c.Field == "fixedInRelease" && c.From != nil {
				told = (*c.From).(string)
			}
		}
		assert.Equal(t, "the activity tells what was cleared", told, "2.2")
	})
}

// everyRelease returns the releases of the workspace, in pages of n.
func (w *world) everyRelease(t *testing.T, n int) (all []api.Release) {
	t.Helper()
	paging := api.Paging{Limit: n}
	for {
		page, err := w.ListReleases(t.Context(), w.owner, valid(api.ListReleases{WorkspaceID: w.workspace, Paging: paging}))
		must(t, err)
		all = append(all, page.Data...)
		if !page.Pagination.HasMore {
			return all
		}
		paging.Cursor = *page.Pagination.Cursor
	}
}

// countReleases counts the releases that all slices and their occurrences name.
func (w *world) countReleases(t *testing.T) map[string]api.Release {
	t.Helper()
	all := map[string]api.Release{}
	for _, s := range w.everySlice(t, api.SliceFilters{WorkspaceID: w.workspace}) {
		seen := map[string]bool{}
		see := func(release *string, at api.Time) {
			if release == nil {
				return
			}
			r := all[*release]
			if r.FirstSeenAt == nil || at.Before(r.FirstSeenAt.Time) {
				r.FirstSeenAt = &at
			}
			if r.LastSeenAt == nil || at.After(r.LastSeenAt.Time) {
				r.LastSeenAt = &at
			}
			if !seen[*release] {
				r.SeenCount++
			}
			seen[*release], all[*release] = true, r
		}
		see(s.Environment.Release, s.CreatedAt)
		p, err := w.ListOccurrences(t.Context(), w.owner, valid(api.ListOccurrences{SliceID: s.ID, Paging: api.Paging{Limit: 100}}))
		must(t, err)
		for _, o := range p.Data {
			if o.Number > 1 {
				see(o.Environment.Release, o.CreatedAt)
			}
		}
		if first := s.Environment.Release; first != nil {
			r := all[*first]
			r.FirstSeenCount++
			all[*first] = r
		}
		if fixed := s.FixedInRelease; fixed != nil {
			r := all[*fixed]
			r.FixedCount++
			all[*fixed] = r
		}
	}
	return all
}

// wantReleases compares the releases of the workspace with those of a count of all slices. Unless the times are exact,
// they may be those of slices that were deleted.
func (w *world) wantReleases(t *testing.T, exact bool) {
	t.Helper()
	want, got := w.countReleases(t), w.everyRelease(t, 7)
	if len(got) != len(want) || len(got) < 10 {
		t.Errorf("%d releases, want %d", len(got), len(want))
	}
	for _, r := range got {
		expected := want[r.Name]
		expected.Name = r.Name
		if e := expected.FirstSeenAt; !exact && e != nil && r.FirstSeenAt != nil && r.LastSeenAt != nil {
			if r.FirstSeenAt.After(e.Time) || r.LastSeenAt.Before(expected.LastSeenAt.Time) {
				t.Errorf("%s was seen from %s to %s, want at least %s to %s", r.Name, r.FirstSeenAt, r.LastSeenAt, e,
					expected.LastSeenAt)
			}
			expected.FirstSeenAt, expected.LastSeenAt = r.FirstSeenAt, r.LastSeenAt
		}
		assert.Equal(t, "the release "+r.Name, r, expected)
	}
}

// TestOrderOfReleases: versions are in the order of semantic versions, other names in that of their first sight, and
// they stand between the versions by that time, also across pages.
func TestOrderOfReleases(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		for _, release := range strings.Fields("2026.9.10 nightly v1.2.3-rc.1 1.2.3 2026.11.2 9f1c2ab 2026.9.9 2026.01.05 1.2") {
			w.now = w.now.Add(time.Minute)
			w.report(t, release, api.SliceFields{Summary: "s", Environment: api.Environment{Release: &release}})
		}
		s := w.report(t, "s", api.SliceFields{Summary: "s", Status: api.Closed, FixedInRelease: new("2026.12.0")})
		want := "2026.12.0 9f1c2ab 2026.11.2 nightly 2026.9.10 2026.9.9 2026.01.05 1.2.3 v1.2.3-rc.1 1.2"
		names := func(all []api.Release) string {
			texts := make([]string, len(all))
			for i, r := range all {
				texts[i] = r.Name
			}
			return strings.Join(texts, " ")
		}
		for _, n := range []int{1, 3, 100} {
			assert.Equal(t, fmt.Sprint("releases in pages of ", n), names(w.everyRelease(t, n)), want)
		}
		page, err := w.ListReleases(t.Context(), w.owner, valid(api.ListReleases{WorkspaceID: w.workspace, Paging: api.Paging{Limit: 1}}))
		must(t, err)
		must(t, second(w.patch(t, s.ID, api.SlicePatch{"fixedInRelease": nil})))
		rest, err := w.ListReleases(t.Context(), w.owner, valid(api.ListReleases{WorkspaceID: w.workspace,
			Paging: api.Paging{Limit: 100, Cursor: *page.Pagination.Cursor}}))
		must(t, err)
		if got := names(rest.Data); !strings.HasPrefix(want, "2026.12.0 9f1c2ab "+got) && !strings.HasSuffix(want, got) {
			t.Errorf("after a release that is gone: %s", got)
		}
	})
}

// TestNewestRelease: newest stands for the newest release that a report of the workspace names, in each filter, and
// the answer says which one that is and why. It is refused for several workspaces.
func TestNewestRelease(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		list := func(f api.SliceFilters) (api.Page[api.Slice], error) {
			in := valid(api.ListSlices{SliceFilters: f, Paging: ten})
			text, err := w.ListSlicesJSON(t.Context(), w.owner, in)
			if err == nil {
				var page api.Page[api.Slice]
				b, err := text.MarshalJSON()
				must(t, err)
				must(t, json.Unmarshal(b, &page))
				return page, nil
			}
			return api.Page[api.Slice]{}, err
		}
		newest := []string{api.NewestRelease}
		in := func(f api.SliceFilters) api.SliceFilters { f.WorkspaceID = w.workspace; return f }
		page, err := list(in(api.SliceFilters{Release: newest}))
		must(t, err)
		if len(page.Data) > 0 || page.NewestRelease != nil {
			t.Errorf("without releases: %+v", page)
		}
		file := func(release, fingerprint string) string {
			w.now = w.now.Add(time.Minute)
			s, err := w.CreateSlice(t.Context(), w.owner, valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
				Fingerprint: &fingerprint, SliceFields: api.SliceFields{Summary: fingerprint,
					Environment: api.Environment{Release: &release}}}}))
			must(t, err)
			return s.ID
		}
		fixed := file("1.9.0", "fixed")
		must(t, second(w.patch(t, fixed, api.SlicePatch{"status": "resolved", "fixedInRelease": "2.0.0"})))
		regressed := file("1.9.0", "regressed")
		file("1.10.0", "regressed")
		newer := file("1.10.0", "newer")
		for name, c := range map[string]struct {
			filters api.SliceFilters
			want    []string
		}{
			"release":      {api.SliceFilters{Release: newest}, []string{newer}},
			"firstRelease": {api.SliceFilters{FirstRelease: newest}, []string{newer}},
			"lastRelease":  {api.SliceFilters{LastRelease: newest}, []string{newer, regressed}},
			"fixed in it":  {api.SliceFilters{FixedInRelease: newest}, nil},
			"or another":   {api.SliceFilters{FixedInRelease: []string{"newest", "2.0.0"}}, []string{fixed}},
			"not in it":    {api.SliceFilters{Not: api.Exclusions{LastRelease: newest}}, []string{fixed}},
			"not first":    {api.SliceFilters{Not: api.Exclusions{FirstRelease: newest}}, []string{regressed, fixed}},
		} {
			page, err := list(in(c.filters))
			must(t, err)
			var ids []string
			for _, s := range page.Data {
				ids = append(ids, s.ID)
			}
			assert.Equal(t, name, ids, c.want)
			assert.Equal(t, name, page.NewestRelease, &api.ChosenRelease{Name: "1.10.0", ChosenBy: "version", PassedOver: []string{}})
		}
		counts, err := w.CountSlices(t.Context(), w.owner, valid(api.CountSlices{SliceFilters: in(api.SliceFilters{LastRelease: newest})}))
		must(t, err)
		assert.Equal(t, "counted", counts.Data[0].Count, int64(2))
		assert.Equal(t, "the newest of counts", counts.NewestRelease.Name, "1.10.0")
		file("99999999999.0.0", "absurd")
		file("nightly", "nightly")
		page, err = list(in(api.SliceFilters{Release: newest}))
		must(t, err)
		assert.Equal(t, "one absurd report", page.NewestRelease, &api.ChosenRelease{Name: "1.10.0", ChosenBy: "version",
			PassedOver: []string{"nightly", "99999999999.0.0"}})
		file("nightly", "another nightly")
		page, err = list(in(api.SliceFilters{Release: newest}))
		must(t, err)
		assert.Equal(t, "a name", page.NewestRelease, &api.ChosenRelease{Name: "nightly", ChosenBy: "first_seen",
			PassedOver: []string{}})

		must(t, second(list(api.SliceFilters{Release: newest})))
		must(t, second(w.CreateWorkspace(t.Context(), w.owner, valid(api.CreateWorkspace{Body: api.WorkspaceFields{Name: "Second"}}))))
		_, err = list(api.SliceFilters{Not: api.Exclusions{FixedInRelease: newest}})
		wantCode(t, err, api.CodeInvalidParameter)
	})
}

// TestManyReleasesOfASlice: a slice counts for the first release and the 100 releases that it was last seen with.
func TestManyReleasesOfASlice(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		for n := range 105 {
			w.now = w.now.Add(time.Minute)
			must(t, second(w.CreateSlice(t.Context(), w.owner, valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
				Fingerprint: new("print"), SliceFields: api.SliceFields{Summary: "s",
					Environment: api.Environment{Release: new(fmt.Sprint("1.", n))}}}}))))
		}
		all := w.everyRelease(t, 100)
		assert.Equal(t, "releases", len(all), 101)
		for _, gone := range []string{"1.1", "1.4"} {
			if slices.ContainsFunc(all, func(r api.Release) bool { return r.Name == gone }) {
				t.Errorf("%s is counted", gone)
			}
		}
		assert.Equal(t, "the newest", all[0].Name, "1.104")
		assert.Equal(t, "the first", all[100].Name, "1.0")
	})
}
