package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// progress shows the progress of a long command: as a bar on a terminal, elsewhere as a line for each tenth.
type progress struct {
	out         io.Writer
	label       string
	total, done int
	terminal    bool
	drawn       time.Time // when the bar was last drawn
	tenths      int       // the last tenth that was printed
}

func newProgress(out io.Writer, label string, total int) *progress {
	p := &progress{out: out, label: label, total: total}
	if f, ok := out.(*os.File); ok {
		info, err := f.Stat()
		p.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

// add records that n more are done.
func (p *progress) add(n int) {
	if p.done += n; p.total < 1 {
		return
	}
	fraction := min(1, float64(p.done)/float64(p.total))
	if p.terminal {
		p.drawBar(fraction)
	} else if tenths := int(fraction * 10); tenths > p.tenths {
		p.tenths = tenths
		fmt.Fprintf(p.out, "%s: %d of %d (%d %%)\n", p.label, p.done, p.total, tenths*10)
	}
}

const (
	barWidth    = 30
	barInterval = 100 * time.Millisecond
)

func (p *progress) drawBar(fraction float64) {
	if p.done < p.total && time.Since(p.drawn) < barInterval {
		return
	}
	p.drawn = time.Now()
	full := int(fraction * barWidth)
	bar := strings.Repeat("█", full) + strings.Repeat("·", barWidth-full)
	fmt.Fprintf(p.out, "\r%s [%s] %d of %d ", p.label, bar, p.done, p.total)
	if p.done >= p.total {
		fmt.Fprintln(p.out)
	}
}
