package results

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// frame finds the first line of a stack in the text of a failure.
var frame = regexp.MustCompile(`(?m)^\s*(?:at (?:async )?\S|❯ \S|\S+\.\w+:\d+(?::\d+)?\s*$|` +
	`from \S+:\d+|Full Stack Trace|goroutine \d+ \[)`)

// firstLines returns the part of a text that is before its stack, and the first line of one that is only a stack.
func firstLines(s string) string {
	s = strings.ToValidUTF8(s[:min(len(s), 2*maxMessage)], "")
	if at := frame.FindStringIndex(s); at != nil {
		if head := strings.TrimSpace(s[:at[0]]); head != "" {
			return short(head)
		}
		s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	}
	return short(s)
}

// explain finds the message of a failure that the runner leaves empty in what the test printed.
func explain(c *Case, f *Failure) {
	switch {
	case f.Message == "Failed" && f.Type == "" && strings.Contains(f.Stack, "--- FAIL: "),
		strings.HasPrefix(f.Message, "FAIL\t"), f.Message == "Failed" && strings.HasPrefix(f.Stack, "FAIL\t"):
		g := goFailure(f.Stack) // of gotestsum and its like
		f.Message = g.message
		if strings.HasPrefix(f.Stack, "FAIL\t") {
			f.Message = cmp.Or(g.message, short(f.Stack))
		}
		located(c, g.file, g.line)
	case f.Message != "":
	case panicked.MatchString(c.Output):
		f.Message, f.Stack = rustPanic(c)
	default:
		f.Message = lastLines(c.Output)
	}
}

func located(c *Case, file string, line int) {
	if c.File == "" {
		c.File, c.Line = file, line
	}
}

// panicked finds the place of a panic of Rust.
var panicked = regexp.MustCompile(`(?m)^thread '.*' (?:\(\d+\) )?panicked at (?:'(.*)', )?(\S+?):(\d+):\d+:?$`)

// rustPanic returns the message of a panic and the text from there on.
func rustPanic(c *Case) (message, stack string) {
	m := panicked.FindStringSubmatchIndex(c.Output)
	stack = c.Output[m[0]:]
	line, _ := strconv.Atoi(c.Output[m[6]:m[7]]) //nolint:errcheck // a number too large is none
	located(c, c.Output[m[4]:m[5]], line)
	if m[2] >= 0 { // before Rust 1.73
		return short(c.Output[m[2]:m[3]]), stack
	}
	message = strings.TrimSpace(c.Output[m[1]:])
	for _, end := range []string{"\nstack backtrace:", "\nnote: ", "\n\n\n"} {
		message, _, _ = strings.Cut(message, end)
	}
	return short(strings.ReplaceAll(message, "\n\n", "\n")), stack
}

// lastLines returns the end of what a test printed.
func lastLines(output string) string {
	const most = 5
	lines := strings.Split(strings.TrimSpace(output), "\n")
	return short(strings.Join(lines[max(0, len(lines)-most):], "\n"))
}

// goProblem is what the output of a test of Go says of its failure.
type goProblem struct {
	message, file string
	line          int
}

var (
	goLog  = regexp.MustCompile(`^ +(\S+\.go):(\d+): (.*)$`)
	goMark = regexp.MustCompile(`^\s*(?:=== (?:RUN|PAUSE|CONT|NAME|ARTIFACTS|ATTR)\b|--- (?:FAIL|PASS|SKIP|BENCH): )`)
	goEnd  = regexp.MustCompile(`^(?:FAIL|ok|PASS|\?)(?:\t|$)|^exit status \d+$|^(?:testing: )?warning: |^coverage: `)
)

// goFailure finds the message in the output of a test: a panic, or what the test logged. Without either there is
// none, as in a test that only has subtests which failed.
func goFailure(output string) goProblem {
	var p goProblem
	var messages, others []string
	within := false // in a message of several lines
	for line := range strings.SplitSeq(output, "\n") {
		logged := goLog.FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: "):
			return goProblem{message: short(line), file: p.file, line: p.line}
		case logged != nil:
			if p.file == "" || len(messages) == 0 {
				p.file = logged[1]
				p.line, _ = strconv.Atoi(logged[2]) //nolint:errcheck // a number too large is none
			}
			messages = append(messages, logged[3])
			within = true
		case goMark.MatchString(line) || goEnd.MatchString(line) || strings.TrimSpace(line) == "":
			within = false
		case within && strings.HasPrefix(line, "        "):
			messages = append(messages, strings.TrimPrefix(line, "        "))
		default:
			within = false
			others = append(others, line)
		}
	}
	if len(messages) == 0 && strings.Contains(output, "WARNING: DATA RACE") {
		messages = []string{"WARNING: DATA RACE"}
	}
	if len(messages) == 0 && !strings.Contains(output, "--- FAIL: ") {
		messages = others // of a package
	}
	p.message = short(strings.Join(messages, "\n"))
	return p
}
