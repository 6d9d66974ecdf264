package tracker

import (
	"errors"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/store"
)

// transitions says which statuses may follow which.
var transitions = map[api.Status][]api.Status{
	api.Open:       {api.InProgress, api.Resolved, api.Closed},
	api.InProgress: {api.Open, api.Resolved, api.Closed},
	api.Resolved:   {api.Closed, api.Open},
	api.Closed:     {api.Open},
}

func isFinished(s api.Status) bool { return s == api.Resolved || s == api.Closed }

// transition brings a slice to the wanted status at a time, with its resolution and resolvedAt:
// a resolution stands exactly while a slice is resolved or closed, fixed when not said.
func transition(s *store.Slice, wanted api.Status, at api.Time) error {
	from := s.Status
	if wanted != from && !slices.Contains(transitions[from], wanted) {
		return refuseTransition(from, wanted)
	}
	s.Status = wanted
	switch {
	case isFinished(wanted):
		if s.Resolution == nil {
			fixed := api.Fixed
			s.Resolution = &fixed
		}
		if !isFinished(from) {
			s.ResolvedAt = &at
		}
	case isFinished(from):
		s.Resolution, s.ResolvedAt = nil, nil
	case s.Resolution != nil:
		return refuseResolution(wanted)
	}
	return nil
}

// clearDuplicate lets what a slice repeated go with the resolution that said so.
func clearDuplicate(s *store.Slice, before api.SliceFields) {
	if s.Resolution == nil && before.Resolution != nil && *before.Resolution == api.Duplicate {
		s.DuplicateOfID = nil
	}
}

func refuseResolution(status api.Status) error {
	return api.InvalidMember("/resolution", "not_resolved",
		"a resolution goes with the status resolved or closed; this slice would be "+string(status))
}

func refuseTransition(from, to api.Status) error {
	allowed := strings.Join(convert(transitions[from], func(s api.Status) string { return string(s) }), ", ")
	detail := "A slice that is " + string(from) + " can become: " + allowed + ". It cannot become " + string(to) + "."
	return api.Refuse(api.CodeTransition, detail, api.Fault{Pointer: "/status", Code: api.CodeTransition, Detail: "allowed: " + allowed})
}

// checkAddresses refuses addresses, other than before, that run a script.
func checkAddresses(f, before api.SliceFields) error {
	for pointer, address := range map[string][2]*string{"/sourceUrl": {f.SourceURL, before.SourceURL},
		"/environment/buildUrl": {f.Environment.BuildURL, before.Environment.BuildURL}} {
		if address[0] != nil && !equalStrings(address[0], address[1]) && isScriptURL(*address[0]) {
			return api.InvalidMember(pointer, "unsafe_address",
				"must be an address to go to, not one that runs a script or holds a page itself")
		}
	}
	return nil
}

// checkReferences refuses such addresses, and references, other than before, to what the workspace
// does not have. It runs behind the lock on the workspace, so that what it finds stays true.
func checkReferences(q store.Queries, s *store.Slice, before api.SliceFields) error {
	if err := checkAddresses(s.SliceFields, before); err != nil {
		return err
	}
	if s.SpaceID != nil && !equalStrings(s.SpaceID, before.SpaceID) {
		if _, err := q.Space(s.WorkspaceID, *s.SpaceID); err != nil {
			return unknownReference(err, "/spaceId", "no such space in this workspace")
		}
	}
	if s.AssigneeID != nil && !equalStrings(s.AssigneeID, before.AssigneeID) {
		if _, err := q.Role(s.WorkspaceID, *s.AssigneeID); err != nil {
			return unknownReference(err, "/assigneeId", "no such member of this workspace")
		}
	}
	if s.DuplicateOfID != nil && !equalStrings(s.DuplicateOfID, before.DuplicateOfID) {
		return checkDuplicate(q, s)
	}
	return nil
}

// isScriptURL says whether an address would do something in the page where somebody clicks on it.
// Browsers pass over blanks and control characters in the name of a scheme.
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

// checkDuplicate refuses a duplicate of another workspace's slice, of a deleted one, and a circle.
func checkDuplicate(q store.Queries, s *store.Slice) error {
	of, err := q.Slice(*s.DuplicateOfID)
	if err == nil && (of.WorkspaceID != s.WorkspaceID || of.DeletedAt != nil) {
		err = store.ErrNotFound
	}
	if err != nil {
		return unknownReference(err, "/duplicateOfId", "no such slice in this workspace")
	}
	for next := &of.ID; next != nil; {
		if *next == s.ID {
			return api.InvalidMember("/duplicateOfId", "duplicate_cycle", "the slices would be duplicates of each other in a circle")
		}
		if next, err = q.DuplicateOf(*next); err != nil {
			return err
		}
	}
	return nil
}

// checkFingerprintFree refuses to open a slice beside another one that is open under its fingerprint.
func checkFingerprintFree(tx *store.Tx, s *store.Slice) error {
	if s.Fingerprint == nil || isFinished(s.Status) {
		return nil
	}
	open, err := tx.LockSliceByFingerprint(s.WorkspaceID, *s.Fingerprint)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil || open.ID == s.ID || isFinished(open.Status):
		return err
	}
	return api.Refuse(api.CodeConflict,
		"Another slice of the workspace, "+open.ID+", is open under the fingerprint of this one. Resolve that one first, or mark one as "+
			"a duplicate.")
}

// conflictProblem turns a taken externalId into its refusal. A fingerprint was opened by somebody
// meanwhile: another attempt finds theirs.
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
