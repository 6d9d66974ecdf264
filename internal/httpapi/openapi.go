package httpapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/schema"
)

type object = map[string]any

// Document returns the OpenAPI 3.1 document of every operation, made from the table and
// the types. It is the same whatever the instance's address.
func Document() ([]byte, error) {
	set := schema.NewSet(reflect.TypeFor[api.Time]())
	paths := object{}
	for _, r := range routes(nil) {
		item, ok := paths[r.op.Path].(object)
		if !ok {
			item = object{}
			paths[r.op.Path] = item
		}
		item[strings.ToLower(r.op.Method)] = describe(set, r)
	}
	problem := set.Ref(reflect.TypeFor[api.Problem](), schema.Record)
	set.Components["Problem"].(object)["properties"].(object)["code"].(object)["x-extensible-enum"] = allCodes()
	doc := object{
		"openapi": "3.1.0",
		"info": object{"title": "Bugslice", "version": "1", "description": introduction,
			"license": object{"name": "Apache-2.0", "identifier": "Apache-2.0"}},
		"servers":  []any{object{"url": "/"}},
		"security": []any{object{"apiKey": []any{}}},
		"tags":     tags(),
		"paths":    paths,
		"components": object{
			"schemas":         set.Components,
			"securitySchemes": object{"apiKey": object{"type": "http", "scheme": "bearer", "description": "An API key: svc_pat_… or svc_wst_…"}},
			"responses":       object{},
		},
	}
	for _, status := range statuses() {
		doc["components"].(object)["responses"].(object)["Problem"+strconv.Itoa(status)] = object{
			"description": describeStatus(status),
			"headers":     object{"X-Request-Id": header("Identifies the request in the service's log.")},
			"content":     object{"application/problem+json": object{"schema": problem, "example": exampleProblem(status)}},
		}
	}
	doc["webhooks"] = webhooks(set)
	fillExamples(doc)
	b, err := json.MarshalIndent(doc, "", "  ")
	return append(b, '\n'), err
}

const introduction = `Bug reports, called slices, with their evidence. Every request carries an API key: ` + "`Authorization: Bearer <API_KEY>`" + `.

Every list is paginated alike: send ` + "`limit`" + ` (1 to 100, 25 when left out); while ` + "`pagination.hasMore`" + ` is true, send ` + "`pagination.cursor`" + ` as ` + "`cursor`" + ` and repeat the other parameters.

Every refusal is a problem document (RFC 9457) with a stable ` + "`code`" + `. Inside /v1 changes are additive.`

func tags() []any {
	about := []object{
		{"name": "Profile", "description": "Who the caller is."},
		{"name": "Workspaces", "description": "Containers of slices and spaces that people are members of."},
		{"name": "Spaces", "description": "Containers within a workspace."},
		{"name": "Slices", "description": "Bug reports."},
		{"name": "Evidence", "description": "Files of a bug report, and what tools captured of it: console, network, actions, replay. Secrets are removed before anything is stored."},
		{"name": "Comments", "description": "What people said and did about a bug report, and reports that are like it."},
		{"name": "API keys", "description": "Personal access tokens (PAT) act as their user; workspace service tokens (WST) as a service of one workspace."},
		{"name": "Events", "description": "What happened in a workspace, in the order it was committed: as pages, or as a stream."},
		{"name": "Webhooks", "description": "Messages about what happens, sent by Standard Webhooks 1.0.0: signed with `webhook-signature`, with a `webhook-id` that stays the same on every try. Answer with 2xx within 15 seconds. What is not taken is tried again after about 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h."},
	}
	out := make([]any, len(about))
	for i, t := range about {
		out[i] = t
	}
	return out
}

func describe(set *schema.Set, r route) object {
	o := object{"operationId": r.op.ID, "summary": r.op.Summary, "description": description(r.op), "tags": []any{r.op.Tag},
		"x-scope": string(r.op.Scope), "x-error-codes": codesOf(r), "responses": responses(set, r)}
	if params := parameters(set, r); len(params) > 0 {
		o["parameters"] = params
	}
	if r.op.ID == api.OpCreateAttachment {
		file := object{"type": "string", "format": "binary"}
		o["requestBody"] = object{"required": true, "content": object{
			"multipart/form-data": object{"schema": object{"type": "object", "properties": object{"kind": object{"type": "string", "enum": values(api.AttachmentKind("").Values())}, "name": object{"type": "string"}, "file": file}, "required": []string{"file"}},
				"example": object{"kind": "screenshot", "file": "bytes"}},
			"*/*": object{"schema": file, "example": "bytes"}}}
	}
	if b := r.in.Body; b != nil {
		content := object{"application/json": object{"schema": set.Ref(b.Type, b.Mode())}}
		if b.Patch {
			content["application/merge-patch+json"] = content["application/json"]
		}
		o["requestBody"] = object{"required": !b.Optional, "content": content}
	}
	return o
}

func values(words []string) []any {
	out := make([]any, len(words))
	for i, w := range words {
		out[i] = w
	}
	return out
}

func description(op *api.Operation) string {
	scope := "Needs no scope."
	if op.Scope != api.NoScope {
		scope = "Needs the scope `" + string(op.Scope) + "`."
	}
	return strings.TrimSpace(op.Detail + "\n\n" + scope)
}

