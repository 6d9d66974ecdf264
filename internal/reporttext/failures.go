package reporttext

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// before is how long before a failure a report shows everything that was captured.
const before = 20 * time.Second

// maxFailures is the number of failures around which a report shows everything.
const maxFailures = 5

// Failures are the failures of a recording that matter most, the earliest first. Without any, the end of the recording
// stands for one.
type Failures struct {
	list []failure
}

// failure is a moment at which something failed.
type failure struct {
	at      time.Time
	action  time.Time // of the last action before; zero for none
	message string
	named   map[string]bool // words of a message about a value that is not there
	read    string          // the property that was read of nothing; empty when the message names none
	nothing string          // what it was read of: null or undefined; empty when the message names neither
}

// FailuresOf returns the failures in what was read of the console, the requests and the actions. end is the time of
// the last captured event.
func FailuresOf(read []Evidence, end time.Time) (f Failures) {
	var lines []Highlight
	var actions []time.Time
	for _, e := range read {
		for _, set := range e.Read {
			for _, line := range set.Lines {
				if e.Kind.isActions() && line.rank > typing {
					actions = append(actions, line.last)
				} else if !e.Kind.isActions() && line.rank >= failing {
					lines = append(lines, line)
				}
			}
		}
	}
	slices.SortStableFunc(lines, func(a, b Highlight) int { return cmp.Or(b.rank-a.rank, b.last.Compare(a.last)) })
	for _, line := range lines[:min(len(lines), maxFailures)] {
		f.list = append(f.list, newFailure(line, actions))
	}
	if len(f.list) == 0 && !end.IsZero() {
		f.list = append(f.list, newFailure(Highlight{last: end}, actions))
	}
	slices.SortStableFunc(f.list, func(a, b failure) int { return a.at.Compare(b.at) })
	return f
}

func newFailure(line Highlight, actions []time.Time) failure {
	message, _, _ := strings.Cut(line.text, "\n")
	if line.answered != "" {
		message += " " + line.answered
	}
	f := failure{at: line.last, message: truncate(message, 500)}
	f.read, f.nothing = readOfNothing(f.message)
	if nothingWords.MatchString(f.message) {
		f.named = map[string]bool{}
		for _, word := range wordsOf.FindAllString(memberNames.ReplaceAllString(f.message, " "), -1) {
			f.named[word] = true
		}
	}
	for _, at := range actions {
		if !at.After(f.at) && at.After(f.action) {
			f.action = at
		}
	}
	return f
}

var (
	// nothingWords are in a message about a value that is not there.
	nothingWords = regexp.MustCompile(`\b(?:null|nil|None|NoneType|undefined|missing|required)\b`)
	memberNames  = regexp.MustCompile(`"[^"]{1,50}":`) // of JSON in a message
	wordsOf      = regexp.MustCompile(`[\pL_$][\pL\pN_$]*`)
)

// Key identifies the failures.
func (f Failures) Key() string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(fmt.Sprint(f.list))))
}

// around reports whether a time is in the seconds before a failure.
func (f Failures) around(at time.Time) bool {
	return slices.ContainsFunc(f.list, func(one failure) bool {
		return !at.After(one.at) && one.at.Sub(at) <= before
	})
}

// follows reports whether something happened between the last action before a failure and the failure.
func (f Failures) follows(at time.Time) bool {
	return slices.ContainsFunc(f.list, func(one failure) bool {
		return !at.After(one.at) && one.at.Sub(at) <= before && !at.Before(one.action)
	})
}

// readMessages are the messages of browsers about a property that was read of nothing. The groups are named read and
// nothing; where there is no group nothing, it is null.
var readMessages = []*regexp.Regexp{
	regexp.MustCompile(`Cannot read propert(?:y|ies) of (?P<nothing>null|undefined) \(reading '(?P<read>[^']+)'\)`),
	regexp.MustCompile(`Cannot read property '(?P<read>[^']+)' of (?P<nothing>null|undefined)`),
	regexp.MustCompile(`can't access property "(?P<read>[^"]+)", .{1,200} is (?P<nothing>null|undefined)`),
	regexp.MustCompile(`(?P<nothing>null|undefined) is not an object \(evaluating '[^']*?(?P<read>[\w$]+)'\)`),
	regexp.MustCompile(`'NoneType' object has no attribute '(?P<read>[^']+)'`),
	regexp.MustCompile("undefined method [`'](?P<read>[^']+)' for nil"),
}

// readOfNothing returns the property that a message says was read of null or undefined, and of which of them.
func readOfNothing(message string) (read, nothing string) {
	for _, pattern := range readMessages {
		groups := pattern.FindStringSubmatch(message)
		if groups == nil {
			continue
		}
		read, nothing = groups[pattern.SubexpIndex("read")], "null"
		if i := pattern.SubexpIndex("nothing"); i >= 0 {
			nothing = groups[i]
		}
		return read, nothing
	}
	return "", ""
}

// numbers are identifiers and times, which differ between occurrences of one failure.
var numbers = regexp.MustCompile(`[0-9]{4,}`)

// FailedLines returns what failed in the evidence of an occurrence, in a line each, without its numbers and bodies, so
// that occurrences can be compared.
func FailedLines(read []Evidence) (lines []string) {
	for _, e := range read {
		for _, set := range e.Read {
			for _, line := range set.Lines {
				text, _, _ := strings.Cut(line.text, "\n")
				text, _, _ = strings.Cut(text, "{")
				text = numbers.ReplaceAllString(truncate(text, 150), "#")
				if line.rank >= failing && !e.Kind.isActions() && !slices.Contains(lines, text) {
					lines = append(lines, text)
				}
			}
		}
	}
	return lines
}
