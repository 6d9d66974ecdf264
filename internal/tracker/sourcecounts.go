package tracker

import (
	"context"
	"fmt"

	"bugslice/internal/access"
	"bugslice/internal/store/sources"
)

// SourceSecrets returns the secrets by which the site of a source signs now, the newest first; none for a source that never
// had one.
func (vs Visitors) SourceSecrets(ctx context.Context, sourceID string) ([]string, error) {
	rows, err := vs.t.access.Read(ctx).Sources().Secrets(sourceID, vs.t.clock())
	if err != nil {
		return nil, err
	}
	all := make([]string, len(rows))
	for i, row := range rows {
		if all[i], err = vs.t.unseal(sourcePurpose, sourceID, row.Sealed); err != nil {
			return nil, fmt.Errorf("the secret of source %s cannot be decrypted: is this the instance's secret key? %w", sourceID, err)
		}
	}
	return all, nil
}

// CountRefused adds reports of a source that were refused for a reason, which is a word of the service such as rate, to those of the
// day. Its callers collect them: a flood must not write a row for each request.
func (vs Visitors) CountRefused(ctx context.Context, sourceID, reason string, reports int64) error {
	return access.SystemChange(ctx, vs.t.authority, func(tx *access.Tx) error {
		if _, err := tx.Queries.Sources().Source(sourceID); err != nil { // deleted meanwhile
			return ignoreMissing(err)
		}
		return tx.Sources().Count(sourceID, vs.t.clock(), sources.Refused(reason), reports)
	})
}
