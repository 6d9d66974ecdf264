package tracker

import (
	"bugslice/api"
	"bugslice/internal/blob"
	"bugslice/internal/evidence"
	"bugslice/internal/store"
	"errors"
	"fmt"
)

// maskNotFound refuses what the caller cannot see, for whatever reason, like what does not exist.
func maskNotFound(err error, what string) error {
	var p *api.Problem
	if errors.As(err, &p) {
		return api.NotFound(what)
	}
	return orNotFound(err, what)
}

// orNotFound turns a missing record into the refusal that also hides what the caller cannot see.
func orNotFound(err error, what string) error {
	if errors.Is(err, store.ErrNotFound) {
		return api.NotFound(what)
	}
	return err
}

// storageFault names the faults of the blob store as ones of the database, so that they are
// answered alike.
func storageFault(err error) error {
	if errors.Is(err, blob.ErrUnavailable) {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return err
}

// evidenceFault says what is wrong with evidence, as a fault of the body it came in.
func evidenceFault(err error) error {
	var bad *evidence.Error
	if errors.As(err, &bad) {
		return api.InvalidMember("/evidence"+bad.Pointer, "invalid_evidence", "evidence"+bad.Pointer+" "+bad.Detail)
	}
	if errors.Is(err, evidence.ErrLarge) {
		return api.Refuse(api.CodeTooLarge, "A part of the evidence is too large: "+err.Error()+".")
	}
	return err
}

func unknownReference(err error, pointer, detail string) error {
	if errors.Is(err, store.ErrNotFound) {
		return api.InvalidMember(pointer, "unknown_reference", detail)
	}
	return err
}

// unlessGone returns nil instead of the refusal of what was deleted meanwhile.
func unlessGone(err error) error {
	var p *api.Problem
	if errors.As(err, &p) && p.Code == api.CodeNotFound {
		return nil
	}
	return err
}

// isRefusal says whether an error is a refusal. A write that is refused stored nothing; behind any other
// error, such as a connection that broke during COMMIT, its effect may stand.
func isRefusal(err error) bool {
	var p *api.Problem
	return errors.As(err, &p)
}

var errOperatorOnly = api.Refuse(api.CodeForbidden, "This is for the operator at the command line.")
