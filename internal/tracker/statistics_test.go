package tracker_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/id"
	"bugslice/internal/store"
	"bugslice/internal/store/storetest"
	"bugslice/internal/tracker"
)

func (w *world) statistics(t *testing.T, in api.GetStatistics) api.Statistics {
	t.Helper()
	in.WorkspaceID = w.workspace
	out, err := w.GetStatistics(t.Context(), w.owner, valid(in))
	must(t, err)
	return out
}

// countStatistics counts all slices for a request whose period and time zone are given.
func countStatistics(t *testing.T, all []api.Slice, in api.GetStatistics, now time.Time) api.Statistics {
	t.Helper()
	zone, err := time.LoadLocation(in.TimeZone)
	must(t, err)
	date := func(at time.Time) string { return at.In(zone).Format(time.DateOnly) }
	first, err := time.Parse(time.DateOnly, in.From)
	must(t, err)
	out := api.Statistics{From: in.From, To: in.To, TimeZone: in.TimeZone}
	index := map[string]int{}
	for day := first; day.Format(time.DateOnly) <= in.To; day = day.AddDate(0, 0, 1) {
		index[day.Format(time.DateOnly)] = len(out.Days)
		out.Days = append(out.Days, api.DayStatistics{Date: day.Format(time.DateOnly)})
	}
	today, err := time.Parse(time.DateOnly, date(now))
	must(t, err)
	six, twentyNine, eightyNine, year := int64(6), int64(29), int64(89), int64(364)
	out.Open = []api.AgeStatistics{{MaxDays: new(int64)}, {MinDays: 1, MaxDays: &six},
		{MinDays: 7, MaxDays: &twentyNine},
		{MinDays: 30, MaxDays: &eightyNine}, {MinDays: 90, MaxDays: &year}, {MinDays: 365}}
	labels, releases, fingerprints := map[string]int64{}, map[string]int64{}, map[string]int64{}
	var seconds []int64
	for _, s := range all {
		if s.Status == api.Open || s.Status == api.InProgress {
			created, err := time.Parse(time.DateOnly, date(s.CreatedAt.Time))
			must(t, err)
			age := int64(today.Sub(created) / (24 * time.Hour))
			i := slices.IndexFunc(out.Open,
				func(a api.AgeStatistics) bool { return a.MaxDays == nil || age <= *a.MaxDays })
			out.Open[i].Count++
		}
		if s.ResolvedAt != nil {
			if i, ok := index[date(s.ResolvedAt.Time)]; ok {
				out.Days[i].Resolved++
				seconds = append(seconds, int64(s.ResolvedAt.Sub(s.CreatedAt.Time)/time.Second))
			}
		}
		i, ok := index[date(s.CreatedAt.Time)]
		if !ok {
			continue
		}
		out.Days[i].Opened++
		for _, l := range s.Labels {
			labels[l]++
		}
		if s.Environment.Release != nil {
			releases[*s.Environment.Release]++
		}
		if s.Fingerprint != nil {
			fingerprints[*s.Fingerprint] += s.OccurrenceCount
		}
	}
	slices.Sort(seconds)
	if n := len(seconds); n > 0 {
		out.TimeToResolve = api.TimeToResolve{Count: int64(n), Median: &seconds[(n*50+99)/100-1],
			P90: &seconds[(n*90+99)/100-1]}
	}
	out.Labels, out.Releases = api.TopValues{Data: top(labels), Complete: true},
		api.TopValues{Data: top(releases), Complete: true}
	out.Fingerprints = api.TopFingerprints{Data: []api.FingerprintCount{}, Complete: true}
	maps.DeleteFunc(fingerprints, func(_ string, n int64) bool { return n == 1 })
	for _, v := range top(fingerprints) {
		out.Fingerprints.Data = append(out.Fingerprints.Data,
			api.FingerprintCount{Fingerprint: v.Value, Occurrences: v.Count})
	}
	out.Webhooks = &api.WebhookStatistics{Data: []api.DeliveryStatistics{}}
	return out
}

// top returns the ten greatest counts.
func top(counts map[string]int64) []api.ValueCount {
	all := []api.ValueCount{}
	for value, n := range counts {
		all = append(all, api.ValueCount{Value: value, Count: n})
	}
	slices.SortFunc(all, func(a, b api.ValueCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value))
	})
	return all[:min(len(all), 10)]
}

