package markdown

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestNoAttributeOfScripts: no attribute by which a script of the page acts survives the second guard, on any
// element, however it is spelled.
func TestNoAttributeOfScripts(t *testing.T) {
	const attributes = ` hx-get="/x" hx-post=/x HX-TRIGGER=load hx-on:click="x" hx-on::load="x" hx-boost:inherited=true ` +
		`hx-swap-oob=true hx-preserve hx-ignore
		hx-history-elt hx-status:200="x" data-hx-get="/x" data-hx-on:click="x" data-fetch data-load data-send data-copy-text="x" ` +
		`data-live="/x" data-script="/x"
		data-part id="main" style="x" ws-connect=/x ws-send sse-connect=/x sse-swap=x onclick=x formaction=/x form=report-change ` +
		`popovertarget=x
		commandfor=x command=x target=_top is=x slot=x `
	elements := "p br hr h2 blockquote pre code em strong del ul ol li table tr th td a img button span div details summary kbd sub " +
		"sup input form template hx-partial svg math"
	for element := range strings.FieldsSeq(elements) {
		out := policy.Sanitize("<" + element + attributes + `href="/x" src="/x">a</` + element + ">")
		for n := range parsed(t, out).Descendants() {
			for _, a := range n.Attr {
				allowed := map[string]bool{"href": true, "rel": true, "title": true, "class": true, "open": true}
				if !allowed[a.Key] {
					t.Errorf("%s has %s in %s", element, a.Key, out)
				}
			}
		}
	}
	for _, source := range []string{"<p hx-get=/x>a</p>", "[a](/x){hx-get=/x}",
		"# a {hx-get=/x}", `[a](/x "b\" hx-get=\"/x")`, "<hx-partial>a</hx-partial>",
		"```js hx-get=/x\na\n```", "```\" hx-get=/x \"\na\n```", `![a" hx-get="/x](/x)`,
		`<a href="/x" hx-post=/x>a</a>`, "<https://x.example/\"hx-get=/x>", "- [ ] a\" hx-get=\"/x"} {
		for _, c := range []Context{{}, {Tasks: true}, {Base: "/s/x"}} {
			for n := range parsed(t, string(c.HTML(source))).Descendants() {
				for _, a := range n.Attr {
					if strings.HasPrefix(a.Key, "hx-") || strings.HasPrefix(a.Key, "data-") ||
						strings.Contains(n.Data, "-") {
						t.Errorf("%q has %s of %s", source, a.Key, n.Data)
					}
				}
			}
		}
	}
}

func parsed(t *testing.T, text string) *html.Node {
	t.Helper()
	document, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return document
}
