package web

import (
	"net/url"
	"testing"
)

// TestBrowserSignsInToAComment: the link to a comment leads to it after signing in, also after a wrong password,
// without scripts, and from an address of the page to sign in. A link to another origin leads to the home page.
func TestBrowserSignsInToAComment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	shop := "/" + w.fileShop(t, func(name string) string { return name })
	const anchor = "#comment-cmt_01j"
	for name, c := range map[string]struct {
		open, path, hash string
		script, wrong    bool
	}{
		"with scripts":     {shop + anchor, shop, anchor, true, false},
		"without scripts":  {shop + anchor, shop, anchor, false, false},
		"a wrong password": {shop + "?tab=network" + anchor, shop, anchor, true, true},
		"both":             {shop + anchor, shop, anchor, false, true},
		"in the query":     {"/login?next=" + url.QueryEscape(shop+anchor), shop, anchor, true, false},
		"another origin": {"/login?next=" + url.QueryEscape("https://example.com/"+anchor) + anchor, "/my", anchor,
			true, false},
		"a path of it": {"/login?next=" + url.QueryEscape("//example.com"+anchor), "/my", "", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := w.tab(t, "")
			b.Script(c.script)
			b.Open(c.open)
			for i, typed := range []string{"wrong", password} {
				if i == 0 && !c.wrong {
					continue
				}
				b.Fill("email", owner)
				b.Fill("password", typed)
				b.ClickOn("form button")
				if i == 0 {
					b.Wait(`document.querySelector(".notice-bad")`)
				}
			}
			b.Wait(`location.pathname == "` + c.path + `"`)
			if hash := b.text(`location.hash`); hash != c.hash {
				t.Errorf("the page is %s%s", b.text(`location.pathname`), hash)
			}
		})
	}
}
