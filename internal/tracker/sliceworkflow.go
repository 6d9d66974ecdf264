package tracker

import (
	"errors"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/store"
)

// workflowMembers depend on each other.
var workflowMembers = []string{"status", "resolution", "fixedInRelease", "duplicateOfId"}

func isFinished(s api.Status) bool { return s == api.Resolved || s == api.Closed }

// setStatus changes the status of a slice, with its resolution and the time of it. Every status can follow every
// other. A slice has a resolution exactly while it is resolved or closed; the default is fixed. It refuses the
// resolution, and the release of the fix, of a slice that is neither resolved nor closed, before and after.
func setStatus(s *store.Slice, to api.Status, at api.Time) error {
	from := s.Status
	s.Status = to
	switch {
	case equalStrings(s.FixedInRelease, new(api.NewestRelease)):
		return api.InvalidMember("/fixedInRelease", "not_a_release",
			"must name the release, because filters take newest for the newest one that was seen")
	case isFinished(to):
		if s.Resolution == nil {
			fixed := api.Fixed
			s.Resolution = &fixed
		}
		if !isFinished(from) {
			s.ResolvedAt = &at
		}
	case isFinished(from):
		s.Resolution, s.FixedInRelease, s.ResolvedAt = nil, nil, nil
	case s.Resolution != nil:
		return refuseResolution(to)
	case s.FixedInRelease != nil:
		return refuseFixedInRelease(to)
	}
	return nil
}

// clearDuplicate removes the reference to the original slice when the resolution duplicate was removed.
func clearDuplicate(s *store.Slice, before api.SliceFields) {
	if s.Resolution == nil && before.Resolution != nil && *before.Resolution == api.Duplicate {
		s.DuplicateOfID = nil
	}
}

func refuseResolution(status api.Status) error {
	return api.InvalidMember("/resolution", "not_resolved",
		"only a resolved or closed slice has a resolution; this slice would be "+string(status))
}

func refuseFixedInRelease(status api.Status) error {
	return api.InvalidMember("/fixedInRelease", "not_resolved",
		"only a resolved or closed slice is fixed in a release; this slice would be "+string(status))
}

// checkNewURLs refuses URLs of a new slice that run a script.
func checkNewURLs(f api.SliceFields) error { return checkChangedURLs(f, api.SliceFields{}) }

// checkChangedURLs refuses changed URLs that run a script.
func checkChangedURLs(f, before api.SliceFields) error {
	for pointer, url := range map[string]struct{ current, before *string }{
		"/sourceUrl":            {f.SourceURL, before.SourceURL},
		"/environment/buildUrl": {f.Environment.BuildURL, before.Environment.BuildURL},
	} {
		if url.current != nil && !equalStrings(url.current, url.before) && isScriptURL(*url.current) {
			return api.InvalidMember(pointer, "unsafe_address",
				"must be the address of a page, and must not run a script or contain the page itself")
		}
	}
	return nil
}

// checkReferences refuses changed URLs that run a script, and changed references to records that the workspace does not
// have, with every fault at once. The transaction must have locked the workspace, so that the records cannot be deleted before it commits.
func checkReferences(tx *access.Tx, s *store.Slice, before api.SliceFields) error {
	return faultsOf(
		func() error { return checkChangedURLs(s.SliceFields, before) },
		func() error {
			if s.SpaceID == nil || equalStrings(s.SpaceID, before.SpaceID) {
				return nil
			}
			_, err := tx.Space(s.WorkspaceID, *s.SpaceID)
			return reference{"/spaceId", *s.SpaceID, id.Space, "no such space in this workspace"}.unknown(err)
		},
		func() error {
			if s.AssigneeID == nil || equalStrings(s.AssigneeID, before.AssigneeID) {
				return nil
			}
			_, err := tx.Role(s.WorkspaceID, *s.AssigneeID)
			return reference{"/assigneeId", *s.AssigneeID, id.User, "no such member of this workspace"}.unknown(err)
		},
		func() error {
			if s.DuplicateOfID == nil || equalStrings(s.DuplicateOfID, before.DuplicateOfID) {
				return nil
			}
			return checkDuplicate(tx, s)
		})
}

