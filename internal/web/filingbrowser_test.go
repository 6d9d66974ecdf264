package web

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"bugslice/internal/blob"
	"bugslice/internal/browsertest"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
)

// paste pastes pictures of these names into the form, as a person does.
func (b tab) paste(names ...string) { b.T.Helper(); b.addFiles("paste", names) }

// drop drops pictures of these names on the form.
func (b tab) drop(names ...string) { b.T.Helper(); b.addFiles("drop", names) }

func (b tab) addFiles(event string, names []string) {
	b.T.Helper()
	for _, name := range names {
		browsertest.Eval[bool](b.Tab, fmt.Sprintf(`(async () => {
			const canvas = document.createElement("canvas");
			canvas.width = 400; canvas.height = 300;
			const c = canvas.getContext("2d");
			c.fillStyle = "#fff"; c.fillRect(0, 0, 400, 300);
			c.fillStyle = "#0a0"; c.fillRect(100, 100, 50, 50);
			const blob = await new Promise((done) => canvas.toBlob(done));
			const data = new DataTransfer();
			data.items.add(new File([blob], %q, {type: "image/png"}));
			const shared = {bubbles: true, cancelable: true};
			const event = %q == "paste" ? new ClipboardEvent("paste", {clipboardData: data, ...shared}) : new DragEvent("drop", `+
			`{dataTransfer: data, ...shared});
			document.querySelector("#description, #files").dispatchEvent(event);
			return event.defaultPrevented;
		})()`, name, event))
	}
}

// pickLabel adds a label by the menu of the form, which is left open by the reader's choice and closed here.
func (b tab) pickLabel(name string) {
	b.T.Helper()
	b.ClickOn("[popovertarget=pick-labels]")
	b.Wait(`document.activeElement.matches("#pick-labels [data-filter]")`)
	b.Press(name, kb.Enter, kb.Escape)
	b.Wait(`!document.querySelector("#pick-labels:popover-open")`)
}

// failing returns rows of which the second request that adds files finds the storage of files away.
func failing(rows []row, s **world) []row {
	var requests atomic.Int32
	return posting(rows, "/new/{reference}/files", func(add page.Handler) page.Handler {
		return func(q *page.Request) (page.Result, error) {
			if requests.Add(1) == 2 {
				(*s).storage.put = func(io.Reader) (io.Reader, error) { return nil, blob.ErrUnavailable }
				defer func() { (*s).storage.put = nil }()
			}
			return add(q)
		}
	})
}

// TestBrowserFiling files a report with three pasted files, one of which fails at first. The report is filed once,
// each file is added once, and the draft is gone.
func TestBrowserFiling(t *testing.T) {
	t.Parallel()
	var shown atomic.Int32
	rows := slices.Clone(table)
	for i, r := range rows {
		if r.path == "/{reference}" {
			rows[i].get = func(q *page.Request) (page.Result, error) { shown.Add(1); return r.get(q) }
		}
	}
	var w *world
	w = newWorld(t, failing(rows, &w), nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1024, 768)
	b.Open("/new?workspace=WEB")
	b.Fill("summary", "The total of the cart is wrong with a voucher")
	b.Wait(`document.querySelector(".similar a[href='/WEB-161'][target=_blank]")`)
	b.Press(kb.Tab, "It is **-4.00**.") // the suggestions come after the description
	b.paste("a.png", "b.png", "image.png")
	b.Wait(`document.querySelectorAll(".file img").length == 3 && document.querySelectorAll(".file")[2].textContent.` +
		`includes("screenshot-3.png")`)
	b.Click("File report")
	b.Wait(`document.querySelector(".file-failed")?.textContent.includes("The storage of files is not reachable")`)
	if state := b.text(`document.querySelector(".report-notices").textContent.trim() + location.pathname`); !strings.HasPrefix(state,
		"WEB-162 is filed.") || !strings.HasSuffix(state, "/new") {
		t.Errorf("after a failed file: %s", state)
	}
	b.accessible("after a failed file")
	b.Wait(`document.activeElement.dataset.action == "retry"`)
	b.Click("Try again")
	b.Wait(`location.pathname == "/WEB-162" && document.querySelector(".prose strong")?.textContent == "-4.00"`)
	if n := shown.Load(); n != 1 {
		t.Errorf("the page of the report was loaded %d times", n)
	}
	if got := w.attached(t, "WEB-162"); len(got) != 3 || !strings.HasPrefix(got["b.png"], "\x89PNG") ||
		!strings.HasPrefix(got["screenshot-3.png"], "\x89PNG") {
		t.Errorf("%d files", len(got))
	}
	b.Open("/new?workspace=WEB")
	if text := b.text(`document.querySelector("#summary").value + localStorage.length`); text != "0" {
		t.Errorf("a draft is left: %q", text)
	}
	b.Open("/WEB-163")
	b.Wait(`document.querySelector("[data-page=problem]")`)
	b.Quiet()
}

