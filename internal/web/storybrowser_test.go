package web

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"bugslice/internal/browsertest"
)

// TestBrowserStory goes the way of somebody who looks for the cause of a bug: signing in, finding the report of the
// broken shop, playing it, from an error to the failing request of that second, copying it, commenting, marking a
// duplicate, handing the report over, and sharing it for a while.
func TestBrowserStory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	shop := w.fileShop(t, func(name string) string { return name })
	b := w.tab(t, "")
	b.Size(1440, 1000)
	b.Open("/reports?workspace=WEB")
	b.Wait(`document.activeElement.name == "email"`)
	b.Press(owner, kb.Tab, password, kb.Enter)
	b.Wait(`document.querySelector("[data-page=reports]") && document.readyState == "complete"`)
	b.Press("/")
	b.Wait(`document.activeElement.id == "q"`)
	b.Press("has:failed_request discount", kb.Enter)
	b.Wait(`document.querySelectorAll(".row").length == 1 && location.search.includes("failed_request")`)
	b.Open("/" + shop)
	b.Wait(`document.querySelector(".evidence[data-loaded]")`)
	b.holds(`window.copied = [], navigator.clipboard.writeText = async (text) => { copied.push(text); }, true`)

	b.ClickOn("[data-play]")
	b.Wait(`document.querySelector("replay-player").dataset.state == "playing"`)
	b.holds(`(() => {
		const error = [...document.querySelectorAll(".line-error:not([data-outside])")].findLast((e) => e.textContent.includes("500"));
		error.id = "the-error";
		window.moment = Number(error.dataset.time);
		return true;
	})()`)
	b.ClickOn("#the-error")
	b.Wait(`Math.abs(Number(document.querySelector("[data-seek]").value) + Number(document.querySelector(".evidence").dataset.zero) ` +
		`- moment) < 3000`)
	b.ClickOn("[data-tab=network]")
	b.Wait(`document.querySelector(".panel-network:not([hidden]) [aria-current=time]")`)
	b.holds(`(() => {
		const near = (e) => Math.abs(Number(e.dataset.time) - moment);
		const failed = [...document.querySelectorAll(".panel-network [data-mark=failed]")].sort((a, b) => near(a) - near(b))[0];
		failed.id = "the-request";
		return near(failed) < 1000;
	})()`)
	b.ClickOn("#the-request .request-path")
	b.Wait(`document.querySelector(".request-detail")`)
	b.Click("Copy as cURL")
	b.Wait(`copied[0]?.startsWith("curl ") || copied[0]?.startsWith("#")`)
	if command := b.text(`copied[0]`); !strings.Contains(command, "shop.northwind.example/api/") {
		t.Errorf("the command is %s", command)
	}

	b.ClickOn("#comment")
	b.Press("The campaign has ended, and its code is still **valid**.")
	b.Click("Comment")
	b.Wait(`[...document.querySelectorAll("#report .prose strong")].some((e) => e.textContent == "valid")`)
	b.Open("/WEB-161")
	b.ClickOn("[popovertarget=report-more]")
	b.ClickOn("#report-more [data-originals]")
	b.Wait(`document.querySelector("#originals:modal")`)
	b.Press(shop)
	b.Wait(fmt.Sprintf(`document.querySelector(".originals-list button")?.value == %q`, shop))
	b.Press(kb.Enter)
	b.noticed("WEB-161: resolved as Duplicate.")

	b.Open("/" + shop)
	b.Wait(`document.querySelector(".connected a[href='/WEB-161']") && document.readyState == "complete"`)
	b.holds(`window.copied = [], navigator.clipboard.writeText = async (text) => { copied.push(text); }, true`)
	b.Click("Copy for an agent")
	b.Wait(`copied[0]?.includes("Checkout fails after a discount code")`)
	b.ClickOn("[commandfor=share]")
	b.Wait(`document.querySelector("#share[open]")`)
	b.Click("Create link")
	b.Wait(`document.getElementById("link")`)
	link, err := url.Parse(b.text(`document.getElementById("link").textContent`))
	must(t, err)
	reader := tab{browsertest.Open(t, w.url), w}
	reader.Open(link.Path)
	reader.Wait(fmt.Sprintf(`document.title.startsWith(%q) && document.querySelector("replay-player")`, shop+" "))
	b.Open("/settings/shares?workspace=WEB")
	b.ClickOn("[commandfor^=revoke-]")
	b.ClickOn("dialog[open] .button-danger-solid")
	b.Wait(`document.querySelector("main .notice-good")`)
	reader.Open(link.Path)
	reader.Wait(`document.title.startsWith("This link does not work")`)
	b.Quiet()
}
