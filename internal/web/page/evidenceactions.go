package page

import "bugslice/api"

// ActionsPanel is the panel of what the user did.
type ActionsPanel struct {
	Rows
	Actions [][]ActionLine // in groups
}

// ActionLine is an action of the user.
type ActionLine struct {
	Moment
	Type, Selector, Text, Value string
	URL                         string // empty when it is that of the action before
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
		url := cut(textOf(row.URL), 2000)
		if i > 0 && url == cut(textOf(rows[i-1].URL), 2000) {
			url = ""
		}
		lines = append(lines, ActionLine{e.moment(row.Timestamp, p.Differs), row.Type, textOf(row.Selector),
			textOf(row.Text),
			cut(textOf(row.Value), 2000), url})
	}
	p.Actions = groups(lines)
	return p, nil
}
