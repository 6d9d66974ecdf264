package apidoc

import (
	"reflect"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/api/wire"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/schema"
)

// operation describes an operation.
func operation(set *schema.Set, op *api.Operation) object {
	o := object{"operationId": op.ID, "summary": op.Summary, "description": description(op), "tags": []any{op.Tag},
		"x-scope": joinScopes(op, " "), "x-error-codes": errorCodes(op), "responses": responses(set, op)}
	if params := parameters(set, op); len(params) > 0 {
		o["parameters"] = params
	}
	switch b := input.Of(op).Body; {
	case op.Upload:
		o["requestBody"] = upload(set)
	case b != nil:
		o["requestBody"] = requestBody(set, b)
	}
	return o
}

func description(op *api.Operation) string {
	scope := "Needs no scope."
	switch len(op.Scopes()) {
	case 0:
	case 1:
		scope = "Needs the scope `" + string(op.Scope) + "`."
	default:
		scope = "Needs the scopes `" + joinScopes(op, "` and `") + "`."
	}
	return strings.TrimSpace(op.Detail + "\n\n" + scope)
}

func joinScopes(op *api.Operation, between string) string {
	scopes := op.Scopes()
	words := make([]string, len(scopes))
	for i, s := range scopes {
		words[i] = string(s)
	}
	return strings.Join(words, between)
}

func requestBody(set *schema.Set, b *input.Body) object {
	content := object{"application/json": object{"schema": set.Ref(b.Type, b.Mode())}}
	if b.Patch {
		content["application/merge-patch+json"] = content["application/json"]
	}
	return object{"required": !b.Optional, "content": content}
}

// upload describes the body of an upload: a form with a file, or the file itself.
func upload(set *schema.Set) object {
	file := object{"type": "string", "format": "binary"}
	form := object{"type": "object", "required": []string{"file"}, "properties": object{
		"kind": set.EnumRef(reflect.TypeFor[api.AttachmentKind]()), "name": object{"type": "string"},
		"occurrence": object{"type": "integer", "minimum": 1}, "file": file}}
	return object{"required": true, "content": ordered{
		{"multipart/form-data", object{"schema": form, "example": object{"kind": "screenshot", "file": "bytes"}}},
		{"application/octet-stream", object{"schema": file, "example": "bytes"}}}}
}

func parameters(set *schema.Set, op *api.Operation) []any {
	var all []any
	for _, p := range input.Of(op).Params {
		if p.In == "path" {
			all = append(all, object{"name": p.Name, "in": "path", "required": true, "description": parameterText(p),
				"schema": object{"type": "string"}, "example": exampleID(p.Prefix())})
			continue
		}
		all = append(all, parameter(set, p))
	}
	return all
}

// parameter describes a parameter of the query or the header. It is never null.
func parameter(set *schema.Set, p wire.Param) object {
	members := p.Field.Type.Kind() == reflect.Map
	s, description := parameterSchema(set, p)
	param := object{"name": p.Name, "in": p.In, "description": description, "schema": s}
	const repeated = " Several values are separated by commas, or the parameter is repeated."
	if s["type"] == "array" {
		param["style"], param["explode"] = "form", false
		param["description"] = strings.TrimSpace(description + repeated)
	}
	if members {
		s["additionalProperties"] = object{"type": "string", "minLength": 1,
			"maxLength": s["additionalProperties"].(object)["maxLength"]}
		param["style"], param["explode"], param["example"] = "deepObject", true, object{"orderId": "4711"}
		param["description"] = strings.TrimSpace(description + repeated)
	}
	return param
}

// parameterSchema returns the schema of a parameter, and its description. The values of a parameter with members are
// strings.
func parameterSchema(set *schema.Set, p wire.Param) (s object, description string) {
	f := schema.Document(p.Owner, p.Field)
	switch f.Type.Kind() {
	case reflect.Pointer:
		f.Type = f.Type.Elem()
	case reflect.Map:
		f.Type = reflect.TypeFor[map[string]string]()
	}
	s, description = set.Field(f, schema.Patch), parameterText(p)
	delete(s, "description")
	if t, nullable := typeAndNullable(s["type"]); nullable {
		s["type"] = t
	}
	if s["format"] == "date-time" { // no format has both forms, and generators and validators take a format literally
		delete(s, "format")
		description += " An RFC 3339 time, such as 2026-11-20T10:00:00Z, or a date, such as 2026-11-20, " +
			"which is midnight UTC at its beginning."
	}
	if s["type"] == "array" {
		s["minItems"], s["maxItems"] = 1, input.MaxValues
	}
	return s, description
}

func parameterText(p wire.Param) string {
	if p.In == "path" && p.Prefix() == id.Slice {
		return "Identifier of the slice, or its reference, such as WEB-42: in capital or small letters, with the key that the workspace " +
			"has or had."
	}
	if p.In == "path" {
		return "Identifier of the " + strings.TrimSuffix(p.Name, "Id") + "."
	}
	return schema.Document(p.Owner, p.Field).Tag.Get("doc")
}

// errorCodes returns the codes of an operation's error responses, sorted.
func errorCodes(op *api.Operation) []string {
	codes := []string{api.CodeInvalidParameter, api.CodeUnauthorized, api.CodeRateLimited, api.CodeInternal,
		api.CodeUnavailable}
	if op.ID != api.OpRevokeSelf { // the policies of an organisation
		codes = append(codes, api.CodeNetwork)
	}
	if op.Scope != api.NoScope {
		codes = append(codes, api.CodeScope)
	}
	if op.Effect == api.Lasting { // the change outlives the token, which a rotation may have superseded
		codes = append(codes, api.CodeSuperseded)
	}
	if _, paged := op.Out().(api.Paged); paged {
		codes = append(codes, api.CodeInvalidCursor)
	}
	if strings.Contains(op.Path, "{") {
		codes = append(codes, api.CodeNotFound)
	}
	if input.Of(op).Body != nil {
		codes = append(codes, api.CodeMalformedBody, api.CodeRequestTimeout, api.CodeTooLarge, api.CodeMediaType,
			api.CodeInvalidBody)
	}
	if op.Method == "POST" {
		codes = append(codes, api.CodeIdempotencyKeyReused)
	}
	if op.Stores() {
		codes = append(codes, api.CodeQuota, api.CodeNoSpace)
	}
	codes = append(codes, op.Codes...)
	slices.Sort(codes)
	return slices.Compact(codes)
}
