package overview

import (
	"html/template"

	"bugslice/internal/web/ui"
)

// The compiled components, for the template of the page.

func (n number) Listed() (template.HTML, error) { return ui.HTML(listed(n)) }

func (t timeToResolve) MedianBar() (template.HTML, error) {
	return ui.HTML(barPlot(t.MedianWidth, t.List))
}

func (t timeToResolve) P90Bar() (template.HTML, error) { return ui.HTML(barPlot(t.P90Width, t.List)) }

func (d data) AgeRows() (template.HTML, error) { return ui.HTML(ageRows(d.Ages)) }

func (t top) Rows() (template.HTML, error) { return ui.HTML(valueRows(t)) }

func (p plot) Bars() (template.HTML, error) { return ui.HTML(dayBars(p)) }

func (p plot) Rows() (template.HTML, error) { return ui.HTML(dayRows(p)) }
