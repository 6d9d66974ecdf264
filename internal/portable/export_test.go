package portable

import (
	"reflect"

	"bugslice/internal/schema"
)

// Columns returns the columns that an import reads from a row of a table.
func Columns(table string) (names []string) {
	for _, f := range schema.Fields(rowTypes[table]) {
		names = append(names, f.Tag.Get("json"))
	}
	return names
}

// LaterColumns returns the columns of a table that earlier exports do not have.
func LaterColumns(table string) (names []string) {
	for _, f := range schema.Fields(rowTypes[table]) {
		if f.Tag.Get("default") != "" {
			names = append(names, f.Tag.Get("json"))
		}
	}
	return names
}

var rowTypes = map[string]reflect.Type{
	"workspaces": reflect.TypeFor[workspaceRow](), "users": reflect.TypeFor[userRow](),
	"spaces": reflect.TypeFor[spaceRow](),
	"views":  reflect.TypeFor[viewRow](), "slices": reflect.TypeFor[sliceRow](),
	"occurrences": reflect.TypeFor[occurrenceRow](), "comments": reflect.TypeFor[commentRow](),
	"reactions":   reflect.TypeFor[reactionRow](),
	"attachments": reflect.TypeFor[attachmentRow](),
	"events":      reflect.TypeFor[eventRow](),
}

// ReadRow reads a row of a table as an import does.
func ReadRow(table string, line []byte) (err error) {
	switch table {
	case "workspaces":
		_, err = readRow[workspaceRow](line)
	case "users":
		_, err = readRow[userRow](line)
	default:
		_, err = readers[table](line)
	}
	return err
}
