package tracker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/redact"
	"bugslice/internal/store"
	"bugslice/internal/store/reactions"
)

// OperatorTx is a write transaction of the operator in an organisation. The functions of the operator and of
// imports are built from its steps, which write events, charge bytes and check rules as the operations of the
// API do. Only InTransaction makes one.
type OperatorTx struct {
	*access.Tx
	t *Tracker
	c access.Caller
}

// InTransaction runs fn in a transaction and commits it, or leaves nothing behind. fn may run several times, and must
// change nothing outside but its result.
func (o OrganizationOperator) InTransaction(ctx context.Context, fn func(*OperatorTx) error) error {
	return access.Change(ctx, o.t.access, o.c, "", func(tx *access.Tx, c access.Caller) error {
		return fn(&OperatorTx{tx, o.t, c})
	})
}

// Organization returns the organisation in which the operator acts.
func (tx *OperatorTx) Organization() api.OrganizationRef { return tx.c.Organization }

// Now returns the time.
func (tx *OperatorTx) Now() api.Time { return tx.t.clock() }

// CheckWorkspace refuses a workspace of another organisation like one that does not exist.
func (tx *OperatorTx) CheckWorkspace(workspaceID string) error {
	return tx.c.RequireAdmin(tx.Queries, workspaceID)
}

// Audit writes an event of the organisation about a record.
func (tx *OperatorTx) Audit(kind api.EventType, recordID string, subject any) error {
	return tx.t.recordAudit(tx.Tx, tx.c, event{Type: kind, ID: recordID, Subject: subject})
}

// AuditWorkspace writes an event about a record of a workspace, which the event log of the workspace does not contain.
func (tx *OperatorTx) AuditWorkspace(workspaceID string, kind api.EventType, recordID string, subject any) error {
	return tx.t.recordWorkspaceAudit(tx.Tx, tx.c, workspaceID, event{Type: kind, ID: recordID, Subject: subject})
}

// CreateWorkspace makes a workspace with a user as its admin.
func (tx *OperatorTx) CreateWorkspace(fields api.WorkspaceFields, adminID string) (api.Workspace, error) {
	return tx.t.createWorkspace(tx.Tx, tx.c, fields, adminID)
}

// AddMember makes a user of the organisation a member of a workspace of it, or changes its role there.
func (tx *OperatorTx) AddMember(workspaceID, userID string, role api.Role) error {
	return tx.t.putMember(tx.Tx, tx.c, store.Membership{WorkspaceID: workspaceID, UserID: userID, Role: role})
}

// MintKey makes an API key of a user.
func (tx *OperatorTx) MintKey(fields api.KeyFields, userID string) (api.NewKey, error) {
	return tx.t.mint(tx.Tx, tx.c, fields, userID)
}

// RotateKey gives a key of the organisation a new token. The former one stays valid for the grace period.
func (tx *OperatorTx) RotateKey(keyID string, grace time.Duration) (api.NewKey, error) {
	k, err := tx.organizationKey(keyID)
	if err != nil {
		return api.NewKey{}, err
	}
	return tx.t.rotate(tx.Tx, tx.c, k, grace)
}

// RevokeKey revokes a key of the organisation with all its tokens.
func (tx *OperatorTx) RevokeKey(keyID string) error {
	k, err := tx.organizationKey(keyID)
	if err != nil {
		return err
	}
	if err := tx.Tx.RevokeKey(keyID, tx.Now()); err != nil {
		return err
	}
	return tx.t.publishKey(tx.Tx, tx.c, k, api.EventKeyRevoked)
}

// organizationKey returns a key that is not revoked. It refuses a key of another organisation like one that does not
// exist.
func (tx *OperatorTx) organizationKey(keyID string) (store.Key, error) {
	k, err := tx.Key(keyID)
	if err == nil && k.OrgID != tx.c.Organization.ID {
		err = store.ErrNotFound
	}
	return k, access.OrNotFound(err, "API key")
}

// OpenSession opens a session of a user, as SignIn does.
func (tx *OperatorTx) OpenSession(userID string, from Client) (NewSession, error) {
	u, err := tx.LockUser(userID)
	if err != nil {
		return NewSession{}, err
	}
	return tx.t.openSession(tx.Tx, u, from, "")
}

// InsertHistoricalSlice files a slice that was filed at an earlier time, which its id and its creation time give.
// resolvedAt is that of a resolved or closed one.
func (tx *OperatorTx) InsertHistoricalSlice(s *store.Slice, resolvedAt *time.Time) error {
	s.UpdatedAt = s.CreatedAt
	if resolvedAt != nil {
		s.UpdatedAt = maxTime(api.At(*resolvedAt), s.CreatedAt)
	}
	if err := tx.t.insertSlice(tx.Tx, tx.c, s, store.Terms(s.SliceFields, s.Symptoms)); err != nil {
		return err
	}
	return input.Record(tx.t.show(*s))
}

