// Package strictjson reads request bodies and refuses what encoding/json lets through:
// duplicate members, invalid UTF-8, data behind the value.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Fault is why a body is no acceptable object, and where.
type Fault struct{ Pointer, Code, Detail string }

const maxDepth = 64

// Object decodes a body that is one JSON object, with json.Number for numbers.
func Object(b []byte) (map[string]any, *Fault) {
	if len(bytes.TrimSpace(b)) == 0 {
		return nil, &Fault{Code: "empty_body", Detail: "it is empty"}
	}
	d := jsontext.NewDecoder(bytes.NewReader(b))
	v, err := read(d)
	if errors.Is(err, errTooDeep) {
		return nil, &Fault{Code: "too_deep", Detail: "it is nested deeper than " + strconv.Itoa(maxDepth)}
	}
	if err != nil {
		return nil, syntax(d, err)
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, &Fault{Code: "malformed_json", Detail: "something stands behind the object"}
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, &Fault{Code: "not_an_object", Detail: "it is JSON, but no object"}
	}
	return object, nil
}

var errTooDeep = errors.New("too deep")

// read reads one value.
func read(d *jsontext.Decoder) (any, error) {
	t, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	if d.StackDepth() > maxDepth {
		return nil, errTooDeep
	}
	switch t.Kind() {
	case '{':
		return readObject(d)
	case '[':
		return readArray(d)
	case '"':
		return t.String(), nil
	case '0':
		return json.Number(t.String()), nil
	case 't', 'f':
		return t.Bool(), nil
	}
	return nil, nil // null
}

func readObject(d *jsontext.Decoder) (any, error) {
	object := map[string]any{}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String()
		if object[key], err = read(d); err != nil {
			return nil, err
		}
	}
	_, err := d.ReadToken()
	return object, err
}

func readArray(d *jsontext.Decoder) (any, error) {
	array := []any{}
	for d.PeekKind() != ']' {
		v, err := read(d)
		if err != nil {
			return nil, err
		}
		array = append(array, v)
	}
	_, err := d.ReadToken()
	return array, err
}

func syntax(d *jsontext.Decoder, err error) *Fault {
	at := strconv.FormatInt(d.InputOffset(), 10)
	var se *jsontext.SyntacticError
	pointer := ""
	if errors.As(err, &se) {
		pointer, at = string(se.JSONPointer), strconv.FormatInt(se.ByteOffset, 10)
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return &Fault{pointer, "duplicate_member", "the member " + pointer + " stands twice"}
	case strings.Contains(err.Error(), "UTF-8"), strings.Contains(err.Error(), "surrogate"):
		return &Fault{pointer, "invalid_utf8", "it is not valid UTF-8 at byte " + at}
	}
	return &Fault{"", "malformed_json", "it is not well-formed at byte " + at}
}

// Nul returns pointers to the strings and member names that hold U+0000, in order.
func Nul(v any) []string {
	var found []string
	walk(v, "", &found)
	slices.Sort(found)
	return found
}

var escape = strings.NewReplacer("~", "~0", "/", "~1")

func walk(v any, at string, found *[]string) {
	switch v := v.(type) {
	case string:
		if strings.ContainsRune(v, 0) {
			*found = append(*found, at)
		}
	case []any:
		for i, item := range v {
			walk(item, at+"/"+strconv.Itoa(i), found)
		}
	case map[string]any:
		for name, item := range v {
			here := at + "/" + escape.Replace(name)
			if strings.ContainsRune(name, 0) {
				*found = append(*found, here)
			}
			walk(item, here, found)
		}
	}
}

// MergePatch applies a JSON Merge Patch (RFC 7396) and returns the result. It may write into
// target, never into patch.
func MergePatch(target, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	object, ok := target.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	for name, value := range changes {
		if value == nil {
			delete(object, name)
		} else {
			object[name] = MergePatch(object[name], value)
		}
	}
	return object
}
