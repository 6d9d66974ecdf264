package strictjson

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Marshal writes a value as JSON. It refuses invalid UTF-8, which encoding/json would replace.
func Marshal(v any) ([]byte, error) { return json.Marshal(v) }

// Unmarshal decodes JSON into what target points to. Names of members match exactly.
func Unmarshal(b []byte, target any) error { return json.Unmarshal(b, target) }

// Cause describes an error of Marshal or Unmarshal in the terms of a Fault.
func Cause(err error) *Fault {
	f := &Fault{Code: "unreadable", Detail: "the value cannot be read"}
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		f.Pointer = string(semantic.JSONPointer)
	}
	var syntactic *jsontext.SyntacticError
	if !errors.As(err, &syntactic) || syntactic.Err == nil {
		return f
	}
	switch f.Pointer = string(syntactic.JSONPointer); {
	case errors.Is(err, jsontext.ErrDuplicateName):
		f.Code, f.Detail = "duplicate_member", "a member stands twice"
	case isInvalidUTF8(syntactic.Err.Error()):
		f.Code, f.Detail = "invalid_utf8", "it is not valid UTF-8"
	}
	return f
}
