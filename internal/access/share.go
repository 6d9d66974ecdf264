package access

import (
	"slices"

	"bugslice/api"
	"bugslice/internal/evidence"
	"bugslice/internal/store"
)

// ShareCredential is the credential of somebody who has the link of a share. It reads one slice, and of it what is
// always shared and the chosen parts. It writes nothing.
type ShareCredential struct {
	SliceID  string
	SharedBy string // the name of the user who created it; empty for a key of a workspace

	id        string
	tokenHash string
	parts     []api.SharePart
}

// ErrNoShare refuses a link. It is the same for an unknown, an expired and a revoked link, for a deleted slice, and
// for a creator who has lost the right.
var ErrNoShare = api.NotFound("share")

// ShareIsActive reports whether a share has not expired, its slice is not deleted, and the user and the key that
// created it have the right to share the slice.
func ShareIsActive(s store.Share, now api.Time) bool {
	c := s.Creator
	switch {
	case s.SliceDeleted || !now.Before(s.ExpiresAt.Time):
		return false
	case s.CreatedBy.UserID != nil && (!c.IsMember || c.UserDisabled):
		return false
	case s.CreatedBy.KeyID == nil:
		return true
	}
	return !c.KeyRevoked && (c.KeyExpiresAt == nil || now.Before(c.KeyExpiresAt.Time)) &&
		slices.Contains(c.KeyScopes, api.SlicesWrite)
}

// callerOfShare returns the caller of a share. It refuses one that is not active.
func callerOfShare(s store.Share, hash string, now api.Time) (Caller, error) {
	if !ShareIsActive(s, now) {
		return Caller{}, ErrNoShare
	}
	by := ""
	if s.CreatedBy.UserID != nil {
		by = s.Creator.Name
	}
	return Caller{Principal: Principal{Type: ShareCaller, ID: s.ID}, Organization: api.OrganizationRef{ID: s.OrgID},
		Scopes: []api.Scope{api.SlicesRead}, ExpiresAt: &s.ExpiresAt,
		Credential: ShareCredential{SliceID: s.SliceID, SharedBy: by, id: s.ID, tokenHash: hash, parts: s.Parts}}, nil
}

// sharedOperations are the operations of a share, each with the part that it needs; no part for what is always shared.
var sharedOperations = map[string]api.SharePart{
	api.OpGetSharedSlice: "", api.OpGetAttachment: "", api.OpGetThumbnail: "", api.OpListActions: "",
	api.OpGetReplay:   "",
	api.OpListConsole: api.ShareConsole, api.OpListNetwork: api.ShareNetwork, api.OpGetArchive: api.ShareNetwork,
}

// sharedKinds are the kinds of files of a share, each with the part that it needs. Other files are not shared.
var sharedKinds = map[api.AttachmentKind]api.SharePart{
	api.KindScreenshot: "", api.KindVideo: "", api.KindReplay: "", api.KindActions: "",
	api.KindConsole: api.ShareConsole, api.KindLog: api.ShareConsole, api.KindNetwork: api.ShareNetwork,
}

// Shows reports whether the share shows a part of its slice; no part for what is always shown.
func (s ShareCredential) Shows(part api.SharePart) bool {
	return part == "" || slices.Contains(s.parts, part)
}

func (s ShareCredential) authentic() bool { return s.tokenHash != "" }

// admits refuses an operation of another part like one on a missing record.
func (s ShareCredential) admits(op *api.Operation) error {
	if part, ok := sharedOperations[op.ID]; !ok || !s.Shows(part) {
		return ErrNoShare
	}
	return nil
}

func (s ShareCredential) reads(_ Queries, _ Caller, of store.Slice) error {
	if of.ID != s.SliceID {
		return store.ErrNotFound
	}
	return nil
}

// readsFile refuses files that the share does not show, and the file of a replay, of which GetReplay leaves out
// events of other parts.
func (s ShareCredential) readsFile(q Queries, a store.Attachment) error {
	files, err := s.Files(q, a.ID, 1)
	if err == nil && (a.Kind == api.KindReplay || len(files) == 0) {
		err = store.ErrNotFound
	}
	return err
}

// Files returns at most limit files of the slice that the share shows, or one of them by its id.
func (s ShareCredential) Files(q Queries, fileID string, limit int) ([]store.Attachment, error) {
	shown, err := s.shownOccurrence(q)
	if err != nil {
		return nil, err
	}
	return q.SharedFiles(store.SharedFiles{SliceID: s.SliceID, Kinds: s.kinds(), Occurrence: shown,
		Comments: s.Shows(api.ShareComments), FileID: fileID}, limit)
}

// kinds returns the kinds of files of the parts of the share.
func (s ShareCredential) kinds() (kinds []api.AttachmentKind) {
	for kind, part := range sharedKinds {
		if s.Shows(part) {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// shownOccurrence returns the occurrence that the share shows: the newest one with evidence of its parts, without any
// the newest one with a picture or another file of them, and 0 without files.
func (s ShareCredential) shownOccurrence(q Queries) (int64, error) {
	return q.NewestSharedOccurrence(s.SliceID, s.kinds())
}

// occurrence refuses every occurrence but the one that the share shows, like one that does not exist.
func (s ShareCredential) occurrence(q Queries, of store.Slice, wanted int64) (int64, error) {
	shown, err := s.shownOccurrence(q)
	if err != nil {
		return 0, err
	}
	if shown == 0 {
		shown = of.OccurrenceCount
	}
	if wanted != 0 && wanted != shown {
		return 0, api.NotFound("occurrence")
	}
	return shown, nil
}

// replayFilter shows what the page was and showed, and events of the parts of the share.
func (s ShareCredential) replayFilter() func(evidence.EventPart) bool {
	return func(part evidence.EventPart) bool {
		switch part {
		case evidence.PageEvent:
			return true
		case evidence.ConsoleEvent:
			return s.Shows(api.ShareConsole)
		case evidence.NetworkEvent:
			return s.Shows(api.ShareNetwork)
		}
		return false
	}
}

func (s ShareCredential) current(q Queries, now api.Time, _ Caller) (Caller, error) {
	share, err := q.ShareOfToken(s.tokenHash)
	if err != nil {
		return Caller{}, OrNotFound(err, "share")
	}
	return callerOfShare(share, s.tokenHash, now)
}

func (ShareCredential) lock(*Tx, *api.Operation, string) error { return nil }

func (ShareCredential) valid(*Tx, api.Time, Caller) (bool, error) { return false, nil }

func (ShareCredential) expired(api.Time) bool { return true }

func (ShareCredential) identify(*store.Actor) {}
