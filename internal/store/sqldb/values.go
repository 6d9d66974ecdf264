package sqldb

import "bugslice/api"

// Flag is a truth as columns have it, the same on both databases.
func Flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Millis is a time as columns have it, in milliseconds since 1970; nil for none.
func Millis(t *api.Time) *int64 {
	if t == nil {
		return nil
	}
	return new(t.UnixMilli())
}

// TimeAt is the time of a column; nil for none.
func TimeAt(ms *int64) *api.Time {
	if ms == nil {
		return nil
	}
	return new(api.FromMillis(*ms))
}