// AddComment adds a comment that was made at another time to a slice, and publishes it.
func (tx *OperatorTx) AddComment(s store.Slice, m api.Comment) error {
	if err := tx.InsertComment(m); err != nil {
		return err
	}
	tx.Charge(s.WorkspaceID, store.CommentBytes(m))
	_, err := tx.t.publishComment(tx.Tx, tx.c, s, event{Type: api.EventCommentCreated, ID: s.ID, Subject: m})
	return err
}

// LockExternalIDs locks externalIds in all their stored forms, before the transaction files slices with them.
func (tx *OperatorTx) LockExternalIDs(workspaceID string, externalIDs []string) error {
	return tx.LockNewIdentifiers(workspaceID, storedFormsOf(tx.t.secrets, externalIDs)...)
}

// LockSliceWithExternalID returns the live slice of a workspace with an externalId, whether it is stored as it is or
// as a keyed hash, with a row lock.
func (tx *OperatorTx) LockSliceWithExternalID(workspaceID, externalID string) (store.Slice, error) {
	s, err := tx.SliceByExternalID(workspaceID, storedForms(tx.t.secrets, externalID)...)
	if err != nil {
		return s, err
	}
	return tx.LockSlice(s.ID)
}

// ImportWorkspace stores a workspace of an export whose numbers go on from lastNumber. It gets another key when its
// own is taken. The owners of the organisation become its admins.
func (tx *OperatorTx) ImportWorkspace(w store.Workspace, lastNumber int64) error {
	owners, err := tx.Owners(tx.c.Organization.ID)
	if err != nil {
		return err
	}
	if len(owners) == 0 {
		return errors.New("the organisation has no owner who could be the workspace's admin")
	}
	w.OrganizationID = tx.c.Organization.ID
	completeKeys(&w.MetadataKeys)
	completeRules(&w.Redaction)
	completeTemplates(&w.ReportTemplates)
	completeColors(&w.LabelColors)
	completeContent(&w.MailContent)
	if _, err := redact.New(rules(w.Redaction)); err != nil { // costly rules are accepted, unlike those of a new workspace
		return fmt.Errorf("/redaction: %w", err)
	}
	if err := completeZone(&w.TimeZone); err != nil {
		return fmt.Errorf("/timeZone: %w", err)
	}
	if err := reserveImportedKey(tx.Tx, &w); err != nil {
		return err
	}
	if err := input.Record(w.Workspace); err != nil {
		return err
	}
	if err := tx.InsertWorkspace(&w); err != nil {
		return err
	}
	if err := tx.ReserveNumber(w.ID, lastNumber); err != nil { // a slice that is filed before the import ends gets no number of the export
		return err
	}
	for _, userID := range owners {
		if err := tx.PutMember(w.ID, userID, api.RoleAdmin, tx.Now()); err != nil {
			return err
		}
	}
	return tx.t.publish(tx.Tx, tx.c, w.ID, event{Type: api.EventWorkspaceCreated, ID: w.ID, Subject: w.Workspace})
}

// ImportSpace stores a space of an export.
func (tx *OperatorTx) ImportSpace(s api.Space) error {
	if err := input.Record(s); err != nil {
		return err
	}
	return tx.InsertSpace(s)
}

// ImportView stores a view of an export. It refuses a query that cannot be parsed, and a view beyond the limit of the
// workspace.
func (tx *OperatorTx) ImportView(v store.View) error {
	if err := input.Record(v.View); err != nil {
		return err
	}
	if err := checkQuery(v.Query); err != nil {
		return err
	}
	if err := tx.InsertView(v); err != nil {
		return err
	}
	return checkViewCount(tx.Queries, v)
}

// ImportSlice stores a slice of an export, with its number and its counts.
func (tx *OperatorTx) ImportSlice(s store.Slice) error {
	if over := isFinished(s.Status); over != (s.Resolution != nil) || over != (s.ResolvedAt != nil) {
		return errors.New("/resolution and /resolvedAt stand exactly when a slice is resolved or closed")
	}
	if s.FixedInRelease != nil && !isFinished(s.Status) {
		return errors.New("/fixedInRelease stands only when a slice is resolved or closed")
	}
	if s.ResolvedAt != nil { // lists rely on the order of the three times
		*s.ResolvedAt = maxTime(*s.ResolvedAt, s.CreatedAt)
		s.UpdatedAt = maxTime(s.UpdatedAt, *s.ResolvedAt)
	}
	s.UpdatedAt = maxTime(s.UpdatedAt, s.CreatedAt)
	if o := s.LastOccurrence; o != nil && len(s.Releases) == 0 { // of an export that does not have them
		s.SeeRelease(o.Environment.Release, o.At)
	}
	if err := input.Record(tx.t.show(s)); err != nil {
		return err
	}
	bytes, err := store.SliceBytes(&s)
	if err != nil {
		return err
	}
	tx.Charge(s.WorkspaceID, bytes)
	return tx.InsertSlice(&s, store.Terms(s.SliceFields, s.Symptoms))
}