// isScriptURL reports whether a URL runs a script, or contains a page, when somebody follows it. Browsers ignore
// blanks and control characters in the name of a scheme.
func isScriptURL(address string) bool {
	scheme, _, _ := strings.Cut(address, ":")
	scheme = strings.ToLower(strings.Map(func(r rune) rune {
		if r <= ' ' {
			return -1
		}
		return r
	}, scheme))
	return slices.Contains([]string{"javascript", "data", "vbscript"}, scheme)
}

// checkDuplicate refuses a duplicate of a deleted slice, of a slice of another workspace, and a cycle of duplicates.
func checkDuplicate(tx *access.Tx, s *store.Slice) error {
	if err := tx.ApplySlices(); err != nil {
		return err
	}
	original, err := tx.Slice(*s.DuplicateOfID)
	if err == nil && (original.WorkspaceID != s.WorkspaceID || original.DeletedAt != nil) {
		err = store.ErrNotFound
	}
	if err != nil {
		return reference{"/duplicateOfId", *s.DuplicateOfID, id.Slice, "no such slice in this workspace"}.unknown(err)
	}
	for next := &original.ID; next != nil; {
		if *next == s.ID {
			return api.InvalidMember("/duplicateOfId", "duplicate_cycle",
				"the slices would be duplicates of each other")
		}
		if next, err = tx.DuplicateOf(*next); err != nil {
			return err
		}
	}
	return nil
}

// checkFingerprintFree refuses to open a slice while another slice with its fingerprint is open. The transaction must
// have locked the fingerprint, so that no other one opens such a slice.
func checkFingerprintFree(tx *access.Tx, s *store.Slice) error {
	if s.Fingerprint == nil || isFinished(s.Status) {
		return nil
	}
	if err := tx.ApplySlices(); err != nil {
		return err
	}
	open, err := tx.OpenSliceWithFingerprint(s)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	key, err := tx.WorkspaceKey(s.WorkspaceID)
	if err != nil {
		return err
	}
	return api.NewProblem(api.CodeConflict, api.Reference(key, open)+
		" is open and has the same fingerprint. Resolve it first, or mark one as a duplicate of the other.")
}

// identifiersOf returns the forms of the external id that a patch gives to a slice. ok is whether the slice may get
// an identifier by the patch, so that its identifiers must be locked: that external id, or its fingerprint among open
// slices.
func (t *Tracker) identifiersOf(patch api.SlicePatch) (externalIDs []string, ok bool) {
	if sent, ok := patch["externalId"].(string); ok {
		return storedForms(t.secrets, sent), true
	}
	status, ok := patch["status"].(string)
	return nil, ok && !isFinished(api.Status(status))
}

// lockIdentifiers locks the identifiers of a slice and further ones that it gets.
func lockIdentifiers(tx *access.Tx, c access.Caller, sliceID string, further []string) error {
	sliceID, err := c.SliceID(tx.Queries, sliceID)
	if errors.Is(err, store.ErrNotFound) { // the operation refuses it
		return nil
	}
	if err != nil {
		return err
	}
	return tx.LockIdentifiers(map[string][]string{sliceID: further})
}

// conflictProblem turns a violation of a unique index into the problem of the external id, or into ErrConflict for a
// fingerprint: a retry of the transaction finds the other slice.
func conflictProblem(err error, s *store.Slice) error {
	var taken *store.UniqueViolationError
	if errors.As(err, &taken) && taken.Index == store.IndexExternalID {
		return refuseExternalID(*s.ExternalID)
	}
	if errors.As(err, &taken) && taken.Index == store.IndexFingerprint {
		return store.ErrConflict
	}
	return err
}