// wantStatistics compares the statistics of a request with those of a count of all slices: times to resolve to a tenth.
func (w *world) wantStatistics(t *testing.T, in api.GetStatistics) {
	t.Helper()
	got := w.statistics(t, in)
	want := countStatistics(t, w.everySlice(t, api.SliceFilters{WorkspaceID: w.workspace}), in, w.now)
	for _, times := range [][2]*int64{{got.TimeToResolve.Median, want.TimeToResolve.Median},
		{got.TimeToResolve.P90, want.TimeToResolve.P90}} {
		if (times[0] == nil) != (times[1] == nil) {
			t.Errorf("%+v: times to resolve: %s, want %s", in, marshal(t, got.TimeToResolve),
				marshal(t, want.TimeToResolve))
		} else if times[0] != nil && math.Abs(float64(*times[0]-*times[1])) > float64(*times[1])/10 {
			t.Errorf("%+v: %d seconds, want %d", in, *times[0], *times[1])
		}
	}
	got.TimeToResolve.Median, got.TimeToResolve.P90 = want.TimeToResolve.Median, want.TimeToResolve.P90
	for i, n := range got.Fingerprints.Data {
		if n.Slice == nil || n.Slice.Reference == "" {
			t.Errorf("no slice of the fingerprint %s", n.Fingerprint)
		}
		got.Fingerprints.Data[i].Slice = nil
	}
	assert.Equal(t, fmt.Sprintf("%+v", in), got, want)
}

// zones are time zones with offsets of hours, half and quarter hours, changes of an hour and of half an hour, and a
// change at midnight.
var zones = []string{"UTC", "Europe/Stockholm", "Asia/Kathmandu", "America/St_Johns",
	"Australia/Lord_Howe", "Pacific/Chatham", "Asia/Beirut", "Pacific/Kiritimati"}

// historian does random things to the slices of a world.
type historian struct {
	*world
	random *rand.Rand
	ids    []string
}

func (h *historian) labels() []string {
	labels := []string{}
	for i := range 13 {
		if h.random.IntN(6) == 0 {
			labels = append(labels, fmt.Sprint("label ", i))
		}
	}
	return labels
}

// environment has a release or none.
func (h *historian) environment() (e api.Environment) {
	if n := h.random.IntN(14); n > 0 {
		release := fmt.Sprint("1.", n)
		e.Release = &release
	}
	return e
}

func (h *historian) fields() api.SliceFields {
	return api.SliceFields{Summary: "s", Labels: h.labels(), Environment: h.environment()}
}

// importReport files a slice of the past, which may be resolved.
func (h *historian) importReport(t *testing.T) {
	at := h.now.Add(-time.Duration(h.random.Int64N(int64(400 * 24 * time.Hour))))
	s := store.Slice{Slice: api.Slice{ID: id.At(id.Slice, at), WorkspaceID: h.workspace, CreatedAt: api.At(at),
		Version:  1,
		Reporter: api.Reporter{Type: "guest", Name: "Ada"}, SliceFields: h.fields()}}
	var resolved *time.Time
	if h.random.IntN(2) == 0 {
		s.Status = api.Closed
		later := at.Add(time.Duration(math.Exp(h.random.Float64()*16)) * time.Second)
		resolved = &later
	}
	must(t, h.In(h.owner.Organization).InTransaction(t.Context(), func(tx *tracker.OperatorTx) error {
		imported := s
		return tx.InsertHistoricalSlice(&imported, resolved)
	}))
	h.ids = append(h.ids, s.ID)
}

// step does something, which a record may refuse.
func (h *historian) step(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	if h.random.IntN(3) == 0 {
		h.now = h.now.Add(time.Duration(h.random.Int64N(int64(10 * time.Hour))))
	}
	n := h.random.IntN(20)
	if len(h.ids) == 0 || n < 4 {
		h.ids = append(h.ids, h.report(t, fmt.Sprint("fingerprint ", h.random.IntN(30)), h.fields()).ID)
		return
	}
	sliceID := h.ids[h.random.IntN(len(h.ids))]
	update := func(patch api.SlicePatch) {
		_, _ = h.UpdateSlice(ctx, h.owner, valid(api.UpdateSlice{SliceID: sliceID, Patch: patch}))
	}
	switch {
	case n < 5:
		h.importReport(t)
	case n < 6:
		h.now = h.now.Add(-time.Duration(h.random.Int64N(int64(time.Hour)))) // the clock is set back
	case n < 9:
		update(api.SlicePatch{"status": "resolved", "fixedInRelease": h.environment().Release})
	case n < 11:
		update(api.SlicePatch{"status": []string{"open", "in_progress", "closed"}[h.random.IntN(3)],
			"labels": h.labels()})
	case n < 13:
		update(api.SlicePatch{"labels": h.labels()})
	case n < 15:
		update(api.SlicePatch{"environment": map[string]any{"release": h.environment().Release}})
	case n < 17:
		_, _ = h.DeleteSlice(ctx, h.owner, valid(api.DeleteSlice{SliceID: sliceID}))
	case n < 19:
		_, _ = h.RestoreSlice(ctx, h.owner, valid(api.RestoreSlice{SliceID: sliceID}))
	default:
		must(t, h.store.Write(ctx, func(tx *store.Tx) error {
			_, err := storetest.Purge(tx, api.At(h.now.Add(time.Hour)))
			return err
		}))
	}
}

