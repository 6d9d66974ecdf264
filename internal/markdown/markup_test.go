package markdown

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

// TestMarkupOfGitHub: the elements of GitHub are shown, and a tag of another one is text alone.
func TestMarkupOfGitHub(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"<details><summary><h3>Logs</h3></summary>\n\na\n\n</details>": "<details><summary><h2>Logs</h2></summary>\n<p>a</p>\n</details>",
		"<details>\n<summary>Notes</summary>\n<blockquote>\n<h2>1.0</h2>\n<ul>\n<li>a <code>b</code> " +
			"<b>c</b></li>\n</ul>\n<h4>d</h4>\n</blockquote>\n</details>\n<br />": "<details>\n<summary>Notes</summary>\n<blockquote>\n" +
			"<h2>1.0</h2>\n<ul>\n<li>a <code>b</code> <strong>c</strong></li>\n</ul>\n<h3>d</h3>\n</blockquote>\n</details>\n<br>",
		"<picture>\n<source media=x srcset=https://x.example/a.png>\n<img alt=a src=https://x.example/b.png>\n</picture>": "\n\n<a " +
			"href=\"https://x.example/b.png\" rel=\"nofollow noreferrer\">a (x.example)</a>\n",
		"<dl><dt>a</dt><dd>b</dd></dl>":                           "<dl><dt>a</dt><dd>b</dd></dl>",
		"<h2>a</h2>\n<div align=center>b <u>c</u></div>":          "<h2>a</h2>\n<p>b <u>c</u></p>",
		"<div>\n\n# a\n\n<h2>b</h2>\n</div>":                      "\n<h2>a</h2>\n<h3>b</h3>\n",
		"<details><summary>a</summary><x-y z=1>b</x-y></details>": "<details><summary>a</summary>&lt;x-y z=1&gt;b&lt;/x-y&gt;</details>",
		"<details><title><summary>a</summary>\n\nb\n\n</details>": "<details>&lt;title&gt;<summary>a</summary>\n<p>b</p>\n</details>",
		"<details><style>x > y</style>\n\nb\n\n</details>":        "<details>&lt;style&gt;x &gt; y&lt;/style&gt;\n<p>b</p>\n</details>",
		"<details>a <b":                  "&lt;details&gt;a &lt;b",
		"<div><svg>a</svg> b</div>":      "<p>&lt;svg&gt;a&lt;/svg&gt; b</p>",
		"<section>\n\na\n\n</section>":   "\n<p>a</p>\n",
		"cp <source> <target>, List<li>": "<p>cp &lt;source&gt; &lt;target&gt;, List&lt;li&gt;</p>\n",
		"<ul><li>a</li>":                 "&lt;ul&gt;&lt;li&gt;a&lt;/li&gt;",
		"<App>\n  <Child/>\n</App>":      "<pre><code>&lt;App&gt;\n  &lt;Child/&gt;\n&lt;/App&gt;</code></pre>\n",
		"<pre>a <b>x</b>\n\n  y</pre>":   "<pre>a <strong>x</strong>\n\n  y</pre>",
		"# a <h1>b</h1>\n\n<h6>c</h6>":   "<h2>a <h2>b</h2></h2>\n<h3>c</h3>",
	} {
		got := string(HTML(source))
		check(t, source, got)
		if got != want {
			t.Errorf("%s:\n%q\nnot\n%q", source, got, want)
		}
	}
}

// TestMarkupLosesNothing: whatever tags a text has, its words are shown.
func TestMarkupLosesNothing(t *testing.T) {
	t.Parallel()
	parts := tagsOfAll(" ", "\n", "\n\n", "- ", "> ", "\n\n<!-- a -->",
		"<x>", "</x>", "<style>", "</style>", "<title>", "<script>", "<div\n", "<b", "<?", "<!A", "<x/>")
	rapid.Check(t, func(t *rapid.T) {
		var source strings.Builder
		var words []string
		for i, part := range rapid.SliceOfN(rapid.SampledFrom(parts), 1, 30).Draw(t, "parts") {
			words = append(words, fmt.Sprintf("w%dw", i))
			source.WriteString(part + words[i])
		}
		text := string(converted(t, Context{}, source.String()))
		for _, word := range words {
			_, behind, ok := strings.Cut(text, word)
			if !ok {
				t.Fatalf("%q lost %s: %s", source.String(), word, text)
			}
			text = behind
		}
	})
}

// TestMarkupWithinAPage: whatever tags a text has, its end is within what it is in on the page.
func TestMarkupWithinAPage(t *testing.T) {
	t.Parallel()
	parts := tagsOfAll("a", "\n\n", "\n", "> ", "- ", "*", "|a|\n|-|\n|", "# ")
	const before = "<details><ul><li><dl><dd><ruby><table><tr><td><div id=prose>"
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 40).Draw(t, "parts"), "")
		doc, err := html.Parse(strings.NewReader(before + string(converted(t, Context{}, source)) +
			"</div><i id=behind></i>"))
		if err != nil {
			t.Fatal(err)
		}
		for n := range doc.Descendants() {
			if n.Type == html.ElementNode && slices.Contains(n.Attr, html.Attribute{Key: "id", Val: "behind"}) &&
				n.Parent.Data == "td" &&
				n.PrevSibling != nil && slices.Contains(n.PrevSibling.Attr, html.Attribute{Key: "id", Val: "prose"}) {
				return
			}
		}
		t.Fatalf("%q is not closed: %s", source, HTML(source))
	})
}

// tagsOfAll returns the tags of all elements, and other parts.
func tagsOfAll(parts ...string) []string {
	for name := range elements {
		parts = append(parts, "<"+name+">", "</"+name+">")
	}
	slices.Sort(parts)
	return parts
}

// TestLabelOfTask: the name of a task is the first line of it, as it is shown.
func TestLabelOfTask(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"- [ ] todo <!-- hidden note -->":                      "todo",
		"- [x] xylem **b** <kbd>c</kbd> `<d>` <e>":             "xylem b c &lt;d&gt; &lt;e&gt;",
		"- [ ] a <!-- b\n  c --> d\n  e":                       "a  d",
		"- [ ] [a](https://x.example) http://y.example\n\n  b": "a http://y.example",
		"- [ ] <!-- a -->":                                     "Task 1",
	} {
		if got := string(Context{Tasks: true}.HTML(source)); !strings.Contains(got, ` aria-label="`+want+`">`) {
			t.Errorf("%s: %s", source, got)
		}
	}
}
