package tracker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/schema"
	"bugslice/internal/store"
	"bugslice/internal/store/reporters"
	"bugslice/internal/store/sources"
)

const (
	waitingRetention  = 30 * 24 * time.Hour // of a report without a decision
	spamRetention     = 7 * 24 * time.Hour
	acceptedRetention = 24 * time.Hour // in which an acceptance can be taken back

	maxSubmissionFiles = 30

	visitorNameLength, visitorEmailLength, visitorIDLength, originLength = 200, 254, 200, 300
)

// VisitorReport is the result of ReportByVisitor.
type VisitorReport struct {
	SliceID   string `json:"sliceId"` // the slice; of a report that waits, the one that it becomes
	Reference string `json:"reference"`
	Waiting   bool   `json:"waiting"`
	// The number of the report among those of its slice; 0 of one that waits.
	Occurrence int64        `json:"occurrence"`
	Repairs    []api.Repair `json:"repairs,omitempty"`
}

// Reports returns the caller of a visitor who files a report by a source, or adds files to one. It refuses a paused source,
// and makes what the visitor says of itself text of one line.
func (t *Tracker) Reports(r access.Reporting) (access.Caller, error) {
	for _, m := range []struct {
		text   **string
		length int
	}{{&r.Visitor.Name, visitorNameLength}, {&r.Visitor.Email, visitorEmailLength}, {&r.Visitor.UserID, visitorIDLength},
		{&r.Visitor.Origin, originLength}} {
		if *m.text == nil {
			continue
		}
		line := truncate(schema.WithoutHidden(**m.text), m.length)
		if *m.text = &line; line == "" {
			*m.text = nil
		}
	}
	return t.access.Reports(r)
}

// ReportByVisitor files the report of a visitor, or lets it wait when its source wants approval. The source decides about the
// space and the labels; what else only members decide, such as the assignee, is refused or left out.
func (t *Tracker) ReportByVisitor(ctx context.Context, c access.Caller, v input.Valid[api.CreateSlice]) (out VisitorReport, err error) {
	in, err := v.Value(c.Allow(api.OpCreateSlice))
	if err != nil {
		return out, err
	}
	source, ok := c.ReportingSource()
	if !ok {
		return out, access.ErrNoSource
	}
	if err := checkFiling(c, in); err != nil {
		return out, err
	}
	q := t.access.Read(ctx)
	hasSpace, err := spaceExists(q, source.WorkspaceID, source.SpaceID)
	if err != nil {
		return out, err
	}
	if err := t.checkStorage(q, c, source.WorkspaceID); err != nil {
		return out, err
	}
	f := &in.Body.SliceFields
	if f.Priority, f.Severity, f.Labels, in.Body.AssigneeEmail = nil, nil, source.Labels, nil; hasSpace {
		f.SpaceID = source.SpaceID
	}
	sub, err := t.prepareSubmission(ctx, c, source.WorkspaceID, in)
	if err != nil {
		return out, err
	}
	defer sub.discard(ctx, t)
	named := reportNamed{name: in.IdempotencyKey, email: t.reporterAddress(c)}
	out, err = access.Write(ctx, t.access, c, api.OpCreateSlice, func(tx *access.Tx, c access.Caller) (VisitorReport, error) {
		sub.referenced = false
		source, _ := c.ReportingSource() // as it is now
		return idempotent(t, tx, c, in, func() (VisitorReport, error) {
			if source.Approval {
				held, err := t.hold(tx, c, sub)
				if err == nil {
					err = t.addReporterPage(tx, c, sub, named, reporters.Page{SliceID: held.SliceID})
				}
				return held, err
			}
			filed, err := t.submit(tx, c, sub, api.CreateSlice{})
			if err == nil {
				err = t.addReporterPage(tx, c, sub, named,
					reporters.Page{SliceID: filed.ID, Occurrence: filed.OccurrenceCount})
			}
			if err == nil {
				err = tx.Sources().Count(source.ID, t.clock(), sources.Filed, 1)
			}
			return VisitorReport{SliceID: filed.ID, Reference: filed.Reference, Repairs: filed.Repairs,
				Occurrence: filed.OccurrenceCount}, err
		})
	})
	sub.referenced = sub.referenced && !access.IsRefusal(err)
	return out, err
}

