package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"image"
	"image/png"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/demo"
	"bugslice/internal/tracker"
)

// screenshot returns a picture of a size, in PNG.
func screenshot(t testing.TB, width, height int) string {
	t.Helper()
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range picture.Pix {
		picture.Pix[i] = uint8(i%251) | 0x80
	}
	var b bytes.Buffer
	must(t, png.Encode(&b, picture))
	return b.String()
}

// attach adds a file to a report.
func (w *world) attach(t testing.TB, reference, name, content string) api.Attachment {
	t.Helper()
	return w.attachTo(t, reference, 0, name, content)
}

// attachTo attaches a file to an occurrence; 0 is the newest one.
func (w *world) attachTo(t testing.TB, reference string, occurrence int, name, content string) api.Attachment {
	t.Helper()
	a, err := w.CreateAttachment(t.Context(), w.caller(t, owner),
		valid(t, api.CreateAttachment{SliceID: reference, Name: name, Occurrence: occurrence}),
		tracker.Upload{Body: strings.NewReader(content), Length: int64(len(content))})
	must(t, err)
	return a
}

// fileCapture files a report with the evidence of a visit to the shop.
func (w *world) fileCapture(t testing.TB, name, summary string) api.Slice {
	t.Helper()
	c, err := demo.ReadCapture(name)
	must(t, err)
	return w.fileShown(t, summary, c.Evidence)
}

func (w *world) fileShown(t testing.TB, summary string, e api.Evidence) api.Slice {
	t.Helper()
	made, err := w.CreateSlice(t.Context(), w.caller(t, owner),
		valid(t, api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.web,
			SliceFields: api.SliceFields{Summary: summary}, Evidence: &e}}))
	must(t, err)
	return made.Slice
}

// TestFiles: a page answers with the bytes of a file as the API does: ranges, entity tags and a sandbox. What a
// browser could run is a download.
func TestFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	content := screenshot(t, 900, 600)
	picture := "/files/" + w.attach(t, "WEB-161", "cart \"1\".png", content).ID
	drawing := "/files/" + w.attach(t, "WEB-161", "a.svg",
		`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`).ID
	b := w.signedIn(t, owner)
	whole := b.get(picture)
	if whole.body != content || whole.header.Get("Content-Type") != "image/png" ||
		whole.header.Get("Content-Disposition") != `inline; filename="cart _1_.png"; filename*=UTF-8''cart%20%221%22.png` {
		t.Errorf("%d bytes of %d, %v", len(whole.body), len(content), whole.header)
	}
	small, err := png.DecodeConfig(strings.NewReader(b.get(picture + "/thumbnail").body))
	if err != nil || small.Width != 480 || small.Height != 320 {
		t.Errorf("the thumbnail is %+v (%v)", small, err)
	}
	if svg := b.get(drawing); svg.status != 200 ||
		!strings.HasPrefix(svg.header.Get("Content-Disposition"), "attachment;") ||
		!strings.Contains(svg.header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("an SVG is answered with %d %v", svg.status, svg.header)
	}
	b.get(drawing+"/thumbnail").wants(404, "<title>")
	b.get("/files/att_01ja8m2c9tf3qb6h0v5r4x7kyz").wants(404)
	b.get("/files/none").wants(404)
	ask := func(name, value string) answer {
		r, err := http.NewRequest("GET", w.url+picture, nil)
		must(t, err)
		r.Header.Set(name, value)
		return b.do(r, err)
	}
	if part := ask("Range", "bytes=10-19"); part.status != 206 || part.body != content[10:20] {
		t.Errorf("a range is answered with %d %q", part.status, part.body)
	}
	ask("If-None-Match", whole.header.Get("ETag")).wants(304)
	beyond := ask("Range", "bytes=9999999-")
	beyond.wants(416, "<title>")
	checkHeaders(t, beyond, nil)
}

