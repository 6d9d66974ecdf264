package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
	"bugslice/internal/tracker"
)

// TestFilterPage: without script the menu is a page whose choices lead to the list, with counts of what the rest of the text
// selects; each value of a filter can be chosen, left out and taken back.
func TestFilterPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	urgent, browser := api.Priority("urgent"), "Firefox 153"
	w.fileMany(t, api.SliceFields{Summary: "a", Priority: &urgent, Environment: api.Environment{Browser: &browser}},
		api.SliceFields{Summary: "b", Priority: &urgent, Labels: []string{"none", `x "y"`}})
	b := w.signedIn(t, owner)
	at := func(by, text, more string) answer {
		return b.get("/reports/filter?workspace=WEB&by=" + by + "&q=" + strings.ReplaceAll(text, " ", "+") + more)
	}
	value := func(to, value string) string {
		return fmt.Sprintf(`href="/reports?q=%s&amp;workspace=WEB" data-filter-to data-value="%s"`,
			strings.ReplaceAll(to, "+", "&#43;"), value)
	}
	at("priority", "priority:urgent", "").wants(200, value("priority%3Aurgent%2Chigh", "high"),
		`href="/reports?q=&amp;workspace=WEB" data-filter-to data-value="urgent" aria-current="true"`,
		`<bdi class="menu-text">Urgent</bdi><span class="menu-end-sign number">2</span>`,
		`href="/reports?q=-priority%3Aurgent&amp;workspace=WEB" data-filter-to>is not</a>`)
	at("priority", "", "&not=true").wants(200, value("-priority%3Alow", "low"))
	at("label", "label:none", "").wants(200, value("label%3A%22none%22", "none"),
		value(`label%3A%22x+%5C%22y%5C%22%22`, "x &#34;y&#34;"), `>No label</bdi>`)
	at("assignee", "", "").wants(200, value("assignee%3Ame", "me"), value("assignee%3A%22Jonas+Weber%22", "Jonas Weber"))
	at("browser", "", "").wants(200, value("browser%3A%22Firefox+153%22", "Firefox 153"))
	at("browser", "", "&value=Fire&show=true").leadsTo("/reports?q=browser%3AFire&workspace=WEB")
	at("created", "a created:today", "").wants(200, value("a", "today"), value("a+created%3Alast-week", "last-week"))
	for dates, want := range map[string]string{"from=2026-11-01": ">=2026-11-01", "until=2026-11-02": "<=2026-11-02",
		"from=2026-11-08&until=2026-11-01": "2026-11-01..2026-11-08", "from=&until=": ""} {
		text := "a"
		if want != "" {
			text += "+created%3A" + strings.NewReplacer(">", "%3E", "<", "%3C", "=", "%3D").Replace(want)
		}
		at("created", "a created:today", "&show=true&"+dates).leadsTo("/reports?q=" + text + "&workspace=WEB")
	}
	at("created", "created:2026-11-01..2026-11-08", "").wants(200, `name="from" value="2026-11-01"`, `name="until" value="2026-11-08"`)
	at("created", "created:>2026-11-01", "").wants(200, `name="from" value=""`, `name="until" value=""`)
	at("nothing", "", "").wants(400, "by must be a filter of the menu")
	at("status", "staus:open", "").leadsTo("/reports?q=staus%3Aopen&workspace=WEB")
	at("status", "label:a -status:closed", "&term=1").wants(200, `aria-current="true">is not</a>`)
	w.signedIn(t, stranger).get("/reports/filter?workspace=WEB").wants(404)
}

// TestBrowserFilterMenu: the button, its key and the chips open the menu of filters; what is chosen is put into the search
// box, and the menu stays open for more. The chip of the tab that is shown is not there twice.
func TestBrowserFilterMenu(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	high := api.Priority("high")
	w.fileMany(t, api.SliceFields{Summary: "a", Priority: &high}, api.SliceFields{Summary: "b", Labels: []string{"x"}})
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1280, 900)
	b.Open("/reports?workspace=WEB")
	chips := func(want string) {
		b.T.Helper()
		b.Wait(fmt.Sprintf(`[...document.querySelectorAll(".toolbar .chip")].map((c) => c.textContent.trim().replace(/\s+/g, " ")).`+
			`join("|") == %q && !document.querySelector("#results[aria-busy]")`, want))
	}
	at := func(text string) { b.T.Helper(); b.Wait(fmt.Sprintf(`document.getElementById("q").value == %q`, text)) }
	chips("")
	b.Press("j", "f")
	b.Wait(`document.activeElement.matches("#menu-filter:popover-open [data-filter]")`)
	b.Press("prio", kb.Enter)
	b.Wait(`document.activeElement.dataset.value == "urgent"`)
	b.Press(kb.ArrowDown, kb.Enter)
	at("status:open,in_progress priority:high")
	chips("Priority High")
	b.Wait(`document.activeElement.matches("[data-value=high][aria-current]")`)
	b.Press(kb.ArrowDown, kb.Enter)
	at("status:open,in_progress priority:high,medium")
	b.Wait(`document.activeElement.matches("[data-value=medium][aria-current]")`)
	chips("Priority High, Medium")
	b.Wait(`getComputedStyle(document.getElementById("results")).opacity == 1`)
	b.axe(1280, "light")
	b.Press(kb.ArrowLeft)
	b.Wait(`document.activeElement.matches("#menu-filter [data-filter]") && ` +
		`document.querySelector("[data-filter-by=priority][aria-current]")`)
	b.Press(kb.Escape)
	b.Wait(`!document.querySelector("#menu-filter:popover-open") && document.activeElement.matches(".row-title, .filter-button")`)
	b.ClickOn(".chip-value")
	b.Wait(`document.querySelector("#menu-filter:popover-open [data-value=high][aria-current]")`)
	b.Click("is not")
	at("status:open,in_progress -priority:high,medium")
	chips("Priority is not High, Medium")
	b.ClickOn(".chip [aria-label^=Remove]")
	chips("")
	b.ClickOn(".filter-button")
	b.Click("Created")
	b.Wait(`document.querySelector("#menu-filter [name=from]")`)
	b.holds(`document.querySelector("#menu-filter [name=from]").value = "2026-01-31", true`)
	b.Click("Show")
	at("status:open,in_progress created:>=2026-01-31")
	chips("Created From 2026-01-31")
	b.Click("Last 7 days")
	at("status:open,in_progress created:7d")
	b.Open("/board?workspace=WEB")
	b.Press("f")
	b.Wait(`document.activeElement.matches("#menu-filter:popover-open [data-filter]")`)
	b.Press("label", kb.Enter)
	b.Wait(`document.querySelector("#menu-filter [data-value=x]")`)
	b.ClickOn("#menu-filter [data-value=x]")
	b.Wait(`document.querySelectorAll(".card").length == 1 && location.pathname == "/board"`)
	b.Quiet()
}
