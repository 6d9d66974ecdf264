package web

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"bugslice/internal/browsertest"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
	"bugslice/internal/web/static"
)

func (b tab) text(expression string) string {
	b.T.Helper()
	return browsertest.Eval[string](b.Tab, expression)
}

// app waits for the script of the page, and gives the expressions that follow its exports by the name app.
func (b tab) app() {
	b.T.Helper()
	b.Wait(`document.readyState == "complete"`)
	b.holds(fmt.Sprintf(`import(%q).then((exports) => { window.app = exports; return true; })`, static.URL("app.js")))
}

func (b tab) holds(expression string) bool {
	b.T.Helper()
	return browsertest.Eval[bool](b.Tab, expression)
}

// TestBrowserKeyboard signs in, creates a key for CI, rotates and revokes it with the keyboard alone, once with
// script and once without. With script no page is loaded meanwhile.
func TestBrowserKeyboard(t *testing.T) {
	t.Parallel()
	for _, script := range []bool{true, false} {
		t.Run(fmt.Sprintf("script=%v", script), func(t *testing.T) {
			t.Parallel()
			b := newWorld(t, table, nil).tab(t, "")
			b.Script(script)
			b.Open("/settings/keys")
			b.Wait(`document.activeElement.name == "email"`)
			b.Press(owner, kb.Tab, password, kb.Enter)
			b.Wait(`document.querySelector("[data-page=keys]") && document.readyState == "complete"`)
			b.TabTo("Skip to the content")
			b.Press(kb.Enter)
			b.Wait(`document.activeElement.id == "main"`)
			b.Open("/settings/keys")
			b.holds(`window.kept = true`)
			b.TabTo("New key")
			b.Press(kb.Enter)
			b.Wait(`document.querySelector("[data-page=newkey]") && document.activeElement.name == "name"`)
			token := b.createByKeyboard(script)
			if at := b.text("document.title"); at != "CI · Bugslice" {
				t.Errorf("the title is %q", at)
			}
			if script != b.holds(`window.kept === true`) {
				t.Errorf("with script=%v the page was loaded, or was not", script)
			}
			b.TabTo("Manage this key")
			b.Press(kb.Enter)
			b.Wait(`document.querySelector("[data-page=key]")`)
			b.rotateAndRevoke(token)
			b.Quiet()
		})
	}
}

// createByKeyboard fills in the form of a new key, and returns the token.
func (b tab) createByKeyboard(script bool) string {
	b.T.Helper()
	b.Press("CI")
	b.TabTo("type=pat")
	b.Press(kb.ArrowDown)
	b.TabTo("Choose a workspace\nMobile app\nWeb shop")
	b.Press("Web")
	b.TabTo("CI")
	b.Press(kb.Enter)
	b.Wait(`document.querySelectorAll("[name=scopes]:checked").length == 2`)
	if !script {
		b.Wait(`document.activeElement.name == "name" && document.activeElement.value == "CI"`)
	}
	b.TabTo("Create key")
	b.Press(kb.Enter)
	b.Wait(`document.getElementById("token")`)
	token := b.text(`document.getElementById("token").textContent`)
	c, err := b.w.Authenticate(b.T.Context(), token)
	must(b.T, err)
	if len(c.Scopes) != 2 || c.ExpiresAt == nil || c.WorkspaceID != b.w.web {
		b.T.Errorf("the key is %+v", c)
	}
	return token
}

// rotateAndRevoke does both on the page of a key.
func (b tab) rotateAndRevoke(token string) {
	b.T.Helper()
	b.TabTo("Rotate key")
	b.Press(kb.Enter)
	b.Wait(`document.querySelector("#rotate[open]").contains(document.activeElement)`)
	b.Press(kb.Escape)
	b.Wait(`!document.querySelector("#rotate[open]") && document.activeElement.textContent.trim() == "Rotate key"`)
	b.Press(kb.Enter)
	b.Wait(`document.querySelector("#rotate[open]")`)
	b.TabTo("Rotate key")
	b.Press(kb.Enter)
	b.Wait(`document.getElementById("token")`)
	if next := b.text(`document.getElementById("token").textContent`); next == token ||
		!regexp.MustCompile(`^svc_wst_\w{36}$`).MatchString(next) {
		b.T.Errorf("the new token is %q", next)
	}
	b.TabTo("Done")
	b.Press(kb.Enter)
	b.Wait(`document.querySelector("[commandfor=revoke]")`)
	b.TabTo("Revoke key")
	b.Press(kb.Enter)
	b.Wait(`document.activeElement.textContent == "Cancel"`)
	b.TabTo("Revoke key")
	b.Press(kb.Enter)
	b.Wait(`document.querySelector("main .notice")`)
	if _, err := b.w.Authenticate(b.T.Context(), token); err == nil {
		b.T.Error("a revoked key works")
	}
}

// TestBrowserDoubleClick: a form that is sent by a double click is sent once, and its result is shown.
func TestBrowserDoubleClick(t *testing.T) {
	t.Parallel()
	var created atomic.Int64
	w := newWorld(t, posting(table, "/settings/keys", func(create page.Handler) page.Handler {
		return func(q *page.Request) (page.Result, error) {
			q.Request = q.WithContext(context.WithoutCancel(q.Context()))
			result, err := create(q)
			created.Add(1)
			time.Sleep(time.Second)
			return result, err
		}
	}), nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Open("/settings/keys/new?name=Twice&preset=read")
	b.Wait(`window.htmx && document.readyState == "complete"`)
	const button = "form[action='/settings/keys'] .form-actions button"
	b.ClickOn(button)
	b.ClickOn(button)
	b.Wait(`document.querySelector("[data-page=newkey] .secret-text")`)
	if token := b.text(`document.querySelector(".secret-text").textContent`); !strings.HasPrefix(token, "svc_pat_") {
		t.Errorf("the page shows the token %q", token)
	}
	if n := created.Load(); n != 1 {
		t.Errorf("the form was sent %d times", n)
	}
	b.Quiet()
}

// TestBrowserBoost: faults and going back work where script swaps pages.
func TestBrowserBoost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Size(1024, 768)
	b.Open("/settings/keys/new")
	b.Wait(`window.htmx && document.activeElement.name == "name"`)
	b.holds(`window.kept = true`)
	b.Press("Laptop", kb.Enter) // by the first button of the form, which creates
	b.Wait(`document.querySelector(".fault")`)
	if at := b.text(`location.pathname + " " + document.querySelector("[name=name]").value`); at != "/settings/keys/new Laptop" {
		t.Errorf("after a fault: %q", at)
	}
	b.ClickOn(".nav-link[href='/settings/profile']")
	b.Wait(`document.querySelector("[data-page=profile]") && document.activeElement.id == "main" && document.title == "Profile · Bugslice"`)
	b.holds(`history.back(), true`)
	b.Wait(`document.querySelector("[data-page=newkey]") && document.title.startsWith("New key")`)
	if !b.holds(`window.kept === true`) {
		t.Error("a page was loaded")
	}
	b.holds(`document.querySelector("[value=wst]").click(), true`)
	b.Wait(`!document.querySelector("[name=workspaceId]").disabled`)
	b.holds(`document.querySelector("[value=pat]").click(), true`)
	b.Wait(`document.querySelector("[name=workspaceId]").disabled`)
	if html := b.text(`document.documentElement.outerHTML`); strings.Contains(html, " style=") {
		t.Error("htmx has written a style")
	}
	b.Quiet()
}
