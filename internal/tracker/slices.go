package tracker

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/redact"
	"bugslice/internal/store"
)

var sliceSorts = map[string]store.SliceSort{"updatedAt": store.SortByUpdate, "priority": store.SortByPriority}

// sliceFilter returns the filter of slices of one workspace, or of all workspaces the caller sees.
func (t *Tracker) sliceFilter(q access.Queries, c access.Caller, in api.SliceFilters) (f store.SliceFilter, err error) {
	f = store.SliceFilter{
		Spaces: in.SpaceID, Statuses: in.Status, Resolutions: in.Resolution, Priorities: in.Priority,
		Severities: in.Severity, Number: in.Number,
		Labels: storedFormsOf(t.secrets, withNormalLabels(in.Label)), Texts: storedTexts(t.secrets, in.Texts()),
		Has:       in.Has,
		Assignees: resolveMe(c, in.AssigneeID), Reporters: resolveMe(c, in.ReporterID), DuplicatesOf: in.DuplicateOfID,
		Unlabelled: in.WithoutLabels, UpdatedMin: in.UpdatedAfter, UpdatedEnd: in.UpdatedBefore,
		ResolvedMin: in.ResolvedAfter, ResolvedEnd: in.ResolvedBefore,
	}
	if err := addSearch(q, c, &f, "q", in.Q); err != nil {
		return f, err
	}
	if in.CreatedAfter != nil {
		f.FromID = id.Lowest(id.Slice, in.CreatedAfter.Time)
	}
	for _, end := range []*api.Time{in.CreatedBefore, in.UpdatedBefore,
		in.ResolvedBefore} { // nothing happens before the creation
		if end == nil {
			continue
		}
		if before := id.Lowest(id.Slice, end.Time); f.BeforeID == "" || before < f.BeforeID {
			f.BeforeID = before
		}
	}
	if f.Workspaces, err = c.ListedWorkspaces(q, in.WorkspaceID); err != nil {
		return f, err
	}
	if err := filterByMetadata(q, &f, in); err != nil {
		return f, err
	}
	if f.Excluded, err = t.excluded(q, c, f.Workspaces, in.Not); err != nil {
		return f, err
	}
	found := f.BeforeID == "" || f.FromID < f.BeforeID // whether a slice may be selected
	if len(in.Mentions) > 0 && len(f.Workspaces) > 0 {
		f.Mentions, err = q.MentionNames(f.Workspaces, resolveMe(c, in.Mentions))
		found = found && len(f.Mentions) > 0
	}
	if len(in.Reference) > 0 && err == nil {
		f.IDs, err = referenced(q, c, in.Reference)
		found = found && len(f.IDs) > 0
	}
	if !found {
		f.Workspaces = nil
	}
	if err == nil {
		err = q.NarrowWorkspaces(&f)
	}
	return f, err
}

// filterWithNewest returns the filter of slices, and the release for which newest stands in it.
func (t *Tracker) filterWithNewest(q access.Queries, c access.Caller, in api.SliceFilters) (
	store.SliceFilter, *api.ChosenRelease, error,
) {
	newest, err := chooseNewest(q, c, &in)
	if err != nil {
		return store.SliceFilter{}, nil, err
	}
	f, err := t.sliceFilter(q, c, in)
	return f, newest, err
}

// setPosition sets the order of a list, and the position after which it begins: the id of a slice, and the key by
// which the list is sorted. It refuses an order by priority over several workspaces.
func setPosition(f *store.SliceFilter, c access.Caller, in api.ListSlices, after []string) (err error) {
	f.Sort, f.Ascending, f.AfterID = sliceSorts[in.Sort], in.Order == "asc", after[0]
	if f.Sort == store.SortByPriority && in.WorkspaceID == "" && c.Type != access.ServiceCaller {
		return api.InvalidParameter("workspaceId", "required",
			"a list by priority is of one workspace: workspaceId is required")
	}
	if f.Sort == store.SortByUpdate && f.Ascending { // nothing happens after the last update
		for _, first := range []*api.Time{in.CreatedAfter, in.ResolvedAfter} {
			if first != nil && (f.UpdatedMin == nil || first.After(f.UpdatedMin.Time)) {
				f.UpdatedMin = first
			}
		}
	}
	if after[1] != "" {
		f.AfterKey, err = strconv.ParseInt(after[1], 10, 64)
	}
	return err
}

