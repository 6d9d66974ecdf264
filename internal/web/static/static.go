// Package static serves what the pages load: styles, scripts, fonts, and what an installed application has. Each is
// embedded and has a hash of its content in its name, so that browsers keep it for ever. Icons are parts of the pages.
package static

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

//go:embed built css vendor fonts licences icons icons.svg mark.svg manifest.webmanifest
var files embed.FS

// asset is a file with its name on the web.
type asset struct {
	url        string // /static/app.3Jx9….css
	mediaType  string
	plain      []byte
	compressed []byte // nil where it would save nothing
	tag        string // of the content, for a file whose name stays the same; empty for one whose name has a hash
	shared     bool   // whether pages of every origin may read it
}

// assets are the files by their names. app.css and app.js are those of every page, and early.js is loaded before
// both. Pages with a report load report.css, which contains writing.css, and report.js, the list of reports loads
// list.css and list.js, the board also board.css and board.js, the overview and the tests load overview.css and
// overview.js, the pages of people, of a workspace, of webhooks, of redaction, of the audit log and of a key load
// administration.css, the form of a new report loads newreport.css, which contains writing.css, the inbox and the
// reports that wait load inbox.css and inbox.js, other forms with a field for Markdown or files load writing.css, all of
// them writing.js, pages with evidence load evidence.js, and those with a divider dividers.js. The tests load
// applying.js, the profile portrait.js, and the search loads list.css. factors.js is loaded by pages that ask a passkey
// or show recovery codes. palette.js and filter.js are loaded when the palette or the menu of filters is opened, and the
// scripts of replays when one is played. Those of capture.go are loaded by the pages of other applications, and
// reference.js by the reference of the API alone.
var assets = sync.OnceValue(load)

var byURL = sync.OnceValue(func() map[string]*asset {
	all := map[string]*asset{}
	for _, a := range assets() {
		all[a.url] = a
	}
	return all
})

// base is how the scripts of single pages name the script from which they import (scripts/bundle).
const base = "../app.js"

func load() map[string]*asset {
	all := map[string]*asset{}
	addCapture(all)
	add := func(name string, content []byte) { all[path.Base(name)] = newAsset(name, content) }
	single := []string{"vendor/*", "fonts/*.woff2", "licences/*.txt", "icons/*.png", "mark.svg", "built/app.js",
		"css/replay/*"}
	for _, pattern := range single {
		for _, name := range glob(pattern) {
			add(name, read(name))
		}
	}
	for _, name := range without(glob("built/*.js"), "built/app.js", "built/capture.js", "built/capturerecorder.js",
		"built/capturedialog.js", "built/captureintake.js") {
		add(name, bytes.ReplaceAll(read(name), []byte(base), []byte(all["app.js"].url)))
	}
	add("manifest.webmanifest", iconName.ReplaceAllFunc(read("manifest.webmanifest"),
		func(name []byte) []byte { return []byte(all[string(name)].url) }))
	for _, name := range []string{"board", "overview", "administration", "writing", "inbox"} {
		add(name+".css", join(glob("css/"+name+"/*.css"), plainSheet))
	}
	add("list.css", join(slices.Concat(glob("css/list/*.css"), glob("css/divider/*.css")), plainSheet))
	add("newreport.css", join(slices.Concat(glob("css/writing/*.css"), glob("css/newreport/*.css")), plainSheet))
	add("report.css", join(slices.Concat(glob("css/report/*.css"), glob("css/writing/*.css"), glob("css/divider/*.css")),
		plainSheet))
	sheets := append([]string{"css/tokens.css"}, without(glob("css/*.css"), "css/tokens.css")...) // it names the layers
	add("app.css", join(sheets, func(s string) string {
		return fontURL.ReplaceAllStringFunc(plainSheet(s), func(name string) string { return all[name].url })
	}))
	return all
}

// sheetComment finds the comments of a style sheet, and sheetSpace the spaces that mean nothing: before lines, after
// colons, and beside the other signs that separate. No text of a sheet has these signs beside spaces.
var (
	sheetComment = regexp.MustCompile(`(?s)/\*.*?\*/`)
	sheetSpace   = regexp.MustCompile(`(?m)\s*([;{},])\s*|(:) +|^[ \t]+`)
)

func plainSheet(s string) string {
	return strings.ReplaceAll(sheetSpace.ReplaceAllString(sheetComment.ReplaceAllString(s, ""), "$1$2"), ";}", "}")
}

// iconName finds the names of the icons in the manifest.
var iconName = regexp.MustCompile(`mark\.svg|icon-[0-9]+\.png`)

// fontURL finds the names of the fonts in a style sheet.
var fontURL = regexp.MustCompile(`inter-[a-z-]+\.woff2`)

func without(names []string, excluded ...string) []string {
	return slices.DeleteFunc(names, func(n string) bool { return slices.Contains(excluded, n) })
}

func glob(pattern string) []string {
	names, err := fs.Glob(files, pattern)
	if err != nil || len(names) == 0 {
		panic("static: no file " + pattern)
	}
	return names
}

func read(name string) []byte {
	content, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return content
}

func join(names []string, edit func(string) string) []byte {
	var b strings.Builder
	for _, name := range names {
		b.WriteString(edit(string(read(name))))
	}
	return []byte(b.String())
}

var mediaTypes = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".webmanifest": "application/manifest+json",
	".txt": "text/plain; charset=utf-8", ".woff2": "font/woff2"}

func newAsset(name string, content []byte) *asset {
	hash := sha256.Sum256(content)
	ext := path.Ext(name)
	stem := strings.TrimSuffix(path.Base(name), ext)
	a := &asset{url: "/static/" + stem + "." + base64.RawURLEncoding.EncodeToString(hash[:9]) + ext,
		mediaType: mediaTypes[ext], plain: content}
	if ext == ".woff2" || ext == ".png" {
		return a
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // it is written to memory
	}
	a.compressed = b.Bytes()
	return a
}

// URL returns the path of a file, such as app.css. A name that does not exist is a mistake in a template.
func URL(name string) string {
	a := assets()[name]
	if a == nil {
		panic("static: no file " + name)
	}
	return a.url
}

// Content returns the bytes of a file, for a page that serves it itself.
func Content(name string) []byte {
	a := assets()[name]
	if a == nil {
		panic("static: no file " + name)
	}
	return a.plain
}

// symbol finds the icons: their names and shapes.
var symbol = regexp.MustCompile(`(?s)<symbol id="([^"]+)" viewBox="0 0 24 24">(.*?)</symbol>`)

var icons = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, m := range symbol.FindAllStringSubmatch(string(read("icons.svg")), -1) {
		all[m[1]] = strings.NewReplacer("\n", "", "  <", "<", " />", "/>").Replace(m[2])
	}
	return all
})

// Icon returns the shapes of an icon, in a box of 24 by 24. A name that does not exist is a mistake in a template.
func Icon(name string) string {
	shapes := icons()[name]
	if shapes == "" {
		panic("static: no icon " + name)
	}
	return shapes
}

// Serve answers a request for a file. It returns false, and answers nothing, if the file does not exist.
func Serve(w http.ResponseWriter, r *http.Request) bool {
	a := byURL()[r.URL.Path]
	if a == nil {
		return false
	}
	h := w.Header()
	h.Set("Content-Type", a.mediaType)
	h.Set("Cache-Control", "max-age=31536000, immutable")
	if a.shared {
		h.Set("Access-Control-Allow-Origin", "*")
	}
	if a.tag != "" {
		h.Set("Cache-Control", "public, max-age=3600")
		h.Set("ETag", a.tag)
		if r.Header.Get("If-None-Match") == a.tag {
			w.WriteHeader(http.StatusNotModified)
			return true
		}
	}
	h.Del("Referrer-Policy") // assets load nothing of other hosts
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	policy := "default-src 'none'; sandbox"
	if strings.Contains(a.url, ".worker.") { // a worker has the policy of its script
		policy = "default-src 'none'; connect-src 'self'"
	}
	h.Set("Content-Security-Policy", policy)
	content := a.plain
	if a.compressed != nil {
		h.Set("Vary", "Accept-Encoding")
		if acceptsGzip(r) {
			h.Set("Content-Encoding", "gzip")
			content = a.compressed
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(content)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(content)
	}
	return true
}

func acceptsGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(coding), ";")
		if name == "gzip" && strings.ReplaceAll(quality, " ", "") != "q=0" {
			return true
		}
	}
	return false
}
