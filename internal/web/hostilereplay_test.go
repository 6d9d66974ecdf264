package web

import (
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/browsertest"
	"bugslice/internal/evidence"
	"bugslice/internal/web/page"
	"bugslice/internal/web/static"
)

// A vector is a way in which a recording could run a script or connect to a host. Its element has the attributes from
// the beginning, or gets them by a change.
type vector struct {
	name, tag  string
	svg        bool
	attributes func(url, run string) map[string]any   // url is of a listener; run is a script that reports to the page
	children   func(c *corpus, url, run string) []any // nil for none
	alone      bool                                   // in a recording of its own, because it would end others
	harmless   bool                                   // what rrweb makes of it does nothing, even without the protection
}

func one(name string, value func(url, run string) any) func(url, run string) map[string]any {
	return func(url, run string) map[string]any { return map[string]any{name: value(url, run)} }
}

// to sets an attribute to the address of the listener.
func to(name string) func(url, run string) map[string]any {
	return one(name, func(url, _ string) any { return url })
}

func link(rel string, more ...string) func(url, run string) map[string]any {
	return func(url, _ string) map[string]any {
		a := map[string]any{"rel": rel, "href": url}
		for i := 0; i < len(more); i += 2 {
			a[more[i]] = more[i+1]
		}
		return a
	}
}

// css returns a text in which the address stands.
func css(format string) func(c *corpus, url, run string) []any {
	return func(c *corpus, url, _ string) []any { return []any{c.text(fmt.Sprintf(format, url))} }
}

// parts returns texts that follow each other. The address stands in one of them.
func parts(formats ...string) func(c *corpus, url, run string) []any {
	return func(c *corpus, url, _ string) (texts []any) {
		for _, format := range formats {
			texts = append(texts, c.text(strings.ReplaceAll(format, "%s", url)))
		}
		return texts
	}
}

// script returns a text that is a script.
func script(c *corpus, _, run string) []any { return []any{c.text(run)} }

// child returns a child with attributes.
func child(tag string, attributes func(url, run string) map[string]any) func(c *corpus, url, run string) []any {
	return func(c *corpus, url, run string) []any { return []any{c.element(tag, attributes(url, run))} }
}

func none(string, string) map[string]any { return map[string]any{} }

