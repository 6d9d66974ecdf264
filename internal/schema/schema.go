// Package schema makes JSON Schemas (2020-12) from Go types and their tags. The OpenAPI document publishes them, and
// requests are validated against the same schemas.
//
// Tags: doc, example, default, enum (separated by commas), pattern, format, minLength, maxLength, minimum, maximum,
// minItems, maxItems, uniqueItems, maxProperties, nameLength, name (one visible line, in requests), input (only: no
// member of records), and grows (an enum of responses to which values may be added). The tags of a string apply to
// the items of a list and to the values of a map. In package api, the comment above a field replaces doc and example.
package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/api/wire"
)

// Mode is the kind of value that a schema describes.
type Mode int

const (
	Record Mode = iota // a record in a response: every member is required, pointers may be null
	Create             // the body of a creation: only members with the tag create:"required" are required
	Patch              // a merge patch: no member is required, null removes a member
	Row                // a row of an export: members without a default are required, pointers may be null or absent
)

// Set collects named schemas, the components of a document.
type Set struct {
	Components map[string]any
	times      reflect.Type
	refs       string // before the name of a component in a reference
	closed     bool   // an enum with the tag grows allows only the values of today, and a record only the members
}

// NewSet returns an empty set. Values of the type times are RFC 3339 strings.
func NewSet(times reflect.Type) *Set {
	return &Set{Components: map[string]any{}, times: times, refs: "#/components/schemas/"}
}

// NewDefinitions returns a set whose components are the $defs of a schema.
func NewDefinitions(times reflect.Type) *Set {
	return &Set{Components: map[string]any{}, times: times, refs: "#/$defs/"}
}

// Ref returns a reference to the schema of a struct type, which it adds to the components.
func (s *Set) Ref(t reflect.Type, mode Mode) map[string]any {
	name := Name(t, mode)
	if _, ok := s.Components[name]; !ok {
		s.Components[name] = nil // ends recursion
		s.Components[name] = s.Object(t, mode)
	}
	return map[string]any{"$ref": s.refs + name}
}

// Name returns the name of the schema of a struct type: Slice, SliceInput, SlicePatch, SlicePage.
func Name(t reflect.Type, mode Mode) string {
	name := t.Name()
	if base, of, generic := strings.Cut(name, "["); generic {
		of = strings.TrimSuffix(of, "]")
		name = of[strings.LastIndex(of, ".")+1:] + base
	}
	if mode == Record || mode == Row {
		return name
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "New"), "Fields")
	return name + map[Mode]string{Create: "Input", Patch: "Patch"}[mode]
}

