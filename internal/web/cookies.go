package web

import (
	"net/http"
	"time"

	"bugslice/api"
	"bugslice/internal/web/page"
)

// year is how long a browser keeps what is no secret of a session.
const year = 365 * 24 * time.Hour

// zoneCookie is the time zone of the browser, which a script stores. It is no secret, and selects nothing but how
// times are shown.
const zoneCookie = "bugslice-zone"

// themeCookie is the theme that the reader has chosen, for the reference of the API, which knows no session. It is no
// secret. Without it the theme is that of the system.
const themeCookie = "bugslice-theme"

// keepTheme lets the browser keep the theme of the reader.
func (c cookies) keepTheme(w http.ResponseWriter, q *page.Request) {
	switch theme, kept := string(q.Session.Profile.Theme), c.read(q.Request, themeCookie); {
	case theme == kept || theme == string(api.ThemeSystem) && kept == "":
	case theme == string(api.ThemeSystem):
		c.remove(w, themeCookie)
	default:
		c.set(w, themeCookie, theme, year)
	}
}

// cookies are the names of the cookies. Over https the prefix __Host- binds them to this host.
type cookies struct {
	session, device, notice, workspace string
	step, attempt                      string // of a sign-in: that waits for the second factor; that has gone to a provider
	secure                             bool
}

func newCookies(secure bool) cookies {
	prefix := ""
	if secure {
		prefix = "__Host-"
	}
	name := prefix + "bugslice"
	return cookies{session: name, device: name + "-device", notice: name + "-notice", workspace: name + "-workspace",
		step: name + "-step", attempt: name + "-provider", secure: secure}
}

func (c cookies) read(r *http.Request, name string) string {
	cookie, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return cookie.Value
}

func (c cookies) set(w http.ResponseWriter, name, value string, age time.Duration) {
	http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: int(age.Seconds()), Secure: c.secure,
		HttpOnly: true, SameSite: http.SameSiteLaxMode})
}

func (c cookies) remove(w http.ResponseWriter, name string) {
	http.SetCookie(w, &http.Cookie{Name: name, Path: "/", MaxAge: -1, Secure: c.secure, HttpOnly: true,
		SameSite: http.SameSiteLaxMode})
}

// stepAge is the time for which a browser keeps the token of a sign-in that is not finished.
const stepAge = time.Hour

// signIn sets the cookies of a session that was opened or rotated.
func (c cookies) signIn(w http.ResponseWriter, s page.NewSession, now time.Time) {
	c.set(w, c.session, s.Token, max(time.Second, s.ExpiresAt.Sub(now)))
	if s.Device != "" {
		c.set(w, c.device, s.Device, year)
	}
}