// replayVectors is the part of the hostile input that is a replay.
var replayVectors = []vector{
	{name: "link preconnect", tag: "link", attributes: link("preconnect")},
	{name: "link preconnect in capitals", tag: "LINK", attributes: link("PreConnect")},
	{name: "link preconnect without style", tag: "link", attributes: link("preconnect", "_cssText", "")},
	{name: "link stylesheet", tag: "link", attributes: link("stylesheet")},
	{name: "link prefetch", tag: "link", attributes: link("prefetch")},
	{name: "link preload", tag: "link", attributes: link("preload", "as", "image")},
	{name: "img src", tag: "img", attributes: to("src")},
	{name: "img in capitals", tag: "IMG", attributes: to("SRC")},
	{name: "img srcset", tag: "img", attributes: one("srcset", func(url, _ string) any { return url + " 1x" })},
	{name: "img rr_dataURL", tag: "img", attributes: to("rr_dataURL")},
	{name: "canvas rr_dataURL", tag: "canvas", attributes: to("rr_dataURL")},
	{name: "input image", tag: "input", attributes: func(url, _ string) map[string]any {
		return map[string]any{"type": "image", "src": url}
	}},
	{name: "table background", tag: "table", attributes: to("background")},
	{name: "style attribute", tag: "div", attributes: one("style", func(url, _ string) any {
		return "background: url('" + url + "'); height: 9px"
	})},
	{name: "style text", tag: "style", attributes: none, children: css(`body { background-image: url("%s") }`)},
	{name: "style import", tag: "style", attributes: none, children: css(`@import "%s";`)},
	{name: "style font", tag: "style", attributes: none,
		children: css(`@font-face { font-family: f; src: url(%s) } body { font-family: f }`)},
	{name: "style _cssText", tag: "link", attributes: func(url, _ string) map[string]any {
		return map[string]any{"_cssText": "html { border-image: url(" + url + ") }", "rel": "stylesheet"}
	}},
	{name: "iframe src", tag: "iframe", attributes: to("src")},
	{name: "iframe in capitals", tag: "IFRAME", attributes: to("SRC")},
	{name: "iframe srcdoc", tag: "iframe", attributes: one("srcdoc", func(url, _ string) any {
		return `<link rel="preconnect" href="` + url + `">`
	})},
	{name: "iframe data", tag: "iframe", attributes: one("src", func(url, _ string) any {
		return `data:text/html,<link rel="preconnect" href="` + url + `">`
	})},
	{name: "object data", tag: "object", attributes: to("data")},
	{name: "embed src", tag: "embed", attributes: to("src")},
	{name: "video src", tag: "video", attributes: to("src")},
	{name: "video poster", tag: "video", attributes: to("poster")},
	{name: "video source", tag: "video", attributes: none, children: child("source", to("src"))},
	{name: "picture source", tag: "picture", attributes: none, children: func(c *corpus, url, _ string) []any {
		return []any{c.element("source", map[string]any{"srcset": url}), c.element("img", map[string]any{})}
	}},
	{name: "base", tag: "div", attributes: none, children: func(c *corpus, url, _ string) []any {
		return []any{c.element("base", map[string]any{"href": url}),
			c.element("img", map[string]any{"src": "picture.png"})}
	}},
	{name: "audio src", tag: "audio", attributes: to("src")},
	{name: "svg image", tag: "image", svg: true, attributes: to("href")},
	{name: "svg image xlink", tag: "image", svg: true, attributes: to("xlink:href")},
	{name: "svg use", tag: "use", svg: true, harmless: true,
		attributes: one("href", func(url, _ string) any { return url + "#a" })},
	{name: "svg script", tag: "script", svg: true, harmless: true, attributes: none, children: script},
	{name: "script src", tag: "SCRIPT", attributes: to("src")},
	{name: "script text", tag: "SCRIPT", attributes: none, children: script},
	{name: "event handler", tag: "img", attributes: func(_, run string) map[string]any {
		return map[string]any{"onerror": run, "src": "data:image/png,x"}
	}},
	{name: "iframe script", tag: "iframe",
		attributes: one("src", func(_, run string) any { return "javascript:" + run })},
	{name: "custom element", tag: "x-hostile", attributes: one("style", func(url, _ string) any {
		return "display: block; height: 9px; background: url(" + url + ")"
	})},
	{name: "inherited attributes", tag: "img", attributes: func(url, _ string) map[string]any {
		return map[string]any{"__proto__": map[string]any{"src": url}, "src": url}
	}},
	{name: "style escape", tag: "style", attributes: none,
		children: css(`section { background-image: \75rl("%s"); height: 9px }`)},
	{name: "style escape at the end", tag: "style", attributes: none,
		children: css(`article { background-image: ur\00006C (%s); height: 9px }`)},
	{name: "style in capitals", tag: "style", attributes: none,
		children: css(`aside { background-image: URL( %s ); height: 9px }`)},
	{name: "style import with an escape", tag: "style", attributes: none, children: css(`@\69mport "%s";`)},
	{name: "style import after a comment", tag: "style", attributes: none, children: css(`@import/* ; */"%s";`)},
	{name: "style import of an address", tag: "style", attributes: none, children: css(`@IMPORT u\rl(%s) screen;`)},
	{name: "style import in quotes", tag: "style", attributes: none, children: css(`@import 'x;'; @import '%s'`)},
	{name: "style image-set", tag: "style", attributes: none,
		children: css(`nav { background-image: image-set("%s" 1x); height: 9px }`)},
	{name: "style image-set with an escape", tag: "style", attributes: none,
		children: css(`main { background-image: -webkit-image-\73 et(url(%s) 1x); height: 9px }`)},
	{name: "style image-set of a property", tag: "style", attributes: none,
		children: css(`footer { --x: "%s"; background-image: image-set(var(--x) 1x); height: 9px }`)},
	{name: "style image-set of a string", tag: "style", attributes: none,
		children: css(`header { background-image: image-set("%s" type("image/png") 1x); height: 9px }`)},
	{name: "style cross-fade", tag: "style", attributes: none,
		children: css(`dl { background-image: -webkit-cross-fade(url(%[1]s), url(%[1]s), 50%%); height: 9px }`)},
	{name: "style src", tag: "style", attributes: none, harmless: true,
		children: css(`dt { background-image: src("%s"); height: 9px }`)},
	{name: "style expression", tag: "style", attributes: none, harmless: true,
		children: css(`dd { width: expression(new Image().src="%s") }`)},
	{name: "style binding", tag: "style", attributes: none, harmless: true,
		children: css(`dd { -moz-binding: url("%s#x"); behavior: url("%[1]s") }`)},
	{name: "style element", tag: "style", attributes: none, harmless: true,
		children: css(`dd { background: -moz-element(#x), element("%s") }`)},
	{name: "style namespace", tag: "style", attributes: none, harmless: true,
		children: css(`@namespace url("%s"); dd { background: red }`)},
	{name: "style charset", tag: "style", attributes: none, harmless: true,
		children: css(`@charset "utf-7"; @import "%s";`)},
	{name: "style without an end", tag: "style", attributes: none,
		children: css(`h1 { height: 9px; background-image: url("%s`)},
	{name: "style in a string", tag: "style", attributes: none,
		children: css("h2 { content: \"x\n; } h2 { height: 9px; background-image: url('%s') }")},
	{name: "style after a string", tag: "style", attributes: none,
		children: css(`h3 { quotes: "\"" "/*"; height: 9px; background-image: url(%s) }`)},
	{name: "style of a font with an escape", tag: "style", attributes: none,
		children: css(`@font-f\61 ce { font-family: g; src: \000055\000052\00004C(%s) } h4 { font-family: g }`)},
	{name: "style in two texts", tag: "style", attributes: none,
		children: parts(`h5 { height: 9px; background-image: ur`, `l(%s) }`)},
	{name: "style in an escape of two texts", tag: "style", attributes: none,
		children: parts(`h6 { height: 9px; background-image: \75`, ` rl(%s) }`)},
	{name: "style import in two texts", tag: "style", attributes: none, children: parts(`@im`, `port "%s";`)},
	{name: "style import before its address", tag: "style", attributes: none, children: parts(`@import `, `"%s";`)},
	{name: "style function in two texts", tag: "style", attributes: none,
		children: parts(`p { height: 9px; background-image: image-set(`, `"%s" 1x) }`)},
	{name: "style comment in two texts", tag: "style", attributes: none,
		children: parts(`ul { height: 9px; quotes: "/*`, `" "*/"; background-image: url(%s) }`), harmless: true},
	{name: "svg style", tag: "style", svg: true, attributes: none,
		children: css(`ol { background-image: u\72l("%s"); height: 9px }`)},
	{name: "style _cssText with an escape", tag: "link", attributes: func(url, _ string) map[string]any {
		return map[string]any{"_cssText": `html { border-image: \75 rl(` + url + `) }`, "rel": "stylesheet"}
	}},
	{name: "style _cssText in two texts", tag: "style", attributes: func(url, _ string) map[string]any {
		return map[string]any{"_cssText": `form { height: 9px; background: ur/* rr_split */l(` + url + `) }`}
	}, children: parts("", ""), harmless: true},
	{name: "style attribute with an escape", tag: "div", attributes: one("style", func(url, _ string) any {
		return `background: \75rl('` + url + `'); height: 9px`
	})},
	{name: "style attribute in an object", tag: "div", harmless: true,
		attributes: one("style", func(url, _ string) any {
			return map[string]any{"background": []any{`\75rl('` + url + `')`, "important"}, "height": "9px"}
		})},
	{name: "style attribute with a comment", tag: "div", harmless: true,
		attributes: one("style", func(url, _ string) any { return `background: ur/**/l('` + url + `'); height: 9px` })},
	{name: "svg fill", tag: "rect", svg: true, harmless: true, attributes: one("fill", func(url, _ string) any {
		return `u\72l(` + url + `#x)`
	})},
	{name: "svg filter", tag: "rect", svg: true, harmless: true, attributes: one("filter", func(url, _ string) any {
		return `url("` + url + `#x")`
	})},
	{name: "svg mask", tag: "rect", svg: true, harmless: true, attributes: one("mask", func(url, _ string) any {
		return `url("` + url + `#x")`
	})},
	{name: "svg clip-path", tag: "rect", svg: true, harmless: true,
		attributes: one("clip-path", func(url, _ string) any {
			return `url("` + url + `#x")`
		})},
	{name: "svg animation of an address", tag: "image", svg: true, attributes: none,
		children: func(c *corpus, url, _ string) []any {
			n := c.element("set", map[string]any{"attributeName": "href", "to": url})
			n["isSVG"] = true
			return []any{n}
		}, harmless: true},
	{name: "form action", tag: "form", alone: true, harmless: true, attributes: to("action"),
		children: func(c *corpus, _, _ string) []any {
			return []any{c.element("SCRIPT", map[string]any{}, c.text("document.forms[0].submit()"))}
		}},
	{name: "meta refresh", tag: "meta", alone: true, harmless: true, attributes: func(url, _ string) map[string]any {
		return map[string]any{"http-equiv": "refresh", "content": "0; url=" + url}
	}},
}

