package newreport

import (
	"bytes"
	"testing"
)

// TestEveryFieldIsInForm: each member of a slice that clients write has a control in the form, or a reason why not in
// notInForm.
func TestEveryFieldIsInForm(t *testing.T) {
	form, err := folder.ReadFile("page.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range fields {
		if !bytes.Contains(form, []byte(`name="`+name+`"`)) && !bytes.Contains(form, []byte(`"Name" "`+name+`"`)) {
			t.Errorf("%s has no control, and no reason in notInForm", name)
		}
	}
}
