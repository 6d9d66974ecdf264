package page

import (
	"slices"

	"bugslice/api"
)

// ActionsPanel is the panel of what the user did.
type ActionsPanel struct {
	Rows
	Actions [][]ActionLine // in groups
}

// ActionLine is an action of the user, with the equal ones that follow it.
type ActionLine struct {
	Moment
	Type, Selector, Text, Value string
	URL                         string // empty when it is that of the action before
	Count                       int
}

// repeated are the types of actions of which a user does many at once.
var repeated = []string{"scroll", "input", "resize", "mousemove"}

// sameAction reports whether an action repeats the one before it.
func sameAction(a, b api.ActionRow) bool {
	return slices.Contains(repeated, a.Type) && a.Type == b.Type && textOf(a.Selector) == textOf(b.Selector) &&
		textOf(a.Text) == textOf(b.Text) && textOf(a.URL) == textOf(b.URL)
}

func (e *EvidenceView) readActions(from EvidenceSource, limit int) (*ActionsPanel, error) {
	in := api.ListActions{Occurrence: int(e.Occurrence), Q: e.Text}
	var rows []api.ActionRow
	next, err := readRows(limit, e.cursor, func(p api.Paging) (api.Page[api.ActionRow], error) {
		in.Paging = p
		return from.Actions(in)
	}, func(row api.ActionRow) int {
		rows = append(rows, row)
		return len(textOf(row.Selector)) + len(textOf(row.Text)) + len(textOf(row.Value)) + len(textOf(row.URL))
	})
	if err != nil {
		return nil, err
	}
	p := &ActionsPanel{Rows: e.rows(ActionsTab, e.Captured.Actions, next)}
	var lines []ActionLine
	for i, row := range rows {
		if i > 0 && sameAction(rows[i-1], row) {
			lines[len(lines)-1].Count++
			continue
		}
		url := cut(textOf(row.URL), 2000)
		if i > 0 && url == cut(textOf(rows[i-1].URL), 2000) {
			url = ""
		}
		lines = append(lines, ActionLine{e.moment(row.Timestamp, p.Differs), row.Type, textOf(row.Selector),
			textOf(row.Text),
			cut(textOf(row.Value), 2000), url, 1})
	}
	p.Actions = groups(lines)
	return p, nil
}
