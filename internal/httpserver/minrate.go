package httpserver

import "time"

// MinRate is how many bytes of a response a client must receive in any window of time.
type MinRate struct {
	Window time.Duration
	Bytes  int
}

// DefaultMinRate is 4 KiB a second, on average.
var DefaultMinRate = MinRate{Window: time.Minute, Bytes: 60 * 4 << 10}

// rateMeter measures how fast a client receives a response. Its clock runs only while a write waits for the client, so
// the time of a slow handler does not count.
type rateMeter struct {
	minimum MinRate
	clock   time.Duration
	buckets []bucket // the newest that have the minimum together; all buckets until they have it
	total   int      // bytes of these buckets
}

// bucket counts the bytes that were received in a 64th of the window.
type bucket struct {
	end   time.Duration
	bytes int
}

// add counts the bytes of a write that waited.
func (m *rateMeter) add(bytes int, waited time.Duration) {
	m.clock += waited
	step := m.minimum.Window / 64
	end := (m.clock/step + 1) * step
	if n := len(m.buckets); n == 0 || m.buckets[n-1].end != end {
		m.buckets = append(m.buckets, bucket{end: end})
	}
	m.buckets[len(m.buckets)-1].bytes += bytes
	m.total += bytes
	for m.total-m.buckets[0].bytes >= m.minimum.Bytes {
		m.total -= m.buckets[0].bytes
		m.buckets = m.buckets[1:]
	}
}

// timeLeft returns how long the client may receive nothing before it falls below the minimum rate.
func (m *rateMeter) timeLeft() time.Duration {
	since := time.Duration(0)
	if m.total >= m.minimum.Bytes {
		since = m.buckets[0].end
	}
	return since + m.minimum.Window - m.clock
}
