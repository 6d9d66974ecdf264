package intakeapi_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/input"
	"bugslice/internal/intakeapi"
)

// receipt files a report and returns its receipt.
func (w *world) receipt(t testing.TB, name string) string {
	t.Helper()
	a := w.report(t, w.token(t, request{}), name, plain)
	if a.status != 201 {
		t.Fatal(a.status, a.body)
	}
	return a.text("receipt")
}

// metadata returns the header that describes a file.
func metadata(pairs ...string) string {
	var all []string
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, pairs[i]+" "+base64.StdEncoding.EncodeToString([]byte(pairs[i+1])))
	}
	return strings.Join(all, ",")
}

// create begins an upload.
func (w *world) create(t testing.TB, length int, header string) answer {
	t.Helper()
	return w.send(t, request{path: "/uploads", header: map[string]string{"Tus-Resumable": "1.0.0",
		"Upload-Length":   strconv.Itoa(length),
		"Upload-Metadata": header}})
}

// at returns a request about an upload.
func (w *world) at(location, method string, offset int, body []byte) request {
	path := strings.TrimPrefix(location, intakeapi.Path+"/"+w.source.Key)
	h := map[string]string{"Tus-Resumable": "1.0.0"}
	if method == http.MethodPatch {
		h["Content-Type"], h["Upload-Offset"] = "application/offset+octet-stream", strconv.Itoa(offset)
	}
	return request{method: method, path: path, body: body, header: h}
}

func picture(t testing.TB) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 300, 200))
	for i := range img.Pix {
		img.Pix[i] = byte(rand.IntN(256))
	}
	var b bytes.Buffer
	must(t, png.Encode(&b, img))
	return b.Bytes()
}

// pack returns a text packed by gzip.
func pack(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(text))
	must(t, err)
	must(t, z.Close())
	return b.Bytes()
}

// read returns the bytes of a stored file.
func (w *world) read(t testing.TB, attachmentID string) []byte {
	t.Helper()
	v, err := input.Check(api.GetAttachment{AttachmentID: attachmentID})
	must(t, err)
	f, err := w.tracker.ReadAttachment(t.Context(), w.owner, v)
	must(t, err)
	defer f.Bytes.Close()
	b, err := io.ReadAll(f.Bytes)
	must(t, err)
	return b
}

// TestUpload: a picture and packed evidence arrive in pieces, by the steps of tus, and are files of the report as
// any: once, the evidence redacted. Nothing of them is stored in the clear before.
func TestUpload(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		receipt, sent := w.receipt(t, named(1)), picture(t)
		header := metadata("receipt", receipt, "part", "1", "kind", "screenshot", "filename", "page.png", "filetype",
			"image/png")
		a := w.create(t, len(sent), header)
		location := a.header.Get("Location")
		if a.status != 201 || a.header.Get("Upload-Offset") != "0" || a.header.Get("Tus-Resumable") != "1.0.0" ||
			a.header.Get("Upload-Expires") == "" || !strings.HasPrefix(location, "/intake/"+w.source.Key+"/uploads/") {
			t.Fatal(a.status, a.header, a.body)
		}
		if again := w.create(t, len(sent), header); again.header.Get("Location") != location {
			t.Error("the same file has two addresses")
		}
		patch := func(location string, offset int, body []byte) answer {
			return w.send(t, w.at(location, http.MethodPatch, offset, body))
		}
		first := patch(location, 0, sent[:1000])
		assert.Equal(t, "a piece", fmt.Sprint(first.status, " ", first.header.Get("Upload-Offset")), "204 1000")
		assert.Equal(t, "the same piece", patch(location, 0, sent[:1000]).status, 409)
		assert.Equal(t, "a later piece", patch(location, 2000, sent[2000:]).status, 409)
		head := w.send(t, w.at(location, http.MethodHead, 0, nil))
		assert.Equal(t, "the offset", fmt.Sprint(head.status, " ", head.header.Get("Upload-Offset"), " ",
			head.header.Get("Upload-Length"), " ", head.header.Get("Cache-Control")), fmt.Sprint("200 1000 ",
			len(sent), " no-store"))
		slice := w.filed(t)[0].ID
		assert.Equal(t, "files before the end", len(w.files(t, slice)), 0)
		assert.Equal(t, "the rest", patch(location, 1000, sent[1000:]).status, 204)
		assert.Equal(t, "the rest, repeated", patch(location, len(sent), nil).status, 204)
		files := w.files(t, slice)
		if len(files) != 1 || files[0].Kind != api.KindScreenshot || files[0].Name != "page.png" {
			t.Fatalf("%+v", files)
		}
		if got := w.read(t, files[0].ID); !bytes.Equal(got, sent) {
			t.Errorf("%d bytes are stored of %d", len(got), len(sent))
		}
		console := pack(t,
			`[{"level":"error","timestamp":"2026-01-02T03:04:05Z",
				"message":"Authorization: Bearer abcdefghijklmnop0123456789"}]`)
		a = w.create(t, len(console), metadata("receipt", receipt, "part", "console", "kind", "console", "encoding",
			"gzip"))
		if got := patch(a.header.Get("Location"), 0, console); got.status != 204 {
			t.Fatal(got.status, got.body)
		}
		files = w.files(t, slice)
		if len(files) != 2 || strings.Contains(string(w.read(t, files[1].ID)), "abcdefghijklmnop") {
			t.Errorf("%+v", files)
		}
		removed, err := w.tracker.RemoveFiles(t.Context())
		must(t, err)
		if removed < 3 { // the pieces
			t.Errorf("%d pieces are removed", removed)
		}
	})
}

