package web

import (
	"regexp"
	"strings"
	"testing"
)

// brokenLine finds the ends of lines within tags, and between the words of texts, where a template may break a line or not.
var (
	brokenTag  = regexp.MustCompile(`<[a-zA-Z](?:[^<>"]|"[^"]*")*>`)
	brokenLine = regexp.MustCompile(`\n\s*`)
	brokenText = regexp.MustCompile(`([^\s>])\n([^\s<])`)
	unbroken   = regexp.MustCompile(`(?s)<(pre|textarea|script)\b.*?</(?:pre|textarea|script)>`)
	quoted     = regexp.MustCompile(`"[^"]*"`)
)

// flowing returns HTML with a space where a line ends within a tag or between the words of a text. Other answers it returns as they are.
func flowing(html string) string {
	if !strings.HasPrefix(html, "<") {
		return html
	}
	html = brokenTag.ReplaceAllStringFunc(html, func(tag string) string {
		var b strings.Builder
		end := 0
		for _, value := range quoted.FindAllStringIndex(tag, -1) {
			b.WriteString(brokenLine.ReplaceAllString(tag[end:value[0]], " "))
			b.WriteString(tag[value[0]:value[1]])
			end = value[1]
		}
		return strings.Replace(b.String()+brokenLine.ReplaceAllString(tag[end:], " "), " >", ">", 1)
	})
	var b strings.Builder
	end := 0
	for _, block := range unbroken.FindAllStringIndex(html, -1) {
		b.WriteString(brokenText.ReplaceAllString(html[end:block[0]], "$1 $2"))
		b.WriteString(html[block[0]:block[1]])
		end = block[1]
	}
	return b.String() + brokenText.ReplaceAllString(html[end:], "$1 $2")
}

func TestFlowing(t *testing.T) {
	t.Parallel()
	for html, want := range map[string]string{
		"<a\n  class=\"b\" title=\"c\nd\">e\nf</a>\n<p>": "<a class=\"b\" title=\"c\nd\">e f</a>\n<p>",
		"<p>a\nb</p><pre>c\nd</pre><p>e\nf</p>":          "<p>a b</p><pre>c\nd</pre><p>e f</p>",
		"a\nb":                                           "a\nb",
	} {
		if got := flowing(html); got != want {
			t.Errorf("%q becomes %q", html, got)
		}
	}
}
