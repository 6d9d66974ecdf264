package suite

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"bugslice/api"
)

// TestSchemaFuzz sends valid and broken requests, made from the OpenAPI document, to every
// operation: no 500, no status the document does not declare, no trace of another tenant.
func TestSchemaFuzz(t *testing.T) {
	raw, err := os.ReadFile("../api/openapi.json")
	must(t, err)
	var doc map[string]any
	must(t, json.Unmarshal(raw, &doc))
	engines(t, func(t *testing.T, s *server) {
		const secret = "zebra-quartz-of-another-tenant"
		other := newOrg(t, s, "other")
		theirs := other.slice(t, other.Workspace,
			map[string]any{"summary": secret, "description": secret, "labels": []string{secret}})
		o := newOrg(t, s, "fuzz")
		mine := o.slice(t, o.Workspace, nil)
		_, key := o.newKey(t, map[string]any{"name": "k", "type": "pat", "scopes": []string{"user:read"}})
		more := append(targets(t, o, "ours"), targets(t, other, secret)...)
		f := fuzzer{doc: doc, r: rand.New(rand.NewPCG(1, 2)), ids: []string{o.Workspace,
			other.Workspace, mine["id"].(string), theirs["id"].(string), key, other.ID,
			"spc_01ja8m2c9tf3qb6h0v5r4x7kyz"}}
		f.ids = append(f.ids, more...)
		statuses := map[int]int{}
		for _, op := range api.Operations {
			if op.ID == api.OpRevokeSelf {
				continue // it would end the fuzzer's own key
			}
			for range sized(40, 120) {
				path, body, headers := f.request(op)
				a, err := o.try(op.Method, path, body, headers...)
				if err != nil {
					t.Fatalf("%s %s %v: %v", op.Method, path, body, err)
				}
				statuses[a.Status]++
				if a.Status >= 500 {
					t.Errorf("%s %s %v: %d %s", op.Method, path, body, a.Status, a.Body)
				}
				if strings.Contains(string(a.Body), secret) {
					t.Errorf("%s %s: another tenant's data: %s", op.Method, path, a.Body)
				}
			}
		}
		for _, status := range []int{200, 201, 400, 404, 422} {
			if statuses[status] == 0 {
				t.Errorf("no request was answered %d: %v", status, statuses)
			}
		}
		t.Logf("%v", statuses)
	})
}

// targets makes one of each further kind of record, which say a word, and returns their ids.
func targets(t *testing.T, o org, word string) []string {
	hook, _ := o.hook(t, nowhere, "slice.created")
	at := o.slice(t, o.Workspace, map[string]any{"summary": word})["id"].(string)
	file := o.upload(t, 201, at, "x.txt", "text/plain", word).get(t, "id").(string)
	said := o.want(t, 201, "POST", "/v1/slices/"+at+"/comments", map[string]any{"body": word}).get(t, "id").(string)
	delivery := o.want(t, 200, "GET", "/v1/webhooks/"+hook+"/deliveries", nil).get(t, "data").([]any)[0].(map[string]any)["id"].(string)
	return []string{at, file, said, hook, delivery}
}

type fuzzer struct {
	doc map[string]any
	r   *rand.Rand
	ids []string
}

func (f *fuzzer) chance(percent int) bool { return f.r.IntN(100) < percent }

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func (f *fuzzer) request(op api.Operation) (path string, body any, headers []string) {
	path = op.Path
	described := f.doc["paths"].(map[string]any)[op.Path].(map[string]any)[strings.ToLower(op.Method)].(map[string]any)
	params, _ := described["parameters"].([]any)
	q := url.Values{}
	for _, p := range params {
		m := p.(map[string]any)
		name := m["name"].(string)
		switch m["in"] {
		case "path":
			path = strings.Replace(path, "{"+name+"}", url.PathEscape(f.id()), 1)
		case "query":
			if f.chance(25) {
				q.Add(name, f.word(m["schema"].(map[string]any)))
			}
		case "header":
			if f.chance(20) {
				headers = append(headers, name, pick(f.r, "a", `"1"`, "*", strings.Repeat("z", 300), "ü"))
			}
		}
	}
	if f.chance(5) {
		q.Add(pick(f.r, "x", "limit", "cursor", "$where"), "1")
	}
	if len(q) > 0 {
		path += "?" + q.Encode()
	}
	if b, ok := described["requestBody"].(map[string]any); ok {
		media, ok := b["content"].(map[string]any)["application/json"].(map[string]any)
		if !ok { // a file
			return path, pick(f.r, "", "text with password=hunter2", "\x89PNG\r\n\x1a\nno",
					"{\"log\":{\"creator\":{},\"entries\":[1]}}", "\xff\xfe"),
				append(headers, "Content-Type", pick(f.r, "text/plain",
					"image/png", "multipart/form-data; boundary=x", "%%", "application/json"))
		}
		body = f.value(media["schema"].(map[string]any), 0)
		if f.chance(5) {
			text, _ := json.Marshal(body)
			body = string(text[:f.r.IntN(len(text)+1)]) + pick(f.r, "", "}", "\x00", "\xff")
		}
	}
	return path, body, headers
}

