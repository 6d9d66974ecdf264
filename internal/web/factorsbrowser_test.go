package web

import (
	"testing"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp/kb"

	"bugslice/internal/browsertest"
	"bugslice/internal/tracker"
)

// looked opens nothing: axe looks at the page that is shown, narrow and wide, in the light and in the dark, and nothing
// is wider than the window.
func (b tab) looked(name string) {
	b.T.Helper()
	for _, width := range []int64{390, 1440} {
		b.Size(width, 900)
		b.wantFitting(width)
		for _, theme := range []string{"light", "dark"} {
			b.axe(width, theme)
			b.photograph(name, width, theme, true)
		}
	}
}

// TestBrowserPasskey: with the authenticator of a browser, somebody makes a passkey, signs in with it alone and as a
// second factor, by the keyboard, confirms a change with it, and signs in with the password and a recovery code.
func TestBrowserPasskey(t *testing.T) {
	t.Parallel()
	w := passkeyWorld(t)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Preload(`if (localStorage.manual) PublicKeyCredential.isConditionalMediationAvailable = undefined;`)
	browsertest.Call(b.Tab, webauthn.Enable, webauthn.EnableParams{})
	browsertest.Call(b.Tab, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{
		Options: &webauthn.VirtualAuthenticatorOptions{Protocol: webauthn.AuthenticatorProtocolCtap2,
			Transport: webauthn.AuthenticatorTransportInternal, HasResidentKey: true, HasUserVerification: true,
			IsUserVerified: true, AutomaticPresenceSimulation: true}})
	b.Open("/settings/security")
	b.looked("factors-none")
	b.Click("Add a passkey")
	b.Wait(`location.pathname == "/settings/security/passkeys" && !document.querySelector("[data-ask]").hidden`)
	b.looked("passkey-new")
	b.Fill("name", "Laptop")
	b.Press(kb.Enter)
	b.Wait(`document.querySelector("#codes")`)
	b.looked("recovery-codes")
	code := b.text(`document.querySelector("#codes").textContent.split("\n")[0]`)
	b.ClickOn("[data-download]")
	if href := b.text(`document.querySelector("[data-download]").href`); len(href) < 10 || href[:5] != "blob:" {
		t.Errorf("the download is %q", href)
	}
	b.Click("I have stored them")
	b.Wait(`location.pathname == "/settings/security"`)
	b.Open("/settings/security/authenticator")
	b.looked("authenticator")
	b.Open("/settings/security")
	b.looked("factors-passkey")
	b.Click("Rename the passkey Laptop")
	b.Wait(`location.pathname.startsWith("/settings/security/passkeys/psk_")`)
	b.looked("passkey-rename")
	b.Fill("name", "Work laptop")
	b.Press(kb.Enter)
	b.Wait(`location.pathname == "/settings/security" && document.body.textContent.includes("Work laptop")`)

	signOut := func() {
		t.Helper()
		b.Open("/settings/security")
		b.Cookie("bugslice", "none")
	}
	signOut()
	b.Open("/login?next=/settings/keys") // the browser offers the passkey for the field of the e-mail, and its user takes it
	b.Wait(`location.pathname == "/settings/keys"`)
	browsertest.Eval[string](b.Tab, `localStorage.manual = "1"`)
	signOut()
	b.Open("/login?next=/settings/keys")
	b.Wait(`!document.querySelector("[data-ask]").hidden`)
	b.looked("login-passkey")
	b.TabTo("Sign in with a passkey")
	b.Press(kb.Enter)
	b.Wait(`location.pathname == "/settings/keys"`)

	signOut()
	b.Open("/login?next=/settings/keys")
	b.Fill("email", owner)
	b.Fill("password", password)
	b.Press(kb.Enter)
	b.Wait(`location.pathname == "/login/second"`)
	b.looked("login-second")
	b.Click("Use a passkey")
	b.Wait(`location.pathname == "/settings/keys"`)

	w.clock.add(16 * 60 * 1e9)
	b.Open("/settings/security")
	b.Click("Remove password")
	b.Wait(`document.querySelector("#password") && !document.querySelector("[data-ask]").hidden`)
	b.looked("confirm-passkey")
	b.Click("Use a passkey")
	b.Wait(`location.pathname == "/settings/security" && document.querySelector(".notice-good")`)
	b.looked("factors-passkey-alone")

	b.Fill("newPassword", password)
	b.Press(kb.Enter)
	b.Wait(`document.querySelector("[name=currentPassword]")`)
	signOut()
	b.Script(false)
	b.Open("/login?next=/settings/keys")
	b.Fill("email", owner)
	b.Fill("password", password)
	b.Press(kb.Enter)
	b.Wait(`location.pathname == "/login/second"`)
	b.Fill("proof-code", code)
	b.Press(kb.Enter)
	b.Wait(`location.pathname == "/settings/keys"`)
	b.Open("/settings/policies")
	b.Script(true)
	b.Open("/settings/policies")
	b.ClickOn("[name=secondFactor]")
	b.Click("Show what this changes")
	b.Wait(`document.querySelector("#factor-people")`)
	b.looked("second-factor-policy")
	b.Click("Save these policies")
	b.Wait(`document.querySelector(".notice-good")`)
	b.Cookie("bugslice", w.session(t, member, tracker.Client{}))
	b.Open("/reports")
	b.Wait(`location.pathname == "/settings/security"`)
	b.looked("factor-required")
}
