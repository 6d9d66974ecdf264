package portable

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/redact"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// ExternalReport is a bug report of another program, known by its externalId, with its comments.
type ExternalReport struct {
	HistoricalSlice
	Comments []ExternalComment
}

// ExternalComment is a comment of another program.
type ExternalComment struct {
	Author   api.Reporter
	Body     string
	At       api.Time
	Position int    // among those of the same time, up to 4095
	Name     string // that identifies it in the other program; may be empty
}

// ImportResult says what became of an external report.
type ImportResult struct {
	New      bool          // the report was not there
	Comments int           // that were not there
	Redacted redact.Counts // secrets that were removed from both
}

var errDryRun = errors.New("dry run")

// ImportReports files external reports that are not there yet, without secrets, and adds the comments that existing
// ones lack: all of them, or none. A dry run does it all and stores nothing.
func ImportReports(ctx context.Context, o tracker.OrganizationOperator, workspaceID string,
	all []ExternalReport, dryRun bool,
) ([]ImportResult, error) {
	d, err := o.Redactor(ctx, workspaceID)
	if err != nil {
		return nil, err
	}
	reports, externalIDs := make([]redactedReport, len(all)), make([]string, len(all))
	for i, r := range all {
		reports[i], externalIDs[i] = redactReport(d, r), *r.Fields.ExternalID
	}
	if err := d.Err(); err != nil {
		return nil, err
	}
	im := externalImport{workspaceID, d}
	results := make([]ImportResult, len(all))
	err = o.InTransaction(ctx, func(tx *tracker.OperatorTx) error {
		if err := tx.CheckWorkspace(workspaceID); err != nil {
			return err
		}
		if err := tx.LockExternalIDs(workspaceID, externalIDs); err != nil {
			return err
		}
		for i, r := range reports {
			var err error
			if results[i], err = im.importReport(tx, r); err != nil {
				return fmt.Errorf("%s: %w", *r.Fields.ExternalID, err)
			}
		}
		if dryRun {
			return errDryRun
		}
		return nil
	})
	if errors.Is(err, errDryRun) {
		err = nil
	}
	return results, err
}

// externalImport is an import of external reports into a workspace.
type externalImport struct {
	workspaceID string
	redactor    *tracker.Redactor
}

// redactedReport is a report without secrets, and the counts of the secrets that were removed.
type redactedReport struct {
	ExternalReport
	sourceID       string // the external id before the redaction
	fieldSecrets   redact.Counts
	commentSecrets []redact.Counts // of each comment
}

func redactReport(d *tracker.Redactor, r ExternalReport) redactedReport {
	out := redactedReport{r, *r.Fields.ExternalID, redact.Counts{}, make([]redact.Counts, len(r.Comments))}
	tracker.RedactFields(d, &out.Fields, out.fieldSecrets)
	out.Comments = slices.Clone(r.Comments)
	for i := range out.Comments {
		fields := api.CommentFields{Body: r.Comments[i].Body}
		out.commentSecrets[i] = redact.Counts{}
		tracker.RedactFields(d, &fields, out.commentSecrets[i])
		out.Comments[i].Body = fields.Body
	}
	return out
}

// importReport files a report that is not there yet. Otherwise it adds the comments that the existing slice lacks.
func (im externalImport) importReport(tx *tracker.OperatorTx, r redactedReport) (ImportResult, error) {
	existing, err := tx.LockSliceWithExternalID(im.workspaceID, r.sourceID)
	switch {
	case err == nil:
		return im.addComments(tx, existing, r)
	case errors.Is(err, store.ErrNotFound):
		return im.fileReport(tx, r)
	}
	return ImportResult{}, err
}

