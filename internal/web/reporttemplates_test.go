package web

import (
	"regexp"
	"strings"
	"testing"

	"bugslice/internal/tracker"
)

// templateForm returns the fields that name a template of the settings.
func (b browser) templateForm(t *testing.T, name string) []string {
	t.Helper()
	body := b.get("/settings/workspace?workspace=WEB").wants(200, "<bdi>"+name+"</bdi>").body
	found := regexp.MustCompile(`name="former" value="` + name + `"><input\s+type="hidden" name="version" value="([^"]+)"`).
		FindStringSubmatch(body)
	if found == nil {
		t.Fatalf("no form of %s", name)
	}
	return []string{"former", name, "version", found[1], "name", name}
}

// TestReportTemplates: an admin writes templates, changes and deletes them, unless somebody else has changed them. The form of
// a new report is filled in from one without script, and insists on the fields that it requires.
func TestReportTemplates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	of, to := "/settings/workspace/templates?workspace=WEB", "/settings/workspace?workspace=WEB#templates"
	b.post(of, "name", " ").wants(422, `id="template-new-fault"`)
	b.post(of, "name", "Crash", "summary", "Crash: ", "description", "## Steps\r\n1. <script>", "labels", "crash, shop,crash",
		"priority", "high", "required", "description", "required", "severity", "required", "spaceId").leadsTo(to)
	b.post(of, "name", "Crash").wants(422, "another template has this name", `value="Crash"`)
	b.post(of, "name", "Idea").leadsTo(to)
	first := b.templateForm(t, "Idea")
	b.post(of, append(first, "labels", "idea")...).leadsTo(to)
	b.post(of, append(first, "labels", "late")...).wants(422, "omebody else has changed this template", `value="late"`)
	b.post(of, append(b.templateForm(t, "Idea"), "do", "delete")...).leadsTo(to)
	w.signedIn(t, member).get("/settings/workspace?workspace=WEB").wants(200, "<bdi>Crash</bdi>")

	form := b.get("/new?workspace=WEB&template=Crash").wants(200, `value="Crash: "`, "## Steps\n1. &lt;script&gt;</textarea>",
		`value="crash, shop" list`, `value="high" selected`, `value="Crash" selected`, "The template requires")
	if strings.Contains(form.body, "Idea") {
		t.Error("a deleted template is offered")
	}
	b.post("/new/draft", "workspaceId", w.web, "template", "Crash", "fill", "1", "summary", "Mine", "description", "own").
		wants(200, `value="Mine"`, "own</textarea>", `value="crash, shop" list`)
	fields := []string{"workspaceId", w.web, "template", "Crash", "summary", "Crash: cart"}
	b.post("/new", append(fields, "description", "## Steps\r\n1. <script>")...).
		wants(422, `id="description-fault"`, `id="severity-fault"`, "Please fill this in.", `value="Crash" selected`)
	b.post("/new", append(fields, "description", "It crashes", "severity", "major")...).leadsTo("/WEB-162")
	b.post("/new", "workspaceId", w.web, "template", "Gone", "summary", "Cart").leadsTo("/WEB-163")
	b.post("/new", "workspaceId", w.web, "summary", "No template").leadsTo("/WEB-164")
}

// TestBrowserReportTemplate: a template is chosen in the form, which keeps what was typed, and another one replaces
// its text.
func TestBrowserReportTemplate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	plain, of := w.signedIn(t, owner), "/settings/workspace/templates?workspace=WEB"
	plain.post(of, "name", "Crash", "summary", "Crash: ", "description", "## Steps", "priority", "high", "required", "severity").
		leadsTo("/settings/workspace?workspace=WEB#templates")
	plain.post(of, "name", "<b>Idea", "description", "## Why").leadsTo("/settings/workspace?workspace=WEB#templates")
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1440, 900)
	b.Open("/new?workspace=WEB")
	pick := func(name string) {
		t.Helper()
		b.ClickOn("[popovertarget=pick-template]")
		b.ClickOn(`#pick-template [value="` + name + `"]`)
		b.pickValue("template", name)
	}
	pick("Crash")
	b.Wait(`document.querySelector("#description").value == "## Steps" && document.querySelector("#summary").value == "Crash: "`)
	b.pickValue("priority", "High")
	b.accessible("a template")
	pick("<b>Idea")
	b.Wait(`document.querySelector("#description").value == "## Why" && document.querySelector("#summary").value == ""`)
	pick("Crash")
	b.Wait(`document.querySelector("#summary").value == "Crash: "`)
	b.Fill("summary", "Crash: cart")
	b.Click("File report")
	b.Wait(`document.querySelector("#severity-fault") && document.activeElement.matches("[popovertarget=pick-severity]")`)
	b.accessible("a required field")
	b.Press("\r")
	b.Wait(`document.activeElement.matches("#pick-severity .menu-item")`)
	b.Press("3")
	b.pickValue("severity", "Major")
	b.Wait(`!document.querySelector(".menu:popover-open")`)
	b.Click("File report")
	b.Wait(`location.pathname == "/WEB-162"`)
	b.Quiet()
}
