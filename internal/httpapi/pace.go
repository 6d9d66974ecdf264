package httpapi

import "time"

// Pace is how many bytes of an answer a client must take in a window of time, wherever it begins.
type Pace struct {
	Window time.Duration
	Bytes  int
}

// DefaultPace is 4 KiB a second, on average.
var DefaultPace = Pace{Window: time.Minute, Bytes: 60 * 4 << 10}

// eventStream is the type of the answers that may take as long as they like.
const eventStream = "text/event-stream"

// taken measures how fast a client takes an answer. Its clock runs while the client is waited for: an
// answer that is slow to come is not the client's fault.
type taken struct {
	pace    Pace
	clock   time.Duration
	buckets []bucket // the newest, which make up what must be taken; all of them while they do not
	total   int      // of these
}

// bucket is what was taken in a 64th of the window that ends at a time.
type bucket struct {
	end   time.Duration
	bytes int
}

// add counts bytes for which the client was waited for.
func (t *taken) add(bytes int, waited time.Duration) {
	t.clock += waited
	step := t.pace.Window / 64
	end := (t.clock/step + 1) * step
	if n := len(t.buckets); n == 0 || t.buckets[n-1].end != end {
		t.buckets = append(t.buckets, bucket{end: end})
	}
	t.buckets[len(t.buckets)-1].bytes += bytes
	t.total += bytes
	for t.total-t.buckets[0].bytes >= t.pace.Bytes {
		t.total -= t.buckets[0].bytes
		t.buckets = t.buckets[1:]
	}
}

// patience is how long the client may take nothing more until it has taken too little for a window.
func (t *taken) patience() time.Duration {
	since := time.Duration(0)
	if t.total >= t.pace.Bytes {
		since = t.buckets[0].end
	}
	return since + t.pace.Window - t.clock
}