// TestFilesAreNoCode: whatever type a file is uploaded with, no page takes it for a script or a sheet of this
// service, whose policy allows those of its origin.
func TestFilesAreNoCode(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	const none = "application/octet-stream"
	for declared, want := range map[string]string{"text/javascript": none,
		"application/javascript": none, "text/css": none, "text/html": none, "application/json": none,
		"image/svg+xml":   "image/svg+xml",
		"text/ecmascript": "text/plain; charset=utf-8"} {
		content := "alert(1)"
		if declared == "image/svg+xml" {
			content = "<svg xmlns='http://www.w3.org/2000/svg'/>"
		}
		a, err := w.CreateAttachment(t.Context(), w.caller(t, owner),
			valid(t, api.CreateAttachment{SliceID: "WEB-161", Name: "a", Kind: api.KindOther}),
			tracker.Upload{Body: strings.NewReader(content), Length: int64(len(content)), ContentType: declared})
		must(t, err)
		got := b.get("/files/" + a.ID).wants(200)
		if got.header.Get("Content-Type") != want || got.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s, stored as %s: %v", declared, a.ContentType, got.header)
		}
	}
}

// TestReplayEvents: a page answers with the events of a replay, of one occurrence, and of no other report.
func TestReplayEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	s := w.fileCapture(t, "discount-code", "Discount code")
	capture, err := demo.ReadCapture("discount-code")
	must(t, err)
	b := w.signedIn(t, member)
	for _, path := range []string{"/slices/" + s.ID + "/replay", "/slices/" + s.Reference + "/replay?occurrence=1"} {
		var got api.Replay
		a := b.get(path)
		must(t, json.Unmarshal([]byte(a.body), &got))
		if len(got.Events) != len(capture.Replay) || a.header.Get("Content-Type") != "application/json" ||
			a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d events of %d, %v", path, len(got.Events), len(capture.Replay), a.header)
		}
	}
	b.get("/slices/"+s.ID+"/replay?occurrence=2").wants(400, "<title>")
	b.get("/slices/" + s.ID + "/replay?occurrence=x").wants(404)
	w.signedIn(t, stranger).get("/slices/" + s.ID + "/replay").wants(404)
	b.get("/"+s.Reference).wants(200, `data-events="/slices/`+s.ID+`/replay?occurrence=1"`, `data-state="ready"`)
}

// TestAnnotateStored: a marked picture takes the place of a screenshot, or is added beside it.
func TestAnnotateStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, member)
	original, marked := screenshot(t, 40, 30), screenshot(t, 50, 40)
	first := w.attach(t, "WEB-161", "cart.png", original)
	log := w.attach(t, "WEB-161", "a.log", "text")
	files := []file{{"cart.png", marked}}
	shown := func(a answer) string {
		t.Helper()
		_, id, ok := strings.Cut(a.header.Get("Location"), "show=")
		if !ok || a.status != 303 {
			t.Fatalf("%d %s", a.status, a.content())
		}
		return "/files/" + id
	}
	beside := shown(b.postFiles("/files/"+first.ID+"/annotated", files, "once", "1", "keepOriginal", "on"))
	if b.get("/files/"+first.ID).body != original || b.get(beside).body != marked {
		t.Error("the original is not kept beside the marked picture")
	}
	instead := shown(b.postFiles("/files/"+first.ID+"/annotated", files, "once", "2"))
	b.get("/files/" + first.ID).wants(404)
	if b.get(instead).body != marked {
		t.Error("the marked picture is not stored")
	}
	if small, err := png.DecodeConfig(strings.NewReader(b.get(instead + "/thumbnail").body)); err != nil ||
		small.Width != 50 {
		t.Errorf("the thumbnail is %+v (%v)", small, err)
	}
	b.get("/WEB-161?show="+strings.TrimPrefix(instead, "/files/")).wants(200, `src="`+instead+`"`)
	b.postFiles("/files/"+log.ID+"/annotated", files).wants(400)
	b.postFiles(instead+"/annotated", nil).wants(400)
	b.postFiles(instead+"/annotated", []file{{"a.txt", "no picture"}}).wants(400)
	if got := w.attached(t, "WEB-161"); got["cart.png"] != marked+marked || got["a.log"] != "text" {
		t.Errorf("the files are %d", len(got))
	}
}

