// Package media detects the type of uploaded files, measures images and makes thumbnails. It trusts no upload: it
// detects the type from the bytes, and decodes only images of a bounded size.
package media

import (
	"bytes"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
)

// HeadSize is how many bytes at the start of a file Detect needs.
const HeadSize = 4096

// The kinds of the API.
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

// Detect returns the media type of a file and its kind of evidence, from the first bytes, the declared media type and
// the name. A signature takes precedence over the declared type. The declared type, or the extension of the name,
// only distinguishes texts. A signature of letters that text follows is not a signature.
func Detect(head []byte, declared, name string) (mediaType, kind string) {
	textType, _, err := mime.ParseMediaType(declared)
	if err != nil || !isTextType[textType] {
		textType = extensions[strings.ToLower(path.Ext(name))]
	}
	head = utf8Head(head)
	switch sniffed := sniff(head); {
	case sniffed != "":
		mediaType = sniffed
	case !looksLikeText(head, isTextType[textType]):
		mediaType = octets
	case isTextType[textType]:
		mediaType = textType
	default:
		mediaType = "text/plain"
	}
	return mediaType, kindOf(head, mediaType, name)
}

// isTextType has the media types of text that a client may declare.
var isTextType = map[string]bool{
	"text/plain": true, "text/markdown": true, "text/csv": true, "text/html": true, "text/xml": true, "text/css": true,
	"text/javascript": true, "application/javascript": true, "application/json": true, "application/x-ndjson": true,
	"application/har+json": true, "application/xml": true, "application/yaml": true, "image/svg+xml": true,
}

// extensions has the media types of text by the extension of a file name.
var extensions = map[string]string{
	".json": "application/json", ".har": "application/har+json", ".ndjson": "application/x-ndjson",
	".jsonl": "application/x-ndjson",
	".md":    "text/markdown", ".csv": "text/csv", ".html": "text/html", ".htm": "text/html", ".svg": "image/svg+xml",
	".xml": "application/xml", ".yaml": "application/yaml", ".yml": "application/yaml",
	".txt": "text/plain", ".log": "text/plain", ".env": "text/plain", ".ini": "text/plain", ".conf": "text/plain",
	".cfg": "text/plain", ".properties": "text/plain", ".toml": "text/plain", ".sql": "text/plain",
}

// sniff returns the media type of a format with a signature, or of markup that a browser would run, or "".
func sniff(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return "application/zstd"
	case len(head) >= 12 && string(head[4:8]) == "ftyp" && head[0] == 0:
		return brandType(string(head[8:12]))
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
		if !isTextWithPrefix(head) {
			return t
		}
	}
	if trimmed := bytes.ToLower(bytes.TrimLeft(head, " \t\r\n\ufeff")); bytes.HasPrefix(trimmed, []byte("<svg")) {
		return "image/svg+xml"
	}
	return ""
}

// brandType returns the media type of a brand of the ISO base media file format.
func brandType(brand string) string {
	switch brand {
	case "avif", "avis":
		return "image/avif"
	case "heic", "heix", "mif1", "msf1":
		return "image/heic"
	case "qt  ":
		return "video/quicktime"
	}
	return "video/mp4"
}

// kindOf returns the kind of a file of a media type.
func kindOf(head []byte, mediaType, name string) string {
	lower := strings.ToLower(name)
	switch {
	case mediaType == "image/svg+xml":
		return Other
	case strings.HasPrefix(mediaType, "image/"):
		return Screenshot
	case strings.HasPrefix(mediaType, "video/"):
		return Video
	case IsJSON(head):
		return jsonKind(head, mediaType, lower)
	case strings.HasSuffix(lower, ".log"), mediaType == "text/plain":
		return Log
	}
	return Other
}

// jsonKind returns the kind of a JSON file, by its name in lower case and the members at its start.
func jsonKind(head []byte, mediaType, name string) string {
	has := func(text string) bool { return bytes.Contains(head, []byte(text)) }
	switch {
	case strings.HasSuffix(name, ".har"), mediaType == "application/har+json", has(`"log"`) &&
		(has(`"creator"`) || has(`"entries"`)):
		return Network
	case (strings.Contains(name, "replay") || strings.Contains(name, "rrweb")) && has(`"timestamp"`):
		return Replay
	case strings.Contains(name, "console") && has(`"level"`):
		return Console
	case strings.Contains(name, "actions") && has(`"type"`):
		return Actions
	case strings.HasSuffix(name, ".log"):
		return Log
	}
	return Other
}

// IsJSON reports whether a file starts like a JSON object or array.
func IsJSON(head []byte) bool {
	head = bytes.TrimLeft(utf8Head(head), " \t\r\n\ufeff")
	return len(head) > 0 && (head[0] == '{' || head[0] == '[')
}

// Fits reports whether a file of a media type can be of a kind. A file of unknown type can be of any kind.
func Fits(kind, mediaType string) bool {
	switch {
	case mediaType == octets:
	case kind == Screenshot:
		return strings.HasPrefix(mediaType, "image/")
	case kind == Video:
		return strings.HasPrefix(mediaType, "video/") ||
			slices.Contains([]string{"application/ogg", "image/gif", "image/webp"}, mediaType)
	}
	return true
}

// Inline reports whether a browser may display a media type: an image, a video or plain text, none of which runs
// scripts.
func Inline(mediaType string) bool {
	switch mediaType {
	case "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "video/mp4", "video/webm", "text/plain":
		return true
	}
	return false
}

// IsText reports whether a media type is text, which is searched for secrets.
func IsText(mediaType string) bool {
	return strings.HasPrefix(mediaType, "text/") || isTextType[mediaType]
}
