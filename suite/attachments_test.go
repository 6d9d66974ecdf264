package suite

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"image"
	_ "image/jpeg" // thumbnails
	"mime/multipart"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"bugslice/internal/assert"
)

// TestAttachments: what comes in comes out, by body and by form, with its facts.
func TestAttachments(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "files")
		made := o.slice(t, o.Workspace, nil)
		id := made["id"].(string)
		shot := picture(1000, 700)
		a := o.upload(t, 201, id, "cart – 購物.png", "image/png", shot)
		sum := sha256.Sum256([]byte(shot))
		for member, want := range map[string]any{"kind": "screenshot",
			"name": "cart – 購物.png", "contentType": "image/png", "size": float64(len(shot)),
			"sha256": hex.EncodeToString(sum[:]), "width": float64(1000),
			"height": float64(700), "sliceId": id, "creator.id": o.UserID} {
			if got := a.get(t, member); got != want {
				t.Errorf("%s: %v, want %v", member, got, want)
			}
		}
		at := strings.TrimPrefix(a.get(t, "url").(string), s.URL)
		if a.Header.Get("Location") != s.URL+at {
			t.Errorf("Location %s", a.Header.Get("Location"))
		}
		got := o.want(t, 200, "GET", at, nil)
		if string(got.Body) != shot {
			t.Errorf("the file has %d other bytes than the %d that were uploaded", len(got.Body), len(shot))
		}
		assert.Equal(t, "Content-Type", got.Header.Get("Content-Type"), "image/png")
		assert.Contains(t, "Content-Disposition", got.Header.Get("Content-Disposition"), "inline;")
		assert.Contains(t, "Content-Security-Policy", got.Header.Get("Content-Security-Policy"), "sandbox")
		part := o.want(t, 206, "GET", at, nil, "Range", "bytes=10-19")
		if string(part.Body) != shot[10:20] {
			t.Errorf("a range of %d bytes", len(part.Body))
		}
		for header, status := range map[string]int{"bytes=99999999-": 416,
			"bytes=-0": 416, "bytes=-0, 0-1": 206, "bytes=0-99999999999999999999": 206, "BYTES=0-1": 206,
			"bytes=,0-1,": 206,
			"items=0-1":   200, "bytes=5-2": 200, "bytes=a-b": 200, "bytes=-": 200, "bytes=": 200,
			"bytes=0-1, 5-2": 200,
			"bytes=+1-2":     200} {
			if a := o.want(t, status, "GET", at, nil, "Range", header); status == 200 &&
				string(a.Body) != shot || status == 206 && a.Header.Get("Content-Range") == "" {
				t.Errorf("%s: %d bytes, %v", header, len(a.Body), a.Header)
			}
		}
		o.want(t, 200, "HEAD", at, nil, "Range", "bytes=0-1")
		for path, tag := range map[string]string{at: got.Header.Get("ETag"), at + "/thumbnail": "*"} {
			o.want(t, 412, "GET", path, nil, "If-Match", `"zzz"`).has(t, members{"code": "precondition_failed"})
			o.want(t, 200, "GET", path, nil, "If-Match", tag)
		}
		o.want(t, 304, "GET", at, nil, "If-None-Match", got.Header.Get("ETag"))
		small := o.want(t, 200, "GET", at+"/thumbnail", nil)
		c, kind, err := image.DecodeConfig(bytes.NewReader(small.Body))
		must(t, err)
		assert.Equal(t, "the thumbnail", fmt.Sprint(kind, " ", c.Width, "x", c.Height), "jpeg 480x336")

		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		must(t, w.WriteField("kind", "log"))
		f, err := w.CreateFormFile("whatever", "../../server.log")
		must(t, err)
		fmt.Fprint(f, "10:00 started\n10:01 login password=hunter2hunter2 ok\n")
		must(t, w.Close())
		a = o.want(t, 201, "POST", "/v1/slices/"+id+"/attachments", form.String(), "Content-Type",
			w.FormDataContentType())
		a.has(t, members{"name": "server.log", "kind": "log", "contentType": "text/plain"})
		text := string(o.want(t, 200, "GET", "/v1/attachments/"+a.get(t, "id").(string), nil).Body)
		assert.NotContains(t, "the text", text, "hunter2")
		assert.Contains(t, "the text", text, "[redacted:field]")
		shown := o.want(t, 200, "GET", "/v1/slices/"+id, nil)
		shown.has(t, members{"attachmentCount": 2, "redaction.counts.field": 1})
		if shown.get(t, "version").(float64) <= made["version"].(float64) {
			t.Errorf("%s", shown.Body)
		}
		if n := len(o.want(t, 200, "GET", "/v1/slices/"+id+"/attachments?kind=screenshot", nil).get(t, "data").([]any)); n != 1 {
			t.Errorf("%d screenshots", n)
		}
		renamed := o.want(t, 200, "PATCH", at, map[string]any{"name": "other.png", "kind": "other"})
		renamed.has(t, members{"name": "other.png"})
		o.want(t, 422, "PATCH", at, map[string]any{"kind": "network"})
		o.want(t, 422, "PATCH", at, map[string]any{"name": "a/b"})
		o.want(t, 200, "PATCH", at, map[string]any{"name": "cart\u202egnp.exe"}).has(t, members{"name": "cartgnp.exe"})
		marked := o.want(t, 201, "POST", "/v1/slices/"+id+"/attachments?kind=log", "text", "Content-Type", "text/plain",
			"Content-Disposition", "attachment; filename*=UTF-8''%e2%80%ae%e2%80%8btxt.exe")
		marked.has(t, members{"name": "txt.exe"})
		o.want(t, 204, "DELETE", "/v1/attachments/"+marked.get(t, "id").(string), nil)
		o.want(t, 204, "DELETE", at, nil)
		o.want(t, 404, "GET", at, nil)
		if n := o.want(t, 200, "GET", "/v1/slices/"+id, nil).get(t, "attachmentCount"); n != float64(1) {
			t.Errorf("%v attachments", n)
		}
	})
}

