package markdown

import (
	"html/template"
	"time"
)

// Bounds of the texts of a page together.
const (
	pageHTML        = 4 << 20
	pageHighlighted = 128 << 10
	pageColourTime  = 200 * time.Millisecond
)

// pageNotice stands above the texts that are beyond the bounds of their page.
const pageNotice = "This text is shown as it was written, because the page has no room for more formatting."

// Page is what is left for the texts of a page. When it has no colours left, the code of further texts has none, and when it has no HTML
// left, further texts are shown as they were written. It is for one goroutine.
type Page struct {
	left    int // bytes of HTML
	colours colours
}

// NewPage returns the bounds of a page.
func NewPage() *Page { return &Page{pageHTML, colours{pageHighlighted, pageColourTime}} }

// Size returns about how many bytes of HTML a page has, at most, whose texts have n bytes.
func Size(n int) int { return min(htmlPerByte*n, pageHTML) }

// html returns the HTML of the next text of the page.
func (p *Page) html(c Context, source string) template.HTML {
	if p.left <= 0 {
		return textAsWritten(source, pageNotice)
	}
	c.plainCode = p.colours.bytes <= 0 || p.colours.time <= 0
	html, took := c.cached(source)
	p.colours.bytes -= took.bytes
	p.colours.time -= took.time
	if p.left -= len(html); p.left < 0 {
		return textAsWritten(source, pageNotice)
	}
	return html
}
