package suite

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/browsertest"
)

// tryForm is the form of the reference page that tries an operation, in a tab.
type tryForm struct {
	*browsertest.Tab
	operation string
}

// tries opens the form of an operation.
func tries(b *browsertest.Tab, operation string) tryForm {
	f := tryForm{b, operation}
	browsertest.Eval[bool](b, `document.querySelector("#`+operation+` .try").open = true`)
	b.Wait(f.at("form") + " != null")
	return f
}

// at is an element of the form, as an expression.
func (f tryForm) at(selector string) string {
	return fmt.Sprintf("document.querySelector(%q)", "#"+f.operation+" "+selector)
}

// says sets a field as a user does.
func (f tryForm) says(selector, text string) {
	browsertest.Eval[bool](f.Tab, fmt.Sprintf(`(() => { const field = %s; field.value = %q;
		return field.dispatchEvent(new Event("input", {bubbles: true})); })()`, f.at(selector), text))
}

func (f tryForm) param(name, text string) { f.says("[data-param='"+name+"'] input", text) }

// sends presses Send, answers the question, and waits for the answer. It returns the status and the body as it
// is shown.
func (f tryForm) sends(question bool) (status, body string) {
	f.T.Helper()
	browsertest.Eval[bool](f.Tab, f.at(".answer")+`.querySelector(".status").textContent = "", true`)
	browsertest.Eval[bool](f.Tab, f.at("[type=submit]")+".click(), true")
	asked := f.at(".asking .buttons button")
	if question {
		f.Wait(asked)
		assert.Contains(f.T, "the question", f.text(".asking"), "what is stored on this instance")
		browsertest.Eval[bool](f.Tab, asked+".click(), true")
	}
	f.Wait(f.at(".answer .status strong") + " && " + f.at(".stop[hidden]"))
	return f.text(".status strong")[:3], f.text(".body")
}

func (f tryForm) text(selector string) string {
	f.T.Helper()
	return browsertest.Eval[string](f.Tab, f.at(selector)+".textContent")
}

// TestTryIt: on the reference page a reader lists, files, attaches a file and reads with a key, sees what was refused
// and where, and copies the command that sends the same. What strangers wrote stays text. The key is sent in its header
// alone: without cookies, in no address, in no log.
func TestTryIt(t *testing.T) {
	t.Parallel()
	s := shared(t, tested()[0])
	o := newOrg(t, s, "Try")
	const hostile = `<img src=x onerror=alert(1)><a href="/login">in</a><script>alert(2)</script>`
	b := browsertest.Open(t, s.URL)
	b.Open("/docs")
	if shifts := b.Shifts(); len(shifts) > 0 {
		t.Errorf("the page moves: %v", shifts)
	}

	list := tries(b, api.OpListSlices)
	status, _ := list.sends(false)
	assert.Equal(t, "without a key", status, "401")
	list.says("[data-key]", "svc_pat_000000000000000000000000000000000000")
	status, _ = list.sends(false)
	assert.Equal(t, "with a wrong key", status, "401")
	assert.Contains(t, "the problem", list.text(".problem"), "unauthorized")
	list.says("[data-key]", o.token)
	list.param("limit", "banana")
	status, _ = list.sends(false)
	assert.Equal(t, "with a wrong limit", status, "400")
	assert.Equal(t, "the refused field", browsertest.Eval[string](b, list.at("[aria-invalid]")+
		`.closest("[data-param]").dataset.param`), "limit")
	list.param("limit", "1")
	status, _ = list.sends(false)
	assert.Equal(t, "a list", status, "200")

	filing := tries(b, api.OpCreateSlice)
	filed := func(body any) (status, shown string) {
		text, err := json.Marshal(body)
		must(t, err)
		filing.says("[data-body]", string(text))
		return filing.sends(browsertest.Eval[string](b, filing.at("form")+`.dataset.asked ?? ""`) == "")
	}
	status, _ = filed(map[string]any{"workspaceId": o.Workspace, "summary": ""})
	assert.Equal(t, "without a summary", status, "422")
	assert.Contains(t, "the faults", filing.text(".problem ul"), "/summary")
	status, shown := filed(map[string]any{"workspaceId": o.Workspace, "summary": hostile, "description": hostile})
	assert.Equal(t, "a report", status, "201")
	var slice api.Slice
	must(t, json.Unmarshal([]byte(shown), &slice))
	assert.Equal(t, "the summary that is shown", slice.Summary, hostile)

	attaching := tries(b, api.OpCreateAttachment)
	attaching.param("sliceId", slice.ID)
	file := filepath.Join(t.TempDir(), "notes.txt")
	must(t, os.WriteFile(file, []byte(hostile), 0o600))
	b.Choose("#"+attaching.operation+" input[type=file]", file)
	assert.Contains(t, "the command", attaching.text(".tried .curl"), "-F 'file=@\"notes.txt\"'",
		"/v1/slices/"+slice.ID+"/attachments")
	status, shown = attaching.sends(true)
	assert.Equal(t, "an upload", status, "201")
	var attachment api.Attachment
	must(t, json.Unmarshal([]byte(shown), &attachment))
	assert.Equal(t, "the name of the file", attachment.Name, "notes.txt")

	reading := tries(b, api.OpGetSlice)
	browsertest.Eval[bool](b, reading.at("[type=submit]")+".click(), true")
	assert.Equal(t, "without the path", reading.text("[data-param=sliceId] .fault"), "is a part of the path")
	reading.param("sliceId", slice.ID)
	status, shown = reading.sends(false)
	assert.Equal(t, "the report", status, "200")
	assert.Contains(t, "the report", shown, `<img src=x`)
	content := tries(b, api.OpGetAttachment)
	for _, name := range browsertest.Eval[[]string](b, `[...document.querySelectorAll("#`+content.operation+
		` [data-in=path]")].map((field) => field.dataset.param)`) {
		content.param(name, map[string]string{"sliceId": slice.ID, "attachmentId": attachment.ID}[name])
	}
	status, shown = content.sends(false)
	assert.Equal(t, "the file", status, "200")
	assert.Equal(t, "the text that is shown", shown, hostile)

	for _, f := range []tryForm{reading, filing, attaching, content} {
		if n := browsertest.Eval[int](b, f.at(".answer")+`.querySelectorAll(`+
			`".body *, img, script, a:not([download], [href^='#'])").length`); n > 0 {
			t.Errorf("%s: %d elements are in the answer", f.operation, n)
		}
	}
	if coloured := browsertest.Eval[int](b, `CSS.highlights.get("json-string").size`); coloured < 10 {
		t.Errorf("%d texts are coloured", coloured)
	}
	page := client{server: s}.want(t, 200, "GET", "/docs", nil)
	assert.Contains(t, "the policy of the page", page.Header.Get("Content-Security-Policy"), "script-src 'self';",
		"require-trusted-types-for 'script'; trusted-types 'none'")
	forgets(b, s, o.token)
	b.Quiet()
}

