package reporttext

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// timeline returns the section of all that was captured of an occurrence, on one clock.
func timeline(d *document, r Report) *section {
	s := &section{heading: "What happened" + r.Occurrences.title(r.Occurrences.WithEvidence), language: "text", share: 25}
	lines := []timed{}
	for i := range r.Evidence {
		lines = append(lines, r.Evidence[i].lines(d, s)...)
	}
	lines = append(lines, r.Screens.lines(r.Failures)...)
	slices.SortStableFunc(lines, func(a, b timed) int { return a.first.Compare(b.first) })
	lines = foldActions(withoutTold(lines))
	dropWeak(lines)
	raiseActions(lines, r.Failures)
	shortenBodies(lines, d.zero)
	origin := commonOrigin(lines)
	if origin != "" {
		s.preface = "(paths without a host are of " + origin + ")"
	}
	for _, line := range lines {
		text := line.since(d.zero)
		if origin != "" {
			text = strings.ReplaceAll(text, origin+"/", "/")
		}
		s.entries = append(s.entries, entry{text: text, rows: line.rows, rank: line.rank, last: line.last,
			source: line.source})
	}
	return s
}

// lines returns the lines of a kind of evidence, and notes what they leave out.
func (e *Evidence) lines(d *document, s *section) (lines []timed) {
	kind := e.Kind
	if e.Skipped > 0 {
		d.note(fmt.Sprintf("%d files of kind %s", e.Skipped, kind.Evidence), "/attachments?kind="+
			string(kind.Evidence))
	}
	if e.Away {
		d.note(kind.source.noun+", because the storage of files cannot be reached now", kind.source.path)
	}
	seen, shown := map[string]int{}, int64(0)
	for _, h := range e.Read {
		if h.More > 0 {
			s.more = append(s.more, counted{kind.source, h.More})
		}
		shown += int64(h.More)
		for _, line := range h.Lines {
			shown += int64(line.rows)
			if i, ok := seen[line.text]; ok && !kind.isActions() {
				lines[i].rows, lines[i].last = lines[i].rows+line.rows, line.last
				continue
			}
			seen[line.text] = len(lines)
			lines = append(lines, timed{line, &e.Kind.source})
		}
	}
	if kind.Evidence == Console.Evidence {
		raiseLastError(lines)
	}
	around := &source{"requests that succeeded", "/network"}
	if kind.Evidence == Console.Evidence {
		around = &source{"other messages", "/console"}
	}
	for _, line := range e.Around {
		shown += int64(line.rows)
		lines = append(lines, timed{line, around})
	}
	if others := e.Rows - shown; others > 0 && kind.harmless != "" {
		noun := kind.harmless
		if shown > 0 {
			noun = "other " + noun
		}
		d.note(fmt.Sprintf("%d %s", others, noun), "/"+string(kind.Evidence))
	}
	return lines
}

// withoutTold removes the messages of the browser about requests that have a line themselves.
func withoutTold(lines []timed) []timed {
	requests := map[string]bool{}
	for _, l := range lines {
		if l.url != "" {
			requests[l.url] = true
		}
	}
	return slices.DeleteFunc(lines, func(l timed) bool {
		_, message, ok := strings.Cut(l.text, notLoaded)
		address := message[strings.LastIndexByte(message, ' ')+1:]
		return ok && l.url == "" && requests[address]
	})
}

// foldActions removes scrolling, and clicks on a field that is filled in by the next action.
func foldActions(lines []timed) []timed {
	next := "" // the field of the next input, while only scrolling is between
	folded := map[int]bool{}
	for i, l := range slices.Backward(lines) {
		switch {
		case !l.isAction():
		case l.input == scrolling:
			folded[i] = true
		default:
			folded[i] = next != "" && l.text == "click "+next
			next = l.input
		}
	}
	kept := lines[:0]
	for i, l := range lines {
		if !folded[i] {
			kept = append(kept, l)
		}
	}
	return kept
}

