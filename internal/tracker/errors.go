package tracker

import (
	"errors"

	"bugslice/api"
	"bugslice/internal/evidence"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// evidenceProblem turns an error of the evidence of a new slice into a problem of the request.
func evidenceProblem(err error) error {
	var bad *evidence.Error
	if errors.As(err, &bad) {
		return api.InvalidMember("/evidence"+bad.Pointer, "invalid_evidence", "evidence"+bad.Pointer+" "+bad.Detail)
	}
	if errors.Is(err, evidence.ErrLarge) {
		return api.NewProblem(api.CodeTooLarge, "A part of the evidence is too large: "+err.Error()+".")
	}
	return err
}

// reference is a member that refers to a record.
type reference struct {
	pointer, text, prefix string
	missing               string // the detail for a missing record
}

// unknown turns a missing record into a problem of the member, which says so when its text is no identifier of that
// kind.
func (r reference) unknown(err error) error {
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	detail := r.missing
	if !id.Valid(r.prefix, r.text) {
		detail += "; the member " + input.IDForm(r.text, []string{r.prefix}, nil)
	}
	return api.InvalidMember(r.pointer, "unknown_reference", detail)
}

// ignoreNotFound returns nil for the problem of a record that was deleted meanwhile, and other errors as they are.
func ignoreNotFound(err error) error {
	var p *api.Problem
	if errors.As(err, &p) && p.Code == api.CodeNotFound {
		return nil
	}
	return err
}
