package web

import (
	"net/http"
	"strings"
)

// policy is the content security policy of every page: nothing but what this service serves, no inline script or
// style, and no frame around it. A text becomes elements only where the script of the page has checked that it is a
// page of this service (static/js/page.js), which has the only policies that the browser accepts.
var policy = strings.Join([]string{
	"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:", "font-src 'self'",
	"connect-src 'self'", "media-src 'self'", "frame-src 'self'", "manifest-src 'self'",
	"form-action 'self'", "base-uri 'none'",
	"frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types bugslice default",
}, "; ")

// framePolicy is that of the frame in which a replay is played: it loads our script and style, shows pictures, fonts
// and media that the replay holds, has the document that plays it as a frame, and connects nowhere.
var framePolicy = strings.Join([]string{
	"default-src 'none'", "script-src 'self'", "style-src 'self' 'unsafe-inline'", "img-src data:", "font-src data:",
	"media-src data:",
	"frame-src data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'self'",
}, "; ")

// setFrameHeaders sets what the frame of a replay has in place of what pages have.
func setFrameHeaders(h http.Header) {
	h.Set("Content-Security-Policy", framePolicy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-DNS-Prefetch-Control", "off")
}

// endPolicy is that of the answer in a frame of a provider that a session has ended. It has no content, so that every page
// may have the frame.
const endPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'"

// setEndHeaders sets what the answer in a frame of a provider has in place of what pages have.
func setEndHeaders(h http.Header) {
	h.Set("Content-Security-Policy", endPolicy)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
}

// setHeaders sets what every page has. With no-referrer, browsers would send the origin null with a form, which
// tells nothing about where it came from.
func setHeaders(h http.Header, at row) {
	h.Del("Content-Disposition") // of a file that could not be written
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "Accept, Cookie, HX-Request-Type, HX-Target")
	if at.access.hasAddress() { // whose address is a secret
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Robots-Tag", "noindex, nofollow")
		h.Set("Vary", "Accept")
	}
	if at.access == withPage { // it has forms, of which browsers tell no origin without a referrer
		h.Set("Referrer-Policy", "same-origin")
	}
}