// TestStatisticsOfAnyHistory: after random changes the statistics are those of a count of all slices, in any time
// zone and period, also in a copy of the database that was loaded from a dump.
func TestStatisticsOfAnyHistory(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			w := newStatisticsWorld(t, engine)
			w.fill(t)
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			h := &historian{world: w, random: rand.New(rand.NewPCG(seed, 0))}
			for n := range 300 {
				h.step(t)
				if n%20 == 19 {
					w.wantStatistics(t, h.request())
				}
			}
			w.wantReleases(t, false)
			w.store = loadedCopy(t, w.store, engine)
			w.with(t, func(*tracker.Options) {})
			for range 5 {
				w.wantStatistics(t, h.request())
			}
			w.wantReleases(t, true)
		})
	}
}

// newStatisticsWorld returns a world a week before the time changes in Europe.
func newStatisticsWorld(t *testing.T, engine string) *world {
	t.Helper()
	o, err := storetest.Migrated(engine, t.TempDir())
	must(t, err)
	s, err := store.Open(o)
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	w := newEmptyWorld(t, s)
	w.now = time.Date(2027, 3, 21, 20, 0, 0, 0, time.UTC)
	return w
}

// request is one for a random period.
func (h *historian) request() api.GetStatistics {
	last := h.now.AddDate(0, 0, 1-h.random.IntN(20))
	return api.GetStatistics{From: last.AddDate(0, 0, -h.random.IntN(366)).Format(time.DateOnly),
		To:       last.Format(time.DateOnly),
		TimeZone: zones[h.random.IntN(len(zones))]}
}

// loadedCopy loads a dump of a store into another database.
func loadedCopy(t *testing.T, from *store.Store, engine string) *store.Store {
	t.Helper()
	dump := map[string]*strings.Builder{}
	_, err := from.Dump(context.Background(), func(table string) (io.Writer, error) {
		dump[table] = &strings.Builder{}
		return dump[table], nil
	})
	must(t, err)
	o, err := storetest.Migrated(engine, t.TempDir())
	must(t, err)
	to, err := store.Open(o)
	must(t, err)
	t.Cleanup(func() { _ = to.Close() })
	must(t, to.Load(t.Context(), func(table string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(dump[table].String())), nil
	}, nil))
	return to
}

// TestDefaultsOfStatistics: the period is the last 30 days, of which each has a row, until today in the time zone,
// which is that of the workspace by default.
func TestDefaultsOfStatistics(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.now = time.Date(2027, 3, 21, 20, 0, 0, 0, time.UTC)
		for zone, today := range map[string]string{"": "2027-03-21", "Pacific/Kiritimati": "2027-03-22"} {
			out := w.statistics(t, api.GetStatistics{TimeZone: zone})
			if len(out.Days) != 30 || out.Days[29].Date != today || out.To != today || out.From != out.Days[0].Date {
				t.Errorf("%q: %s", zone, marshal(t, out))
			}
		}
		zone := api.UpdateWorkspace{WorkspaceID: w.workspace, Patch: api.WorkspacePatch{"timeZone": "Pacific/Auckland"}}
		must(t, second(w.UpdateWorkspace(t.Context(), w.owner, valid(zone))))
		for zone, today := range map[string]string{"": "2027-03-22", "UTC": "2027-03-21"} {
			if out := w.statistics(t, api.GetStatistics{TimeZone: zone}); out.To != today ||
				zone == "" && out.TimeZone != "Pacific/Auckland" {
				t.Errorf("with a time zone of the workspace, %q: %s", zone, marshal(t, out))
			}
		}
		if out := w.statistics(t, api.GetStatistics{From: "2027-03-20", TimeZone: "UTC"}); len(out.Days) != 2 {
			t.Errorf("until today: %s", marshal(t, out.Days))
		}
		if out := w.statistics(t, api.GetStatistics{From: "2011-12-29", To: "2011-12-31",
			TimeZone: "Pacific/Apia"}); len(out.Days) != 3 {
			t.Errorf("with a day that was skipped: %s", marshal(t, out.Days))
		}
	})
}

