package tracker

import (
	"sync"
	"time"
)

// suspensions says since when jobs wait, by their names. Its times have the process's monotonic clock,
// so that a wait that this process has seen does not end by a change of the clock. One goroutine
// runs the jobs.
type suspensions map[string]time.Time

// skewLog remembers what the log was told of the node's clock, so that it is not told again with each job.
type skewLog struct {
	sync.Mutex
	warned time.Time // when the log was last told that the clocks differ; zero while they agree
}
