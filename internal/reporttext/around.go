package reporttext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/evidence"
)

// maxAround is the number of rows of a set that a report shows beside its highlights.
const maxAround = 200

// AroundCollector collects the rows of a set that are no highlights and belong to a failure: messages of the console
// and requests of the seconds before it, and successful requests of any time that are suspicious.
type AroundCollector struct {
	Lines  []Highlight
	Filter evidence.Filter // of the rows to add

	failures Failures
	kind     Kind
}

// Around returns an AroundCollector for a set of the console or of requests, with a number of rows.
func (f Failures) Around(kind Kind, rows int) *AroundCollector {
	return &AroundCollector{failures: f, kind: kind, Filter: evidence.Filter{After: max(0, rows-maxHighlights)}}
}

// Size returns the approximate memory of the lines.
func (a *AroundCollector) Size() (n int) {
	for i := range a.Lines {
		n += a.Lines[i].size() + 240
	}
	return n
}

// Add adds the line of a row that belongs to a failure. When there are too many, it removes the least telling one.
func (a *AroundCollector) Add(row []byte) {
	var line Highlight
	if a.kind.Evidence == api.KindConsole {
		line = a.message(row)
	} else {
		line = a.request(row)
	}
	if line.text == "" {
		return
	}
	for i := range a.Lines {
		if same := &a.Lines[i]; same.text == line.text {
			same.rows, same.last = same.rows+1, line.last
			return
		}
	}
	if a.Lines = append(a.Lines, line); len(a.Lines) > maxAround {
		least := 0
		for i := range a.Lines {
			if a.Lines[i].rank < a.Lines[least].rank {
				least = i
			}
		}
		a.Lines = append(a.Lines[:least], a.Lines[least+1:]...)
	}
}

// message returns the line of a message before a failure that is neither an error nor a warning.
func (a *AroundCollector) message(row []byte) Highlight {
	var e api.ConsoleEntry
	if err := json.Unmarshal(row, &e); err != nil || e.Level == "error" || e.Level == "warn" ||
		!a.failures.around(e.Timestamp.Time) {
		return Highlight{}
	}
	return Highlight{text: string(e.Level) + ": " + oneLine(e.Message, 200), rows: 1, rank: typing,
		first: e.Timestamp.Time, last: e.Timestamp.Time}
}

// request returns the line of a successful request before a failure that is not one for a file of the page, or of a
// suspicious one.
func (a *AroundCollector) request(row []byte) Highlight {
	if !bytes.Contains(row, []byte("json")) && bytes.Contains(row, []byte(`"method":"GET"`)) {
		return Highlight{}
	}
	x, err := evidence.ParseExchange(row)
	if n := x.Summary; err != nil || evidence.Failed(n) || staticFile.MatchString(n.URL) {
		return Highlight{}
	}
	suspect := a.failures.Suspect(x)
	n, at := x.Summary, x.Summary.StartedAt.Time
	isPage := n.Method == "GET" && !wantsJSON(x) && strings.Contains(x.Response.MediaType, "html")
	if suspect == nil && (isPage || !a.failures.around(at)) {
		return Highlight{}
	}
	line := requestLine(n)
	if took := time.Duration(n.DurationMs * float64(time.Millisecond)); took >= 300*time.Millisecond {
		line.text += fmt.Sprintf(" after %.1f s", took.Seconds())
	}
	line.rank = passing
	switch {
	case suspect != nil:
		if suspect.Guess {
			line.text += "\n  perhaps"
		} else {
			line.text += "\n "
		}
		line.text += " suspicious: " + suspect.Reason
		if line.rank, line.isWeak = telling, suspect.Guess; line.answered == "" || strings.HasPrefix(line.answered, "<") {
			addBodies(&line, n, 120)
		}
	case n.Method != "GET" || a.failures.follows(at):
		addBodies(&line, n, 160)
	}
	return line
}

// addBodies adds the bodies of a request to its line, shortened.
func addBodies(line *Highlight, n api.NetworkEntry, limit int) {
	if n.ResponseBody != nil && *n.ResponseBody != "" {
		line.text += "\n  answered: " + bodyLine(*n.ResponseBody, limit)
	}
	if n.RequestBody != nil && *n.RequestBody != "" {
		line.text += "\n  sent: " + bodyLine(*n.RequestBody, limit)
	}
}
