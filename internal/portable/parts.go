package portable

import (
	"context"
	"errors"

	"bugslice/api"
	"bugslice/internal/redact"
	"bugslice/internal/store"
	"bugslice/internal/store/reactions"
	"bugslice/internal/tracker"
)

type spaceRecord struct {
	api.Space
	exported string
}

func readSpace(line []byte) (record, error) {
	row, err := readRow[spaceRow](line)
	if err != nil {
		return nil, err
	}
	r := &spaceRecord{exported: row.ID}
	r.Space = api.Space{ID: row.ID, SpaceFields: api.SpaceFields{Name: row.Name, Description: row.Description},
		Version: row.Version, CreatedAt: api.FromMillis(row.CreatedAt), UpdatedAt: api.FromMillis(row.UpdatedAt)}
	return r, nil
}

func (r *spaceRecord) exportedID() string { return r.exported }

func (r *spaceRecord) prepare(_ context.Context, b *batch) error {
	r.ID, r.WorkspaceID = b.ids.remap(r.ID), b.workspaceID
	return nil
}

func (r *spaceRecord) insert(tx *tracker.OperatorTx, d *destination, report *ImportReport) error {
	known, err := tx.HasSpace(d.workspaceID, r.ID)
	if err != nil {
		return err
	}
	if !known {
		return tx.ImportSpace(r.Space)
	}
	report.AlreadyThere++
	return nil
}

// viaElsewhere returns a key of another instance, of which only the name means something here.
func viaElsewhere(via *api.Via) *api.Via {
	if via == nil {
		return nil
	}
	return &api.Via{Name: via.Name}
}

// visitorElsewhere returns the visitor of a source of another instance, of which only the name means something here.
func visitorElsewhere(v *api.Visitor) *api.Visitor {
	if v == nil {
		return nil
	}
	elsewhere := *v
	elsewhere.SourceID = nil
	return &elsewhere
}

type reactionRecord struct{ reactions.Reaction }

func readReaction(line []byte) (record, error) {
	row, err := readRow[reactionRow](line)
	return &reactionRecord{reactions.Reaction{SliceID: row.SliceID, CommentID: row.CommentID, UserID: row.UserID,
		Kind: api.ReactionKind(row.Kind), At: api.FromMillis(row.CreatedAt)}}, err
}

func (r *reactionRecord) exportedID() string { return r.CommentID }

// prepare replaces the ids of a reaction; that of a user without an account here becomes empty. It refuses a reaction
// to a comment of a slice that the export does not have.
func (r *reactionRecord) prepare(_ context.Context, b *batch) error {
	if err := b.checkSlice("slice_id", r.SliceID); err != nil {
		return err
	}
	r.SliceID, r.CommentID = b.ids.remap(r.SliceID), b.ids.remap(r.CommentID)
	if here := b.ids.person(&r.UserID); here != nil {
		r.UserID = *here
	} else {
		r.UserID = ""
	}
	return nil
}

// insert stores a reaction of a user of this organisation, unless it was imported before.
func (r *reactionRecord) insert(tx *tracker.OperatorTx, _ *destination, _ *ImportReport) error {
	if r.UserID == "" {
		return nil
	}
	return tx.ImportReaction(r.Reaction)
}

type commentRecord struct {
	api.Comment
	exported            string
	truncated, redacted int
}

func readComment(line []byte) (record, error) {
	row, err := readRow[commentRow](line)
	if err != nil {
		return nil, err
	}
	r := &commentRecord{exported: row.ID}
	r.Comment = api.Comment{ID: row.ID, SliceID: row.SliceID,
		CommentFields: api.CommentFields{Body: row.Body, VisibleToReporter: row.VisibleToReporter == 1},
		Author:        api.Reporter{Type: row.AuthorType, ID: row.AuthorID, Name: row.AuthorName},
		CreatedAt:     api.FromMillis(row.CreatedAt), UpdatedAt: api.FromMillis(row.UpdatedAt)}
	return r, decodeColumn("via", row.Via, &r.Via)
}

func (r *commentRecord) exportedID() string { return r.exported }

// prepare truncates and redacts a comment, and replaces its ids. It refuses a comment of a slice that the export does
// not have.
func (r *commentRecord) prepare(_ context.Context, b *batch) error {
	if err := b.checkSlice("slice_id", r.SliceID); err != nil {
		return err
	}
	if short := truncate(r.Body, maxBody); len(short) < len(r.Body) {
		r.Body = short
		r.truncated++
	}
	if b.redactor != nil {
		c := redact.Counts{}
		tracker.RedactFields(b.redactor, &r.CommentFields, c)
		r.redacted = c.Total()
	}
	r.ID, r.SliceID, r.Author.ID = b.ids.remap(r.ID), b.ids.remap(r.SliceID), b.ids.person(r.Author.ID)
	r.Body, r.Via = b.ids.remapMentions(r.Body), viaElsewhere(r.Via)
	return b.checkRedaction()
}

// insert stores a comment, unless it was imported before.
func (r *commentRecord) insert(tx *tracker.OperatorTx, d *destination, report *ImportReport) error {
	if _, err := tx.Comment(r.ID); err == nil {
		report.AlreadyThere++
		return nil
	} else if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err := tx.ImportComment(d.workspaceID, r.Comment); err != nil {
		return err
	}
	report.Comments++
	report.Truncated += r.truncated
	report.Redacted += r.redacted
	return nil
}
