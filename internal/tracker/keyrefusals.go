package tracker

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
)

// Refusal counts the calls of a key that were refused with one code.
type Refusal struct {
	Code   string
	Status int
	Count  int64
	LastAt api.Time
	Last   string // the method and the path pattern of the last one
}

// refusalRetention is the time for which refused calls are counted.
const refusalRetention = 8 * 24 * time.Hour

// NoteRefusal counts a call of an operation that was refused with a problem code. It does not access the database: a
// background task stores the counts. The codes are those of the API, at most one count for each code and hour of a
// key, so the number of calls costs nothing. It ignores a call without a key, and codes that are no fault of the
// client.
func (t *Tracker) NoteRefusal(keyID, code, operation string) {
	if status := statusOf(code); keyID == "" || status < 400 || status >= 500 {
		return
	}
	t.refusals.add(keyID, code, operation, t.clock())
}

// statusOf returns the status of a problem code, 0 for an unknown one.
func statusOf(code string) int {
	for _, c := range api.Codes {
		if c.Code == code {
			return c.Status
		}
	}
	return 0
}

// flushRefusals stores the counts of refused calls. Nodes store them in the same order, so that they do not deadlock.
func (t *Tracker) flushRefusals(ctx context.Context) error {
	counts := t.refusals.drain()
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b refusalKey) int {
		return cmp.Or(cmp.Compare(a.keyID, b.keyID), cmp.Compare(a.hour, b.hour), cmp.Compare(a.code, b.code))
	})
	for batch := range slices.Chunk(keys, jobBatch) {
		err := access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
			for _, k := range batch {
				n, op := counts[k], api.Lookup(counts[k].operation)
				err := tx.AddRefusals(api.At(time.Unix(k.hour*3600, 0)),
					store.Refusals{KeyID: k.keyID, Code: k.code, Count: n.count,
						LastAt: n.lastAt, LastCall: op.Method + " " + op.Path})
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// KeyRefusals counts the refused calls since an instant of a key that the caller sees, most frequent first. It counts
// in whole hours, and counts are deleted after 8 days.
func (t *Tracker) KeyRefusals(ctx context.Context, c access.Caller, keyID string, since time.Time) ([]Refusal, error) {
	if err := c.Allow(api.OpGetKey); err != nil {
		return nil, err
	}
	q := t.access.Read(ctx)
	if _, err := c.StoredKey(q, keyID); err != nil {
		return nil, err
	}
	rows, err := q.KeyRefusals(keyID, api.At(since.Truncate(time.Hour)))
	return convert(rows, func(r store.Refusals) Refusal {
		return Refusal{Code: r.Code, Status: statusOf(r.Code), Count: r.Count, LastAt: r.LastAt, Last: r.LastCall}
	}), err
}