// TestUploadRefusals: each request that the protocol or the source does not allow is refused.
func TestUploadRefusals(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		receipt := w.receipt(t, named(1))
		file := func(pairs ...string) string {
			return metadata(append([]string{"receipt", receipt, "part", "1", "kind", "screenshot"}, pairs...)...)
		}
		for what, c := range map[string]struct {
			length, header string
			status         int
		}{
			"no length": {"", file(), 400}, "a negative length": {"-1", file(), 400}, "an empty file": {"0", file(),
				400},
			"a long number": {"99999999999999999999", file(), 400}, "a large file": {strconv.Itoa(26 << 20), file(),
				413},
			"no receipt": {"10", metadata("part", "1", "kind", "screenshot"), 400}, "no metadata": {"10", "", 400},
			"another receipt": {"10", metadata("receipt", receipt[:len(receipt)-6]+"AAAAAA", "part", "1", "kind",
				"screenshot"), 400},
			"no part":      {"10", metadata("receipt", receipt, "kind", "screenshot"), 400},
			"no such kind": {"10", metadata("receipt", receipt, "part", "1", "kind", "program"), 400},
			"another coding": {"10", metadata("receipt", receipt, "part", "1", "kind", "replay", "encoding", "br"),
				400},
			"a packed file": {"10", file("encoding", "gzip"), 400}, "a name twice": {"10", file("part", "2"), 400},
			"no base64": {"10", "receipt !!!", 400},
		} {
			a := w.send(t, request{path: "/uploads", header: map[string]string{"Tus-Resumable": "1.0.0",
				"Upload-Length":   c.length,
				"Upload-Metadata": c.header}})
			if a.status != c.status {
				t.Errorf("%s: %d %s", what, a.status, a.body)
			}
		}
		if a := w.send(t, request{path: "/uploads"}); a.status != 412 || a.header.Get("Tus-Version") != "1.0.0" {
			t.Errorf("no version: %d %v", a.status, a.header)
		}
		if a := w.send(t, request{path: "/uploads", method: http.MethodOptions,
			origin: "-"}); a.header.Get("Tus-Extension") == "" {
			t.Errorf("what the server can: %d %v", a.status, a.header)
		}
		location := w.create(t, 10, file()).header.Get("Location")
		for what, c := range map[string]struct {
			change func(*request)
			status int
		}{
			"no address":       {func(r *request) { r.path = "/uploads/xyz" }, 404},
			"another source":   {func(r *request) { r.key = w.other.Key }, 404},
			"another origin":   {func(r *request) { r.origin = "https://evil.example" }, 404},
			"another type":     {func(r *request) { r.header["Content-Type"] = "application/json" }, 415},
			"no offset":        {func(r *request) { r.header["Upload-Offset"] = "" }, 400},
			"no number":        {func(r *request) { r.header["Upload-Offset"] = "0x1" }, 400},
			"GET":              {func(r *request) { r.method = http.MethodGet }, 405},
			"another version":  {func(r *request) { r.header["Tus-Resumable"] = "0.2.2" }, 412},
			"more than it has": {func(r *request) { r.body = make([]byte, 11) }, 413},
		} {
			r := w.at(location, http.MethodPatch, 0, []byte("0123456789"))
			if c.change(&r); what == "more than it has" {
				location2 := w.create(t, 10, file("x", "y")).header.Get("Location")
				assert.Equal(t, "the address", location2, location)
			}
			if a := w.send(t, r); a.status != c.status {
				t.Errorf("%s: %d %s", what, a.status, a.body)
			}
		}
		assert.Equal(t, "deleted", w.send(t, w.at(location, http.MethodDelete, 0, nil)).status, 204)
		assert.Equal(t, "after that", w.send(t, w.at(location, http.MethodHead, 0, nil)).status, 404)
		location = w.create(t, 10, file()).header.Get("Location")
		w.pass(25 * time.Hour)
		assert.Equal(t, "expired", w.send(t, w.at(location, http.MethodHead, 0, nil)).status, 404)
		assert.Equal(t, "an expired receipt", w.create(t, 10, file()).status, 400)
	})
}

