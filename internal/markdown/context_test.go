package markdown

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// resolver links WEB-12 and one mention.
func resolver(word string) (Link, bool) {
	switch word {
	case "WEB-12":
		return Link{Path: "/WEB-12", Text: "WEB-12", Title: `A "title" <b>`}, true
	case "@mara@northwind.example":
		return Link{Path: "/reports?q=x", Text: "@Mara <b>"}, true
	}
	return Link{}, false
}

// TestContext: references and mentions that are known become links, and other words and those within code and links
// stay as they are.
func TestContext(t *testing.T) {
	c := Context{Resolve: resolver, Tasks: true}
	const reference = `<a href="/WEB-12" title="A &#34;title&#34; &lt;b&gt;" class="reference" rel="nofollow noreferrer">WEB-12</a>`
	for source, want := range map[string]string{
		"See WEB-12, (WEB-12) and **WEB-12**.": `<p>See ` + reference +
			`, (` + reference + `) and <strong>` + reference + `</strong>.</p>`,
		"WEB-13 XWEB-12 WEB-12a WEB-012 a/WEB-12 web-12": `<p>WEB-13 XWEB-12 WEB-12a WEB-012 a/WEB-12 web-12</p>`,
		"`WEB-12`":                        `<p><code>WEB-12</code></p>`,
		"[see WEB-12](https://x.example)": `<p><a href="https://x.example" rel="nofollow noreferrer">see WEB-12</a></p>`,
		"https://x.example/WEB-12": `<p><a href="https://x.example/WEB-12" rel="nofollow ` +
			`noreferrer">https://x.example/WEB-12</a></p>`,
		"@mara@northwind.example, look": `<p><a href="/reports?q=x" class="mention" rel="nofollow noreferrer">@Mara &lt;b&gt;</a>, ` +
			`look</p>`,
		"[@mara@northwind.example](/x) ![@mara@northwind.example](https://x.example)": `<p><a href="/x" rel="nofollow ` +
			`noreferrer">@mara@northwind.example</a> <a href="https://x.example" rel="nofollow noreferrer">@mara@northwind.example ` +
			`(x.example)</a></p>`,
		"@usr_01ja8m2c9tf3qb6h0v5r4x7kyz": `<p>@usr_01ja8m2c9tf3qb6h0v5r4x7kyz</p>`,
		"- [ ] a <b>\n- [x] b": `<ul><li><button class="task" name="task" ` +
			`value="1" role="checkbox" aria-checked="false" aria-label="a &lt;b&gt;"></button> a &lt;b&gt;</li><li><button ` +
			`class="task" name="task" value="2" role="checkbox" aria-checked="true" aria-label="b"></button> b</li></ul>`,
		"![a](/files/att_01ja8m2c9tf3qb6h0v5r4x7kyz)": `<p><img ` +
			`src="/files/att_01ja8m2c9tf3qb6h0v5r4x7kyz" alt="a" loading="lazy"></p>`,
		"![a](/files/att_01ja8m2c9tf3qb6h0v5r4x7kyz/..)": `<p><a ` +
			`href="/files/att_01ja8m2c9tf3qb6h0v5r4x7kyz/.." rel="nofollow noreferrer">a (/files/att_01ja8m2c9tf3qb6h0v5r4x7kyz/..)</a>` +
			`</p>`,
		"![a](//x.example/files/att_01ja8m2c9tf3qb6h0v5r4x7kyz)": `<p><a ` +
			`href="//x.example/files/att_01ja8m2c9tf3qb6h0v5r4x7kyz" rel="nofollow noreferrer">a (x.example)</a></p>`,
	} {
		got := strings.NewReplacer("\n", "").Replace(string(c.HTML(source)))
		if got != want {
			t.Errorf("%s:\n%s\nnot\n%s", source, got, want)
		}
	}
	if got := HTML("WEB-12 @mara@northwind.example\n\n- [ ] a"); strings.Contains(string(got), "reference") ||
		strings.Contains(string(got), "<button") {
		t.Errorf("without a context: %s", got)
	}
}

