package markdown

import (
	"fmt"
	"strings"
	"testing"
)

// numbered returns n parts, each with its number.
func numbered(n int, part string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(part, "#", fmt.Sprint(i)))
	}
	return b.String()
}

// TestHonestDocuments: long documents as people write them are formatted wholly, however many marks of formatting
// they have.
func TestHonestDocuments(t *testing.T) {
	badge := "[![b#](https://a.example/#.svg)](https://b.example/#)"
	for name, test := range map[string]struct {
		source, element string
		n               int
	}{
		"a table with links, code and bold": {
			"| a | b | c |\n|---|---|---|\n" + numbered(60, "| [l#](https://a.example/#) | `c#` | **b#** |\n"),
			"<strong>b", 60,
		},
		"a table of dependencies": {
			"| a | b |\n|---|---|\n" + numbered(80,
				"| [`p#`](https://a.example/#) | [`1.#` -> `2.#`](https://b.example/#) |\n"),
			"<code>2.", 80,
		},
		"a table of coverage": {
			"| a | b |\n|---|---|\n" + numbered(100,
				"| [src/f\\_#.go](https://a.example/#) | `#% <0%> (ø)` | :arrow_up: |\n"),
			"<a href=\"https://a.example/", 100,
		},
		"a changelog": {
			numbered(159, "## [1.#.0]\n- Fixed\n\n") + numbered(159, "[1.#.0]: https://a.example/#\n"),
			"<a href=\"https://a.example/", 159,
		},
		"definitions": {
			numbered(300, "- see [r#] and [this][r#]\n") + "\n" +
				numbered(300, "[r#]: https://a.example/# \"A title\"\n"),
			"title=\"A title\"", 600,
		},
		"definitions in two lines": {
			numbered(200, "[r#]\n") + "\n" + numbered(200, "[r#]:\n  https://a.example/#\n  'A title'\n"),
			"title=\"A title\"", 200,
		},
		"badges, each in a line": {numbered(76, badge+"\n"), "<em>b", 76},
		"badges in one line":     {numbered(200, badge+" "), "<em>b", 200},
		"badges in three lines": {numbered(120, "[![b#](https://a.example/#.svg)\n](\nhttps://b.example/#)\n"),
			"<em>b", 120},
		"badges of markup": {
			numbered(200, "<a href=\"https://b.example/#\"><img src=\"https://a.example/#.svg\" alt=\"b#\"></a>\n"),
			"<a href=\"https://b.example/", 200,
		},
		"badges in a list":         {"- " + numbered(100, badge+"\n  "), "<em>b", 100},
		"bold text in one line":    {numbered(400, "**bold text of # words** and "), "<strong>bold text of ", 400},
		"bold text without spaces": {numbered(400, "点击**按钮#**。然后"), "<strong>按钮", 400},
		"links in one line": {
			numbered(400, "[a link of # words](https://a.example/# \"a title\"), "),
			"title=\"a title\"", 400,
		},
		"code in lines":            {numbered(500, "run `go test ./...` in `pkg#`\n"), "<code>pkg", 500},
		"markup around many lines": {"<kbd>" + numbered(400, "a `c#`\n") + "</kbd>", "<kbd>a", 1},
		"logs": {
			numbered(700, "[2026-11-25T22:00:00.#Z] [worker_#] INFO my_module: state={'a': [1, 2, {'b': [#]}], 'c': None} took *#* ms\n"),
			"<em>", 700,
		},
		"JSON in lines": {"[\n" + numbered(900, "  {\"id\": #, \"snake_case_key\": [[1, 2], [3, 4]]},\n") + "]", "<br>",
			901},
		"CSV": {"id,first_name,last_name\n" + numbered(1500, "#,ana_maria,de_la_cruz,\"a*b\"\n"), "<br>",
			1500},
		"a task of many marks": {
			"- [ ] " + numbered(200, "`a#` ") + "\n- [x] b", "<code>a", 200,
		},
	} {
		got := string(HTML(test.source))
		if n := strings.Count(got, test.element); n != test.n || strings.Contains(got, "as it was written") {
			t.Errorf("%s of %d bytes has %d of %d %s: %.400s", name, len(test.source), n, test.n, test.element, got)
		}
	}
}

// TestPartsAreJoined: a paragraph with many marks of formatting has the HTML that it would have if it were not read
// in parts.
func TestPartsAreJoined(t *testing.T) {
	for _, unit := range []string{
		"`a` b c ", "*a* b\n", "[a b](/c) ", "a_b [a] \n", "  **a** a  \n",
		"**中**文字", "\t*a*\ta", "<kbd>a *b*</kbd> ", "[a\nb](/c\n'd e')\n", "``a b`` ~~c d~~\n",
		"*a **b c** d* ", "![a *b c*](/d) ", "[![a b](/c d)](/d) e\n", "WEB-12 `a` ",
	} {
		for _, start := range []string{"", "- ", "> ", "a\n\n1. ", "- [ ] a "} {
			length := func(n int) int {
				text := start + strings.ReplaceAll(strings.Repeat(unit, n), "\n", "\n   ")
				return len(Context{Resolve: resolver}.HTML(strings.TrimRight(text, " \t")))
			}
			if got, want := length(300), length(3)+297*(length(4)-length(3)); got != want {
				t.Errorf("%q after %q has %d bytes of HTML, not %d", unit, start, got, want)
			}
		}
	}
}

// TestManyDefinitions: the parser moves all lines below each definition, so that of a text of many only so much is
// read.
func TestManyDefinitions(t *testing.T) {
	for _, unit := range []string{"[a]: b\n", "[a]:\nb\n", "[a\nb]: c\n", "[a\nb]: c\n'", "[a]: b 'c'\n",
		"[a\\]]: b\n"} {
		source := strings.Repeat(unit, (64<<10)/len(unit))
		if got := string(converted(t, Context{}, source)); !strings.Contains(got, "as it was written") {
			t.Errorf("%q: %.200s", unit, got)
		}
	}
}

// TestTickOfLongTask: a task of many marks of formatting has a box that can be ticked, and its parts no further ones.
func TestTickOfLongTask(t *testing.T) {
	long := "- [ ] " + strings.Repeat("`a` ", 400) + "\n- [ ] b\n"
	for number, want := range map[int]string{1: "- [x] `a`", 2: "- [x] b"} {
		if got, ok := Tick(long, number); !ok || !strings.Contains(got, want) || strings.Count(got, "[x]") != 1 {
			t.Errorf("task %d: %.200s", number, got)
		}
	}
	if _, ok := Tick(long, 3); ok {
		t.Error("a third task")
	}
}

// TestMarkupIsReadOnce: markup within and beside other elements takes no more than its length allows.
func TestMarkupIsReadOnce(t *testing.T) {
	for _, unit := range []string{"*<x>* <x> ", "[a]*<x> ", "<x>\n\n> <x>\n\n", "<x>\n\n- <x>\n\n"} {
		source := strings.Repeat(unit, (8<<10)/len(unit))
		if used := allocated(func() { converted(t, Context{}, source) }); used > 24<<20 {
			t.Errorf("%q takes %d bytes of memory", unit, used)
		}
	}
}
