package gateway_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/api/wire"
	"bugslice/internal/schema"
)

type fields = map[string]any

// input is the input of an operation in parts, which a request and a line are made of.
type input struct {
	op     *api.Operation
	path   map[string]string
	query  fields // texts and numbers
	header map[string]string
	body   fields // nil for none
}

// input returns an input of an operation that succeeds, made from its input type.
func (w *world) input(operation string) input {
	in := input{op: api.Lookup(operation), path: map[string]string{}, query: fields{}, header: map[string]string{}}
	layout := wire.LayoutOf(reflect.TypeOf(in.op.In))
	for _, p := range layout.Params {
		switch {
		case p.In == "path":
			in.path[p.Name] = w.records[p.Name]
		case p.In == "query" && p.Name == "workspaceId":
			in.query[p.Name] = w.workspace
		}
	}
	switch b := layout.Body; {
	case b == nil || b.Optional:
	case b.Patch:
		in.body = changed(b.Type)
	default:
		in.body = w.required(b.Type)
	}
	switch operation {
	case api.OpRestoreSlice:
		in.path["sliceId"] = w.deleted
	case api.OpMarkRedaction:
		in.path["sliceId"] = w.withSecret
	case api.OpCreateKey: // a personal access token has no workspace
		in.body["type"] = "wst"
	case api.OpUpdateNotices:
		in.body["sliceId"] = w.records["sliceId"]
	case api.OpGetWatch:
		in.query["subjectId"] = w.records["sliceId"]
	case api.OpSetWatch:
		in.body["subjectId"] = w.records["sliceId"]
	case api.OpCreateWebhook:
		in.body["url"] = "http://192.0.2.1/"
	case api.OpDecideSubmissions:
		in.body["ids"] = []any{w.records["submissionId"]}
	case api.OpBatchUpdate:
		changed := fields{"id": w.records["sliceId"], "patch": fields{"priority": "high"}}
		in.body["items"] = []any{changed, fields{"id": "none", "patch": fields{}}}
	case api.OpBatchDelete, api.OpBatchRestore:
		in.body["items"] = []any{fields{"id": w.deleted}}
	}
	return in
}

// required returns the required members of a body, with the examples of their comments.
func (w *world) required(body reflect.Type) fields {
	all := fields{}
	for _, f := range schema.Documented(body) {
		switch name := wire.MemberName(f); {
		case name == "workspaceId":
			all[name] = w.workspace
		case f.Tag.Get("create") != "required":
		case f.Type == reflect.TypeFor[api.Time]():
			all[name] = "2026-01-01T00:00:00Z"
		case f.Type.Kind() == reflect.String:
			all[name] = f.Tag.Get("example")
		case f.Tag.Get("example") != "":
			all[name] = json.RawMessage(f.Tag.Get("example"))
		}
	}
	return all
}

// changed returns a change of one text: the description of a record that has one.
func changed(members reflect.Type) fields {
	first := ""
	for _, f := range schema.Documented(members) {
		switch name := wire.MemberName(f); {
		case name == "description":
			return fields{name: "changed"}
		case f.Type == reflect.TypeFor[string]() && first == "":
			first = name
		}
	}
	return fields{first: "changed"}
}

// with returns the input with more members of its body.
func (in input) with(more fields) input {
	if more != nil {
		in.body = maps.Clone(in.body)
		maps.Copy(in.body, more)
	}
	return in
}

// request returns the input as a request.
func (in input) request(t *testing.T, token string) *http.Request {
	t.Helper()
	path, query := in.op.Path, url.Values{}
	for name, value := range in.path {
		path = strings.Replace(path, "{"+name+"}", value, 1)
	}
	for name, value := range in.query {
		query.Set(name, fmt.Sprint(value))
	}
	var body bytes.Buffer
	if in.body != nil {
		must(t, json.NewEncoder(&body).Encode(in.body))
	}
	r := httptest.NewRequest(in.op.Method, path+"?"+query.Encode(), &body)
	r.RemoteAddr = "192.0.2.1:1"
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for name, value := range in.header {
		r.Header.Set(name, value)
	}
	return r
}

// line returns the input as a line.
func (in input) line(t *testing.T) string {
	t.Helper()
	arguments := maps.Clone(in.query)
	if arguments == nil {
		arguments = fields{}
	}
	for name, value := range in.path {
		arguments[name] = value
	}
	for name, value := range in.header {
		arguments[map[string]string{"If-Match": "ifMatch", "Idempotency-Key": "idempotencyKey"}[name]] = value
	}
	maps.Copy(arguments, in.body)
	text, err := json.Marshal(fields{"operation": in.op.ID, "arguments": arguments})
	must(t, err)
	return string(text)
}
