package web

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"bugslice/api"
	"bugslice/internal/tracker"
)

// uploaded is an image that somebody uploads.
func uploaded(t *testing.T) file {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, 200, 300))
	for y := range 300 {
		for x := range 200 {
			img.Set(x, y, color.NRGBA{uint8(x), uint8(y), 160, 255})
		}
	}
	var b bytes.Buffer
	must(t, png.Encode(&b, img))
	return file{"me.png", b.String()}
}

var portraitPath = regexp.MustCompile(`<img class="avatar" src="(/pictures/[\w-]{16})" alt="" loading="lazy">`)

// portrait gives a user a picture, and returns its address.
func (w *world) portrait(t *testing.T, who string) string {
	t.Helper()
	b := w.signedIn(t, who)
	b.postFiles("/settings/profile/picture", []file{uploaded(t)}).leadsTo("/settings/profile")
	path := portraitPath.FindStringSubmatch(b.get("/settings/profile").body)
	if path == nil {
		t.Fatal("the profile shows no picture")
	}
	return path[1]
}

// TestPortraits: a picture is shown wherever its user is named, to people of the organisation alone, and a share shows
// none. The user removes it, or an admin of the organisation.
func TestPortraits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.comment(t, owner, "It is the cart.")
	w.change(t, owner, "WEB-161", api.SlicePatch{"assigneeId": w.users[owner]})
	path := w.portrait(t, owner)
	b := w.signedIn(t, member)
	for _, at := range []string{"/reports?workspace=WEB", "/board?workspace=WEB", "/WEB-161", "/WEB-161/card",
		"/settings/people"} {
		if !strings.Contains(b.get(at).wants(200).body, `src="`+path+`"`) {
			t.Errorf("%s shows no picture", at)
		}
	}
	got := b.get(path).wants(200)
	if got.header.Get("Content-Type") != "image/jpeg" ||
		got.header.Get("Cache-Control") != "private, max-age=31536000, immutable" {
		t.Errorf("the picture has %v", got.header)
	}
	w.browser(t).get(path).wants(303)
	shared, _ := w.share(t, w.caller(t, owner), "WEB-161", "comments")
	if strings.Contains(w.browser(t).get(shared).wants(200).body, `<img class="avatar"`) {
		t.Error("a share shows a picture")
	}
	own := w.signedIn(t, owner)
	own.postFiles("/settings/profile/picture", []file{{"a.png", "text"}}).wants(422, "this is no picture")
	own.postFiles("/settings/profile/picture", nil).wants(422, "choose a picture")
	own.post("/settings/profile/picture/remove", "user", w.users[owner], "next",
		"/settings/profile").leadsTo("/settings/profile")
	b.get(path).wants(404)
	if strings.Contains(b.get("/WEB-161").wants(200).body, `<img class="avatar"`) {
		t.Error("a removed picture is shown")
	}
	w.portrait(t, member)
	person := "/settings/people/" + w.users[member]
	own.get(person).wants(200, "Remove the picture")
	own.post("/settings/profile/picture/remove", "user", w.users[member], "next", person).leadsTo(person)
}

// TestBrowserPortrait: a picture is loaded, and has the size of the initials that it replaces. A file that is
// chosen is shown before it is saved, and moved by keys.
func TestBrowserPortrait(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.comment(t, owner, "It is the cart.")
	w.portrait(t, owner)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Preload(axe(t))
	b.Size(1440, 900)
	b.Open("/WEB-161")
	b.Wait(`[...document.querySelectorAll("img.avatar")].filter((i) => i.naturalWidth == 128 && i.offsetWidth == 28).length >= 3`)
	b.accessible("a report with pictures of people")
	b.photograph("portraits", 1440, "light", false)
	b.Open("/settings/profile")
	b.Wait(`document.querySelector(".portrait img.avatar").naturalWidth == 128`)
	b.accessible("a profile with a picture")
	b.photograph("portraits-profile", 1440, "dark", false)
	b.Size(390, 844)
	if !b.holds(`document.documentElement.scrollWidth <= 390`) {
		t.Error("the profile is wider than a phone")
	}
	b.photograph("portraits-profile", 390, "light", false)
	b.Click("Remove")
	b.Wait(`document.querySelector(".notice")?.textContent.includes("The picture is removed.")`)
	chosen := filepath.Join(t.TempDir(), "me.png")
	must(t, os.WriteFile(chosen, []byte(uploaded(t).content), 0o600))
	b.Choose("#picture", chosen)
	b.Wait(`document.activeElement.matches("portrait-crop canvas") && document.activeElement.width == 512`)
	b.accessible("a picture before it is saved")
	const seen = `document.querySelector("portrait-crop").x`
	b.holds(`(() => { const size = document.querySelector("portrait-crop input"); size.value = "2"; size.dispatchEvent(new Event("input"));
		return true; })()`)
	b.Press(kb.ArrowLeft, kb.ArrowLeft)
	if !b.holds(seen + ` < 0.5 && ` + seen + ` > 0.2`) {
		t.Errorf("the arrow keys move the picture to %s", b.text(`String(`+seen+`)`))
	}
	b.Click("Cancel")
	b.Wait(`document.querySelector("portrait-crop").hidden && document.activeElement.id == "picture"`)
	b.Choose("#picture", chosen)
	b.Wait(`!document.querySelector("portrait-crop").hidden`)
	b.Click("Save picture")
	b.Wait(`document.querySelector(".notice")?.textContent.includes("Your picture is saved.")`)
}
