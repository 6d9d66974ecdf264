package httpapi

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/httpserver"
	"bugslice/internal/input"
	"bugslice/internal/media"
	"bugslice/internal/tracker"
)

// createAttachment stores a file: the body, or the one part of a form that has a filename. The file is streamed
// to the tracker.
func (a *API) createAttachment(q *request, v input.Valid[api.CreateAttachment]) (api.Attachment, error) {
	in, err := v.Value(q.caller.Allow(api.OpCreateAttachment))
	if err != nil {
		return api.Attachment{}, err
	}
	r := q.Request
	if err := rejectContentEncoding(r); err != nil {
		return api.Attachment{}, err
	}
	want, err := contentDigest(in.ContentDigest)
	if err != nil {
		return api.Attachment{}, err
	}
	body := &digestReader{r: &bodyReader{r: r.Body, w: q.w, memory: q.memory}, hash: sha256.New()}
	kind, options, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "multipart/form-data" {
		up := tracker.Upload{Body: &nonEmptyReader{r: body}, ContentType: r.Header.Get("Content-Type"),
			Name: dispositionName(in.Disposition), Length: r.ContentLength, SHA256: want, Memory: q.memory}
		return a.Tracker.CreateAttachment(r.Context(), q.caller, v, up)
	}
	up, err := formUpload(&in, body, options["boundary"], want)
	if err != nil {
		return api.Attachment{}, err
	}
	up.Length, up.Memory = r.ContentLength, q.memory
	return a.Tracker.CreateAttachment(r.Context(), q.caller, v, up)
}

// formUpload reads a form up to its file, which is streamed. Fields after the file are in in when the file has
// been read to its end.
func formUpload(in *api.CreateAttachment, body *digestReader, boundary, want string) (tracker.Upload, error) {
	if boundary == "" {
		return tracker.Upload{}, api.Refuse(api.CodeMalformedBody, "multipart/form-data needs its boundary.")
	}
	form := multipart.NewReader(body, boundary)
	part, err := nextFile(form, in)
	if errors.Is(err, io.EOF) {
		err = api.Refuse(api.CodeMalformedBody, "No part of the form has a filename. Send the file as one that has.")
	}
	if err != nil {
		return tracker.Upload{}, bodyError(err)
	}
	file := &formFile{part: part, form: form, in: in, body: body, want: want}
	up := tracker.Upload{Body: &nonEmptyReader{r: file}, ContentType: part.Header.Get("Content-Type"), Name: part.FileName(), Form: in}
	up.SHA256, err = contentDigest(part.Header.Get("Content-Digest"))
	return up, err
}

// maxFields is how many parts without a filename a form may have in a row.
const maxFields = 20

// nextFile reads a form up to its next file. io.EOF says that there is none.
func nextFile(form *multipart.Reader, in *api.CreateAttachment) (*multipart.Part, error) {
	for range maxFields {
		part, err := form.NextPart()
		if err != nil || part.FileName() != "" {
			return part, err
		}
		if err := formField(in, part); err != nil {
			return nil, err
		}
	}
	return nil, api.Refuse(api.CodeMalformedBody, "The form has too many parts without a filename.")
}

// formField reads kind or name from a part.
func formField(in *api.CreateAttachment, part *multipart.Part) error {
	raw, err := io.ReadAll(io.LimitReader(part, 1000))
	if err != nil {
		return err
	}
	text := strings.TrimSpace(string(raw))
	if said := map[string]string{"kind": string(in.Kind), "name": in.Name}[part.FormName()]; said != "" && said != text {
		return api.InvalidParameter(part.FormName(), "repeated", "must be given once")
	}
	switch part.FormName() {
	case "kind":
		in.Kind = api.AttachmentKind(text)
		if !slices.Contains(in.Kind.Values(), text) {
			return api.InvalidParameter("kind", "not_allowed", "must be one of "+strings.Join(in.Kind.Values(), ", "))
		}
		return nil
	case "name":
		in.Name = text
		return nil
	default:
		return api.Refuse(api.CodeMalformedBody, "A part without a filename is kind or name, not "+input.Quote(part.FormName())+".")
	}
}

// bodyError returns the problem of a body that cannot be read.
func bodyError(err error) error {
	var p *api.Problem
	if errors.As(err, &p) {
		return err
	}
	return api.Refuse(api.CodeMalformedBody, "The body did not arrive whole, or is not what its Content-Type says.")
}

var sha256Digest = regexp.MustCompile(`(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):`)

// contentDigest returns the SHA-256 of Content-Digest (RFC 9530), in hexadecimal. A header with other algorithms
// only is refused, because the digest would not be verified.
func contentDigest(header string) (string, error) {
	if header == "" {
		return "", nil
	}
	all := sha256Digest.FindAllStringSubmatch(header, -1)
	if len(all) != 1 || strings.Count(header, "sha-256=") != 1 {
		return "", api.InvalidParameter("Content-Digest", "wrong_form", "must have one sha-256=:…: with the digest in base64")
	}
	sum, err := base64.StdEncoding.DecodeString(all[0][1])
	if err != nil {
		return "", api.InvalidParameter("Content-Digest", "wrong_form", "the digest is no base64")
	}
	return hex.EncodeToString(sum), nil
}

func dispositionName(header string) string {
	_, options, err := mime.ParseMediaType(header)
	if err != nil {
		return ""
	}
	return options["filename"]
}

