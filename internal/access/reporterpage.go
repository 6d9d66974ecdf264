package access

import (
	"context"
	"errors"

	"bugslice/api"
	"bugslice/internal/evidence"
	"bugslice/internal/store"
	"bugslice/internal/store/reporters"
	"bugslice/internal/store/sources"
	"bugslice/internal/token"
)

// ReporterCredential is the credential of a visitor who has the address of the page of a report. It reads what the page shows,
// answers, and erases what the visitor has written. It sees no other report, and no file.
type ReporterCredential struct {
	hash string // of the address

	Page    reporters.Page
	Source  sources.Source
	Waiting bool // whether the report waits for a decision: there is no slice yet
}

// ErrNoReporterPage refuses an address. It is the same for an unknown one, for a report that was marked as spam, deleted, purged or
// erased by its reporter, and for a source that was deleted or has no such pages any more.
var ErrNoReporterPage = api.NotFound("page")

// reporterOperations are the operations of the page of a reporter, and the one by which it stores files.
var reporterOperations = map[string]bool{api.OpGetReporterPage: true, api.OpAnswerAsReporter: true, api.OpEraseAsReporter: true,
	api.OpCreateAttachment: true}

// AuthenticateReporter returns the caller of the address of the page of a report, or ErrNoReporterPage.
func (a *Access) AuthenticateReporter(ctx context.Context, secret string) (Caller, error) {
	return callerOfReporter(a.Read(ctx), token.Hash(secret))
}

// callerOfReporter returns the caller of the page with a hash, as its report and its source are now.
func callerOfReporter(q Queries, hash string) (Caller, error) {
	c := ReporterCredential{hash: hash}
	var err error
	if c.Page, err = q.Reporters().ByHash(hash); err == nil {
		c.Source, err = q.Sources().Source(c.Page.SourceID)
	}
	if err == nil && !c.Source.ReporterPage {
		err = ErrNoReporterPage
	}
	if err == nil {
		c.Waiting, err = isWaiting(q, c.Page)
	}
	if errors.Is(err, store.ErrNotFound) {
		err = ErrNoReporterPage
	}
	if err != nil {
		return Caller{}, err
	}
	name := "Visitor"
	if c.Page.Name != "" {
		name = c.Page.Name
	}
	return Caller{Principal: Principal{Type: GuestCaller, ID: c.Source.ID, Name: name}, Scopes: sourceScopes,
		Organization: api.OrganizationRef{ID: c.Source.OrgID}, WorkspaceID: c.Source.WorkspaceID, Credential: c}, nil
}

// isWaiting reports whether the report of a page waits. It refuses one that is neither waiting nor a slice that is not deleted.
func isWaiting(q Queries, p reporters.Page) (bool, error) {
	s, err := q.Slice(p.SliceID)
	if err == nil && s.DeletedAt == nil {
		return false, nil
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return false, err
	}
	u, err := q.Sources().SubmissionOfSlice(p.SourceID, p.SliceID)
	if err == nil && u.State != api.SubmissionWaiting {
		err = store.ErrNotFound
	}
	return true, err
}

func (r ReporterCredential) authentic() bool { return r.hash != "" }

// admits refuses every operation but those of the page, and while the source takes nothing or the report waits also files and answers.
func (r ReporterCredential) admits(op *api.Operation) error {
	switch {
	case !reporterOperations[op.ID]:
		return ErrNoReporterPage
	case !r.TakesAnswers() && (op.ID == api.OpAnswerAsReporter || op.ID == api.OpCreateAttachment):
		return api.NewProblem(api.CodeForbidden, "The team takes no answers to this report at the moment.")
	}
	return nil
}

// TakesAnswers reports whether the report is one of the team, and its source takes something.
func (r ReporterCredential) TakesAnswers() bool { return !r.Waiting && !r.Source.Paused }

func (r ReporterCredential) reads(_ Queries, _ Caller, of store.Slice) error {
	if of.ID != r.Page.SliceID {
		return store.ErrNotFound
	}
	return nil
}

func (ReporterCredential) readsFile(Queries, store.Attachment) error { return store.ErrNotFound }

func (ReporterCredential) occurrence(Queries, store.Slice, int64) (int64, error) {
	return 0, store.ErrNotFound
}

func (ReporterCredential) replayFilter() func(evidence.EventPart) bool {
	return func(evidence.EventPart) bool { return false }
}

func (r ReporterCredential) current(q Queries, _ api.Time, _ Caller) (Caller, error) {
	return callerOfReporter(q, r.hash)
}

func (ReporterCredential) lock(*Tx, *api.Operation, string) error { return nil }

// valid locks the page, so that nothing is written on one that ends.
func (r ReporterCredential) valid(tx *Tx, _ api.Time, _ Caller) (bool, error) {
	_, err := tx.Reporters().Lock(r.hash)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

func (ReporterCredential) expired(api.Time) bool { return false }

func (ReporterCredential) identify(*store.Actor) {}
