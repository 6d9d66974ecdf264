// Package media looks at uploaded files, which are hostile until shown otherwise: what they
// really are, how large an image is, and a small picture of it. It never trusts what a file was
// sent as, and decodes pixels only of images whose size is bounded.
package media

import (
	"bytes"
	"mime"
	"net/http"
	"path"
	"strings"
)

// Head is how many bytes of a file Detect wants to see.
const Head = 4096

// Kinds, as the API names them.
const (
	Screenshot = "screenshot"
	Video      = "video"
	Console    = "console"
	Network    = "network"
	Actions    = "actions"
	Replay     = "replay"
	Log        = "log"
	Other      = "other"
)

const octets = "application/octet-stream"

// Detect says what a file is, by its first bytes, what it was sent as and its name, and which
// kind of evidence that makes it. A format with a signature is believed, whatever was said;
// what was said counts among texts alone, and only when the bytes look like text. A signature
// of letters is none when text follows it.
func Detect(head []byte, declared, name string) (mediaType, kind string) {
	said, _, err := mime.ParseMediaType(declared)
	if err != nil || !textual[said] {
		said = byExtension(name)
	}
	head = utf8Head(head)
	switch sniffed := sniff(head); {
	case sniffed != "":
		mediaType = sniffed
	case !isText(head, textual[said]):
		mediaType = octets
	case textual[said]:
		mediaType = said
	default:
		mediaType = "text/plain"
	}
	return mediaType, kindOf(head, mediaType, name)
}

// textual are the types that a text may be said to be.
var textual = map[string]bool{"text/plain": true, "text/markdown": true, "text/csv": true, "application/json": true, "application/x-ndjson": true,
	"text/html": true, "image/svg+xml": true, "application/xml": true, "text/xml": true, "text/css": true, "text/javascript": true, "application/javascript": true,
	"application/yaml": true, "application/har+json": true}

func byExtension(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".json":
		return "application/json"
	case ".har":
		return "application/har+json"
	case ".ndjson", ".jsonl":
		return "application/x-ndjson"
	case ".md":
		return "text/markdown"
	case ".csv":
		return "text/csv"
	case ".html", ".htm":
		return "text/html"
	case ".svg":
		return "image/svg+xml"
	case ".xml":
		return "application/xml"
	case ".yaml", ".yml":
		return "application/yaml"
	case ".txt", ".log", ".env", ".ini", ".conf", ".cfg", ".properties", ".toml", ".sql":
		return "text/plain"
	}
	return ""
}

// sniff knows formats by their signatures, and markup that a browser would run.
func sniff(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return "application/zstd"
	case len(head) >= 12 && string(head[4:8]) == "ftyp" && head[0] == 0:
		return brand(string(head[8:12]))
	}
	switch t, _, _ := mime.ParseMediaType(http.DetectContentType(head)); t {
	case "text/plain", octets, "application/postscript":
	case "text/xml":
		if bytes.Contains(bytes.ToLower(head), []byte("<svg")) {
			return "image/svg+xml"
		}
		return "application/xml"
	case "text/html", "application/pdf":
		return t
	default:
		if !lettered(head) {
			return t
		}
	}
	if trimmed := bytes.ToLower(bytes.TrimLeft(head, " \t\r\n\ufeff")); bytes.HasPrefix(trimmed, []byte("<svg")) {
		return "image/svg+xml"
	}
	return ""
}

func brand(b string) string {
	switch b {
	case "avif", "avis":
		return "image/avif"
	case "heic", "heix", "mif1", "msf1":
		return "image/heic"
	case "qt  ":
		return "video/quicktime"
	}
	return "video/mp4"
}

func kindOf(head []byte, mediaType, name string) string {
	lower := strings.ToLower(name)
	json := JSON(head)
	switch {
	case mediaType == "image/svg+xml":
		return Other
	case strings.HasPrefix(mediaType, "image/"):
		return Screenshot
	case strings.HasPrefix(mediaType, "video/"):
		return Video
	case json && (strings.HasSuffix(lower, ".har") || mediaType == "application/har+json" || has(head, `"log"`) && (has(head, `"creator"`) || has(head, `"entries"`))):
		return Network
	case json && (strings.Contains(lower, "replay") || strings.Contains(lower, "rrweb")) && has(head, `"timestamp"`):
		return Replay
	case json && strings.Contains(lower, "console") && has(head, `"level"`):
		return Console
	case json && strings.Contains(lower, "actions") && has(head, `"type"`):
		return Actions
	case strings.HasSuffix(lower, ".log"), mediaType == "text/plain" && !json:
		return Log
	}
	return Other
}

// JSON says whether a file begins like JSON that holds more than one value.
func JSON(head []byte) bool {
	head = bytes.TrimLeft(utf8Head(head), " \t\r\n\ufeff")
	return len(head) > 0 && (head[0] == '{' || head[0] == '[')
}

// Fits says whether a file of a type can be of a kind. What is not known to be something else can.
func Fits(kind, mediaType string) bool {
	switch {
	case mediaType == octets:
	case kind == Screenshot:
		return strings.HasPrefix(mediaType, "image/")
	case kind == Video:
		return strings.HasPrefix(mediaType, "video/") || mediaType == "application/ogg" || mediaType == "image/gif" || mediaType == "image/webp"
	}
	return true
}

func has(head []byte, text string) bool { return bytes.Contains(head, []byte(text)) }

// Inline says whether a browser may show a type in place: pictures, films and plain text, which
// run nothing.
func Inline(mediaType string) bool {
	switch mediaType {
	case "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "video/mp4", "video/webm", "text/plain":
		return true
	}
	return false
}

// Text says whether a type is text, which is searched for secrets.
func Text(mediaType string) bool {
	return strings.HasPrefix(mediaType, "text/") || textual[mediaType]
}
