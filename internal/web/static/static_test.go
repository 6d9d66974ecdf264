package static

import (
	"bytes"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bugslice/internal/assert"
)

const modules = "../../../tools/node_modules/"

// TestVendored: what others wrote is served as their packages have it, in the versions of the lock file.
func TestVendored(t *testing.T) {
	for ours, theirs := range map[string]string{
		"htmx.min.js":                       "htmx.org/dist/htmx.min.js",
		"rrweb-replay.min.js":               "@rrweb/replay/umd/replay.min.js",
		"rrweb-replay.css":                  "@rrweb/replay/dist/style.css",
		"inter-latin-wght-normal.woff2":     "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
		"inter-latin-ext-wght-normal.woff2": "@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2",
		"htmx.txt":                          "htmx.org/LICENSE",
		"inter.txt":                         "@fontsource-variable/inter/LICENSE",
		"lucide.txt":                        "lucide-static/LICENSE",
	} {
		want, err := os.ReadFile(modules + theirs)
		if err != nil {
			t.Fatal("a package is missing: npm ci --prefix tools (make test does it)")
		}
		if got := get(t, URL(ours), ""); !bytes.Equal(got.Body.Bytes(), want) {
			t.Errorf("%s is not %s: run make assets", ours, theirs)
		}
	}
	var locked, installed struct {
		Packages map[string]struct{ Version, Integrity string }
	}
	for path, v := range map[string]any{modules + "../package-lock.json": &locked,
		modules + ".package-lock.json": &installed} {
		text, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(text, v)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"htmx.org", "@rrweb/replay", "@rrweb/record", "@fontsource-variable/inter",
		"lucide-static"} {
		if a, b := locked.Packages["node_modules/"+name], installed.Packages["node_modules/"+name]; a != b ||
			a.Integrity == "" {
			t.Errorf("%s is installed as %v, locked as %v: npm ci --prefix tools", name, b, a)
		}
	}
}

// TestIcons: the file holds the icons that the templates name, as the package has them.
func TestIcons(t *testing.T) {
	var named []string
	icon := regexp.MustCompile(`(?:"[Ii]con" |\bIcon\()"([a-z0-9-]+)"`)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".html" && filepath.Ext(path) != ".templ" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range icon.FindAllSubmatch(text, -1) {
			named = append(named, string(m[1]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(named)
	named = slices.Compact(named)
	file := string(read("icons.svg"))
	var held []string
	for _, m := range regexp.MustCompile(`(?s)<symbol id="([^"]+)" viewBox="0 0 24 24">\n(.*?)</symbol>`).
		FindAllStringSubmatch(file, -1) {
		held = append(held, m[1])
		source, err := os.ReadFile(modules + "lucide-static/icons/" + m[1] + ".svg")
		if err != nil || !strings.Contains(string(source), strings.TrimSpace(m[2])) {
			t.Errorf("the icon %s is not that of the package: run make assets (%v)", m[1], err)
		}
	}
	if !slices.Equal(named, held) {
		t.Errorf("the file holds %v, the templates name %v: run make assets", held, named)
	}
}

// TestStylesOfLists: no style of an element around a list depends on what is in it: each change of the list would
// make the browser look at all elements of the page.
func TestStylesOfLists(t *testing.T) {
	around := regexp.MustCompile(`(?:^|[\s,>(])(?::root|html|body|main|\.shell|\.page|\.split|\.results)(?:\[[^\]]*\]|\.[\w-]+)` +
		`*:(?:has|not\(:has)\(`)
	if !around.MatchString(`main[data-page]:has([data-open]) > & {`) ||
		!around.MatchString("body:not(:has(.row))") || around.MatchString(".bar:has(a)") {
		t.Fatal("the pattern finds other rules")
	}
	for _, pattern := range []string{"css/*.css", "css/*/*.css"} {
		for _, name := range glob(pattern) {
			if rule := around.FindString(string(read(name))); rule != "" {
				t.Errorf("%s has the rule %s", name, rule)
			}
		}
	}
}

func TestServe(t *testing.T) {
	first := 0 // the bytes of a first view: the styles, the scripts and one font
	for _, name := range []string{"app.css", "app.js", "htmx.min.js", "mark.svg", "inter-latin-wght-normal.woff2"} {
		plain, packed := get(t, URL(name), ""), get(t, URL(name), "br, gzip;q=0.9")
		first += packed.Body.Len()
		for header, value := range map[string]string{"Cache-Control": "max-age=31536000, immutable",
			"Cross-Origin-Resource-Policy": "cross-origin",
			"X-Content-Type-Options":       "nosniff"} {
			if got := plain.Header().Get(header); got != value {
				t.Errorf("%s: %s is %q", name, header, got)
			}
		}
		if plain.Header().Get("Content-Encoding") != "" ||
			get(t, URL(name), "gzip;q=0").Header().Get("Content-Encoding") != "" {
			t.Errorf("%s is compressed for a client that does not accept it", name)
		}
		if wants := !strings.HasSuffix(name, ".woff2"); wants != (packed.Header().Get("Content-Encoding") == "gzip") {
			t.Errorf("%s: compressed is not %v", name, wants)
		}
	}
	for name, policy := range map[string]string{"live.worker.js": "default-src 'none'; connect-src 'self'",
		"list.js": "default-src 'none'; sandbox"} {
		if got := get(t, URL(name), "").Header().Get("Content-Security-Policy"); got != policy {
			t.Errorf("%s has the policy %s", name, got)
		}
	}
	if first > 92<<10 { // the page itself is the rest of 100 kB
		t.Errorf("a first view loads %d bytes", first)
	}
	t.Logf("a first view loads %d bytes and its page", first)
	if css := get(t, URL("app.css"), "").
		Body.String(); !strings.Contains(css, "url("+URL("inter-latin-wght-normal.woff2")+")") ||
		!strings.HasPrefix(strings.TrimSpace(css), "@layer ") {
		t.Error("the style sheet does not name the fonts by their hashes")
	}
	if Serve(httptest.NewRecorder(), httptest.NewRequest("GET", "/static/app.css", nil)) {
		t.Error("a name without its hash is served")
	}
}

func get(t *testing.T, url, accept string) *httptest.ResponseRecorder {
	t.Helper()
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", url, nil)
	r.Header.Set("Accept-Encoding", accept)
	if !Serve(w, r) {
		t.Fatalf("%s is not served", url)
	}
	return w
}

// TestTextsOfSheets: no text of our sheets has a sign beside which spaces are left out.
func TestTextsOfSheets(t *testing.T) {
	text := regexp.MustCompile(`"[^"\n]*"|'[^'\n]*'`)
	for _, pattern := range []string{"css/*.css", "css/*/*.css"} {
		for _, name := range glob(pattern) {
			for _, found := range text.FindAllString(sheetComment.ReplaceAllString(string(read(name)), ""), -1) {
				if plainSheet(found) != found {
					t.Errorf("%s: the text %s would change", name, found)
				}
			}
		}
	}
}

// TestCapture: the script for other applications has one address, which is loaded again only after a change, and one that
// browsers keep. Pages of every origin may load it and its parts, with its integrity.
func TestCapture(t *testing.T) {
	pinned, integrity := Capture()
	first := get(t, captureURL, "")
	hash := sha512.Sum384(first.Body.Bytes())
	assert.Equal(t, "the integrity", integrity, "sha384-"+base64.StdEncoding.EncodeToString(hash[:]))
	chunk := regexp.MustCompile(`/capture/recorder\.[\w-]{12}\.js`).FindString(first.Body.String())
	for _, url := range []string{captureURL, recordedURL, pinned, chunk} {
		w := get(t, url, "")
		for name, want := range map[string]string{"Access-Control-Allow-Origin": "*",
			"Cross-Origin-Resource-Policy": "cross-origin", "Content-Type": "text/javascript; charset=utf-8"} {
			assert.Equal(t, url+" "+name, w.Header().Get(name), want)
		}
		assert.Equal(t, url+" is that script", w.Body.String() == first.Body.String(), url != chunk)
		kept := strings.Contains(w.Header().Get("Cache-Control"), "immutable")
		assert.Equal(t, url+" is kept for ever", kept, url == pinned || url == chunk)
	}
	tag := first.Header().Get("ETag")
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", captureURL, nil)
	r.Header.Set("If-None-Match", tag)
	if !Serve(w, r) || w.Code != 304 || w.Body.Len() > 0 || tag == "" {
		t.Errorf("with the tag %s it answers %d", tag, w.Code)
	}
}
