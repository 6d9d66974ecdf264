package newreport

import (
	"bytes"
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

// TestEveryFieldIsInForm: each member of a slice that clients write has a control in the form, or a reason why not.
func TestEveryFieldIsInForm(t *testing.T) {
	form, err := folder.ReadFile("page.html")
	if err != nil {
		t.Fatal(err)
	}
	for f := range reflect.TypeFor[api.SliceFields]().Fields() {
		name := f.Tag.Get("json")
		if inForm := slices.Contains(fields, name); inForm == (notInForm[name] != "") {
			t.Errorf("%s: in the form %t, reason why not %q", name, inForm, notInForm[name])
		} else if inForm && !bytes.Contains(form, []byte(`name="`+name+`"`)) && !bytes.Contains(form, []byte(`"Name" "`+name+`"`)) {
			t.Errorf("%s has no control", name)
		}
	}
}
