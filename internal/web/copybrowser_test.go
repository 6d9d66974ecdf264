package web

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"bugslice/internal/browsertest"
	"bugslice/internal/tracker"
)

// insecure opens a tab on a page of http that is no secure context, in which each text that is copied is in copies.
func (w *world) insecure(t *testing.T, path string) tab {
	t.Helper()
	b := tab{browsertest.Open(t, strings.Replace(w.url, "127.0.0.1", browsertest.InsecureHost, 1)), w}
	b.Cookie("bugslice", w.session(t, owner, tracker.Client{}))
	b.Preload(`window.copies = [], document.addEventListener("copy", () => copies.push(String(getSelection())))`)
	b.Size(1440, 900)
	b.Open(path)
	if b.holds(`isSecureContext || Boolean(navigator.clipboard)`) {
		t.Fatal("the page is a secure context")
	}
	return b
}

// refuseCopies makes the browser copy nothing.
const refuseCopies = `document.execCommand = () => false, true`

// TestBrowserCopyOverHTTP: each button and key that copies does so over http, too, where browsers have no
// navigator.clipboard. The focus stays. When the browser copies nothing at all, the text is selected, and a word says
// which keys copy it.
func TestBrowserCopyOverHTTP(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	shop := w.fileShop(t, func(name string) string { return name })
	b := w.insecure(t, "/"+shop+"?tab=network&request=1")
	b.Wait(`document.querySelector(".evidence[data-loaded]") && document.querySelector("#request-detail")`)

	b.Click("Copy as cURL")
	b.Wait(`copies.at(-1)?.startsWith("curl ") && copies.at(-1) == document.getElementById("request-curl").textContent`)
	b.Wait(`document.querySelector("[data-copy=request-curl]").textContent == "Copied"`)
	b.Click("Copy for an agent")
	b.Wait(`copies.at(-1).includes("## Summary")`)
	b.Click("Copy link")
	b.Wait(`copies.at(-1).endsWith("/` + shop +
		`") && document.querySelector("[data-copy-text]").textContent == "Copied"`)
	b.ClickOn("[commandfor=share]")
	b.Wait(`document.querySelector("#share[open]")`)
	b.Click("Create link")
	b.Wait(`document.getElementById("link")`)
	b.ClickOn("[data-copy=link]")
	b.Wait(`copies.at(-1) == document.getElementById("link").textContent`)
	b.Wait(`document.activeElement.dataset.copy == "link" && document.querySelector("[data-copy=link]").textContent == "Copied"`)

	b.holds(refuseCopies)
	b.ClickOn("[data-copy=link]")
	b.Wait(`String(getSelection()) == document.getElementById("link").textContent && document.querySelector("[data-copy=link]").` +
		`textContent == "Press Ctrl C"`)

	b.Open("/" + shop)
	b.holds(refuseCopies)
	b.Click("Copy link")
	const selected = `document.activeElement.closest("[data-link-notice]:not([hidden])") && String(getSelection()).endsWith("/` +
		"%s" + `") &&
		document.querySelector("[data-link-notice]").innerText.includes("Press Ctrl C")`
	b.Wait(strings.Replace(selected, "%s", shop, 1))
	b.Press(kb.Escape)
	b.Wait(`document.querySelector("[data-link-notice]").hidden`)

	b.Open("/reports?workspace=WEB")
	b.Press("j", "y")
	b.Wait(`copies.at(-1)?.endsWith(document.activeElement.getAttribute("href")) && document.querySelector("[data-link-notice]").` +
		`innerText.startsWith("Copied ")`)
	b.holds(refuseCopies)
	b.Press("y")
	b.Wait(`document.activeElement.closest("[data-link-notice]:not([hidden])")`)
}