// listener counts the connections to a port.
type listener struct {
	net.Listener
	connections atomic.Int64
}

func listen(t testing.TB) *listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	counted := &listener{Listener: l}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			counted.connections.Add(1)
			_ = c.Close()
		}
	}()
	return counted
}

// corpus is a recording of vectors, and the listeners to which they would connect, by the name of the vector and how
// it is recorded.
type corpus struct {
	listeners map[string]*listener
	ids       int
	now       int64
	events    []json.RawMessage
}

func (c *corpus) element(tag string, attributes map[string]any, children ...any) map[string]any {
	c.ids++
	if children == nil {
		children = []any{}
	}
	return map[string]any{"type": 2, "id": c.ids, "tagName": tag, "attributes": attributes, "childNodes": children}
}

func (c *corpus) text(content string) map[string]any {
	c.ids++
	return map[string]any{"type": 3, "id": c.ids, "textContent": content}
}

// add adds an event after a tenth of a second.
func (c *corpus) add(t testing.TB, kind int, data any) {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"type": kind, "timestamp": c.now, "data": data})
	must(t, err)
	c.events = append(c.events, raw)
	c.now += 100
}

func (c *corpus) change(t testing.TB, source int, members map[string]any) {
	t.Helper()
	data := map[string]any{"source": source}
	if source == 0 {
		data = map[string]any{"source": 0, "adds": []any{}, "removes": []any{}, "texts": []any{}, "attributes": []any{}}
	}
	maps.Copy(data, members)
	c.add(t, 3, data)
}