// hold stores a report that waits for a decision.
func (t *Tracker) hold(tx *access.Tx, c access.Caller, sub *submission) (out VisitorReport, err error) {
	source, _ := c.ReportingSource()
	now := t.clock()
	h := heldReport{SliceID: t.newID(id.Slice), Visitor: *c.Visitor(), Fields: sub.fields, Fingerprint: sub.fingerprint,
		FingerprintForms: sub.fingerprintForms, Redaction: sub.redactor.summary(nil, sub.counts), Symptoms: sub.symptoms,
		Repairs: sub.repairs}
	h.Removed = sub.redactor.removedSums(h.SliceID, nil)
	document, err := json.Marshal(h)
	if err != nil {
		return out, err
	}
	u := sources.Submission{ID: t.newID(id.Submission), SourceID: source.ID, WorkspaceID: source.WorkspaceID, SliceID: h.SliceID,
		State: api.SubmissionWaiting, Document: string(document), CreatedAt: now, ExpiresAt: api.At(now.Add(waitingRetention))}
	if err := tx.Sources().InsertSubmission(u); err != nil {
		return out, err
	}
	for _, a := range sub.sets {
		if err := insertHeldFile(tx, u, a); err != nil {
			return out, err
		}
	}
	sub.referenced = len(sub.sets) > 0
	return VisitorReport{SliceID: u.SliceID, Waiting: true, Repairs: sub.repairs},
		tx.Sources().Count(source.ID, now, sources.Waiting, 1)
}

// insertHeldFile stores a file of a submission and reserves its bytes until the submission expires.
func insertHeldFile(tx *access.Tx, u sources.Submission, a store.Attachment) error {
	document, err := json.Marshal(a)
	if err != nil {
		return err
	}
	f := sources.File{SubmissionID: u.ID, Blob: a.Blob, Thumbnail: a.ThumbnailBlob, Document: string(document)}
	if err := tx.Sources().InsertFile(f); err != nil {
		return err
	}
	return keepFiles(tx, u, []sources.File{f})
}

// keepFiles reserves the bytes of the files of a submission until it has expired and its job has run.
func keepFiles(tx *access.Tx, u sources.Submission, files []sources.File) error {
	if len(files) == 0 {
		return nil
	}
	return tx.ExtendBlobReservations(sources.Keys(files), api.At(u.ExpiresAt.Add(24*time.Hour)))
}

// AttachByVisitor adds a file to the report that the visitor has filed, also while it waits. An accepted report gets it as any
// slice does; one that was marked as spam gets none.
func (t *Tracker) AttachByVisitor(ctx context.Context, c access.Caller, v input.Valid[api.CreateAttachment], up Upload) error {
	in, err := v.Value(c.Allow(api.OpCreateAttachment))
	if err != nil {
		return err
	}
	source, ok := c.ReportingSource()
	if !ok {
		return access.ErrNoSource
	}
	q := t.access.Read(ctx)
	u, err := q.Sources().SubmissionOfSlice(source.ID, in.SliceID)
	if errors.Is(err, store.ErrNotFound) || err == nil && u.State == api.SubmissionAccepted {
		return errorOf(t.CreateAttachment(ctx, c, v, up))
	}
	if err != nil {
		return err
	}
	if up.Memory == nil {
		up.Memory = t.Reserve(c, func() {})
	}
	if err := t.checkStorage(q, c, source.WorkspaceID); err != nil {
		return err
	}
	r, err := t.redactorFor(ctx, c, q, source.WorkspaceID)
	if err != nil {
		return err
	}
	f, err := t.storeUpload(ctx, c, &in, up, r)
	if err != nil {
		return err
	}
	f.WorkspaceID = source.WorkspaceID
	accepted, err := access.Write(ctx, t.access, c, api.OpCreateAttachment, func(tx *access.Tx, _ access.Caller) (bool, error) {
		u, err := tx.Sources().LockSubmission(u.ID)
		switch {
		case err != nil:
			return false, access.OrNotFound(err, "slice")
		case u.State == api.SubmissionAccepted:
			return true, nil
		case u.State != api.SubmissionWaiting:
			return false, api.NotFound("slice")
		}
		files, err := tx.Queries.Sources().Files(u.ID)
		if err == nil && len(files) >= maxSubmissionFiles {
			err = api.NewProblem(api.CodeTooLarge, fmt.Sprintf("A report that waits may have %d files.", maxSubmissionFiles))
		}
		if err != nil {
			return false, err
		}
		return false, insertHeldFile(tx, u, f.Attachment)
	})
	if accepted && err == nil {
		return errorOf(t.attachUpload(ctx, c, f))
	}
	if access.IsRefusal(err) {
		t.deleteFiles(ctx, f.Attachment)
	}
	return err
}
