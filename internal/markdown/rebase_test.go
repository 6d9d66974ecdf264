package markdown

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestRebase: the links of an issue of GitHub lead from here to where they lead there.
func TestRebase(t *testing.T) {
	t.Parallel()
	const page = "https://github.com/acme/shop/issues/12"
	for source, want := range map[string]string{
		"[a](../blob/main/README.md) ![b](/acme/shop/raw/main/c.png \"d\")": "[a]" +
			"(https://github.com/acme/shop/blob/main/README.md) ![b](https://github.com/acme/shop/raw/main/c.png \"d\")",
		"[a](#issuecomment-3) [b](13)": "[a]" +
			"(https://github.com/acme/shop/issues/12#issuecomment-3) [b](https://github.com/acme/shop/issues/13)",
		"[a] [b]\n\n[a]: ../wiki\n[b]: <../c>": "[a] [b]\n\n[a]: " +
			"https://github.com/acme/shop/wiki\n[b]: <https://github.com/acme/shop/c>",
		"<img width=3 src=\"../x.png\"> <a href='/y'>z</a>": "<img width=3 " +
			"src=\"https://github.com/acme/shop/x.png\"> <a href='https://github.com/y'>z</a>",
		"[a](https://x.example/b) [c](mailto:d@e.fg) [f](//g.example) [h](javascript:i)": "",
		"`[a](b)` \n```\n[a](b)\n[a]: b\n```\n\n    [a](b)":                              "",
		"f(x)[0](y) a < b":              "f(x)[0](https://github.com/acme/shop/issues/y) a < b",
		"[a](%zz) [b](c d)":             "",
		strings.Repeat("> ", 500) + "x": "",
		"[worker]: starting server\n[12:00:01]: GET /x\n[ERROR]: null pointer":  "",
		"[worker]: started\n\n[^1] [b][^1]\n\n[^1]: note\n[c]: d \"e\" f":       "",
		"handlers[name](event, x) \\[x](y) [x\\](y) a[1] (b)":                   "",
		"<!-- [a](b) <a href=\"c\"> -->\n<div>[a](b)</div>\n\n`<a href=\"c\">`": "",
		"<!--\n<img src=\"a\">\n\n--> <img src=\"b\">": "<!--\n<img src=\"a\">\n\n--> <img " +
			"src=\"https://github.com/acme/shop/issues/b\">",
		"> <b title=\" href='x'\">\n> <a title=\" href='x'\" HREF = y href=z></a></b>": "> <b title=\" href='x'\">\n> <a title=\" " +
			"href='x'\" HREF = https://github.com/acme/shop/issues/y href=z></a></b>",
		"- a\n\n\t[b](c) <x href=\"d\"> <a href=\"e\">f": "- " +
			"a\n\n\t[b](https://github.com/acme/shop/issues/c) <x href=\"d\"> <a href=\"e\">f",
		"<a\n href=\"e\">f</a> <a href=\"g&#47;h\">f</a>": "<a\n " +
			"href=\"https://github.com/acme/shop/issues/e\">f</a> <a href=\"g&#47;h\">f</a>",
		"[a](x(/../y)) [b](c\\_d) [e](f(g)) [![h](i)](j)": "[a](https://github.com/acme/shop/issues/y%29)" +
			" [b](c\\_d) [e](https://github.com/acme/shop/issues/f%28g%29) [![h](https://github.com/acme/shop/issues/i)]" +
			"(https://github.com/acme/shop/issues/j)",
		"|a|\n|-|\n|[b](c)|\n\n# [d]\n[D]: <e f>": "|a|\n|-|\n|[b]" +
			"(https://github.com/acme/shop/issues/c)|\n\n# [d]\n[D]: <https://github.com/acme/shop/issues/e%20f>",
	} {
		if want == "" {
			want = source
		}
		if got := Rebase(source, page); got != want {
			t.Errorf("%.99q: %q", source, got)
		}
		if got := Rebase(source, "javascript:x"); got != source {
			t.Errorf("%.99q: %q", source, got)
		}
	}
}

// TestRebaseOnce: a text is rebased once, and one without links and pictures stays as it is.
func TestRebaseOnce(t *testing.T) {
	t.Parallel()
	const page = "https://github.com/acme/my_shop/issues/12"
	parts := append([]string{"[a](b)", "[b]: c\n", "![a][b]", "[a]: <b c> 'd'\n",
		"<a href='x'>", "<img src=y>", "\\", "a(b)/../c)", "'", "[^1]", "[^1]: a\n",
		"[x]: y\n", "[x]", "\r\n", "<!--", "-->", "<p>"}, hostile...)
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 40).Draw(t, "parts"), "")
		once := Rebase(source, page)
		if twice := Rebase(once, page); twice != once {
			t.Fatalf("%q: %q, and then %q", source, once, twice)
		}
		before := string(converted(t, Context{}, source))
		if !strings.Contains(before, "<a ") && !strings.Contains(before, "<img ") && once != source {
			t.Fatalf("%q: %q", source, once)
		}
	})
}
