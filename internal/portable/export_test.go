package portable

import (
	"reflect"

	"bugslice/internal/schema"
)

// Columns returns the columns that an import reads from a row of a table.
func Columns(table string) (names []string) {
	rows := map[string]any{
		"workspaces": workspaceRow{}, "users": userRow{}, "spaces": spaceRow{}, "views": viewRow{}, "slices": sliceRow{}, "slice_labels": labelRow{},
		"occurrences": occurrenceRow{}, "comments": commentRow{}, "attachments": attachmentRow{}, "events": eventRow{},
	}
	for _, f := range schema.Fields(reflect.TypeOf(rows[table])) {
		names = append(names, f.Tag.Get("json"))
	}
	return names
}
