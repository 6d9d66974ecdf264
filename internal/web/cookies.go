package web

import (
	"net/http"
	"time"

	"bugslice/internal/web/page"
)

// year is how long a browser keeps what is no secret of a session.
const year = 365 * 24 * time.Hour

// zoneCookie is the time zone of the browser, which a script stores. It is no secret, and selects nothing but how
// times are shown.
const zoneCookie = "bugslice-zone"

// cookies are the names of the cookies. Over https the prefix __Host- binds them to this host.
type cookies struct {
	session, device, notice, workspace string
	attempt                            string // a sign-in at a provider that the browser has begun
	secure                             bool
}

func newCookies(secure bool) cookies {
	prefix := ""
	if secure {
		prefix = "__Host-"
	}
	name := prefix + "bugslice"
	return cookies{session: name, device: name + "-device", notice: name + "-notice", workspace: name + "-workspace",
		attempt: name + "-provider",
		secure:  secure}
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

// signIn sets the cookies of a session that was opened or rotated.
func (c cookies) signIn(w http.ResponseWriter, s page.NewSession, now time.Time) {
	c.set(w, c.session, s.Token, max(time.Second, s.ExpiresAt.Sub(now)))
	if s.Device != "" {
		c.set(w, c.device, s.Device, year)
	}
}
