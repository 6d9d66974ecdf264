package output

import (
	"fmt"
	"strings"
	"time"
)

const (
	barWidth    = 24
	barInterval = 100 * time.Millisecond
)

// Progress returns a function that shows how much of a file is transferred: as a bar, where errors are shown on a
// terminal, and otherwise not at all.
func (p *Printer) Progress(label string) func(done, total int64) {
	if !IsTerminal(p.Err) {
		return func(int64, int64) {}
	}
	var drawn time.Time
	finished := false
	return func(done, total int64) {
		complete := total >= 0 && done >= total
		if finished || !complete && time.Since(drawn) < barInterval {
			return
		}
		drawn, finished = time.Now(), complete
		bar := Size(done)
		if total > 0 {
			full := int(min(done, total) * barWidth / total)
			bar = "[" + strings.Repeat("█", full) + strings.Repeat("·", barWidth-full) + "] " + Size(done) +
				" of " + Size(total)
		}
		fmt.Fprintf(p.Err, "\r%s %s ", OneLine(label), bar)
		if complete {
			fmt.Fprintln(p.Err)
		}
	}
}
