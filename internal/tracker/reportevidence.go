package tracker

import (
	"context"
	"errors"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/blob"
	"bugslice/internal/evidence"
	"bugslice/internal/reporttext"
	"bugslice/internal/store"
)

// reportedOccurrences reads the newest occurrences of a slice, the one that the report is about, 0 for the newest, and
// the one whose evidence it shows: its own, or without a number the newest one that has evidence.
func reportedOccurrences(q access.Queries, s store.Slice, number int64) (found reporttext.Occurrences, err error) {
	found = reporttext.Occurrences{Count: s.OccurrenceCount, Shown: number, WithEvidence: number}
	if found.All, err = q.Occurrences(s.ID, s.OccurrenceCount+1, maxReportedOccurrences); err != nil {
		return found, err
	}
	if found.Count <= 1 || len(found.All) == 0 { // the slice is what its only report says, with later changes
		found.All = []store.Occurrence{firstOccurrence(&s)}
	}
	if number == 0 {
		if found.WithEvidence, err = q.NewestOccurrenceWithEvidence(s.ID); err != nil {
			return found, err
		}
	}
	if found.WithEvidence > 0 && found.WithEvidence < found.All[len(found.All)-1].Number {
		older, err := q.Occurrences(s.ID, found.WithEvidence+1, 1)
		if found.All = append(found.All, older...); err != nil {
			return found, err
		}
	}
	return found, nil
}

// recordedKinds are the kinds of evidence on the time line of a report.
var recordedKinds = []reporttext.Kind{reporttext.Console, reporttext.Network, reporttext.Actions}

// addRecording adds the evidence of an occurrence to a report, and what failed in the others.
func (t *Tracker) addRecording(ctx context.Context, q access.Queries, s store.Slice, r *reporttext.Report) error {
	number := r.Occurrences.WithEvidence
	if number == 0 {
		return nil
	}
	sets, err := evidenceByKind(q, s.ID, number)
	if err == nil {
		err = t.addFailures(ctx, sets, r)
	}
	if err == nil {
		err = t.addAround(ctx, sets, r)
	}
	if err != nil {
		return err
	}
	return t.addOtherFailures(ctx, q, s, r)
}

// addFailures adds to a report what was captured, and the failures in it.
func (t *Tracker) addFailures(ctx context.Context, sets map[api.AttachmentKind][]store.Attachment, r *reporttext.Report) error {
	span, err := t.recordedSpan(ctx, sets)
	if err != nil {
		return err
	}
	r.Zero = span.Start
	for _, kind := range recordedKinds {
		read, err := t.reportEvidence(ctx, kind, sets[kind.Evidence])
		if err != nil {
			return err
		}
		r.Evidence = append(r.Evidence, read)
	}
	r.Failures = reporttext.FailuresOf(r.Evidence, span.End)
	return nil
}

// failuresOf returns the failures in the evidence of an occurrence, which the report of the slice has, too.
func (t *Tracker) failuresOf(ctx context.Context, sliceID string, number int64) (reporttext.Failures, error) {
	var r reporttext.Report
	sets, err := evidenceByKind(t.access.Read(ctx), sliceID, number)
	if err == nil {
		err = t.addFailures(ctx, sets, &r)
	}
	return r.Failures, err
}

// evidenceByKind returns the sets of an occurrence of a slice.
func evidenceByKind(q access.Queries, sliceID string, number int64) (map[api.AttachmentKind][]store.Attachment, error) {
	sets := map[api.AttachmentKind][]store.Attachment{}
	for _, kind := range []api.AttachmentKind{api.KindConsole, api.KindNetwork, api.KindActions, api.KindReplay} {
		var err error
		if sets[kind], err = q.EvidenceOf(sliceID, number, kind, maxSets); err != nil {
			return nil, err
		}
	}
	return sets, nil
}

// recordedSpan returns the times of the first and the last event of the captured evidence, zero for none. The events of
// a replay count when nothing else was captured.
func (t *Tracker) recordedSpan(ctx context.Context, sets map[api.AttachmentKind][]store.Attachment) (
	span CapturedRows, err error,
) {
	away := false
	for _, kind := range []api.AttachmentKind{api.KindConsole, api.KindNetwork, api.KindActions, api.KindReplay} {
		if kind == api.KindReplay && !span.Start.IsZero() {
			break
		}
		rows, err := t.capturedRows(ctx, kind, withinBudget(sets[kind]), &away)
		if err != nil || away {
			return CapturedRows{}, err
		}
		if !rows.Start.IsZero() && (span.Start.IsZero() || rows.Start.Before(span.Start)) {
			span.Start = rows.Start
		}
		if rows.End.After(span.End) {
			span.End = rows.End
		}
	}
	return span, nil
}

// addAround adds to a report the rows that belong to its failures, and what the page showed around them.
func (t *Tracker) addAround(ctx context.Context, sets map[api.AttachmentKind][]store.Attachment, r *reporttext.Report,
) error {
	for i := range r.Evidence {
		e := &r.Evidence[i]
		if e.Away || e.Kind.Evidence == api.KindActions {
			continue
		}
		for _, a := range withinBudget(sets[e.Kind.Evidence]) {
			lines, err := t.around(ctx, a, r.Failures, e.Kind)
			if e.Around = append(e.Around, lines...); err != nil {
				return ignoreUnavailable(err)
			}
		}
	}
	replays := withinBudget(sets[api.KindReplay])
	if len(replays) == 0 {
		return nil
	}
	var err error
	r.Screens, err = t.screens(ctx, replays, r.Failures)
	return ignoreUnavailable(err)
}

