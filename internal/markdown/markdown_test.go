package markdown

import (
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

func TestHTML(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"a **b** *c* ~~d~~ `e`":        "<p>a <strong>b</strong> <em>c</em> <del>d</del> <code>e</code></p>\n",
		"one\ntwo":                     "<p>one<br>\ntwo</p>\n",
		"# A":                          "<h2>A</h2>\n",
		"### A\n# B\n###### C":         "<h2>A</h2>\n<h2>B</h2>\n<h3>C</h3>\n",
		"## A\n### B\n#### C\n##### D": "<h2>A</h2>\n<h3>B</h3>\n<h4>C</h4>\n<h5>D</h5>\n",
		"3. a\n4. b":                   "<ol start=\"3\">\n<li>a</li>\n<li>b</li>\n</ol>\n",
		"- [x] a\n- [ ] b":             "<ul>\n<li>☑ a</li>\n<li>☐ b</li>\n</ul>\n",
		"```none\nx < 1\n```":          "<pre><code class=\"language-none\">x &lt; 1\n</code></pre>\n",
		"|a|\n|:-:|\n|b|": "<table>\n<thead>\n<tr>\n<th align=\"center\">a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td " +
			"align=\"center\">b</td>\n</tr>\n</tbody>\n</table>\n",
		"[a](https://x.example/b?c=1)": "<p><a href=\"https://x.example/b?c=1\" rel=\"nofollow noreferrer\">a</a></p>\n",
		"see https://x.example/b.": "<p>see <a href=\"https://x.example/b\" rel=\"nofollow " +
			"noreferrer\">https://x.example/b</a>.</p>\n",
		"[a](/WEB-1)":                   "<p><a href=\"/WEB-1\" rel=\"nofollow noreferrer\">a</a></p>\n",
		"![a](https://x.example/b.png)": "<p><a href=\"https://x.example/b.png\" rel=\"nofollow noreferrer\">a (x.example)</a></p>\n",
		"![](//x.example/b.png)":        "<p><a href=\"//x.example/b.png\" rel=\"nofollow noreferrer\">x.example</a></p>\n",
		"[![a](https://x.example/b)](https://y.example)": "<p><a href=\"https://y.example\" rel=\"nofollow noreferrer\"><em>a " +
			"(x.example)</em></a></p>\n",
		"![a](javascript:alert)": "<p>a (javascript:alert)</p>\n",
		"a <b onclick=x>c</b>":   "<p>a <strong>c</strong></p>\n",
		"<script>\nx\n</script>": "<pre><code>&lt;script&gt;\nx\n&lt;/script&gt;</code></pre>\n",
	} {
		if got := string(HTML(source)); got != want {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
}

// attacks are texts that must not become anything but text, links and layout.
var attacks = []string{
	`<script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `<svg onload=alert(1)>`,
	`<style>*{display:none}</style>`,
	`<iframe src="https://evil.example"></iframe>`, `<link rel=preconnect href="https://evil.example">`,
	`<form action="/logout"><button>`,
	`<base href="https://evil.example">`, `<meta http-equiv=refresh content="0;url=https://evil.example">`,
	`<div style="position:fixed;inset:0" hx-get="/settings" hx-trigger=load id=main>`, `[a](javascript:alert(1))`,
	`[a](JaVaScRiPt:alert(1))`, "[a](java\nscript:alert(1))", `[a](&#106;avascript:alert(1))`,
	`[a](data:text/html,<script>alert(1)</script>)`,
	`[a](vbscript:x)`, `<javascript:alert(1)>`, `[a](https://x.example "\" onmouseover=alert(1) x=\"")`,
	`![a](https://evil.example/p.png)`,
	`![a](data:image/svg+xml,<svg/onload=alert(1)>)`, "![a][b]\n\n[b]: https://evil.example/p.png",
	"```\"><img src=x onerror=alert(1)>\nx\n```",
	"``` go onclick=alert(1)\nx\n```", "```go\nx := 1 // \"<b>\n```", "<span class=\"hl-x y\" style=a>b</span>",
	`[a]: <javascript:alert(1)>` + "\n\n[a]", `<a href="https://x.example" target=_top onclick=alert(1)>x</a>`,
	`# A {#main onclick=alert(1)}`, `|a|` + "\n|---|\n" + `|<img src=x onerror=alert(1)>|`,
	"<!-- --!> <img src=x onerror=alert(1)> -->",
	`<![CDATA[<img src=x onerror=alert(1)>]]>`, `<?php <img src=x onerror=alert(1)> ?>`,
	"\x00<script\x00>alert(1)</script>", "\u202e<script>",
	strings.Repeat("> ", 500) + "x", strings.Repeat("- ", 500) + "x", strings.Repeat("*", 3000) + "x",
	strings.Repeat("[", 3000), strings.Repeat("![", 1000) + strings.Repeat("](x)", 1000),
}

var allowed = map[string]string{"p": "", "br": "", "hr": "", "h2": "",
	"h3": "", "h4": "", "h5": "", "h6": "", "blockquote": "", "pre": "", "code": "class",
	"tfoot": "", "caption": "", "u": "", "small": "", "mark": "", "q": "",
	"samp": "", "var": "", "wbr": "", "dl": "", "dt": "", "dd": "", "ruby": "", "rt": "", "rp": "",
	"kbd": "", "sub": "", "sup": "", "ins": "", "details": "", "summary": "",
	"em": "", "strong": "", "del": "", "ul": "", "ol": "start", "li": "",
	"table": "", "thead": "", "tbody": "", "tr": "", "th": "align", "td": "align", "a": "href title rel",
	"span": "class"}

var safeAddress = regexp.MustCompile(`^(?i:https?:|mailto:|[^:]*$|[^:]*[/?#])`)

// allowedValues are the values of some attributes.
var allowedValues = map[string]*regexp.Regexp{
	"a href":     safeAddress,
	"code class": regexp.MustCompile(`^language-[^ ]+$`),
	"span class": regexp.MustCompile(`^hl-[a-z]+$`),
}

// check fails the test when HTML holds an element, an attribute or an address that is not allowed.
func check(t *testing.T, source, text string) {
	t.Helper()
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if !errors.Is(z.Err(), io.EOF) {
				t.Fatal(z.Err())
			}
			return
		case html.CommentToken, html.DoctypeToken:
			t.Fatalf("%q: %s", source, z.Raw())
		case html.StartTagToken, html.SelfClosingTagToken:
			token := z.Token()
			attributes, ok := allowed[token.Data]
			if !ok {
				t.Fatalf("%q: the element %s", source, token)
			}
			for _, a := range token.Attr {
				values := allowedValues[token.Data+" "+a.Key]
				if !strings.Contains(" "+attributes+" ", " "+a.Key+" ") || values != nil && !values.MatchString(a.Val) {
					t.Fatalf("%q: the attribute %s of %s", source, a.Key, token)
				}
			}
		}
	}
}

func TestAttacks(t *testing.T) {
	t.Parallel()
	for _, a := range attacks {
		check(t, a, string(HTML(a)))
	}
	if safeAddress.MatchString("javascript:alert(1)") {
		t.Error("the check finds nothing")
	}
}

// TestDepth: a text that is nested too deeply for a browser is shown as it was written.
func TestDepth(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(">", 30_000) + "x"
	if got := string(HTML(deep)); got != "<p><em>"+textNotice+"</em></p>\n<pre>"+strings.Repeat("&gt;", 30_000)+
		"x</pre>" {
		t.Errorf("%.100s", got)
	}
}

// TestDelimiters: a paragraph and a heading whose delimiters would take long to match are shown as they were written.
func TestDelimiters(t *testing.T) {
	t.Parallel()
	many, notice := strings.Repeat("*a_", 20_000), "<p><em>"+paragraphNotice+"</em></p>\n"
	for source, want := range map[string]string{
		"**a**\n\n" + many + "\n": "<p><strong>a</strong></p>\n" + notice + "<pre><code>" + many + "\n</code></pre>\n",
		"# " + many + "\n# a":     notice + "<pre><code># " + many + "\n</code></pre>\n<h2>a</h2>\n",
	} {
		if got := string(HTML(source)); got != want {
			t.Errorf("%.60q: %.100s", source, got)
		}
	}
}

func FuzzHTML(f *testing.F) {
	for _, a := range attacks {
		f.Add(a)
	}
	f.Fuzz(func(t *testing.T, source string) { check(t, source, string(converted(t, Context{}, source))) })
}

// TestAddresses: addresses that developers write are links, without the punctuation behind them.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"see http://localhost:3000.":          "http://localhost:3000",
		"http://localhost:3000/a?b=c#d, then": "http://localhost:3000/a?b=c#d",
		"(http://127.0.0.1:8080/a)":           "http://127.0.0.1:8080/a",
		"http://10.0.0.1":                     "http://10.0.0.1",
		"http://[::1]:3000/x!":                "http://[::1]:3000/x",
		"https://[2001:db8::1]?":              "https://[2001:db8::1]",
		"http://buildhost/job/1;":             "http://buildhost/job/1;",
		"*http://buildhost*":                  "http://buildhost",
		"http://my_service:8080/":             "http://my_service:8080/",
		"https://bücher.example/straße":       "https://bücher.example/straße",
		"https://例え.テスト/パス":                   "https://例え.テスト/パス",
		"见 https://example.com/a。":            "https://example.com/a",
		"http://user:pass@host:1/":            "http://user:pass@host:1/",
		"http://host/a_(b)_c) x":              "http://host/a_(b)_c",
		"http://host/a?b=1&amp;":              "http://host/a?b=1",
		"https://a.example/wiki/Foo_(bar)":    "https://a.example/wiki/Foo_(bar)",
		"\"http://host/\"":                    "",
		"http://":                             "",
		"http:///a":                           "",
		"http://-a":                           "",
		"xhttp://host":                        "",
		"`http://localhost:3000`":             "",
	} {
		got := string(HTML(source))
		_, rest, found := strings.Cut(got, "<a href=")
		_, text, _ := strings.Cut(rest, ">")
		text, _, _ = strings.Cut(text, "</a>")
		if found != (want != "") || text != strings.ReplaceAll(want, "&", "&amp;") {
			t.Errorf("%s: %s", source, got)
		}
	}
	for source, want := range map[string]string{
		"https://bücher.example/straße": `href="https://xn--bcher-kva.example/stra%C3%9Fe"`,
		"http://[::1]:3000/x":           `href="http://[::1]:3000/x"`,
		"[a](http://[::1]:3000/x)":      `href="http://[::1]:3000/x"`,
		"[a](//例え.テスト:1/)":              `href="//xn--r8jz45g.xn--zckzah:1/"`,
		"http://my_service:1/a%zz":      `href="http://my_service:1/a%25zz"`,
		"[a](http://x\"y/z)":            `<p>a</p>`,
		"mail a.b@c.example":            `href="mailto:a.b@c.example"`,
	} {
		if got := string(HTML(source)); !strings.Contains(got, want) {
			t.Errorf("%s: %s", source, got)
		}
	}
}

