package tracker

import (
	"context"
	"fmt"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/redact"
	"bugslice/internal/store"
)

// Foreign is a bug report from elsewhere, with what was said about it.
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

// ImportForeign files bug reports from elsewhere that are not there yet, by their externalId,
// without secrets. It returns how many were new.
func (t *Tracker) ImportForeign(ctx context.Context, c Caller, workspaceID string, all []Foreign) (int, error) {
	r, err := t.redactor(ctx, t.store.Read(ctx), workspaceID)
	if err != nil {
		return 0, err
	}
	return store.Write(ctx, t.store, func(tx *store.Tx) (int, error) {
		if err := c.administer(tx, workspaceID); err != nil {
			return 0, err
		}
		n := 0
		for _, f := range all {
			taken, _, err := tx.Claimed(workspaceID, f.Fields.ExternalID, nil)
			if err != nil {
				return n, err
			}
			if taken {
				continue
			}
			if err := t.foreign(tx, c, r, workspaceID, f); err != nil {
				return n, fmt.Errorf("%s: %w", *f.Fields.ExternalID, err)
			}
			n++
		}
		return n, nil
	})
}

func (t *Tracker) foreign(tx *store.Tx, c Caller, r compiled, workspaceID string, f Foreign) error {
	counts := redact.Counts{}
	clean(r, &f.Fields, counts)
	s := store.Slice{Slice: api.Slice{ID: id.At(id.Slice, f.FiledAt), WorkspaceID: workspaceID, SliceFields: f.Fields, Version: 1, CommentCount: int64(len(f.Comments))}}
	for i := range f.Comments {
		said := api.CommentFields{Body: f.Comments[i].Body}
		clean(r, &said, counts)
		f.Comments[i].Body = said.Body
	}
	s.Redaction = r.told(nil, counts)
	s.CreatedAt = api.At(id.Time(s.ID))
	if err := t.backfill(tx, c, &s, f.Past); err != nil {
		return err
	}
	for _, said := range f.Comments {
		m := api.Comment{ID: id.At(id.Comment, said.At.Time), SliceID: s.ID, Author: said.Author, CreatedAt: said.At, UpdatedAt: said.At}
		m.Body = said.Body
		if err := tx.InsertComment(m); err != nil {
			return err
		}
	}
	if len(f.Comments) == 0 {
		return nil
	}
	_, err := tx.Touch(s.ID, 0, len(f.Comments), s.CreatedAt)
	return err
}