// Object returns the schema of a struct itself. A record of the document allows further members, which later versions
// may add; every other object allows none.
func (s *Set) Object(t reflect.Type, mode Mode) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, f := range Documented(t) {
		if f.Tag.Get("input") == "only" && (mode == Record || mode == Row) {
			continue
		}
		if only := f.Tag.Get("schema"); only != "" && only != Name(t, mode) { // of a generic type
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		properties[name] = s.Field(f, mode)
		if isRequired(f, strings.Contains(options, "omit"), mode) {
			required = append(required, name)
		}
	}
	out := map[string]any{"type": "object", "properties": properties}
	if mode != Record || s.closed {
		out["additionalProperties"] = false
	}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

func isRequired(f reflect.StructField, omitted bool, mode Mode) bool {
	switch mode {
	case Record:
		return !omitted
	case Create:
		return f.Tag.Get("create") == "required"
	case Row:
		_, hasDefault := f.Tag.Lookup("default")
		return !hasDefault && f.Type.Kind() != reflect.Pointer
	}
	return false
}

// HasPatches reports whether a body has a list of items with a merge patch each.
func HasPatches(body reflect.Type) bool {
	items, ok := body.FieldByName("Items")
	if !ok || items.Type.Kind() != reflect.Slice || items.Type.Elem().Kind() != reflect.Struct {
		return false
	}
	patch, ok := items.Type.Elem().FieldByName("Patch")
	if ok {
		_, ok = wire.Patched(patch.Type)
	}
	return ok
}

// rawJSON is the type of a member that may be any JSON.
var rawJSON = reflect.TypeFor[json.RawMessage]()

// Fields returns the fields of a struct that are members in JSON, with those of embedded structs.
func Fields(t reflect.Type) (all []reflect.StructField) {
	for _, f := range wire.Members(t) {
		all = append(all, f)
	}
	return all
}

// Documented returns Fields with their comments as tags.
func Documented(t reflect.Type) (all []reflect.StructField) {
	for owner, f := range wire.Members(t) {
		all = append(all, Document(owner, f))
	}
	return all
}

// Document returns a field of a type of package api with the comment above it as the tags doc and example.
func Document(of reflect.Type, f reflect.StructField) reflect.StructField {
	doc, example := api.FieldComment(of, f.Name)
	if doc != "" {
		f.Tag += reflect.StructTag(" doc:" + strconv.Quote(doc))
	}
	if example != "" {
		f.Tag += reflect.StructTag(" example:" + strconv.Quote(example))
	}
	return f
}

// Field returns the schema of a struct's field, with the keywords of its tags.
func (s *Set) Field(f reflect.StructField, mode Mode) map[string]any {
	t, isPointer := f.Type, f.Type.Kind() == reflect.Pointer
	if isPointer {
		t = t.Elem()
	}
	out := s.typed(t, mode)
	scalar := out // or that of the items of a list, or of the values of a map
	switch {
	case t.Kind() == reflect.Slice && t != rawJSON:
		scalar = out["items"].(map[string]any)
	case t.Kind() == reflect.Map:
		scalar, _ = out["additionalProperties"].(map[string]any)
	}
	scalarTags(f.Tag, scalar)
	switch { // stored values may be older than these rules
	case mode != Create && mode != Patch:
	case f.Tag.Get("name") == "true":
		scalar["pattern"] = documented(namePattern)
		f.Tag = withRule(f.Tag)
	case f.Tag.Get("pattern") == notBlank:
		scalar["pattern"] = documented(textPattern)
	}
	s.enum(f, mode, scalar)
	containerTags(f.Tag, out)
	if mode == Patch && t.Kind() == reflect.Map { // null deletes a member
		out["additionalProperties"] = nullable(scalar)
	}
	if isNullable(f, t, isPointer, mode) {
		out = nullable(out)
	}
	annotate(out, f.Tag, t)
	if mode == Record && IsUntrusted(f) && !s.closed {
		out["x-untrusted"] = true
	}
	return out
}

// IsUntrusted reports whether a member of a record has text that reporters, other users or programs outside wrote: one
// that is searched for secrets, is a name, or has the tag untrusted.
func IsUntrusted(f reflect.StructField) bool {
	return f.Tag.Get("redact") != "" || f.Tag.Get("untrusted") == "true" || f.Tag.Get("name") == "true"
}

// enum adds the values that a field, or each item of a list, may have to the schema of a string. The values of a type
// become a component by its name, so that generated code has one type for them.
func (s *Set) enum(f reflect.StructField, mode Mode, scalar map[string]any) {
	values := Enum(f)
	switch {
	case values == nil:
	case f.Tag.Get("grows") == "true" && mode == Record && !s.closed: // later versions may return further values
		scalar["x-extensible-enum"] = anySlice(values)
	case f.Tag.Get("enum") != "":
		scalar["enum"] = anySlice(values)
	default:
		maps.Copy(scalar, s.EnumRef(elem(f.Type)))
		delete(scalar, "type")
	}
}

// EnumRef returns a reference to the schema of a type with the method Values, which it adds to the components.
func (s *Set) EnumRef(t reflect.Type) map[string]any {
	s.Components[t.Name()] = map[string]any{"type": "string", "enum": anySlice(listed(t))}
	return map[string]any{"$ref": s.refs + t.Name()}
}

// annotate adds the description, the example and the default value of a field.
func annotate(out map[string]any, tag reflect.StructTag, t reflect.Type) {
	if doc := tag.Get("doc"); doc != "" {
		out["description"] = doc
	}
	if example := tag.Get("example"); example != "" {
		out["examples"] = []any{literal(t, example)}
	}
	if value, ok := tag.Lookup("default"); ok {
		out["default"] = literal(t, value)
	}
}

// withRule returns the tags of a name with the rule of names in its description.
func withRule(tag reflect.StructTag) reflect.StructTag {
	doc := nameRule
	if own := tag.Get("doc"); own != "" {
		doc = own + " " + doc
	}
	return reflect.StructTag("doc:"+strconv.Quote(doc)+" ") + tag
}

func isNullable(f reflect.StructField, t reflect.Type, pointer bool, mode Mode) bool {
	switch mode {
	case Record:
		return pointer && !strings.Contains(f.Tag.Get("json"), "omit")
	case Create:
		return f.Tag.Get("create") != "required"
	case Row:
		return pointer
	}
	return pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map || t.Kind() == reflect.Struct
}

// typed returns the schema of a type, with a reference for a struct. A struct in an input is always created as a whole.
func (s *Set) typed(t reflect.Type, mode Mode) map[string]any {
	switch {
	case t == rawJSON:
		return map[string]any{}
	case t == s.times:
		return map[string]any{"type": "string", "format": "date-time"}
	case t.Kind() == reflect.Map && mode == Create:
		if fields, ok := wire.Patched(t); ok {
			return s.Ref(fields, Patch)
		}
	case t.Kind() == reflect.Struct && mode != Record:
		return s.Ref(t, Create)
	case t.Kind() == reflect.Struct:
		return s.Ref(t, mode)
	}
	switch t.Kind() {
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": s.typed(t.Elem(), mode)}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": s.typed(t.Elem(), mode)}
	case reflect.Interface:
		return map[string]any{}
	}
	panic(fmt.Sprintf("schema: no schema for %s", t))
}

