package newreport

import (
	"reflect"
	"slices"
	"testing"

	"bugslice/api"
)

// notInForm are the members of a slice that its form does not have, by the reason.
var notInForm = map[string]string{
	"status":        "a report begins open",
	"resolution":    "a report begins open",
	"duplicateOfId": "set on the report, after a look at similar ones",
	"environment":   "filled in by tools, and by the browser's name",
	"metadata":      "filled in by tools",
	"externalId":    "the identifier of a client",
}

// TestEveryFieldIsInForm: each member of a slice that clients write is in the form, or has a reason why not.
func TestEveryFieldIsInForm(t *testing.T) {
	for f := range reflect.TypeFor[api.SliceFields]().Fields() {
		name := f.Tag.Get("json")
		if inForm := slices.Contains(fields, name); inForm == (notInForm[name] != "") {
			t.Errorf("%s: in the form %t, reason why not %q", name, inForm, notInForm[name])
		}
	}
}
