package web

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
	"bugslice/internal/tracker"
)

// covered lists the controls that a notice about a change covers.
const covered = `(() => {
	const notice = document.querySelector("main > [data-notice]"), at = notice.getBoundingClientRect();
	notice.style.visibility = "hidden";
	const all = [...document.querySelectorAll("a, button, input, select, textarea, summary")].filter((control) => {
		const box = control.getBoundingClientRect();
		const [left, right] = [Math.max(at.left, box.left), Math.min(at.right, box.right)], [top, bottom] = [Math.max(at.top, ` +
	`box.top), Math.min(at.bottom, box.bottom)];
		return left < right && top < bottom && control.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
	});
	notice.style.visibility = "";
	return all.map((control) => control.ariaLabel ?? control.textContent).join(", ");
})()`

// scrolledFree says whether the last controls of a page are above the notice when the page is scrolled to its end.
const scrolledFree = `(() => {
	scrollTo(0, document.documentElement.scrollHeight);
	const notice = document.querySelector("main > [data-notice]").getBoundingClientRect();
	const all = [...document.querySelectorAll("main :is(a, button, input, textarea)")].filter((e) => e.checkVisibility() && ` +
	`!e.closest("[data-notice]"));
	return notice.bottom <= innerHeight && all.every((control) => control.getBoundingClientRect().bottom <= notice.top);
})()`

// TestBrowserNoticesCoverNothing: a notice about a change covers no control of a wide window, on the page of a
// report, beside the list, on the list and on the board. In a narrow window the end of the page can be scrolled from
// under it. Undo in it works.
func TestBrowserNoticesCoverNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(30, api.SliceFields{})...)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	const list, board, page = "/reports?workspace=WEB", "/board?workspace=WEB", "/WEB-180"
	for _, c := range []struct {
		path          string
		width, height int64
	}{
		{page, 1280, 900}, {list + "&open=WEB-180", 1280, 900}, {list, 1280, 900},
		{board, 1280, 900}, {page, 1024, 768}, {list, 1600, 900}, {page, 360, 740}, {list, 360, 740},
	} {
		b.Size(c.width, c.height)
		b.Open(c.path)
		if strings.HasSuffix(c.path, "WEB-180") {
			b.Wait(`document.querySelector("#field-priority")`)
			b.ClickOn("#field-priority")
			b.ClickOn("#report-priority [value=low]")
		} else {
			b.Press("j")
			b.waitAt("WEB-191", "")
			b.Press("p")
			b.Wait(`document.querySelector("#menu-priority:popover-open")?.contains(document.activeElement)`)
			b.Press(kb.ArrowDown, kb.Enter)
		}
		b.Wait(`document.querySelector("main > [data-notice] [data-undo]")`)
		if got := b.text(covered); c.width > 1000 && got != "" {
			t.Errorf("%s at %d: the notice covers %s", c.path, c.width, got)
		}
		if c.width < 1000 && !b.holds(scrolledFree) {
			t.Errorf("%s at %d: the end of the page stays under the notice", c.path, c.width)
		}
		b.ClickOn("[data-undo]")
		b.Wait(`document.querySelector("main > [data-notice]")?.textContent.includes("is as it was.")`)
	}
	b.Quiet()
}
