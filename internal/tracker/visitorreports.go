package tracker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

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
	maxSubmissionFiles = 30

	visitorNameLength, visitorEmailLength, visitorIDLength, originLength = 200, 254, 200, 300
)

// VisitorReport is the result of Report.
type VisitorReport struct {
	SliceID   string `json:"sliceId"` // the slice; of a report that waits, the one that it becomes
	Reference string `json:"reference"`
	Waiting   bool   `json:"waiting"`
	// The number of the report among those of its slice; 0 of one that waits.
	Occurrence int64        `json:"occurrence"`
	Repairs    []api.Repair `json:"repairs,omitempty"`
}

// Caller returns the caller of a visitor who files a report by a source, or adds files to one. It refuses a paused source,
// and makes what the visitor says of itself text of one line.
func (vs Visitors) Caller(r access.Reporting) (access.Caller, error) {
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
	return vs.t.access.Reports(r)
}

// Report files the report of a visitor, or lets it wait when its source wants approval. The source decides about the
// space and the labels; what else only members decide, such as the assignee, is refused or left out.
func (vs Visitors) Report(ctx context.Context, c access.Caller, v input.Valid[api.CreateSlice]) (out VisitorReport, err error) {
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
	q := vs.t.access.Read(ctx)
	hasSpace, err := spaceExists(q, source.WorkspaceID, source.SpaceID)
	if err != nil {
		return out, err
	}
	if err := vs.t.checkStorage(q, c, source.WorkspaceID); err != nil {
		return out, err
	}
	f := &in.Body.SliceFields
	if f.Priority, f.Severity, f.Labels, in.Body.AssigneeEmail = nil, nil, source.Labels, nil; hasSpace {
		f.SpaceID = source.SpaceID
	}
	sub, err := vs.t.prepareSubmission(ctx, c, source.WorkspaceID, in)
	if err != nil {
		return out, err
	}
	defer sub.discard(ctx, vs.t)
	named := reportNamed{name: in.IdempotencyKey, email: vs.reporterAddress(c)}
	out, err = access.Write(ctx, vs.t.access, c, api.OpCreateSlice, func(tx *access.Tx, c access.Caller) (VisitorReport, error) {
		sub.referenced = false
		source, _ := c.ReportingSource() // as it is now
		return idempotent(vs.t, tx, c, in, func() (VisitorReport, error) {
			if source.Approval {
				held, err := vs.hold(tx, c, sub)
				if err == nil {
					err = vs.addReporterPage(tx, c, sub, named, reporters.Page{SliceID: held.SliceID})
				}
				return held, err
			}
			filed, err := vs.t.submit(tx, c, sub, api.CreateSlice{})
			if err == nil {
				err = vs.addReporterPage(tx, c, sub, named,
					reporters.Page{SliceID: filed.ID, Occurrence: filed.OccurrenceCount})
			}
			if err == nil {
				err = tx.Sources().Count(source.ID, vs.t.clock(), sources.Filed, 1)
			}
			return VisitorReport{SliceID: filed.ID, Reference: filed.Reference, Repairs: filed.Repairs,
				Occurrence: filed.OccurrenceCount}, err
		})
	})
	sub.referenced = sub.referenced && !access.IsRefusal(err)
	return out, err
}

// hold stores a report that waits for a decision.
func (vs Visitors) hold(tx *access.Tx, c access.Caller, sub *submission) (out VisitorReport, err error) {
	source, _ := c.ReportingSource()
	now := vs.t.clock()
	h := heldReport{SliceID: vs.t.newID(id.Slice), Visitor: *c.Visitor(), Fields: sub.fields, Fingerprint: sub.fingerprint,
		FingerprintForms: sub.fingerprintForms, Redaction: sub.redactor.summary(nil, sub.counts), Symptoms: sub.symptoms,
		Repairs: sub.repairs}
	h.Removed = sub.redactor.removedSums(h.SliceID, nil)
	document, err := json.Marshal(h)
	if err != nil {
		return out, err
	}
	u := sources.Submission{ID: vs.t.newID(id.Submission), SourceID: source.ID, WorkspaceID: source.WorkspaceID, SliceID: h.SliceID,
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

// Attach adds a file to the report that the visitor has filed, also while it waits. An accepted report gets it as any
// slice does; one that was marked as spam gets none.
func (vs Visitors) Attach(ctx context.Context, c access.Caller, v input.Valid[api.CreateAttachment], up Upload) error {
	in, err := v.Value(c.Allow(api.OpCreateAttachment))
	if err != nil {
		return err
	}
	source, ok := c.ReportingSource()
	if !ok {
		return access.ErrNoSource
	}
	q := vs.t.access.Read(ctx)
	u, err := q.Sources().SubmissionOfSlice(source.ID, in.SliceID)
	if errors.Is(err, store.ErrNotFound) || err == nil && u.State == api.SubmissionAccepted {
		return errorOf(vs.t.CreateAttachment(ctx, c, v, up))
	}
	if err != nil {
		return err
	}
	if up.Memory == nil {
		up.Memory = vs.t.Reserve(c, func() {})
	}
	if err := vs.t.checkStorage(q, c, source.WorkspaceID); err != nil {
		return err
	}
	r, err := vs.t.redactorFor(ctx, c, q, source.WorkspaceID)
	if err != nil {
		return err
	}
	f, err := vs.t.storeUpload(ctx, c, &in, up, r)
	if err != nil {
		return err
	}
	f.WorkspaceID = source.WorkspaceID
	accepted, err := access.Write(ctx, vs.t.access, c, api.OpCreateAttachment, func(tx *access.Tx, _ access.Caller) (bool, error) {
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
		return errorOf(vs.t.attachUpload(ctx, c, f))
	}
	if access.IsRefusal(err) {
		vs.t.deleteFiles(ctx, f.Attachment)
	}
	return err
}
