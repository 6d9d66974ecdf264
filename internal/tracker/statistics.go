package tracker

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// GetStatistics returns statistics of the slices of a workspace, with the days of its time zone unless the request
// names another.
func (t *Tracker) GetStatistics(ctx context.Context, c access.Caller, v input.Valid[api.GetStatistics],
) (api.Statistics, error) {
	var none api.Statistics
	in, err := v.Value(c.Allow(api.OpGetStatistics))
	if err != nil {
		return none, err
	}
	slot, err := t.acquireSlotFor(ctx, c, api.OpGetStatistics)
	if err != nil {
		return none, err
	}
	defer slot.Release()
	canRead := func(q access.Queries, c access.Caller) error { return errorOf(c.RoleIn(q, in.WorkspaceID)) }
	q, now := t.access.Read(ctx), t.now()
	if err := canRead(q, c); err != nil {
		return none, err
	}
	if in.TimeZone == "" {
		w, err := q.Workspace(in.WorkspaceID)
		if err != nil {
			return none, access.OrNotFound(err, "workspace")
		}
		in.TimeZone = w.TimeZone
	}
	days, err := newCalendar(in, now)
	if err != nil {
		return none, err
	}
	g := t.access.NewGuard(ctx, c, api.OpGetStatistics, canRead)
	out, err := t.readStatistics(statisticReader{Queries: q, workspaceID: in.WorkspaceID, days: days}, c, now)
	if err == nil {
		err = g.Allow()
	}
	return out, err
}

func (t *Tracker) readStatistics(r statisticReader, c access.Caller, now time.Time) (out api.Statistics, err error) {
	days := r.days
	out = api.Statistics{From: days.date(0), To: days.date(days.count - 1), TimeZone: days.zone.String()}
	period := days.period(0, days.count)
	var e [7]error
	out.Days, e[0] = r.byDay()
	out.Open, e[1] = r.byAge(now)
	out.TimeToResolve, e[2] = r.timeToResolve(period)
	out.Labels, e[3] = r.topValues(store.LabelStatistic, period)
	out.Releases, e[4] = r.topValues(store.ReleaseStatistic, period)
	out.Fingerprints, e[5] = t.topFingerprints(r, c, period)
	out.Webhooks, e[6] = r.webhooks(c, period)
	return out, errors.Join(e[:]...)
}

// statisticReader reads the statistics of days of a workspace.
type statisticReader struct {
	access.Queries
	workspaceID string
	days        calendar
}

// byDay returns a row for each day. It reads runs of days with the same length at once.
func (r statisticReader) byDay() ([]api.DayStatistics, error) {
	days, starts := make([]api.DayStatistics, r.days.count), make([]store.Quarter, r.days.count+1)
	for i := range starts {
		starts[i] = r.days.start(i)
	}
	for i := range days {
		days[i].Date = r.days.date(i)
	}
	for first := 0; first < len(days); {
		length, last := starts[first+1]-starts[first], first+1
		for last < len(days) && starts[last+1]-starts[last] == length {
			last++
		}
		if length > 0 { // no day that the zone has skipped
			counts, err := r.CountByDay(r.workspaceID, store.Period{From: starts[first], To: starts[last]}, int(length))
			if err != nil {
				return nil, err
			}
			for _, n := range counts {
				days[first+n.Day].Opened, days[first+n.Day].Resolved = n.Opened, n.Resolved
			}
		}
		first = last
	}
	return days, nil
}

// ages are the least ages of open slices in days, in the order of the response.
var ages = []int64{0, 1, 7, 30, 90, 365}

// byAge counts the open slices by the days since their creation.
func (r statisticReader) byAge(now time.Time) ([]api.AgeStatistics, error) {
	year, month, day := now.In(r.days.zone).Date()
	today := calendar{zone: r.days.zone, first: time.Date(year, month, day, 0, 0, 0, 0, time.UTC)}
	all := make([]api.AgeStatistics, len(ages))
	period := store.Period{To: store.QuarterAt(api.At(now.AddDate(1000, 0,
		0)))} // slices from before the clock was set back
	for i, least := range ages {
		all[i].MinDays = least
		period.From = math.MinInt32
		if i+1 < len(ages) {
			most := ages[i+1] - 1
			all[i].MaxDays, period.From = &most, today.start(int(-most))
		}
		var err error
		if all[i].Count, err = r.CountUnresolved(r.workspaceID, period); err != nil {
			return nil, err
		}
		period.To = period.From
	}
	return all, nil
}

