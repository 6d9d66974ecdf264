package web

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"bugslice/api"
)

var (
	laterLink = regexp.MustCompile(`href="(/s/\w+\?after=cmt_[0-9a-z]{26})#comments-title">Show later comments</a> <span ` +
		`class="muted">([\d,]+) more</span>`)
	earlierPart = regexp.MustCompile(`href="(/WEB-161\?comment=cmt_[0-9a-z]{26})#report-conversation" data-load>Show earlier ` +
		`comments</a> <span class="muted">([\d,]+) more</span>`)
	markOfText = regexp.MustCompile(`mark-(\d+)-end`)
)

// TestLongTexts: a page and a share have few bytes of texts at once, whose HTML is bounded, and lead from part to
// part to all of them.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	const comments = 20
	code := strings.Repeat("```js\n"+strings.Repeat(strings.Repeat("0 ", 240)+"\n", 32)+"```\n", 4)
	for i := range comments {
		w.comment(t, owner, fmt.Sprintf("%s\nmark-%d-end", code, i))
	}
	share, _ := w.share(t, w.caller(t, owner), "WEB-161", api.ShareComments)
	for name, c := range map[string]struct {
		reader *browser
		path   string
		next   *regexp.Regexp
	}{
		"the page": {w.signedIn(t, owner), "/WEB-161", earlierPart}, "the share": {w.browser(t), share, laterLink},
	} {
		var all []string
		for path, parts := c.path, 0; path != ""; parts++ {
			a := c.reader.get(path).wants(200)
			shown := markOfText.FindAllStringSubmatch(a.body, -1)
			if len(a.body) > 5<<20 || len(shown) > 10 || len(shown) == 0 || parts > comments {
				t.Fatalf("%s: %s has %d bytes and %d comments", name, path, len(a.body), len(shown))
			}
			for _, m := range shown {
				all = append(all, m[1])
			}
			path = ""
			if next := c.next.FindStringSubmatch(a.body); next != nil {
				path = html.UnescapeString(next[1])
				if want := fmt.Sprint(comments - len(all)); next[2] != want {
					t.Errorf("%s: %s more, want %s", name, next[2], want)
				}
			}
		}
		seen := map[string]bool{}
		for _, n := range all {
			seen[n] = true
		}
		if len(all) != comments || len(seen) != comments {
			t.Errorf("%s shows %v", name, all)
		}
	}
	first := w.browser(t).get(share).wants(200, "mark-0-end")
	w.browser(t).get(laterLink.FindStringSubmatch(first.body)[1]).
		wants(200, "Show the first comments", `href="`+share+`#comments-title"`)
	for _, none := range []string{"?after=x", "?after=cmt_7zzzzzzzzzzzzzzzzzzzzzzzzz"} {
		if a := w.browser(t).get(share+none).
			wants(200, "mark-0-end"); strings.Contains(a.body, "Show the first comments") {
			t.Errorf("%s has comments before it", none)
		}
	}
}
