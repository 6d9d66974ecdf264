package tracker

import (
	"context"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/store"
)

// erasureBudget is the time for which a request that begins an erasure works on it. A job completes it.
const erasureBudget = time.Second

// ErasureCounts are those of the contract.
type ErasureCounts = api.ErasureCounts

// CountErasedRecords counts the records that the erasure of a user changes. The caller must manage the user.
func (t *Tracker) CountErasedRecords(ctx context.Context, c access.Caller, v input.Valid[api.CountErasedRecords]) (
	ErasureCounts, error,
) {
	in, err := v.Value(c.Allow(api.OpCountErasedRecords))
	if err != nil {
		return ErasureCounts{}, err
	}
	q := t.access.Read(ctx)
	u, err := q.User(in.UserID)
	if err == nil && (u.OrgID != c.Organization.ID || u.ErasedAt != nil) {
		err = store.ErrNotFound
	}
	if err != nil {
		return ErasureCounts{}, access.OrNotFound(err, "user")
	}
	self, err := q.User(c.ID)
	if err == nil && !managesUser(self, u) {
		err = errManagersOnly
	}
	if err != nil {
		return ErasureCounts{}, err
	}
	return t.countErasure(q, u)
}

// CountErasure is Tracker.CountErasedRecords.
func (o OrganizationOperator) CountErasure(ctx context.Context, u store.User) (ErasureCounts, error) {
	return o.t.countErasure(o.t.access.Read(ctx), u)
}

func (t *Tracker) countErasure(q access.Queries, u store.User) (c ErasureCounts, err error) {
	e, err := erasureOf(q, u)
	if err != nil {
		return c, err
	}
	counts := map[string]*int64{"slices": &c.Slices, "occurrences": &c.Occurrences, "comments": &c.Comments,
		"attachments": &c.Files,
		"events":      &c.Events}
	for _, table := range store.ErasedTables {
		if n, ok := counts[table.Name]; ok {
			if *n, err = q.CountErasureRows(table, &e); err != nil {
				return c, err
			}
		}
	}
	memberships, err := q.MembershipsOf(u.ID)
	if err != nil {
		return c, err
	}
	sessions, err := q.Sessions(u.ID)
	if err != nil {
		return c, err
	}
	keys, err := q.KeysOf(u.ID)
	if err != nil {
		return c, err
	}
	invitations, err := q.Invitations(u.OrgID, t.clock())
	invitations = slices.DeleteFunc(invitations,
		func(i store.Invitation) bool { return i.UserID != u.ID && i.Email != u.Email })
	c.Memberships, c.Sessions = int64(len(memberships)), int64(len(sessions))
	c.Keys, c.Invitations = int64(len(keys)), int64(len(invitations))
	return c, err
}

// erasureOf returns the erasure of a user, which has not begun.
func erasureOf(q access.Queries, u store.User) (store.Erasure, error) {
	names, err := q.FormerNames(u.ID)
	names = append(names, u.Name)
	slices.Sort(names)
	return store.Erasure{UserID: u.ID, OrgID: u.OrgID, Email: u.Email, Names: slices.Compact(names)}, err
}

// EraseUser replaces the name and the e-mail address of a user wherever they are stored, and ends its memberships,
// sessions, keys and invitations. name must be the name of the user. The last owner of an organisation and the last
// admin of a workspace stay. The caller must manage the user. It reports whether the texts were replaced; otherwise a
// job does the rest. Its fault names /name.
func (t *Tracker) EraseUser(ctx context.Context, c access.Caller, v input.Valid[api.EraseUser]) (
	out api.Erasure, err error,
) {
	in, err := v.Value(c.Allow(api.OpEraseUser))
	if err != nil {
		return out, err
	}
	err = t.changeUser(ctx, c, api.OpEraseUser, in.UserID, func(tx *access.Tx, c access.Caller, u store.User) error {
		if in.Body.Name != u.Name {
			return api.InvalidMember("/name", "different", "this is not the name of the person")
		}
		return t.beginErasure(tx, c, u)
	})
	if err != nil {
		return out, err
	}
	defer t.wakeErasures()
	out.Complete, err = t.advanceErasure(ctx, in.UserID, t.now().Add(erasureBudget))
	return out, err
}