// url listens, and returns the address and the script of a vector.
func (c *corpus) url(t testing.TB, name string) (url, run string) {
	t.Helper()
	l := listen(t)
	c.listeners[name] = l
	return "http://" + l.Addr().String() + "/x", fmt.Sprintf("top.postMessage('ran %s', '*')", name)
}

// node returns the element of a vector with its attributes.
func (c *corpus) node(t testing.TB, v vector, how string) map[string]any {
	t.Helper()
	url, run := c.url(t, v.name+" "+how)
	var children []any
	if v.children != nil {
		children = v.children(c, url, run)
	}
	n := c.element(v.tag, v.attributes(url, run), children...)
	n["isSVG"] = v.svg
	n["isCustom"] = strings.Contains(v.tag, "-")
	return n
}

// bites returns the vectors that made a connection or ran a script, by name and how they are recorded.
func (c *corpus) bites(ran []string) map[string]bool {
	names := map[string]bool{}
	for name, l := range c.listeners {
		if l.connections.Load() > 0 {
			names[name] = true
		}
	}
	for _, script := range ran {
		names[strings.TrimPrefix(script, "ran ")] = true
	}
	return names
}

// record records vectors in a snapshot, in added nodes and in changes of attributes.
func record(t testing.TB, selected []vector) *corpus {
	t.Helper()
	c := &corpus{listeners: map[string]*listener{}, now: time.Now().Add(-time.Minute).UnixMilli(), ids: 10}
	var built, bare []any
	var changes []any
	for _, v := range selected {
		built = append(built, c.node(t, v, "in a snapshot"))
		n := c.element(v.tag, map[string]any{})
		n["isSVG"] = v.svg
		bare = append(bare, n)
		if v.children == nil {
			url, run := c.url(t, v.name+" in a change")
			changes = append(changes, map[string]any{"id": n["id"], "attributes": v.attributes(url, run)})
		}
	}
	sheet := c.element("style", map[string]any{}, c.text("p {}"))
	var styled []any // of the rules above
	for _, tag := range []string{"section", "article", "aside", "nav",
		"main", "footer", "header", "dl", "dt", "dd", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "form"} {
		styled = append(styled, c.element(tag, map[string]any{}, c.text("x")))
	}
	body := c.element("body", map[string]any{}, append(slices.Concat(built, bare, styled),
		sheet, c.element("p", map[string]any{}, c.text("Played")))...)
	html := c.element("html", map[string]any{}, c.element("head", map[string]any{}), body)
	c.add(t, 4, map[string]any{"href": "http://shop.example/", "width": 800, "height": 600})
	c.add(t, 2, map[string]any{"node": map[string]any{"type": 0, "id": 1, "childNodes": []any{html}},
		"initialOffset": map[string]any{"top": 0, "left": 0}})
	for _, v := range selected {
		n := c.node(t, v, "in an added node")
		children := n["childNodes"].([]any)
		n["childNodes"] = []any{}
		adds := []any{map[string]any{"parentId": body["id"], "nextId": nil, "node": n}}
		for _, child := range children {
			adds = append(adds, map[string]any{"parentId": n["id"], "nextId": nil, "node": child})
		}
		c.change(t, 0, map[string]any{"adds": adds})
	}
	for _, change := range changes {
		c.change(t, 0, map[string]any{"attributes": []any{change}})
	}
	url, _ := c.url(t, "rule in a change")
	c.change(t, 8, map[string]any{"id": sheet["id"],
		"adds": []any{map[string]any{"rule": "p { background: url(" + url + ") }",
			"index": 0}}})
	url, _ = c.url(t, "declaration in a change")
	c.change(t, 13, map[string]any{"id": sheet["id"], "index": []any{0},
		"set": map[string]any{"property": "border-image", "value": "url(" + url + ")"}})
	url, _ = c.url(t, "rule with an escape in a change")
	c.change(t, 8, map[string]any{"id": sheet["id"],
		"adds": []any{map[string]any{"rule": `p { background: \75rl(` + url + `) }`,
			"index": 0}}})
	url, _ = c.url(t, "declaration with an escape in a change")
	c.change(t, 13, map[string]any{"id": sheet["id"], "index": []any{0},
		"set": map[string]any{"property": "border-image", "value": `-webkit-image-\73 et("` + url + `" 1x)`}})
	url, _ = c.url(t, "adopted sheet")
	c.change(t, 15, map[string]any{"id": 1, "styleIds": []any{1}, "styles": []any{map[string]any{"styleId": 1,
		"rules": []any{map[string]any{"rule": `p { background: u\rl("` + url + `") }`, "index": 0}}}}})
	url, _ = c.url(t, "adopted sheet that is replaced")
	c.change(t, 8, map[string]any{"styleId": 1, "replaceSync": `p { background: image-set("` + url + `" 1x) }`})
	url, _ = c.url(t, "font in a change")
	c.change(t, 10, map[string]any{"family": "h", "fontSource": `\75rl(` + url + `)`, "buffer": false})
	for i, text := range sheet["childNodes"].([]any) {
		url, _ = c.url(t, fmt.Sprint("text in a change ", i))
		c.change(t, 0, map[string]any{"texts": []any{map[string]any{"id": text.(map[string]any)["id"],
			"value": `p { background: \75rl(` + url + `) }`}}})
	}
	c.add(t, 5, map[string]any{"tag": "end", "payload": map[string]any{}})
	return c
}

