package tracker

import (
	"context"
	"errors"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/blob"
	"bugslice/internal/evidence"
	"bugslice/internal/store"
)

// CapturedRows says what is stored of a kind of evidence of an occurrence.
type CapturedRows struct {
	Files   int     // with such evidence
	Rows    int64   // in these files
	Classes []int64 // rows by class: the level of a console message, the first digit of a status
	// From the first to the last row. Zero without rows, or when no file can be read.
	Start, End time.Time
}

// Count returns the number of rows of a class.
func (r CapturedRows) Count(class int) int64 {
	if class < 0 || class >= len(r.Classes) {
		return 0
	}
	return r.Classes[class]
}

// CapturedEvidence says what is stored of the evidence of an occurrence of a slice.
type CapturedEvidence struct {
	Occurrence  api.SliceOccurrence
	Occurrences int64                 // of the slice
	Others      []api.SliceOccurrence // the newest ones, and those of which evidence may be stored, newest first

	Console, Network, Actions, Replay CapturedRows

	away bool // whether the storage of files could not be reached
}

// maxNewestOccurrences is the number of the newest occurrences that CapturedEvidence lists.
const maxNewestOccurrences = 20

// CapturedEvidence returns what is stored of the evidence of an occurrence of a slice the caller sees. 0 is the
// newest one with evidence, and without any the newest one.
func (t *Tracker) CapturedEvidence(ctx context.Context, c access.Caller, sliceID string, occurrence int64,
) (found CapturedEvidence, err error) {
	if err := c.Allow(api.OpListOccurrences); err != nil {
		return found, err
	}
	slot, err := t.acquireSlotFor(ctx, c, api.OpListOccurrences)
	if err != nil {
		return found, err
	}
	defer slot.Release()
	q := t.access.Read(ctx)
	g := t.access.NewSliceGuard(ctx, c, api.OpListOccurrences, sliceID)
	s, err := c.Slice(q, sliceID)
	if err != nil {
		return found, err
	}
	if occurrence, err = c.Occurrence(q, s, occurrence); err != nil {
		return found, err
	}
	if found, err = t.captured(ctx, q, s, occurrence); err != nil {
		return found, err
	}
	return found, g.Allow()
}

// captured returns what is stored of the evidence of an occurrence of a slice that the caller may read.
func (t *Tracker) captured(ctx context.Context, q access.Queries, s store.Slice, occurrence int64,
) (found CapturedEvidence, err error) {
	if occurrence == 0 {
		if occurrence, err = q.NewestOccurrenceWithEvidence(s.ID); err != nil {
			return found, err
		}
	}
	if occurrence == 0 {
		occurrence = s.OccurrenceCount
	}
	if err := found.addOccurrences(q, s, occurrence); err != nil {
		return found, err
	}
	for kind, rows := range map[api.AttachmentKind]*CapturedRows{api.KindConsole: &found.Console,
		api.KindNetwork: &found.Network,
		api.KindActions: &found.Actions, api.KindReplay: &found.Replay} {
		sets, err := q.EvidenceOf(s.ID, occurrence, kind, maxSets)
		if err != nil {
			return found, err
		}
		if *rows, err = t.capturedRows(ctx, kind, sets, &found.away); err != nil {
			return found, err
		}
	}
	return found, nil
}

// addOccurrences adds an occurrence and others of a slice.
func (e *CapturedEvidence) addOccurrences(q access.Queries, s store.Slice, number int64) error {
	e.Occurrences = s.OccurrenceCount
	var all []store.Occurrence
	for _, part := range []struct {
		before int64
		limit  int
	}{{s.OccurrenceCount + 1, maxNewestOccurrences}, {maxOccurrencesWithEvidence + 1, maxOccurrencesWithEvidence},
		{number + 1, 1}} {
		read, err := q.Occurrences(s.ID, part.before, part.limit)
		if err != nil {
			return err
		}
		all = append(all, read...)
	}
	slices.SortFunc(all, func(a, b store.Occurrence) int { return int(b.Number - a.Number) })
	all = slices.CompactFunc(all, func(a, b store.Occurrence) bool { return a.Number == b.Number })
	e.Others = convert(all, func(o store.Occurrence) api.SliceOccurrence { return o.SliceOccurrence })
	i := slices.IndexFunc(e.Others, func(o api.SliceOccurrence) bool { return o.Number == number })
	if i < 0 { // a slice from before occurrences were stored
		e.Occurrence = firstOccurrence(&s).SliceOccurrence
		e.Occurrence.Number = number
		return nil
	}
	if e.Occurrence = e.Others[i]; s.OccurrenceCount == 1 { // what somebody has corrected since
		e.Occurrence.Environment = s.Environment
	}
	return nil
}

