// Package cause tells which failures of tests have one cause, over runs, machines and shards.
//
// A fingerprint is made of the suite, the test, the type and the message of its failure, and the functions of the
// program on its stack, without what differs from run to run: Normal takes out numbers, addresses, durations, ports,
// temporary paths, the folder of a checkout, UUIDs and times. Of groups failures whose cause is not the test itself
// into one Cause, which lists its tests.
package cause

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	maxNormal = 2000 // bytes of a message
	maxLines  = 20
)

// volatile are the parts of a text that differ between runs of one failure, in the order in which they are looked for.
var volatile = []struct {
	pattern *regexp.Regexp
	name    string
}{
	{regexp.MustCompile(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), "<uuid>"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)?` +
		`(?: ?(?:Z|UTC|[+-]\d\d:?\d\d)(?: UTC)?)?(?: m=[+-][\d.]+)?`),
		"<time>"},
	{regexp.MustCompile(`\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\w*,? )?(?:\d{1,2} )?` +
		`(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w* \d{1,4}` +
		`(?:,? \d{4})?(?:,? \d\d:\d\d(?::\d\d)?)?(?: (?:UTC|GMT|[+-]\d{4}))?(?: \d{4})?`), "<time>"},
	{regexp.MustCompile(`\b\d{1,2}/\d{1,2}/\d{2,4}\b|\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?\b`), "<time>"},
	{regexp.MustCompile(`\b0[xX][0-9a-fA-F]+\b|@[0-9a-f]{5,16}\b`), "<address>"},
	{regexp.MustCompile(`\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b|\[[0-9a-fA-F:]*::[0-9a-fA-F:]*\](?::\d+)?`), "<host>"},
	{regexp.MustCompile(`\b(?:[0-9a-f]{7,}|[0-9A-F]{7,})\b`), ""}, // see identifier
	{regexp.MustCompile(`(?i)\b(?:\d+(?:[.,]\d+)? ?` +
		`(?:milliseconds?|minutes?|seconds?|hours?|secs?|min|ns|µs|us|ms|s|h|m))+\b`),
		"<duration>"},
	{regexp.MustCompile(`[+-]?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?`), "<n>"},
}

// Normal returns the begin of a text without what differs between runs. A normal text stays as it is.
func Normal(text string) string {
	for text = begin(text); ; { // what is taken out may show the edge of something else
		normal := replaced(text)
		if normal == text {
			return text
		}
		text = normal
	}
}

// replaced returns a text with a name in place of each part that differs between runs.
func replaced(text string) string {
	text = paths(text)
	for _, v := range volatile {
		if v.name != "" {
			text = v.pattern.ReplaceAllString(text, v.name)
			continue
		}
		text = v.pattern.ReplaceAllStringFunc(text, identifier)
	}
	return begin(strings.Join(strings.Fields(text), " "))
}

// begin returns the first lines of a text.
func begin(text string) string {
	lines := strings.SplitN(text, "\n", maxLines+1)
	text = strings.Join(lines[:min(len(lines), maxLines)], "\n")
	if len(text) > maxNormal {
		text = strings.ToValidUTF8(text[:maxNormal], "")
	}
	return text
}

// identifier takes out a long word of hexadecimal digits: of a commit, a hash, a container. One of letters alone
// may be a word, and one of digits alone is a number.
func identifier(word string) string {
	if !strings.ContainsAny(word, "0123456789") || !strings.ContainsAny(word, "abcdefABCDEF") {
		return word
	}
	return "<id>"
}

var (
	path = regexp.MustCompile(`[a-z][a-z0-9+.-]*://[^\s"'<>()\x60]+|` +
		`(?:^|[^\w.@+~%>-])(?:[A-Za-z]:)?(?:[\\/][\w.@+~%=,$#-]+){2,}[\\/]?`)
	drive = regexp.MustCompile(`^[A-Za-z]:[\\/]`)
	// temporary finds names of temporary files and folders.
	temporary = regexp.MustCompile(`(?i)^(?:te?mp[\w.-]*|[\w.-]*\.tmp)$`)
)

// paths reduces each path that begins at a root to its last name, because the folders around it belong to a machine.
// Of URLs it keeps all.
func paths(text string) string {
	return path.ReplaceAllStringFunc(text, func(p string) string {
		if strings.Contains(p, "://") {
			return p
		}
		before := ""
		if first, size := utf8.DecodeRuneInString(p); !strings.ContainsRune(`/\`, first) && !drive.MatchString(p) {
			before, p = p[:size], p[size:]
		}
		name := base(strings.TrimRight(p, `/\`))
		if temporary.MatchString(name) {
			name = ""
		}
		return before + "<path>" + name
	})
}

// version finds the version of a browser or a system in the name of a suite.
var version = regexp.MustCompile(`\d+(?:\.\d+){2,}`)

// name returns the name of a suite or a test as it is in each run. Its numbers stay: they tell tests of a table apart.
func name(s string) string {
	s = paths(s)
	for _, v := range volatile {
		switch v.name {
		case "<uuid>", "<time>", "<address>":
			s = v.pattern.ReplaceAllString(s, v.name)
		}
	}
	return version.ReplaceAllString(s, "<version>")
}

// base returns the last name of a path.
func base(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }
