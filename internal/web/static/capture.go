package static

import (
	"bytes"
	"crypto/sha512"
	"encoding/base64"
	"path"
	"strings"
)

// The script that other applications load, at two addresses: one that stays, and one with the hash of its content, for
// a page that names the integrity. Pages of earlier versions contain the third.
const (
	captureURL  = "/capture/v1.js"
	recordedURL = "/static/record.js"
)

// captureChunks are what the script loads when it is needed, by the names that it contains (scripts/bundle).
var captureChunks = map[string]string{"/capture/recorder.js": "built/capturerecorder.js",
	"/capture/dialog.js": "built/capturedialog.js", "/capture/intake.js": "built/captureintake.js"}

// addCapture adds the script and its parts, which pages of every origin may load.
func addCapture(all map[string]*asset) {
	script := read("built/capture.js")
	for name, file := range captureChunks {
		a := captureAsset(path.Base(name), read(file))
		all[path.Base(file)] = a
		script = bytes.ReplaceAll(script, []byte(name), []byte(a.url))
	}
	pinned := captureAsset("v1.js", script)
	all["capture.pinned.js"] = pinned
	for _, url := range []string{captureURL, recordedURL} {
		stays := *pinned
		stays.url, stays.tag = url, `"`+path.Base(pinned.url)+`"`
		all[url] = &stays
	}
}

func captureAsset(name string, content []byte) *asset {
	a := newAsset(name, content)
	a.url, a.shared = strings.Replace(a.url, "/static/", "/capture/", 1), true
	return a
}

// Capture returns the address of the script for other applications with the hash of its content, and its integrity.
func Capture() (url, integrity string) {
	a := assets()["capture.pinned.js"]
	hash := sha512.Sum384(a.plain)
	return a.url, "sha384-" + base64.StdEncoding.EncodeToString(hash[:])
}