// TestHighlight: code of a known language has classes, and is the same text. Markup in it stays text.
func TestHighlight(t *testing.T) {
	for source, want := range map[string]string{
		"```js\nconst a = \"<b>\"; // c\n```": `<pre><code class="language-js"><span class="hl-keyword">const</span> a = <span ` +
			`class="hl-string">&#34;&lt;b&gt;&#34;</span>; <span class="hl-comment">// c`,
		"```diff\n+a\n-b\n```":   `<span class="hl-inserted">+a`,
		"```nothing\n<b>\n```":   `<pre><code class="language-nothing">&lt;b&gt;`,
		"```\"><script>\nx\n```": `<pre><code>x`,
	} {
		if got := string(HTML(source)); !strings.HasPrefix(got, want) && !strings.Contains(got, want) {
			t.Errorf("%s:\n%s", source, got)
		}
	}
}

// TestHighlightKeepsText: highlighted code has the text of the code, in each language.
func TestHighlightKeepsText(t *testing.T) {
	code := "a = \"b\\\"\" + 'c' /* d */ // e\n# f <g h=\"i\">&amp; {{j}} ${k} `l` 0x1F\n\tif (!m) { return [n] }\n" +
		strings.Repeat("(\"'`<", 50) + "\n"
	for name := range languages {
		doc, err := html.Parse(strings.NewReader(string(HTML("```" + name + "\n" + code + "```"))))
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for n := range doc.Descendants() {
			if n.Type == html.TextNode {
				b.WriteString(n.Data)
			}
		}
		if got := strings.TrimSuffix(b.String(), "\n"); got != code {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestTick: a tick changes one box of a text, by the number that the rendered text has.
func TestTick(t *testing.T) {
	const source = "# Steps\n\n- [ ] one\n  - [X] two\n\n> - [ ] three\n\n1. [x] four\n\n```\n- [ ] code\n```\n\n- [ ]\n- [] no\n"
	for number, want := range map[int]string{
		1: strings.Replace(source, "- [ ] one", "- [x] one", 1), 2: strings.Replace(source, "[X] two", "[ ] two", 1),
		3: strings.Replace(source, "[ ] three", "[x] three", 1), 5: strings.Replace(source, "- [ ]\n", "- [x]\n", 1),
		4: strings.Replace(source, "[x] four", "[ ] four", 1),
	} {
		if got, ok := Tick(source, number); !ok || got != want {
			t.Errorf("%d: %v %q", number, ok, got)
		}
	}
	for _, number := range []int{0, -1, 6, 100} {
		if got, ok := Tick(source, number); ok || got != source {
			t.Errorf("%d: %q", number, got)
		}
	}
	if n := strings.Count(string(Context{Tasks: true}.HTML(source)), "<button"); n != 5 {
		t.Errorf("%d boxes", n)
	}
}

// TestPicturesHaveTheirPlace: a picture of a known size has it before it comes, a high one less as a whole, and one whose
// size is not known has none.
func TestPicturesHaveTheirPlace(t *testing.T) {
	const id = "/files/att_01ja8m2c9tf3qb6h0v5r4x7kyz"
	for _, tt := range []struct {
		link Link
		ok   bool
		want string
	}{
		{Link{Width: 300, Height: 150}, true, ` width="300" height="150"`},
		{Link{Width: 1000, Height: 2048}, true, ` width="250" height="512"`},
		{Link{Width: 1, Height: 1 << 20}, true, ` width="1" height="512"`},
		{Link{}, false, ""}, {Link{}, true, ""}, {Link{Width: -1, Height: 5}, true, ""},
	} {
		got := string(Context{Resolve: func(word string) (Link, bool) {
			if word != id {
				t.Errorf("asked for %q", word)
			}
			return tt.link, tt.ok
		}}.HTML("![x](" + id + ")"))
		if tt.want == "" && strings.Contains(got, "width") || !strings.Contains(got, tt.want) {
			t.Errorf("%+v: %s", tt.link, got)
		}
	}
}
