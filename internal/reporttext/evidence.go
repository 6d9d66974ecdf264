package reporttext

import (
	"fmt"
	"time"

	"bugslice/api"
)

// Evidence is what was read of a kind of evidence of the newest occurrence that has evidence.
type Evidence struct {
	Kind    Kind
	Read    []Highlights // by set
	Rows    int64        // of these sets
	Skipped int          // sets that are too many to be read
	Away    bool         // whether the storage of files cannot be reached
}

// evidenceSection returns the section of a kind of evidence.
func evidenceSection(d *document, of Evidence, all Occurrences) *section {
	kind := of.Kind
	s := &section{heading: kind.title + all.title(all.WithEvidence), language: "text", share: kind.share,
		noun: kind.noun, path: kind.path}
	if of.Skipped > 0 {
		d.note(fmt.Sprintf("%d files of kind %s", of.Skipped, kind.Evidence), "/attachments?kind="+
			string(kind.Evidence))
	}
	if of.Away {
		d.note(kind.noun+", because the storage of files cannot be reached now", kind.path)
	}
	var lines []Highlight
	seen := map[string]int{}
	for _, h := range of.Read {
		s.more += h.More
		for _, line := range h.Lines {
			if i, ok := seen[line.text]; ok && kind.Evidence != api.KindActions {
				lines[i].rows, lines[i].last = lines[i].rows+line.rows, line.last
				continue
			}
			seen[line.text] = len(lines)
			lines = append(lines, line)
		}
	}
	if kind.Evidence == api.KindConsole {
		raiseLastError(lines)
	}
	shown := int64(s.more)
	for _, line := range lines {
		s.entries = append(s.entries, entry{text: line.since(d.zero), rows: line.rows, rank: line.rank,
			last: line.last})
		shown += int64(line.rows)
	}
	if others := of.Rows - shown; others > 0 && kind.harmless != "" {
		noun := kind.harmless
		if shown > 0 {
			noun = "other " + noun
		}
		d.note(fmt.Sprintf("%d %s", others, noun), "/"+string(kind.Evidence))
	}
	return s
}

// raiseLastError makes the last error of the console the most important line.
func raiseLastError(lines []Highlight) {
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

// since returns the text of a highlight with its time, in seconds from zero. A highlight of several rows has the
// times of the first and the last of them, and their number.
func (l *Highlight) since(zero time.Time) string {
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
