package access

import (
	"context"
	"errors"
	"slices"

	"bugslice/api"
	"bugslice/internal/evidence"
	"bugslice/internal/store"
	"bugslice/internal/store/recordings"
	"bugslice/internal/token"
)

// RecordingCredential is the credential of somebody who has a recording link. It reads what the page of the link shows, and files
// reports into the workspace of the link. It sees no report, no file and no person but the creator of the link, by name.
type RecordingCredential struct {
	hash    string // of the token
	visitor api.Visitor

	Link recordings.Link
}

// ErrNoRecordingLink refuses a link. It is the same for an unknown, an expired, a revoked and a used one, and for a creator who has
// lost the right.
var ErrNoRecordingLink = api.NotFound("recording link")

// RecordingLinkWorks reports whether a link has not expired, and the user and the key that created it may file into its workspace. It may
// have taken all its reports.
func RecordingLinkWorks(l recordings.Link, now api.Time) bool {
	c := l.Creator
	switch {
	case !now.Before(l.ExpiresAt.Time):
		return false
	case l.CreatedBy.UserID != nil && (!c.IsMember || c.UserDisabled):
		return false
	case l.CreatedBy.KeyID == nil:
		return true
	}
	return !c.KeyRevoked && (c.KeyExpiresAt == nil || now.Before(c.KeyExpiresAt.Time)) && slices.Contains(c.KeyScopes, api.SlicesWrite)
}

// AuthenticateRecording returns the caller of a recording link, also of one that has taken all its reports, so that whoever sent the last
// one sees that it has arrived.
func (a *Access) AuthenticateRecording(ctx context.Context, text string) (Caller, error) {
	if kind, ok := token.Parse(text); !ok || kind != token.Recording {
		return Caller{}, ErrNoRecordingLink
	}
	return callerOfRecording(a.Read(ctx), RecordingCredential{hash: token.Hash(text)}, a.clock())
}

// callerOfRecording returns the caller of a link as the link is now.
func callerOfRecording(q Queries, r RecordingCredential, now api.Time) (Caller, error) {
	var err error
	r.Link, err = q.Recordings().ByHash(r.hash)
	if errors.Is(err, store.ErrNotFound) || err == nil && !RecordingLinkWorks(r.Link, now) {
		return Caller{}, ErrNoRecordingLink
	}
	return r.caller(), err
}

func (r RecordingCredential) caller() Caller {
	name := "Visitor"
	if r.visitor.Name != nil && *r.visitor.Name != "" {
		name = *r.visitor.Name
	}
	return Caller{Principal: Principal{Type: GuestCaller, ID: r.Link.ID, Name: name}, Scopes: sourceScopes,
		Organization: api.OrganizationRef{ID: r.Link.OrgID}, WorkspaceID: r.Link.WorkspaceID, Credential: r}
}

// RecordingLink returns the link of a caller; ok is false for a caller without one.
func (c Caller) RecordingLink() (l recordings.Link, ok bool) {
	r, ok := c.Credential.(RecordingCredential)
	return r.Link, ok
}

// AsRecipient returns the caller of a recording link with what the recipient says of itself, which nothing verifies.
func (c Caller) AsRecipient(name, email *string) Caller {
	r, ok := c.Credential.(RecordingCredential)
	if !ok {
		return c
	}
	r.visitor.Name, r.visitor.Email = name, email
	out := r.caller()
	out.Request = c.Request
	return out
}

func (r RecordingCredential) reporter() *api.Visitor {
	v := r.visitor
	v.RecordingLinkID, v.SourceName = &r.Link.ID, "Recording link"
	return &v
}

func (r RecordingCredential) authentic() bool { return r.hash != "" }

// admits refuses every operation but the page of the link and filing.
func (r RecordingCredential) admits(op *api.Operation) error {
	if op.ID != api.OpGetRecordingPage && op.ID != api.OpCreateSlice {
		return ErrNoRecordingLink
	}
	return nil
}

func (RecordingCredential) reads(Queries, Caller, store.Slice) error { return store.ErrNotFound }

func (RecordingCredential) readsFile(Queries, store.Attachment) error { return store.ErrNotFound }

func (RecordingCredential) occurrence(Queries, store.Slice, int64) (int64, error) {
	return 0, store.ErrNotFound
}

func (RecordingCredential) replayFilter() func(evidence.EventPart) bool {
	return func(evidence.EventPart) bool { return false }
}

func (r RecordingCredential) current(q Queries, now api.Time, _ Caller) (Caller, error) {
	return callerOfRecording(q, r, now)
}

func (RecordingCredential) lock(*Tx, *api.Operation, string) error { return nil }

func (r RecordingCredential) valid(tx *Tx, now api.Time, _ Caller) (bool, error) {
	l, err := tx.Queries.Recordings().ByHash(r.hash)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil && RecordingLinkWorks(l, now), err
}

func (RecordingCredential) expired(api.Time) bool { return false }

func (RecordingCredential) identify(*store.Actor) {}

// OwnRecordingLink returns a link that the caller may revoke: one of its own, or of a workspace that it administers.
func (c Caller) OwnRecordingLink(q Queries, linkID string) (recordings.Link, error) {
	l, err := q.Recordings().Link(linkID)
	if err == nil {
		var role api.Role
		role, err = c.RoleIn(q, l.WorkspaceID)
		own := c.Type == UserCaller && l.CreatedBy.UserID != nil && *l.CreatedBy.UserID == c.ID
		if err == nil && !own && role != api.RoleAdmin {
			err = store.ErrNotFound
		}
	}
	return l, MaskNotFound(err, "recording link")
}
