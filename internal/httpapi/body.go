package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"bugslice/api"
	"bugslice/internal/admission"
	"bugslice/internal/schema"
	"bugslice/internal/strictjson"
	"bugslice/internal/tracker"
)

// fill reads a request into an operation's input, or refuses it with every fault found.
// Faults of the body's form (400) come before those of its members (422); any fault of a
// parameter makes it 400. release gives back the memory of the body, and its place among those
// that are processed.
func (s *Server) fill(w http.ResponseWriter, r *http.Request, rt route, c tracker.Caller, in any) (release func(), err error) {
	release = func() {}
	v := reflect.ValueOf(in).Elem()
	faults := append(queryParams(r, rt.plan, v), headerParams(r, rt.plan, v)...)
	status := api.CodeInvalidParameter
	if rt.plan.body != nil {
		memory := s.reserve(w, c)
		release = memory.Release
		raw, err := readBody(w, r, rt, memory)
		if err != nil {
			return release, err
		}
		processed, err := memory.Process(r.Context(), len(raw))
		if err != nil {
			return release, err
		}
		release = func() { processed(); memory.Release() }
		bad, err := s.fillLarge(r.Context(), c, rt, raw, v)
		if err != nil {
			return release, err
		}
		if len(faults) == 0 {
			status = api.CodeInvalidBody
		}
		faults = append(faults, bad...)
	}
	if len(faults) > 0 {
		return release, api.Refuse(status, summarise(faults), faults...)
	}
	return release, pathParams(r, rt.plan, v)
}

// largeBody is the size from which reading a body takes much of a processor.
const largeBody = 8 << 10

// fillLarge is fillBody, which waits with a large body until the caller's organisation may do such
// work.
func (s *Server) fillLarge(ctx context.Context, c tracker.Caller, rt route, raw []byte, v reflect.Value) ([]api.Fault, error) {
	if len(raw) < largeBody {
		return s.fillBody(rt, raw, v)
	}
	slot, err := s.Tracker.Compute(ctx, c)
	if err != nil {
		return nil, err
	}
	defer slot.Release()
	return s.fillBody(rt, raw, v)
}

// summarise says the first fault in a sentence, and how many more there are.
func summarise(faults []api.Fault) string {
	f := faults[0]
	at := f.Parameter
	if at == "" {
		at = f.Pointer
	}
	text := at + ": " + f.Detail
	if n := len(faults) - 1; n == 1 {
		text += " (and 1 more fault)"
	} else if n > 1 {
		text += " (and more: see errors)"
	}
	return strings.TrimPrefix(text, ": ")
}

// readBody returns the whole body of an acceptable type and size.
func readBody(w http.ResponseWriter, r *http.Request, rt route, memory *admission.Reservation) ([]byte, error) {
	b, most := rt.plan.body, cmp.Or(rt.op.MaxBody, api.DefaultBody)
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
	if err != nil || kind != "application/json" && (kind != "application/merge-patch+json" || !b.patch) || charset != "" && !strings.EqualFold(charset, "utf-8") {
		want := "application/json"
		if b.patch {
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

// fillBody checks a body against the published schema and decodes it. err refuses its form.
func (s *Server) fillBody(rt route, raw []byte, in reflect.Value) (faults []api.Fault, err error) {
	b := rt.plan.body
	if len(raw) == 0 && b.optional {
		return nil, nil
	}
	value, bad := strictjson.Object(raw)
	if bad != nil {
		return nil, api.Refuse(api.CodeMalformedBody, "The body must be one JSON object: "+bad.Detail+".",
			api.Fault{Pointer: clip(bad.Pointer), Code: bad.Code, Detail: bad.Detail})
	}
	if bytes.Contains(raw, []byte(`\u0000`)) {
		for _, at := range strictjson.Nul(value) {
			faults = append(faults, api.Fault{Pointer: at, Code: "nul_character", Detail: "must not hold U+0000"})
		}
	}
	for _, f := range s.schemas.Check(b.schema, value) {
		if f.Code == "unknown_member" && readOnly(rt.out)[f.Pointer] {
			f.Code, f.Detail = "read_only", "this member is set by the service; leave it out"
			if b.patch {
				f.Detail = "this member cannot be changed; leave it out"
			}
		}
		f.Pointer = clip(f.Pointer)
		faults = append(faults, toFault(f))
	}
	if len(faults) > 0 {
		return faults, nil
	}
	target := in.FieldByIndex(b.index)
	if b.patch {
		target.Set(reflect.ValueOf(value).Convert(target.Type()))
		return nil, nil
	}
	if err := json.Unmarshal(raw, target.Addr().Interface()); err != nil { // a number such as 1e3 where the type wants digits
		f := api.Fault{Code: "unreadable", Detail: "the value cannot be read"}
		var where *json.SemanticError
		if errors.As(err, &where) {
			f.Pointer = clip(string(where.JSONPointer))
		}
		return []api.Fault{f}, nil
	}
	bodyDefaults(target, value)
	return nil, nil
}

// bodyDefaults gives members that a body left out, or has as null, the values the document says.
func bodyDefaults(target reflect.Value, value map[string]any) {
	if target.Kind() == reflect.Pointer {
		target = target.Elem()
	}
	for _, f := range schema.Fields(target.Type()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if text, ok := f.Tag.Lookup("default"); ok && value[name] == nil {
			if err := json.Unmarshal([]byte(text), target.FieldByName(f.Name).Addr().Interface()); err != nil {
				panic("httpapi: the default of " + name + " cannot be read: " + err.Error())
			}
		}
	}
}

func toFault(f schema.Fault) api.Fault {
	return api.Fault{Pointer: f.Pointer, Code: f.Code, Detail: f.Detail}
}

// readOnly returns pointers to the members of a record that its input does not have.
func readOnly(record reflect.Type) map[string]bool {
	if record.Kind() != reflect.Struct {
		return nil
	}
	all := map[string]bool{}
	for _, f := range schema.Fields(record) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		all["/"+name] = true
	}
	return all
}
