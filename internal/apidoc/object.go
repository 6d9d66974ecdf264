package apidoc

import (
	"bytes"
	"encoding/json"
)

// object is a JSON object: a part of the document, or a schema.
type object = map[string]any

// typeAndNullable returns the type of a schema without null, and whether null was allowed.
func typeAndNullable(t any) (any, bool) {
	if list, ok := t.([]any); ok {
		return list[0], true
	}
	return t, false
}

// ordered is a JSON object whose members keep their order: generators take the first media type of a body.
type ordered []member

type member struct {
	name  string
	value any
}

// MarshalJSON implements json.Marshaler.
func (o ordered) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, m := range o {
		one, err := json.Marshal(object{m.name: m.value})
		if err != nil {
			return nil, err
		}
		b.WriteByte("{,"[min(i, 1)])
		b.Write(one[1 : len(one)-1])
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