// timeToResolve returns the median and the ninth decile of the times to resolve.
func (r statisticReader) timeToResolve(p store.Period) (out api.TimeToResolve, err error) {
	all, err := r.ResolveTimes(r.workspaceID, p)
	if err != nil || len(all) == 0 {
		return out, err
	}
	for _, class := range all {
		out.Count += class.Count
	}
	percentile := func(percent int64) *int64 {
		rank := (out.Count*percent + 99) / 100
		i := slices.IndexFunc(all, func(class store.ResolveTime) bool { rank -= class.Count; return rank <= 0 })
		return &all[i].Seconds
	}
	out.Median, out.P90 = percentile(50), percentile(90)
	return out, nil
}

// topValues returns the most frequent labels or releases.
func (r statisticReader) topValues(kind string, p store.Period) (api.TopValues, error) {
	top, err := r.TopValues(r.workspaceID, kind, p)
	return api.TopValues{Complete: top.Complete, Data: convert(top.Values, func(v store.TopValue) api.ValueCount {
		return api.ValueCount{Value: v.Value, Count: v.Count}
	})}, err
}

// topFingerprints returns the fingerprints that were reported most often, with their newest slices for a caller that
// may read slices.
func (t *Tracker) topFingerprints(r statisticReader, c access.Caller, p store.Period) (api.TopFingerprints, error) {
	top, err := r.TopFingerprints(r.workspaceID, p)
	out := api.TopFingerprints{Complete: top.Complete, Data: []api.FingerprintCount{}}
	if err != nil {
		return out, err
	}
	fingerprints := convert(top.Values, func(v store.TopValue) string { return v.Value })
	occurrences, err := r.CountOccurrences(r.workspaceID, fingerprints, p)
	if err != nil {
		return out, err
	}
	readsSlices, newest := slices.Contains(c.Scopes, api.SlicesRead), map[string]store.Slice{}
	if readsSlices {
		if newest, err = r.NewestWithFingerprints(r.workspaceID, fingerprints); err != nil {
			return out, err
		}
	}
	for _, v := range top.Values {
		n := api.FingerprintCount{Fingerprint: v.Value, Occurrences: max(occurrences[v.Value], v.Count)}
		stored, found := newest[v.Value]
		if readsSlices && !found { // deleted since
			continue
		}
		if readsSlices {
			s := t.show(stored)
			n.Slice = &api.SliceLink{ID: s.ID, Reference: s.Reference, Summary: s.Summary, Status: s.Status, URL: s.URL}
		}
		out.Data = append(out.Data, n)
	}
	slices.SortStableFunc(out.Data, func(a, b api.FingerprintCount) int {
		return cmp.Compare(b.Occurrences,
			a.Occurrences)
	})
	return out, nil
}

// webhooks counts the deliveries of each webhook; nil for a caller that may not list the webhooks.
func (r statisticReader) webhooks(c access.Caller, p store.Period) (*api.WebhookStatistics, error) {
	if !slices.Contains(c.Scopes, api.WebhooksManage) || c.RequireAdmin(r.Queries, r.workspaceID) != nil {
		return nil, nil
	}
	all, err := r.Webhooks([]string{r.workspaceID}, "", maxWebhooks)
	if err != nil {
		return nil, err
	}
	out := api.WebhookStatistics{Data: []api.DeliveryStatistics{}}
	for _, w := range all {
		counts, complete, err := r.CountDeliveries(w.ID, p)
		if err != nil {
			return nil, err
		}
		n := api.DeliveryStatistics{WebhookID: w.ID, URL: w.URL, Complete: complete}
		of := map[api.DeliveryStatus]*int64{
			api.DeliveryDelivered: &n.Delivered, api.DeliveryFailed: &n.Failed, api.DeliveryPending: &n.Pending}
		for _, count := range counts {
			*of[count.Status] = count.Count
		}
		out.Data = append(out.Data, n)
	}
	return &out, nil
}
