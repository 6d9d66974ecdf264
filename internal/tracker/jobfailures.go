package tracker

import "sync"

// jobFailures counts the runs of jobs that failed on this node.
type jobFailures struct {
	mu    sync.Mutex
	count map[string]int64
}

func (f *jobFailures) note(job string, err error) {
	if err == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count == nil {
		f.count = map[string]int64{}
	}
	f.count[job]++
}

func (f *jobFailures) of(job string) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count[job]
}
