package tracker

import (
	"sync"
	"time"
)

// suspensions are the suspended jobs of this node. Two goroutines run jobs: one removes files.
type suspensions struct {
	sync.Mutex
	since map[string]time.Time // by job; with a monotonic clock, so that a change of the wall clock does not end a suspension
	jumps []string             // jobs suspended since the last log because the clock may have jumped
}

// skewLog limits how often a clock skew is logged.
type skewLog struct {
	sync.Mutex
	warnedAt time.Time // when a difference was last logged; zero while the clocks agree
}
