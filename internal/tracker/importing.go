package tracker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"strings"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/input"
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
	known       map[string]bool // spaces and slices of the export, by their ids there
	duplicates  map[string]duplicate
	repeated    map[string]string // what slices of the export repeat, by their ids there
	keys        map[string]bool   // keys of files that records of the export name
	reserved    []string          // keys of the files that were stored for the records of this batch
	rules       *redactor         // what removes secrets; nil when the export is imported as it is
	Report      ImportReport
}

// ImportOptions says what is imported, and how.
type ImportOptions struct {
	ArchiveID string // of the export
	Into      string // a workspace that is there; empty for a new one
	AsIs      bool   // secrets in texts and files stay
}

// duplicate says what a slice repeats that comes later, and the version it has once that is there.
type duplicate struct {
	of      string
	version int64
}

// ImportReport says what became of an import.
type ImportReport struct {
	WorkspaceID   string `json:"workspaceId"`
	Slices        int    `json:"slices"`
	Comments      int    `json:"comments"`
	Attachments   int    `json:"attachments"`
	AlreadyThere  int    `json:"alreadyThere"`
	FilesMissing  int    `json:"filesMissing"`        // that were deleted while the export was written
	Unassigned    int    `json:"unassigned"`          // whose assignee is nobody here
	ExternalsLost int    `json:"externalIdsLeftOut"`  // that were taken
	PrintsLost    int    `json:"fingerprintsLeftOut"` // that were open
	TextsCut      int    `json:"textsCut"`            // that were longer than the API takes them
	Redacted      int    `json:"redacted"`            // secrets that were removed
}

// Import begins to import an export, of which workspace is the record of the workspace. A new one has
// the owners of the organisation as admins. What filing removes as a secret, by the rules of the
// workspace that is imported into, is removed from what is imported.
func (o OrganizationOperator) Import(ctx context.Context, what ImportOptions, workspace store.Record) (*Importing, error) {
	t, c := o.t, o.c
	im := &Importing{t: t, c: c, users: map[string]string{}, duplicates: map[string]duplicate{}, known: map[string]bool{},
		repeated: map[string]string{}, keys: map[string]bool{}, WorkspaceID: what.Into, into: what.Into != ""}
	if err := im.begin(ctx, what.ArchiveID, workspace); err != nil || what.AsIs {
		return im, err
	}
	rules, err := t.redactorFor(ctx, c, t.store.Read(ctx), im.WorkspaceID)
	if err == nil {
		rules.Redactor = rules.Within(ctx, math.MaxInt64) // the operator may import any number of records at once
	}
	im.rules = &rules
	return im, err
}

// begin finds the workspace that is imported into, or makes it.
func (im *Importing) begin(ctx context.Context, archiveID string, workspace store.Record) error {
	if im.into {
		return im.c.requireAdmin(im.t.store.Read(ctx), im.WorkspaceID)
	}
	if err := sound(workspace); err != nil {
		return about("workspaces", workspace, err)
	}
	old, _ := workspace["id"].(string)
	im.WorkspaceID = id.Derive(id.Workspace, old, archiveID+"\n"+im.c.Organization.ID)
	_, err := im.t.store.Read(ctx).Workspace(im.WorkspaceID)
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	im.Made = true
	return change(im.t, ctx, im.c, "", func(tx *store.Tx, _ Caller) error { return im.makeWorkspace(tx, workspace) })
}

func (im *Importing) makeWorkspace(tx *store.Tx, r store.Record) error {
	owners, err := tx.Owners(im.c.Organization.ID)
	if err != nil {
		return err
	}
	if len(owners) == 0 {
		return errors.New("the organisation has no owner who could be the workspace's admin")
	}
	w := store.Workspace{Workspace: api.Workspace{ID: im.WorkspaceID, OrganizationID: im.c.Organization.ID, CreatedAt: api.FromMillis(whole(r["created_at"])), UpdatedAt: api.FromMillis(whole(r["updated_at"]))}}
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
	if _, err := redact.New(rules(w.Redaction)); err != nil { // those that cost more than rules may today still hold
		return about("workspaces", r, fmt.Errorf("/redaction: %w", err))
	}
	if err := input.Record(w.Workspace); err != nil {
		return about("workspaces", r, err)
	}
	if err := tx.InsertWorkspace(&w); err != nil {
		return err
	}
	if err := tx.ReserveNumber(w.ID, whole(r["last_number"])); err != nil { // what is filed meanwhile takes no number of the export
		return err
	}
	for _, userID := range owners {
		if err := tx.PutMember(w.ID, userID, api.RoleAdmin, im.t.clock()); err != nil {
			return err
		}
	}
	return im.t.publish(tx, im.c, w.ID, event{api.EventWorkspaceCreated, w.ID, w.Workspace, nil})
}

// whole reads a whole number of a record.
func whole(v any) int64 {
	n, _ := v.(json.Number)
	i, _ := n.Int64()
	return i
}

// renamed are the kinds of ids that a copy has of its own.
var renamed = regexp.MustCompile(`\b(wsp|spc|slc|cmt|att|evt|blb|usr)_[0-9a-hjkmnp-tv-z]{26}\b`)

