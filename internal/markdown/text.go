package markdown

import (
	"html"
	"strings"

	"github.com/microcosm-cc/bluemonday"
)

var noElements = bluemonday.StrictPolicy()

// Text returns the words of a text without its formatting, in one line. A text without words, such as a picture, is as
// it was written. It is no HTML: who shows it escapes it.
func Text(source string) string {
	words := strings.Fields(html.UnescapeString(noElements.Sanitize(string(HTML(source)))))
	if len(words) == 0 {
		words = strings.Fields(source)
	}
	return strings.Join(words, " ")
}