// TestHostileFiles: no file runs scripts or causes an error, whatever its declared type.
func TestHostileFiles(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "hostile")
	id := o.slice(t, o.Workspace, nil)["id"].(string)
	bomb := []byte(picture(4, 4))
	copy(bomb[16:], []byte{0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff}) // a head of 65,535 by 65,535
	for name, c := range map[string]struct{ declared, body, want string }{
		"page.png": {"image/png", "<html><script>alert(1)</script></html>", "text/html"},
		"picture.svg": {"image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`,
			"image/svg+xml"},
		"late.svg":     {"image/png", `<?xml version="1.0"?><!-- x --><svg onload="alert(1)"/>`, "image/svg+xml"},
		"polyglot.gif": {"text/html", "GIF89a/*\x01\x00*/=1;alert(1)//<script>alert(1)</script>", "image/gif"},
		"bomb.png":     {"image/png", string(bomb), "image/png"},
		"cut.png":      {"image/png", picture(50, 50)[:60], "image/png"},
		"code.js":      {"text/javascript", "alert(1)", "text/javascript"},
		"zero.bin":     {"text/html", "\x00\x01\x02", "application/octet-stream"},
		"x.html":       {"application/octet-stream", "plain words", "text/html"},
	} {
		a := o.upload(t, 201, id, name, c.declared, c.body)
		if a.get(t, "contentType") != c.want {
			t.Errorf("%s is %v, want %s", name, a.get(t, "contentType"), c.want)
		}
		got := o.want(t, 200, "GET", "/v1/attachments/"+a.get(t, "id").(string), nil)
		inline := strings.HasPrefix(got.Header.Get("Content-Disposition"), "inline")
		assert.Equal(t, name+" is inline", inline, c.want == "image/png" || c.want == "image/gif")
		assert.Contains(t, name+": Content-Security-Policy", got.Header.Get("Content-Security-Policy"), "sandbox")
		assert.Equal(t, name+": X-Content-Type-Options", got.Header.Get("X-Content-Type-Options"), "nosniff")
	}
}

