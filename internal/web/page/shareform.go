package page

import (
	"net/url"

	"bugslice/api"
	"bugslice/internal/input"
)

// ShareForm is the form that shares a report, with the links that the report has.
type ShareForm struct {
	Reference string
	Form      url.Values
	FormState
	Expiry       Expiry
	Links        []ShareRow
	WithMetadata []string // the names of the pictures, videos and logs that have metadata, or may have some
}

// shareDays is the number of days after which a share expires by default.
const shareDays = 7

// LoadShareForm returns the form of a report. form is nil if it is not filled in yet.
func (q *Request) LoadShareForm(reference string, form url.Values) (f ShareForm, err error) {
	if key, number, ok := api.ParseReference(reference); ok { // also of small letters
		reference = api.Reference(key, number)
	}
	if form == nil {
		form = url.Values{"expiresAt": {q.InDays(shareDays).String()}}
	}
	f = ShareForm{Reference: reference, Form: form, FormState: NewFormState(form),
		Expiry: q.NewExpiry(form["expiresAt"], 1, shareDays, 30)}
	if f.Links, err = q.Tracker.SliceShares(q.Context(), q.Session.Caller, reference); err != nil {
		return f, err
	}
	f.WithMetadata, err = q.filesWithMetadata(reference)
	return f, err
}

// filesWithMetadata returns the names of the files of a report that a share shows as they are, and whose metadata is
// not known to be removed.
func (q *Request) filesWithMetadata(reference string) (names []string, err error) {
	in := api.ListAttachments{SliceID: reference, Paging: api.Paging{Limit: api.MaxLimit},
		Kind: []api.AttachmentKind{api.KindScreenshot, api.KindVideo, api.KindLog}}
	for {
		v, err := input.Check(in)
		if err != nil {
			return nil, api.NotFound("slice")
		}
		listed, err := q.Tracker.ListAttachments(q.Context(), q.Session.Caller, v)
		if err != nil {
			return nil, err
		}
		for _, a := range listed.Data {
			if a.Metadata != api.MetadataRemoved && a.Metadata != api.MetadataNone {
				names = append(names, a.Name)
			}
		}
		if listed.Pagination.Cursor == nil {
			return names, nil
		}
		in.Cursor = *listed.Pagination.Cursor
	}
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
