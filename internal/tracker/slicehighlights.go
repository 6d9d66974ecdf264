package tracker

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"bugslice/api"
	"bugslice/internal/evidence"
	"bugslice/internal/store"
)

// maxReportBytes is how many bytes of evidence of a kind one report is made from: of at least one set.
const maxReportBytes = 32 << 20

// withinBudget says how many of the sets one report is made from.
func withinBudget(sets []store.Attachment) int {
	var read int64
	for i, a := range sets {
		if read += a.Size; read > maxReportBytes && i > 0 {
			return i
		}
	}
	return len(sets)
}

// reportSection is a section of a report: which rows of a kind it shows, and how a row becomes a line.
type reportSection struct {
	title    string
	noun     string  // of its rows
	path     string  // of all of them, below the slice's
	share    float64 // of the characters that are left
	kind     api.AttachmentKind
	numbered bool
	classes  []int    // of the rows; any when there are none
	words    []string // one of which every such row has
	line     func(row []byte) (string, error)
}

var (
	consoleSection = reportSection{title: "Errors and warnings of the console", noun: "errors and warnings", path: "/console?level=error,warn",
		share: 0.45,
		kind:  api.KindConsole, line: consoleLine,
		classes: convert([]api.ConsoleLevel{"error", "warn"}, evidence.LevelClass), words: []string{"error", "warn"}}
	networkSection = reportSection{title: "Failed requests", noun: "failed requests", path: "/network?status=4xx,5xx,failed", share: 0.5,
		kind: api.KindNetwork, line: networkLine, classes: []int{0, 4, 5, 6, 7, 8, 9}}
	actionsSection = reportSection{title: "What the user did", noun: "actions", path: "/actions", share: 0.35,
		kind: api.KindActions, line: actionLine, numbered: true}
)

// highlights are what reports show of a set. They do not depend on how long a report may be.
type highlights struct {
	lines []string // the first
	more  int      // how many rows there are behind them
}

// A report that may be as long as any shows no more than this of a set.
const (
	maxHighlights     = 4000
	maxHighlightBytes = 200 << 10
)

// highlights returns what reports show of a set. Of one with an index it reads only rows that are shown.
func (t *Tracker) highlights(ctx context.Context, a store.Attachment, k reportSection) (highlights, error) {
	return cached(t.derived, "highlights "+a.ID, func() (h highlights, bytes int, err error) {
		ctx, cancel := detached(ctx)
		defer cancel()
		r, index, err := t.openEvidence(ctx, a)
		if err != nil {
			return h, 0, ignoreNotFound(err)
		}
		defer func() { _ = r.Close() }()
		seen, read, possible := map[string]bool{}, 0, rowMatcher(k.words...)
		err = r.Rows(k.kind, evidence.Filter{Classes: k.classes}, func(place int, row []byte) (bool, error) {
			if !possible(row) {
				return true, ctx.Err()
			}
			line, err := k.line(row)
			if err != nil || line == "" { // what cannot be read stays in its attachment
				return true, ctx.Err()
			}
			if full := read >= maxHighlights || bytes >= maxHighlightBytes; full {
				h.more++
				return index == nil, ctx.Err() // with an index the rest is known
			}
			if read++; k.numbered || !seen[line] {
				seen[line] = true
				h.lines = append(h.lines, line)
				bytes += len(line)
			}
			return true, ctx.Err()
		})
		switch {
		case h.more == 0 || index == nil:
		case len(k.classes) > 0:
			h.more = max(1, index.Count(k.classes)-read)
		default:
			h.more = max(1, int(*a.Entries)-read)
		}
		return h, bytes + 16*len(h.lines), err
	})
}

func consoleLine(raw []byte) (string, error) {
	var e api.ConsoleEntry
	if err := json.Unmarshal(raw, &e); err != nil || e.Level != "error" && e.Level != "warn" {
		return "", err
	}
	line := string(e.Level) + ": " + truncate(e.Message, 1000)
	if e.Stack != nil && e.Level == "error" {
		stack := strings.TrimPrefix(*e.Stack, e.Message)
		line += "\n" + truncate(strings.TrimLeft(stack, "\n"), 1500)
	}
	return line, nil
}

func networkLine(raw []byte) (string, error) {
	n, err := evidence.Summary(raw)
	if err != nil || !evidence.Failed(n) {
		return "", err
	}
	answer := fmt.Sprintf("%d %s", n.Status, n.StatusText)
	if n.Status == 0 {
		answer = "no answer"
	}
	line := fmt.Sprintf("%s %s → %s", n.Method, truncate(n.URL, 500), answer)
	if n.Error != nil {
		line += " " + *n.Error
	}
	if n.ResponseBody != nil {
		line += "\n  answered: " + truncate(*n.ResponseBody, 300)
	}
	return line, nil
}

func actionLine(raw []byte) (string, error) {
	var e api.ActionEntry
	if err := json.Unmarshal(raw, &e); err != nil {
		return "", err
	}
	line := e.Type
	for _, p := range []*string{e.Selector, e.Text, e.Value, e.URL} {
		if p != nil && *p != "" {
			line += " " + strings.Join(strings.Fields(truncate(*p, 120)), " ")
		}
	}
	return line, nil
}