// fileReport files a report with its comments.
func (im externalImport) fileReport(tx *tracker.OperatorTx, r redactedReport) (ImportResult, error) {
	result := ImportResult{New: true, Comments: len(r.Comments), Redacted: redact.Counts{}}
	result.Redacted.Add(r.fieldSecrets)
	for _, secrets := range r.commentSecrets {
		result.Redacted.Add(secrets)
	}
	s := r.slice(im.workspaceID)
	s.CommentCount = int64(len(r.Comments))
	s.Redaction = im.redactor.Summarize(nil, result.Redacted)
	if err := tx.InsertHistoricalSlice(&s, r.ResolvedAt); err != nil {
		return result, err
	}
	for _, c := range r.Comments {
		m, err := c.comment(s.ID)
		if err != nil {
			return result, err
		}
		if err := tx.ImportComment(im.workspaceID, m); err != nil {
			return result, err
		}
	}
	if len(r.Comments) == 0 {
		return result, nil
	}
	_, err := tx.BumpVersion(s.ID, store.SliceCounts{},
		s.CreatedAt) // a slice with comments was changed once after its creation
	return result, err
}

// id returns an id of the time when the comment was made, which recognises it by its name.
func (c ExternalComment) id(sliceID string) string {
	if c.Name == "" {
		return id.Ordered(id.Comment, c.At.Time, c.Position)
	}
	return id.Named(id.Comment, c.At.Time, c.Position, sliceID+"\n"+c.Name)
}

// comment returns the comment as a record of a slice.
func (c ExternalComment) comment(sliceID string) (api.Comment, error) {
	m := api.Comment{ID: c.id(sliceID), SliceID: sliceID, CommentFields: api.CommentFields{Body: c.Body},
		Author: c.Author, CreatedAt: c.At, UpdatedAt: c.At, Mentions: []api.Mention{},
		Reactions: []api.Reaction{}}
	if err := input.Record(m); err != nil {
		return m, fmt.Errorf("the comment of %s: %w", c.At, err)
	}
	return m, nil
}

// addComments adds the comments that a slice lacks.
func (im externalImport) addComments(tx *tracker.OperatorTx, s store.Slice, r redactedReport) (ImportResult, error) {
	result := ImportResult{Redacted: redact.Counts{}}
	existing, err := tx.Comments(s.ID, "", math.MaxInt32)
	if err != nil {
		return result, err
	}
	var added []api.Comment
	for _, i := range missing(r.Comments, existing, s.ID) {
		m, err := r.Comments[i].comment(s.ID)
		if err != nil {
			return result, err
		}
		result.Redacted.Add(r.commentSecrets[i])
		added = append(added, m)
	}
	if len(result.Redacted) > 0 {
		s.Redaction = im.redactor.Summarize(s.Redaction, result.Redacted)
		if err := tx.UpdateSlice(&s); err != nil {
			return result, err
		}
	}
	for _, m := range added {
		if err := tx.AddComment(s, m); err != nil {
			return result, err
		}
	}
	result.Comments = len(added)
	return result, nil
}

// missing returns the indexes of the comments that a slice lacks. A comment is identified by its name, whatever
// became of its author. One without a name, or that was imported before names were, is that with the same time and
// the same author or text; each is one only.
func missing(all []ExternalComment, existing []api.Comment, sliceID string) (indexes []int) {
	names, named := map[[8]byte]bool{}, map[[8]byte]bool{}
	for _, m := range existing {
		names[id.NameOf(m.ID)] = true
	}
	for i, c := range all {
		if name := id.NameOf(c.id(sliceID)); c.Name != "" && names[name] {
			named[name] = true
		} else {
			indexes = append(indexes, i)
		}
	}
	others := map[string][]api.Comment{} // by time
	for _, m := range existing {
		if at := m.CreatedAt.String(); !named[id.NameOf(m.ID)] {
			others[at] = append(others[at], m)
		}
	}
	return slices.DeleteFunc(indexes, func(i int) bool {
		at := all[i].At.String()
		found := slices.IndexFunc(others[at], all[i].looksLike)
		if found >= 0 {
			others[at] = slices.Delete(others[at], found, found+1)
		}
		return found >= 0
	})
}

// looksLike reports whether a comment of the same time has the same author or the same text.
func (c ExternalComment) looksLike(m api.Comment) bool {
	return m.Author.Name == c.Author.Name || m.Body == c.Body
}
