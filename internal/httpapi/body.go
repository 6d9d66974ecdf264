package httpapi

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/admission"
	"bugslice/internal/input"
	"bugslice/internal/tracker"
)

// read reads a request and has its input bound. release gives back the memory of the body, and its
// place among those that are processed.
func (s *Server) read(w http.ResponseWriter, r *http.Request, rt route, c tracker.Caller,
	bind func(input.Source) error,
) (release func(), err error) {
	release = func() {}
	source := input.Source{Path: r.PathValue, Header: r.Header}
	source.Query, source.QueryErr = url.ParseQuery(r.URL.RawQuery)
	if rt.in.Body == nil {
		return release, bind(source)
	}
	memory := s.reserve(w, c)
	release = memory.Release
	if source.Body, err = readBody(w, r, rt, memory); err != nil {
		return release, err
	}
	processed, err := memory.Process(r.Context(), len(source.Body))
	if err != nil {
		return release, err
	}
	release = func() { processed(); memory.Release() }
	if len(source.Body) < largeBody {
		return release, bind(source)
	}
	slot, err := s.Tracker.Compute(r.Context(), c)
	if err != nil {
		return release, err
	}
	defer slot.Release()
	return release, bind(source)
}

// largeBody is the size from which binding a body takes much of a processor: it waits until the
// caller's organisation may do such work.
const largeBody = 64 << 10

// readBody returns the whole body of an acceptable type and size.
func readBody(w http.ResponseWriter, r *http.Request, rt route, memory *admission.Reservation) ([]byte, error) {
	b, most := rt.in.Body, cmp.Or(rt.op.MaxBody, api.DefaultBody)
	if err := uncoded(r); err != nil {
		return nil, err
	}
	body := &bodyReader{r: http.MaxBytesReader(w, r.Body, most), w: w, memory: memory, end: time.Now().Add(bodyTime)}
	raw, err := memory.ReadAll(r.Context(), body, min(r.ContentLength, most))
	var large *http.MaxBytesError
	var refused *api.Problem
	switch {
	case errors.As(err, &large):
		return nil, api.Refuse(api.CodeTooLarge, fmt.Sprintf("A body may have at most %d MiB here.", most>>20))
	case errors.As(err, &refused):
		return nil, err
	case err != nil:
		return nil, api.Refuse(api.CodeMalformedBody, "The body did not arrive whole.")
	}
	if len(raw) == 0 {
		return nil, nil
	}
	kind, options, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := options["charset"]
	if err != nil || kind != "application/json" && (kind != "application/merge-patch+json" || !b.Patch) || charset != "" && !strings.EqualFold(charset, "utf-8") {
		want := "application/json"
		if b.Patch {
			w.Header().Set("Accept-Patch", "application/merge-patch+json, application/json")
			want = "application/merge-patch+json or application/json"
		}
		return nil, api.Refuse(api.CodeMediaType, "Send the body as Content-Type: "+want+", in UTF-8.")
	}
	return raw, nil
}

// bodyTime bounds how long a body of JSON may take, however steadily it comes.
const bodyTime = 10 * time.Minute

// reserve returns a Reservation for the body of a request.
func (s *Server) reserve(w http.ResponseWriter, c tracker.Caller) *admission.Reservation {
	return s.Tracker.Reserve(c, func() { _ = http.NewResponseController(w).SetReadDeadline(time.Now()) })
}

// bodyReader reads a body that must keep coming: the client has its time anew for each piece of it,
// until the end, if there is one. A body that was ended to free memory is refused.
type bodyReader struct {
	r      io.Reader
	w      http.ResponseWriter
	memory *admission.Reservation
	end    time.Time
}

func (b *bodyReader) Read(p []byte) (int, error) {
	if b.end.IsZero() || time.Now().Before(b.end) {
		awaited(b.w)
	}
	if err := b.memory.Arrived(0); err != nil {
		return 0, err
	}
	n, err := b.r.Read(p)
	if ended := b.memory.Arrived(n); ended != nil {
		return n, ended
	}
	if errors.Is(err, io.EOF) {
		if ended := b.memory.Complete(); ended != nil {
			return n, ended
		}
		arrived(b.w)
	}
	return n, err
}

// uncoded refuses a body that is compressed: it would be taken for what it is not.
func uncoded(r *http.Request) error {
	if coding := strings.Join(r.Header.Values("Content-Encoding"), ","); coding != "" && !strings.EqualFold(coding, "identity") {
		return api.Refuse(api.CodeMediaType, "Send the body as it is, without Content-Encoding.")
	}
	return nil
}
