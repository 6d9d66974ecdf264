package page

import (
	"strconv"
	"time"

	"bugslice/api"
)

// Expiry is the choice of an expiry in a form: after a number of days, at the end of a date, or never.
type Expiry struct {
	Choices []ExpiryChoice
	Chosen  string // a number of days, date or never
	Date    string
	Never   bool // whether never can be chosen
}

// ExpiryChoice is an expiry after a number of days.
type ExpiryChoice struct {
	Days int
	At   api.Time
}

// NewExpiry returns the choice that a form has made by the values of its field expiresAt: a time, and the date beside
// it.
func (q *Request) NewExpiry(values []string, days ...int) Expiry {
	e := Expiry{Chosen: "date"}
	for _, n := range days {
		e.Choices = append(e.Choices, ExpiryChoice{n, q.InDays(n)})
	}
	if len(values) > 1 {
		e.Date = values[1]
	}
	if len(values) == 0 || values[0] == "" {
		e.Chosen = "never"
		return e
	}
	if _, err := time.Parse(time.DateOnly, values[0]); err == nil {
		e.Date = values[0]
		return e
	}
	t, err := time.Parse(time.RFC3339, values[0])
	if err != nil {
		return e
	}
	for _, c := range e.Choices {
		if c.At.Sub(t).Abs() < 12*time.Hour {
			e.Chosen = strconv.Itoa(c.Days)
			return e
		}
	}
	e.Date = t.In(q.Zone()).Format(time.DateOnly)
	return e
}

// InDays returns the time a number of days of 24 hours ahead.
func (q *Request) InDays(n int) api.Time {
	return api.At(q.Now.UTC().AddDate(0, 0, n).Truncate(time.Second))
}

// ExpiresAt returns the member that the values of the field expiresAt mean. A date means its end, for the reader.
func (q *Request) ExpiresAt(values []string) string {
	if len(values) == 0 {
		return ""
	}
	text := values[0]
	if text == "date" {
		if text = ""; len(values) > 1 {
			text = values[1]
		}
		if text == "" {
			return "date" // which is refused
		}
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, q.Zone()); err == nil {
		return api.At(day.AddDate(0, 0, 1).Add(-time.Second)).String()
	}
	return text
}
