package strictjson

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Marshal encodes a value as JSON. It refuses invalid UTF-8, which encoding/json replaces.
func Marshal(v any) ([]byte, error) { return json.Marshal(v) }

// MarshalSet encodes the members of a struct that have a value, in the same order each time. The result does not
// change when the struct gets further members.
func MarshalSet(v any) ([]byte, error) {
	return json.Marshal(v, json.OmitZeroStructFields(true), json.Deterministic(true))
}

// AppendText appends a text as JSON. It refuses invalid UTF-8.
func AppendText[T ~string | ~[]byte](b []byte, text T) ([]byte, error) {
	return jsontext.AppendQuote(b, text)
}

// Unmarshal decodes JSON into target, a pointer. Member names are case-sensitive.
func Unmarshal(b []byte, target any) error { return json.Unmarshal(b, target) }

// Cause returns the Fault of an error of Marshal or Unmarshal. Its code is duplicate_member, invalid_utf8 or, for every
// other error, unreadable. Its pointer is empty when the error names no position.
func Cause(err error) *Fault {
	f := &Fault{Code: "unreadable", Detail: "the value cannot be decoded"}
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok && syntactic.Err != nil {
		f.Pointer = string(syntactic.JSONPointer)
		switch {
		case errors.Is(err, jsontext.ErrDuplicateName):
			f.Code, f.Detail = "duplicate_member", "a member appears twice"
		case isInvalidUTF8(syntactic.Err.Error()):
			f.Code, f.Detail = "invalid_utf8", "it is not valid UTF-8"
		}
		return f
	}
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		f.Pointer = string(semantic.JSONPointer)
	}
	return f
}