// capturedRows returns what sets of a kind contain. A set that was deleted or lost, or whose storage cannot be
// reached, has rows without times. No further set is read when away is set, which says that the storage cannot be
// reached.
func (t *Tracker) capturedRows(ctx context.Context, kind api.AttachmentKind, sets []store.Attachment, away *bool) (
	sum CapturedRows, err error,
) {
	sum.Files, sum.Classes = len(sets), make([]int64, 10)
	for _, a := range sets {
		if *away {
			sum.Rows += *a.Entries
			continue
		}
		one, err := cached(t.derived, "captured "+a.ID, func() (CapturedRows, int, error) {
			ctx, cancel := detached(ctx)
			defer cancel()
			one, err := t.capturedSet(ctx, kind, a)
			return one, 200, err
		})
		*away = errors.Is(err, blob.ErrUnavailable)
		if err != nil && (*away || ignoreNotFound(err) == nil || t.isLost(err, a)) {
			one, err = CapturedRows{Rows: *a.Entries}, nil
		}
		if err != nil {
			return sum, err
		}
		sum.Rows += one.Rows
		for i, n := range one.Classes {
			sum.Classes[i] += n
		}
		if !one.Start.IsZero() && (sum.Start.IsZero() || one.Start.Before(sum.Start)) {
			sum.Start = one.Start
		}
		if one.End.After(sum.End) {
			sum.End = one.End
		}
	}
	return sum, nil
}

// capturedSet returns what a set contains. With an index, only its first and its last rows are read.
func (t *Tracker) capturedSet(ctx context.Context, kind api.AttachmentKind, a store.Attachment) (CapturedRows, error) {
	rows := CapturedRows{Rows: *a.Entries, Classes: make([]int64, 10)}
	r, index, err := t.openEvidence(ctx, a)
	if err != nil {
		return rows, err
	}
	defer func() { _ = r.Close() }()
	read := func(after int, all bool) error {
		return r.Rows(kind, evidence.Filter{After: after}, func(_ int, row []byte) (bool, error) {
			if class := evidence.Class(kind, row); index == nil && class >= 0 {
				rows.Classes[class]++
			}
			if start, end, ok := evidence.Interval(kind, row); ok {
				if rows.Start.IsZero() {
					rows.Start = start
				}
				rows.End = maxTime(api.Time{Time: rows.End}, api.Time{Time: end}).Time
			}
			return all, ctx.Err()
		})
	}
	if index == nil {
		return rows, read(0, true)
	}
	for class := range rows.Classes {
		rows.Classes[class] = int64(index.Count([]int{class}))
	}
	return rows, errors.Join(read(0, false), read(int(*a.Entries)-1, false))
}

// CapturedRequest returns a request of an occurrence of a slice the caller sees, with its response, by its number.
func (t *Tracker) CapturedRequest(ctx context.Context, c access.Caller, sliceID string, occurrence, number int64) (
	x evidence.Exchange, err error,
) {
	if err := c.Allow(api.OpGetArchive); err != nil {
		return x, err
	}
	slot, err := t.acquireSlotFor(ctx, c, api.OpGetArchive)
	if err != nil {
		return x, err
	}
	defer slot.Release()
	q := t.access.Read(ctx)
	g := t.access.NewSliceGuard(ctx, c, api.OpGetArchive, sliceID)
	s, err := c.Slice(q, sliceID)
	if err != nil {
		return x, err
	}
	sets, err := evidenceSets(q, c, s, api.KindNetwork, occurrence)
	if err != nil {
		return x, err
	}
	if number < 1 {
		return x, api.NotFound("request")
	}
	found := false
	for _, a := range sets {
		if number > *a.Entries {
			number -= *a.Entries
			continue
		}
		err := t.scanRows(ctx, a, evidence.Filter{After: int(number) - 1}, func(_ int, row []byte) (_ bool, err error) {
			found = true
			x, err = evidence.ParseExchange(row)
			return false, err
		})
		if err != nil {
			return x, err
		}
		break
	}
	if !found {
		return x, api.NotFound("request")
	}
	return x, g.Allow()
}