// TestRefusedUploads: an upload without a file, with another digest than its own, or in a form that cannot be read is
// refused.
func TestRefusedUploads(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "refused")
	id := o.slice(t, o.Workspace, nil)["id"].(string)
	for what, c := range map[string]struct {
		status  int
		headers []string
		body    string
	}{
		"empty": {400, []string{"Content-Type", "text/plain"}, ""},
		"wrong digest": {400, []string{"Content-Type", "text/plain",
			"Content-Digest", "sha-256=:" + base64.StdEncoding.EncodeToString(make([]byte, 32)) + ":"}, "x"},
		"no digest we know": {400, []string{"Content-Type", "text/plain", "Content-Digest", "md5=:AAAA:"}, "x"},
		"unknown kind": {400, []string{"Content-Type", "multipart/form-data; boundary=XX"},
			"--XX\r\nContent-Disposition: form-data; name=\"kind\"\r\n\r\nnothing\r\n--XX--\r\n"},
		"no file": {400, []string{"Content-Type", "multipart/form-data; boundary=XX"},
			"--XX\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nx\r\n--XX--\r\n"},
		"no boundary": {400, []string{"Content-Type", "multipart/form-data"}, "--XX\r\n"},
		"cut form": {400, []string{"Content-Type", "multipart/form-data; boundary=XX"},
			"--XX\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n\r\nhalf"},
		"two files": {400, []string{"Content-Type", "multipart/form-data; boundary=XX"},
			"--XX\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n\r\none\r\n--XX\r\nContent-Disposition: " +
				"form-data; name=\"g\"; filename=\"b\"\r\n\r\ntwo\r\n--XX--\r\n"},
		"a HAR that is none": {422, []string{"Content-Type", "application/json"},
			`{"log":{"entries":[{"request":{}}]}}`},
	} {
		path := "/v1/slices/" + id + "/attachments"
		if what == "a HAR that is none" {
			path += "?kind=network"
		}
		if a := o.do(t, "POST", path, c.body, c.headers...); a.Status != c.status {
			t.Errorf("%s: %d %s", what, a.Status, a.Body)
		}
	}
}

// TestUploadDigestAndKey: an upload with its own digest is stored, and an Idempotency-Key stores one file.
func TestUploadDigestAndKey(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "keyed")
	id := o.slice(t, o.Workspace, nil)["id"].(string)
	sum := sha256.Sum256([]byte("right"))
	o.upload(t, 201, id, "right.txt", "text/plain", "right", "Content-Digest", "sha-256=:"+
		base64.StdEncoding.EncodeToString(sum[:])+":")
	first := o.upload(t, 201, id, "once.txt", "text/plain", "once", "Idempotency-Key", "file-once")
	again := o.upload(t, 201, id, "once.txt", "text/plain", "once", "Idempotency-Key", "file-once")
	if first.get(t, "id") != again.get(t, "id") {
		t.Error("added twice under one Idempotency-Key")
	}
	o.upload(t, 422, id, "once.txt", "text/plain", "other", "Idempotency-Key", "file-once")
}

// TestTextEncodingsAreRedacted: secrets are removed from a text in every encoding.
func TestTextEncodingsAreRedacted(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "foreign")
	id := o.slice(t, o.Workspace, nil)["id"].(string)
	wide := "\xff\xfe"
	for _, c := range "grün password=hunter2secret\r\n" {
		wide += string([]byte{byte(c), 0})
	}
	for name, c := range map[string]struct{ declared, body, want string }{
		"wide.txt":   {"text/plain", wide, "grün password=[redacted:field]\r\n"},
		"latin.txt":  {"text/plain", "M\xfcller\npassword=hunter2secret\n", "M\xfcller\npassword=[redacted:field]\n"},
		"noname":     {"", "M\xfcller\npassword=hunter2secret\n", "M\xfcller\npassword=[redacted:field]\n"},
		"server.log": {"", "10:00 \x00 password=hunter2secret\n", "10:00 \x00 password=[redacted:field]\n"},
		"cars":       {"", "BMW password=hunter2secret", "BMW password=[redacted:field]"},
		"a.json": {"application/json", "{\n\"password\":\n\"hunter2secret\"}\n",
			"{\n\"password\":\n\"[redacted:field]\"}\n"},
	} {
		a := o.upload(t, 201, id, name, c.declared, c.body)
		got := o.want(t, 200, "GET", "/v1/attachments/"+a.get(t, "id").(string), nil)
		assert.Equal(t, fmt.Sprint(name, ": the response"), string(got.Body), c.want)
		a.has(t, members{"size": len(c.want)})
	}
	if n := o.want(t, 200, "GET", "/v1/slices/"+id, nil).get(t, "redaction.counts.field"); n != float64(6) {
		t.Errorf("%v secrets counted", n)
	}
}

