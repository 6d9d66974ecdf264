package tracker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/store"
	"bugslice/internal/store/sources"
)

// ListSubmissions lists reports of visitors that are no slices yet, newest first.
func (t *Tracker) ListSubmissions(ctx context.Context, c access.Caller, v input.Valid[api.ListSubmissions]) (
	api.Page[api.Submission], error,
) {
	in, err := v.Value(c.Allow(api.OpListSubmissions))
	if err != nil {
		return api.Page[api.Submission]{}, err
	}
	l := listing[api.Submission]{operation: api.OpListSubmissions, parameters: in, paging: in.Paging}
	return listPage(t, c, l.byID(func(u api.Submission) string { return u.ID },
		func(before string, limit int) ([]api.Submission, error) {
			q := t.access.Read(ctx)
			workspaces, err := c.ListedWorkspaces(q, in.WorkspaceID)
			if err != nil {
				return nil, err
			}
			rows, err := q.Sources().Submissions(sources.SubmissionFilter{Workspaces: workspaces, State: in.State,
				SourceID: in.SourceID, BeforeID: before, Limit: limit})
			if err != nil {
				return nil, err
			}
			all := make([]api.Submission, len(rows))
			for i, u := range rows {
				if all[i], err = showSubmission(q, u); err != nil {
					return nil, err
				}
			}
			return all, nil
		}))
}

// showSubmission returns a submission as the API shows it.
func showSubmission(q access.Queries, u sources.Submission) (api.Submission, error) {
	h, err := heldReportOf(u)
	if err != nil {
		return api.Submission{}, err
	}
	files, err := q.Sources().Files(u.ID)
	if err != nil {
		return api.Submission{}, err
	}
	out := api.Submission{ID: u.ID, WorkspaceID: u.WorkspaceID, State: u.State, Visitor: h.Visitor, Summary: h.Fields.Summary,
		Description: h.Fields.Description, SourceURL: h.Fields.SourceURL, Environment: h.Fields.Environment,
		Files: []api.SubmissionFile{}, CreatedAt: u.CreatedAt, DecidedAt: u.DecidedAt, ExpiresAt: u.ExpiresAt}
	if u.State == api.SubmissionAccepted {
		out.SliceID = &u.SliceID
	}
	for _, f := range files {
		a, err := attachmentOf(f)
		if err != nil {
			return out, err
		}
		out.Files = append(out.Files, api.SubmissionFile{Kind: a.Kind, Name: a.Name, Size: a.Size})
	}
	return out, nil
}

func heldReportOf(u sources.Submission) (h heldReport, err error) {
	if err = json.Unmarshal([]byte(u.Document), &h); err != nil {
		err = fmt.Errorf("submission %s: %w", u.ID, err)
	}
	return h, err
}

// CountWaiting returns the number of reports of a workspace that wait for a decision, counted to limit.
func (t *Tracker) CountWaiting(ctx context.Context, c access.Caller, workspaceID string, limit int) (int64, error) {
	if err := c.Allow(api.OpListSubmissions); err != nil {
		return 0, err
	}
	q := t.access.Read(ctx)
	if _, err := c.RoleIn(q, workspaceID); err != nil {
		return 0, err
	}
	n, err := q.Sources().CountSubmissions(workspaceID, api.SubmissionWaiting, limit)
	return int64(n), err
}

// DecideSubmissions accepts reports of visitors, marks them as spam, or lets them wait again, each on its own.
func (t *Tracker) DecideSubmissions(ctx context.Context, c access.Caller, v input.Valid[api.DecideSubmissions]) (
	out api.DecidedSubmissions, err error,
) {
	in, err := v.Value(c.Allow(api.OpDecideSubmissions))
	if err != nil {
		return out, err
	}
	out.Results = []api.DecidedSubmission{}
	for _, submissionID := range in.Body.IDs {
		result, err := t.decide(ctx, c, submissionID, in.Body.State)
		if result.Status = http.StatusOK; err != nil {
			p := t.itemProblem(ctx, c, api.OpDecideSubmissions, submissionID, err)
			result = api.DecidedSubmission{Status: int64(p.Status), Problem: p}
		}
		result.ID = submissionID
		out.Results = append(out.Results, result)
	}
	return out, nil
}

// decide gives a submission a state. A slice that it has become before is deleted or restored with it, as its members do.
func (t *Tracker) decide(ctx context.Context, c access.Caller, submissionID string, state api.SubmissionState) (
	out api.DecidedSubmission, err error,
) {
	q := t.access.Read(ctx)
	u, err := q.Sources().Submission(submissionID)
	if err == nil {
		_, err = c.RoleIn(q, u.WorkspaceID)
	}
	if err != nil {
		return out, access.MaskNotFound(err, "submission")
	}
	if err := t.moveSlice(ctx, c, u, state); err != nil {
		return out, err
	}
	r, err := t.redactorFor(ctx, c, q, u.WorkspaceID)
	if err != nil {
		return out, err
	}
	return access.Write(ctx, t.access, c, api.OpDecideSubmissions, func(tx *access.Tx, c access.Caller) (api.DecidedSubmission, error) {
		u, err := c.LockSubmission(tx, submissionID)
		if err != nil {
			return api.DecidedSubmission{}, err
		}
		out := api.DecidedSubmission{State: &state}
		if u.State == state {
			return out, nil
		}
		former, now := u.State, t.clock()
		u.State, u.DecidedAt, u.DecidedBy = state, &now, &c.ID
		if state == api.SubmissionAccepted {
			filed, err := t.fileSubmission(tx, c, u, r)
			if err != nil {
				return out, err
			}
			out.SliceID, out.Reference = &filed.ID, &filed.Reference
		}
		return out, t.recordDecision(tx, c, u, former)
	})
}

