package tracker

import (
	"context"
	"strconv"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/redact"
	"bugslice/internal/store"
	"bugslice/internal/words"
)

// ListSlices lists the slices the caller sees: of one workspace, or of all of them.
func (t *Tracker) ListSlices(ctx context.Context, c Caller, v input.Valid[api.ListSlices]) (api.Page[api.Slice], error) {
	var none api.Page[api.Slice]
	in, err := v.Value(c.Allow(api.OpListSlices))
	if err != nil {
		return none, err
	}
	if in.Q != "" || in.Limit > usualPage {
		slot, err := t.acquireSlot(ctx, c, api.OpListSlices)
		if err != nil {
			return none, err
		}
		defer slot.Release()
	}
	filters := in
	filters.Paging = api.Paging{}
	bind := cursorScope(api.OpListSlices, c, filters)
	f, err := t.filter(c, in, bind)
	if err != nil {
		return none, err
	}
	q := t.store.Read(ctx)
	if f.Workspaces, err = c.listedWorkspaces(q, in.WorkspaceID); err != nil {
		return none, err
	}
	rows, err := q.Slices(f)
	if err != nil {
		return none, err
	}
	shown := convert(rows, func(s store.Slice) api.Slice { return t.show(s) })
	return newPage(t, shown, in.Limit, bind, func(s api.Slice) []string {
		if f.ByUpdate {
			return []string{s.ID, strconv.FormatInt(s.UpdatedAt.UnixMilli(), 10)}
		}
		return []string{s.ID, ""}
	}), nil
}

// listedWorkspaces returns the workspaces a list reads: the one asked for, else all the caller sees.
func (c Caller) listedWorkspaces(q store.Queries, workspaceID string) ([]string, error) {
	if workspaceID == "" {
		return c.workspaceIDs(q)
	}
	_, err := c.role(q, workspaceID)
	return []string{workspaceID}, err
}

func (t *Tracker) filter(c Caller, in api.ListSlices, bind string) (store.SliceFilter, error) {
	at, err := t.decodeCursor(in.Paging, bind, 2)
	if err != nil {
		return store.SliceFilter{}, err
	}
	f := store.SliceFilter{
		Spaces: in.SpaceID, Statuses: in.Status, Priorities: in.Priority, Severities: in.Severity, Labels: storedFormsOf(t.secrets, in.Label),
		Assignees: c.resolveMe(in.AssigneeID), Reporters: c.resolveMe(in.ReporterID), Externals: storedFormsOf(t.secrets, in.ExternalID), Prints: storedFormsOf(t.secrets, in.Fingerprint), Number: in.Number,
		UpdatedMin: in.UpdatedAfter, Words: words.Split(in.Q),
		ByUpdate: in.Sort == "updatedAt", Ascending: in.Order == "asc",
		AfterID: at[0], Limit: in.Limit + 1,
	}
	if in.Q != "" && len(f.Words) == 0 {
		return f, api.InvalidParameter("q", "no_words", "q has no letters or digits to search for")
	}
	if in.CreatedAfter != nil {
		f.FromID = id.Lowest(id.Slice, in.CreatedAfter.Time)
	}
	if in.CreatedBefore != nil {
		f.BeforeID = id.Lowest(id.Slice, in.CreatedBefore.Time)
	}
	if at[1] != "" {
		if f.AfterTime, err = strconv.ParseInt(at[1], 10, 64); err != nil {
			return f, err
		}
	}
	return f, nil
}

// resolveMe puts the caller's own id where a filter says me.
func (c Caller) resolveMe(ids []string) []string {
	return convert(ids, func(v string) string {
		if v == "me" {
			return c.ID
		}
		return v
	})
}

// show gives a stored slice its address in the web application.
func (t *Tracker) show(s store.Slice) api.Slice {
	s.URL = t.baseURL + "/slices/" + s.ID
	return s.Slice
}

