package tracker

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/evidence"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/redact"
	"bugslice/internal/store"
)

// CreateSlice creates a slice with its evidence, or adds an occurrence to the open slice with the same fingerprint.
// Secrets are removed before anything is stored.
func (t *Tracker) CreateSlice(ctx context.Context, c access.Caller, v input.Valid[api.CreateSlice],
) (api.FiledSlice, error) {
	var none api.FiledSlice
	in, err := v.Value(c.Allow(api.OpCreateSlice))
	if err != nil {
		return none, err
	}
	workspaceID, err := c.WorkspaceOrOwn(t.access.Read(ctx), in.Body.WorkspaceID)
	if err != nil {
		return none, err
	}
	if err := checkFiling(c, in); err != nil {
		return none, err
	}
	sub, err := t.prepareSubmission(ctx, c, workspaceID, in)
	if err != nil {
		return none, err
	}
	defer sub.discard(ctx, t)
	out, err := access.Write(ctx, t.access, c, api.OpCreateSlice,
		func(tx *access.Tx, c access.Caller) (api.FiledSlice, error) {
			sub.referenced = false
			if _, err := c.RoleIn(tx.Queries, workspaceID); err != nil {
				return none, err
			}
			return idempotent(t, tx, c, in, func() (api.FiledSlice, error) {
				return t.submit(tx, c, sub, in)
			})
		})
	sub.referenced = sub.referenced && !access.IsRefusal(err)
	if err == nil && c.FilesOnly() {
		return t.filedAsNew(out, c, sub), nil
	}
	if err == nil && in.Hints {
		out.Similar = t.hints(ctx, c, store.Slice{Slice: out.Slice, Symptoms: sub.symptoms})
	}
	return out, err
}

// checkFiling refuses members by whose refusal a key that files only would learn who is a member, and which reports
// there are.
func checkFiling(c access.Caller, in api.CreateSlice) error {
	if !c.FilesOnly() {
		return nil
	}
	const detail = "a key that files reports only cannot set this member"
	switch f := in.Body.SliceFields; {
	case f.AssigneeID != nil:
		return api.InvalidMember("/assigneeId", "files_only", detail)
	case f.ExternalID != nil:
		return api.InvalidMember("/externalId", "files_only", detail)
	case f.SpaceID != nil:
		return api.InvalidMember("/spaceId", "files_only", detail)
	case f.DuplicateOfID != nil:
		return api.InvalidMember("/duplicateOfId", "files_only", detail)
	case f.Status != "" && f.Status != api.Open, f.Resolution != nil, f.FixedInRelease != nil:
		return api.InvalidMember("/status", "files_only", "a key that files reports only files open ones")
	case in.Reopen || in.KeepClosed:
		return api.InvalidParameter("reopen", "files_only",
			"a key that files reports only neither reopens a slice nor looks whether it is closed")
	}
	return nil
}

// filedAsNew returns the response to a report with a key that files only: that to a new slice with the fields of the
// report, also when it is an occurrence of another slice. Only the id, the number and what follows from them are those
// of the slice.
func (t *Tracker) filedAsNew(out api.FiledSlice, c access.Caller, sub *submission) api.FiledSlice {
	now := t.clock()
	applyDefaults(&sub.fields)
	s := store.Slice{Slice: api.Slice{ID: out.ID, Number: out.Number, Reference: out.Reference, URL: out.URL,
		WorkspaceID: sub.workspaceID, Reporter: reporter(c), Via: c.Via(), Visitor: c.Visitor(), SliceFields: sub.fields,
		Fingerprint:     sub.fingerprint,
		OccurrenceCount: 1, LastSeenAt: now, Version: 1, CreatedAt: now, UpdatedAt: now,
		Redaction: sub.redactor.summary(nil, sub.counts)}}
	s.AddCounts(sub.evidenceCounts())
	return api.FiledSlice{Slice: s.Slice, Repairs: sub.repairs}
}

// hints returns slices that are similar to a new one. It returns none after an error, because the new slice is stored.
func (t *Tracker) hints(ctx context.Context, c access.Caller, s store.Slice) []api.Similar {
	found := []api.Similar{}
	g := t.access.NewSliceGuard(ctx, c, api.OpCreateSlice, s.ID)
	slot, err := t.slots.Acquire(ctx, c.Organization.ID)
	if err == nil {
		defer slot.Release()
		found, err = t.similar(t.access.Read(ctx), s)
	}
	if err == nil {
		err = g.Allow()
	}
	if err != nil {
		t.log.Warn("similar slices could not be found", "slice", s.ID, "error", err)
		return []api.Similar{}
	}
	return found
}

