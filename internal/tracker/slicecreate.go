package tracker

import (
	"context"
	"errors"
	"strings"

	"bugslice/api"
	"bugslice/internal/evidence"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/redact"
	"bugslice/internal/store"
)

// CreateSlice files a bug report with its evidence, or counts an occurrence of the one that is
// open under its fingerprint. What is secret is removed before anything is stored.
func (t *Tracker) CreateSlice(ctx context.Context, c Caller, v input.Valid[api.CreateSlice]) (api.FiledSlice, error) {
	var none api.FiledSlice
	in, err := v.Value(c.Allow(api.OpCreateSlice))
	if err != nil {
		return none, err
	}
	workspaceID, err := c.workspaceOrOwn(in.Body.WorkspaceID)
	if err != nil {
		return none, err
	}
	f, err := t.prepareSubmission(ctx, c, workspaceID, in)
	if err != nil {
		return none, err
	}
	defer f.discard(ctx, t)
	out, err := write(t, ctx, c, api.OpCreateSlice, func(tx *store.Tx, c Caller) (api.FiledSlice, error) {
		f.referenced = false
		if _, err := c.role(tx.Queries, workspaceID); err != nil {
			return none, err
		}
		return idempotent(t, tx, c, in, func() (api.FiledSlice, error) {
			s, err := t.submit(tx, c, f, in.Reopen)
			return api.FiledSlice{Slice: t.show(s)}, err
		})
	})
	f.referenced = f.referenced && !isRefusal(err)
	if err == nil && in.Hints {
		out.Similar = t.hints(ctx, c, store.Slice{Slice: out.Slice, Symptoms: f.symptoms})
	}
	return out, err
}

// hints returns similar slices of one that was filed, none when they cannot be found: the filing stands.
func (t *Tracker) hints(ctx context.Context, c Caller, s store.Slice) []api.Similar {
	found := []api.Similar{}
	g := t.newSliceGuard(ctx, c, api.OpCreateSlice, s.ID)
	slot, err := t.shares.Acquire(ctx, c.Organization.ID)
	if err == nil {
		defer slot.Release()
		found, err = t.similar(t.store.Read(ctx), s)
	}
	if err == nil {
		err = g.allow()
	}
	if err != nil {
		t.log.Warn("similar slices could not be found", "slice", s.ID, "error", err)
		return []api.Similar{}
	}
	return found
}

// submission is a slice about to be filed: cleaned, with its evidence in the blob store.
type submission struct {
	workspaceID      string
	fields           api.SliceFields
	fingerprint      *string
	fingerprintForms []string // the forms of the fingerprint
	externalIDForms  []string // and of the externalId
	rules            redactor
	counts           redact.Counts
	sets             []store.Attachment
	symptoms         string
	terms            []string
	referenced       bool // the sets belong to a record now
}

// prepareSubmission does what needs no transaction: it removes secrets and stores evidence.
func (t *Tracker) prepareSubmission(ctx context.Context, c Caller, workspaceID string, in api.CreateSlice) (*submission, error) {
	q := t.store.Read(ctx)
	if _, err := c.role(q, workspaceID); err != nil {
		return nil, err
	}
	f := &submission{workspaceID: workspaceID, fields: in.Body.SliceFields, counts: redact.Counts{}}
	var err error
	if f.rules, err = t.redactorFor(ctx, c, q, workspaceID); err != nil {
		return nil, err
	}
	if err := checkAddresses(f.fields, api.SliceFields{}); err != nil {
		return nil, err
	}
	if sent := in.Body.ExternalID; sent != nil {
		f.externalIDForms = storedForms(t.secrets, *sent)
	}
	if sent := in.Body.Fingerprint; sent != nil {
		f.fingerprintForms = storedForms(t.secrets, *sent)
		stored := f.rules.keyed(*sent, f.counts)
		f.fingerprint = &stored
	}
	if err := redactFields(f.rules, &f.fields, f.counts); err != nil {
		return nil, err
	}
	var sets []evidence.Set
	if in.Body.Evidence != nil {
		if err := t.checkStorage(q, c, workspaceID); err != nil {
			return nil, err
		}
		if sets, err = f.rules.evidence(in.Body.Evidence, f.counts); err != nil {
			return nil, err
		}
	}
	f.symptoms = truncate(strings.Join(evidence.ErrorTexts(sets), "\n"), 4000)
	f.terms = store.Terms(f.fields, f.symptoms)
	keys := make([]string, len(sets))
	for i := range sets {
		keys[i] = id.New(id.Blob)
	}
	if err := t.reserveBlobs(ctx, keys...); err != nil {
		return nil, err
	}
	for i, s := range sets {
		a, err := t.storeEvidence(ctx, c, store.Attachment{WorkspaceID: workspaceID, Blob: keys[i]}, s)
		if err != nil {
			f.discard(ctx, t)
			return nil, err
		}
		f.sets = append(f.sets, a)
	}
	return f, nil
}

// storeEvidence stores a set under the reserved key of a, and returns its record, yet without a slice.
func (t *Tracker) storeEvidence(ctx context.Context, c Caller, a store.Attachment, s evidence.Set) (store.Attachment, error) {
	if a.Kind, a.Name, a.Creator = s.Kind, string(s.Kind)+".ndjson", c.reporter(); s.Kind == api.KindNetwork {
		a.Name = "network.har"
	}
	err := t.storeSet(ctx, c, &a, s)
	return a, storageError(err)
}

// discard removes evidence that no record has come to name.
func (f *submission) discard(ctx context.Context, t *Tracker) {
	if f.referenced {
		return
	}
	for _, a := range f.sets {
		t.deleteBlob(ctx, a.Blob)
	}
}

// submit stores a slice, or counts an occurrence.
func (t *Tracker) submit(tx *store.Tx, c Caller, f *submission, reopen bool) (store.Slice, error) {
	if f.fingerprint != nil {
		known, err := tx.LockSliceByFingerprint(f.workspaceID, f.fingerprintForms...)
		switch {
		case errors.Is(err, store.ErrNotFound):
		case err != nil:
			return known, err
		case reopen || !isFinished(known.Status):
			return t.recordOccurrence(tx, c, f, known)
		}
	}
	s := store.Slice{Symptoms: f.symptoms,
		Slice: api.Slice{ID: id.New(id.Slice), WorkspaceID: f.workspaceID, Reporter: c.reporter(), Version: 1,
			SliceFields: f.fields, Fingerprint: f.fingerprint, Redaction: f.rules.summary(nil, f.counts), AttachmentCount: int64(len(f.sets))}}
	s.CreatedAt = api.At(id.Time(s.ID))
	tx.Charge(s.WorkspaceID, f.bytes())
	err := t.insertSlice(tx, c, &s, s.CreatedAt, f.terms)
	if err == nil {
		err = checkExternalID(tx.Queries, &s, f.externalIDForms)
	}
	if err == nil {
		err = t.insertEvidence(tx, f, s.ID, s.CreatedAt)
	}
	return s, err
}

// bytes is what the filing's evidence counts.
func (f *submission) bytes() (n int64) {
	for _, a := range f.sets {
		n += store.AttachmentBytes(a.Stored)
	}
	return n
}

// insertEvidence writes the records of a filing's evidence, which is charged to its workspace.
func (t *Tracker) insertEvidence(tx *store.Tx, f *submission, sliceID string, at api.Time) error {
	for _, a := range f.sets {
		a.ID, a.SliceID, a.CreatedAt = id.New(id.Attachment), sliceID, at
		if err := tx.InsertAttachment(a); err != nil {
			return err
		}
	}
	f.referenced = len(f.sets) > 0
	return nil
}