// ignoreUnavailable returns an error unless it says that the storage of files cannot be reached: a report is answered
// without the evidence.
func ignoreUnavailable(err error) error {
	if errors.Is(err, blob.ErrUnavailable) {
		return nil
	}
	return err
}

// around returns the lines of the rows of a set that belong to failures.
func (t *Tracker) around(ctx context.Context, a store.Attachment, f reporttext.Failures, kind reporttext.Kind) (
	[]reporttext.Highlight, error,
) {
	return cached(t.derived, "around "+a.ID+" "+f.Key(), func() ([]reporttext.Highlight, int, error) {
		ctx, cancel := detached(ctx)
		defer cancel()
		c := f.Around(kind, int(*a.Entries))
		err := t.scanRows(ctx, a, c.Filter, func(_ int, row []byte) (bool, error) {
			c.Add(row)
			return true, nil
		})
		return c.Lines, c.Size(), err
	})
}

// screens returns what a page showed around failures.
func (t *Tracker) screens(ctx context.Context, replays []store.Attachment, f reporttext.Failures) (
	*reporttext.Screens, error,
) {
	key := "screens " + f.Key()
	for _, a := range replays {
		key += " " + a.ID
	}
	return cached(t.derived, key, func() (*reporttext.Screens, int, error) {
		ctx, cancel := detached(ctx)
		defer cancel()
		s := f.Screens()
		for _, a := range replays {
			err := t.scanRows(ctx, a, evidence.Filter{}, func(_ int, row []byte) (bool, error) { return s.Add(row), nil })
			if err != nil {
				return nil, 0, err
			}
		}
		s.End()
		return s, s.Size(), nil
	})
}

// addOtherFailures adds to a report what failed in its occurrences with evidence, within the bytes of one report.
func (t *Tracker) addOtherFailures(ctx context.Context, q access.Queries, s store.Slice, r *reporttext.Report) error {
	o := &r.Occurrences
	o.Failed = map[int64][]string{o.WithEvidence: reporttext.FailedLines(r.Evidence)}
	var read int64
	for _, other := range o.All {
		if !other.HasEvidence || other.Number == o.WithEvidence {
			continue
		}
		var all []reporttext.Evidence
		for _, kind := range []reporttext.Kind{reporttext.Console, reporttext.Network} {
			sets, err := q.EvidenceOf(s.ID, other.Number, kind.Evidence, maxSets)
			if err != nil {
				return err
			}
			for _, a := range sets {
				read += a.Size
			}
			if read > maxReportBytes {
				return nil
			}
			e, err := t.reportEvidence(ctx, kind, sets)
			if err != nil || e.Away {
				return err
			}
			all = append(all, e)
		}
		o.Failed[other.Number] = reporttext.FailedLines(all)
	}
	return nil
}

// withinBudget returns the newest of the sets, as many as are read for a report.
func withinBudget(sets []store.Attachment) []store.Attachment {
	var read int64
	for i := len(sets) - 1; i >= 0; i-- {
		if read += sets[i].Size; read > maxReportBytes && i < len(sets)-1 {
			return sets[i+1:]
		}
	}
	return sets
}

// reportEvidence reads the sets of a kind of evidence for a report.
func (t *Tracker) reportEvidence(ctx context.Context, kind reporttext.Kind, sets []store.Attachment) (
	reporttext.Evidence, error,
) {
	read := withinBudget(sets)
	out := reporttext.Evidence{Kind: kind, Skipped: len(sets) - len(read)}
	for _, a := range read {
		h, err := t.highlights(ctx, a, kind)
		if errors.Is(err, blob.ErrUnavailable) { // the other files are in the same storage
			out.Away, out.Rows = true, 0
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out.Read = append(out.Read, h)
		out.Rows += *a.Entries
	}
	return out, nil
}

// highlights returns the newest highlights of a set. With an index, only blocks with rows of the section are read.
func (t *Tracker) highlights(ctx context.Context, a store.Attachment, kind reporttext.Kind) (
	reporttext.Highlights, error,
) {
	h, err := cached(t.derived, "highlights "+a.ID, func() (reporttext.Highlights, int, error) {
		ctx, cancel := detached(ctx)
		defer cancel()
		r, _, err := t.openEvidence(ctx, a)
		if err != nil {
			return reporttext.Highlights{}, 0, ignoreNotFound(err)
		}
		defer func() { _ = r.Close() }()
		c := reporttext.Collect(kind, int(*a.Entries), rowMatcher(kind.Words...))
		err = r.Rows(kind.Evidence, c.Filter, func(_ int, row []byte) (bool, error) {
			c.Add(row)
			return true, ctx.Err()
		})
		return c.Highlights, c.Size(), err
	})
	if t.isLost(err, a) {
		return reporttext.Highlights{More: int(*a.Entries)}, nil
	}
	return h, err
}
