package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/api/wire"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/operations"
	"bugslice/internal/schema"
)

// TestGoAndHTTPAreRefusedAlike makes inputs of every operation at random, most of them invalid, both as
// a value in Go and as a request, and compares the problems. Only a request has a size.
func TestGoAndHTTPAreRefusedAlike(t *testing.T) {
	w := newCounted(t, 0)
	refused, passed := 0, 0
	for _, op := range operations.All(w.tracker) {
		rt := newRoute(operations.Operation{Operation: op.Operation, Input: op.Input, Bind: op.Bind, Record: pass})
		codes := map[string]int{}
		for n := range 60 {
			g := generator{Rand: rand.New(rand.NewPCG(uint64(n), 1)), invalid: n % 4 * 8}
			in, request := g.input(rt)
			want, got := w.overHTTP(t, rt, request), asProblem(w.inGo(t, rt, in))
			if want.Code == api.CodeTooLarge {
				continue
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s %+v\nin Go:     %+v\nover HTTP: %+v", rt.ID, in, got, want)
			}
			if codes[want.Code]++; want.Detail == errPassed.Detail {
				passed++
			} else {
				refused++
			}
		}
		if len(rt.Input.Params) > 0 && len(codes) < 2 {
			t.Errorf("%s: the generator does not reach far: %v", rt.ID, codes)
		}
	}
	t.Logf("%d refused, %d passed", refused, passed)
	if refused < 600 || passed < 600 {
		t.Errorf("%d inputs were refused and %d passed", refused, passed)
	}
}

// errPassed is the refusal of an input that is valid.
var errPassed = api.NewProblem(api.CodeConflict, "The input is valid.")

// pass takes the place of the method that carries an operation out.
func pass(context.Context, access.Caller, any) (any, error) { return nil, errPassed }

// overHTTP sends a request for a route, and returns its problem.
func (w *counted) overHTTP(t *testing.T, rt *route, r *http.Request) (p api.Problem) {
	t.Helper()
	r.Header.Set("Authorization", "Bearer "+w.token)
	answer := httptest.NewRecorder()
	w.api.operation(rt).ServeHTTP(answer, r)
	must(t, json.Unmarshal(answer.Body.Bytes(), &p))
	return asProblem(&p)
}

// inGo binds a value in Go, and returns its refusal with the faults that the database finds.
func (w *counted) inGo(t *testing.T, rt *route, value any) error {
	source, err := rt.Input.Source(value)
	if err == nil {
		_, err = rt.Bind(source)
	}
	if err == nil {
		return errPassed
	}
	return w.tracker.WithReferenceFaults(t.Context(), w.owner, rt.ID, source, err)
}

// asProblem returns the problem that an error is, without what a response adds to it and the record that was not found.
func asProblem(err error) api.Problem {
	p, ok := errors.AsType[*api.Problem](err)
	if !ok {
		return api.Problem{Code: err.Error()}
	}
	return api.Problem{Title: p.Title, Status: p.Status, Code: p.Code, Detail: p.Detail, Errors: p.Errors}
}

// generator makes inputs, of which so many in a hundred parts are invalid.
type generator struct {
	*rand.Rand
	invalid int
}

func (g generator) chance(percent int) bool { return g.IntN(100) < percent }

// input makes an input of an operation, and the request that says the same.
func (g generator) input(rt *route) (any, *http.Request) {
	in := reflect.New(reflect.TypeOf(rt.In)).Elem()
	query, header, path := url.Values{}, http.Header{}, map[string]string{}
	for _, p := range rt.Input.Params {
		f := p.Of(in)
		switch {
		case p.In == "path":
			path[p.Name] = id.New(p.Prefix())
			if g.chance(g.invalid) {
				path[p.Name] = []string{"", "none", id.New(id.Event)}[g.IntN(3)]
			}
			f.SetString(path[p.Name])
		case g.chance(60) || g.IntN(len(rt.Input.Params)) >= 12 || p.Name == "Content-Digest":
		case p.In == "header":
			text := g.text(p.Field, []string{"ü", "\x01", strings.Repeat("z", 2000)})
			header.Set(p.Name, text)
			f.SetString(text)
		case f.Kind() == reflect.Map:
			values := reflect.New(f.Type().Elem()).Elem()
			name := []string{"a", "orderId", strings.Repeat("n", 101)}[g.IntN(3)]
			query.Set(p.Name+"["+name+"]", g.param(p.Field, values))
			f.Set(reflect.MakeMap(f.Type()))
			f.SetMapIndex(reflect.ValueOf(name), values)
		default:
			query.Set(p.Name, g.param(p.Field, f))
		}
	}
	var body []byte
	if b := rt.Input.Body; b != nil {
		body = g.body(in, b)
	}
	r := httptest.NewRequest(rt.Method, "/?"+query.Encode(), bytes.NewReader(body))
	r.Header = header
	r.Header.Set("Content-Type", "application/json")
	for name, value := range path {
		r.SetPathValue(name, value)
	}
	return in.Interface(), r
}

