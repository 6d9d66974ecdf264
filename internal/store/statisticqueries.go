package store

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/store/sqldb"
)

// maxExaminedStatistics is the number of rows, or of slices, that a list of the most frequent values examines.
const maxExaminedStatistics = 10_000

// maxTopValues is the number of values in such a list.
const maxTopValues = 10

// Period is a range of quarters, without To.
type Period struct{ From, To Quarter }

// part is a period that is counted by ranges of a span.
type part struct {
	Period
	span int64
}

// parts splits a period into the longest ranges that fit, the newest first. spans are the lengths of ranges, the
// shortest first.
func (p Period) parts(spans []int64) []part {
	if len(spans) == 1 {
		return []part{{p, spans[0]}}
	}
	longer := spans[1]
	inner := p // as far as it consists of longer ranges
	inner.From, inner.To = (p.From + Quarter(longer) - 1).floor(longer), p.To.floor(longer)
	if inner.From >= inner.To {
		return []part{{p, spans[0]}}
	}
	newest, oldest := part{Period{inner.To, p.To}, spans[0]}, part{Period{p.From, inner.From}, spans[0]}
	return slices.Concat([]part{newest}, inner.parts(spans[1:]), []part{oldest})
}

// series is the statistics of a kind of a workspace in a period.
type series struct {
	workspaceID, kind string
	period            Period
}

// rows returns a table of the rows of a series, the newest first. Each part has the clause.
func (s series) rows(q *sqldb.Params, clause string) string {
	w, k := q.Add(s.workspaceID), q.Add(s.kind)
	var all []string
	for i, part := range s.period.parts(spansOf(s.kind)) {
		all = append(all, fmt.Sprintf(`SELECT * FROM (SELECT value, opened, resolved, unresolved FROM slice_statistics
			WHERE workspace_id = %s AND kind = %s AND span = %d AND start >= %s AND start < %s%s) AS p%d`,
			w, k, part.span, q.Add(int64(part.From)), q.Add(int64(part.To)), clause, i))
	}
	return "(" + strings.Join(all, " UNION ALL ") + ") AS r"
}

// dayCount counts the slices that were created and resolved on a day of a period.
type dayCount struct {
	Day              int // of the period, from 0
	Opened, Resolved int64
}

// CountByDay counts the slices of a workspace that were created and resolved in a period, by days that have a number
// of quarters each. It omits days without slices.
func (q Queries) CountByDay(workspaceID string, p Period, quarters int) ([]dayCount, error) {
	var span int64 // the longest one of which every day is a multiple
	for _, s := range totalSpans {
		if p.From.floor(s) == p.From && int64(quarters)%s == 0 {
			span = s
		}
	}
	return sqldb.List(q.db, func(r sqldb.Row) (d dayCount, err error) {
		return d,
			r.Scan(&d.Day, &d.Opened, &d.Resolved)
	},
		`SELECT (start - $3) / $5 AS day, CAST(sum(opened) AS BIGINT), CAST(sum(resolved) AS BIGINT) FROM slice_statistics
			WHERE workspace_id = $1 AND kind = $2 AND span = $6 AND start >= $3 AND start < $4 GROUP BY day`,
		workspaceID, totalStatistic, int64(p.From), int64(p.To), quarters, span)
}

// CountUnresolved counts the slices of a workspace that were created in a period and are open or in progress.
func (q Queries) CountUnresolved(workspaceID string, p Period) (int64, error) {
	var args sqldb.Params
	rows := series{workspaceID: workspaceID, kind: totalStatistic, period: p}.rows(&args, "")
	return sqldb.One(q.db, sqldb.ScanOne[int64], "SELECT CAST(COALESCE(sum(unresolved), 0) AS BIGINT) FROM "+rows,
		args.Args...)
}

// ResolveTime is a class of times to resolve: a time that differs from each of the class by at most a tenth.
type ResolveTime struct{ Seconds, Count int64 }

// ResolveTimes counts the slices of a workspace that were resolved in a period by the time since their creation, the
// shortest first.
func (q Queries) ResolveTimes(workspaceID string, p Period) ([]ResolveTime, error) {
	var args sqldb.Params
	rows := series{workspaceID: workspaceID, kind: timeToResolveStatistic, period: p}.rows(&args, "")
	all, err := sqldb.List(q.db, func(r sqldb.Row) (c ResolveTime, err error) {
		var bound string
		if err := r.Scan(&bound, &c.Count); err != nil {
			return c, err
		}
		c.Seconds, err = strconv.ParseInt(bound, 10, 64)
		return c, err
	}, "SELECT value, CAST(sum(resolved) AS BIGINT) FROM "+rows+" GROUP BY value", args.Args...)
	for i, c := range all {
		last := classBounds[min(classOf(c.Seconds)+1, len(classBounds)-1)] - 1
		all[i].Seconds = int64(math.Round(math.Sqrt(float64(c.Seconds) * float64(max(c.Seconds, last)))))
	}
	slices.SortFunc(all, func(a, b ResolveTime) int { return cmp.Compare(a.Seconds, b.Seconds) })
	return all, err
}

// TopValues are the most frequent values, the most frequent first. When they are not complete, only the newest were
// examined.
type TopValues struct {
	Values   []TopValue
	Complete bool
}

// TopValue is a value with the number of its slices, or of the occurrences of its slices.
type TopValue struct {
	Value string
	Count int64
}