// TestBrowserUploadSession: when the session ends after the report was filed, its file waits for another one. A file
// that fails can be removed, and the report is opened then.
func TestBrowserUploadSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	session := w.session(t, owner, tracker.Client{})
	b := w.tab(t, session)
	b.Open("/new?workspace=WEB&summary=Cart")
	b.Wait(`document.activeElement.id == "summary"`)
	b.paste("a.png", "b.png")
	b.holds(`(() => { // a file that the server refuses
		const data = new DataTransfer();
		data.items.add(new File([], "empty.log"));
		document.activeElement.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true}));
		const send = window.send = XMLHttpRequest.prototype.send; // waits for the test
		XMLHttpRequest.prototype.send = function (body) { window.waits = () => send.call(this, body); };
		return true;
	})()`)
	b.Click("File report")
	b.Wait(`window.waits`)
	b.Cookie("bugslice", "ended")
	for range 3 {
		b.holds(`(() => { const go = window.waits; window.waits = null; go(); return true; })()`)
		b.Wait(`window.waits || document.querySelectorAll(".file-failed").length == 3`)
	}
	b.Wait(`[...document.querySelectorAll(".file-failed .file-state")].every((e) => e.textContent.startsWith("Your session has ended."))`)
	b.Wait(`document.querySelector("#session[open]")?.contains(document.activeElement)`)
	b.holds(`XMLHttpRequest.prototype.send = window.send, true`)
	b.Press(password, kb.Enter) // each is sent again
	b.Wait(`[...document.querySelectorAll(".file-state")].map((e) => e.textContent).join() == "Added,Added,The file is empty."`)
	b.ClickOn("[aria-label='Remove empty.log']")
	b.Wait(`location.pathname == "/WEB-162"`)
	if got := w.attached(t, "WEB-162"); len(got) != 2 {
		t.Errorf("%d files", len(got))
	}
	b.Quiet()
}

// TestBrowserAddFiles adds files to a report: each shows how far it is, can be removed while it is sent, and tried
// again after it has failed.
func TestBrowserAddFiles(t *testing.T) {
	t.Parallel()
	var w *world
	w = newWorld(t, failing(table, &w), nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1280, 800)
	b.Open("/new/WEB-161/files")
	b.Wait(`document.activeElement.id == "files" && document.querySelector("file-form:defined")`)
	b.Click("Add files")
	b.Wait(`document.querySelector(".report-notices").textContent.includes("Choose at least one file.")`)
	b.accessible("no file")
	b.photograph("newfiles-none", 1280, "dark", false)
	path := filepath.Join(t.TempDir(), "a.log")
	must(t, os.WriteFile(path, []byte("a line"), 0o600))
	b.Choose("#files", path)
	b.paste("b.png")
	b.drop("c.png")
	b.Wait(`[...document.querySelectorAll(".file-name")].map((e) => e.textContent).join() == "a.log,b.png,c.png" && ` +
		`document.querySelectorAll(".file img").length == 2`)
	b.holds(`(() => {
		const send = XMLHttpRequest.prototype.send; // waits for the test
		XMLHttpRequest.prototype.send = function (body) { window.sends = () => send.call(this, body); };
		return true;
	})()`)
	b.Click("Add files")
	b.Wait(`window.sends && document.querySelector(".file-progress:not([hidden])") && document.querySelector(".file-state").` +
		`textContent == "Uploading…"`)
	if !b.holds(`[...document.querySelectorAll(".report-notices .notice")].length == 0 && document.querySelector("form ` +
		`.button-primary").disabled`) {
		t.Error("the form can be sent twice")
	}
	b.photograph("newfiles-uploading", 1280, "light", false)
	next := func() { b.holds(`(() => { const go = sends; window.sends = null; go(); return true; })()`) }
	next()
	b.Wait(`window.sends && document.querySelector(".file-state").textContent == "Added"`)
	next()
	b.Wait(`window.sends && document.querySelector(".file-failed")?.textContent.includes("The storage of files is not reachable")`)
	b.ClickOn("[aria-label='Remove c.png']") // which is being sent
	b.Wait(`document.querySelectorAll(".file").length == 2`)
	b.Size(390, 800)
	b.accessible("a failed file")
	b.photograph("newfiles-failed", 390, "dark", false)
	b.holds(`window.sends = null, true`)
	b.Click("Try again")
	b.Wait(`window.sends`)
	next()
	b.Wait(`location.pathname == "/WEB-161" && document.querySelector(".notice")?.textContent.includes("The files are added.")`)
	if got := w.attached(t, "WEB-161"); len(got) != 2 || got["a.log"] != "a line" ||
		!strings.HasPrefix(got["b.png"], "\x89PNG") {
		t.Errorf("the files are %q", got)
	}
	b.Quiet()
}

