package tracker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bugslice/api"
	"bugslice/internal/blob"
	"bugslice/internal/store"
)

// firstEvent returns the time of the first event of the captured evidence, zero for none.
func (t *Tracker) firstEvent(ctx context.Context, all occurrences) (first time.Time, err error) {
	away := false
	for kind, sets := range all.evidence {
		rows, err := t.capturedRows(ctx, kind, withinBudget(sets), &away)
		if err != nil || away {
			return first, err
		}
		if !rows.Start.IsZero() && (first.IsZero() || rows.Start.Before(first)) {
			first = rows.Start
		}
	}
	return first, nil
}

// evidenceSection returns the rows of a kind of evidence of the newest occurrence that has evidence.
func (t *Tracker) evidenceSection(ctx context.Context, d *document, all occurrences, kind reportSection) (*section, error) {
	s := &section{heading: kind.title + all.title(all.withEvidence), language: "text", share: kind.share, noun: kind.noun, path: kind.path}
	sets := all.evidence[kind.kind]
	read := withinBudget(sets)
	if n := len(sets) - len(read); n > 0 {
		d.note(fmt.Sprintf("%d files of kind %s", n, kind.kind), "/attachments?kind="+string(kind.kind))
	}
	var lines []highlight
	seen := map[string]int{}
	for _, a := range read {
		h, err := t.highlights(ctx, a, kind)
		if errors.Is(err, blob.ErrUnavailable) { // the other files are in the same storage
			d.note(kind.noun+", because the storage of files cannot be reached now", kind.path)
			read = nil
			break
		}
		if err != nil {
			return nil, err
		}
		s.more += h.more
		for _, line := range h.lines {
			if i, ok := seen[line.text]; ok && kind.kind != api.KindActions {
				lines[i].rows, lines[i].last = lines[i].rows+line.rows, line.last
				continue
			}
			seen[line.text] = len(lines)
			lines = append(lines, line)
		}
	}
	if kind.kind == api.KindConsole {
		raiseLastError(lines)
	}
	shown := int64(s.more)
	for _, line := range lines {
		s.entries = append(s.entries, entry{text: line.since(d.zero), rows: line.rows, rank: line.rank, last: line.last})
		shown += int64(line.rows)
	}
	if others := entriesOf(read) - shown; others > 0 && kind.harmless != "" {
		noun := kind.harmless
		if shown > 0 {
			noun = "other " + noun
		}
		d.note(fmt.Sprintf("%d %s", others, noun), "/"+string(kind.kind))
	}
	return s, nil
}

// entriesOf returns the number of the rows of sets.
func entriesOf(sets []store.Attachment) (rows int64) {
	for _, a := range sets {
		rows += *a.Entries
	}
	return rows
}

// raiseLastError makes the last error of the console the most important line.
func raiseLastError(lines []highlight) {
	last := -1
	for i, line := range lines {
		if line.rank > 0 && (last < 0 || !line.last.Before(lines[last].last)) {
			last = i
		}
	}
	if last >= 0 {
		lines[last].rank = 3
	}
}

// since returns the text of a highlight with its time, in seconds from zero. A highlight of several rows has the times of the
// first and the last of them, and their number.
func (l *highlight) since(zero time.Time) string {
	if zero.IsZero() {
		return l.text
	}
	at, end := seconds(l.first.Sub(zero)), seconds(l.last.Sub(zero))
	switch {
	case l.rows == 1 || l.input != "":
		return at + " " + l.text
	case at == end:
		return fmt.Sprintf("%s %d × %s", at, l.rows, l.text)
	}
	return fmt.Sprintf("%s to %s %d × %s", at, end, l.rows, l.text)
}

// seconds returns a duration with its sign and hundredths of a second.
func seconds(d time.Duration) string { return fmt.Sprintf("%+.2fs", d.Seconds()) }
