package markdown

import (
	"strings"
	"testing"
)

// TestRebase: the links of an issue of GitHub lead from here to where they lead there.
func TestRebase(t *testing.T) {
	t.Parallel()
	const page = "https://github.com/acme/shop/issues/12"
	for source, want := range map[string]string{
		"[a](../blob/main/README.md) ![b](/acme/shop/raw/main/c.png \"d\")":              "[a](https://github.com/acme/shop/blob/main/README.md) ![b](https://github.com/acme/shop/raw/main/c.png \"d\")",
		"[a](#issuecomment-3) [b](13)":                                                   "[a](https://github.com/acme/shop/issues/12#issuecomment-3) [b](https://github.com/acme/shop/issues/13)",
		"[a]\n\n[a]: ../wiki\n[b]: <../c>":                                               "[a]\n\n[a]: https://github.com/acme/shop/wiki\n[b]: <https://github.com/acme/shop/c>",
		"<img width=3 src=\"../x.png\"> <a href='/y'>z</a>":                              "<img width=3 src=\"https://github.com/acme/shop/x.png\"> <a href='https://github.com/y'>z</a>",
		"[a](https://x.example/b) [c](mailto:d@e.fg) [f](//g.example) [h](javascript:i)": "",
		"`[a](b)` \n```\n[a](b)\n[a]: b\n```\n\n    [a](b)":                              "",
		"f(x)[0](y) a < b":              "f(x)[0](https://github.com/acme/shop/issues/y) a < b",
		"[a](%zz) [b](c d)":             "[a](%zz) [b](https://github.com/acme/shop/issues/c d)",
		strings.Repeat("> ", 500) + "x": "",
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
