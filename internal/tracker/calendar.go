package tracker

import (
	"sort"
	"time"

	"bugslice/api"
	"bugslice/internal/store"
)

const (
	defaultPeriod = 30  // days
	maxPeriod     = 366 // days
)

// calendar is a number of days of a time zone from a first one.
type calendar struct {
	zone  *time.Location
	first time.Time // the date, in UTC
	count int       // of days
}

// newCalendar returns the days that a request with a time zone names.
func newCalendar(in api.GetStatistics, now time.Time) (calendar, error) {
	zone, err := loadZone(in.TimeZone)
	if err != nil {
		return calendar{}, api.InvalidParameter("timezone", "unknown",
			"timezone must be a name in the IANA database, such as Europe/Stockholm")
	}
	year, month, day := now.In(zone).Date()
	last := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	if in.To != "" {
		if last, err = time.Parse(time.DateOnly, in.To); err != nil {
			return calendar{}, api.InvalidParameter("to", "wrong_form", "to must be a date, such as 2026-11-22")
		}
	}
	first := last.AddDate(0, 0, 1-defaultPeriod)
	if in.From != "" {
		if first, err = time.Parse(time.DateOnly, in.From); err != nil {
			return calendar{}, api.InvalidParameter("from", "wrong_form", "from must be a date, such as 2026-11-01")
		}
	}
	count := int(last.Sub(first)/(24*time.Hour)) + 1
	switch {
	case first.After(last):
		return calendar{}, api.InvalidParameter("from", "after_to",
			"from must not be after to, which is today by default")
	case count > maxPeriod:
		return calendar{}, api.InvalidParameter("from", "too_long", "the period must have at most 366 days")
	}
	return calendar{zone: zone, first: first, count: count}, nil
}

// date returns a day as the API writes it.
func (c calendar) date(day int) string { return c.first.AddDate(0, 0, day).Format(time.DateOnly) }

// start returns the first quarter of a day: the first one that begins on the day or, for a day that the zone has
// skipped, later.
func (c calendar) start(day int) store.Quarter {
	date := c.first.AddDate(0, 0, day)
	const margin = 24 * 4 // more than any offset from UTC
	earliest := store.QuarterAt(api.At(date)) - margin
	return earliest + store.Quarter(sort.Search(2*margin, func(i int) bool {
		year, month, day := (earliest + store.Quarter(i)).Time().In(c.zone).Date()
		return !time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Before(date)
	}))
}

// period returns the quarters from a day to another one, without the latter.
func (c calendar) period(from, to int) store.Period {
	return store.Period{From: c.start(from), To: c.start(to)}
}
