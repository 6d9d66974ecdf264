package tracker

import (
	"context"
	"fmt"

	"bugslice/internal/access"
	"bugslice/internal/store/sources"
)

// SourceSecrets returns the secrets by which the site of a source signs now, the newest first; none for a source that never
// had one.
func (t *Tracker) SourceSecrets(ctx context.Context, sourceID string) ([]string, error) {
	rows, err := t.access.Read(ctx).Sources().Secrets(sourceID, t.clock())
	if err != nil {
		return nil, err
	}
	all := make([]string, len(rows))
	for i, row := range rows {
		if all[i], err = t.unseal(sourcePurpose, sourceID, row.Sealed); err != nil {
			return nil, fmt.Errorf("the secret of source %s cannot be decrypted: is this the instance's secret key? %w", sourceID, err)
		}
	}
	return all, nil
}

// TakeReport counts a report of bytes against the limits of the day of its source. ok is false when it would exceed one: the
// report must not be stored.
func (t *Tracker) TakeReport(ctx context.Context, s sources.Source, bytes int64) (ok bool, err error) {
	return access.SystemWrite(ctx, t.authority, func(tx *access.Tx) (bool, error) {
		return tx.Sources().Take(&s, t.clock(), bytes)
	})
}

// TakeReportBytes counts the bytes of a file of a report that was taken.
func (t *Tracker) TakeReportBytes(ctx context.Context, s sources.Source, bytes int64) (ok bool, err error) {
	return access.SystemWrite(ctx, t.authority, func(tx *access.Tx) (bool, error) {
		return tx.Sources().TakeBytes(&s, t.clock(), bytes)
	})
}

// CountRefused adds reports of a source that were refused for a reason, which is a word of the service such as rate, to those of the
// day. Its callers collect them: a flood must not write a row for each request.
func (t *Tracker) CountRefused(ctx context.Context, sourceID, reason string, reports int64) error {
	return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		if _, err := tx.Queries.Sources().Source(sourceID); err != nil { // deleted meanwhile
			return ignoreMissing(err)
		}
		return tx.Sources().Count(sourceID, t.clock(), sources.Refused(reason), reports)
	})
}