// TestMarkup: the markup of issues of GitHub is shown as there, without attributes, and each element ends where its
// block does.
func TestMarkup(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"a<br>b <kbd>Ctrl</kbd> H<sub>2</sub>O x<sup>2</sup>": "<p>a<br>b <kbd>Ctrl</kbd> H<sub>2</sub>O x<sup>2</sup></p>",
		"<!-- a template -->\nb <!-- c -->d":                  "<p>b d</p>",
		"<!-- a\n\nb\n-->\nc":                                 "<p>c</p>",
		"<!-- a\n\nb":                                         "<pre><code>&lt;!-- a\n\nb</code></pre>",
		"<details><summary>Logs &amp; <b>more</b></summary>\n\n```\nx\n```\n\n</details>\n\nbehind": "<details><summary>Logs &amp; " +
			"<strong>more</strong></summary><pre><code>x\n</code></pre></details><p>behind</p>",
		"<details open hx-get=/x onclick=y style=z>\n<summary>a</summary>\nb\n</details>": "<details><summary>a</summary>" +
			"\nb\n</details>",
		"<details>\n\na":            "&lt;details&gt;<p>a</p>",
		"a</details>\n\n</details>": "<p>a&lt;/details&gt;</p>&lt;/details&gt;",
		"*a <b>b* c</b>":            "<p><em>a &lt;b&gt;b</em> c&lt;/b&gt;</p>",
		"> <details>\n\n</details>": "<blockquote>&lt;details&gt;</blockquote>&lt;/details&gt;",
		"<img width=\"9\" alt=\"a &lt;\" src=\"https://x.example/b.png\" onerror=y>": "<a href=\"https://x.example/b.png\" " +
			"rel=\"nofollow noreferrer\">a &lt; (x.example)</a>",
		"<img src=/files/att_01ja8m2c9tf3qb6h0v5r4x7kyz>": "<img " +
			"src=\"/files/att_01ja8m2c9tf3qb6h0v5r4x7kyz\" alt=\"picture\" loading=\"lazy\">",
		"<a href=\"https://y.example\"><img src=\"https://x.example/b.png\" alt=c></a>": "<p><a href=\"https://y.example\" " +
			"rel=\"nofollow noreferrer\">c</a></p>",
		"<a href=\"javascript:alert(1)\" ping=x>a</a>":          "<p>a</p>",
		"<p align=center>\n<b>a</b>\n</p>":                      "<p><strong>a</strong></p>",
		"<table><tr><td>a</td><td hx-get=x>b</td></tr></table>": "<table><tr><td>a</td><td>b</td></tr></table>",
		"<td></b></table>":                                      "&lt;td&gt;&lt;/b&gt;&lt;/table&gt;",
		"<div><script>x</script></div>": "<pre><code>" +
			"&lt;div&gt;&lt;script&gt;x&lt;/script&gt;&lt;/div&gt;</code></pre>",
		"a <script>x</script> <kbd/>": "<p>a &lt;script&gt;x&lt;/script&gt; &lt;kbd/&gt;</p>",
	} {
		squeeze := strings.NewReplacer("\n", "", " ", "")
		got := squeeze.Replace(string(HTML(source)))
		if !strings.Contains(got, "<imgsrc=\"/files/") {
			check(t, source, string(HTML(source)))
		}
		if want = squeeze.Replace(want); got != want {
			t.Errorf("%s:\n%s\nnot\n%s", source, got, want)
		}
	}
}

// TestMarkupEndsWithItsBlock: whatever tags a text has, what is behind it on a page is outside of them.
func TestMarkupEndsWithItsBlock(t *testing.T) {
	t.Parallel()
	parts := append([]string{"a", "\n\n", "\n", "> ", "- ", "*", "[x](", ")", "|a|\n|-|\n|"}, hostile...)
	for name := range elements {
		parts = append(parts, "<"+name+">", "</"+name+">", "<"+name+" src=a href=b>")
	}
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 40).Draw(t, "parts"), "")
		doc, err := html.Parse(strings.NewReader("<body><div id=prose>" +
			string(converted(t, Context{}, source)) + "</div><div id=behind></div>"))
		if err != nil {
			t.Fatal(err)
		}
		for n := range doc.Descendants() {
			if n.Type == html.ElementNode && slices.Contains(n.Attr, html.Attribute{Key: "id", Val: "behind"}) &&
				n.Parent.Data == "body" {
				return
			}
		}
		t.Fatalf("%q is not closed: %s", source, HTML(source))
	})
}