// submission is a redacted report, with its evidence in the blob store, before its transaction.
type submission struct {
	workspaceID      string
	fields           api.SliceFields
	fingerprint      *string
	fingerprintForms []string // in which the fingerprint may be stored
	externalIDForms  []string // in which the external id may be stored
	redactor         redactor
	counts           redact.Counts
	sets             []store.Attachment // of evidence
	symptoms         string             // the errors in the evidence
	terms            []string           // of the search index
	referenced       bool               // a record refers to the sets
	repairs          []api.Repair       // of what machines observed
	held             *heldReport        // which has waited for a decision; nil for a report that is filed at once
}

// prepareSubmission redacts a report and stores its evidence.
func (t *Tracker) prepareSubmission(ctx context.Context, c access.Caller, workspaceID string, in api.CreateSlice,
) (*submission, error) {
	q := t.access.Read(ctx)
	if _, err := c.RoleIn(q, workspaceID); err != nil {
		return nil, err
	}
	sub := &submission{workspaceID: workspaceID, fields: in.Body.SliceFields, counts: redact.Counts{}}
	fillFromUserAgent(&sub.fields.Environment)
	var err error
	if sub.redactor, err = t.redactorFor(ctx, c, q, workspaceID); err != nil {
		return nil, err
	}
	if err := checkNewURLs(sub.fields); err != nil {
		return nil, err
	}
	if in.Body.ExternalID != nil {
		sub.externalIDForms = storedForms(t.secrets, *in.Body.ExternalID)
	}
	if in.Body.Fingerprint != nil {
		sub.fingerprintForms = storedForms(t.secrets, *in.Body.Fingerprint)
		stored := sub.redactor.storedForm(*in.Body.Fingerprint, sub.counts)
		sub.fingerprint = &stored
	}
	if err := redactFields(sub.redactor, &sub.fields, sub.counts); err != nil {
		return nil, err
	}
	var sets []evidence.Set
	if in.Body.Evidence != nil {
		if err := t.checkStorage(q, c, workspaceID); err != nil {
			return nil, err
		}
		if sets, err = sub.redactor.evidence(in.Body.Evidence, sub.counts); err != nil {
			return nil, err
		}
		// the fields may repeat a secret that only the evidence has shown to be one
		redactRepeated(sub.redactor, &sub.fields, sub.counts)
	}
	sub.repairs = evidence.Repairs(in.Body.Repairs, sets)
	sub.symptoms = symptomsOf(sets)
	sub.terms = store.Terms(sub.fields, sub.symptoms)
	if err := t.storeSets(ctx, c, sub, sets); err != nil {
		return nil, err
	}
	return sub, nil
}

// storeSets stores the sets of evidence of a submission under reserved keys. After an error none is left.
func (t *Tracker) storeSets(ctx context.Context, c access.Caller, sub *submission, sets []evidence.Set) error {
	keys := convert(sets, func(evidence.Set) string { return id.New(id.Blob) })
	if err := t.reserveBlobs(ctx, keys...); err != nil {
		return err
	}
	for i, s := range sets {
		a, err := t.storeEvidence(ctx, c, store.Attachment{WorkspaceID: sub.workspaceID, Blob: keys[i]}, s)
		if err != nil {
			sub.discard(ctx, t)
			return err
		}
		sub.sets = append(sub.sets, a)
	}
	return nil
}

// storeEvidence stores a set under the reserved key of a, and returns its record without the slice.
func (t *Tracker) storeEvidence(ctx context.Context, c access.Caller, a store.Attachment, s evidence.Set,
) (store.Attachment, error) {
	if a.Kind, a.Name, a.Creator = s.Kind, string(s.Kind)+".ndjson", reporter(c); s.Kind == api.KindNetwork {
		a.Name = "network.har"
	}
	err := t.storeSet(ctx, c, &a, s)
	return a, err
}

// discard deletes the evidence unless a record refers to it.
func (sub *submission) discard(ctx context.Context, t *Tracker) {
	if sub.referenced {
		return
	}
	for _, a := range sub.sets {
		t.deleteBlob(ctx, a.Blob)
	}
}