// ImportDuplicate makes a slice a duplicate of one that was imported after it, unless that one is missing or a
// duplicate of the first. The version is set either way.
func (tx *OperatorTx) ImportDuplicate(workspaceID, sliceID, ofID string, version int64) error {
	s := store.Slice{Slice: api.Slice{ID: sliceID, WorkspaceID: workspaceID,
		SliceFields: api.SliceFields{DuplicateOfID: &ofID}}}
	err := checkDuplicate(tx.Tx, &s)
	if access.IsRefusal(err) {
		s.DuplicateOfID, err = nil, nil
	}
	if err != nil {
		return err
	}
	return tx.LinkDuplicate(sliceID, s.DuplicateOfID, version)
}

// ImportOccurrence stores an occurrence of a slice of an export. It refuses a number beyond the count of the slice.
func (tx *OperatorTx) ImportOccurrence(workspaceID string, o store.Occurrence) error {
	if err := tx.checkImportedOccurrence(o.SliceID, "number", o.Number); err != nil {
		return err
	}
	if err := input.Record(o.SliceOccurrence); err != nil {
		return err
	}
	bytes, err := store.OccurrenceBytes(&o)
	if err != nil {
		return err
	}
	tx.Charge(workspaceID, bytes)
	return tx.InsertOccurrence(o)
}

// checkImportedOccurrence refuses a number in a column that is greater than the number of occurrences of a slice.
func (tx *OperatorTx) checkImportedOccurrence(sliceID, column string, number int64) error {
	s, err := tx.Slice(sliceID)
	if err == nil && number > s.OccurrenceCount {
		err = fmt.Errorf("/%s is %d, and the slice has %d occurrences", column, number, s.OccurrenceCount)
	}
	return err
}

// ImportComment stores a comment of an export in a workspace.
func (tx *OperatorTx) ImportComment(workspaceID string, m api.Comment) error {
	m.Mentions, m.Reactions = []api.Mention{}, []api.Reaction{}
	if err := input.Record(m); err != nil {
		return err
	}
	tx.Charge(workspaceID, store.CommentBytes(m))
	return tx.InsertComment(m)
}

// ImportReaction stores a reaction of an export, unless it is there. It refuses one of a kind that does not exist, and
// one to a comment of another slice.
func (tx *OperatorTx) ImportReaction(r reactions.Reaction) error {
	if !slices.Contains(r.Kind.Values(), string(r.Kind)) {
		return errors.New("/kind is no kind of reaction")
	}
	m, err := tx.Comment(r.CommentID)
	if errors.Is(err, store.ErrNotFound) || err == nil && m.SliceID != r.SliceID {
		return errors.New("/comment_id names no comment of the slice")
	}
	if err != nil {
		return err
	}
	return errorOf(tx.Reactions().Add(r))
}

// ImportAttachment stores the record of a file of an export. Its bytes are stored.
func (tx *OperatorTx) ImportAttachment(a store.Attachment) error {
	if err := tx.checkImportedOccurrence(a.SliceID, "occurrence", a.Occurrence); err != nil {
		return err
	}
	if err := input.Record(tx.t.showAttachment(a)); err != nil {
		return err
	}
	tx.Charge(a.WorkspaceID, store.AttachmentBytes(a.Stored))
	return tx.InsertAttachment(a)
}

// ImportEvent stores an event of an export: activity of a slice that no reader of the event log sees.
func (tx *OperatorTx) ImportEvent(e store.Event) error {
	e.OrgID, e.Sequence = tx.c.Organization.ID, nil
	a, err := tx.t.showActivity(e, nil)
	if err != nil {
		return err
	}
	if err := input.Record(a); err != nil {
		return err
	}
	tx.Charge(*e.WorkspaceID, store.EventBytes(e.Data))
	tx.InsertEvent(e)
	return nil
}

// OperatorPasswordLifetime is the time for which a password that the operator has set opens an account of an organisation
// that signs in at its provider alone.
const OperatorPasswordLifetime = 24 * time.Hour

// LetPassword lets a user sign in with the password for a day where the organisation has none, and reports whether it has
// none.
func (tx *OperatorTx) LetPassword(u store.User) (limited bool, err error) {
	p, err := providerOf(tx.Queries, u.OrgID)
	if err != nil || !p.PasswordsOff {
		return false, err
	}
	return true, tx.Identities().SetPasswordUntil(u.ID, api.At(tx.t.now().Add(OperatorPasswordLifetime)))
}
