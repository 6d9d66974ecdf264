package tracker

import (
	"context"

	"bugslice/internal/store/sources"
)

// Visitors is what people without an account do: they file reports by the public key of a source, and follow them on pages
// whose addresses nobody can guess. Its callers are of access.Reporting and access.ReporterCredential.
type Visitors struct{ t *Tracker }

// Visitors returns what visitors do.
func (t *Tracker) Visitors() Visitors { return Visitors{t} }

// SourceByKey returns the source that takes reports with a public key. access.ErrNoSource is the same for an unknown, a
// paused and a deleted one. It may be as old as sourceCached.
func (vs Visitors) SourceByKey(ctx context.Context, key string) (sources.Source, error) {
	now := vs.t.now()
	if s, ok := vs.t.sourceCache.get(key, now); ok {
		return s, nil
	}
	s, err := vs.t.access.SourceByKey(ctx, key)
	if err == nil {
		vs.t.sourceCache.put(key, cachedSource{s, now.Add(sourceCached)})
	}
	return s, err
}
