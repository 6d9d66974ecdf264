package demo

import (
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
	"bugslice/internal/blob"
	"bugslice/internal/id"
	"bugslice/internal/operator"
	"bugslice/internal/password/passwordtest"
	"bugslice/internal/secret"
	"bugslice/internal/store"
	"bugslice/internal/store/storetest"
	"bugslice/internal/tracker"
)

// empty returns an empty instance on SQLite; the stories fill one on PostgreSQL, too.
func empty(t *testing.T) Instance { t.Helper(); return emptyOn(t, "sqlite") }

func emptyOn(t *testing.T, engine string) Instance {
	t.Helper()
	o, err := storetest.Migrated(engine, t.TempDir())
	must(t, err)
	s, err := store.Open(o)
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	ring, err := secret.Parse(strings.Repeat("ab", 32))
	must(t, err)
	blobs, err := blob.Open("", t.TempDir(), func(string) string { return "" })
	must(t, err)
	options := tracker.Options{Store: access.Seal(s), Secrets: ring, Passwords: passwordtest.Weak(),
		BaseURL: "http://test", Blobs: blobs}
	service, authority := tracker.New(options)
	must(t, service.BindFiles(t.Context()))
	return Instance{Tracker: service, Operator: operator.Operator{Operator: authority},
		WithClock: func(now func() time.Time) (*tracker.Tracker, operator.Operator) {
			o := options
			o.Now, o.NewID = now, func(prefix string) string { return id.At(prefix, now()) }
			past, authority := tracker.New(o)
			return past, operator.Operator{Operator: authority}
		}}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestFill: the captured reports were filed in the past, in the order of their numbers, each soon after its evidence.
func TestFill(t *testing.T) {
	t.Parallel()
	in := empty(t)
	began := time.Now()
	filled, err := fill(t.Context(), in)
	must(t, err)
	c, err := in.Tracker.Authenticate(t.Context(), filled.PAT)
	must(t, err)
	page, err := call(t.Context(), c, in.Tracker.ListSlices, api.ListSlices{Paging: api.Paging{Limit: 100},
		SliceFilters: api.SliceFilters{Label: []string{"captured"}}})
	must(t, err)
	assert.Equal(t, "captured reports", len(page.Data), len(CapturedReports))
	for i, s := range page.Data {
		if i > 0 && (s.Number != page.Data[i-1].Number-1 || !s.CreatedAt.Before(page.Data[i-1].CreatedAt.Time)) {
			t.Errorf("%s of %s follows %s of %s", s.Reference, s.CreatedAt, page.Data[i-1].Reference,
				page.Data[i-1].CreatedAt)
		}
		if s.Via != nil && s.Reporter.Type != "service" {
			t.Errorf("%s says that %s has filed it with the key %s", s.Reference, s.Reporter.Name, s.Via.Name)
		}
		checkFiled(t, in.Tracker, c, s, began)
	}
	checkActivity(t, in.Tracker, c)
	checkCause(t, in.Tracker, c, page.Data)
}

// checkCause: the Markdown of the checkout that fails names the cause from the evidence alone, in few tokens: without
// its comments, the request that succeeded is suspicious, and the page is read around the failures. Every occurrence
// names it.
func checkCause(t *testing.T, service *tracker.Tracker, c access.Caller, all []api.Slice) {
	t.Helper()
	at := slices.IndexFunc(all, func(s api.Slice) bool { return strings.Contains(s.Summary, "finished campaign") })
	for occurrence := range 4 {
		read, err := call(t.Context(), c, service.Markdown,
			api.GetSlice{SliceID: all[at].ID, MaxTokens: 3500, Occurrence: occurrence})
		must(t, err)
		text, _, _ := strings.Cut(read, "\n## Comments")
		assert.Contains(t, "the Markdown", text, ` GET /api/discounts → 200 OK
  suspicious: "terms": null in codes.AUTUMN15 {"campaign":"autumn-2026","endsAt":"2026-10-31T22:59:59Z","terms":null}, `+
			`elsewhere {"terms":{"percent":5}}; a later error reads percent of null
`, "GET /api/account/reviews → 200 OK\n  suspicious: HTML where JSON was asked for\n",
			"[Applying…, disabled]", `the page shows now "Something went wrong on our side.`, "POST /api/orders → 500",
			"release `2026.11.2`", "the same failures as in occurrence")
		if n := len(read); n > 3500*4 {
			t.Errorf("occurrence %d: %d bytes", occurrence, n)
		}
	}
}

// checkActivity: each report was filed when its first event says, whatever its age.
func checkActivity(t *testing.T, service *tracker.Tracker, c access.Caller) {
	t.Helper()
	oldest, err := call(t.Context(), c, service.ListSlices,
		api.ListSlices{Paging: api.Paging{Limit: 100}, Order: "asc"})
	must(t, err)
	for _, s := range oldest.Data {
		listed, err := call(t.Context(), c, service.ListActivity,
			api.ListActivity{SliceID: s.ID, Paging: api.Paging{Limit: 1}})
		must(t, err)
		if len(listed.Data) != 1 || listed.Data[0].Timestamp.Sub(s.CreatedAt.Time).Abs() > time.Minute {
			t.Errorf("%s of %s was filed at %+v", s.Reference, s.CreatedAt, listed.Data)
		}
	}
}

// checkFiled checks a report against its description.
func checkFiled(t *testing.T, service *tracker.Tracker, c access.Caller, s api.Slice, began time.Time) {
	t.Helper()
	at := slices.IndexFunc(CapturedReports, func(r CapturedReport) bool { return r.Summary == s.Summary })
	if at < 0 {
		t.Fatalf("no report is called %s", s.Summary)
	}
	r := CapturedReports[at]
	assert.Equal(t, "occurrences of "+s.Summary, s.OccurrenceCount, int64(len(r.Visits)))
	first, last := r.Visits[0], r.Visits[len(r.Visits)-1]
	checkNear(t, s.Summary+" filed", s.CreatedAt.Time, began.Add(-first.Ago.Duration))
	checkNear(t, s.Summary+" last seen", s.LastSeenAt.Time, began.Add(-last.Ago.Duration))
	console, err := call(t.Context(), c, service.ListConsole,
		api.ListConsole{SliceID: s.ID, Paging: api.Paging{Limit: 1}})
	must(t, err)
	if len(console.Data) == 0 || console.Data[0].Timestamp.After(s.LastSeenAt.Time) ||
		console.Data[0].Timestamp.Before(s.CreatedAt.Add(-30*time.Minute)) {
		t.Errorf("%s was filed at %s, and its console begins with %v", s.Summary, s.CreatedAt, console.Data)
	}
	files, err := call(t.Context(), c, service.ListAttachments,
		api.ListAttachments{SliceID: s.ID, Paging: api.Paging{Limit: 100}})
	must(t, err)
	for _, f := range files.Data {
		if f.CreatedAt.Before(s.CreatedAt.Time) || f.CreatedAt.After(s.LastSeenAt.Add(time.Minute)) {
			t.Errorf("%s of %s was added at %s", f.Name, s.Summary, f.CreatedAt)
		}
	}
}

func checkNear(t *testing.T, name string, got, want time.Time) {
	t.Helper()
	if got.Sub(want).Abs() > 10*time.Minute {
		t.Errorf("%s at %s, want %s", name, got, want)
	}
}