// TestBrowserDraft: what was typed survives a reload and a fault, is of one workspace, and is gone after it was
// discarded and after the user has signed out. Leaving with unsent text asks.
func TestBrowserDraft(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1024, 768)
	b.Open("/new?workspace=WEB")
	b.Fill("summary", "Cart")
	b.Press("s")
	b.ClickOn("#description")
	b.Press("text")
	b.Wait(`localStorage.length == 1`)
	b.Reload()
	b.Wait(`document.querySelector("#description").value == "text" && document.querySelector("#summary").value == "Carts" && ` +
		`!document.querySelector("[data-draft-note]").hidden`)
	if asked := b.Dialogs(); len(asked) != 1 {
		t.Errorf("a reload asks %q", asked)
	}
	b.Open("/new?workspace=APP")
	if text := b.text(`document.querySelector("#summary").value`); text != "" {
		t.Errorf("another workspace has %q", text)
	}
	b.Open("/new?workspace=WEB&summary=Linked")
	if text := b.text(`document.querySelector("#summary").value + document.querySelector("#description").value`); text != "Linked" {
		t.Errorf("a link with values shows %q", text)
	}
	b.pickLabel("cart")
	b.Wait(`localStorage.length == 2`)
	b.Reload()
	b.Wait(`document.querySelector("#labels").value == "cart" && document.querySelector("#summary").value == "Linked"`)
	if asked := b.Dialogs(); len(asked) != 1 {
		t.Errorf("a reload of a link asks %q", asked)
	}
	b.Click("Discard it")
	b.Wait(`document.querySelector("#labels").value == "" && document.querySelector("#summary").value == "Linked" && ` +
		`localStorage.length == 1`)
	b.Open("/new?workspace=WEB")
	b.Wait(`document.querySelector("#summary").value == "Carts"`)
	b.ClickOn(".more-fields summary")
	b.Fill("sourceUrl", "javascript:alert(1)")
	b.drop("a.png")
	b.Click("File report")
	b.Wait(`document.querySelector("#sourceUrl-fault") && document.querySelector("#description").value == "text" && ` +
		`document.querySelector(".file img") && document.activeElement.id == "sourceUrl"`)
	b.accessible("with a fault")
	b.ClickOn(".nav-link[href^='/reports']")
	b.Wait(`document.querySelector("[data-page=reports]")`)
	if asked := b.Dialogs(); len(asked) != 1 || !strings.Contains(asked[0], "draft") {
		t.Errorf("leaving asks %q", asked)
	}
	b.ClickOn("[popovertarget=account]")
	b.Click("Sign out")
	b.Wait(`location.pathname == "/login"`)
	if n := browsertest.Eval[int](b.Tab, `localStorage.length`); n != 0 {
		t.Errorf("%d drafts are left", n)
	}
	b.Quiet()
}

