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

// standard turns the alphabet of URLs into the usual one, and drops breaks of lines and padding.
var standard = strings.NewReplacer("-", "+", "_", "/", "\r", "", "\n", "", " ", "", "\t", "", "=", "")

// encoded is a text in base64, in either alphabet, gzipped perhaps. Pictures, sound and fonts that
// are no text are not looked at; what is not base64 is redacted as it stands.
func (a archive) encoded(contentType string) part {
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
		if pictured(contentType) && bytes.IndexByte(plain, 0) >= 0 {
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

func pictured(contentType string) bool {
	kind, _, _ := mime.ParseMediaType(contentType)
	kind, _, _ = strings.Cut(kind, "/")
	return kind == "image" || kind == "font" || kind == "audio" || kind == "video"
}

// kindBody is a body that cannot be looked into.
const kindBody = "body"

// unzip unpacks what does not grow beyond measure: the work stays linear in the size of the input.
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
