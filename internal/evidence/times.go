package evidence

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"bugslice/api"
)

// zonedLayouts are the forms in which tools write times with their zone, beside RFC 3339. A T may be a blank, and
// seconds may have decimals after a point or a comma.
var zonedLayouts = []string{
	time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04:05 Z0700",
	"2006-01-02T15:04:05 Z07:00",
	"2006-01-02T15:04Z07:00", "2006-01-02T15:04Z0700", "20060102T150405Z0700",
	"Mon, 02 Jan 2006 15:04:05 -0700", "Mon Jan 02 2006 15:04:05 GMT-0700", // of mails and of Date.toString
}

// utcLayouts are forms without a zone, or with UTC.
var utcLayouts = []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006/01/02T15:04:05"}

// namedLayouts are forms with the name of a zone, of which only those of UTC are known.
var namedLayouts = []string{time.RFC1123, time.RFC850, "2006-01-02T15:04:05 MST", time.UnixDate}

// parseTime reads a time in a form that tools write: RFC 3339 and its relatives, or a number of seconds,
// milliseconds, microseconds or nanoseconds since 1970, which its size tells apart. Numbers below 100,000,000 are
// since another moment. assumed says that the time has no zone and was read as UTC.
func parseTime(v any) (at api.Time, assumed, ok bool) {
	text, isText := v.(string)
	if number, isNumber := v.(json.Number); isNumber {
		text = number.String()
	} else if !isText {
		return at, false, false
	}
	text = strings.TrimSpace(text)
	if number, err := strconv.ParseFloat(text, 64); err == nil {
		at, ok = sinceEpoch(number)
		return at, false, ok
	}
	t, assumed, ok := parseClock(text)
	if year := t.UTC().Year(); year < 1 || year > 9999 {
		return at, false, false
	}
	return api.At(t), assumed, ok
}

func parseClock(text string) (t time.Time, assumed, ok bool) {
	text, _, _ = strings.Cut(text, " (") // Date.toString names the zone again
	iso := text
	if len(text) > 10 && text[0] >= '0' && text[0] <= '9' {
		iso = strings.ToUpper(text)
		if iso[10] == ' ' {
			iso = iso[:10] + "T" + iso[11:]
		}
	}
	for _, layout := range zonedLayouts {
		if t, err := time.Parse(layout, iso); err == nil {
			return t, false, true
		}
	}
	for _, layout := range namedLayouts {
		if t, err := time.Parse(layout, iso); err == nil {
			zone, _ := t.Zone()
			return t, false, zone == "UTC" || zone == "GMT"
		}
	}
	for _, layout := range utcLayouts {
		if t, err := time.Parse(layout, iso); err == nil {
			return t, true, true
		}
	}
	return t, false, false
}

// sinceEpoch returns the time of a number since 1970.
func sinceEpoch(number float64) (at api.Time, ok bool) {
	var ms float64
	switch {
	case number >= 1e8 && number < 1e11:
		ms = number * 1e3
	case number >= 1e11 && number < 1e14:
		ms = number
	case number >= 1e14 && number < 1e17:
		ms = number / 1e3
	case number >= 1e17 && number < 1e20:
		ms = number / 1e6
	default:
		return at, false
	}
	return api.FromMillis(int64(math.Round(ms))), true
}
