package web

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
	"bugslice/internal/tracker"
)

// react adds a reaction of a user to a comment.
func (w *world) react(t *testing.T, by, commentID string, kind api.ReactionKind) {
	t.Helper()
	_, err := w.SetReaction(t.Context(), w.caller(t, by), valid(t, api.SetReaction{CommentID: commentID,
		Body: api.ReactionSetting{Kind: kind}}))
	must(t, err)
}

// TestReactions: without script a reaction is added and taken back by a form, and says who has reacted. A share has
// the numbers alone.
func TestReactions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	c := w.comment(t, owner, "It is the cart.")
	w.react(t, member, c.ID, "heart")
	b := w.signedIn(t, owner)
	path := "/WEB-161/comments/" + c.ID + "/reactions"
	b.get("/WEB-161").wants(200, `action="`+path+`"`, `aria-label="Heart, 1: Jonas Weber"`, `name="add" value="heart"`)
	b.post(path, "add", "heart").leadsTo("/WEB-161#" + c.ID)
	b.get("/WEB-161").wants(200, `aria-pressed="true" title="You, Jonas Weber"`, `name="remove" value="heart"`)
	shared, _ := w.share(t, w.caller(t, owner), "WEB-161", "comments")
	got := w.browser(t).get(shared).wants(200, `Heart: </span>❤️ 2`)
	if strings.Contains(got.body, "Jonas") {
		t.Error("a share names who has reacted")
	}
	b.post(path, "remove", "heart").leadsTo("/WEB-161#" + c.ID)
	b.get("/WEB-161").wants(200, `aria-label="Heart, 1: Jonas Weber"`)
	b.post(path, "add", "angry").wants(422)
}

// TestBrowserReactions: a reaction is chosen from a menu, and taken back by its button, by keyboard, without losing the
// place. Those of others appear.
func TestBrowserReactions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.work(t)
	c := w.comment(t, member, "It is the cart.")
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1440, 900)
	b.Open("/WEB-161")
	w.streams(t, 1)
	b.Wait(`document.querySelector("[data-followed]")`)
	chip := func(kind string) string {
		return `document.querySelector("#` + c.ID + ` .reaction[value='` + kind + `']")`
	}
	b.ClickOn("#to-react-" + c.ID)
	b.Wait(`document.querySelector("#react-` + c.ID + `:popover-open")`)
	b.accessible("the menu of reactions")
	b.photograph("reactions-menu", 1440, "light", false)
	focused := func(kind string) {
		b.Wait(`document.activeElement.matches("#react-` + c.ID + ` [value='` + kind + `']")`)
	}
	b.Wait(`document.activeElement.matches("#react-` + c.ID + ` button:first-of-type")`)
	b.Press(kb.End)
	last := b.text(`document.activeElement.value`)
	b.Press(kb.ArrowRight, kb.ArrowLeft)
	focused(last)
	b.Press(kb.Escape)
	b.Wait(`document.activeElement.id == "to-react-` + c.ID + `" && !document.querySelector(":popover-open")`)
	b.ClickOn("#to-react-" + c.ID)
	b.ClickOn("#react-" + c.ID + " [value=rocket]")
	b.Wait(chip("rocket") + `?.getAttribute("aria-pressed") == "true" && document.activeElement.id == "to-react-` +
		c.ID + `"`)
	w.react(t, member, c.ID, "rocket")
	b.Wait(chip("rocket") + `?.title == "You, Jonas Weber"`)
	w.react(t, member, c.ID, "+1")
	b.Wait(chip("+1") + `?.title == "Jonas Weber"`)
	b.accessible("reactions")
	b.photograph("reactions", 1440, "dark", false)
	b.holds(chip("rocket") + `.focus(), true`)
	b.Press(" ")
	b.Wait(chip("rocket") + `?.getAttribute("aria-pressed") == "false" && document.activeElement == ` + chip("rocket"))
	b.Press("\r")
	b.Wait(chip("rocket") + `?.getAttribute("aria-pressed") == "true"`)
	b.Size(390, 844)
	b.settle()
	if !b.holds(`document.documentElement.scrollWidth <= 390`) {
		t.Error("the page is wider than a phone")
	}
	b.photograph("reactions", 390, "light", false)
}
