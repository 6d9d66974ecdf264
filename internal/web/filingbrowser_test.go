package web

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"bugslice/api"
	"bugslice/internal/browsertest"
	"bugslice/internal/input"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
)

// paste pastes pictures of these names into the form, as a person does.
func (b tab) paste(names ...string) {
	b.T.Helper()
	for _, name := range names {
		browsertest.Eval[bool](b.Tab, fmt.Sprintf(`(async () => {
			const canvas = document.createElement("canvas");
			canvas.width = 400; canvas.height = 300;
			const c = canvas.getContext("2d");
			c.fillStyle = "#fff"; c.fillRect(0, 0, 400, 300);
			c.fillStyle = "#0a0"; c.fillRect(100, 100, 50, 50);
			const blob = await new Promise((done) => canvas.toBlob(done));
			const data = new DataTransfer();
			data.items.add(new File([blob], %q, {type: "image/png"}));
			document.activeElement.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}));
			return true;
		})()`, name))
	}
}

// failsOnce is a backend that fails to store one file of a name at first.
type failsOnce struct {
	page.Backend
	name   string
	failed *atomic.Bool
}

func (f failsOnce) CreateAttachment(ctx context.Context, c tracker.Caller, v input.Valid[api.CreateAttachment], up tracker.Upload) (api.Attachment, error) {
	if up.Name == f.name && f.failed.CompareAndSwap(false, true) {
		return api.Attachment{}, api.NewProblem(api.CodeUnavailable, "The disk is busy.")
	}
	return f.Backend.CreateAttachment(ctx, c, v, up)
}

// TestBrowserFiling files a report with three pasted files, one of which fails at first. The report is filed once, each file is
// added once, and the draft is gone.
func TestBrowserFiling(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, func(o *Options) { o.Backend = failsOnce{o.Backend, "b.png", new(atomic.Bool)} })
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1024, 768)
	b.Open("/new?workspace=WEB")
	b.Fill("summary", "The total of the cart is wrong with a voucher")
	b.Wait(`document.querySelector(".similar a[href='/WEB-161'][target=_blank]")`)
	b.ClickOn("#description")
	b.Press("It is **-4.00**.")
	b.paste("a.png", "b.png", "image.png")
	b.Wait(`document.querySelectorAll(".file img").length == 3 && document.querySelectorAll(".file")[2].textContent.includes("screenshot-3.png")`)
	b.Click("File report")
	b.Wait(`document.querySelector(".file-failed")?.textContent.includes("The disk is busy.")`)
	if state := b.text(`document.querySelector(".report-notices").textContent.trim() + location.pathname`); !strings.HasPrefix(state, "WEB-162 is filed.") || !strings.HasSuffix(state, "/new") {
		t.Errorf("after a failed file: %s", state)
	}
	b.axe("after a failed file", "")
	b.Wait(`document.activeElement.dataset.action == "retry"`)
	b.Click("Try again")
	b.Wait(`location.pathname == "/WEB-162" && document.querySelector(".prose strong")?.textContent == "-4.00"`)
	if got := w.attached(t, "WEB-162"); len(got) != 3 || !strings.HasPrefix(got["b.png"], "\x89PNG") || !strings.HasPrefix(got["screenshot-3.png"], "\x89PNG") {
		t.Errorf("%d files", len(got))
	}
	b.Open("/new?workspace=WEB")
	if text := b.text(`document.querySelector("#summary").value + localStorage.length`); text != "0" {
		t.Errorf("a draft is left: %q", text)
	}
	b.Open("/WEB-163")
	b.Wait(`document.querySelector("[data-page=problem]")`)
	b.Quiet()
}