// TestBrowserManyFiles: a report shows its files and its pictures in pages that lead to each other, and none is
// missing. A page stays small.
func TestBrowserManyFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	picture := screenshot(t, 2, 2)
	for i := range 120 {
		w.attach(t, "WEB-161", fmt.Sprintf("picture-%03d.png", i), picture)
		w.attach(t, "WEB-161", fmt.Sprintf("file-%03d.txt", i), fmt.Sprint("text ", i))
	}
	b := w.signedIn(t, owner)
	for kind, link := range map[string]*regexp.Regexp{
		"file": regexp.MustCompile(`href="([^"]+)#report-files" data-load`),
		"picture": regexp.MustCompile(`href="([^"]+)" data-more-pictures><span class="strip-picture">.*?</span><span ` +
			`class="strip-name">More`),
	} {
		found, pages := map[string]bool{}, 0
		for next := "/WEB-161"; next != ""; pages++ {
			page := b.get(next).wants(200)
			if len(page.body) > 300<<10 {
				t.Errorf("%s has %d bytes", next, len(page.body))
			}
			for _, m := range regexp.MustCompile(`<bdi>(`+kind+`-\d+)\.`).FindAllStringSubmatch(page.body, -1) {
				found[m[1]] = true
			}
			next = ""
			if m := link.FindStringSubmatch(page.body); m != nil {
				next = html.UnescapeString(m[1])
			}
		}
		if len(found) != 120 || pages != 3 {
			t.Errorf("%d pages have %d names %s-…", pages, len(found), kind)
		}
	}
	b.get("/WEB-161?files=x").wants(400)

	tab := w.report(t, owner, "/WEB-161")
	tab.ClickOn("#report-more-files a")
	tab.Wait(`document.querySelectorAll(".report-files > li").length == 100 && document.activeElement.textContent == "file-050.txt"`)
	w.attach(t, "WEB-161", "file-120.txt", "one more")
	tab.ClickOn("#field-status")
	tab.ClickOn("#report-status [value=closed]")
	tab.Wait(`document.querySelector(".report").dataset.status == "closed" && document.querySelectorAll(".report-files > li").length ` +
		`== 100`)
	tab.ClickOn("#report-more-files a")
	tab.Wait(`document.querySelectorAll(".report-files > li").length == 121 && !document.querySelector("#report-more-files a")`)
	tab.Wait(`customElements.get("picture-viewer")`)
	tab.ClickOn("[data-more-pictures]")
	tab.Wait(`document.activeElement.title == "picture-050.png" && document.querySelectorAll("picture-viewer").length == 50`)
	tab.holds(`document.querySelector("[data-pane]:not([hidden]) img").alt == "picture-050.png" && ` +
		`location.search.startsWith("?show=att_")`)
	tab.accessible("further pictures")
	tab.Quiet()
}

// TestReview: a picture says that it is not redacted, until somebody says that it shows no secret, and can take that
// back.
func TestReview(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, member)
	s := w.file(t, w.caller(t, member), "Cart is empty")
	picture := w.attach(t, s.Reference, "cart.png", screenshot(t, 40, 30))
	b.get("/"+s.Reference).wants(200, "Not redacted.", `action="/files/`+picture.ID+`/review"`)
	b.post("/files/"+picture.ID+"/review", "reviewed", "true").wants(303)
	b.get("/"+s.Reference).wants(200, "Reviewed", "found no secret in <bdi")
	if strings.Contains(b.get("/"+s.Reference).body, "Not redacted.") {
		t.Error("a picture that was reviewed says that it is not redacted")
	}
	b.post("/files/"+picture.ID+"/review", "reviewed", "false").wants(303)
	b.get("/"+s.Reference).wants(200, "Not redacted.")
	log := w.attach(t, s.Reference, "a.log", "nothing")
	b.post("/files/"+log.ID+"/review", "reviewed", "true").wants(422)
}
