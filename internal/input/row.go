package input

import (
	"errors"
	"fmt"
	"reflect"
	"sync"

	"bugslice/api"
	"bugslice/api/wire"
	"bugslice/internal/id"
	"bugslice/internal/schema"
	"bugslice/internal/strictjson"
)

// rowSchemas holds the validator of each type of row.
var rowSchemas sync.Map

func rowSchema(t reflect.Type) (*schema.Validator, error) {
	if known, ok := rowSchemas.Load(t); ok {
		return known.(*schema.Validator), nil
	}
	v, err := schema.ValidatorOf(schema.Row, reflect.TypeFor[api.Time](), t)
	if err == nil {
		rowSchemas.Store(t, v)
	}
	return v, err
}

// Row validates a row of an export and decodes it. The row is a JSON object of texts, whole numbers and nulls, and
// the tags of T say what it holds. A member that has the tag id must be an identifier of that kind of record.
func Row[T any](line []byte) (row T, err error) {
	value, malformed := strictjson.FlatObject(line)
	if malformed != nil {
		return row, rowError(api.Fault{Pointer: Quote(malformed.Pointer), Detail: malformed.Detail})
	}
	t := reflect.TypeFor[T]()
	valid, err := rowSchema(t)
	if err != nil {
		return row, err
	}
	faults := append(checkNul(line, value), checkIDs(t, value)...)
	for _, f := range valid.Check(schema.Name(t, schema.Row), value) {
		if f.Code == "unknown_member" {
			f.Detail = "is a column that this program does not know: a newer version wrote it"
		}
		faults = append(faults, api.Fault{Pointer: Quote(f.Pointer), Detail: f.Detail})
	}
	if len(faults) > 0 {
		return row, rowError(faults...)
	}
	if err := strictjson.Unmarshal(line, &row); err != nil { // a number such as 1e3 where the type wants digits
		f := strictjson.Cause(err)
		return row, rowError(api.Fault{Pointer: Quote(f.Pointer), Detail: f.Detail})
	}
	setBodyDefaults(reflect.ValueOf(&row).Elem(), value)
	return row, nil
}

func checkIDs(row reflect.Type, value map[string]any) (faults []api.Fault) {
	for _, f := range schema.Fields(row) {
		prefix, name := f.Tag.Get("id"), wire.MemberName(f)
		if text, ok := value[name].(string); ok && prefix != "" && !id.Valid(prefix, text) {
			detail := fmt.Sprintf("%q is no identifier that begins with %s_", Quote(text), prefix)
			faults = append(faults, api.Fault{Pointer: "/" + name, Detail: detail})
		}
	}
	return faults
}

func rowError(faults ...api.Fault) error {
	all := make([]error, len(faults))
	for i, f := range faults {
		all[i] = errors.New(f.Pointer + " " + f.Detail)
	}
	return errors.Join(all...)
}