// slice returns a live slice the caller sees.
func (t *Tracker) slice(q store.Queries, c Caller, sliceID string) (store.Slice, error) {
	return live(c.visibleSlice(q, q.Slice, sliceID))
}

// lockSlice is slice with a row lock.
func (t *Tracker) lockSlice(tx *store.Tx, c Caller, sliceID string) (store.Slice, error) {
	return live(t.lockAnySlice(tx, c, sliceID))
}

// lockAnySlice returns a slice of a workspace the caller sees, deleted or not, with a row lock.
func (t *Tracker) lockAnySlice(tx *store.Tx, c Caller, sliceID string) (store.Slice, error) {
	return c.visibleSlice(tx.Queries, tx.LockSlice, sliceID)
}

func (c Caller) visibleSlice(q store.Queries, read func(id string) (store.Slice, error), sliceID string) (store.Slice, error) {
	s, err := read(sliceID)
	if err == nil {
		_, err = c.role(q, s.WorkspaceID)
	}
	if err != nil {
		return store.Slice{}, maskNotFound(err, "slice")
	}
	return s, nil
}

// live refuses a deleted slice.
func live(s store.Slice, err error) (store.Slice, error) {
	if err == nil && s.DeletedAt != nil {
		err = api.NotFound("slice")
	}
	return s, err
}

// GetSlice returns a slice the caller sees.
func (t *Tracker) GetSlice(ctx context.Context, c Caller, v input.Valid[api.GetSlice]) (api.Slice, error) {
	in, err := v.Value(c.Allow(api.OpGetSlice))
	if err != nil {
		return api.Slice{}, err
	}
	s, err := t.slice(t.store.Read(ctx), c, in.SliceID)
	return t.show(s), err
}

// workspaceOrOwn returns the workspace a creation names; a service may leave its own out.
func (c Caller) workspaceOrOwn(workspaceID *string) (string, error) {
	switch {
	case workspaceID != nil:
		return *workspaceID, nil
	case c.Type == ServiceCaller:
		return c.WorkspaceID, nil
	}
	return "", api.InvalidMember("/workspaceId", "required", "workspaceId is required: a personal access token reaches several workspaces")
}

// insertSlice completes, checks and stores a slice that has its id, its time and its fields;
// it reached its status at the time reached.
func (t *Tracker) insertSlice(tx *store.Tx, c Caller, s *store.Slice, by api.Reporter, reached api.Time, terms []string) error {
	s.Reporter, s.UpdatedAt = by, reached
	s.OccurrenceCount, s.LastSeenAt = 1, s.CreatedAt
	applyDefaults(&s.SliceFields)
	wanted := s.Status
	s.Status = api.Open
	if err := transition(s, wanted, reached); err != nil {
		return err
	}
	bytes, err := store.SliceBytes(s)
	if err != nil {
		return err
	}
	tx.Charge(s.WorkspaceID, bytes)
	created := event{api.EventSliceCreated, s.ID, t.show(*s), nil} // with the number 0
	n, err := t.reserveFiledSequence(tx, c, s.WorkspaceID, 1, created)
	if err != nil {
		return err
	}
	s.Number = n.Number
	created.Subject = t.show(*s)
	if err := checkReferences(tx.Queries, s, api.SliceFields{}); err != nil {
		return err
	}
	if err := tx.InsertSlice(s, terms); err != nil {
		return conflictProblem(err, s)
	}
	return t.publish(tx, c, s.WorkspaceID, n, created)
}

func (c Caller) reporter() api.Reporter {
	r := api.Reporter{Type: string(c.Type), ID: &c.ID, Name: c.Name}
	if c.Type == OperatorCaller {
		r.Type, r.ID = "service", nil
	}
	return r
}

// applyDefaults gives members that a creation left out their values.
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

