package api_test

import (
	"reflect"
	"testing"

	"bugslice/api"
)

func TestFieldComment(t *testing.T) {
	type elsewhere struct {
		// Nobody reads this.
		Limit int
	}
	tests := []struct {
		of                          reflect.Type
		field, description, example string
	}{
		{reflect.TypeFor[api.Pagination](), "HasMore", "Whether more results follow.", ""},
		{reflect.TypeFor[api.SliceFields](), "Labels",
			"At most 50 labels of at most 50 characters each. A label contains no comma. Labels are stored in the normalization form C of " +
				"Unicode, without control characters, direction marks and other invisible characters.",
			`["checkout","firefox"]`},
		{reflect.TypeFor[api.Slice](), "WorkspaceID", "", ""},
		{reflect.TypeFor[api.Page[api.Slice]](), "Data", "", ""},
		{reflect.TypeFor[elsewhere](), "Limit", "", ""},
	}
	for _, tt := range tests {
		description, example := api.FieldComment(tt.of, tt.field)
		if description != tt.description || example != tt.example {
			t.Errorf("FieldComment(%v, %s) = %q, %q; want %q, %q", tt.of, tt.field, description, example,
				tt.description, tt.example)
		}
	}
}
