package markdown

import (
	"fmt"
	"html/template"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

// hostile are the units of texts on which parsers of Markdown are known to take the square of the text, or more.
var hostile = []string{
	"|a", "|-", "|", "|\n", "a|b\n", "-|-\n", "`\\|`|", "- [ ] a\n", "- a\n\n",
	"- a\n+ b\n", "- - - - a\n", "-\n", "1. a\n", "> a\n\n", ">", "> - > - a\n",
	"*", "*a_ ", "a**b", "~~a", "[", "[]", "[a](", "[a](<b", "![", "]", "](b)", "[a](((", "[a](b \"", "[a]: b\n",
	"[a]\n\n", "[a]", "[a\n",
	"<div>\n\n", "<!-- a\n", "a <b ", "a <!A ", "<? ", "<![CDATA[", "<a b='",
	"<details>\n\n", "<details>", "</details>\n\n", "<kbd>a</kbd>", "<sub>", "</b>", "<img src=a>", "<!-- a -->",
	"&amp;", "&#1", "&", "&ngE;", "\\", "\\*", "https://a.bc ", " http://a",
	"http://[::1]:1/a", " www.", " a@b.", " a@b.cd", "(((((a", " http://a.b/;&a;", ")", "_https://a",
	"`", "``` ", "```\na\n", "```go\na := \"\n```\n", "```js\n", "`${",
	"(", "# a\n", "###### a\n", "a\n-\n", "---\n", "\n", " ", "\t", "    ", "  ", "\x00", "\xff", "a", "é", "\"", "<",
	">",
	"![a](b)\n\n", "@a@b.cd ", "WEB-12 ", "@", "x\n", "![](/files/att_01ja8m2c9tf3qb6h0v5r4x7kyz)", "www.a.bc",
	"*<x>* <x> ", "> <x>\n\n", "[a]*<x> ", "[a\nb]: c\n'", "**a* ", "[*a ",
}

// shapes make a text of about n bytes, of parts that are repeated.
var shapes = map[string]func(a, b, c string, n int) string{
	"one":   func(a, _, _ string, n int) string { return strings.Repeat(a, n/len(a)) },
	"mixed": func(a, b, c string, n int) string { return strings.Repeat(a+b+c, n/len(a+b+c)) },
	"two": func(a, b, _ string, n int) string {
		return strings.Repeat(a, n/2/len(a)) + "\n" + strings.Repeat(b, n/2/len(b))
	},
	"three": func(a, b, c string, n int) string {
		return strings.Repeat(a, n/3/len(a)) + "\n" + strings.Repeat(b, n/3/len(b)) + "\n" +
			strings.Repeat(c, n/3/len(c))
	},
	"prefixed": func(a, b, c string, n int) string {
		return strings.Repeat(a, 50) + b + "\n" + strings.Repeat(c, n/len(c))
	},
	"blocks": func(a, b, c string, n int) string {
		return strings.Repeat(strings.Repeat(a, 40)+b+c+"\n\n", n/len(strings.Repeat(a, 40)+b+c+"\n\n"))
	},
	"long definition": func(a, b, _ string, n int) string {
		return "[a]: /" + strings.Repeat("x", n/2) + "\n\n" + strings.Repeat("[a]"+b+a, n/2/len("[a]"+a+b))
	},
	"table": func(a, b, c string, n int) string {
		return strings.Repeat("|a", n/8) + "|\n" + strings.Repeat("|-",
			n/8) + "|\n" + strings.Repeat("|\n", n/8) + strings.Repeat(a+b+c, n/4/len(a+b+c))
	},
	"indented": func(a, b, _ string, n int) string {
		var t strings.Builder
		for i := 0; t.Len() < n; i++ {
			t.WriteString(strings.Repeat(" ", 2*i) + a + b + "\n")
		}
		return t.String()
	},
}

// allocated returns the bytes that f allocates.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// textOf returns the text of HTML.
func textOf(t interface{ Fatal(...any) }, text template.HTML) string {
	doc, err := html.Parse(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for n := range doc.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

// TestConversionIsLinear: the memory and the HTML of a text of any parts are at most a constant and a multiple of its
// bytes, and the converter fails on none.
func TestConversionIsLinear(t *testing.T) {
	const fixed, perByte = 48 << 20, 1600
	c := Context{Resolve: resolver, Tasks: true}
	c.HTML("```go\na\n```\n```js\na\n```") // compiles the lexers
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom(hostile)
		a, b, d := unit.Draw(t, "a"), unit.Draw(t, "b"), unit.Draw(t, "c")
		name := rapid.SampledFrom([]string{"one", "mixed", "two", "three",
			"prefixed", "blocks", "long definition", "table", "indented"}).Draw(t, "shape")
		for _, n := range []int{16 << 10, 64 << 10} {
			source := shapes[name](a, b, d, n)
			var out template.HTML
			used := allocated(func() { out = converted(t, c, source) })
			if len(out) > fixedHTML+htmlPerByte*len(source) {
				t.Fatalf("%d bytes have %d of HTML", len(source), len(out))
			}
			if used > fixed+perByte*len(source) {
				t.Fatalf("%d bytes take %d of memory", len(source), used)
			}
		}
	})
}

// converted returns the HTML of a text, and fails the test when the converter fails.
func converted(t interface{ Fatalf(string, ...any) }, c Context, source string) (out template.HTML) {
	defer func() {
		if r := recover(); r == any(errTooMuch) {
			out = c.convertOrShow(source)
		} else if r != nil {
			t.Fatalf("%.200q: %v", source, r)
		}
	}()
	return c.convert(source)
}

// TestTooMuch: texts that would take the square of their bytes are shown as they were written, below a word about it,
// and lose nothing.
func TestTooMuch(t *testing.T) {
	table := strings.Repeat("|a", 2000) + "|\n" + strings.Repeat("|-", 2000) + "|\n" + strings.Repeat("|\n", 4000)
	var headings strings.Builder
	for i := range 8 {
		headings.WriteString(strings.Repeat("#", min(i+1, 6)) + " a\n")
	}
	for name, source := range map[string]string{
		"a table":           table,
		"a table in a list": "- " + strings.ReplaceAll(table, "\n", "\n  "),
		"many tables": strings.Repeat(strings.Repeat("|a", 60)+"\n"+strings.Repeat("|-", 60)+"\n"+
			strings.Repeat("|\n", 60)+"\n", 70),
		"long definitions": "[a]: /" + strings.Repeat("x", 30_000) + "\n\n" + strings.Repeat("[a]\n\n", 5000),
		"blanks in lists":  strings.Repeat("- ", 50) + "a\n" + strings.Repeat("\n", 60_000),
		"escaped pipes":    strings.Repeat("a|b\n-|-\n"+strings.Repeat("`\\|`|`\\|`\n", 60)+"\n", 90),
		"deep lists":       strings.Repeat("- ", 500) + "x",
	} {
		var got template.HTML
		used := allocated(func() { got = converted(t, Context{}, source) })
		if used > 96<<20 || len(got) > fixedHTML+htmlPerByte*len(source) {
			t.Errorf("%s of %d bytes takes %d bytes of memory, and has %d of HTML", name, len(source), used, len(got))
		}
		if !strings.Contains(string(got), "<em>This text is shown as it was written") &&
			!strings.Contains(string(got), "<em>Shown as it was written") {
			t.Errorf("%s has no word about it: %.300s", name, got)
		}
		if text := textOf(t, got); strings.Count(text, "a") < strings.Count(source, "a") ||
			strings.Count(text, "x") < strings.Count(source, "x") {
			t.Errorf("%s is lost", name)
		}
	}
	if got := string(HTML(headings.String())); !strings.HasSuffix(got,
		"<h6>a</h6>\n<h6>a</h6>\n<h6>a</h6>\n<h6>a</h6>\n") {
		t.Errorf("headings of all levels: %s", got)
	}
}

// TestHonestTables: a table as people write it is a table.
func TestHonestTables(t *testing.T) {
	row := strings.Repeat("| 1234567 ", 10) + "|\n"
	got := string(HTML(strings.Repeat("| a ", 10) + "|\n" + strings.Repeat("|---", 10) + "|\n" +
		strings.Repeat(row, 600)))
	if n := strings.Count(got, "<td>1234567</td>"); n != 6000 {
		t.Errorf("%d cells", n)
	}
}

// TestConversionsAreCached: a text is converted once, and again when what its words refer to has changed. The cache
// is bounded.
func TestConversionsAreCached(t *testing.T) {
	title := "first"
	c := Context{Resolve: func(word string) (Link, bool) { return Link{Path: "/" + word, Text: word, Title: title}, true }}
	source := "Cached WEB-77 " + strings.Repeat("*a* ", 60)
	first := c.HTML(source)
	if used := allocated(func() { c.HTML(source) }); used > 2000 {
		t.Errorf("the second conversion takes %d bytes", used)
	}
	title = "second"
	if got := c.HTML(source); got == first || !strings.Contains(string(got), `title="second"`) {
		t.Errorf("%s", got)
	}
	if got := (Context{Resolve: c.Resolve, Base: "/s/x"}).
		HTML("![](/files/att_01ja8m2c9tf3qb6h0v5r4x7kyz)"); !strings.Contains(
		string(got), "/s/x/files") {
		t.Errorf("%s", got)
	}
	if got := HTML("![](/files/att_01ja8m2c9tf3qb6h0v5r4x7kyz)"); strings.Contains(string(got), "/s/x/files") {
		t.Errorf("the HTML of another context: %s", got)
	}
	for i := range 40 {
		HTML(fmt.Sprint(i) + strings.Repeat("a ", 300_000))
	}
	conversions.mu.Lock()
	defer conversions.mu.Unlock()
	if conversions.bytes > maxCached || conversions.recent.Len() != len(conversions.entries) ||
		len(conversions.entries) < 5 {
		t.Errorf("%d conversions of %d bytes", len(conversions.entries), conversions.bytes)
	}
}