// EraseUser is that of the Tracker without the name, until it is complete.
func (o OrganizationOperator) EraseUser(ctx context.Context, u store.User) error {
	err := access.Change(ctx, o.t.access, o.c, "", func(tx *access.Tx, c access.Caller) error {
		u, err := lockColleague(tx, c, u.ID)
		if err != nil {
			return err
		}
		return o.t.beginErasure(tx, c, u)
	})
	if err != nil {
		return err
	}
	return o.t.completeErasures(ctx)
}

// beginErasure ends what a user has, removes its name and its e-mail address from its own record, and stores what
// must be searched for.
func (t *Tracker) beginErasure(tx *access.Tx, c access.Caller, u store.User) error {
	e, err := erasureOf(tx.Queries, u)
	if err != nil {
		return err
	}
	if err := t.endAccess(tx, c, u); err != nil {
		return err
	}
	if err := tx.Mails().DeleteUser(u.ID, u.Email); err != nil {
		return err
	}
	if err := tx.EraseUser(u.ID, t.clock()); err != nil {
		return err
	}
	if err := tx.InsertErasure(e); err != nil {
		return err
	}
	return t.recordAudit(tx, c, event{Type: api.EventUserErased, ID: u.ID, Subject: map[string]any{"id": u.ID}})
}

// wakeErasures makes Run complete the erasures.
func (t *Tracker) wakeErasures() {
	select {
	case t.erasures <- struct{}{}:
	default:
	}
}

// runErasures completes erasures when it is woken.
func (t *Tracker) runErasures(ctx context.Context) {
	for {
		select {
		case <-t.erasures:
			t.warn("erase users", t.completeErasures(ctx))
		case <-ctx.Done():
			return
		}
	}
}

// completeErasures completes every erasure in progress.
func (t *Tracker) completeErasures(ctx context.Context) error {
	all, err := t.access.Read(ctx).Erasures()
	for _, e := range all {
		if err != nil {
			return err
		}
		if _, err = t.advanceErasure(ctx, e.UserID, time.Time{}); err == nil {
			err = t.endErasure(ctx, e.UserID)
		}
	}
	return err
}

// advanceErasure carries out the steps of an erasure, in short transactions, until a time; the zero time is never. It
// reports whether all steps are done. An erasure that is interrupted continues after its last transaction.
func (t *Tracker) advanceErasure(ctx context.Context, userID string, until time.Time) (bool, error) {
	all, err := t.access.Read(ctx).Erasures()
	i := slices.IndexFunc(all, func(e store.Erasure) bool { return e.UserID == userID })
	if err != nil || i < 0 {
		return err == nil, err
	}
	e := all[i]
	for e.Step < len(store.ErasedTables) {
		if !until.IsZero() && t.now().After(until) {
			return false, nil
		}
		table := store.ErasedTables[e.Step]
		rows, err := t.access.Read(ctx).ErasureRows(table, &e, jobBatch)
		if err != nil {
			return false, err
		}
		if e, err = t.eraseRows(ctx, table, e, rows); err != nil {
			return false, err
		}
	}
	return true, nil
}

// eraseRows erases rows of a table in a transaction, and returns the erasure at its next position.
func (t *Tracker) eraseRows(ctx context.Context, table store.ErasedTable, e store.Erasure, rows []store.RowKey) (
	store.Erasure, error,
) {
	erase := newEraser(e)
	return access.SystemWrite(ctx, t.authority, func(tx *access.Tx) (store.Erasure, error) {
		next := e
		for _, key := range rows {
			err := tx.EraseRow(table, &e, key, func(column, text string, isDocument, isOwner bool) string {
				switch {
				case isDocument:
					return erase.document(text, isOwner)
				case column == table.Query:
					return erase.text(text, e.UserID)
				}
				return erase.text(text, store.DeletedUser)
			})
			if err != nil {
				return e, err
			}
			next.After = key.String()
		}
		if len(rows) < jobBatch {
			next.Step, next.After = e.Step+1, ""
		}
		return next, tx.AdvanceErasure(next)
	})
}

// endErasure removes what deleted and changed rows have left in the database, and deletes the erasure.
func (t *Tracker) endErasure(ctx context.Context, userID string) error {
	for more := true; more; {
		var err error
		if more, err = access.SystemWrite(ctx, t.authority, func(tx *access.Tx) (bool, error) {
			return tx.PurgeIndex()
		}); err != nil {
			return err
		}
	}
	if err := t.authority.Compact(ctx); err != nil {
		return err
	}
	return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error { return tx.DeleteErasure(userID) })
}
