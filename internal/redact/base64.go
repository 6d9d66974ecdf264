package redact

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"mime"
	"strings"
)

func isBase64(coding string) bool { return strings.EqualFold(strings.TrimSpace(coding), "base64") }

// standard converts the alphabet of URLs to the usual one, and removes line breaks and padding.
var standard = strings.NewReplacer("-", "+", "_", "/", "\r", "", "\n", "", " ", "", "\t", "", "=", "")

// encoded returns the function of a text in base64, in either alphabet and optionally gzipped. Images, sound and fonts with binary content
// are not scanned. A text that is not base64 is redacted as it is.
func (a archive) encoded(contentType string) redactFunc {
	return func(v any) any {
		s, _ := v.(string)
		raw, err := base64.RawStdEncoding.DecodeString(standard.Replace(s))
		if s == "" || err != nil {
			return a.text(contentType)(v)
		}
		zipped := bytes.HasPrefix(raw, []byte("\x1f\x8b"))
		plain := raw
		if zipped {
			if plain, err = unzip(raw); err != nil {
				a.c.count(kindBody)
				return base64.StdEncoding.EncodeToString([]byte(marker(kindBody)))
			}
		}
		if isBinaryType(contentType) && bytes.IndexByte(plain, 0) >= 0 {
			return v
		}
		out := a.r.Body(contentType, string(plain), a.c)
		switch {
		case out == string(plain):
			return v
		case zipped:
			out = zip(out)
		}
		return base64.StdEncoding.EncodeToString([]byte(out))
	}
}

// isBinaryType reports whether a content type is that of images, fonts, sound or video.
func isBinaryType(contentType string) bool {
	kind, _, _ := mime.ParseMediaType(contentType)
	kind, _, _ = strings.Cut(kind, "/")
	return kind == "image" || kind == "font" || kind == "audio" || kind == "video"
}

// kindBody is the kind of a body that cannot be unpacked.
const kindBody = "body"

// unzip unpacks at most 64 KiB more than 64 times the packed size, so that the work stays linear in the size of the input.
func unzip(packed []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	most := 64<<10 + 64*int64(len(packed))
	plain, err := io.ReadAll(io.LimitReader(z, most+1))
	if err == nil && int64(len(plain)) > most {
		err = io.ErrShortBuffer
	}
	return plain, err
}

func zip(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // into memory
	_ = w.Close()
	return b.String()
}
