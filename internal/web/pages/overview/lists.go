package overview

import (
	"net/url"
	"time"

	"bugslice/api"
	"bugslice/internal/query"
	"bugslice/internal/web/page"
)

// The words of the values that are counted.
const (
	labelWord       = query.Label
	releaseWord     = query.Release
	fingerprintWord = query.Fingerprint
)

// lists returns the addresses of the lists of a workspace and a period, from its first to its last day.
type lists struct {
	workspace, from, to string
	days                *time.Location // whose days they are
	zone                *time.Location // the same; nil for that of the reader, which a list has
}

func newLists(q *page.Request, s api.Statistics, zone *time.Location) lists {
	l := lists{workspace: q.Workspace.Key, from: s.From, to: s.To, days: zone}
	if zone.String() != q.Zone().String() {
		l.zone = zone
	}
	return l
}

func (l lists) address(q query.Query) string {
	if l.zone != nil {
		q = q.In(l.zone)
	}
	return "/reports?" + url.Values{"workspace": {l.workspace}, "q": {q.String()}}.Encode()
}

// days returns the value of a range of days.
func days(from, to string) query.Value {
	if from == to {
		return query.Bare(from)
	}
	return query.Bare(from + ".." + to)
}

func (l lists) created(from, to string) string {
	return l.address(query.Query{}.With(query.Created, days(from, to)))
}

func (l lists) resolved(from, to string) string {
	return l.address(query.Query{}.With(query.Resolved, days(from, to)))
}

var unresolved = query.Query{Terms: []query.Term{{Word: query.Status,
	Values: []query.Value{query.Bare(string(api.Open)), query.Bare(string(api.InProgress))}}}}

func (l lists) unresolved() string { return l.address(unresolved) }

// ofAge returns the list of the open reports of an age.
func (l lists) ofAge(today string, age api.AgeStatistics) string {
	before := func(days int64) string {
		date, err := time.Parse(time.DateOnly, today)
		if err != nil {
			panic(err) // it was formatted
		}
		return date.AddDate(0, 0, -int(days)).Format(time.DateOnly)
	}
	var created query.Value
	switch {
	case age.MaxDays == nil:
		created = query.Bare("<=" + before(age.MinDays))
	case age.MinDays == 0:
		created = query.Bare(">=" + before(*age.MaxDays))
	default:
		created = days(before(*age.MaxDays), before(age.MinDays))
	}
	return l.address(unresolved.With(query.Created, created))
}

// with returns the list of the reports of the period with a value.
func (l lists) with(word, value string) string {
	return l.address(query.Query{}.With(word, query.Name(word, value)).With(query.Created, days(l.from, l.to)))
}

// deliveries returns the list of the deliveries of a webhook, by the path of its page, that were created in the period.
func (l lists) deliveries(path, status string) string {
	period, err := query.Query{}.With(query.Created, days(l.from, l.to)).List(nil, l.days)
	if err != nil {
		panic(err) // it names no record
	}
	return path + "?" + url.Values{"status": {status}, "since": {period.CreatedAfter.String()},
		"until": {period.CreatedBefore.String()}}.Encode()
}

// top returns the most frequent values of a word as bars.
func (l lists) top(word string, values api.TopValues) top {
	out := top{Complete: values.Complete}
	for _, v := range values.Data {
		out.Bars = append(out.Bars, bar{number: number{v.Count, l.with(word, v.Value)}, Text: v.Value})
	}
	scale(out.Bars)
	return out
}
