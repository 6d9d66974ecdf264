package web

import (
	"testing"

	"bugslice/api"
)

// TestBrowserQuote: a comment is quoted in the new one below what is typed, or only the text that is selected in it.
func TestBrowserQuote(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	_, err := w.CreateComment(t.Context(), w.caller(t, member), valid(t, api.CreateComment{SliceID: "WEB-161",
		Body: api.CommentFields{Body: "It is **the cart**.\n\n- one\n- two <b>"}}))
	must(t, err)
	b := w.report(t, owner, "/WEB-161")
	const quote, field = `.comment:last-child [data-quote]`, `document.getElementById("comment")`
	b.Wait(`document.querySelector("` + quote + `").offsetHeight`)
	b.ClickOn(quote)
	b.Wait(field + `.value == "> It is the cart.\n> \n> one\n> two <b>\n\n" && document.activeElement == ` + field)
	b.Press("No, ")
	b.holds(`getSelection().selectAllChildren(document.querySelector(".comment:last-child strong")), true`)
	b.ClickOn(quote)
	b.Wait(field + `.value.endsWith("\n\nNo,\n\n> the cart\n\n") || ` + field + `.value.endsWith("\n\nNo, \n\n> the cart\n\n")`)
}