// TestBrowserNewReportDialog: on the list, New report opens the form in a dialog that gives the focus back. The page
// of the form has its draft, and says so.
func TestBrowserNewReportDialog(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1024, 768)
	b.Open("/reports?workspace=WEB")
	b.Click("New report")
	b.Wait(`document.querySelector("dialog[open] report-form") && document.activeElement.id == "summary"`)
	b.accessible("the dialog")
	b.Press("Cart")
	b.Click("Cancel")
	b.Wait(`!document.querySelector("dialog report-form") && document.activeElement.textContent.trim() == "New report"`)
	b.Click("New report")
	b.Wait(`document.activeElement.id == "summary" && document.activeElement.value == "Cart"`)
	b.Open("/new?workspace=WEB")
	b.Wait(`document.querySelector("#summary").value == "Cart" && !document.querySelector("[data-draft-note]").hidden`)
	b.Wait(`document.querySelector("#similar li")`) // which moves the button
	b.Click("File report")
	b.Wait(`location.pathname == "/WEB-162"`)
	b.Quiet()
}

// TestBrowserMarkdown: the keys and buttons of the editor write Markdown, and the preview of hostile Markdown runs
// nothing and asks no other host.
func TestBrowserMarkdown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1024, 768)
	b.Open("/new?workspace=WEB")
	b.ClickOn("#description")
	b.Press("one")
	b.holds(`document.querySelector("#description").select(), true`)
	b.Click("Bold")
	b.Click("Quote")
	if text := b.text(`document.querySelector("#description").value`); text != "> **one**" {
		t.Errorf("the text is %q", text)
	}
	attack := strings.Join(attacks[:1], "") + "\n\n![a](https://evil.example/p.png) [b](javascript:alert(1))\n\n" +
		"<iframe src=https://evil.example></iframe>\n\n<link rel=preconnect href=https://evil.example>\n\n<div class=shell " +
		"hx-get=/logout hx-trigger=load>"
	b.holds(fmt.Sprintf(`document.querySelector("#description").value = %q, true`, attack))
	b.Click("Preview")
	b.Wait(`[...document.querySelectorAll(".preview .prose a")].some((a) => a.textContent == "a (evil.example)")`)
	if !b.holds(`document.querySelectorAll(".prose :is(script, img, iframe, link, div, [hx-get], [onerror])").length == 0 && ` +
		`document.activeElement.matches(".preview")`) {
		t.Error(b.text(`document.querySelector(".prose").innerHTML`))
	}
	b.accessible("the preview")
	b.Click("Preview")
	b.Wait(`document.activeElement.id == "description" && document.activeElement.offsetHeight > 0`)
	b.Quiet()
}

// TestBrowserAnnotation: what is hidden in a picture, with the pointer or with the keyboard, is in no byte that
// leaves the browser. The other pixels are there.
func TestBrowserAnnotation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1024, 768)
	b.Open("/new?workspace=WEB&summary=Cart")
	b.Wait(`document.activeElement.id == "summary"`)
	b.paste("a.png", "b.png", "c.png")
	b.annotate(0)
	b.accessible("annotation")
	b.Click("Hide")
	b.dragOnPicture(90, 90, 160, 160)
	b.Click("Box")
	b.dragOnPicture(200, 20, 380, 80)
	b.dragOnPicture(10, 10, 50, 50)
	b.Click("Undo")
	b.Wait(`document.querySelector("[data-count]").textContent == "Marks: 2"`)
	b.Click("Done")
	b.Wait(`!document.querySelector(".annotation") && document.activeElement.dataset.action == "annotate"`)
	b.annotate(1)
	b.Click("Hide")
	b.holds(`document.querySelector("canvas").focus(), true`)
	b.Press(kb.Enter, kb.ArrowLeft, kb.ArrowLeft, kb.ArrowLeft, kb.ArrowLeft,
		kb.ArrowLeft, kb.ArrowLeft, kb.ArrowLeft, kb.ArrowUp, kb.ArrowUp, kb.ArrowUp)
	b.Click("Done")
	b.Wait(`!document.querySelector(".annotation")`)
	b.annotate(2)
	b.Click("Text")
	b.dragOnPicture(300, 200, 300, 200)
	b.Wait(`document.activeElement.matches("[data-text]")`)
	b.accessible("a text on the picture")
	b.Press("wrong", kb.Enter)
	b.Wait(`document.querySelector("[data-count]").textContent == "Marks: 1" && document.activeElement.matches("canvas")`)
	b.dragOnPicture(303, 203, 303, 203) // the text again
	b.Wait(`document.activeElement.value == "wrong"`)
	b.Press(kb.End, " sum", kb.Escape)
	b.Wait(`document.querySelector("[data-count]").textContent == "" && document.querySelector(".annotation[open]")`)
	b.Press(kb.Enter, "by keys")
	b.Click("Box") // writes it
	b.Wait(`document.querySelector("[data-count]").textContent == "Marks: 1"`)
	b.Click("Cancel")
	b.Wait(`!document.querySelector(".annotation")`)
	b.Click("File report")
	b.Wait(`location.pathname == "/WEB-162"`)
	green, files := color.NRGBA{0, 170, 0, 255}, w.attached(t, "WEB-162")
	for name, want := range map[string][2]int{"a.png": {0, 100}, "b.png": {0, 100}, "c.png": {2500, 0}} {
		picture, err := png.Decode(strings.NewReader(files[name]))
		must(t, err)
		if n := count(picture, green); n != want[0] {
			t.Errorf("%s has %d green pixels, want %d", name, n, want[0])
		}
		if n := count(picture, color.NRGBA{17, 17, 17, 255}); n < want[1] || want[1] == 0 && n > 0 {
			t.Errorf("%s has %d pixels painted over", name, n)
		}
		if picture.Bounds().Dx() != 400 || picture.At(5, 290) != (color.NRGBA{255, 255, 255, 255}) {
			t.Errorf("%s is %v, and white is %v", name, picture.Bounds(), picture.At(5, 290))
		}
	}
	if picture, err := png.Decode(strings.NewReader(files["a.png"])); err != nil ||
		count(picture, color.NRGBA{211, 21, 43, 255}) < 200 {
		t.Errorf("the box is not in the picture (%v)", err)
	}
	b.Quiet()
}