// TopValues returns the most frequent labels or releases of the slices of a workspace that were created in a period.
func (q Queries) TopValues(workspaceID, kind string, p Period) (TopValues, error) {
	limit := fmt.Sprint(" LIMIT ", maxExaminedStatistics+1)
	var args sqldb.Params
	rows := series{workspaceID: workspaceID, kind: kind, period: p}.rows(&args, " ORDER BY start DESC"+limit)
	return q.topValues(1, "SELECT value, opened FROM "+rows+limit, args.Args...)
}

// TopFingerprints returns the fingerprints with the most occurrences, from two on, of the slices of a workspace that
// were created in a period.
func (q Queries) TopFingerprints(workspaceID string, p Period) (TopValues, error) {
	return q.topValues(2, `SELECT fingerprint, occurrence_count FROM recurring_slices
			WHERE workspace_id = $1 AND created_at >= $2 AND created_at < $3
			ORDER BY workspace_id DESC, created_at DESC LIMIT `+strconv.Itoa(maxExaminedStatistics+1),
		workspaceID, p.From.Time().UnixMilli(), p.To.Time().UnixMilli())
}

// topValues returns the values with the greatest sums, but none below the least, in the rows of a query, of which it
// examines all.
func (q Queries) topValues(least int64, query string, args ...any) (TopValues, error) {
	rows, err := sqldb.List(q.db, func(r sqldb.Row) (v TopValue, err error) { return v, r.Scan(&v.Value, &v.Count) },
		query, args...)
	sums := map[string]int64{}
	for _, v := range rows {
		sums[v.Value] += v.Count
	}
	top := TopValues{Complete: len(rows) <= maxExaminedStatistics}
	for value, n := range sums {
		if n >= least {
			top.Values = append(top.Values, TopValue{value, n})
		}
	}
	slices.SortFunc(top.Values, func(a, b TopValue) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count),
			cmp.Compare(a.Value, b.Value))
	})
	top.Values = top.Values[:min(len(top.Values), maxTopValues)]
	return top, err
}

// CountOccurrences returns how often the live slices of a workspace that were created in a period were reported, by
// their fingerprints.
func (q Queries) CountOccurrences(workspaceID string, fingerprints []string, p Period) (map[string]int64, error) {
	counts := map[string]int64{}
	if len(fingerprints) == 0 {
		return counts, nil
	}
	var args sqldb.Params
	text := fmt.Sprintf(`WITH f (fingerprint) AS (VALUES %s)
		SELECT f.fingerprint, (SELECT CAST(COALESCE(sum(s.occurrence_count), 0) AS BIGINT) FROM slices s WHERE s.workspace_id = %s
			AND s.fingerprint = f.fingerprint AND s.deleted_at IS NULL AND s.created_at >= %s AND s.created_at < %s) FROM f`,
		rowsOf(&args, fingerprints), args.Add(workspaceID), args.Add(p.From.Time().UnixMilli()),
		args.Add(p.To.Time().UnixMilli()))
	rows, err := sqldb.List(q.db, func(r sqldb.Row) (v TopValue, err error) { return v, r.Scan(&v.Value, &v.Count) },
		text, args.Args...)
	for _, v := range rows {
		counts[v.Value] = v.Count
	}
	return counts, err
}

// DeliveryCount is the number of deliveries with a status.
type DeliveryCount struct {
	Status api.DeliveryStatus
	Count  int64
}

// CountDeliveries counts the deliveries of a webhook that were created in a period by their statuses. It counts at
// most the newest 10,000; complete is false when there are more.
func (q Queries) CountDeliveries(webhookID string, p Period) (counts []DeliveryCount, complete bool, err error) {
	counts, err = sqldb.List(q.db, func(r sqldb.Row) (c DeliveryCount, err error) {
		return c,
			r.Scan(&c.Status, &c.Count)
	},
		`SELECT status, count(*) FROM (SELECT status FROM deliveries WHERE webhook_id = $1 AND id >= $2 AND id < $3
			ORDER BY id DESC LIMIT $4) AS d GROUP BY status`,
		webhookID, id.Lowest(id.Delivery, p.From.Time().Time), id.Lowest(id.Delivery, p.To.Time().Time),
		maxExaminedStatistics+1)
	var total int64
	for _, c := range counts {
		total += c.Count
	}
	return counts, total <= maxExaminedStatistics, err
}

// NewestWithFingerprints returns the newest live slice of a workspace with each of some fingerprints, keyed by
// fingerprint.
func (q Queries) NewestWithFingerprints(workspaceID string, fingerprints []string) (map[string]Slice, error) {
	newest := map[string]Slice{}
	if len(fingerprints) == 0 {
		return newest, nil
	}
	var args sqldb.Params
	text := "WITH f (fingerprint) AS (VALUES " + rowsOf(&args, fingerprints) + ") SELECT " + sliceColumns + ` FROM f CROSS JOIN slices s
		WHERE s.id = (SELECT n.id FROM slices n WHERE n.workspace_id = ` + args.Add(workspaceID) + ` AND n.fingerprint = f.fingerprint
			AND n.deleted_at IS NULL ORDER BY n.id DESC LIMIT 1)`
	rows, err := sqldb.List(q.db, scanSlice, text, args.Args...)
	for _, s := range rows {
		newest[*s.Fingerprint] = s
	}
	return newest, err
}
