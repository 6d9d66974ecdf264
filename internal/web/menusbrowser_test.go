package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
)

// TestBrowserTriageKeys: twenty reports get a priority and an assignee, labels, a resolution or an original by at most
// 115 keys. Each key does what the menu says beside the item.
func TestBrowserTriageKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(20, api.SliceFields{Labels: []string{"triage"}})...) // WEB-162 to WEB-181
	b := w.list(t, owner, "status:open label:triage sort:created")
	pressed := 0
	press := func(keys ...string) {
		for _, key := range keys {
			pressed += len([]rune(key))
			b.Press(key)
		}
	}
	press("j")
	for n := 181; n > 162; n-- {
		at := fmt.Sprint("WEB-", n)
		b.waitAt(at, "")
		switch n % 4 {
		case 0: // it leaves the list, and the next one has the focus
			press("e", "e")
			b.Wait(fmt.Sprintf(`!document.getElementById(%q)`, at))
		case 1:
			press("e", "2")
			b.Wait(fmt.Sprintf(`!document.getElementById(%q)`, at))
		default:
			press("p", "2", "i", "j")
		}
	}
	b.waitAt("WEB-162", "")
	press("D", "web-161", kb.Enter)
	b.Wait(`!document.getElementById("WEB-162") && !document.querySelector("[aria-busy]")`)
	if pressed > 115 {
		t.Errorf("the triage takes %d keys", pressed)
	}
	t.Logf("%d keys", pressed)
	b.Wait(`[...document.querySelectorAll(".row")].every((row) => row.dataset.priority == "high" && row.dataset.assignee)`)
	for query, want := range map[string]int{"resolution:fixed label:triage": 5, "resolution:wont_fix label:triage": 5,
		"duplicate:WEB-161": 1, "priority:high assignee:me label:triage": 9} {
		if got := strings.Fields(w.statuses(t, query)); len(got) != want {
			t.Errorf("%s finds %d reports: %s", query, len(got), got)
		}
	}
	b.Quiet()
}

// TestBrowserMenuOfARow: the row keeps its mark while its menu is open, and the menu does not cover the next row. A
// label is created in the menu, which stays open for others. An undo gives the focus back to the row that it restores.
func TestBrowserMenuOfARow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(20, api.SliceFields{})...) // WEB-162 to WEB-181
	b := w.list(t, owner, "status:open report sort:created")
	for range 12 {
		b.Press("j")
	}
	b.waitAt("WEB-170", "")
	covers := func(menu string) {
		t.Helper()
		b.Wait(fmt.Sprintf(`document.querySelector("#menu-%s:popover-open")`, menu))
		b.Wait(`document.querySelector("#WEB-170[data-target]") && ` +
			`getComputedStyle(document.querySelector("#WEB-170")).boxShadow != "none"`)
		if !b.holds(fmt.Sprintf(`document.querySelector("#menu-%s").getBoundingClientRect().bottom <= `+
			`document.querySelector("#WEB-170").getBoundingClientRect().bottom`, menu)) {
			t.Errorf("the menu %s covers the next row", menu)
		}
	}
	b.Press("p")
	covers("priority")
	b.Press(kb.Escape)
	b.Wait(`!document.querySelector("[data-target]")`)
	b.ClickOn("#WEB-170 [popovertarget=menu-assignee]")
	covers("assignee")
	b.Press(kb.Escape, "l")
	covers("labels")
	for _, label := range []string{"first one", "second"} {
		b.Press(label, kb.Enter)
		b.Wait(fmt.Sprintf(`document.querySelector("#menu-labels:popover-open [value='%s'][aria-current]") && `+
			`document.activeElement.matches("[data-filter]") && document.activeElement.value == ""`, label))
	}
	b.Wait(`document.querySelector("#WEB-170").dataset.labels == "first one\nsecond"`)
	covers("labels")
	b.Press("second", kb.Enter)
	b.Wait(`document.querySelector("#WEB-170").dataset.labels == "first one"`)
	b.Press(kb.Escape)
	b.waitAt("WEB-170", "label second removed.")

	b.Press("e", "e")
	b.waitAt("WEB-169", "WEB-170: resolved as Fixed.")
	b.Press("j", "z")
	b.waitAt("WEB-170", "Undone: WEB-170 is Open again.")
	b.Quiet()
}

// TestBrowserOriginals: the menu of a resolution offers similar reports as the original, and finds others by words.
func TestBrowserOriginals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	for _, summary := range []string{"Discount fails at checkout", "Discount fails in the cart", "Printer is offline"} {
		w.fileMany(t, api.SliceFields{Summary: summary}) // WEB-162 to WEB-164
	}
	b := w.list(t, owner, "status:open sort:created")
	b.Press("j", "j", "D")
	b.Wait(`document.activeElement.name == "duplicateOf" && document.querySelector("[data-original=WEB-162]")`)
	if b.holds(`document.querySelector("[data-original=WEB-163]") !== null`) {
		t.Error("a report is offered as the original of itself")
	}
	b.Press("printer")
	b.Wait(`document.querySelectorAll("[data-original]").length == 1 && document.querySelector("[data-original=WEB-164]")`)
	b.Press(kb.Enter)
	b.Wait(`document.querySelector("[data-notice]")?.textContent.includes("WEB-163: resolved as Duplicate.")`)
	if got := strings.Fields(w.statuses(t, "duplicate:WEB-164")); len(got) != 1 {
		t.Errorf("the duplicates are %s", got)
	}
	b.Quiet()
}
