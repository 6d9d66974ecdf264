package trace

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"bugslice/api"
)

// levels are the levels of console messages by the types that browsers give them. Other types are a log.
var levels = map[string]api.ConsoleLevel{
	"debug": "debug", "info": "info", "warning": "warn", "error": "error", "assert": "error",
	"stdout": "log", "stderr": "warn",
}

func level(kind string) api.ConsoleLevel {
	if l, ok := levels[kind]; ok {
		return l
	}
	return "log"
}

// console collects the messages of all parts, and the errors that made the test fail.
type console struct {
	entries  list[api.ConsoleEntry]
	failures []testFailure
}

// add adds a message of the console, an error that the page did not catch, or what the test printed.
func (c *console) add(p *part, e event) {
	entry := api.ConsoleEntry{Level: level(e.MessageType), Message: e.Text}
	time := e.Time
	switch {
	case e.Type == "event":
		var params struct {
			Error struct{ Error failure }
		}
		thrown := &params.Error.Error
		if e.Method != "pageError" || json.Unmarshal(e.Params, &params) != nil || *thrown == (failure{}) {
			return
		}
		entry.Level, entry.Message, entry.Stack = "error", thrown.title(), optional(thrown.Stack)
	case e.Type != "console":
		if e.Text == "" {
			e.Text = string(e.Base64)
		}
		time, entry.Level = e.Timestamp, level(e.Type)
		entry.Message = "[test] " + strings.TrimRight(ansi.Strip(e.Text), "\r\n")
	case e.Location.URL != "":
		at := fmt.Sprintf("    at %s:%d:%d", e.Location.URL, e.Location.LineNumber+1, e.Location.ColumnNumber+1)
		entry.Stack = &at
	}
	entry.Args = arguments(e)
	var ok bool
	if entry.Timestamp, ok = p.at(time); ok {
		c.entries.add(entry)
	}
}

// arguments returns the logged values of a message. Playwright has no value for an object, and a message with one has
// none; nor has one whose only value is its text.
func arguments(e event) (values []json.RawMessage) {
	for _, arg := range e.Args {
		if arg.Value == nil {
			return nil
		}
		values = append(values, arg.Value)
	}
	if len(values) == 1 && text(values[0]) == e.Text {
		return nil
	}
	return values
}

// title returns the name and the message of an error.
func (f failure) title() string {
	if f.Name == "" || strings.HasPrefix(f.Message, f.Name) {
		return f.Message
	}
	return f.Name + ": " + f.Message
}

// testFailure is an error that made the test fail.
type testFailure struct {
	message, stack string
	time           api.Time
	isTest         bool // whether the test runner says so, and not the library
}

// addFailure adds an error of the test, once for all steps that end with it.
func (c *console) addFailure(p *part, message, stack string, time float64) {
	f := testFailure{message: ansi.Strip(message), stack: ansi.Strip(stack), isTest: p.isTest}
	for _, other := range c.failures {
		if strings.HasSuffix(f.message, other.message) || strings.HasSuffix(other.message, f.message) {
			return
		}
	}
	var ok bool
	if f.time, ok = p.at(time); ok {
		c.failures = append(c.failures, f)
	}
}

// rows returns the newest messages that fit, the number of the others, and when the test failed. Failures of the
// library count when the test runner has none: an action that failed may be one that the test expected to fail.
func (c *console) rows() (rows []api.ConsoleEntry, older int, failed []api.Time) {
	hasRunner := slices.ContainsFunc(c.failures, func(f testFailure) bool { return f.isTest })
	rows = slices.Clone(c.entries.rows)
	for _, f := range c.failures {
		if f.isTest == hasRunner {
			failed = append(failed, f.time)
			rows = append(rows, api.ConsoleEntry{Level: "error", Timestamp: f.time, Message: "[test] " + f.message,
				Stack: optional(f.stack)})
		}
	}
	rows, older = newest(rows, maxConsole, func(e api.ConsoleEntry) api.Time { return e.Timestamp })
	return rows, c.entries.older + older, failed
}

// stackText returns frames as lines.
func stackText(frames []frame) string {
	var lines []string
	for _, f := range frames {
		line := fmt.Sprintf("    at %s:%d:%d %s", f.File, f.Line, f.Column, f.Function)
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "\n")
}