// TestUploadLimits: the files of a report are bounded by their number, their bytes and the bytes of the day, also
// when they are unpacked.
func TestUploadLimits(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.change(t, func(f *api.SourceFields) { f.MaxReportBytes, f.MaxDailyBytes = 100_000, 150_000 })
		receipt := w.receipt(t, named(1))
		create := func(receipt, part string, length int) int {
			return w.create(t, length, metadata("receipt", receipt, "part", part, "kind", "other")).status
		}
		assert.Equal(t, "a file", create(receipt, "1", 90_000), 201)
		assert.Equal(t, "the file again", create(receipt, "1", 90_000), 201)
		assert.Equal(t, "too much for the report", create(receipt, "2", 20_000), 413)
		second := w.receipt(t, named(2))
		assert.Equal(t, "too much for the day", create(second, "1", 90_000), 429)
		assert.Equal(t, "small ones", create(second, "2", 1000), 201)
		for n := range 19 {
			create(second, fmt.Sprint("n", n), 1)
		}
		assert.Equal(t, "too many", create(second, "last", 1), 413)
		bomb := pack(t, `[{"level":"error","timestamp":"2026-01-02T03:04:05Z","message":"`+strings.Repeat("a",
			30<<20)+`"}]`)
		a := w.create(t, len(bomb), metadata("receipt", w.receipt(t, named(3)), "part", "1", "kind", "console",
			"encoding", "gzip"))
		got := w.send(t, w.at(a.header.Get("Location"), http.MethodPatch, 0, bomb))
		if got.status != 413 {
			t.Errorf("a bomb: %d %s", got.status, got.body)
		}
		if gone := w.send(t, w.at(a.header.Get("Location"), http.MethodHead, 0, nil)); gone.status != 404 {
			t.Errorf("a file that was refused for good: %d", gone.status)
		}
	})
}

// TestBrokenPieces: of a piece whose connection breaks, what has arrived is kept; of pieces at once one is.
func TestBrokenPieces(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		receipt, sent := w.receipt(t, named(1)), picture(t)
		location := w.create(t, len(sent), metadata("receipt", receipt, "part", "1", "kind",
			"screenshot")).header.Get("Location")
		conn, err := net.Dial("tcp", w.Listener.Addr().String())
		must(t, err)
		fmt.Fprintf(conn, "PATCH %s HTTP/1.1\r\nHost: x\r\nOrigin: %s\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n"+
			"Content-Type: application/offset+octet-stream\r\nContent-Length: %d\r\n\r\n", location, shop, len(sent))
		_, err = conn.Write(sent[:5000])
		must(t, err)
		time.Sleep(100 * time.Millisecond)
		must(t, conn.Close())
		offset := 0
		for range 100 {
			offset, _ = strconv.Atoi(w.send(t, w.at(location, http.MethodHead, 0, nil)).header.Get("Upload-Offset"))
			if offset > 0 {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		assert.Equal(t, "the bytes before the break", offset, 5000)
		var work sync.WaitGroup
		statuses := make(chan int, 4)
		for range 4 {
			work.Go(func() { statuses <- w.send(t, w.at(location, http.MethodPatch, 5000, sent[5000:])).status })
		}
		work.Wait()
		close(statuses)
		good := 0
		for s := range statuses {
			if s == 204 {
				good++
			} else if s != 409 {
				t.Errorf("status %d", s)
			}
		}
		files := w.files(t, w.filed(t)[0].ID)
		if good < 1 || len(files) != 1 || !bytes.Equal(w.read(t, files[0].ID), sent) {
			t.Errorf("%d pieces of one place, %d files", good, len(files))
		}
	})
}

// TestStuckFiles: a file that has arrived while the storage could not be read is added to its report later, once.
func TestStuckFiles(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		receipt, sent := w.receipt(t, named(1)), picture(t)
		location := w.create(t, len(sent), metadata("receipt", receipt, "part", "1", "kind",
			"screenshot")).header.Get("Location")
		w.pieces.away.Store(true)
		assert.Equal(t, "the pieces", w.send(t, w.at(location, http.MethodPatch, 0, sent)).status, 503)
		w.pieces.away.Store(false)
		must(t, w.intake.AttachStuck(t.Context()))
		slice := w.filed(t)[0].ID
		assert.Equal(t, "files at once", len(w.files(t, slice)), 0)
		w.pass(2 * time.Minute)
		for range 2 {
			must(t, w.intake.AttachStuck(t.Context()))
		}
		assert.Equal(t, "files", len(w.files(t, slice)), 1)
	})
}
