package tracker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/redact"
	"bugslice/internal/store"
)

// Importing brings the records of an export into a workspace, step by step. Ids are replaced by
// ones that keep their time and are the same whenever the same export is imported into the same
// workspace, so that an import that was broken off is gone on with, and a second one changes nothing.
type Importing struct {
	t           *Tracker
	c           Caller
	WorkspaceID string
	Made        bool // the workspace is new
	into        bool // it was there before, with numbers of its own
	users       map[string]string
	Report      ImportReport
}

// ImportReport says what became of an import.
type ImportReport struct {
	WorkspaceID   string `json:"workspaceId"`
	Slices        int    `json:"slices"`
	Comments      int    `json:"comments"`
	Attachments   int    `json:"attachments"`
	AlreadyThere  int    `json:"alreadyThere"`
	Unassigned    int    `json:"unassigned"`          // whose assignee is nobody here
	ExternalsLost int    `json:"externalIdsLeftOut"`  // that were taken
	PrintsLost    int    `json:"fingerprintsLeftOut"` // that were open
}

// Import begins to import an export. Without into the workspace is a new one, of which the
// owners of the organisation are admins.
func (t *Tracker) Import(ctx context.Context, c Caller, archiveID, into string, workspace store.Record) (*Importing, error) {
	im := &Importing{t: t, c: c, users: map[string]string{}, WorkspaceID: into, into: into != ""}
	if im.into {
		return im, c.administer(t.store.Read(ctx), into)
	}
	old, _ := workspace["id"].(string)
	im.WorkspaceID = id.Derive(id.Workspace, old, archiveID+"\n"+c.Organization.ID)
	_, err := t.store.Read(ctx).Workspace(im.WorkspaceID)
	if !errors.Is(err, store.ErrNotFound) {
		return im, err
	}
	im.Made = true
	return im, t.store.Write(ctx, func(tx *store.Tx) error { return im.makeWorkspace(tx, workspace) })
}

func (im *Importing) makeWorkspace(tx *store.Tx, r store.Record) error {
	owners, err := tx.Owners(im.c.Organization.ID)
	if err != nil {
		return err
	}
	if len(owners) == 0 {
		return errors.New("the organisation has no owner who could be the workspace's admin")
	}
	w := store.Workspace{Workspace: api.Workspace{ID: im.WorkspaceID, OrganizationID: im.c.Organization.ID, CreatedAt: instant(r["created_at"]), UpdatedAt: instant(r["updated_at"])}}
	w.Name, _ = r["name"].(string)
	if d, ok := r["description"].(string); ok {
		w.Description = &d
	}
	if rules, _ := r["redaction"].(string); rules != "" {
		if err := json.Unmarshal([]byte(rules), &w.Redaction); err != nil {
			return err
		}
	}
	completeRules(&w.Redaction)
	if err := tx.InsertWorkspace(&w); err != nil {
		return err
	}
	for _, userID := range owners {
		if err := tx.PutMember(w.ID, userID, api.RoleAdmin, im.t.clock()); err != nil {
			return err
		}
	}
	return im.t.announce(tx, im.c, w.ID, event{WorkspaceCreated, kindWorkspace, w.ID, w.Workspace, nil})
}

func instant(v any) api.Time {
	switch n := v.(type) {
	case json.Number:
		ms, _ := n.Int64()
		return api.FromMillis(ms)
	case float64:
		return api.FromMillis(int64(n))
	}
	return api.FromMillis(0)
}

// renamed are the kinds of ids that a copy has of its own.
var renamed = regexp.MustCompile(`\b(wsp|spc|slc|cmt|att|evt|blb|usr)_[0-9a-hjkmnp-tv-z]{26}\b`)

// derive replaces an id, or every id of a text.
func (im *Importing) derive(text string) string {
	return renamed.ReplaceAllStringFunc(text, func(old string) string {
		prefix, _, _ := strings.Cut(old, "_")
		switch prefix {
		case id.Workspace:
			return im.WorkspaceID
		case id.User:
			if here, ok := im.users[old]; ok {
				return here
			}
			return old
		}
		return id.Derive(prefix, old, im.WorkspaceID)
	})
}

// Blob is the key under which a blob of the export is kept here.
func (im *Importing) Blob(old string) string { return id.Derive(id.Blob, old, im.WorkspaceID) }

// User remembers who a user of the export is here: whoever has the same address.
func (im *Importing) User(ctx context.Context, r store.Record) error {
	old, _ := r["id"].(string)
	email, _ := r["email"].(string)
	tx := im.t.store.Read(ctx)
	here, err := tx.UserByEmail(email)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err == nil && here.OrgID == im.c.Organization.ID {
		im.users[old] = here.ID
	}
	return err
}

