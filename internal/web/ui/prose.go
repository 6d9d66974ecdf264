package ui

import (
	"html/template"
	"strings"

	"bugslice/internal/markdown"
)

// Prose returns the element of a text that somebody has written. htmx does nothing in it: its links are opened by the
// browser, and no attribute in it acts. Pages show Markdown by this function alone.
func Prose(c markdown.Context, source string) template.HTML {
	return `<div class="prose" dir="auto" hx-ignore>` + c.HTML(source) + `</div>`
}

// WithRemovals returns HTML in which each marker of redaction in a text leads to what the page says about its rule, the
// element #removed-KIND. A marker in a link is no link of its own, and one in an attribute stays.
func WithRemovals(of template.HTML) template.HTML {
	html := string(of)
	if !strings.Contains(html, "[redacted:") {
		return of
	}
	var b strings.Builder
	at := 0
	for _, m := range marker.FindAllStringSubmatchIndex(html, -1) {
		before := html[:m[0]]
		if strings.LastIndexByte(before, '<') > strings.LastIndexByte(before, '>') {
			continue
		}
		kind := html[m[2]:m[3]]
		b.WriteString(html[at:m[0]])
		if strings.LastIndex(before, "<a ") > strings.LastIndex(before, "</a>") {
			b.WriteString(`<span class="redacted" title="Removed by redaction">redacted <b>` + kind + `</b></span>`)
		} else {
			b.WriteString(`<a class="redacted" href="#removed-` + kind + `" title="Removed by redaction: which rule?">redacted <b>` +
				kind + `</b></a>`)
		}
		at = m[1]
	}
	b.WriteString(html[at:])
	return template.HTML(b.String()) //nolint:gosec // it was HTML, and a kind has letters and digits alone
}
