package page

import (
	"net/url"

	"bugslice/api"
)

// ShareForm is the form that shares a report, with the links that the report has.
type ShareForm struct {
	Reference string
	Form      url.Values
	FormState
	Expiry Expiry
	Links  []ShareRow
}

// shareDays is the number of days after which a share expires by default.
const shareDays = 7

// LoadShareForm returns the form of a report. form is nil for one that is not filled in yet.
func (q *Request) LoadShareForm(reference string, form url.Values) (f ShareForm, err error) {
	if key, number, ok := api.ParseReference(reference); ok { // also of small letters
		reference = api.Reference(key, number)
	}
	if form == nil {
		form = url.Values{"expiresAt": {q.InDays(shareDays).String()}}
	}
	f = ShareForm{Reference: reference, Form: form, FormState: NewFormState(form), Expiry: q.NewExpiry(form["expiresAt"], 1, shareDays, 30)}
	f.Links, err = q.Backend.SliceShares(q.Context(), q.Session.Caller, reference)
	return f, err
}

// Shows says whether a part of the report is ticked.
func (f ShareForm) Shows(part api.SharePart) bool {
	for _, p := range f.Form["parts"] {
		if p == string(part) {
			return true
		}
	}
	return false
}
