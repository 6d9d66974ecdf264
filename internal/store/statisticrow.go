package store

import (
	"cmp"
	"slices"
	"sort"
	"strconv"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// The kinds of statistics.
const (
	totalStatistic         = "total"
	timeToResolveStatistic = "time_to_resolve"
	LabelStatistic         = "label"
	ReleaseStatistic       = "release"
)

// Members by which slices are counted.
const (
	ByStatus   = "status"
	ByPriority = "priority"
	BySeverity = "severity"
	ByLabel    = "label"
	ByAssignee = "assignee"
	BySpace    = "space"
	ByRelease  = "release"

	byReporter   = "reporter"
	byResolution = "resolution"
	byBrowser    = "browser"
	bySystem     = "os"
)

// presentLabel is the kind of the counts of the slices with a status, at any time, by their labels. The row of those
// without a label has the empty value.
const presentLabel = "present_label"

// A Quarter is a quarter of an hour, counted from 1970 in UTC. Every offset from UTC since 1972 is a multiple of one.
type Quarter int64

// The lengths of the ranges that statistics count: a quarter, a day in UTC and 32 days; for totals also an hour, so
// that the days of most time zones are the sums of few rows. Each divides the next one.
var (
	spans      = []int64{1, 96, 32 * 96}
	totalSpans = []int64{1, 4, 96, 32 * 96}
)

func spansOf(kind string) []int64 {
	if kind == totalStatistic {
		return totalSpans
	}
	return spans
}

const quarterMillis = 15 * 60 * 1000

// QuarterAt returns the quarter with an instant.
func QuarterAt(t api.Time) Quarter { return Quarter(floorDivide(t.UnixMilli(), quarterMillis)) }

// Time returns the first instant of a quarter.
func (q Quarter) Time() api.Time { return api.FromMillis(int64(q) * quarterMillis) }

// floor returns the first quarter of the range of a span with q.
func (q Quarter) floor(span int64) Quarter { return Quarter(floorDivide(int64(q), span) * span) }

func floorDivide(a, b int64) int64 {
	if a%b < 0 {
		return a/b - 1
	}
	return a / b
}

// counted are the members of a slice that statistics count, or that recurring_slices has. The zero value is no slice.
type counted struct {
	exists     bool
	status     api.Status
	createdAt  api.Time
	resolvedAt *api.Time
	labels     []string
	release    string // of the first report; empty for none
	seen       []SeenRelease
	fixedIn    string // empty for none
	reports
}

// reports are the fingerprint of a live slice and how often it was reported. They are zero without a fingerprint.
type reports struct {
	fingerprint string
	count       int64
}

// recount is a change of the counted members of a slice.
type recount struct {
	row                  int64
	sliceID, workspaceID string
	before, after        *counted
}

// statusPosition is the position of a status among all.
func statusPosition(s api.Status) Quarter { return Quarter(slices.Index(s.Values(), string(s))) }

func (c counted) unresolved() bool { return c.status != api.Resolved && c.status != api.Closed }

// statisticKey is the primary key of a row of statistics.
type statisticKey struct {
	workspaceID, kind string
	span              int64
	start             Quarter
	value             string
}

func (a statisticKey) compare(b statisticKey) int {
	return cmp.Or(cmp.Compare(a.workspaceID, b.workspaceID), cmp.Compare(a.kind, b.kind), cmp.Compare(a.span, b.span),
		cmp.Compare(a.start, b.start), cmp.Compare(a.value, b.value))
}

// tally are the counts of a row of statistics, or a change of them.
type tally struct{ opened, resolved, unresolved int64 }

// eachStatistic calls add with each row that counts a slice, and what the slice adds to it.
func (c counted) eachStatistic(workspaceID string, add func(statisticKey, tally)) {
	if !c.exists {
		return
	}
	count := func(kind string, at Quarter, value string, t tally) {
		for _, span := range spansOf(kind) {
			add(statisticKey{workspaceID: workspaceID, kind: kind, span: span, start: at.floor(span), value: value}, t)
		}
	}
	created := QuarterAt(c.createdAt)
	count(totalStatistic, created, "", tally{opened: 1, unresolved: sqldb.Flag(c.unresolved())})
	for _, l := range c.labels {
		count(LabelStatistic, created, l, tally{opened: 1})
	}
	if c.release != "" {
		count(ReleaseStatistic, created, c.release, tally{opened: 1})
	}
	if c.resolvedAt != nil {
		seconds := max(c.resolvedAt.UnixMilli()-c.createdAt.UnixMilli(), 0) / 1000
		resolved := QuarterAt(*c.resolvedAt)
		count(totalStatistic, resolved, "", tally{resolved: 1})
		count(timeToResolveStatistic, resolved, strconv.FormatInt(classBounds[classOf(seconds)], 10),
			tally{resolved: 1})
	}
}

// equalInTime reports whether the rows of eachStatistic are the same for two states of a slice.
func (c counted) equalInTime(d counted) bool {
	return c.exists == d.exists && c.createdAt.Equal(d.createdAt.Time) && c.unresolved() == d.unresolved() &&
		c.release == d.release &&
		slices.Equal(c.labels, d.labels) && equalTimes(c.resolvedAt, d.resolvedAt)
}

func equalTimes(a, b *api.Time) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(b.Time)
}

// eachPresent calls add with each row that counts a slice at any time. Such a row has the span 0, and the position of
// the status as its start.
func (c counted) eachPresent(workspaceID string, add func(statisticKey, tally)) {
	if !c.exists {
		return
	}
	for _, l := range orEmpty(c.labels) {
		add(statisticKey{workspaceID: workspaceID, kind: presentLabel, span: 0, start: statusPosition(c.status),
			value: l}, tally{opened: 1})
	}
}

// classBounds are the lower bounds of the classes of times to resolve, in seconds. A class is at most a fifth longer
// than its bound.
var classBounds = makeClassBounds()

func makeClassBounds() []int64 {
	bounds := []int64{0}
	for next := int64(1); next < 10_000_000_000; next = max(next+1, next*6/5) {
		bounds = append(bounds, next)
	}
	return bounds
}

func classOf(seconds int64) int {
	return sort.Search(len(classBounds), func(i int) bool { return classBounds[i] > seconds }) - 1
}
