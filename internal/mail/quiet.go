package mail

import (
	"time"

	"bugslice/api"
)

// Defaults are what holds for a user who has chosen nothing.
var Defaults = api.MailFields{Mentioned: api.MailNow, Assigned: api.MailNow, Participating: api.MailDigest,
	Watching: api.MailDigest, Views: api.MailDigest, DigestHour: 8, TimeZone: "UTC"}

// Pause is how long a notice waits for others that belong to the same mail, and for its reader to read it elsewhere.
const Pause = 2 * time.Minute

// Next returns when somebody is told of what happens at a time: after Pause, or with the next digest. It is no quiet time.
func Next(f api.MailFields, now time.Time, digest bool) time.Time {
	zone, err := time.LoadLocation(f.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	at := now.Add(Pause).In(zone)
	if digest {
		at = time.Date(now.In(zone).Year(), now.In(zone).Month(), now.In(zone).Day(), int(f.DigestHour), 0, 0, 0, zone)
		if !at.After(now) {
			at = time.Date(at.Year(), at.Month(), at.Day()+1, int(f.DigestHour), 0, 0, 0, zone)
		}
		for n := 0; n < 7 && isQuietDay(f, at); n++ {
			at = time.Date(at.Year(), at.Month(), at.Day()+1, int(f.DigestHour), 0, 0, 0, zone)
		}
	}
	return afterQuiet(f, at)
}

func isQuietDay(f api.MailFields, at time.Time) bool { return f.QuietDays>>at.Weekday()&1 == 1 }

// afterQuiet returns a time, or the end of the quiet time in which it is. Days are those of its zone, so that a day of 23
// hours ends at its end.
func afterQuiet(f api.MailFields, at time.Time) time.Time {
	for range 16 { // more than a week has quiet days and quiet hours
		minute := int64(at.Hour()*60 + at.Minute())
		switch {
		case isQuietDay(f, at):
			at = time.Date(at.Year(), at.Month(), at.Day()+1, 0, 0, 0, 0, at.Location())
		case f.QuietFrom < f.QuietUntil && minute >= f.QuietFrom && minute < f.QuietUntil,
			f.QuietFrom > f.QuietUntil && minute < f.QuietUntil:
			at = atMinute(at, 0, f.QuietUntil)
		case f.QuietFrom > f.QuietUntil && minute >= f.QuietFrom:
			at = atMinute(at, 1, f.QuietUntil)
		default:
			return at
		}
	}
	return at
}

// atMinute returns a minute of the day that is some days after a time. A minute that a change of the clock leaves out is the
// first one after it.
func atMinute(at time.Time, days int, minute int64) time.Time {
	next := time.Date(at.Year(), at.Month(), at.Day()+days, int(minute/60), int(minute%60), 0, 0, at.Location())
	if !next.After(at) {
		next = at.Add(time.Minute)
	}
	return next
}
