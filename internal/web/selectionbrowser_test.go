package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
	"bugslice/internal/browsertest"
	"bugslice/internal/tracker"
)

// selected waits until a number of reports are selected: the bar shows it, the rows look so, and the form sends them.
func (b tab) selected(want int) {
	b.T.Helper()
	const state = `(() => {
		const bar = document.querySelector(".selection[data-open] [data-count]")?.textContent ?? "0 selected";
		const sent = new FormData(document.getElementById("change")).getAll("items").length;
		return [parseInt(bar), document.querySelectorAll(".row[data-selected]").length, document.querySelectorAll(".row ` +
		`[name=items]:checked").length, sent].join(" ");
	})()`
	if got := b.text(state); got != fmt.Sprintf("%d %[1]d %[1]d %[1]d", want) {
		b.T.Errorf("shown, marked, ticked and sent are %s reports, want %d of each", got, want)
	}
}

// TestBrowserShiftClick: a click with Shift selects up to its row, on the box and beside it, downwards and upwards,
// and over rows that are ticked already. As many are sent as the bar counts.
func TestBrowserShiftClick(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/reports?workspace=WEB&q=report", "/reports?workspace=WEB&q=report&group=priority",
		"/board?workspace=WEB&q=report"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, table, nil)
			high := api.Priority("high")
			w.fileMany(t, append(numbered(5, api.SliceFields{}), numbered(4, api.SliceFields{Priority: &high})...)...)
			b := w.tab(t, w.session(t, owner, tracker.Client{}))
			b.Size(1280, 900)
			b.Open(path)
			b.holds(`document.querySelectorAll(".row").forEach((row, i) => row.dataset.at = i), true`)
			row := func(i int) string { return fmt.Sprintf("[data-at='%d'] [name=items]", i) }
			label := func(i int) string { return fmt.Sprintf("[data-at='%d'] .row-select", i) }
			room := func(i int) string { return fmt.Sprintf("[data-at='%d'] .row-reference", i) }

			b.ClickOn(row(1))
			b.selected(1)
			b.ShiftClickOn(row(5)) // down, on the box
			b.selected(5)
			b.ShiftClickOn(row(3)) // up, over rows that are ticked
			b.selected(5)
			b.ClickOn(row(3))
			b.selected(4)
			b.ShiftClickOn(row(0)) // over a hole
			b.selected(6)
			b.ClickOn(row(8))
			b.ClickOn(row(8))
			b.ShiftClickOn(row(8)) // its own anchor
			b.selected(7)
			b.Press(kb.Escape)
			b.Wait(`!document.querySelector(".selection[data-open]")`)
			b.selected(0)
			b.ClickOn(row(2))
			b.ShiftClickOn(room(6)) // the room of a row, which opens no report
			b.selected(5)
			if at := b.text(`location.pathname + location.search`); at != path {
				t.Errorf("a click with Shift leads to %s", at)
			}
			b.Press(kb.Escape)
			b.Wait(`!document.querySelector(".selection[data-open]")`)
			b.selected(0)
			b.holds(`document.querySelector("[data-at='6'] [name=items]").focus(), true`)
			b.Press("x")
			b.selected(1)
			b.holds(`document.querySelector("[data-at='2'] [name=items]").focus(), true`)
			b.Press("X")
			b.selected(5)
			b.holds(`document.querySelector("[data-at='0'] [name=items]").focus(), true`)
			for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown,
				input.DispatchKeyEventTypeKeyUp} {
				text := map[bool]string{true: " "}[kind == input.DispatchKeyEventTypeKeyDown]
				browsertest.Call(b.Tab, input.DispatchKeyEvent,
					input.DispatchKeyEventParams{Type: kind, Key: " ", Code: "Space",
						Text: text, WindowsVirtualKeyCode: 32, Modifiers: 8})
			}
			b.selected(7)
			b.ShiftClickOn(label(8))
			b.selected(9)
			if text := b.text(`getSelection().toString()`); text != "" {
				t.Errorf("the text %q is selected", text)
			}
			b.ClickOn(row(4))
			b.selected(8)
			w.change(t, member, b.text(`document.querySelector("[data-at='4']").id`),
				api.SlicePatch{"severity": "major"})
			b.ShiftClickOn(row(6))
			b.selected(9)
			b.ClickOn(row(0))
			b.selected(8)
			b.ClickOn(".selection [popovertarget=menu-labels]")
			b.ClickOn("#menu-labels [data-filter]")
			b.Press("sent", kb.Enter)
			b.Wait(`document.querySelector("[data-notice]")?.textContent.includes("8 reports: label sent added.")`)
			b.selected(8)
			if sent := strings.Fields(w.statuses(t, "label:sent")); len(sent) != 8 {
				t.Errorf("%s were sent", sent)
			}
			b.Quiet()
		})
	}
}
