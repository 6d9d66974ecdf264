package redact

import (
	"errors"
	"io"
	"mime"
	"strings"
	"unicode/utf8"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

// encoded returns the function of a text that is declared to be encoded. It is read decoded, as far as it can be
// decoded, and as it is, because tools cut texts off and declare others wrongly. It is removed as a whole when a
// secret in it cannot be cut out.
func (a archive) encoded(contentType string, d coding) redactFunc {
	return func(v any) any {
		s, ok := v.(string)
		if !ok || s == "" {
			return a.text(contentType)(v)
		}
		plain, rest := d.decode(s)
		out, readable := a.content(contentType, string(plain))
		switch {
		case !readable:
			a.c.countUnseen(decide.Unreadable.Rule)
			return d.encode(lex.Marker(decide.KindBody))
		case out != string(plain):
			rest = a.r.redactWhole("", rest, a.c)
			s = d.encode(out) + rest
		case rest != "" || !isBinary(contentType, out) && !d.readsText:
			s = a.r.redactWhole(contentType, s, a.c)
		}
		if rest != "" && a.hidesSecret(s, isBinary(contentType, out), d) {
			a.c.countUnseen(decide.Unreadable.Rule)
			return d.encode(lex.Marker(decide.KindBody))
		}
		return s
	}
}

// content redacts the decoded bytes of a body, which may be packed. They are not readable when they cannot be
// unpacked, or have a secret in UTF-16 or UTF-32. Images, sound and fonts with binary content are not scanned.
func (a archive) content(contentType, plain string) (out string, readable bool) {
	p := packingOf(plain)
	body, err := p.unpack(plain, a.r.unpacked)
	if err != nil {
		return "", false
	}
	if isBinary(contentType, body) {
		return plain, true
	}
	if p.open == nil && !utf8.ValidString(body) { // it may be deflate without a head
		left := *a.r.unpacked
		inner, err := rawly.unpack(body, a.r.unpacked)
		switch {
		case errors.Is(err, io.ErrShortBuffer):
			return "", false
		case err != nil: // it is not
			*a.r.unpacked = left
		case inner != "":
			p, body = rawly, inner
		}
	}
	if n := strings.Count(body, "\x00"); n > 0 && n >= len(body)/8 {
		text := strings.ReplaceAll(body, "\x00", "")
		return plain, a.r.redactWhole(contentType, text, nil) == text
	}
	if out = a.r.redactWhole(contentType, body, a.c); out == body {
		return plain, true
	}
	return p.pack(out), true
}

// hidesSecret reports whether a text that is only partly encoded has a secret in what was not decoded.
func (a archive) hidesSecret(s string, binary bool, d coding) bool {
	_, rest := d.decode(s)
	texts := hiddenIn(rest)
	if !binary {
		for _, digits := range [...]string{s, base64Digits(s, 1), base64Digits(s, leastRun)} {
			texts = append(texts, string(lex.DecodeDigits(digits)))
		}
	}
	for _, text := range texts {
		if a.r.redactWhole("", text, nil) != text {
			return true
		}
	}
	return false
}

// isBinary reports whether a body is the bytes of an image, a font, sound or video.
func isBinary(contentType, body string) bool {
	return isBinaryType(contentType) && strings.IndexByte(body, 0) >= 0
}

// isBinaryType reports whether a content type is that of images, fonts, sound or video.
func isBinaryType(contentType string) bool {
	kind, _, _ := mime.ParseMediaType(contentType)
	kind, _, _ = strings.Cut(kind, "/")
	return kind == "image" || kind == "font" || kind == "audio" || kind == "video"
}
