package httpapi

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"bugslice/api"
	"bugslice/internal/httpserver"
	"bugslice/internal/media"
	"bugslice/internal/operations"
)

// writeFile answers with the bytes of a file. No file can run scripts in the origin of the service: every file is
// in a sandbox, and only images, videos and plain text are shown in the browser.
func (a *API) writeFile(q *request, op operations.Operation, in any) error {
	f, err := op.OpenFile(q.Context(), q.caller, in)
	if err != nil {
		return err
	}
	defer f.Content.Close()
	setFileHeaders(q.w.Header(), f)
	return serveContent(q, f)
}

// setFileHeaders sets the headers of a file. The file is shown in the browser if its type is harmless, and otherwise
// downloaded.
func setFileHeaders(h http.Header, f operations.File) {
	contentType, disposition := f.ContentType, "attachment"
	if strings.HasPrefix(contentType, "text/") {
		contentType += "; charset=utf-8"
	}
	if mediaType, _, _ := mime.ParseMediaType(contentType); media.Inline(mediaType) {
		disposition = "inline"
	}
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", withFilename(disposition, f.Name))
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "private, no-cache")
	h.Set("ETag", f.ETag)
	h.Set(httpserver.HeaderNoCompression, "1")
}

// serveContent answers with a file or the ranges of it that the request names. An error of net/http becomes a problem.
func serveContent(q *request, f operations.File) error {
	r, h := q.Request, q.w.Header()
	if ranges := parseRanges(r.Header.Get("Range")); ranges != "" && r.Method == http.MethodGet {
		r.Header.Set("Range", ranges)
	} else {
		r.Header.Del("Range")
	}
	out := &errorInterceptor{ResponseWriter: q.w}
	http.ServeContent(out, r, "", f.CreatedAt, f.Content)
	if out.status == 0 {
		return nil
	}
	h.Del("Content-Disposition")
	h.Del("Content-Security-Policy")
	switch out.status {
	case http.StatusPreconditionFailed:
		return api.NewProblem(api.CodePrecondition, "The file's entity tag is "+f.ETag+".")
	case http.StatusRequestedRangeNotSatisfiable:
		return api.NewProblem(api.CodeRange, fmt.Sprintf("The file has %d bytes, and none of them is in the range.", f.Content.Size()))
	default:
		return fmt.Errorf("serve a file: %d %s", out.status, out.body)
	}
}

// withFilename returns a Content-Disposition with a file name in ASCII, for old clients, and in UTF-8 (RFC 8187).
func withFilename(disposition, name string) string {
	ascii := strings.Map(func(r rune) rune {
		if r < 0x20 || r > 0x7e || strings.ContainsRune(`"\%`, r) {
			return '_'
		}
		return r
	}, name)
	return disposition + `; filename="` + ascii + `"; filename*=UTF-8''` + percentEncode(name)
}

// percentEncode encodes every byte of a text that is no attr-char of RFC 8187.
func percentEncode(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("!#$&+-.^_`|~", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// writeText answers with a record as Markdown.
func (a *API) writeText(q *request, op operations.Operation, in any) error {
	text, err := op.Text(q.Context(), q.caller, in)
	if err != nil {
		return err
	}
	h := q.w.Header()
	h.Set("Content-Type", "text/markdown; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	return a.writeLarge(q, op.Operation, len(text), func() error {
		_, _ = io.WriteString(q.w, text)
		return nil
	})
}

// writeStream answers with JSON that is written while it is read.
func (a *API) writeStream(q *request, op operations.Operation, in any) error {
	q.w.Header().Set("Content-Type", "application/json")
	q.w.Header().Set("Cache-Control", "no-store")
	out := &startedWriter{Writer: q.w}
	err := op.WriteJSON(q.Context(), q.caller, in, out)
	if err != nil && out.started { // an incomplete document must not look complete
		httpserver.Info(q.Request).Err = err
		panic(http.ErrAbortHandler)
	}
	return err
}

// startedWriter remembers whether anything was written.
type startedWriter struct {
	io.Writer
	started bool
}

func (w *startedWriter) Write(p []byte) (int, error) {
	w.started = true
	return w.Writer.Write(p)
}