// played plays a recording to its end, forwards and once more from a seek, and returns the scripts that ran.
func (b tab) played(path string) (ran []string) {
	b.T.Helper()
	b.Open(path)
	browsertest.Eval[bool](b.Tab, `window.ran = [], addEventListener("message", e => { if (String(e.data).startsWith("ran ")) `+
		`ran.push(e.data); }), true`)
	b.ClickOn("[data-play]")
	b.Wait(`["playing", "paused"].includes(document.querySelector("replay-player").dataset.state)`)
	browsertest.Eval[bool](b.Tab, `(() => { const p = document.querySelector("replay-player"); p.querySelector("[data-speed]").value `+
		`= 4; p.send("speed", {speed: 4}); return true; })()`)
	b.Wait(`document.querySelector("replay-player").dataset.state == "paused"`)
	browsertest.Eval[bool](b.Tab, `(() => { const p = document.querySelector("replay-player"); p.seek(0); p.seek(p.duration); return `+
		`true; })()`)
	time.Sleep(time.Second) // for connections that are made later
	return browsertest.Eval[[]string](b.Tab, "ran")
}

// unprotected serves the frame of replays without its policy, without the sanitizer and without the sandbox of rrweb.
func unprotected() []row {
	write := func(contentType, text string) page.Handler {
		return func(*page.Request) (page.Result, error) {
			return page.Result{Write: func(w http.ResponseWriter, _ *http.Request) error {
				w.Header().Set("Content-Type", contentType)
				w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
				_, _ = w.Write([]byte(text))
				return nil
			}}, nil
		}
	}
	const sanitized = "sanitize(JSON.parse("
	player := staticText("replayplayer.js")
	if strings.Count(player, sanitized) != 1 {
		panic("the player sanitizes otherwise than this test knows")
	}
	rows := slices.DeleteFunc(slices.Clone(table), func(r row) bool { return r.path == "/replay-frame" })
	return append(rows,
		row{path: "/replay-frame", access: anyone, raw: true,
			headers: func(h http.Header) { h.Del("Content-Security-Policy") },
			get: write("text/html", `<!doctype html><title>Replay</title><link rel="stylesheet" `+
				`href="`+static.URL("replayframe.css")+`"><script src="`+
				static.URL("replayframe.js")+`" defer data-scripts="`+static.URL("rrweb-replay.min.js")+
				` /unprotected.js" `+
				`data-events="`+html.EscapeString(evidence.EventList)+`" data-sheets="`+static.URL("replayplayer.css")+
				`"></script>`)},
		row{path: "/unprotected.js", access: anyone, raw: true,
			get: write("text/javascript", `rrwebReplay = {...rrwebReplay, Replayer: class extends rrwebReplay.Replayer {
				constructor(events, config) { super(events, {...config, UNSAFE_replayCanvas: true}); } }};`+
				strings.Replace(player, sanitized, "(JSON.parse(", 1))})
}