// referenced returns the ids of the slices with references. It refuses a text that has not the form of a reference.
func referenced(q access.Queries, c access.Caller, references []string) ([]string, error) {
	for _, r := range references {
		if _, _, ok := api.ParseReference(r); !ok {
			return nil, api.InvalidParameter("reference", "wrong_form",
				"reference must name slices by references, such as WEB-42")
		}
	}
	ids, err := c.SliceIDs(q, references)
	return slices.Sorted(maps.Values(ids)), err
}

// GetSlice returns a slice the caller sees.
func (t *Tracker) GetSlice(ctx context.Context, c access.Caller, v input.Valid[api.GetSlice]) (api.Slice, error) {
	in, err := v.Value(c.Allow(api.OpGetSlice))
	if err != nil {
		return api.Slice{}, err
	}
	s, err := c.Slice(t.access.Read(ctx), in.SliceID)
	return t.show(s), err
}

// insertSlice validates, numbers, stores and publishes a new slice, of which id, times, reporter and fields are set.
// The slice got its status when it was updated, which is later than its creation for an imported slice that is
// resolved.
func (t *Tracker) insertSlice(tx *access.Tx, c access.Caller, s *store.Slice, terms []string) error {
	s.OccurrenceCount, s.LastSeenAt = 1, s.CreatedAt
	applyDefaults(&s.SliceFields)
	status := s.Status
	s.Status = api.Open
	if err := setStatus(s, status, s.UpdatedAt); err != nil {
		return err
	}
	counters, err := t.assignNumber(tx, c, s)
	if err != nil {
		return err
	}
	created := event{Type: api.EventSliceCreated, ID: s.ID, Subject: t.show(*s)}
	if err := checkReferences(tx, s, api.SliceFields{}); err != nil {
		return err
	}
	if err := tx.InsertSlice(s, terms); err != nil {
		return conflictProblem(err, s)
	}
	if err := tx.InsertOccurrence(firstOccurrence(s)); err != nil {
		return err
	}
	return t.publishWithCounters(tx, c, counters, created)
}

// assignNumber gives a new slice its number, reserves the sequence of its first event, and charges the bytes of both
// and of the first occurrence. It refuses more slices than a workspace may file in a day.
func (t *Tracker) assignNumber(tx *access.Tx, c access.Caller, s *store.Slice) (store.Counters, error) {
	bytes, err := store.SliceBytes(s)
	if err != nil {
		return store.Counters{}, err
	}
	first := firstOccurrence(s)
	occurrenceBytes, err := store.OccurrenceBytes(&first)
	if err != nil {
		return store.Counters{}, err
	}
	tx.Charge(s.WorkspaceID, bytes+occurrenceBytes)
	// NextSequenceForReport charges the digits of the number.
	unnumbered := event{Type: api.EventSliceCreated, ID: s.ID, Subject: t.show(*s)}
	counters, err := t.reserveFiledSequence(tx, c, s.WorkspaceID, 1, unnumbered)
	if err == nil {
		s.Number, s.WorkspaceKey = counters.Number, counters.WorkspaceKey
	}
	return counters, err
}

// applyDefaults sets the defaults of omitted members.
func applyDefaults(f *api.SliceFields) {
	if f.Labels == nil {
		f.Labels = []string{}
	}
	if f.Metadata == nil {
		f.Metadata = map[string]string{}
	}
	if f.Status == "" {
		f.Status = api.Open
	}
}

// UpdateSlice changes a slice by a merge patch. A patch that changes nothing keeps the version and records no event.
func (t *Tracker) UpdateSlice(ctx context.Context, c access.Caller, v input.Valid[api.UpdateSlice]) (api.Slice, error) {
	update, err := t.prepareUpdate(c, v, sliceItem{key: api.Idempotency{}}, func(sliceID string) (redactor, error) {
		return t.redactorForSlice(ctx, c, sliceID)
	})
	if err != nil {
		return api.Slice{}, err
	}
	in, err := v.Value(c.Allow(api.OpUpdateSlice))
	if err != nil {
		return api.Slice{}, err
	}
	return access.Write(ctx, t.access, c, api.OpUpdateSlice, func(tx *access.Tx, c access.Caller) (api.Slice, error) {
		if externalIDs, ok := t.identifiersOf(in.Patch); ok {
			if err := lockIdentifiers(tx, c, in.SliceID, externalIDs); err != nil {
				return api.Slice{}, err
			}
		}
		out, err := update(tx, c)
		return out.Slice, err
	})
}

