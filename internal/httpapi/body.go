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
	"bugslice/internal/schema"
	"bugslice/internal/strictjson"
	"bugslice/internal/tracker"
)

// fill reads a request into an operation's input, or refuses it with every fault found.
// Faults of the body's form (400) come before those of its members (422); any fault of a
// parameter makes it 400. A body that is large waits for its turn, which lasts until done.
func (s *Server) fill(w http.ResponseWriter, r *http.Request, rt route, c tracker.Caller, in any) (done func(), err error) {
	done = func() {}
	v := reflect.ValueOf(in).Elem()
	faults := append(queryParams(r, rt.plan, v), headerParams(r, rt.plan, v)...)
	status := api.CodeInvalidParameter
	if rt.plan.body != nil {
		size, most := r.ContentLength, cmp.Or(rt.op.MaxBody, api.DefaultBody)
		if size < 0 || size > most {
			size = most
		}
		if done, err = s.Tracker.Hold(c, size); err != nil {
			return done, err
		}
		raw, err := readBody(w, r, rt)
		if err != nil {
			return done, err
		}
		end, err := s.Tracker.Turn(r.Context(), c, len(raw))
		if err != nil {
			return done, err
		}
		held := done
		done = func() { end(); held() }
		bad, err := s.fillLarge(r.Context(), c, rt, raw, v)
		if err != nil {
			return done, err
		}
		if len(faults) == 0 {
			status = api.CodeInvalidBody
		}
		faults = append(faults, bad...)
	}
	if len(faults) > 0 {
		return done, api.Refuse(status, summarise(faults), faults...)
	}
	return done, pathParams(r, rt.plan, v)
}

// largeBody is the size from which reading a body takes much of a processor.
const largeBody = 64 << 10

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
func readBody(w http.ResponseWriter, r *http.Request, rt route) ([]byte, error) {
	b, most := rt.plan.body, cmp.Or(rt.op.MaxBody, api.DefaultBody)
	if err := uncoded(r); err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(&steady{http.MaxBytesReader(w, r.Body, most), w, time.Now().Add(bodyTime)})
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return nil, api.Refuse(api.CodeTooLarge, fmt.Sprintf("A body may have at most %d MiB here.", most>>20))
	}
	if err != nil {
		return nil, api.Refuse(api.CodeMalformedBody, "The body did not arrive whole.")
	}
	arrived(w)
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

// steady gives the client its time anew for each piece of a body, until the end.
type steady struct {
	r   io.Reader
	w   http.ResponseWriter
	end time.Time
}

func (s *steady) Read(b []byte) (int, error) {
	if time.Now().Before(s.end) {
		awaited(s.w)
	}
	return s.r.Read(b)
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
