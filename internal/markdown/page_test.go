package markdown

import (
	"fmt"
	"strings"
	"testing"
)

// TestPageBounds: the texts of a page have bounds together, whether or not they are in the cache. Code has colours
// until those of the page are used, and texts beyond the HTML of the page are shown as they were written, whole.
func TestPageBounds(t *testing.T) {
	code := strings.Repeat("```js\n"+strings.Repeat(strings.Repeat("0 ", 240)+"\n", 33)+"```\n", 4)
	for what, part := range map[string]string{"code": code, "references": strings.Repeat("WEB-12 ", 9000)} {
		for round := range 2 {
			p, size, source, coloured, plain := NewPage(), 0, 0, 0, 0
			for i := range 12 {
				text := fmt.Sprintf("%s%d", part, i)
				html := string(Context{Resolve: resolver, Page: p}.HTML(text))
				size, source = size+len(html), source+len(text)
				coloured += strings.Count(html, `class="hl-`)
				if strings.Contains(html, pageNotice) {
					plain++
					if !strings.Contains(html, text) {
						t.Errorf("%s: the text %d is not whole", what, i)
					}
				}
			}
			if size > pageHTML+2*source || coloured > (pageHighlighted+maxHighlightedText)/2 {
				t.Errorf("%s, %d: %d bytes have %d of HTML and %d colours", what, round, source, size, coloured)
			}
			if what == "references" && (plain == 0 || plain == 12) {
				t.Errorf("%d texts are shown as they were written", plain)
			}
		}
	}
}

// TestHonestPage: a long conversation with code is formatted, and its code has colours.
func TestHonestPage(t *testing.T) {
	const texts = 200
	for range 5 { // colours have little time, which other tests take, but not twice
		p, coloured := NewPage(), 0
		for i := range texts {
			text := fmt.Sprintf("Number **%d**, see WEB-12:\n\n```go\nfunc a%d() int { return %d }\n```\n", i, i, i)
			html := string(Context{Resolve: resolver, Page: p}.HTML(text))
			if !strings.Contains(html, fmt.Sprintf("<strong>%d</strong>", i)) {
				t.Fatalf("the text %d: %s", i, html)
			}
			coloured += strings.Count(html, `class="hl-keyword"`)
		}
		if coloured >= texts {
			return
		}
	}
	t.Error("code has no colours")
}