// TestUploadLimits: a file that is too large leaves nothing, nor does one beyond the quota.
func TestUploadLimits(t *testing.T) {
	ownServers(t, []string{"--rate-limit", "off", "--max-upload", "1", "--workspace-quota", "2"},
		func(t *testing.T, s *server) {
			o := newOrg(t, s, "limits")
			id := o.slice(t, o.Workspace, nil)["id"].(string)
			noise := func(n int) string {
				b := make([]byte, n)
				for i := range b {
					b[i] = byte(i*7+i>>8) | 0x80
				}
				return string(b)
			}
			o.upload(t, 413, id, "large", "application/octet-stream", noise(1<<20+1)).
				has(t, members{"code": "payload_too_large"})
			if files := blobs(t, s.dir); len(files) != 0 {
				t.Errorf("left behind: %v", files)
			}
			o.upload(t, 201, id, "a", "application/octet-stream", noise(1<<20))
			kept := o.upload(t, 201, id, "b", "application/octet-stream", noise(900<<10)).get(t, "id").(string)
			o.upload(t, 413, id, "c", "application/octet-stream", noise(500<<10)).
				has(t, members{"code": "quota_exceeded"})
			if files := blobs(t, s.dir); len(files) != 2 {
				t.Errorf("%d files, want 2", len(files))
			}
			o.want(t, 204, "DELETE", "/v1/attachments/"+kept, nil)
			o.upload(t, 201, id, "c", "application/octet-stream", noise(500<<10))
		})
}

// TestReadWhileDeleted: a reader of a file that is deleted meanwhile gets all of it, or not_found.
func TestReadWhileDeleted(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "vanishing")
		for range 30 {
			id := o.slice(t, o.Workspace, map[string]any{"evidence": captured()})["id"].(string)
			var files []string
			for _, row := range o.want(t, 200, "GET", "/v1/slices/"+id+"/attachments", nil).get(t, "data").([]any) {
				files = append(files, row.(map[string]any)["id"].(string))
			}
			var work sync.WaitGroup
			for _, path := range []string{"/v1/attachments/" + files[0],
				"/v1/attachments/" + files[0], "/v1/slices/" + id + "/console", "/v1/slices/" + id + "/network.har"} {
				work.Go(func() {
					for range 5 {
						if a := o.do(t, "GET", path, nil); a.Status != 200 && a.Status != 404 {
							t.Errorf("GET %s: %d %s", path, a.Status, a.Body)
						}
					}
				})
			}
			for _, f := range files {
				o.want(t, 204, "DELETE", "/v1/attachments/"+f, nil)
			}
			work.Wait()
		}
	})
}

// TestTortureUploads: after the process was killed during uploads, each acknowledged file is complete, and the others
// are recorded for removal.
func TestTortureUploads(t *testing.T) {
	ownServers(t, []string{"--rate-limit", "off"}, func(t *testing.T, s *server) {
		o := newOrg(t, s, "uploads")
		id := o.slice(t, o.Workspace, nil)["id"].(string)
		const clients = 6
		kept := make([]map[string]string, clients) // attachment → its content's sum
		var stop atomic.Bool
		var work sync.WaitGroup
		for i := range kept {
			kept[i] = map[string]string{}
			l := ledger{c: o.client}
			work.Go(func() {
				for n := 0; !stop.Load(); n++ {
					name := fmt.Sprintf("%d-%d", i, n)
					body := strings.Repeat(name+"\x80", 1+(n*7919)%60_000)
					a := l.insist(t, 201, "POST", "/v1/slices/"+id+"/attachments?name="+name,
						body, "Content-Type", "application/octet-stream", "Idempotency-Key", name)
					if a.Status == 0 {
						return
					}
					sum := sha256.Sum256([]byte(body))
					kept[i][a.get(t, "id").(string)] = hex.EncodeToString(sum[:])
				}
			})
		}
		s.killAgain(t)
		stop.Store(true)
		work.Wait()
		total := 0
		for _, files := range kept {
			for attachment, want := range files {
				total++
				body := o.want(t, 200, "GET", "/v1/attachments/"+attachment, nil).Body
				if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != want {
					t.Errorf("acknowledged and not whole: %s", attachment)
				}
			}
		}
		if n := o.want(t, 200, "GET", "/v1/slices/"+id, nil).get(t, "attachmentCount"); n != float64(total) {
			t.Errorf("%v files are counted, %d were acknowledged", n, total)
		}
		got := s.collect(t)
		assert.Equal(t, "files that are named, missing and unknown",
			[]int{got.Named.Files, got.Missing, got.Unknown.Files + got.UnknownOld.Files}, []int{total, 0, 0})
		assert.Equal(t, "files that are named or wait for their removal", got.Named.Files+got.Unreferenced.Files,
			len(blobs(t, s.dir)))
		t.Logf("%d kills, %d files acknowledged, 0 lost; %d wait for their removal, 0 are unknown", rounds(), total,
			got.Unreferenced.Files)
	})
}
