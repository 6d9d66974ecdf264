package tracker

import (
	"sync"
	"time"
)

// suspensions maps the name of a suspended job to the start of its suspension. The times have a monotonic clock, so
// that a change of the wall clock does not end a suspension. Only the goroutine that runs the jobs uses the map.
type suspensions map[string]time.Time

// skewLog limits how often a clock skew is logged.
type skewLog struct {
	sync.Mutex
	warnedAt time.Time // when a difference was last logged; zero while the clocks agree
}
