package access

import (
	"context"
	"errors"
	"slices"

	"bugslice/api"
	"bugslice/internal/evidence"
	"bugslice/internal/store"
	"bugslice/internal/store/sources"
	"bugslice/internal/token"
)

// SourceCredential is the credential of a visitor who reports by a source. It files reports into the workspace of the
// source, and adds files to one of them. It reads nothing else.
type SourceCredential struct {
	source  sources.Source
	visitor api.Visitor
	sliceID string // the report that gets files; empty for a visitor who files one
}

// ErrNoSource refuses a public key. It is the same for an unknown, a paused and a deleted source.
var ErrNoSource = api.NotFound("source")

// sourceScopes are the scopes of a visitor.
var sourceScopes = []api.Scope{api.SlicesWrite}

// Reporting is a visitor who files a report by a source, or adds files to the one with SliceID.
type Reporting struct {
	Source  sources.Source
	Visitor api.Visitor
	SliceID string
	Request Request
}

// Reports returns the caller of a visitor. It refuses a paused source.
func (a *Access) Reports(r Reporting) (Caller, error) {
	if r.Source.ID == "" || r.Source.Paused {
		return Caller{}, ErrNoSource
	}
	r.Visitor.SourceID, r.Visitor.SourceName = &r.Source.ID, r.Source.Name
	c := callerOfSource(SourceCredential{source: r.Source, visitor: r.Visitor, sliceID: r.SliceID})
	c.Request = r.Request
	return c, nil
}

// Reporter returns the visitor who has filed a report that a member accepts, also when its source is paused or gone. The
// transaction publishes what the report becomes in the name of the visitor.
func (tx *Tx) Reporter(orgID, workspaceID, sourceID string, v api.Visitor) Caller {
	of := sources.Source{OrgID: orgID}
	of.ID, of.WorkspaceID = sourceID, workspaceID
	return callerOfSource(SourceCredential{source: of, visitor: v})
}

// SourceByKey returns the source with a public key that is not paused, or ErrNoSource.
func (a *Access) SourceByKey(ctx context.Context, key string) (sources.Source, error) {
	if kind, ok := token.Parse(key); !ok || kind != token.Public {
		return sources.Source{}, ErrNoSource
	}
	s, err := a.Read(ctx).Sources().SourceByKey(key)
	if errors.Is(err, store.ErrNotFound) || err == nil && s.Paused {
		return sources.Source{}, ErrNoSource
	}
	return s, err
}

func callerOfSource(s SourceCredential) Caller {
	name := "Visitor"
	if s.visitor.Name != nil && *s.visitor.Name != "" {
		name = *s.visitor.Name
	}
	return Caller{Principal: Principal{Type: GuestCaller, ID: s.source.ID, Name: name}, Scopes: sourceScopes,
		Organization: api.OrganizationRef{ID: s.source.OrgID}, WorkspaceID: s.source.WorkspaceID, Credential: s}
}

// ReportingSource returns the source by which the caller reports; ok is false for a caller who is no visitor.
func (c Caller) ReportingSource() (s sources.Source, ok bool) {
	of, ok := c.Credential.(SourceCredential)
	return of.source, ok
}

// Visitor returns who the caller is as records name it; nil for a caller who is no visitor of a source.
func (c Caller) Visitor() *api.Visitor {
	if s, ok := c.Credential.(SourceCredential); ok {
		v := s.visitor
		return &v
	}
	return nil
}

func (s SourceCredential) authentic() bool { return s.source.ID != "" }

// admits refuses every operation but those of filing.
func (s SourceCredential) admits(op *api.Operation) error {
	if !slices.Contains(filingOperations, op.ID) {
		return errFilesOnly
	}
	return nil
}

func (s SourceCredential) reads(_ Queries, _ Caller, of store.Slice) error {
	if s.sliceID == "" || of.ID != s.sliceID {
		return store.ErrNotFound
	}
	return nil
}

func (SourceCredential) readsFile(Queries, store.Attachment) error { return store.ErrNotFound }

func (SourceCredential) occurrence(_ Queries, of store.Slice, wanted int64) (int64, error) {
	return wanted, CheckOccurrence(of, wanted)
}

func (SourceCredential) replayFilter() func(evidence.EventPart) bool {
	return func(evidence.EventPart) bool { return false }
}

func (s SourceCredential) current(q Queries, _ api.Time, _ Caller) (Caller, error) {
	present, err := q.Sources().Source(s.source.ID)
	if errors.Is(err, store.ErrNotFound) || err == nil && present.Paused {
		err = ErrNoSource
	}
	s.source = present
	return callerOfSource(s), err
}

func (SourceCredential) lock(*Tx, *api.Operation, string) error { return nil }

func (s SourceCredential) valid(tx *Tx, _ api.Time, _ Caller) (bool, error) {
	present, err := tx.Queries.Sources().Source(s.source.ID)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil && !present.Paused, err
}

func (SourceCredential) expired(api.Time) bool { return false }

func (SourceCredential) identify(*store.Actor) {}