// mentioned are mentions by id, which name somebody else here. Those by e-mail address stay.
var mentioned = regexp.MustCompile(`@(usr_[0-9a-hjkmnp-tv-z]{26})\b`)

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

// meet remembers who users of the export are here: whoever has the same address.
func (im *Importing) meet(ctx context.Context, users []store.Record) error {
	q := im.t.store.Read(ctx)
	for _, r := range users {
		old, _ := r["id"].(string)
		email, _ := r["email"].(string)
		here, err := q.UserByEmail(email)
		switch {
		case err == nil && here.OrgID == im.c.Organization.ID:
			im.users[old] = here.ID
		case err != nil && !errors.Is(err, store.ErrNotFound):
			return err
		}
	}
	return nil
}

// Records imports records of a table in one transaction. open gives the bytes of files, by their
// keys in the export, and fs.ErrNotExist for those that were deleted while it was written; they
// are stored before the records that name them.
func (im *Importing) Records(ctx context.Context, table string, records []store.Record, open Opener) error {
	for _, r := range records {
		if err := sound(r); err != nil {
			return about(table, r, err)
		}
	}
	switch table {
	case "users":
		return im.meet(ctx, records)
	case "spaces", "slices":
		for _, r := range records {
			old, _ := r["id"].(string)
			if im.known[old] {
				return about(table, r, errors.New("/id is that of another record, too"))
			}
			im.known[old] = true
			if err := im.repeats(r); err != nil {
				return about(table, r, err)
			}
			if of, ok := r["duplicate_of_id"].(string); ok && of > old {
				im.duplicates[im.derive(old)] = duplicate{im.derive(of), whole(r["version"])}
			}
		}
	}
	prepared, err := im.prepare(ctx, table, records, open)
	if err != nil {
		return err
	}
	report, err := write(im.t, ctx, im.c, "", func(tx *store.Tx, _ Caller) (ImportReport, error) {
		report := im.Report
		for _, r := range prepared {
			r.Record = maps.Clone(r.Record)
			if err := im.insert(tx, table, r, &report); err != nil {
				return report, about(table, r.Record, err)
			}
		}
		return report, nil
	})
	if err == nil {
		im.Report = report
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
// externalId and a fingerprint that are free.
func (im *Importing) slice(tx *store.Tx, r store.Record, report *ImportReport) error {
	sliceID, _ := r["id"].(string)
	if d, later := im.duplicates[sliceID]; later {
		r["duplicate_of_id"], r["version"] = nil, d.version-1
	} else if of, ok := r["duplicate_of_id"].(string); ok { // a deleted one was not exported
		if _, err := tx.Slice(of); errors.Is(err, store.ErrNotFound) {
			r["duplicate_of_id"] = nil
		} else if err != nil {
			return err
		}
	}
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
		n, err := tx.NextSequence(im.WorkspaceID, 1, 0)
		if err != nil {
			return err
		}
		r["number"] = n.Number
	} else if number, ok := r["number"].(json.Number); ok {
		n, err := number.Int64()
		if err == nil {
			err = tx.ReserveNumber(im.WorkspaceID, n)
		}
		if err != nil {
			return err
		}
	}
	external, fingerprint := pointer(r["external_id"]), pointer(r["fingerprint"])
	taken, open, err := tx.IdentifiersInUse(im.WorkspaceID, external, fingerprint)
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

// End says, when all slices are there, which repeats a later one, and counts what each has.
func (im *Importing) End(ctx context.Context) error {
	im.Report.WorkspaceID = im.WorkspaceID
	return change(im.t, ctx, im.c, "", func(tx *store.Tx, _ Caller) error {
		for sliceID, d := range im.duplicates {
			s := store.Slice{Slice: api.Slice{ID: sliceID, WorkspaceID: im.WorkspaceID, SliceFields: api.SliceFields{DuplicateOfID: &d.of}}}
			var p *api.Problem
			if err := checkDuplicate(tx.Queries, &s); errors.As(err, &p) { // it was deleted, or repeats this one here
				s.DuplicateOfID = nil
			} else if err != nil {
				return err
			}
			if err := tx.LinkDuplicate(sliceID, s.DuplicateOfID, d.version); err != nil {
				return err
			}
		}
		return tx.Recount(im.WorkspaceID)
	})
}

// DeleteWorkspace removes a workspace that an import has left behind. One in which anything else
// was done stays.
func (o OrganizationOperator) RemoveWorkspace(ctx context.Context, workspaceID string) error {
	t := o.t
	return change(t, ctx, o.c, "", func(tx *store.Tx, c Caller) error {
		if err := c.requireAdmin(tx.Queries, workspaceID); err != nil {
			return err
		}
		w, err := tx.Workspace(workspaceID)
		if err != nil {
			return err
		}
		n, err := tx.NextSequence(workspaceID, 0, 0)
		if err != nil {
			return err
		}
		if n.Sequence > 1 { // the first tells that it was made; what is imported has none
			return errors.New("more was done in this workspace than importing into it; nothing was changed")
		}
		if err := tx.DeleteWorkspace(workspaceID, t.clock()); err != nil {
			return err
		}
		return t.recordAudit(tx, c, event{api.EventWorkspaceRemoved, w.ID, w.Workspace, nil})
	})
}
