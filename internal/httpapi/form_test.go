package httpapi

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"testing"

	"bugslice/api"
)

// FuzzMultipart: every multipart body is read or refused, and the files of one that mime/multipart writes are read
// unchanged.
func FuzzMultipart(f *testing.F) {
	f.Add([]byte("--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n\r\nbody\r\n--x--\r\n"), "x",
		[]byte("content"))
	f.Add([]byte("--x\r\nContent-Disposition: form-data; name=\"kind\"\r\n\r\nlog\r\n--x\r\n"), "x", []byte{0})
	f.Add([]byte("--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n\r\nbody\r\n--x\r\nContent-Disposition: "+
		"form-data; name=\"kind\"\r\n\r\nlog\r\n--x--\r\n"), "x", []byte("content"))
	f.Fuzz(func(t *testing.T, form []byte, boundary string, content []byte) {
		var in api.CreateAttachment
		read := func(raw []byte, boundary string) ([]byte, error) {
			in = api.CreateAttachment{}
			up, err := formUpload(&in, newDigestReader(bytes.NewReader(raw), ""), boundary)
			if err != nil {
				return nil, err
			}
			return io.ReadAll(up.Body)
		}
		var p *api.Problem
		if _, err := read(form, boundary); err != nil && !errors.As(err, &p) {
			t.Errorf("no refusal: %v", err)
		}
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		part, err := w.CreateFormFile("file", "name")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = part.Write(content)
		_ = w.WriteField("kind", "log") // behind the file
		_ = w.Close()
		got, err := read(b.Bytes(), w.Boundary())
		if len(content) > 0 && (err != nil || !bytes.Equal(got, content)) || len(content) == 0 && err == nil {
			t.Errorf("%d bytes became %d: %v", len(content), len(got), err)
		}
		if len(content) > 0 && in.Kind != api.KindLog {
			t.Errorf("the kind behind the file is %q", in.Kind)
		}
	})
}