// TestBrowserDraft: what was typed survives a reload and a fault, is of one workspace, and is gone after it was discarded and after
// the user has signed out. Leaving with unsent text asks.
func TestBrowserDraft(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1024, 768)
	b.Open("/new?workspace=WEB")
	b.Fill("summary", "Cart")
	b.Press("s")
	b.ClickOn("#description")
	b.Press("text")
	b.Wait(`localStorage.length == 1`)
	b.Reload()
	b.Wait(`document.querySelector("#description").value == "text" && document.querySelector("#summary").value == "Carts"`)
	if asked := b.Dialogs(); len(asked) != 1 {
		t.Errorf("a reload asks %q", asked)
	}
	b.Open("/new?workspace=APP")
	if text := b.text(`document.querySelector("#summary").value`); text != "" {
		t.Errorf("another workspace has %q", text)
	}
	b.Open("/new?workspace=WEB&summary=Linked")
	if text := b.text(`document.querySelector("#summary").value + document.querySelector("#description").value`); text != "Linked" {
		t.Errorf("a link with values shows %q", text)
	}
	b.Open("/new?workspace=WEB")
	b.Wait(`document.querySelector("#summary").value == "Carts"`)
	b.Fill("labels", strings.Repeat("x", 51))
	b.paste("a.png")
	b.Click("File report")
	b.Wait(`document.querySelector("#labels-fault") && document.querySelector("#description").value == "text" && document.querySelector(".file img") && document.activeElement.id == "labels"`)
	b.axe("with a fault", "")
	b.ClickOn(".nav-link[href^='/reports']")
	b.Wait(`document.querySelector("[data-page=reports]")`)
	if asked := b.Dialogs(); len(asked) != 1 || !strings.Contains(asked[0], "draft") {
		t.Errorf("leaving asks %q", asked)
	}
	b.ClickOn("[popovertarget=account]")
	b.Click("Sign out")
	b.Wait(`location.pathname == "/login"`)
	if n := browsertest.Eval[int](b.Tab, `localStorage.length`); n != 0 {
		t.Errorf("%d drafts are left", n)
	}
	b.Quiet()
}

// TestBrowserNewReportDialog: on the list, New report opens the form in a dialog that gives the focus back.
func TestBrowserNewReportDialog(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1024, 768)
	b.Open("/reports?workspace=WEB")
	b.Click("New report")
	b.Wait(`document.querySelector("dialog[open] report-form") && document.activeElement.id == "summary"`)
	b.axe("the dialog", "")
	b.Press("Cart")
	b.Click("Cancel")
	b.Wait(`!document.querySelector("dialog report-form") && document.activeElement.textContent.trim() == "New report"`)
	b.Click("New report")
	b.Wait(`document.activeElement.id == "summary" && document.activeElement.value == "Cart"`)
	b.Click("File report")
	b.Wait(`location.pathname == "/WEB-162"`)
	b.Quiet()
}

// TestBrowserMarkdown: the keys and buttons of the editor write Markdown, and the preview of hostile Markdown runs nothing and asks
// no other host.
func TestBrowserMarkdown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1024, 768)
	b.Open("/new?workspace=WEB")
	b.ClickOn("#description")
	b.Press("one")
	b.holds(`document.querySelector("#description").select(), true`)
	b.Click("Bold")
	b.Click("Quote")
	if text := b.text(`document.querySelector("#description").value`); text != "> **one**" {
		t.Errorf("the text is %q", text)
	}
	attack := strings.Join(attacks[:1], "") + "\n\n![a](https://evil.example/p.png) [b](javascript:alert(1))\n\n" +
		"<iframe src=https://evil.example></iframe>\n\n<link rel=preconnect href=https://evil.example>\n\n<div class=shell hx-get=/logout hx-trigger=load>"
	b.holds(fmt.Sprintf(`document.querySelector("#description").value = %q, true`, attack))
	b.Click("Preview")
	b.Wait(`document.querySelector(".preview .prose a")?.textContent == "a (evil.example)"`)
	if !b.holds(`document.querySelectorAll(".prose :is(script, img, iframe, link, div, [hx-get], [onerror])").length == 0 && document.activeElement.id == "preview"`) {
		t.Error(b.text(`document.querySelector(".prose").innerHTML`))
	}
	b.axe("the preview", "")
	b.Click("Preview")
	b.Wait(`document.activeElement.id == "description" && document.activeElement.offsetHeight > 0`)
	b.Quiet()
}
