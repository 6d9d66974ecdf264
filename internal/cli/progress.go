package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// progress shows how far a long command is: a bar that is drawn anew on a terminal, a line for
// each tenth elsewhere.
type progress struct {
	out   io.Writer
	what  string
	total int
	done  int
	tenth int
	bar   bool
	drawn time.Time
}

func newProgress(out io.Writer, what string, total int) *progress {
	p := &progress{out: out, what: what, total: total}
	if f, ok := out.(*os.File); ok {
		info, err := f.Stat()
		p.bar = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

const barWidth = 30

func (p *progress) add(n int) {
	if p.done += n; p.total < 1 {
		return
	}
	share := min(1, float64(p.done)/float64(p.total))
	if !p.bar {
		if tenth := int(share * 10); tenth > p.tenth {
			p.tenth = tenth
			fmt.Fprintf(p.out, "%s: %d of %d (%d %%)\n", p.what, p.done, p.total, tenth*10)
		}
		return
	}
	if p.done < p.total && time.Since(p.drawn) < 100*time.Millisecond {
		return
	}
	p.drawn = time.Now()
	full := int(share * barWidth)
	fmt.Fprintf(p.out, "\r%s [%s%s] %d of %d ", p.what, strings.Repeat("█", full), strings.Repeat("·", barWidth-full), p.done, p.total)
	if p.done >= p.total {
		fmt.Fprintln(p.out)
	}
}
