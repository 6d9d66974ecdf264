package page

import (
	"fmt"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/tracker"
)

// EvidenceView is what the panels of the component evidence have in common.
type EvidenceView struct {
	EvidenceState
	SliceID, Reference string
	BaseURL            string // of the instance
	Captured           tracker.CapturedEvidence
	Zero               time.Time // of the time line; zero when nothing has a time
}

// Rows is what panels with rows have in common.
type Rows struct {
	Kind     string
	Stored   int64  // rows without a filter
	Filtered bool   // whether only some of them are shown
	Lost     bool   // whether rows were stored whose file cannot be read
	Differs  bool   // whether the rows are so far from the replay that the clocks may differ
	More     string // the address of the rows after those that are shown
	First    string // the address of the first rows, when others are shown
}

// The number of rows of a page, and of a piece that a script fetches.
const (
	rowsOfPage  = 100
	rowsOfPiece = 250
	maxPiece    = 512 << 10 // bytes of the texts of a piece, approximately
)

// farFromReplay is the time between rows and a replay from which on their clocks may differ. A page writes its first rows before its
// replay begins, and keeps rows for longer than the replay.
const farFromReplay = 15 * time.Minute

// setZero sets the beginning of the time line: the first event of the replay, else the earliest row that the reader
// may see.
func (e *EvidenceView) setZero(parts EvidenceParts) {
	c := e.Captured
	if e.Zero = c.Replay.Start; !e.Zero.IsZero() {
		return
	}
	for _, part := range []struct {
		at    time.Time
		shown bool
	}{{c.Console.Start, parts.Console}, {c.Network.Start, parts.Network}, {c.Actions.Start, parts.Actions}} {
		if part.shown && !part.at.IsZero() && (e.Zero.IsZero() || part.at.Before(e.Zero)) {
			e.Zero = part.at
		}
	}
}

// rows returns what a panel has besides its rows.
func (e *EvidenceView) rows(kind string, stored tracker.CapturedRows, next *string) Rows {
	first := e.EvidenceState
	first.cursor = ""
	replay := e.Captured.Replay
	r := Rows{Kind: kind, Stored: stored.Rows, Filtered: e.Text != "" || len(e.Levels) > 0 || e.Failed,
		More: e.after(next),
		Lost: stored.Rows > 0 && stored.Start.IsZero(),
		Differs: !replay.Start.IsZero() && !stored.Start.IsZero() &&
			(replay.Start.Sub(stored.End) > farFromReplay || stored.Start.Sub(replay.End) > farFromReplay)}
	if e.cursor != "" {
		r.First = first.Address()
	}
	return r
}

// Moment is the time of a row.
type Moment struct {
	At      time.Time
	Ms      int64  // since the epoch
	Clock   string // since zero
	Address string // of the page at this moment
	Outside string // before or after the replay; empty within it, and when the clocks differ
}

// moment returns the time of a row. differs says that no row of its kind is within the replay.
func (e *EvidenceView) moment(at api.Time, differs bool) Moment {
	m := Moment{At: at.Time, Ms: at.UnixMilli(), Clock: clock(at.Sub(e.Zero))}
	s := EvidenceState{Path: e.Path, Tab: e.Tab, Occurrence: e.Occurrence,
		Time: fmt.Sprintf("%.1f", at.Sub(e.Zero).Seconds())}
	m.Address = s.Address()
	replay := e.Captured.Replay
	switch {
	case replay.Start.IsZero() || differs:
	case at.Before(replay.Start):
		m.Outside = "before"
	case at.After(replay.End):
		m.Outside = "after"
	}
	return m
}

// clock returns a time after zero as minutes, seconds and milliseconds, and one that is far from it in at most twelve
// characters.
func clock(d time.Duration) string {
	sign, ms := "", d.Milliseconds()
	if ms < 0 {
		sign, ms = "−", -ms
	}
	hours, minutes, seconds := ms/3_600_000, ms/60_000%60, ms/1000%60
	switch {
	case hours == 0:
		return fmt.Sprintf("%s%d:%02d.%03d", sign, minutes, seconds, ms%1000)
	case hours < 10:
		return fmt.Sprintf("%s%d:%02d:%02d.%03d", sign, hours, minutes, seconds, ms%1000)
	case hours < 100:
		return fmt.Sprintf("%s%d:%02d:%02d", sign, hours, minutes, seconds)
	default:
		return fmt.Sprintf("%s%dd", sign, hours/24)
	}
}

// readRows calls add for the rows of pages of at most 50, until there are limit of them, their texts have maxPiece
// bytes, or no row is left. It returns the cursor of the rest.
func readRows[T any](limit int, cursor string, read func(api.Paging) (api.Page[T], error), add func(T) (bytes int)) (
	*string, error,
) {
	for left := maxPiece; ; {
		p, err := read(api.Paging{Limit: 50, Cursor: cursor})
		if err != nil {
			return nil, err
		}
		for _, row := range p.Data {
			left -= add(row)
		}
		if limit -= len(p.Data); !p.Pagination.HasMore || limit <= 0 || left <= 0 {
			return p.Pagination.Cursor, nil
		}
		cursor = *p.Pagination.Cursor
	}
}

// groups returns rows in groups of at most 50, which a browser lays out only where they are seen.
func groups[T any](rows []T) [][]T { return slices.Collect(slices.Chunk(rows, 50)) }