// param fills a parameter and returns what the query says.
func (g generator) param(f reflect.StructField, to reflect.Value) string {
	switch value := to.Addr().Interface().(type) {
	case **api.Time:
		at := api.At(time.Now())
		*value = &at
		return at.String()
	case *int:
		*value = []int{-1, 1, 50, 500, 1 << 40}[g.IntN(5)]
		return fmt.Sprint(*value)
	case *bool:
		*value = true
		return "true"
	}
	if to.Kind() != reflect.Slice {
		to.SetString(g.text(f, nil))
		return to.String()
	}
	words := make([]string, []int{1, 2, 101}[g.IntN(3)])
	to.Set(reflect.MakeSlice(to.Type(), len(words), len(words)))
	for i := range words {
		words[i] = strings.ReplaceAll(g.text(f, nil), ",", ".")
		to.Index(i).SetString(words[i])
	}
	return strings.Join(words, ",")
}

// text returns a text for a field that is not empty.
func (g generator) text(f reflect.StructField, invalid []string) string {
	if g.chance(g.invalid) {
		invalid = append(invalid, "banana", "\x00", " ", "a,b", strings.Repeat("é", 300), strings.Repeat("x", 70_000))
		return invalid[g.IntN(len(invalid))]
	}
	if allowed := schema.Enum(f); allowed != nil {
		return allowed[g.IntN(len(allowed))]
	}
	return fmt.Sprint("text", g.IntN(1000))
}

// body fills the body of an input, and returns its JSON.
func (g generator) body(in reflect.Value, b *input.Body) []byte {
	var value any
	switch {
	case b.Patch:
		patch := g.patch(b.Type)
		p := in.FieldByName("Patch")
		p.Set(reflect.ValueOf(patch).Convert(p.Type()))
		value = patch
	case in.FieldByName("Body").Kind() == reflect.Pointer:
		if g.chance(30) {
			return nil
		}
		f := in.FieldByName("Body")
		f.Set(reflect.New(f.Type().Elem()))
		value = g.object(f.Elem())
	default:
		value = g.object(in.FieldByName("Body"))
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// patch makes a merge patch of a struct.
func (g generator) patch(fields reflect.Type) map[string]any {
	patch := map[string]any{}
	for _, f := range schema.Fields(fields) {
		if g.chance(30) {
			patch[nameOf(f)] = []any{nil, g.text(f, nil), 1.5, true, []any{"a", "a"}, map[string]any{"x": 1}}[g.IntN(6)]
		}
	}
	if g.chance(g.invalid) {
		patch[[]string{"id", "sumary", "createdAt"}[g.IntN(3)]] = 1
	}
	return patch
}

func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// object fills a struct, and returns the members that a request has for it.
func (g generator) object(v reflect.Value) map[string]any {
	all := map[string]any{}
	for _, f := range schema.Fields(v.Type()) {
		required := f.Tag.Get("create") == "required"
		member := v.FieldByName(f.Name)
		switch kind := member.Kind(); {
		case kind == reflect.Bool, kind == reflect.Int64, kind == reflect.Float64: // never left out
		case required && g.chance(100-g.invalid):
		case g.chance(60):
			if required && kind == reflect.String {
				all[nameOf(f)] = ""
			}
			continue
		}
		all[nameOf(f)] = g.member(f, member)
	}
	return all
}

// member fills a member, and returns what a request has for it.
func (g generator) member(f reflect.StructField, v reflect.Value) any {
	switch value := v.Addr().Interface().(type) {
	case *api.Time:
		*value = api.At(time.Now())
		return value.String()
	case *json.RawMessage:
		*value = json.RawMessage([]string{`{"log":{}}`, `[1,2]`, `"text"`, `{"a":"\u0000"}`}[g.IntN(4)])
		return *value
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		if v.Elem().Kind() == reflect.String && g.chance(g.invalid) {
			return "" // which is not left out
		}
		return g.member(f, v.Elem())
	case reflect.String:
		v.SetString(g.text(f, nil))
		return v.String()
	case reflect.Bool:
		v.SetBool(g.chance(50))
	case reflect.Int64:
		v.SetInt([]int64{-1, 0, 60, 1 << 40}[g.IntN(4)])
	case reflect.Float64:
		v.SetFloat([]float64{-1, 0, 2.5, 1e9}[g.IntN(4)])
	case reflect.Map:
		if fields, ok := wire.Patched(v.Type()); ok {
			v.Set(reflect.ValueOf(g.patch(fields)).Convert(v.Type()))
			return v.Interface()
		}
		v.Set(reflect.MakeMap(v.Type()))
		for key, value := range map[string]string{"a": g.text(f, nil), strings.Repeat("n", 1+g.IntN(200)): "b"} {
			v.SetMapIndex(reflect.ValueOf(key), reflect.ValueOf(value).Convert(v.Type().Elem()))
		}
	case reflect.Struct:
		return g.object(v)
	case reflect.Slice:
		return g.list(f, v)
	}
	return v.Interface()
}

func (g generator) list(f reflect.StructField, v reflect.Value) any {
	all := make([]any, []int{0, 1, 2, 60}[g.IntN(4)])
	v.Set(reflect.MakeSlice(v.Type(), len(all), len(all)))
	for i := range all {
		all[i] = g.member(f, v.Index(i))
	}
	return all
}