// forgets looks for the key where it must not be, and lets the page forget it.
func forgets(b *browsertest.Tab, s *server, token string) {
	b.T.Helper()
	reading := tryForm{b, api.OpGetSlice}
	b.Open("/docs")
	again := tries(b, reading.operation)
	assert.Equal(b.T, "the key after a reload", browsertest.Eval[string](b, again.at("[data-key]")+".value"), token)
	if strings.Contains(again.text(".tried .curl"), token) || !strings.Contains(again.text(".tried .curl"),
		"$BUGSLICE_TOKEN") {
		b.T.Error("the command has the key, which was not asked for")
	}
	browsertest.Eval[bool](b, again.at("[data-with-key]")+".click(), true")
	assert.Contains(b.T, "the command with the key", again.text(".tried .curl"), token)
	if strings.Contains(s.logged(), token) || browsertest.Eval[bool](b,
		`Object.values(localStorage).join().includes("`+token+`")`) {
		b.T.Error("the key is in the log, or outlives the tab")
	}
	b.Click("Forget the key")
	left := browsertest.Eval[string](b,
		`JSON.stringify(sessionStorage) + [...document.querySelectorAll("[data-key]")].map(f => f.value)`)
	assert.Equal(b.T, "what is left of the key", left, "{}")
	assert.Equal(b.T, "the address", browsertest.Eval[string](b, "location.href"), s.URL+"/docs")
}

// TestTryItByKeyboard: the keyboard opens a form and sends it, narrow and dark; axe finds no violation in forms and
// their answers, and nothing is wider than the window. Without script the page offers no form.
func TestTryItByKeyboard(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile("../tools/node_modules/axe-core/axe.min.js")
	must(t, err)
	s := shared(t, tested()[0])
	o := newOrg(t, s, "Keyboard")
	b := browsertest.Open(t, s.URL)
	b.Theme("dark")
	b.Size(390, 844)
	b.Open("/docs")
	browsertest.Eval[bool](b, `document.querySelector("#listWorkspaces .curl").focus(), true`)
	b.TabTo("Try it")
	b.Press(kb.Enter)
	f := tryForm{b, api.OpListWorkspaces}
	b.Wait(f.at("form") + " != null")
	b.Press(kb.Tab, o.token)
	b.TabTo("Send")
	b.Press(kb.Enter)
	b.Wait(f.at(".answer .good"))
	assert.Equal(t, "the focus", b.Focused(), "Send")
	filing := tries(b, api.OpCreateSlice)
	filing.says("[data-body]", "{}")
	filing.sends(true)
	browsertest.Eval[bool](b, filing.at("[type=submit]")+".click(), true")
	tries(b, api.OpDeleteSlice).param("sliceId", "WEB-1")
	browsertest.Eval[bool](b, `document.querySelector("#deleteSlice [type=submit]").click(), true`)
	b.Wait(`document.querySelector("#deleteSlice .asking")`)
	assert.Contains(t, "the focus", b.Focused(), "Confirm")
	tries(b, api.OpListSlices)
	tries(b, api.OpCreateAttachment)
	if browsertest.Eval[bool](b, `document.documentElement.scrollWidth > document.documentElement.clientWidth`) {
		t.Error("the page is wider than its window")
	}
	browsertest.Eval[bool](b, `document.querySelectorAll(".try[open] details").forEach(d => d.open = true), true`)
	browsertest.Eval[bool](b, string(axe)+`; true`)
	const violations = `axe.run(".try[open]", {resultTypes: ["violations"]}).then(r => r.violations.map(v =>
		[v.id, v.nodes.slice(0, 3).map(n => n.html)]))`
	if found := browsertest.Eval[[]any](b, violations); len(found) > 0 {
		t.Errorf("axe: %v", found)
	}
	b.Quiet()
	b.Script(false)
	b.Open("/docs")
	if browsertest.Eval[bool](b, `document.querySelector(".try").checkVisibility()`) {
		t.Error("without script the page offers a form")
	}
}
