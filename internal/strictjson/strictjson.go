// Package strictjson decodes JSON and refuses what encoding/json accepts: duplicate members, invalid UTF-8, data
// after the value, and numbers that are expensive to compute with. It wraps github.com/go-json-experiment/json, whose
// API may still change.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Fault describes invalid JSON. Pointer is a JSON pointer to it.
type Fault struct{ Pointer, Code, Detail string }

const (
	maxDepth    = 64
	maxNumber   = 64  // characters
	maxExponent = 308 // as in a float64
)

// Object decodes one JSON object. Numbers are json.Number, so that they keep their digits. It refuses a number of
// more than 64 characters or with an exponent beyond ±308, because the schemas compute with all its digits.
func Object(b []byte) (map[string]any, *Fault) {
	if len(bytes.Trim(b, " \t\r\n")) == 0 {
		return nil, &Fault{Code: "empty_body", Detail: "it is empty"}
	}
	d := jsontext.NewDecoder(bytes.NewReader(b))
	v, err := read(d)
	if err != nil {
		return nil, faultOf(d, err)
	}
	if fault := checkEnd(d); fault != nil {
		return nil, fault
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, notObject()
	}
	return object, nil
}

func notObject() *Fault {
	return &Fault{Code: "not_an_object", Detail: "it is JSON, but not an object"}
}

// maxMembers is how many members a flat object may have.
const maxMembers = 100

// FlatObject decodes one JSON object whose members are strings, numbers and nulls, such as a row of a table. It refuses
// other members before it decodes them.
func FlatObject(b []byte) (map[string]any, *Fault) {
	d := jsontext.NewDecoder(bytes.NewReader(b))
	t, err := d.ReadToken()
	if err != nil {
		return nil, faultOf(d, err)
	}
	if t.Kind() != '{' {
		return nil, notObject()
	}
	object, fault := readFlat(d)
	if fault == nil {
		fault = checkEnd(d)
	}
	if fault != nil {
		return nil, fault
	}
	return object, nil
}

// readFlat decodes the members of a flat object up to its end. It refuses more than maxMembers.
func readFlat(d *jsontext.Decoder) (map[string]any, *Fault) {
	object := map[string]any{}
	for d.PeekKind() != '}' {
		token, err := d.ReadToken()
		if err != nil {
			return nil, faultOf(d, err)
		}
		name := token.String()
		switch d.PeekKind() {
		case '{', '[', 't', 'f':
			return nil, &Fault{"/" + escape.Replace(name), "wrong_type", "must be text, a whole number or null"}
		}
		if len(object) == maxMembers {
			return nil, &Fault{Code: "too_many", Detail: "it has more than " + strconv.Itoa(maxMembers) + " members"}
		}
		if object[name], err = read(d); err != nil {
			return nil, faultOf(d, err)
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, faultOf(d, err)
	}
	return object, nil
}

// checkEnd refuses data after the value.
func checkEnd(d *jsontext.Decoder) *Fault {
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return &Fault{Code: "malformed_json", Detail: "data follows the object"}
	}
	return nil
}

var (
	errTooDeep = errors.New("too deep")
	errNumber  = errors.New("number out of bounds")
)

// read decodes one value. It refuses one that is nested deeper than maxDepth, and a number beyond the limits.
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
		return parseNumber(t.String())
	case 't', 'f':
		return t.Bool(), nil
	}
	return nil, nil // null
}

// parseNumber returns a number within the limits.
func parseNumber(text string) (any, error) {
	if len(text) > maxNumber {
		return nil, errNumber
	}
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		if e, err := strconv.Atoi(text[at+1:]); err != nil || e < -maxExponent || e > maxExponent {
			return nil, errNumber
		}
	}
	return json.Number(text), nil
}

// readObject decodes the members of an object up to its end.
func readObject(d *jsontext.Decoder) (any, error) {
	object := map[string]any{}
	for d.PeekKind() != '}' {
		token, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		name := token.String() // the token is invalid after the next read
		if object[name], err = read(d); err != nil {
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

// maxShown is the maximum length of a pointer in a detail.
const maxShown = 60

// faultOf returns the Fault of an error of read.
func faultOf(d *jsontext.Decoder, err error) *Fault {
	switch {
	case errors.Is(err, errTooDeep):
		return &Fault{Code: "too_deep", Detail: "it is nested deeper than " + strconv.Itoa(maxDepth)}
	case errors.Is(err, errNumber):
		return &Fault{string(d.StackPointer()), "malformed_json", "a number is too long, or its exponent too large"}
	}
	return syntaxFault(d, err)
}

// syntaxFault returns the Fault of an error of the decoder. It names the duplicate member unless its pointer is long.
func syntaxFault(d *jsontext.Decoder, err error) *Fault {
	offset, pointer, cause := d.InputOffset(), "", ""
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok && syntactic.Err != nil {
		offset, pointer, cause = syntactic.ByteOffset, string(syntactic.JSONPointer), syntactic.Err.Error()
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName) && len(pointer) > maxShown:
		return &Fault{pointer, "duplicate_member", "a member appears twice"}
	case errors.Is(err, jsontext.ErrDuplicateName):
		return &Fault{pointer, "duplicate_member", "the member " + pointer + " appears twice"}
	case isInvalidUTF8(cause):
		return &Fault{pointer, "invalid_utf8", fmt.Sprintf("it is not valid UTF-8 at byte %d", offset)}
	}
	return &Fault{"", "malformed_json", fmt.Sprintf("it is not well-formed at byte %d", offset)}
}

func isInvalidUTF8(cause string) bool {
	return cause == "invalid UTF-8" || strings.HasPrefix(cause, "invalid surrogate pair")
}

// Nul returns JSON pointers to the strings and member names that contain U+0000, sorted and without duplicates.
func Nul(v any) []string {
	var found []string
	addNul(v, "", &found)
	slices.Sort(found)
	return slices.Compact(found)
}

var escape = strings.NewReplacer("~", "~0", "/", "~1")

// addNul adds pointers to the texts in a value with U+0000. at is the pointer to the value.
func addNul(v any, at string, found *[]string) {
	switch v := v.(type) {
	case string:
		if strings.ContainsRune(v, 0) {
			*found = append(*found, at)
		}
	case []any:
		for i, item := range v {
			addNul(item, at+"/"+strconv.Itoa(i), found)
		}
	case map[string]any:
		for name, item := range v {
			member := at + "/" + escape.Replace(name)
			if strings.ContainsRune(name, 0) {
				*found = append(*found, member)
			}
			addNul(item, member, found)
		}
	}
}