// Records imports records of a table in one transaction.
func (im *Importing) Records(ctx context.Context, table string, records []store.Record) error {
	report, err := store.Write(ctx, im.t.store, func(tx *store.Tx) (ImportReport, error) {
		report := im.Report
		for _, r := range records {
			if err := im.record(tx, table, maps.Clone(r), &report); err != nil {
				return report, fmt.Errorf("%s %v: %w", table, r["id"], err)
			}
		}
		return report, nil
	})
	if err == nil {
		im.Report = report
		im.Report.WorkspaceID = im.WorkspaceID
	}
	return err
}

func (im *Importing) record(tx *store.Tx, table string, r store.Record, report *ImportReport) error {
	for column, v := range r {
		if text, ok := v.(string); ok && (strings.HasSuffix(column, "id") || column == "blob" || column == "thumbnail" || column == "data") && column != "external_id" {
			r[column] = im.derive(text)
		}
	}
	for _, column := range []string{"reporter_id", "author_id", "creator_id", "actor_id"} { // who is nobody here keeps the name
		if who, ok := r[column].(string); ok && !im.here(who) {
			r[column] = nil
		}
	}
	if _, ok := r["actor_key_id"]; ok {
		r["actor_key_id"] = nil
	}
	if _, ok := r["org_id"]; ok {
		r["org_id"] = im.c.Organization.ID
	}
	if _, ok := r["workspace_id"]; ok {
		r["workspace_id"] = im.WorkspaceID
	}
	var stored int64
	switch table {
	case "slices":
		if err := im.slice(tx, r, report); err != nil {
			return err
		}
	case "events": // activity, not news: no reader of the log sees it
		r["sequence"] = nil
	case "attachments":
		if n, ok := r["stored"].(json.Number); ok {
			stored, _ = n.Int64()
		}
	}
	isNew, err := tx.Import(table, r)
	if err != nil {
		return err
	}
	switch {
	case !isNew:
		report.AlreadyThere++
	case table == "slices":
		report.Slices++
	case table == "comments":
		report.Comments++
	case table == "attachments":
		report.Attachments++
		_, err = tx.Occupy(im.WorkspaceID, stored)
	}
	return err
}

// here says whether an id is one of a user who is in this organisation.
func (im *Importing) here(userID string) bool {
	for _, known := range im.users {
		if known == userID {
			return true
		}
	}
	return false
}

// slice gives a slice what it can have here: a number, an assignee who is a member, an
// externalId and a fingerprint that are free. Duplicates are linked later.
func (im *Importing) slice(tx *store.Tx, r store.Record, report *ImportReport) error {
	delete(r, "duplicate_of_id")
	sliceID, _ := r["id"].(string)
	if _, err := tx.Slice(sliceID); err == nil {
		return nil
	} else if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if assignee, ok := r["assignee_id"].(string); ok {
		r["assignee_id"] = nil
		known := im.here(assignee)
		if known {
			_, err := tx.Role(im.WorkspaceID, assignee)
			if known = err == nil; known {
				r["assignee_id"] = assignee
			} else if !errors.Is(err, store.ErrNotFound) {
				return err
			}
		}
		if !known {
			report.Unassigned++
		}
	}
	if im.into {
		n, err := tx.Advance(im.WorkspaceID, 1, 0)
		if err != nil {
			return err
		}
		r["number"] = n.Number
	} else if number, ok := r["number"].(json.Number); ok {
		n, err := number.Int64()
		if err == nil {
			err = tx.Numbered(im.WorkspaceID, n)
		}
		if err != nil {
			return err
		}
	}
	external, fingerprint := pointer(r["external_id"]), pointer(r["fingerprint"])
	taken, open, err := tx.Claimed(im.WorkspaceID, external, fingerprint)
	if taken {
		r["external_id"] = nil
		report.ExternalsLost++
	}
	if status := r["status"]; open && (status == string(api.Open) || status == string(api.InProgress)) {
		r["fingerprint"] = nil
		report.PrintsLost++
	}
	return err
}

func pointer(v any) *string {
	if s, ok := v.(string); ok {
		return &s
	}
	return nil
}

// Link says, when all slices are there, which repeats which.
func (im *Importing) Link(ctx context.Context, duplicates map[string]string) error {
	return im.t.store.Write(ctx, func(tx *store.Tx) error {
		for old, of := range duplicates {
			if err := tx.LinkDuplicate(im.derive(old), im.derive(of)); err != nil {
				return err
			}
		}
		return nil
	})
}

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
	r, err := t.redactor(t.store.Read(ctx), workspaceID)
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
	r.fields(&f.Fields, counts)
	fit(&f.Fields)
	s := store.Slice{Slice: api.Slice{ID: id.At(id.Slice, f.FiledAt), WorkspaceID: workspaceID, SliceFields: f.Fields, Version: 1, CommentCount: int64(len(f.Comments))}}
	for i := range f.Comments {
		f.Comments[i].Body = r.Text(f.Comments[i].Body, counts)
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