// moveSlice deletes the slice of a submission that was accepted and is taken back, and restores it when it is accepted again.
func (t *Tracker) moveSlice(ctx context.Context, c access.Caller, u sources.Submission, state api.SubmissionState) error {
	if (u.State == api.SubmissionAccepted) == (state == api.SubmissionAccepted) {
		return nil
	}
	s, err := t.access.Read(ctx).Slice(u.SliceID)
	switch {
	case errors.Is(err, store.ErrNotFound) && u.State == api.SubmissionAccepted:
		return api.NewProblem(api.CodeConflict, "The report was counted as another report of a bug, and cannot wait again.")
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	if state != api.SubmissionAccepted && s.DeletedAt == nil {
		v, err := input.Check(api.DeleteSlice{SliceID: s.ID})
		if err == nil {
			_, err = t.DeleteSlice(ctx, c, v)
		}
		return err
	}
	if state == api.SubmissionAccepted && s.DeletedAt != nil {
		v, err := input.Check(api.RestoreSlice{SliceID: s.ID})
		if err == nil {
			_, err = t.RestoreSlice(ctx, c, v)
		}
		return err
	}
	return nil
}

// fileSubmission files a locked submission in the name of its visitor, unless its slice exists. It returns the slice, or that of
// which it is another report.
func (t *Tracker) fileSubmission(tx *access.Tx, c access.Caller, u sources.Submission, r redactor) (api.Slice, error) {
	s, err := tx.Slice(u.SliceID)
	if !errors.Is(err, store.ErrNotFound) {
		return t.show(s), err
	}
	h, err := heldReportOf(u)
	if err != nil {
		return api.Slice{}, err
	}
	files, err := tx.Queries.Sources().Files(u.ID)
	if err != nil {
		return api.Slice{}, err
	}
	sub := &submission{workspaceID: u.WorkspaceID, fields: h.Fields, fingerprint: h.Fingerprint, fingerprintForms: h.FingerprintForms,
		redactor: r, symptoms: h.Symptoms, repairs: h.Repairs, held: &h}
	if exists, err := spaceExists(tx.Queries, u.WorkspaceID, h.Fields.SpaceID); err != nil {
		return api.Slice{}, err
	} else if !exists { // it was deleted since
		sub.fields.SpaceID = nil
	}
	sub.terms = store.Terms(sub.fields, sub.symptoms)
	for _, f := range files {
		a, err := attachmentOf(f)
		if err != nil {
			return api.Slice{}, err
		}
		sub.sets = append(sub.sets, a)
	}
	visitor := tx.Reporter(c.Organization.ID, u.WorkspaceID, u.SourceID, h.Visitor)
	visitor.Request = c.Request
	filed, err := t.submit(tx, visitor, sub, api.CreateSlice{})
	if err != nil {
		return api.Slice{}, err
	}
	return filed.Slice, errors.Join(tx.Sources().DeleteFiles(u.ID),
		tx.Reporters().Accepted(u.SliceID, filed.ID, filed.OccurrenceCount))
}

// outcomes are what the reports of a day are counted as, by their states.
var outcomes = map[api.SubmissionState]sources.Outcome{api.SubmissionWaiting: sources.Waiting, api.SubmissionSpam: sources.Spam,
	api.SubmissionAccepted: sources.Filed}

// recordDecision stores the new state of a submission, keeps its files as long as it, and counts it on the day on which it
// arrived.
func (t *Tracker) recordDecision(tx *access.Tx, c access.Caller, u sources.Submission, former api.SubmissionState) error {
	retention := waitingRetention
	switch u.State {
	case api.SubmissionSpam:
		retention = spamRetention
	case api.SubmissionAccepted:
		retention = acceptedRetention
	}
	u.ExpiresAt = api.At(t.now().Add(retention))
	files, err := tx.Queries.Sources().Files(u.ID)
	if err != nil {
		return err
	}
	w := tx.Sources()
	err = errors.Join(w.Decide(u), keepFiles(tx, u, files), w.Count(u.SourceID, u.CreatedAt, outcomes[former], -1),
		w.Count(u.SourceID, u.CreatedAt, outcomes[u.State], 1))
	if err != nil {
		return err
	}
	return t.recordWorkspaceAudit(tx, c, u.WorkspaceID, event{Type: api.EventSubmissionDecided, ID: u.ID,
		Subject:  map[string]any{"id": u.ID, "sourceId": u.SourceID, "state": u.State, "sliceId": u.SliceID},
		Previous: map[string]any{"state": former}})
}

const (
	removedAtOnce    = 1000 // submissions, and slices, of one request
	removedInOneStep = 20   // of a transaction
)

// RemoveSourceReports deletes what the visitors of a source have reported since a time: waiting reports and spam for good,
// slices as DeleteSlice does.
func (t *Tracker) RemoveSourceReports(ctx context.Context, c access.Caller, v input.Valid[api.RemoveSourceReports]) (
	out api.RemovedReports, err error,
) {
	in, err := v.Value(c.Allow(api.OpRemoveSourceReports))
	if err != nil {
		return out, err
	}
	s, err := c.Source(t.access.Read(ctx), in.SourceID)
	if err != nil {
		return out, err
	}
	for _, state := range []api.SubmissionState{api.SubmissionWaiting, api.SubmissionSpam} {
		n, err := t.removeSubmissions(ctx, c, s, state, in.Body.Since)
		if out.Submissions += n; err != nil {
			return out, err
		}
		out.More = out.More || n >= removedAtOnce
	}
	out.Slices, err = t.removeFiled(ctx, c, s, in.Body.Since)
	out.More = out.More || out.Slices >= removedAtOnce
	if err != nil || out.Slices+out.Submissions == 0 {
		return out, err
	}
	err = access.Change(ctx, t.access, c, api.OpRemoveSourceReports, func(tx *access.Tx, c access.Caller) error {
		return t.recordSource(tx, c, s, api.EventSourceReportsRemoved, map[string]any{"since": in.Body.Since,
			"submissions": out.Submissions, "slices": out.Slices})
	})
	return out, err
}

// removeSubmissions deletes the submissions of a source in a state since a time, with their files.
func (t *Tracker) removeSubmissions(ctx context.Context, c access.Caller, s sources.Source, state api.SubmissionState, since api.Time,
) (removed int64, err error) {
	filter := sources.SubmissionFilter{Workspaces: []string{s.WorkspaceID}, State: state, SourceID: s.ID,
		FromID: id.Lowest(id.Submission, since.Time), Limit: removedInOneStep}
	for removed < removedAtOnce {
		n, err := access.Write(ctx, t.access, c, api.OpRemoveSourceReports, func(tx *access.Tx, c access.Caller) (int, error) {
			if err := c.RequireAdmin(tx.Queries, s.WorkspaceID); err != nil {
				return 0, err
			}
			all, err := tx.Queries.Sources().Submissions(filter)
			for _, u := range all {
				if err == nil {
					err = t.removeSubmission(tx, u)
				}
			}
			return len(all), err
		})
		if removed += int64(n); err != nil || n < removedInOneStep {
			return removed, err
		}
	}
	return removed, nil
}

// removeSubmission deletes a submission for good. Its files are deleted soon.
func (t *Tracker) removeSubmission(tx *access.Tx, u sources.Submission) error {
	files, err := tx.Queries.Sources().Files(u.ID)
	if err == nil && len(files) > 0 {
		err = tx.ExtendBlobReservations(sources.Keys(files), t.clock())
	}
	if err != nil {
		return err
	}
	return tx.Sources().DeleteSubmission(u.ID)
}

// removeFiled deletes the slices that the visitors of a source have filed since a time.
func (t *Tracker) removeFiled(ctx context.Context, c access.Caller, s sources.Source, since api.Time) (removed int64, err error) {
	filter := store.SliceFilter{Workspaces: []string{s.WorkspaceID}, Texts: map[string][]string{"source": {s.ID}},
		FromID: id.Lowest(id.Slice, since.Time), Limit: removedInOneStep}
	for removed < removedAtOnce {
		all, err := t.access.Read(ctx).Slices(filter)
		if err != nil {
			return removed, err
		}
		n, err := access.Write(ctx, t.access, c, api.OpRemoveSourceReports, func(tx *access.Tx, c access.Caller) (n int64, err error) {
			for _, of := range all {
				locked, err := c.LockAnySlice(tx, of.ID)
				if err == nil && locked.DeletedAt == nil {
					n, err = n+1, t.deleteSlice(tx, c, locked, "")
				}
				if err != nil {
					return 0, err
				}
			}
			return n, nil
		})
		if removed += n; err != nil || len(all) < removedInOneStep || n == 0 {
			return removed, err
		}
	}
	return removed, nil
}

// deleteSubmissions deletes submissions that have expired, the pages of their reporters, counts of old days, and what
// deleted sources have left.
func (t *Tracker) deleteSubmissions(tx *access.Tx) (int, error) {
	n, err := tx.Sources().DeleteExpired(t.clock(), jobBatch)
	if err != nil || n == jobBatch {
		return n, err
	}
	if n, err = tx.Reporters().DeleteLeft(jobBatch); err != nil || n == jobBatch {
		return n, err
	}
	return tx.Sources().Purge(sources.DayOf(t.now())-sourceDaysKept, jobBatch)
}
