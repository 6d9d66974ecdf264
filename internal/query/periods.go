package query

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// periods are the days, weeks, months and years that are named by their distance from today.
func periods() []string {
	return []string{"today", "yesterday", "this-week", "last-week", "this-month", "last-month", "this-year", "last-year"}
}

// ages has the greatest number of each unit of an age, such as 7d.
var ages = map[byte]int{'h': 999, 'd': 9999, 'w': 999, 'm': 999, 'y': 99}

// parseAge parses an age: a number of hours, days, weeks, months or years.
func parseAge(text string) (n int, unit byte, ok bool) {
	if text == "" {
		return 0, 0, false
	}
	unit = text[len(text)-1]
	n, err := strconv.Atoi(text[:len(text)-1])
	return n, unit, err == nil && n > 0 && n <= ages[unit] && strconv.Itoa(n) == text[:len(text)-1]
}

func isAge(text string) bool {
	_, _, ok := parseAge(text)
	return ok
}

// spanOf returns the begin of a named period, or of the day or hour as long ago as an age, and its end, which is not
// in it. A week begins on Monday.
func spanOf(text string, now time.Time) (first, end time.Time, ok bool) {
	if n, unit, ok := parseAge(text); ok {
		if unit == 'h' {
			first = now.Truncate(time.Hour).Add(-time.Duration(n) * time.Hour)
			return first, first.Add(time.Hour), true
		}
		past := map[byte]time.Time{'d': now.AddDate(0, 0, -n), 'w': now.AddDate(0, 0, -7*n), 'm': now.AddDate(0, -n, 0),
			'y': now.AddDate(-n, 0, 0)}[unit]
		return startOf(past, now.Location()), startOf(past.AddDate(0, 0, 1), now.Location()), true
	}
	if !slices.Contains(periods(), text) {
		return first, end, false
	}
	which, unit, _ := strings.Cut(text, "-")
	back := 0
	if which == "last" || which == "yesterday" {
		back = 1
	}
	var from, to time.Time
	switch unit {
	case "week":
		sinceMonday := (int(now.Weekday()) + 6) % 7
		from = now.AddDate(0, 0, -sinceMonday-7*back)
		to = from.AddDate(0, 0, 7)
	case "month":
		from = time.Date(now.Year(), now.Month()-time.Month(back), 1, 12, 0, 0, 0, now.Location())
		to = from.AddDate(0, 1, 0)
	case "year":
		from = time.Date(now.Year()-back, 1, 1, 12, 0, 0, 0, now.Location())
		to = from.AddDate(1, 0, 0)
	default:
		from = now.AddDate(0, 0, -back)
		to = from.AddDate(0, 0, 1)
	}
	return startOf(from, now.Location()), startOf(to, now.Location()), true
}

// canonicalDate returns the one writing of a named period, and any other text as it is.
func canonicalDate(text string) string {
	written := strings.ToLower(strings.Join(strings.Fields(text), "-"))
	bare := strings.TrimLeft(written, "<>=")
	if slices.Contains(periods(), bare) || isAge(bare) {
		return written
	}
	return text
}

// startOf returns the first instant of a day of a zone, or of the next day when the zone has skipped the day. Its
// clocks may skip midnight, or pass it twice.
func startOf(day time.Time, zone *time.Location) time.Time {
	midnight := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, zone)
	date := midnight.Format(time.DateOnly)
	changed, next := midnight.ZoneBounds()
	if date < day.Format(time.DateOnly) {
		return next
	}
	before := changed.Add(-time.Nanosecond)
	if !changed.IsZero() && midnight.Sub(changed) < 24*time.Hour && before.In(zone).Format(time.DateOnly) == date {
		hour, minute, second := before.In(zone).Clock()
		return changed.Add(-time.Duration(hour*3600+minute*60+second+1) * time.Second)
	}
	return midnight
}
