package sources

import (
	"time"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// Outcome is what became of reports.
type Outcome string

// The outcomes that are no refusals. A refusal is named by its reason.
const (
	Taken   Outcome = "taken" // all that count against the limits of the day
	Filed   Outcome = "filed" // a slice, or an occurrence of one
	Waiting Outcome = "waiting"
	Spam    Outcome = "spam"
)

// refusedPrefix begins the outcomes of refused reports.
const refusedPrefix = "refused:"

// Refused returns the outcome of reports that were refused for a reason, which is a word of the service.
func Refused(reason string) Outcome { return refusedPrefix + Outcome(reason) }

// Day is the reports of a source in a day of UTC with one outcome.
type Day struct {
	Day            int64 // days since 1970
	Outcome        Outcome
	Reports, Bytes int64
}

// DayOf returns the day of UTC of a time.
func DayOf(t time.Time) int64 { return t.Unix() / (24 * 60 * 60) }

// Reason returns why reports were refused, empty for another outcome.
func (d Day) Reason() string {
	if len(d.Outcome) > len(refusedPrefix) && d.Outcome[:len(refusedPrefix)] == refusedPrefix {
		return string(d.Outcome[len(refusedPrefix):])
	}
	return ""
}

// Days returns the days of a source from a day on, by day and outcome.
func (q Reader) Days(sourceID string, from int64) ([]Day, error) {
	return sqldb.List(q.DB, func(r sqldb.Row) (d Day, err error) {
		return d, r.Scan(&d.Day, &d.Outcome, &d.Reports, &d.Bytes)
	}, "SELECT day, outcome, reports, bytes FROM source_days WHERE source_id = $1 AND day >= $2 ORDER BY day, outcome",
		sourceID, from)
}

// Take counts a report of bytes against the limits of the day of a source, unless it would exceed one of them. ok is false then,
// and nothing is counted. Concurrent reports never exceed a limit together.
func (w Writer) Take(s *Source, at api.Time, bytes int64) (ok bool, err error) {
	if bytes > s.MaxDailyBytes || s.Limits.PerDay < 1 {
		return false, nil
	}
	n, err := w.DB.ExecCount(`INSERT INTO source_days (source_id, day, outcome, reports, bytes) VALUES ($1, $2, $3, 1, $4)
		ON CONFLICT (source_id, day, outcome) DO UPDATE SET reports = source_days.reports + 1, bytes = source_days.bytes + $4
		WHERE source_days.reports < $5 AND source_days.bytes + $4 <= $6`,
		s.ID, DayOf(at.Time), Taken, bytes, s.Limits.PerDay, s.MaxDailyBytes)
	return n == 1, err
}

// TakeBytes counts further bytes of a report that was taken, unless they would exceed the limit of the day.
func (w Writer) TakeBytes(s *Source, at api.Time, bytes int64) (ok bool, err error) {
	if bytes > s.MaxDailyBytes {
		return false, nil
	}
	n, err := w.DB.ExecCount(`INSERT INTO source_days (source_id, day, outcome, reports, bytes) VALUES ($1, $2, $3, 0, $4)
		ON CONFLICT (source_id, day, outcome) DO UPDATE SET bytes = source_days.bytes + $4 WHERE source_days.bytes + $4 <= $5`,
		s.ID, DayOf(at.Time), Taken, bytes, s.MaxDailyBytes)
	return n == 1, err
}

// Count adds reports to a day of a source; a negative number takes them away again.
func (w Writer) Count(sourceID string, at api.Time, outcome Outcome, reports int64) error {
	return w.DB.Exec(`INSERT INTO source_days (source_id, day, outcome, reports, bytes) VALUES ($1, $2, $3, $4, 0)
		ON CONFLICT (source_id, day, outcome) DO UPDATE SET reports = source_days.reports + $4`,
		sourceID, DayOf(at.Time), outcome, reports)
}