// digestReader reads a body and computes its digest.
type digestReader struct {
	r    io.Reader
	hash hash.Hash
}

func (d *digestReader) Read(b []byte) (int, error) {
	n, err := d.r.Read(b)
	d.hash.Write(b[:n])
	if err != nil && !errors.Is(err, io.EOF) {
		err = bodyError(err)
	}
	return n, err
}

// formFile reads the file of a form. Fields may follow it, a second file may not, and the whole body must match
// its digest.
type formFile struct {
	part *multipart.Part
	form *multipart.Reader
	in   *api.CreateAttachment
	body *digestReader
	want string
}

func (f *formFile) Read(b []byte) (int, error) {
	n, err := f.part.Read(b)
	if err == nil {
		return n, nil
	}
	if !errors.Is(err, io.EOF) {
		return n, bodyError(err)
	}
	switch _, more := nextFile(f.form, f.in); {
	case more == nil:
		return n, api.Refuse(api.CodeMalformedBody, "The form has two files. Send one in a request.")
	case !errors.Is(more, io.EOF):
		return n, bodyError(more)
	}
	if _, err := io.Copy(io.Discard, f.body); err != nil {
		return n, err
	}
	if got := hex.EncodeToString(f.body.hash.Sum(nil)); f.want != "" && got != f.want {
		return n, api.Refuse(api.CodeDigest,
			"The body that arrived has the SHA-256 "+got+", which is not what Content-Digest says. Send it again.")
	}
	return n, io.EOF
}

// nonEmptyReader refuses an empty file.
type nonEmptyReader struct {
	r    io.Reader
	some bool
}

func (e *nonEmptyReader) Read(b []byte) (int, error) {
	n, err := e.r.Read(b)
	e.some = e.some || n > 0
	if errors.Is(err, io.EOF) && !e.some {
		err = api.Refuse(api.CodeMalformedBody, "The file is empty.")
	}
	return n, err
}

func (a *API) getAttachment(q *request, in input.Valid[api.GetAttachment]) error {
	f, err := a.Tracker.ReadAttachment(q.Context(), q.caller, in)
	if err != nil {
		return err
	}
	defer f.Bytes.Close()
	return writeFile(q, f, f.ContentType, `"`+f.SHA256+`"`)
}

func (a *API) getThumbnail(q *request, in input.Valid[api.GetThumbnail]) error {
	f, err := a.Tracker.ReadThumbnail(q.Context(), q.caller, in)
	if err != nil {
		return err
	}
	defer f.Bytes.Close()
	head := make([]byte, 16)
	if _, err := io.ReadFull(f.Bytes, head); err != nil {
		return err
	}
	kind, _ := media.Detect(head, "", "")
	return writeFile(q, f, kind, `"`+f.SHA256+`-small"`)
}

// writeFile answers with the bytes of a file. No file can run scripts in the origin of the service: every file is
// in a sandbox, and a file that is no picture, film or plain text is a download.
func writeFile(q *request, f tracker.File, contentType, tag string) error {
	w, r, h := q.w, q.Request, q.w.Header()
	if strings.HasPrefix(contentType, "text/") {
		contentType += "; charset=utf-8"
	}
	place := "attachment"
	if kind, _, _ := mime.ParseMediaType(contentType); media.Inline(kind) {
		place = "inline"
	}
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", disposition(place, f.Name))
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "private, no-cache")
	h.Set("ETag", tag)
	h.Set(httpserver.HeaderNoCompression, "1")
	if asked := parseRanges(r.Header.Get("Range")); asked != "" && r.Method == http.MethodGet {
		r.Header.Set("Range", asked)
	} else {
		r.Header.Del("Range")
	}
	out := &errorInterceptor{ResponseWriter: w}
	http.ServeContent(out, r, "", f.CreatedAt.Time, f.Bytes)
	if out.status == 0 {
		return nil
	}
	h.Del("Content-Disposition")
	h.Del("Content-Security-Policy")
	switch out.status {
	case http.StatusPreconditionFailed:
		return api.Refuse(api.CodePrecondition, "The file's entity tag is "+tag+".")
	case http.StatusRequestedRangeNotSatisfiable:
		return api.Refuse(api.CodeRange, fmt.Sprintf("The file has %d bytes; the range is none of it.", f.Bytes.Size()))
	default:
		return fmt.Errorf("serve a file: %d %s", out.status, out.body)
	}
}

// disposition returns a Content-Disposition with the name in ASCII, for old clients, and in UTF-8 (RFC 8187).
func disposition(place, name string) string {
	ascii := strings.Map(func(r rune) rune {
		if r < 0x20 || r > 0x7e || r == '"' || r == '\\' || r == '%' {
			return '_'
		}
		return r
	}, name)
	var b strings.Builder
	for _, c := range []byte(name) {
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("!#$&+-.^_`|~", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return place + `; filename="` + ascii + `"; filename*=UTF-8''` + b.String()
}

// sliceMarkdown answers with a slice as Markdown.
func (a *API) sliceMarkdown(q *request, in input.Valid[api.GetSlice]) error {
	text, err := a.Tracker.Markdown(q.Context(), q.caller, in)
	if err != nil {
		return err
	}
	h := q.w.Header()
	h.Set("Content-Type", "text/markdown; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	return a.whenLarge(q, api.Lookup(api.OpGetSlice), len(text), func() error {
		_, _ = io.WriteString(q.w, text)
		return nil
	})
}