// UpdateSlice changes a slice by a merge patch: all of it or nothing. A patch that changes
// nothing raises no version and writes no event.
func (t *Tracker) UpdateSlice(ctx context.Context, c Caller, v input.Valid[api.UpdateSlice]) (api.Slice, error) {
	in, err := v.Value(c.Allow(api.OpUpdateSlice))
	if err != nil {
		return api.Slice{}, err
	}
	r, err := t.redactorForSlice(ctx, c, in.SliceID)
	if err != nil {
		return api.Slice{}, err
	}
	counts := redact.Counts{}
	patch, err := redactPatch(r, in.Patch, counts)
	if err != nil {
		return api.Slice{}, err
	}
	return write(t, ctx, c, api.OpUpdateSlice, func(tx *store.Tx, c Caller) (api.Slice, error) {
		s, err := t.lockSlice(tx, c, in.SliceID)
		if err != nil {
			return api.Slice{}, err
		}
		if err := checkIfMatch(in.IfMatch, s.Version); err != nil {
			return api.Slice{}, err
		}
		err = t.updateSlice(tx, c, &s, patch, r.summary(s.Redaction, counts))
		if sent, ok := in.Patch["externalId"].(string); ok && err == nil {
			err = checkExternalID(tx.Queries, &s, storedForms(t.secrets, sent))
		}
		return t.show(s), err
	})
}

func (t *Tracker) updateSlice(tx *store.Tx, c Caller, s *store.Slice, patch api.Patch[api.SliceFields], redaction *api.Redaction) error {
	before := s.SliceFields
	was, err := members(before)
	if err != nil {
		return err
	}
	if _, err := apply(&s.SliceFields, patch); err != nil {
		return err
	}
	applyDefaults(&s.SliceFields)
	if len(s.Metadata) > maxMetadata {
		return api.InvalidMember("/metadata", "too_many", "metadata would have more than 50 pairs")
	}
	now := maxTime(t.clock(), s.UpdatedAt)
	wanted := s.Status
	if patch["resolution"] != nil && !isFinished(wanted) {
		return refuseResolution(wanted)
	}
	s.Status = before.Status
	if err := transition(s, wanted, now); err != nil {
		return err
	}
	if !hasKey(patch, "duplicateOfId") {
		clearDuplicate(s, before)
	}
	previous, err := changed(was, s.SliceFields)
	if err != nil || len(previous) == 0 {
		return err
	}
	if hasKey(previous, "status") {
		if err := checkFingerprintFree(tx, s); err != nil {
			return err
		}
	}
	s.UpdatedAt, s.Redaction = now, redaction
	if err := t.writeSlice(tx, s, previous); err != nil {
		return err
	}
	events := updateEvents(s.ID, t.show(*s), previous)
	n, err := t.reserveSequence(tx, s.WorkspaceID, events...)
	if err != nil {
		return err
	}
	if err := checkReferences(tx.Queries, s, before); err != nil {
		return err
	}
	return t.publish(tx, c, s.WorkspaceID, n, events...)
}

const maxMetadata = 50

// writeSlice writes what changed. The slice is locked before its workspace is.
func (t *Tracker) writeSlice(tx *store.Tx, s *store.Slice, previous map[string]any) error {
	if err := tx.UpdateSlice(s); err != nil {
		return conflictProblem(err, s)
	}
	if hasKey(previous, "labels") {
		if err := tx.UpdateSliceLabels(s); err != nil {
			return err
		}
	}
	if hasKey(previous, "summary") || hasKey(previous, "description") {
		return tx.UpdateSliceTerms(s, store.Terms(s.SliceFields, s.Symptoms))
	}
	return nil
}

func hasKey(m map[string]any, name string) bool { _, ok := m[name]; return ok }

// updateEvents returns slice.updated, and the narrower events beside it.
func updateEvents(sliceID string, subject api.Slice, previous map[string]any) []event {
	events := []event{{api.EventSliceUpdated, sliceID, subject, previous}}
	if hasKey(previous, "status") {
		events = append(events, event{api.EventSliceStatusChanged, sliceID, subject, previous})
	}
	if hasKey(previous, "assigneeId") {
		events = append(events, event{api.EventSliceAssigned, sliceID, subject, previous})
	}
	return events
}
