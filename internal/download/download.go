// Package download answers with the bytes of files and with JSON that is written while it is read. No file can run
// scripts in the origin of the service: every file is in a sandbox, and only images, videos and plain text are shown
// in the browser.
package download

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

// WriteFile answers with a file or the ranges of it that the request names, and closes the file. After an error
// nothing is written.
func WriteFile(w http.ResponseWriter, r *http.Request, f operations.File) error {
	defer f.Content.Close()
	setHeaders(w.Header(), f)
	err := serveContent(w, r, f)
	if err != nil {
		w.Header().Del("Content-Disposition")
		w.Header().Del("Content-Security-Policy")
	}
	return err
}

// setHeaders sets the headers of a file. The file is shown in the browser if its type is harmless, and otherwise
// downloaded.
func setHeaders(h http.Header, f operations.File) {
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

// serveContent answers with the content of a file. An error of net/http becomes a problem.
func serveContent(w http.ResponseWriter, r *http.Request, f operations.File) error {
	if ranges := parseRanges(r.Header.Get("Range")); ranges != "" && r.Method == http.MethodGet {
		r.Header.Set("Range", ranges)
	} else {
		r.Header.Del("Range")
	}
	out := &errorInterceptor{ResponseWriter: w}
	http.ServeContent(out, r, "", f.CreatedAt, f.Content)
	switch out.status {
	case 0:
		return nil
	case http.StatusPreconditionFailed:
		return api.NewProblem(api.CodePrecondition, "The file's entity tag is "+f.ETag+".")
	case http.StatusRequestedRangeNotSatisfiable:
		return api.NewProblem(api.CodeRange,
			fmt.Sprintf("The file has %d bytes, and none of them is in the range.", f.Content.Size()))
	default:
		return fmt.Errorf("serve a file: %d %s", out.status, out.body)
	}
}

// errorInterceptor keeps the error responses of net/http from the client, so that they become problems.
type errorInterceptor struct {
	http.ResponseWriter
	status int // of the error response; 0 when there is none
	body   string
}

func (w *errorInterceptor) WriteHeader(status int) {
	if status >= 400 {
		w.status = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *errorInterceptor) Write(b []byte) (int, error) {
	if w.status != 0 {
		w.body += string(b)
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *errorInterceptor) Unwrap() http.ResponseWriter { return w.ResponseWriter }

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
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
			strings.IndexByte("!#$&+-.^_`|~", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// WriteJSON answers with the JSON that write writes. An error before the first byte is returned; after it the
// connection ends, so that an incomplete document does not look complete.
func WriteJSON(w http.ResponseWriter, r *http.Request, write func(io.Writer) error) error {
	return WriteStream(w, r, "application/json", write)
}

// WriteStream is WriteJSON for another media type.
func WriteStream(w http.ResponseWriter, r *http.Request, mediaType string, write func(io.Writer) error) error {
	w.Header().Set("Content-Type", mediaType)
	w.Header().Set("Cache-Control", "no-store")
	return writeStarted(w, r, write)
}

// WriteArchive answers with a zip file, which write writes, as a download with a name. Errors are those of WriteJSON.
func WriteArchive(w http.ResponseWriter, r *http.Request, name string, write func(io.Writer) error) error {
	h := w.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", withFilename("attachment", name))
	h.Set(httpserver.HeaderNoCompression, "1")
	return writeStarted(w, r, write)
}

// writeStarted answers with what write writes. An error before the first byte is returned; after it the connection
// ends.
func writeStarted(w io.Writer, r *http.Request, write func(io.Writer) error) error {
	out := &startedWriter{Writer: w}
	err := write(out)
	if err != nil && out.started {
		httpserver.Info(r).Err = err
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
