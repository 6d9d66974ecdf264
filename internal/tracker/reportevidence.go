package tracker

import (
	"context"
	"errors"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/blob"
	"bugslice/internal/reporttext"
	"bugslice/internal/store"
)

// reportedOccurrences reads the newest occurrences of a slice, and the newest one that has evidence, with its evidence.
func reportedOccurrences(q access.Queries, s store.Slice) (
	found reporttext.Occurrences, sets map[api.AttachmentKind][]store.Attachment, err error,
) {
	found.Count, sets = s.OccurrenceCount, map[api.AttachmentKind][]store.Attachment{}
	if found.All, err = q.Occurrences(s.ID, s.OccurrenceCount+1, maxReportedOccurrences); err != nil {
		return found, sets, err
	}
	if found.Count <= 1 || len(found.All) == 0 { // the slice is what its only report says, with later changes
		found.All = []store.Occurrence{firstOccurrence(&s)}
	}
	if found.WithEvidence, err = q.NewestOccurrenceWithEvidence(s.ID); err != nil || found.WithEvidence == 0 {
		return found, sets, err
	}
	if found.WithEvidence < found.All[len(found.All)-1].Number {
		older, err := q.Occurrences(s.ID, found.WithEvidence+1, 1)
		if found.All = append(found.All, older...); err != nil {
			return found, sets, err
		}
	}
	for _, kind := range []api.AttachmentKind{api.KindConsole, api.KindNetwork, api.KindActions, api.KindReplay} {
		if sets[kind], err = q.EvidenceOf(s.ID, found.WithEvidence, kind, maxSets); err != nil {
			return found, sets, err
		}
	}
	return found, sets, nil
}

// firstEvent returns the time of the first event of the captured evidence, zero for none.
func (t *Tracker) firstEvent(ctx context.Context, evidence map[api.AttachmentKind][]store.Attachment) (
	first time.Time, err error,
) {
	away := false
	for kind, sets := range evidence {
		rows, err := t.capturedRows(ctx, kind, withinBudget(sets), &away)
		if err != nil || away {
			return first, err
		}
		if !rows.Start.IsZero() && (first.IsZero() || rows.Start.Before(first)) {
			first = rows.Start
		}
	}
	return first, nil
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