// staticText returns the text of a file that pages load.
func staticText(name string) string {
	w := httptest.NewRecorder()
	static.Serve(w, httptest.NewRequest(http.MethodGet, static.URL(name), nil))
	return w.Body.String()
}

// checkBites checks that each vector of a group that is not harmless bites in one of its forms.
func checkBites(t *testing.T, group []vector, bites map[string]bool) {
	t.Helper()
	for _, v := range group {
		if !v.harmless && !bites[v.name+" in a snapshot"] && !bites[v.name+" in an added node"] &&
			!bites[v.name+" in a change"] {
			t.Errorf("without the protection, %s is harmless: the corpus shows nothing about it", v.name)
		}
	}
}

// TestBrowserHostileReplay: while a recording of every vector is played, nothing runs and nothing connects: not a
// single connection is made to the port of any. Without the protection, every vector runs or connects but those that
// are harmless.
func TestBrowserHostileReplay(t *testing.T) {
	t.Parallel()
	groups := [][]vector{slices.DeleteFunc(slices.Clone(replayVectors), func(v vector) bool { return v.alone })}
	for _, v := range replayVectors {
		if v.alone {
			groups = append(groups, []vector{v})
		}
	}
	for _, protected := range []bool{true, false} {
		t.Run(fmt.Sprintf("protected %v", protected), func(t *testing.T) {
			rows := table
			if !protected {
				rows = unprotected()
			}
			w := newWorld(t, rows, nil)
			b := tab{browsertest.OpenInProfile(t, w.url), w}
			b.Cookie("bugslice", w.session(t, owner, client("203.0.113.9", "")))
			for _, group := range groups {
				c := record(t, group)
				s := w.fileShown(t, "Hostile", api.Evidence{Replay: c.events})
				bites := c.bites(b.played("/" + s.Reference))
				if protected {
					if len(bites) > 0 {
						t.Errorf("a recording connects or runs: %q", slices.Sorted(maps.Keys(bites)))
					}
					b.Quiet()
					continue
				}
				checkBites(t, group, bites)
				t.Logf("%d of %d bite without the protection: %q", len(bites), len(c.listeners),
					slices.Sorted(maps.Keys(bites)))
			}
		})
	}
}
