package ui

import (
	"html/template"

	"bugslice/internal/markdown"
)

// Prose returns the element of a text that somebody has written. htmx does nothing in it: its links are opened by the
// browser, and no attribute in it acts. Pages show Markdown by this function alone.
func Prose(c markdown.Context, source string) template.HTML {
	return `<div class="prose" dir="auto" hx-ignore>` + c.HTML(source) + `</div>`
}
