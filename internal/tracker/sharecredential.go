package tracker

import (
	"slices"

	"bugslice/api"
	"bugslice/internal/store"
)

// shareCredential is the credential of somebody who has the link of a share. It reads one slice, and of it what is always shared and
// the chosen parts. It writes nothing.
type shareCredential struct {
	id        string
	tokenHash string
	sliceID   string
	parts     []api.SharePart
}

// errNoShare refuses a link. It is the same for an unknown, an expired and a revoked link, for a deleted slice, and for a creator who has
// lost the right.
var errNoShare = api.NotFound("share")

// shareIsActive reports whether a share has not expired, its slice is not deleted, and the user and the key that created it have the
// right to share the slice.
func shareIsActive(s store.Share, now api.Time) bool {
	c := s.Creator
	switch {
	case s.SliceDeleted || !now.Before(s.ExpiresAt.Time):
		return false
	case s.CreatedBy.UserID != nil && (!c.IsMember || c.UserDisabled):
		return false
	case s.CreatedBy.KeyID == nil:
		return true
	}
	return !c.KeyRevoked && (c.KeyExpiresAt == nil || now.Before(c.KeyExpiresAt.Time)) && slices.Contains(c.KeyScopes, api.SlicesWrite)
}

// callerOfShare returns the caller of a share. It refuses one that is not active.
func callerOfShare(s store.Share, hash string, now api.Time) (Caller, error) {
	if !shareIsActive(s, now) {
		return Caller{}, errNoShare
	}
	return Caller{Principal: Principal{Type: ShareCaller, ID: s.ID}, Organization: api.OrganizationRef{ID: s.OrgID},
		Scopes: []api.Scope{api.SlicesRead}, ExpiresAt: &s.ExpiresAt,
		Credential: shareCredential{id: s.ID, tokenHash: hash, sliceID: s.SliceID, parts: s.Parts}}, nil
}

// sharedOperations are the operations of a share, each with the part that it needs; no part for what is always shared.
var sharedOperations = map[string]api.SharePart{
	api.OpGetSharedSlice: "", api.OpGetAttachment: "", api.OpGetThumbnail: "", api.OpListActions: "", api.OpGetReplay: "",
	api.OpListConsole: api.ShareConsole, api.OpListNetwork: api.ShareNetwork, api.OpGetArchive: api.ShareNetwork,
}

// sharedKinds are the kinds of files of a share, each with the part that it needs. Other files are not shared.
var sharedKinds = map[api.AttachmentKind]api.SharePart{
	api.KindScreenshot: "", api.KindVideo: "", api.KindReplay: "", api.KindActions: "",
	api.KindConsole: api.ShareConsole, api.KindLog: api.ShareConsole, api.KindNetwork: api.ShareNetwork,
}

func (s shareCredential) shows(part api.SharePart) bool {
	return part == "" || slices.Contains(s.parts, part)
}

func (s shareCredential) authentic() bool { return s.tokenHash != "" }

// admits refuses an operation of another part like one on a missing record.
func (s shareCredential) admits(op *api.Operation) error {
	if part, ok := sharedOperations[op.ID]; !ok || !s.shows(part) {
		return errNoShare
	}
	return nil
}

func (s shareCredential) reads(_ store.Queries, _ Caller, of store.Slice) error {
	if of.ID != s.sliceID {
		return store.ErrNotFound
	}
	return nil
}

// readsFile refuses files of other parts. Without comments it refuses pictures in comments, unless the description has them, too.
func (s shareCredential) readsFile(q store.Queries, a store.Attachment) error {
	hidden, err := s.hiddenFiles(q)
	if err == nil && !s.showsFile(a, hidden) {
		err = store.ErrNotFound
	}
	return err
}

// hiddenFiles returns the files of comments that are not shared.
func (s shareCredential) hiddenFiles(q store.Queries) ([]string, error) {
	if s.shows(api.ShareComments) {
		return nil, nil
	}
	return q.CommentFiles(s.sliceID)
}

func (s shareCredential) showsFile(a store.Attachment, hidden []string) bool {
	part, ok := sharedKinds[a.Kind]
	return ok && s.shows(part) && !slices.Contains(hidden, a.ID)
}

func (s shareCredential) current(q store.Queries, now api.Time, _ Caller) (Caller, error) {
	share, err := q.ShareOfToken(s.tokenHash)
	if err != nil {
		return Caller{}, orNotFound(err, "share")
	}
	return callerOfShare(share, s.tokenHash, now)
}

func (shareCredential) lock(*store.Tx, Caller, *api.Operation) error { return nil }

func (shareCredential) valid(*store.Tx, api.Time, Caller) (bool, error) { return false, nil }

func (shareCredential) expired(api.Time) bool { return true }

func (shareCredential) identify(*store.Actor) {}
