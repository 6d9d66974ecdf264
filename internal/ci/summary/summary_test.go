package summary_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"bugslice/internal/assert"
	"bugslice/internal/ci/results"
	"bugslice/internal/ci/summary"
)

// TestMarkdown: a summary has the kinds in their order, with references, dates and people.
func TestMarkdown(t *testing.T) {
	s := summary.Summary{Name: "unit", Totals: results.Totals{Tests: 12, Failures: 2, Errors: 1, Flaky: 1},
		Faults: []string{"results.xml:3: the document ends early"}, Notes: []string{"Nothing is filed."},
		Entries: []summary.Entry{
			{Kind: summary.Fixed, Title: "Cart is empty", Reference: "WEB-2", URL: "https://b.example/s/2"},
			{Kind: summary.Known, Title: "Total is wrong", Reference: "WEB-1", URL: "https://b.example/s/1",
				Since: time.Date(2026, 11, 3, 1, 2, 3, 0, time.UTC), Assignee: "Ada", Owner: "ada"},
			{Kind: summary.New, Title: "No route", Tests: []string{"a", "b", "c", "d", "e", "f", "g"}},
		}}
	assert.Equal(t, "the summary", s.Markdown(), `## Tests of unit

12 tests, 3 failed, 1 flaky.

### New failures (1)

- No route
  - `+"`a`\n  - `b`\n  - `c`\n  - `d`\n  - `e`"+`
  - and 2 tests more

### Known failures (1)

- [WEB-1](https://b.example/s/1) Total is wrong (since 2026-11-03, assigned to Ada, owner ada)

### Fixed (1)

- [WEB-2](https://b.example/s/2) Cart is empty

### Problems (1)

- results.xml&#58;3: the document ends early

### Notes (1)

- Nothing is filed.
`)
}

// hostile are names that would be more than text in Markdown or HTML.
var hostile = []string{"<img src=x onerror=alert(1)>", "[link](https://evil.example)", "![p](https://evil.example/p.png)",
	"| a | b |\n|---|---|\n| c | d |", "# heading", "\n\n- item", "`code` **bold**", "https://evil.example/a www.evil.example",
	"<https://evil.example>", "mail@evil.example @team", "</details><script>x</script>", "`", "``` \n```", "a\r\n\r\n***\r\n",
	"&lt;b&gt; &#60;", "\\", "\\[x](https://evil.example)", "1. one",
	"2) two", "- x", "+ x", "> x", "WWW.evil.example", "a www.evil.example", "mailto:a@evil.example",
	"xmpp:a@evil.example", "ftp://evil.example",
	"x:", ":", "a**b**c", "1.", "=====", "-----", "\u00a0- x", "\u202egnp", "$x$",
	"~~s~~", "text`</code>"}

// TestHostileTextStaysText: whatever a test is named, the summary has its one heading, one list and no other element.
func TestHostileTextStaysText(t *testing.T) {
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM))
	for _, text := range hostile {
		s := summary.Summary{Name: text, Faults: []string{text}, Entries: []summary.Entry{{Kind: summary.New, Title: text,
			Tests: []string{text}, Assignee: text, Owner: text}}}
		var html bytes.Buffer
		if err := markdown.Convert([]byte(s.Markdown()), &html); err != nil {
			t.Fatal(err)
		}
		for _, element := range []string{"<a ", "<img", "<table", "<script", "<strong", "<em", "<del", "<hr", "<h1", "<ol", "<pre",
			"<!-- raw"} {
			if strings.Contains(html.String(), element) {
				t.Errorf("%q makes %s:\n%s\n%s", text, element, s.Markdown(), &html)
			}
		}
		for element, want := range map[string]int{"<h2": 1, "<h3": 2, "<ul": 3, "<li": 3, "<code": 1} {
			if n := strings.Count(html.String(), element); n != want {
				t.Errorf("%q makes %d of %s, want %d:\n%s\n%s", text, n, element, want, s.Markdown(), &html)
			}
		}
		block := summary.Block(text)
		html.Reset()
		if err := markdown.Convert([]byte(block), &html); err != nil {
			t.Fatal(err)
		}
		if strings.Count(html.String(), "<") != 4 || !strings.HasPrefix(html.String(), "<pre><code>") {
			t.Errorf("the block of %q is\n%s", text, &html)
		}
	}
}

// TestLongSummary: a summary of many failures ends below GitHub's limit, and says so.
func TestLongSummary(t *testing.T) {
	s := summary.Summary{}
	for i := range 5000 {
		s.Entries = append(s.Entries, summary.Entry{Kind: summary.New, Title: strings.Repeat("(", 500),
			Tests: []string{fmt.Sprint(i)}, Note: strings.Repeat("x", 20_000)})
	}
	text := s.Markdown()
	if len(text) > summary.MaxBytes || !strings.HasSuffix(text, "longer than what can be shown.\n") {
		t.Errorf("%d bytes, which end with %q", len(text), text[len(text)-50:])
	}
}
