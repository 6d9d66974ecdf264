package page

import (
	"html/template"

	"github.com/a-h/templ"

	"bugslice/internal/web/ui"
)

// Shown returns the lines.
func (p *ConsolePanel) Shown() (template.HTML, error) { return showGroups(p.Lines, consoleLines) }

// Shown returns the requests.
func (p *NetworkPanel) Shown() (template.HTML, error) { return showGroups(p.Requests, networkLines) }

// Shown returns the actions.
func (p *ActionsPanel) Shown() (template.HTML, error) { return showGroups(p.Actions, actionLines) }

// showGroups returns rows in the groups that a script lays out together.
func showGroups[Line any](groups [][]Line, lines func([]Line) templ.Component) (template.HTML, error) {
	all := make([]templ.Component, len(groups))
	for i, group := range groups {
		all[i] = lines(group)
	}
	return ui.HTML(rowGroups(all))
}
