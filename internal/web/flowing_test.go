package web

import (
	"regexp"
	"strings"
	"testing"
)

// markup finds tags and the texts between them; a text that has its lines is one with the end of its element.
var (
	markup     = regexp.MustCompile(`<[a-zA-Z](?:[^<>"]|"[^"]*")*>|[^<]+|<`)
	quoted     = regexp.MustCompile(`"[^"]*"|[^"]+`)
	brokenTag  = regexp.MustCompile(`\s*\n\s*(>?)`)
	brokenText = regexp.MustCompile(`([^\s>])\n(\S)`)
	withLines  = regexp.MustCompile(`^<(pre|textarea|script)\b`)
)

// flowing returns HTML with a space where a line ends within a tag or between the words of a text. Other answers it
// returns as they are.
func flowing(html string) string {
	if !strings.HasPrefix(html, "<") {
		return html
	}
	lines := ""
	return markup.ReplaceAllStringFunc(html, func(part string) string {
		switch {
		case lines != "" && strings.HasPrefix(part, "/"+lines):
			lines = ""
		case lines != "":
		case withLines.MatchString(part):
			lines = withLines.FindStringSubmatch(part)[1]
			return flowingTag(part)
		case strings.HasPrefix(part, "<"):
			return flowingTag(part)
		default:
			return brokenText.ReplaceAllString(part, "$1 $2")
		}
		return part
	})
}

func flowingTag(tag string) string {
	return quoted.ReplaceAllStringFunc(tag, func(part string) string {
		if strings.HasPrefix(part, `"`) {
			return part
		}
		part = brokenTag.ReplaceAllString(part, " $1")
		return strings.Replace(part, " >", ">", 1)
	})
}

func TestFlowing(t *testing.T) {
	t.Parallel()
	for html, want := range map[string]string{
		"<a\n  class=\"b\" title=\"c\nd\">e\nf</a>\n<p>":    "<a class=\"b\" title=\"c\nd\">e f</a>\n<p>",
		"<p>a\nb</p><pre\n  id=\"a\">c\nd</pre><p>e\nf</p>": "<p>a b</p><pre id=\"a\">c\nd</pre><p>e f</p>",
		"a\nb": "a\nb",
	} {
		if got := flowing(html); got != want {
			t.Errorf("%q becomes %q", html, got)
		}
	}
}
