package operations

import (
	"bytes"
	"encoding/json"
	"strings"

	"bugslice/api"
)

// chosen returns a page whose items have the members with some paths alone, in the order of the paths; the record
// itself without paths.
func chosen(record any, input any) (any, error) {
	in, ok := input.(interface{ ChosenMembers() []string })
	if !ok || len(in.ChosenMembers()) == 0 {
		return record, nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(record); err != nil {
		return nil, err
	}
	var page api.Page[json.RawMessage]
	if err := json.Unmarshal(b.Bytes(), &page); err != nil {
		return nil, err
	}
	for i, item := range page.Data {
		text, err := withMembers(item, in.ChosenMembers())
		if err != nil {
			return nil, err
		}
		page.Data[i] = text
	}
	return page, nil
}

// withMembers returns a JSON object with the members of some paths alone. A path that the object does not have is
// left out.
func withMembers(object json.RawMessage, paths []string) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(object, &members); err != nil || members == nil {
		return object, err
	}
	below, names := map[string][]string{}, []string{}
	whole := map[string]bool{}
	for _, path := range paths {
		name, rest, isDeeper := strings.Cut(path, ".")
		if _, ok := members[name]; !ok {
			continue
		}
		if _, known := below[name]; !known {
			below[name], names = nil, append(names, name)
		}
		if whole[name] = whole[name] || !isDeeper; isDeeper {
			below[name] = append(below[name], rest)
		}
	}
	var b bytes.Buffer
	for i, name := range names {
		value := members[name]
		if !whole[name] {
			var err error
			if value, err = withMembers(value, below[name]); err != nil {
				return nil, err
			}
		}
		b.WriteByte("{,"[min(i, 1)])
		b.WriteString(`"` + name + `":`)
		b.Write(value)
	}
	if len(names) == 0 {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