// prepareUpdate redacts the patch of UpdateSlice and returns the rest of it, which is carried out in a transaction
// that has locked the identifiers, as the item says. It stores the response under the key of the item, if it has one.
func (t *Tracker) prepareUpdate(c access.Caller, v input.Valid[api.UpdateSlice], item sliceItem,
	redactorFor func(sliceID string) (redactor, error),
) (access.InTransaction[changedSlice], error) {
	in, err := v.Value(c.Allow(api.OpUpdateSlice))
	if err != nil {
		return nil, err
	}
	r, err := redactorFor(in.SliceID)
	if err != nil {
		return nil, err
	}
	counts := redact.Counts{}
	patch, err := redactPatch[api.SliceFields](r, in.Patch, counts)
	if err != nil {
		return nil, err
	}
	members := item.labels.membersOfPatch(patch)
	return func(tx *access.Tx, c access.Caller) (changedSlice, error) {
		s, err := c.LockSlice(tx, in.SliceID)
		if err != nil {
			return changedSlice{}, err
		}
		return idempotent(t, tx, c, item.key, func() (changedSlice, error) {
			if err := checkIfMatch("slice", in.IfMatch, s.Version); err != nil {
				return changedSlice{}, err
			}
			if err := checkBase(tx, s, item.baseVersion, members); err != nil {
				return changedSlice{}, err
			}
			if stored, ok := patch["externalId"].(string); ok {
				forms, _ := t.identifiersOf(in.Patch)
				if err := checkExternalID(tx, &s, stored, forms); err != nil {
					return changedSlice{}, err
				}
			}
			patch, err := item.labels.apply(patch, s.Labels)
			if err != nil {
				return changedSlice{}, err
			}
			before := s.Version
			s.Removed = r.removedSums(s.ID, s.Removed)
			err = t.updateSlice(tx, c, &s, patch, r.summary(s.Redaction, counts))
			return changedSlice{t.show(s), s.Version != before}, err
		})
	}, nil
}

// updateSlice applies a merge patch to a locked slice, stores it and publishes the change.
func (t *Tracker) updateSlice(tx *access.Tx, c access.Caller, s *store.Slice, patch api.SlicePatch,
	redaction *api.Redaction,
) error {
	before, now := s.SliceFields, maxTime(t.clock(), s.UpdatedAt)
	previous, err := patchSlice(s, patch, now)
	if err != nil || len(previous) == 0 {
		return err
	}
	if hasKey(previous, "status") {
		if err := checkFingerprintFree(tx, s); err != nil {
			return err
		}
	}
	s.UpdatedAt, s.Redaction = now, redaction
	if err := tx.UpdateSlice(s); err != nil {
		return conflictProblem(err, s)
	}
	events := updateEvents(s.ID, t.show(*s), previous)
	counters, err := t.reserveSequence(tx, s.WorkspaceID, events...)
	if err != nil {
		return err
	}
	if err := checkReferences(tx, s, before); err != nil {
		return err
	}
	return t.publishWithCounters(tx, c, counters, events...)
}

const maxMetadata = 50 // pairs

// patchSlice applies a merge patch with the consequences of a changed status, and returns the former values of the
// members that changed.
func patchSlice(s *store.Slice, patch api.SlicePatch, at api.Time) (previous map[string]any, err error) {
	before := s.SliceFields
	if err := mergePatch(&s.SliceFields, patch); err != nil {
		return nil, err
	}
	fillFromUserAgent(&s.Environment)
	applyDefaults(&s.SliceFields)
	if len(s.Metadata) > maxMetadata {
		return nil, api.InvalidMember("/metadata", "too_many", "metadata would have more than 50 pairs")
	}
	status := s.Status
	if patch["resolution"] != nil && !isFinished(status) {
		return nil, refuseResolution(status)
	}
	if patch["fixedInRelease"] != nil && !isFinished(status) {
		return nil, refuseFixedInRelease(status)
	}
	s.Status = before.Status
	if err := setStatus(s, status, at); err != nil {
		return nil, err
	}
	if !hasKey(patch, "duplicateOfId") {
		clearDuplicate(s, before)
	}
	return changedMembers(before, s.SliceFields)
}

// updateEvents returns the event slice.updated, and those of a changed status or assignee.
func updateEvents(sliceID string, subject api.Slice, previous map[string]any) []event {
	events := []event{{api.EventSliceUpdated, sliceID, subject, previous}}
	if hasKey(previous, "status") {
		events = append(events, event{Type: api.EventSliceStatusChanged, ID: sliceID, Subject: subject,
			Previous: previous})
	}
	if hasKey(previous, "assigneeId") {
		events = append(events, event{Type: api.EventSliceAssigned, ID: sliceID, Subject: subject, Previous: previous})
	}
	return events
}
