package web

import (
	"encoding/json"
	"fmt"
	"testing"

	"bugslice/internal/browsertest"
)

// clipboard is what another program has copied.
type clipboard struct {
	name       string
	Text, HTML string
	Files      []string // names; those of pictures end with .png
	pasted     bool     // whether the text is pasted
	added      []string // the files that are added
}

var clipboards = []clipboard{
	{name: "cells of a spreadsheet", Text: "a\tb\r\n1\t2\r\n", HTML: "<table><tr><td>a</td></tr></table>",
		Files: []string{"image.png"}, pasted: true},
	{name: "words of a word processor", Text: "Ärger mit image.png", HTML: "<p>Ärger</p>", Files: []string{"image.png"},
		pasted: true},
	{name: "a picture", Files: []string{"image.png"}, added: []string{"image.png"}},
	{name: "a picture of a page", HTML: "<img src='https://shop.example/a.png'>",
		Files: []string{"image.png"}, added: []string{"image.png"}},
	{name: "an empty cell", Text: "\r\n", HTML: "<table></table>", Files: []string{"image.png"},
		added: []string{"image.png"}},
	{name: "files", Text: "a b.png\rserver.log", Files: []string{"a b.png", "server.log"},
		added: []string{"a b.png", "server.log"}},
	{name: "a file with its address", Text: "file:///home/a%20b.png", Files: []string{"a b.png"},
		added: []string{"a b.png"}},
	{name: "a file with its path", Text: `C:\Users\mara\cart.png`, Files: []string{"cart.png"},
		added: []string{"cart.png"}},
	{name: "a text with a file", Text: "See the log", Files: []string{"image.png", "server.log"},
		pasted: true, added: []string{"server.log"}},
	{name: "text", Text: "plain", pasted: true},
	{name: "HTML alone", HTML: "<b>bold</b>", pasted: true},
}

// TestBrowserPaste: a text that is pasted reaches its field, also when the program that copied it added a picture of
// it. Pictures and files become files.
func TestBrowserPaste(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	const listed = `[...document.querySelectorAll(".file-name")].map((e) => e.textContent)`
	for _, field := range []struct{ name, path, open, selector, added string }{
		{"description of a new report", "/new?workspace=WEB", "", "#description", listed},
		{"title of a new report", "/new?workspace=WEB", "", "[name=summary]", listed},
		{"comment", "/WEB-161", "", "#comment", `sent`},
		{"description of a report", "/WEB-161?edit=description", "", "textarea[name=description]", `sent`},
	} {
		t.Run(field.name, func(t *testing.T) {
			t.Parallel()
			b := w.report(t, owner, field.path)
			b.Wait(fmt.Sprintf(`document.querySelector(%q) && customElements.get("file-form")`, field.selector))
			b.holds(`window.sent = [], window.fetched = fetch, window.fetch = (url, options) => options?.body instanceof FormData && ` +
				`options.body.has("files")
				? (sent.push(options.body.get("files").name), new Promise(() => {})) : fetched(url, options), true`)
			for _, c := range clipboards {
				content, err := json.Marshal(c)
				must(t, err)
				got := browsertest.Eval[struct {
					Pasted bool
					Added  []string
				}](b.Tab, fmt.Sprintf(`((c) => {
					const data = new DataTransfer();
					if (c.Text) data.setData("text/plain", c.Text);
					if (c.HTML) data.setData("text/html", c.HTML);
					for (const name of c.Files ?? []) data.items.add(new File(["x"], name, {type: name.endsWith(".png") ? `+
					`"image/png" : "text/plain"}));
					const before = %s.length;
					const pasted = document.querySelector(%q).dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, `+
					`bubbles: true, cancelable: true}));
					return {pasted, added: %[1]s.slice(before).map((name) => name.replace(/^screenshot(-\d+)?/, "image"))}; // as a `+
					`picture without a name is called
				})(%[3]s)`, field.added, field.selector, content))
				if got, want := fmt.Sprint(got.Pasted, got.Added), fmt.Sprint(c.pasted, c.added); got != want {
					t.Errorf("%s: pasted and added %s, want %s", c.name, got, want)
				}
			}
		})
	}
}
