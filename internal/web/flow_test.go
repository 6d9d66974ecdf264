package web

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// press types keys.
func (b *tab) press(keys ...string) {
	b.t.Helper()
	for _, k := range keys {
		b.do(chromedp.KeyEvent(k))
	}
}

// focused describes the element with the focus: its text, or its name.
func (b *tab) focused() string {
	b.t.Helper()
	return eval[string](b, `(() => { const e = document.activeElement; return e.ariaLabel || e.textContent.trim() || (e.name || "") + (e.type == "radio" || e.type == "checkbox" ? "=" + e.value : ""); })()`)
}

// tabTo presses the tabulator until an element has the focus, which must be seen.
func (b *tab) tabTo(what string) {
	b.t.Helper()
	var seen []string
	for range 60 {
		b.press(kb.Tab)
		at := b.focused()
		if at == what {
			if outline := eval[string](b, `(() => { const e = document.activeElement, s = getComputedStyle(e), n = e.nextElementSibling && getComputedStyle(e.nextElementSibling), c = e.closest(".choice") && getComputedStyle(e.closest(".choice")); return [s, n, c].some(s => s && s.outlineStyle != "none" && parseFloat(s.outlineWidth) >= 1) ? "" : e.outerHTML; })()`); outline != "" {
				b.t.Errorf("the focus on %s is not visible", outline)
			}
			return
		}
		seen = append(seen, at)
	}
	b.t.Fatalf("the keyboard does not reach %q, only %q", what, seen)
}

// wait waits until an expression holds.
func (b *tab) wait(expression string) {
	b.t.Helper()
	for range 200 {
		ok, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`Boolean(`+expression+`)`))
		if err == nil && ok {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatalf("never: %s; at %s: %s", expression, eval[string](b, "location.pathname"), eval[string](b, "document.body.innerText"))
}

// TestBrowserKeyboard goes the way of a newcomer with the keyboard alone, once with script and once without. With
// script no page is loaded after the sign-in.
func TestBrowserKeyboard(t *testing.T) {
	t.Parallel()
	for _, script := range []bool{true, false} {
		t.Run(fmt.Sprintf("script=%v", script), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, table, nil)
			b := w.tab(t, "")
			b.media("light")
			call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !script})
			b.do(chromedp.Navigate(w.url + "/settings/keys"))
			b.wait(`document.activeElement.name == "email"`)
			b.press(email, kb.Tab, password, kb.Enter)
			b.wait(`document.querySelector("[data-page=keys]")`)
			eval[bool](b, `window.kept = true`)

			b.wait(`document.readyState == "complete"`)
			b.tabTo("Skip to the content")
			b.press(kb.Enter)
			b.wait(`document.activeElement.id == "main"`)
			b.do(chromedp.Navigate(w.url + "/settings/keys"))
			b.wait(`document.readyState == "complete"`)
			eval[bool](b, `window.kept = true`)
			b.tabTo("New key")
			b.press(kb.Enter)
			b.wait(`document.querySelector("[data-page=newkey]") && document.activeElement.name == "name"`)
			token := b.createByKeyboard(script)
			if at := eval[string](b, "document.title"); at != "CI · Bugslice" {
				t.Errorf("the title is %q", at)
			}
			if script != eval[bool](b, `window.kept === true`) {
				t.Errorf("with script=%v the page was loaded, or was not", script)
			}
			b.tabTo("Manage this key")
			b.press(kb.Enter)
			b.wait(`document.querySelector("[data-page=key]")`)
			b.rotateAndRevoke(token)
			b.quiet()
		})
	}
}

