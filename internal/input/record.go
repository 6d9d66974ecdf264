package input

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync"

	"bugslice/api"
	"bugslice/internal/schema"
	"bugslice/internal/strictjson"
)

// recordTypes are the types of records that an import reads.
var recordTypes = []reflect.Type{
	reflect.TypeFor[api.Workspace](), reflect.TypeFor[api.Space](), reflect.TypeFor[api.View](),
	reflect.TypeFor[api.Slice](),
	reflect.TypeFor[api.Comment](),
	reflect.TypeFor[api.SliceOccurrence](), reflect.TypeFor[api.Attachment](), reflect.TypeFor[api.Activity](),
	reflect.TypeFor[api.ConsoleEntry](), reflect.TypeFor[api.NetworkEntry](), reflect.TypeFor[api.ActionEntry](),
}

var recordSchemas = sync.OnceValues(func() (*schema.Validator, error) {
	return schema.ValidatorOf(schema.Record, reflect.TypeFor[api.Time](), recordTypes...)
})

// Record validates a record of an import by its schema in the OpenAPI document. No text in it may contain U+0000.
func Record(record any) error {
	if err := RecordSchema(record); err != nil {
		return err
	}
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	if at := strictjson.Nul(value); len(at) > 0 {
		return fmt.Errorf("%s must not hold U+0000", at[0])
	}
	return nil
}

// RecordSchema validates a record by its schema.
func RecordSchema(record any) error {
	validator, err := recordSchemas()
	if err != nil {
		return err
	}
	return validator.CheckRecord(schema.Name(reflect.TypeOf(record), schema.Record), record)
}