// submit creates a slice, or adds an occurrence to the slice with the same fingerprint: to an open one, and with reopen
// also to a resolved or closed one. With keepClosed it writes nothing when somebody has closed that slice, or resolved
// it other than as fixed.
func (t *Tracker) submit(tx *access.Tx, c access.Caller, sub *submission, in api.CreateSlice) (api.FiledSlice, error) {
	filed := func(s store.Slice, err error) (api.FiledSlice, error) {
		return api.FiledSlice{Slice: t.show(s), Repairs: sub.repairs}, err
	}
	if err := tx.LockNewIdentifiers(sub.workspaceID,
		slices.Concat(sub.fingerprintForms, sub.externalIDForms)...); err != nil {
		return api.FiledSlice{}, err
	}
	if sub.fingerprint == nil {
		return filed(t.createSlice(tx, c, sub, in.Body.AssigneeEmail))
	}
	existing, err := tx.LockSliceByFingerprint(sub.workspaceID, sub.fingerprintForms...)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return filed(t.createSlice(tx, c, sub, in.Body.AssigneeEmail))
	case err != nil:
		return api.FiledSlice{}, err
	case in.KeepClosed && isFinished(existing.Status) && !isFixed(existing):
		return api.FiledSlice{Slice: t.show(existing), Kept: true}, nil
	case isFinished(existing.Status) && !in.Reopen:
		return filed(t.createSlice(tx, c, sub, in.Body.AssigneeEmail))
	}
	out, err := filed(t.recordOccurrence(tx, c, sub, existing))
	if len(sub.sets) > 0 && out.OccurrenceCount > maxOccurrencesWithEvidence {
		out.Repairs = append(slices.Clip(out.Repairs), evidenceNotStored)
	}
	return out, err
}

// evidenceNotStored says that the evidence of a later occurrence is not stored.
var evidenceNotStored = api.Repair{Pointer: "/evidence", Code: api.RepairMember, Count: 1,
	Detail: fmt.Sprintf("the evidence of the first %d reports of a bug is stored; that of a later one can be attached as files",
		maxOccurrencesWithEvidence)}

// isFixed reports whether a slice is resolved as fixed, and not closed yet.
func isFixed(s store.Slice) bool {
	return s.Status == api.Resolved && s.Resolution != nil && *s.Resolution == api.Fixed
}

// createSlice stores and publishes a new slice with its evidence. When it is assigned to nobody, it is assigned to the
// member with an e-mail address, if there is one.
func (t *Tracker) createSlice(tx *access.Tx, c access.Caller, sub *submission, assigneeEmail *string,
) (store.Slice, error) {
	h := sub.held
	if h == nil {
		h = &heldReport{SliceID: t.newID(id.Slice)}
	}
	s := store.Slice{Symptoms: sub.symptoms, Slice: api.Slice{
		ID: h.SliceID, WorkspaceID: sub.workspaceID, Reporter: reporter(c), Via: c.Via(), Visitor: c.Visitor(), Version: 1,
		SliceFields: sub.fields,
		Fingerprint: sub.fingerprint, Redaction: sub.redactor.summary(h.Redaction, sub.counts),
	}}
	if assigneeEmail != nil && s.AssigneeID == nil {
		if err := assignByEmail(tx, &s, *assigneeEmail); err != nil {
			return s, err
		}
	}
	s.Removed = sub.redactor.removedSums(s.ID, h.Removed)
	s.AddCounts(sub.evidenceCounts())
	s.CreatedAt = api.At(id.Time(s.ID))
	s.UpdatedAt = s.CreatedAt
	if s.ExternalID != nil {
		if err := checkExternalID(tx, &s, *s.ExternalID, sub.externalIDForms); err != nil {
			return s, err
		}
	}
	tx.Charge(s.WorkspaceID, sub.bytes())
	err := t.insertSlice(tx, c, &s, sub.terms)
	if err == nil {
		err = t.insertEvidence(tx, sub, s, s.CreatedAt)
	}
	return s, err
}

// assignByEmail assigns a slice to the member of its workspace with an e-mail address. Without one it assigns nobody.
func assignByEmail(tx *access.Tx, s *store.Slice, address string) error {
	address, err := ParseEmail(address)
	if err != nil {
		return nil //nolint:nilerr // no member has it
	}
	members, err := tx.MembersByEmail(s.WorkspaceID, address, "")
	if len(members) > 0 {
		s.AssigneeID = &members[0].UserID
	}
	return err
}

// bytes returns the bytes of the evidence that are charged to the workspace.
func (sub *submission) bytes() (n int64) {
	for _, a := range sub.sets {
		n += store.AttachmentBytes(a.Stored)
	}
	return n
}

// evidenceCounts returns what the evidence adds to the counts of a slice.
func (sub *submission) evidenceCounts() (c store.SliceCounts) {
	for _, a := range sub.sets {
		c = c.Plus(1, a.Counts())
	}
	return c
}

// insertEvidence stores the records of the evidence, which belongs to the newest occurrence of the slice. Its bytes
// must be charged already.
func (t *Tracker) insertEvidence(tx *access.Tx, sub *submission, s store.Slice, at api.Time) error {
	for _, a := range sub.sets {
		a.ID, a.SliceID, a.Occurrence, a.CreatedAt = t.newID(id.Attachment), s.ID, s.OccurrenceCount, at
		if a.Occurrence == 1 {
			a.Symptoms = "" // those of the slice
		}
		if err := tx.InsertAttachment(a); err != nil {
			return err
		}
	}
	sub.referenced = len(sub.sets) > 0
	return nil
}
