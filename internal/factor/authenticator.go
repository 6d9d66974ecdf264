package factor

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"fmt"
	"html/template"
	"net/url"
	"strings"
	"time"

	"github.com/boombuler/barcode/qr"
	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
)

// A code of an authenticator app is valid in its step of 30 seconds, and in the ones before and after.
const (
	step     = 30
	tolerate = 1
)

var encoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// NewKey returns a key of 160 random bits for an authenticator app, in base32.
func NewKey() string {
	var b [20]byte
	_, _ = rand.Read(b[:])
	return encoding.EncodeToString(b[:])
}

// Spaced returns a key or a code in groups of four characters, for people who type it.
func Spaced(text string) string {
	var groups []string
	for len(text) > 4 {
		groups, text = append(groups, text[:4]), text[4:]
	}
	return strings.Join(append(groups, text), " ")
}

// KeyURI returns the address that an authenticator app reads from a QR code.
func KeyURI(key, issuer, account string) string {
	return "otpauth://totp/" + url.PathEscape(issuer+":"+account) + "?secret=" + key + "&issuer=" +
		url.QueryEscape(issuer) + fmt.Sprintf("&algorithm=SHA1&digits=%d&period=%d", otp.DigitsSix, step)
}

// Step returns the step of a time.
func Step(at time.Time) int64 { return at.Unix() / step }

// CodeAt returns the code of a key in a step, as an authenticator app shows it.
func CodeAt(key string, at int64) (string, error) { return hotp.GenerateCode(key, uint64(at)) }

// Match returns the step of which a code is, among those after used that are valid now. It is not ok for another code.
func Match(key, code string, now time.Time, used int64) (matched int64, ok bool) {
	code = digits(code)
	for at := Step(now) - tolerate; at <= Step(now)+tolerate; at++ {
		want, err := CodeAt(key, at)
		if err == nil && at > used && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			matched, ok = at, true
		}
	}
	return matched, ok
}

// digits removes the spaces that people and apps write between digits.
func digits(code string) string { return strings.Join(strings.Fields(code), "") }

// IsCode reports whether a text has the form of a code of an authenticator app.
func IsCode(text string) bool {
	text = digits(text)
	return len(text) == 6 && strings.Trim(text, "0123456789") == ""
}

// Picture returns the QR code of a text as markup: an image of SVG, with a margin of four modules.
func Picture(text string) (template.HTML, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return "", err
	}
	const margin = 4
	side := code.Bounds().Dx()
	var path strings.Builder
	for y := range side {
		for x := range side {
			if r, _, _, _ := code.At(x, y).RGBA(); r == 0 {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+margin, y+margin)
			}
		}
	}
	all := side + 2*margin
	return template.HTML(fmt.Sprintf(`<svg class="qr" viewBox="0 0 %d %d" role="img" aria-label="QR code with the key">`+
		`<rect width="%d" height="%d" fill="#fff"/><path d="%s" fill="#000"/></svg>`, all, all, all, all, path.String())), nil
}