// nullable returns a schema that also allows null. It changes m unless m is a reference.
func nullable(m map[string]any) map[string]any {
	if ref, ok := m["$ref"]; ok {
		return map[string]any{"anyOf": []any{map[string]any{"$ref": ref}, map[string]any{"type": "null"}}}
	}
	if t, ok := m["type"].(string); ok { // a schema without a type allows anything
		m["type"] = []any{t, "null"}
	}
	if values, ok := m["enum"].([]any); ok {
		m["enum"] = append(values, nil)
	}
	return m
}

func scalarTags(tag reflect.StructTag, m map[string]any) {
	for _, name := range []string{"minLength", "maxLength", "minimum", "maximum"} {
		addNumber(tag, name, m, name)
	}
	for _, name := range []string{"pattern", "format"} {
		if v := tag.Get(name); v != "" {
			m[name] = v
		}
	}
}

// Enum returns the values that a field, or each item of a list, may have, from its tag or the method Values of its
// type. It returns nil when any value is allowed.
func Enum(f reflect.StructField) []string {
	if tag := f.Tag.Get("enum"); tag != "" {
		return strings.Split(tag, ",")
	}
	return listed(elem(f.Type))
}

// elem returns the type of a value, or of the items of a list or a map.
func elem(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	return t
}

// listed returns the values of a type with the method Values, nil of another type.
func listed(t reflect.Type) []string {
	if of, ok := reflect.Zero(t).Interface().(interface{ Values() []string }); ok {
		return of.Values()
	}
	return nil
}

func anySlice(words []string) []any {
	out := make([]any, len(words))
	for i, w := range words {
		out[i] = w
	}
	return out
}

func containerTags(tag reflect.StructTag, m map[string]any) {
	for _, name := range []string{"minItems", "maxItems", "maxProperties"} {
		addNumber(tag, name, m, name)
	}
	if tag.Get("uniqueItems") == "true" {
		m["uniqueItems"] = true
	}
	if tag.Get("nameLength") != "" {
		names := map[string]any{"minLength": 1}
		addNumber(tag, "nameLength", names, "maxLength")
		m["propertyNames"] = names
	}
}

// addNumber adds a keyword with the number of a tag.
func addNumber(tag reflect.StructTag, name string, m map[string]any, keyword string) {
	v := tag.Get(name)
	if v == "" {
		return
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		panic("schema: tag " + name + " is no integer: " + v)
	}
	m[keyword] = n
}

// literal returns the text of a tag as a value of a type: a string or a time as it is, another type and null from JSON.
func literal(t reflect.Type, text string) any {
	if k := t.Kind(); (k == reflect.String || k == reflect.Struct) && text != "null" {
		return text
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		panic("schema: example or default is no " + t.String() + ": " + text)
	}
	return v
}