func (f *fuzzer) id() string {
	if f.chance(70) {
		return pick(f.r, f.ids...)
	}
	return pick(f.r, "x", "slc_", "slc_7zzzzzzzzzzzzzzzzzzzzzzzzz", "\x00", "%", "é", strings.Repeat("a", 500),
		"' OR 1=1 --")
}

func (f *fuzzer) word(s map[string]any) string {
	if f.chance(25) {
		return pick(f.r, "", "\x00", "-1", "1e9", ",", "null", "true",
			"[]", strings.Repeat("9", 40), "\xff", "\"'*", "2026-02-30T00:00:00Z", "9999-12-31T23:59:59Z",
			"0001-01-01T00:00:00Z")
	}
	v := f.value(s, 0)
	if list, ok := v.([]any); ok {
		words := make([]string, len(list))
		for i, w := range list {
			words[i] = fmt.Sprint(w)
		}
		return strings.Join(words, ",")
	}
	return fmt.Sprint(v)
}

// value returns what a schema allows, and now and then what it does not.
func (f *fuzzer) value(s map[string]any, depth int) any {
	if f.chance(6) || depth > 6 {
		return pick[any](f.r, nil, true, -1, 1.5, "", "x", []any{}, map[string]any{}, "\u0000",
			strings.Repeat("y", 300), 1e300)
	}
	if ref, ok := s["$ref"].(string); ok {
		return f.value(f.doc["components"].(map[string]any)["schemas"].(map[string]any)[strings.TrimPrefix(ref,
			"#/components/schemas/")].(map[string]any), depth)
	}
	if either, ok := s["anyOf"].([]any); ok {
		return f.value(pick(f.r, either...).(map[string]any), depth)
	}
	if values, ok := s["enum"].([]any); ok {
		return pick(f.r, values...)
	}
	t := s["type"]
	if list, ok := t.([]any); ok {
		t = pick(f.r, list...)
	}
	switch t {
	case "object":
		return f.object(s, depth)
	case "array":
		list := []any{}
		for range f.r.IntN(3) {
			items, _ := s["items"].(map[string]any)
			list = append(list, f.value(items, depth+1))
		}
		return list
	case "integer":
		return pick(f.r, 0, 1, 25, 100, 604800, 604801)
	case "number":
		return f.r.Float64() * 100
	case "boolean":
		return f.chance(50)
	case "null":
		return nil
	case nil: // anything
		return pick[any](f.r, nil, 1, "x", []any{map[string]any{"password": "p"}},
			map[string]any{"log": map[string]any{"entries": []any{}}},
			map[string]any{"type": 3, "timestamp": 1, "data": map[string]any{"source": 5, "id": 1, "text": "4111"}})
	}
	if s["format"] == "date-time" {
		return pick(f.r, "2026-01-01T00:00:00Z", "2027-06-01T12:00:00.123+02:00", "2099-12-31T23:59:59Z")
	}
	return pick(f.r, append([]string{"word", "två ord", "支払い", "a\nb", "{{.}}", "<b>", strings.Repeat("ä", 150)},
		f.ids...)...)
}

func (f *fuzzer) object(s map[string]any, depth int) any {
	out := map[string]any{}
	properties, _ := s["properties"].(map[string]any)
	need, _ := s["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) { // the same requests each time
		if slices.Contains(need, any(name)) && !f.chance(4) || f.chance(30) {
			out[name] = f.value(properties[name].(map[string]any), depth+1)
		}
	}
	if more, ok := s["additionalProperties"].(map[string]any); ok {
		for i := range f.r.IntN(3) {
			out[fmt.Sprint("k", i)] = f.value(more, depth+1)
		}
	}
	if f.chance(4) {
		out[pick(f.r, "extra", "__proto__", "id", "")] = 1
	}
	return out
}