// TestBrowserFilingWithoutScript files a report with two files by keyboard, one of which is empty, and adds another
// one in its place.
func TestBrowserFilingWithoutScript(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	folder := t.TempDir()
	paths := map[string]string{}
	for name, content := range map[string]string{"empty.log": "", "a.log": "a line"} {
		paths[name] = filepath.Join(folder, name)
		must(t, os.WriteFile(paths[name], []byte(content), 0o600))
	}
	b.Script(false)
	b.Open("/new?workspace=WEB")
	b.Wait(`document.activeElement.id == "summary"`)
	b.Press("Cart")
	b.TabTo("description")
	b.Press("It is **wrong**")
	b.Click("Preview")
	b.Wait(`document.querySelector(".preview strong") && document.querySelector("#summary").value == "Cart" && ` +
		`document.querySelector("#description").value == "It is **wrong**"`)
	b.Choose("#form-files", paths["empty.log"], paths["a.log"])
	b.Click("File report")
	b.Wait(`document.querySelector("[data-page=report] .notice")?.textContent.includes("empty.log: The file is empty.")`)
	b.Click("Add files again")
	b.Wait(`document.querySelector("[data-page=newfiles]")`)
	b.Choose("#form-files", paths["a.log"])
	b.Click("Add files")
	b.Wait(`document.querySelector("[data-page=report] .notice")?.textContent.includes("The files are added.")`)
	if got := w.attached(t, "WEB-162"); got["a.log"] != "a linea line" {
		t.Errorf("the files are %q", got)
	}
	b.Quiet()
}

// annotate opens the annotation of a chosen picture.
func (b tab) annotate(i int) {
	b.T.Helper()
	b.ClickOn(fmt.Sprintf(".file:nth-child(%d) [data-action=annotate]", i+1))
	b.Wait(`document.querySelector(".annotation[open] canvas")?.width == 400`)
}

// dragOnPicture drags from a pixel of the picture to another one.
func (b tab) dragOnPicture(x1, y1, x2, y2 float64) {
	b.T.Helper()
	at := browsertest.Eval[[]float64](b.Tab, `(() => {
		const r = document.querySelector(".annotation canvas").getBoundingClientRect();
		return [r.left, r.top, r.width / 400];
	})()`)
	b.Drag(at[0]+x1*at[2], at[1]+y1*at[2], at[0]+x2*at[2], at[1]+y2*at[2])
}

// count counts the pixels of a colour.
func count(picture image.Image, c color.NRGBA) (n int) {
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			if color.NRGBAModel.Convert(picture.At(x, y)) == c {
				n++
			}
		}
	}
	return n
}