// TestRefusedStatistics: a period or a time zone that does not exist is refused, and names its parameter.
func TestRefusedStatistics(t *testing.T) {
	w := newStatisticsWorld(t, "sqlite")
	w.fill(t)
	for _, c := range []struct {
		in        api.GetStatistics
		parameter string
	}{
		{api.GetStatistics{TimeZone: "Mars/Olympus"}, "timezone"},
		{api.GetStatistics{TimeZone: "Local"}, "timezone"},
		{api.GetStatistics{TimeZone: "../UTC"}, "timezone"},
		{api.GetStatistics{From: "2027-02-29"}, "from"},
		{api.GetStatistics{To: "2027-3-1"}, "to"},
		{api.GetStatistics{From: "2027-03-22"}, "from"},
		{api.GetStatistics{From: "2026-03-20"}, "from"},
	} {
		c.in.WorkspaceID = w.workspace
		_, err := w.GetStatistics(t.Context(), w.owner, valid(c.in))
		wantCode(t, err, api.CodeInvalidParameter)
		if p := (*api.Problem)(nil); errors.As(err, &p) && p.Errors[0].Parameter != c.parameter {
			t.Errorf("%+v: %s", c.in, marshal(t, p.Errors))
		}
	}
}

// TestFingerprintsWithoutSlices: a caller that may not read slices gets the fingerprints without their slices.
func TestFingerprintsWithoutSlices(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		for range 2 {
			w.report(t, "again", api.SliceFields{})
		}
		key := w.mint(t, []api.Scope{api.WorkspacesRead})
		out, err := w.GetStatistics(t.Context(), w.authenticate(t, key.Token),
			valid(api.GetStatistics{WorkspaceID: w.workspace}))
		must(t, err)
		assert.Equal(t, "fingerprints", marshal(t, out.Fingerprints.Data),
			`[{"fingerprint":"again","occurrences":2,"slice":null}]`)
	})
}

// TestFingerprintsOfSlicesReportedOnce: a bug that was filed and closed again and again, each time once, is among the
// top fingerprints.
func TestFingerprintsOfSlicesReportedOnce(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		for n := range 10 {
			for range 2 {
				w.report(t, fmt.Sprint("twice ", n), api.SliceFields{})
			}
		}
		var flaky []api.Slice
		for range 5 {
			flaky = append(flaky, w.settled(t, "flaky",
				api.SlicePatch{"status": "closed", "resolution": "cannot_reproduce"}))
		}
		w.report(t, "once", api.SliceFields{})
		want := func(first string, occurrences int64) {
			t.Helper()
			top := w.statistics(t, api.GetStatistics{WorkspaceID: w.workspace}).Fingerprints
			if len(top.Data) != 10 || !top.Complete || top.Data[0].Fingerprint != first ||
				top.Data[0].Occurrences != occurrences {
				t.Errorf("%s, want %s with %d first of 10", marshal(t, top), first, occurrences)
			}
		}
		want("flaky", 5)
		for _, s := range flaky[1:] {
			must(t, second(w.DeleteSlice(t.Context(), w.owner, valid(api.DeleteSlice{SliceID: s.ID}))))
		}
		want("twice 0", 2)
		w.wantStatistics(t, api.GetStatistics{WorkspaceID: w.workspace,
			From: w.now.UTC().Format(time.DateOnly), To: w.now.UTC().Format(time.DateOnly), TimeZone: "UTC"})
	})
}

// TestDeliveriesInStatistics: the deliveries of each webhook are counted as they are listed, for those who may list
// them.
func TestDeliveriesInStatistics(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		h := w.hook(t)
		w.file(t, "delivered", "")
		w.now = time.Now().Add(time.Second)
		w.deliver(t)
		w.file(t, "pending", "")
		out := w.statistics(t, api.GetStatistics{})
		want := api.DeliveryStatistics{WebhookID: h.ID, URL: h.URL, Complete: true}
		of := map[api.DeliveryStatus]*int64{api.DeliveryDelivered: &want.Delivered,
			api.DeliveryFailed: &want.Failed, api.DeliveryPending: &want.Pending}
		for status, n := range of {
			p, err := w.ListDeliveries(t.Context(), w.owner,
				valid(api.ListDeliveries{WebhookID: h.ID, Status: []api.DeliveryStatus{status},
					Paging: api.Paging{Limit: 100}}))
			must(t, err)
			*n = int64(len(p.Data))
		}
		if want.Delivered == 0 || want.Pending == 0 {
			t.Errorf("nothing to count: %+v", want)
		}
		assert.Equal(t, "webhooks", out.Webhooks.Data, []api.DeliveryStatistics{want})
		if before := w.statistics(t, api.GetStatistics{To: w.now.AddDate(0,
			0, -2).Format(time.DateOnly)}).Webhooks.Data; before[0].Delivered != 0 {
			t.Errorf("before the period: %+v", before)
		}
		key := w.mint(t, []api.Scope{api.WorkspacesRead})
		out, err := w.GetStatistics(t.Context(), w.authenticate(t, key.Token),
			valid(api.GetStatistics{WorkspaceID: w.workspace}))
		if must(t, err); out.Webhooks != nil {
			t.Errorf("without the scope: %+v", out.Webhooks)
		}
	})
}
