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

// Page is what is left for the texts of a page. When it has no colours left, the code of further texts has none, and
// when it has no HTML left, further texts are shown as they were written. It is for one goroutine.
type Page struct {
	left    int // bytes of HTML
	colours colours
}

// NewPage returns the bounds of a page.
func NewPage() *Page { return &Page{pageHTML, colours{pageHighlighted, pageColourTime}} }

// Size returns about how many bytes of HTML a page has, at most, whose texts have n bytes.
func Size(n int) int { return min(htmlPerByte*n, pageHTML) }

// isFull reports whether further texts are shown as they were written.
func (p *Page) isFull() bool { return p.left <= 0 }

// mayColour reports whether the page has bytes and time left for the colours of code.
func (p *Page) mayColour() bool { return p.colours.bytes > 0 && p.colours.time > 0 }

// add counts the HTML and the colours of a text; it returns false when the page has no room for it.
func (p *Page) add(html template.HTML, took colours) bool {
	p.colours.bytes -= took.bytes
	p.colours.time -= took.time
	p.left -= len(html)
	return p.left >= 0
}