// createByKeyboard fills in the form of a new key, and returns the token.
func (b *tab) createByKeyboard(script bool) string {
	b.t.Helper()
	b.press("CI")
	b.tabTo("type=pat")
	b.press(kb.ArrowDown)
	b.tabTo("Choose a workspace\nWeb shop")
	b.press("Web")
	b.tabTo("CI")
	b.press(kb.Enter)
	b.wait(`document.querySelectorAll("[name=scopes]:checked").length == 2`)
	if !script {
		b.wait(`document.activeElement.name == "name" && document.activeElement.value == "CI"`)
	}
	b.tabTo("Create key")
	b.press(kb.Enter)
	b.wait(`document.getElementById("token")`)
	token := eval[string](b, `document.getElementById("token").textContent`)
	c, err := b.w.Authenticate(b.t.Context(), token)
	must(b.t, err)
	if len(c.Scopes) != 2 || c.ExpiresAt == nil || c.WorkspaceID != b.w.wsp {
		b.t.Errorf("the key is %+v", c)
	}
	return token
}

// rotateAndRevoke does both on the page of a key.
func (b *tab) rotateAndRevoke(token string) {
	b.t.Helper()
	b.tabTo("Rotate key")
	b.press(kb.Enter)
	b.wait(`document.querySelector("#rotate[open]").contains(document.activeElement)`)
	b.press(kb.Escape)
	b.wait(`!document.querySelector("#rotate[open]") && document.activeElement.textContent.trim() == "Rotate key"`)
	b.press(kb.Enter)
	b.wait(`document.querySelector("#rotate[open]")`)
	b.tabTo("Rotate key")
	b.press(kb.Enter)
	b.wait(`document.getElementById("token")`)
	if next := eval[string](b, `document.getElementById("token").textContent`); next == token || !regexp.MustCompile(`^svc_wst_\w{36}$`).MatchString(next) {
		b.t.Errorf("the new token is %q", next)
	}
	b.tabTo("Done")
	b.press(kb.Enter)
	b.wait(`document.querySelector("[commandfor=revoke]")`)
	b.tabTo("Revoke key")
	b.press(kb.Enter)
	b.wait(`document.activeElement.textContent == "Cancel"`)
	b.tabTo("Revoke key")
	b.press(kb.Enter)
	b.wait(`document.querySelector(".notice")`)
	if _, err := b.w.Authenticate(b.t.Context(), token); err == nil {
		b.t.Error("a revoked key works")
	}
}

// TestBrowserBoost: faults and going back work where script swaps pages.
func TestBrowserBoost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, email)
	b.media("light")
	b.size(sizes[1])
	b.do(chromedp.Navigate(w.url + "/settings/keys/new"))
	b.wait(`document.readyState == "complete" && window.htmx`)
	eval[bool](b, `window.kept = true`)
	b.wait(`document.activeElement.name == "name"`)
	b.press("Laptop", kb.Enter) // by the first button of the form, which creates
	b.wait(`document.querySelector(".fault")`)
	if at := eval[string](b, `location.pathname + " " + document.querySelector("[name=name]").value`); at != "/settings/keys/new Laptop" {
		t.Errorf("after a fault: %q", at)
	}
	eval[bool](b, `document.querySelector(".nav-link[href='/settings/profile']").click(), true`)
	b.wait(`document.querySelector("[data-page=profile]")`)
	if focus := eval[string](b, `document.activeElement.id + " " + document.title`); focus != "main Profile · Bugslice" {
		t.Errorf("after a link the focus and the title are %q", focus)
	}
	eval[bool](b, `history.back(), true`)
	b.wait(`document.querySelector("[data-page=newkey]") && document.title.startsWith("New key")`)
	if !eval[bool](b, `window.kept === true`) {
		t.Error("a page was loaded")
	}
	eval[bool](b, `document.querySelector("[value=wst]").click(), true`)
	b.wait(`!document.querySelector("[name=workspaceId]").disabled`)
	eval[bool](b, `document.querySelector("[value=pat]").click(), true`)
	b.wait(`document.querySelector("[name=workspaceId]").disabled`)
	if html := eval[string](b, `document.documentElement.outerHTML`); strings.Contains(html, " style=") {
		t.Error("htmx has written a style")
	}
	b.quiet()
}
