package tracker

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
)

// Foreign is a bug report from elsewhere, known by its externalId, with what was said about it.
type Foreign struct {
	Past
	Comments []ForeignComment
}

// ForeignComment is a comment from elsewhere.
type ForeignComment struct {
	Author api.Reporter
	Body   string
	At     api.Time
}

// Brought says what became of a bug report from elsewhere.
type Brought struct {
	New      bool          // it was not there
	Comments int           // that were not there
	Redacted redact.Counts // what was removed from both
}

var errTried = errors.New("it was only tried")

// ImportForeign files bug reports from elsewhere that are not there yet, without secrets, and adds
// the comments that those which are there lack: all of them, or none. To try is to do it all and
// to keep nothing.
func (o OrganizationOperator) ImportForeign(ctx context.Context, workspaceID string, all []Foreign, try bool) ([]Brought, error) {
	t, c := o.t, o.c
	r, err := t.redactorFor(ctx, c, t.store.Read(ctx), workspaceID)
	if err != nil {
		return nil, err
	}
	r.Redactor = r.Within(ctx, math.MaxInt64) // the operator may import any number of reports at once
	in := bringing{t, c, r, workspaceID}
	reports := convert(all, in.clean)
	if err := r.problem(); err != nil {
		return nil, err
	}
	var brought []Brought
	err = change(t, ctx, c, "", func(tx *store.Tx, c Caller) error {
		if err := c.requireAdmin(tx.Queries, workspaceID); err != nil {
			return err
		}
		brought = make([]Brought, len(all))
		for i, f := range reports {
			var err error
			if brought[i], err = in.bring(tx, f); err != nil {
				return fmt.Errorf("%s: %w", *f.Fields.ExternalID, err)
			}
		}
		if try {
			return errTried
		}
		return nil
	})
	if errors.Is(err, errTried) {
		err = nil
	}
	return brought, err
}

// bringing is what an import from elsewhere needs for each report.
type bringing struct {
	t           *Tracker
	c           Caller
	r           redactor
	workspaceID string
}

// cleaned is a report without secrets, and how many it and each of its comments had.
type cleaned struct {
	Foreign
	own       redact.Counts
	said      []redact.Counts
	externals []string // the forms of its externalId
}

func (in bringing) clean(f Foreign) cleaned {
	out := cleaned{f, redact.Counts{}, make([]redact.Counts, len(f.Comments)), storedForms(in.t.secrets, *f.Fields.ExternalID)}
	_ = redactFields(in.r, &out.Fields, out.own) // the fault of all is asked for at the end
	out.Comments = slices.Clone(f.Comments)
	for i := range out.Comments {
		said := api.CommentFields{Body: f.Comments[i].Body}
		out.said[i] = redact.Counts{}
		_ = redactFields(in.r, &said, out.said[i])
		out.Comments[i].Body = said.Body
	}
	return out
}

func (in bringing) bring(tx *store.Tx, f cleaned) (Brought, error) {
	b := Brought{Redacted: redact.Counts{}}
	s, err := tx.SliceByExternalID(in.workspaceID, f.externals...)
	if err == nil {
		return b, in.addComments(tx, s, f, &b)
	}
	if !errors.Is(err, store.ErrNotFound) {
		return b, err
	}
	b.New, b.Comments = true, len(f.Comments)
	b.Redacted.Add(f.own)
	s = store.Slice{Slice: api.Slice{ID: id.At(id.Slice, f.FiledAt), WorkspaceID: in.workspaceID, SliceFields: f.Fields, Version: 1, CommentCount: int64(len(f.Comments))}}
	s.CreatedAt = api.At(id.Time(s.ID))
	comments := make([]api.Comment, len(f.Comments))
	for i, said := range f.Comments {
		if comments[i], err = in.comment(s.ID, said); err != nil {
			return b, err
		}
		b.Redacted.Add(f.said[i])
	}
	s.Redaction = in.r.summary(nil, b.Redacted)
	if err := in.t.backfill(tx, in.c, &s, f.Past); err != nil {
		return b, err
	}
	if err := input.Record(in.t.show(s)); err != nil {
		return b, err
	}
	for _, m := range comments {
		if err := tx.InsertComment(m); err != nil {
			return b, err
		}
	}
	if len(comments) == 0 {
		return b, nil
	}
	_, err = tx.BumpVersion(s.ID, 0, len(comments), s.CreatedAt)
	return b, err
}

func (in bringing) comment(sliceID string, said ForeignComment) (api.Comment, error) {
	m := api.Comment{ID: id.At(id.Comment, said.At.Time), SliceID: sliceID, Author: said.Author, CreatedAt: said.At, UpdatedAt: said.At, Mentions: []api.Mention{}}
	m.Body = said.Body
	if err := input.Record(m); err != nil {
		return m, fmt.Errorf("the comment of %s: %w", said.At, err)
	}
	return m, nil
}

// addComments adds the comments that a slice lacks. Who said something and when tells them apart.
func (in bringing) addComments(tx *store.Tx, s store.Slice, f cleaned, b *Brought) error {
	type saying struct{ by, at string }
	there, err := tx.Comments(s.ID, "", math.MaxInt32)
	if err != nil {
		return err
	}
	known := map[saying]int{}
	for _, m := range there {
		known[saying{m.Author.Name, m.CreatedAt.String()}]++
	}
	var fresh []api.Comment
	for i, said := range f.Comments {
		key := saying{said.Author.Name, said.At.String()}
		if known[key]--; known[key] >= 0 {
			continue
		}
		m, err := in.comment(s.ID, said)
		if err != nil {
			return err
		}
		b.Redacted.Add(f.said[i])
		fresh = append(fresh, m)
	}
	if len(b.Redacted) > 0 {
		s.Redaction = in.r.summary(s.Redaction, b.Redacted)
		if err := tx.UpdateSlice(&s); err != nil {
			return err
		}
	}
	for _, m := range fresh {
		if err := tx.InsertComment(m); err != nil {
			return err
		}
		if _, err := in.t.publishComment(tx, in.c, s, 1, event{api.EventCommentCreated, s.ID, m, nil}); err != nil {
			return err
		}
	}
	b.Comments = len(fresh)
	return nil
}
