package tracker

import (
	"cmp"
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
	"bugslice/internal/schema"
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
	answers     *schema.Validator
	known       map[string]bool // spaces and slices of the export, by their ids there
	duplicates  map[string]duplicate
	repeated    map[string]string // what slices of the export repeat, by their ids there
	keys        map[string]bool   // keys of files that records of the export name
	Report      ImportReport
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
}

// Import begins to import an export. Without into the workspace is a new one, of which the
// owners of the organisation are admins.
func (t *Tracker) Import(ctx context.Context, c Caller, archiveID, into string, workspace store.Record) (*Importing, error) {
	valid, err := answers()
	if err != nil {
		return nil, err
	}
	im := &Importing{t: t, c: c, users: map[string]string{}, duplicates: map[string]duplicate{}, known: map[string]bool{}, repeated: map[string]string{}, keys: map[string]bool{}, answers: valid, WorkspaceID: into, into: into != ""}
	if im.into {
		return im, c.administer(t.store.Read(ctx), into)
	}
	if err := sound(workspace); err != nil {
		return nil, about("workspaces", workspace, err)
	}
	old, _ := workspace["id"].(string)
	im.WorkspaceID = id.Derive(id.Workspace, old, archiveID+"\n"+c.Organization.ID)
	_, err = t.store.Read(ctx).Workspace(im.WorkspaceID)
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
	if err := im.valid("Workspace", w.Workspace); err != nil {
		return about("workspaces", r, err)
	}
	if err := tx.InsertWorkspace(&w); err != nil {
		return err
	}
	if err := tx.Numbered(w.ID, whole(r["last_number"])); err != nil { // what is filed meanwhile takes no number of the export
		return err
	}
	for _, userID := range owners {
		if err := tx.PutMember(w.ID, userID, api.RoleAdmin, im.t.clock()); err != nil {
			return err
		}
	}
	return im.t.announce(tx, im.c, w.ID, event{WorkspaceCreated, kindWorkspace, w.ID, w.Workspace, nil})
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
	tx := im.t.store.Read(ctx)
	for _, r := range users {
		old, _ := r["id"].(string)
		email, _ := r["email"].(string)
		here, err := tx.UserByEmail(email)
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
	case "attachments":
		var err error
		if records, err = im.files(ctx, records, open); err != nil {
			return err
		}
	}
	report, err := store.Write(ctx, im.t.store, func(tx *store.Tx) (ImportReport, error) {
		report := im.Report
		for _, r := range records {
			if err := im.record(tx, table, maps.Clone(r), &report); err != nil {
				return report, about(table, r, err)
			}
		}
		return report, nil
	})
	if err == nil {
		im.Report = report
	}
	return err
}

// prefixes are those of the ids of records that have one.
var prefixes = map[string]string{"spaces": id.Space, "slices": id.Slice, "comments": id.Comment, "attachments": id.Attachment, "events": id.Event}

func (im *Importing) record(tx *store.Tx, table string, r store.Record, report *ImportReport) error {
	if old, _ := r["id"].(string); prefixes[table] != "" && !id.Valid(prefixes[table], old) {
		return errors.New("/id is not one")
	}
	if err := im.refers(table, r); err != nil {
		return err
	}
	cut, err := im.fit(table, r)
	if err != nil {
		return err
	}
	for column, v := range r {
		if text, ok := v.(string); ok && (strings.HasSuffix(column, "id") || column == "blob" || column == "thumbnail" || column == "data") && column != "external_id" {
			r[column] = im.derive(text)
		}
	}
	if body, ok := r["body"].(string); ok { // members whom it mentions
		r["body"] = mentioned.ReplaceAllStringFunc(body, func(m string) string { return "@" + cmp.Or(im.users[m[1:]], m[1:]) })
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
	switch table {
	case "slices":
		if err := im.slice(tx, r, report); err != nil {
			return err
		}
	case "events": // activity, not news: no reader of the log sees it
		r["sequence"] = nil
	}
	isNew, err := tx.Import(table, im.WorkspaceID, r)
	if err != nil {
		return err
	}
	if isNew {
		if err := im.check(tx, table, r); err != nil {
			return err
		}
	}
	if !isNew {
		report.AlreadyThere++
		return nil
	}
	report.TextsCut += cut
	switch table {
	case "slices":
		report.Slices++
	case "comments":
		report.Comments++
	case "attachments":
		report.Attachments++
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

// End says, when all slices are there, which repeats a later one, and counts what each has.
func (im *Importing) End(ctx context.Context) error {
	im.Report.WorkspaceID = im.WorkspaceID
	return im.t.store.Write(ctx, func(tx *store.Tx) error {
		for sliceID, d := range im.duplicates {
			s := store.Slice{Slice: api.Slice{ID: sliceID, WorkspaceID: im.WorkspaceID, SliceFields: api.SliceFields{DuplicateOfID: &d.of}}}
			var p *api.Problem
			if err := checkDuplicate(tx, &s); errors.As(err, &p) { // it was deleted, or repeats this one here
				continue
			} else if err != nil {
				return err
			}
			if err := tx.LinkDuplicate(sliceID, d.of, d.version); err != nil {
				return err
			}
		}
		return tx.Recount(im.WorkspaceID)
	})
}

// RemoveWorkspace removes a workspace that an import has left behind. One in which anything else
// was done stays.
func (t *Tracker) RemoveWorkspace(ctx context.Context, c Caller, workspaceID string) error {
	return t.store.Write(ctx, func(tx *store.Tx) error {
		if err := c.administer(tx, workspaceID); err != nil {
			return err
		}
		w, err := tx.Workspace(workspaceID)
		if err != nil {
			return err
		}
		n, err := tx.Advance(workspaceID, 0, 0)
		if err != nil {
			return err
		}
		if n.Sequence > 1 { // the first tells that it was made; what is imported has none
			return errors.New("more was done in this workspace than importing into it; nothing was changed")
		}
		if err := tx.RemoveWorkspace(workspaceID); err != nil {
			return err
		}
		return t.audit(tx, c, event{WorkspaceRemoved, kindWorkspace, w.ID, w.Workspace, nil})
	})
}