func parameters(set *schema.Set, r route) []any {
	var all []any
	for _, p := range r.in.Params {
		f := p.Documented()
		if p.In == "path" {
			all = append(all, object{"name": p.Name, "in": "path", "required": true, "description": "Identifier of the " + strings.TrimSuffix(p.Name, "Id") + ".",
				"schema": object{"type": "string"}, "example": p.Prefix + "_01ja8m2c9tf3qb6h0v5r4x7kyz"})
			continue
		}
		f.Type = deref(f.Type)
		one := set.Field(f, schema.Patch)
		description, _ := one["description"].(string)
		delete(one, "description")
		if one["type"], _ = plainType(one["type"]); one["type"] == "array" {
			one["minItems"], one["maxItems"] = 1, input.MaxValues
		}
		param := object{"name": p.Name, "in": p.In, "description": description, "schema": one}
		if one["type"] == "array" {
			param["style"], param["explode"] = "form", false
		}
		all = append(all, param)
	}
	return all
}

func deref(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// plainType returns the type without null: parameters are never null.
func plainType(t any) (any, bool) {
	if list, ok := t.([]any); ok {
		return list[0], true
	}
	return t, false
}

func header(description string) object {
	return object{"description": description, "schema": object{"type": "string"}}
}

func responses(set *schema.Set, r route) object {
	out := object{}
	success := object{"description": success(r.op), "headers": object{"X-Request-Id": header("Identifies the request in the service's log.")}}
	headers := success["headers"].(object)
	content := object{}
	if r.out != reflect.TypeFor[api.Nothing]() {
		content["application/json"] = object{"schema": set.Ref(r.out, schema.Record)}
	}
	for _, media := range r.op.Also {
		content[media] = object{"schema": object{"type": "string"}, "example": otherExamples[media]}
		if strings.HasSuffix(media, "/*") {
			content[media] = object{"schema": object{"type": "string", "format": "binary"}, "example": "bytes"}
			out["206"] = object{"description": "The part of the file that Range asks for.", "content": content}
			out["304"] = object{"description": "The file is still the one that If-None-Match names."}
			headers["ETag"] = header("Made from the SHA-256 of the file.")
			headers["Content-Disposition"] = header("Its name, and whether it is a download.")
		}
	}
	if len(content) > 0 {
		success["content"] = content
	}
	if r.out == reflect.TypeFor[api.FiledSlice]() {
		headers["ETag"] = header("Changes with every change of the slice.")
		out["200"] = object{"description": "The slice was open under its fingerprint, and has counted an occurrence.", "content": success["content"],
			"headers": object{"X-Request-Id": headers["X-Request-Id"], "ETag": headers["ETag"]}}
	}
	if r.out == reflect.TypeFor[api.Slice]() {
		headers["ETag"] = header("Changes with every change of the slice.")
		if r.op.Method == "GET" {
			out["304"] = object{"description": "The slice is still the one that If-None-Match names."}
		}
	}
	if strings.HasPrefix(r.op.ID, "list") {
		headers["Link"] = header("The next page, as rel=\"next\", while there is one.")
	}
	if r.op.Status == 201 {
		headers["Location"] = header("The address of what was made.")
	}
	out[strconv.Itoa(r.op.Status)] = success
	for _, code := range codesOf(r) {
		status := strconv.Itoa(api.Refuse(code, "").Status)
		out[status] = object{"$ref": "#/components/responses/Problem" + status}
	}
	return out
}

func success(op *api.Operation) string {
	switch op.Status {
	case 201:
		return "Created."
	case 204:
		return "Done."
	}
	return "The answer."
}

// codesOf returns every code an operation may refuse with.
func codesOf(r route) []string {
	codes := []string{api.CodeInvalidParameter, api.CodeUnauthorized, api.CodeRateLimited, api.CodeInternal, api.CodeUnavailable}
	if r.op.Scope != api.NoScope {
		codes = append(codes, api.CodeScope)
	}
	if r.op.Effect == api.Lasting {
		codes = append(codes, api.CodeSuperseded)
	}
	if strings.HasPrefix(r.op.ID, "list") {
		codes = append(codes, api.CodeInvalidCursor)
	}
	if strings.Contains(r.op.Path, "{") {
		codes = append(codes, api.CodeNotFound)
	}
	if r.in.Body != nil {
		codes = append(codes, api.CodeMalformedBody, api.CodeRequestTimeout, api.CodeTooLarge, api.CodeMediaType, api.CodeInvalidBody)
	}
	if r.op.Method == "POST" {
		codes = append(codes, api.CodeKeyReused)
	}
	if r.op.Stores() {
		codes = append(codes, api.CodeQuota, api.CodeNoSpace)
	}
	codes = append(codes, r.op.Codes...)
	sort.Strings(codes)
	return slices.Compact(codes)
}

func allCodes() []any {
	var all []any
	for _, c := range api.Codes {
		all = append(all, c.Code)
	}
	return all
}

func statuses() []int {
	var all []int
	for _, c := range api.Codes {
		if c.Code != api.CodeMethod && !slices.Contains(all, c.Status) {
			all = append(all, c.Status)
		}
	}
	return all
}

func describeStatus(status int) string {
	var lines []string
	for _, c := range api.Codes {
		if c.Status == status {
			lines = append(lines, fmt.Sprintf("`%s`: %s.", c.Code, c.Title))
		}
	}
	return strings.Join(lines, " ")
}

func exampleProblem(status int) object {
	for _, c := range api.Codes {
		if c.Status == status {
			return object{"type": "https://bugs.example.com/docs#" + c.Code, "title": c.Title, "status": status, "code": c.Code,
				"detail": c.Title + ".", "requestId": "req_01ja8m2c9tf3qb6h0v5r4x7kyz"}
		}
	}
	return nil
}
