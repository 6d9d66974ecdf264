package query

import (
	"strings"
	"time"

	"bugslice/api"
)

// dateRange is a range of days or instants.
type dateRange struct {
	from, until point // without a text when the range is open
}

// point is a day or an instant, or the end of the day.
type point struct {
	text string
	next bool // the begin of the next day, or the next millisecond
}

// parseRange parses the value of created, updated or resolved; ok is false when it is none.
func parseRange(text string) (r dateRange, ok bool) {
	if from, until, found := strings.Cut(text, ".."); found {
		r = dateRange{point{from, false}, point{until, true}}
		first, ok := r.from.at(time.UTC)
		last, ok2 := r.until.at(time.UTC)
		switch {
		case from == "":
			return dateRange{until: r.until}, ok2
		case until == "":
			return dateRange{from: r.from}, ok
		}
		return r, ok && ok2 && first.Before(last.Time)
	}
	for _, o := range []struct {
		prefix      string
		from, until bool // whether it bounds that end
		next        bool
	}{{">=", true, false, false}, {"<=", false, true, true}, {">", true, false, true}, {"<", false, true, false}} {
		if rest, found := strings.CutPrefix(text, o.prefix); found {
			p, from := point{rest, o.next}, o.from
			if isAge(rest) { // what is older was created before
				p.next, from = false, !from
			}
			if from {
				r.from = p
			} else {
				r.until = p
			}
			_, ok := p.at(time.UTC)
			return r, ok
		}
	}
	_, ok = point{text, false}.at(time.UTC)
	if isAge(text) {
		return dateRange{from: point{text, false}}, true
	}
	return dateRange{point{text, false}, point{text, true}}, ok
}

// isReversed reports whether a range ends before it begins.
func (r dateRange) isReversed() bool {
	from, ok := r.from.at(time.UTC)
	until, ok2 := r.until.at(time.UTC)
	return ok && ok2 && !from.Before(until.Time)
}

// at returns the instant of a point; ok is false when its text is neither a day nor an RFC 3339 time, nor relative to
// now. A day is one of the zone.
func (p point) at(zone *time.Location) (at api.Time, ok bool) {
	if day, err := time.Parse(time.DateOnly, p.text); err == nil && len(p.text) == len(time.DateOnly) &&
		day.Year() > 0 {
		if p.next {
			day = day.AddDate(0, 0, 1)
		}
		return api.At(startOf(day, zone)), true
	}
	if first, end, ok := spanOf(p.text, time.Now().In(zone)); ok {
		if p.next {
			first = end
		}
		return api.At(first), true
	}
	var instant api.Time
	if instant.UnmarshalText([]byte(p.text)) != nil {
		return at, false
	}
	if p.next {
		instant = api.At(instant.Add(time.Millisecond))
	}
	return instant, true
}

// in formats a range with the instants of a zone in place of days. A day that the zone has skipped becomes one
// millisecond.
func (r dateRange) in(zone *time.Location) string {
	text := func(at time.Time) string { return at.In(zone).Format("2006-01-02T15:04:05.999Z07:00") }
	switch from, before := r.bounds(zone); {
	case before == nil:
		return ">=" + text(from.Time)
	case from == nil:
		return "<" + text(before.Time)
	case !from.Before(before.Time):
		return text(from.Time) + ".." + text(from.Time)
	default:
		return text(from.Time) + ".." + text(before.Add(-time.Millisecond))
	}
}

// bounds returns the instants of a range, nil for an open end: the first is in it, and the second is not.
func (r dateRange) bounds(zone *time.Location) (from, before *api.Time) {
	if at, ok := r.from.at(zone); ok {
		from = &at
	}
	if at, ok := r.until.at(zone); ok {
		before = &at
	}
	return from, before
}
