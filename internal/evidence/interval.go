package evidence

import (
	"encoding/json"
	"time"

	"bugslice/api"
)

// Interval returns when a row was captured: from its start to its end, which differ for a request. ok is false for a
// row without a time.
func Interval(kind api.AttachmentKind, row []byte) (start, end time.Time, ok bool) {
	switch kind {
	case api.KindNetwork:
		n, err := Summary(row)
		start = n.StartedAt.Time
		return start, start.Add(time.Duration(n.DurationMs * float64(time.Millisecond))), err == nil
	case api.KindReplay:
		var e struct{ Timestamp float64 }
		err := json.Unmarshal(row, &e)
		start = time.UnixMilli(int64(e.Timestamp))
		return start, start, err == nil && e.Timestamp > 0
	default:
		var e struct{ Timestamp api.Time }
		err := json.Unmarshal(row, &e)
		return e.Timestamp.Time, e.Timestamp.Time, err == nil && !e.Timestamp.IsZero()
	}
}