// dropWeak makes weak suspicions less telling when there is a strong one.
func dropWeak(lines []timed) {
	isStrong := func(l timed) bool { return strings.Contains(l.text, "\n  suspicious: ") }
	if !slices.ContainsFunc(lines, isStrong) {
		return
	}
	for i := range lines {
		if lines[i].isWeak {
			lines[i].rank = passing
			lines[i].text, _, _ = strings.Cut(lines[i].text, "\n")
		}
	}
}

// raiseActions makes the last actions before a failure as telling as what happened right before it.
func raiseActions(lines []timed, f Failures) {
	for i := range lines {
		if l := &lines[i]; l.rank == acting && f.follows(l.last) {
			l.rank = passing
		}
	}
}

// raiseLastError makes the last error of the console the most important line.
func raiseLastError(lines []timed) {
	last := -1
	for i, line := range lines {
		if line.rank > passing && (last < 0 || !line.last.Before(lines[last].last)) {
			last = i
		}
	}
	if last >= 0 {
		lines[last].rank = lastError
	}
}

// minRepeated is the length from which a text that was shown before is not repeated.
const minRepeated = 60

// maxRepeated is the number of bodies that are looked for in messages of the console.
const maxRepeated = 20

// shortenBodies replaces bodies of requests, where they are repeated, by the time of the line that has them.
func shortenBodies(lines []timed, zero time.Time) {
	sent := map[string]string{}  // the time of the request, by the body that it sent
	shown := map[string]string{} // the time of the line that shows a body, by the text that it has there
	for i := range lines {
		l := &lines[i]
		if at := seconds(l.first.Sub(zero)); l.url != "" {
			if len(l.sent) >= minRepeated && len(sent) < maxRepeated {
				sent[l.sent] = "(what " + at + " sent)"
			}
			l.shortenRepeated(at, shown)
		}
	}
	for i := range lines {
		for body, where := range sent {
			if l := &lines[i]; l.url == "" && strings.Contains(l.text, body) {
				l.text = strings.ReplaceAll(l.text, body, where)
			}
		}
	}
}

// shortenRepeated replaces the bodies of a request that an earlier line shows.
func (l *timed) shortenRepeated(at string, shown map[string]string) {
	parts := strings.Split(l.text, "\n")
	for i, part := range parts {
		verb, body, ok := strings.Cut(part, ": ")
		if !ok || len(body) < minRepeated || verb != "  answered" && verb != "  sent" {
			continue
		}
		if where, isShown := shown[body]; isShown {
			parts[i] = verb + ": the same as at " + where
		} else {
			shown[body] = at
		}
	}
	l.text = strings.Join(parts, "\n")
}

// commonOrigin returns the origin of most requests; empty when there are too few to shorten their addresses.
func commonOrigin(lines []timed) (common string) {
	count := map[string]int{}
	for _, l := range lines {
		address := cmp.Or(l.url, l.page)
		if u, err := url.Parse(address); err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http") {
			origin := u.Scheme + "://" + u.Host
			if count[origin]++; count[origin] > max(2, count[common]) && strings.HasPrefix(address, origin+"/") {
				common = origin
			}
		}
	}
	return common
}

// since returns the text of a highlight with its time, in seconds from zero. A highlight of several rows has the
// times of the first and the last of them, and their number.
func (l *Highlight) since(zero time.Time) string {
	if zero.IsZero() {
		return l.text
	}
	at, end := seconds(l.first.Sub(zero)), seconds(l.last.Sub(zero))
	switch {
	case l.rows <= 1 || l.input != "":
		return at + " " + l.text
	case at == end:
		return fmt.Sprintf("%s %d × %s", at, l.rows, l.text)
	}
	return fmt.Sprintf("%s to %s %d × %s", at, end, l.rows, l.text)
}

// seconds returns a duration with its sign and hundredths of a second.
func seconds(d time.Duration) string { return fmt.Sprintf("%+.2fs", d.Seconds()) }
