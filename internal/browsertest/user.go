package browsertest

import (
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Press presses keys. A text is typed key by key. A key that the page handles types nothing, as from a keyboard.
func (b *Tab) Press(keys ...string) {
	b.T.Helper()
	for _, r := range strings.Join(keys, "") {
		events := kb.Encode(r)
		down, up := events[0], events[len(events)-1]
		if len(events) == 3 { // the text is a part of the key, and not a character of its own
			down.Text, down.UnmodifiedText = events[1].Text, events[1].UnmodifiedText
		}
		for _, e := range []*input.DispatchKeyEventParams{down, up} {
			Call(b, input.DispatchKeyEvent, *e)
		}
	}
}

// Focused describes the element with the focus: its text, or its name.
func (b *Tab) Focused() string {
	b.T.Helper()
	return Eval[string](b, `(() => { const e = document.activeElement;
		const value = e.type == "radio" || e.type == "checkbox" ? "=" + e.value : "";
		return e.ariaLabel || e.textContent.trim() || (e.name || "") + value; })()`)
}

// hiddenFocus is the HTML of the element with the focus when no outline shows it: its own, or that of its label.
const hiddenFocus = `(() => {
	const e = document.activeElement;
	const shown = [e, e.nextElementSibling, e.closest(".choice")].filter(Boolean).map(e => getComputedStyle(e));
	return shown.some(s => s.outlineStyle != "none" && parseFloat(s.outlineWidth) >= 1) ? "" : e.outerHTML;
})()`

// TabTo presses the tabulator until an element has the focus, which must be seen.
func (b *Tab) TabTo(what string) {
	b.T.Helper()
	var passed []string
	for range 60 {
		b.Press(kb.Tab)
		at := b.Focused()
		if at == what {
			if hidden := Eval[string](b, hiddenFocus); hidden != "" {
				b.T.Errorf("the focus on %s is not visible", hidden)
			}
			return
		}
		passed = append(passed, at)
	}
	b.T.Fatalf("the keyboard does not reach %q, only %q", what, passed)
}

// Fill types text into the field of a name, in place of what it holds, once the page has moved the focus to its first
// field.
func (b *Tab) Fill(name, text string) {
	b.T.Helper()
	field := fmt.Sprintf(`document.querySelector("input:not([type=hidden])[name=%s]")`, name)
	b.Wait(field + ` && (document.activeElement != document.body || !document.querySelector("[autofocus]"))`)
	b.Wait(`(` + field + `.focus(), document.activeElement == ` + field + `)`) // one in a part that opens takes no focus before
	Eval[bool](b, field+`.select(), true`)
	Call(b, input.InsertText, input.InsertTextParams{Text: text})
}

// clickable finds the element of a selector with a text, any when it is empty, that is the topmost one at its centre,
// and returns that point; null when there is none.
const clickable = `((selector, text) => {
	const point = (e) => {
		const r = e.getBoundingClientRect(), x = r.left + r.width / 2, y = r.top + r.height / 2;
		const top = document.elementFromPoint(x, y);
		return r.width && top && (e.contains(top) || e.control == top || top.contains(e) && top.closest("label")) ? [x, y] : null;
	};
	for (const e of document.querySelectorAll(selector)) {
		if (text && (e.ariaLabel ?? e.textContent).trim() != text) continue;
		if (!point(e)) e.scrollIntoView({block: "center", behavior: "instant"}); // else a menu would follow its row in the next frame
		if (point(e)) return point(e);
	}
	return null;
})(%q, %q)`

// Click clicks the link, the button or the label with a text, once it is there and not covered.
func (b *Tab) Click(text string) {
	b.T.Helper()
	b.clickOn("a, button, label", text)
}

// ClickOn clicks the element of a selector, once it is there and not covered.
func (b *Tab) ClickOn(selector string) {
	b.T.Helper()
	b.clickOn(selector, "")
}

// ShiftClickOn is ClickOn with the key Shift.
func (b *Tab) ShiftClickOn(selector string) {
	b.T.Helper()
	b.clickOn(selector, "", chromedp.ButtonModifiers(chromedp.ModifierShift))
}

func (b *Tab) clickOn(selector, text string, options ...chromedp.MouseOption) {
	b.T.Helper()
	find := fmt.Sprintf(clickable, selector, text)
	if b.scriptless { // what is read later moves the element away between press and release
		b.Wait(`document.readyState == "complete" && ` + find)
	}
	b.Wait(find)
	at := Eval[[]float64](b, find)
	b.Do(chromedp.MouseClickXY(at[0], at[1], options...))
}

// Choose chooses files in the field of a selector. Without script, too, the page may still be loading when the field
// is there.
func (b *Tab) Choose(selector string, paths ...string) {
	b.T.Helper()
	find := fmt.Sprintf(`document.readyState == "complete" && document.querySelector(%q)`, selector)
	b.Wait(find)
	field, err := chromedp.Call(b.ctx, runtime.Evaluate, runtime.EvaluateParams{Expression: find})
	must(b.T, err)
	Call(b, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: paths, ObjectID: field.Result.ObjectID})
}

// Point moves the mouse to the middle of the element of a selector, or to the corner of the window with an empty one.
func (b *Tab) Point(selector string) {
	b.T.Helper()
	at := []float64{1, 1}
	if selector != "" {
		find := fmt.Sprintf(clickable, selector, "")
		b.Wait(find)
		at = Eval[[]float64](b, find)
	}
	Call(b, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved,
		X: at[0], Y: at[1]})
}

// Drag drags the mouse from a point of the window to another one.
func (b *Tab) Drag(x1, y1, x2, y2 float64) {
	b.T.Helper()
	for _, at := range []struct {
		kind input.DispatchMouseEventType
		x, y float64
	}{{input.DispatchMouseEventTypeMouseMoved, x1, y1}, {input.DispatchMouseEventTypeMousePressed, x1, y1},
		{input.DispatchMouseEventTypeMouseMoved, x2, y2}, {input.DispatchMouseEventTypeMouseReleased, x2, y2}} {
		Call(b, input.DispatchMouseEvent,
			input.DispatchMouseEventParams{Type: at.kind, X: at.x, Y: at.y, Button: input.MouseButtonLeft,
				ClickCount: 1})
	}
}
