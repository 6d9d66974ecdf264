package page

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/evidence"
)

// ConsolePanel is the panel of the console.
type ConsolePanel struct {
	Rows
	Levels []LevelFilter
	Lines  [][]ConsoleLine // in groups
}

// LevelFilter is a level of the console as a filter.
type LevelFilter struct {
	Level   api.ConsoleLevel
	Count   int64
	Address string // which adds the level to the filter, or removes it
	Current bool
}

// ConsoleLine is a message of the console, with the equal ones that follow it.
type ConsoleLine struct {
	Moment
	Level   string
	Head    string // the beginning of the message, as one line
	Message string // the message, when the head is only a part of it
	Stack   string
	Values  []string // the logged objects, as formatted JSON
	Count   int
}

// The weights of what fails. A replay begins at the first of the highest weight.
const (
	weightOfMedia   = iota // a picture, a font or a style is missing
	weightOfRequest        // another request is refused, or has no answer
	weightOfMessage        // the application writes an error
	weightOfError          // an error that nobody caught, or with its place
	weightOfServer         // a server fails
)

// Weight says how much an error has to do with a problem.
func (l ConsoleLine) Weight() int {
	if !strings.HasPrefix(l.Head, "Failed to load resource") {
		if l.Stack != "" || strings.HasPrefix(l.Head, "Uncaught") {
			return weightOfError
		}
		return weightOfMessage
	}
	if strings.Contains(l.Head, "status of 5") {
		return weightOfServer
	}
	return weightOfMedia
}

// Unfolds says whether there is more of a line than its head.
func (l ConsoleLine) Unfolds() bool { return l.Message != "" || l.Stack != "" || len(l.Values) > 0 }

// Bounds of the text of a row. Files have the rest.
const (
	maxHead = 300
	maxText = 20_000
)

func (e *EvidenceView) readConsole(from EvidenceSource, limit int) (*ConsolePanel, error) {
	in := api.ListConsole{Occurrence: int(e.Occurrence), Level: e.Levels, Q: e.Text}
	var rows []api.ConsoleRow
	next, err := readRows(limit, e.cursor, func(p api.Paging) (api.Page[api.ConsoleRow], error) {
		in.Paging = p
		return from.Console(in)
	}, func(row api.ConsoleRow) int {
		rows = append(rows, row)
		return len(row.Message) + len(textOf(row.Stack))
	})
	if err != nil {
		return nil, err
	}
	p := &ConsolePanel{Rows: e.rows(ConsoleTab, e.Captured.Console, next)}
	for _, level := range slices.Backward(api.ConsoleLevel("").Values()) {
		l := api.ConsoleLevel(level)
		n := e.Captured.Console.Count(evidence.LevelClass(l))
		p.Levels = append(p.Levels, LevelFilter{l, n, e.toggled(l), slices.Contains(e.Levels, l)})
	}
	var lines []ConsoleLine
	for i, row := range rows {
		if i > 0 && sameMessage(rows[i-1], row) {
			lines[len(lines)-1].Count++
			continue
		}
		lines = append(lines, e.consoleLine(row, p.Differs))
	}
	p.Lines = groups(lines)
	return p, nil
}

func sameMessage(a, b api.ConsoleRow) bool {
	return a.Level == b.Level && a.Message == b.Message && textOf(a.Stack) == textOf(b.Stack) &&
		slices.EqualFunc(a.Args, b.Args, func(x, y json.RawMessage) bool { return bytes.Equal(x, y) })
}

func (e *EvidenceView) consoleLine(row api.ConsoleRow, differs bool) ConsoleLine {
	l := ConsoleLine{Moment: e.moment(row.Timestamp, differs), Level: string(row.Level), Head: head(row.Message),
		Count: 1}
	if l.Head != row.Message {
		l.Message = cut(row.Message, maxText)
	}
	stack := textOf(row.Stack)
	if rest, ok := strings.CutPrefix(stack, row.Message); ok && row.Message != "" {
		stack = rest
	}
	l.Stack = cut(strings.Trim(stack, "\r\n"), maxText)
	for _, arg := range row.Args {
		if len(arg) > 2 && (arg[0] == '{' || arg[0] == '[') {
			l.Values = append(l.Values, cut(indented(arg), maxText))
		}
	}
	return l
}
