package web

import (
	"testing"

	"bugslice/api"

	"github.com/chromedp/chromedp/kb"
)

// TestBrowserCard: beside a reference in a text a card tells about the report, after the pointer rests on it or when
// it gets the focus. Escape closes it, and the focus stays. Nothing of a report that the reader does not see is told.
func TestBrowserCard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	other := w.file(t, w.caller(t, owner), "<b>The cart</b> loses\u202e an item")
	_, err := w.CreateComment(t.Context(), w.caller(t, member), valid(t, api.CreateComment{SliceID: "WEB-161",
		Body: api.CommentFields{Body: "It is " + other.Reference + ", I think."}}))
	must(t, err)
	b := w.report(t, owner, "/WEB-161")
	const link, card = `.comment a.reference`, `document.querySelector("#card:popover-open")`
	b.Wait(`document.querySelector("` + link + `")?.offsetHeight`)
	b.Point(link)
	b.Wait(card + `?.textContent.includes("<b>The cart</b> loses")`)
	b.axe(1440, "light")
	b.Wait(`document.querySelector("` + link + `").getAttribute("aria-describedby") == "card"`)
	b.Point("#card")
	if !b.holds(`new Promise((done) => setTimeout(() => done(Boolean(` + card + `)), 400))`) {
		t.Error("the card closes while the pointer is on it")
	}
	b.Point("h1")
	b.Wait(`!` + card)
	b.holds(`document.querySelector("` + link + `").focus({ focusVisible: true }) ?? true`)
	b.Wait(card + `?.textContent.includes("Nobody is assigned")`)
	b.Press(kb.Escape)
	b.Wait(`!` + card + ` && document.activeElement.matches("` + link + `")`)
	b.ClickOn(link)
	b.Wait(`location.pathname == "/` + other.Reference + `" && !` + card)
	b.Quiet()
}
