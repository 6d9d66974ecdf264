package tracker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"bugslice/internal/blob"
	"bugslice/internal/store"
)

const (
	fenceInterval = 30 * time.Second  // how often a node renews the token
	fenceWait     = 3 * fenceInterval // how long a node that starts waits for another owner to renew it
	logAgainAfter = time.Hour         // how often a suspension is logged again
	adoptCommand  = "bugslice adopt-files"
)

// BindFiles ties the database to the storage of its files: the first time by an id in both, later by
// holding these against each other. It refuses a storage of another instance, a storage without an
// owner whose files this database does not name, and another storage than the one it was bound to.
// A copy of the database is let in: RemovalSuspended says so, and it removes nothing.
func (t *Tracker) BindFiles(ctx context.Context) error {
	for {
		err := t.bindFiles(ctx)
		if !errors.Is(err, blob.ErrOwnerChanged) { // another node was faster, and has bound them
			return err
		}
	}
}

func (t *Tracker) bindFiles(ctx context.Context) error {
	owner, err := t.blobs.Owner(ctx)
	if err != nil {
		return err
	}
	instance, err := t.instance(ctx)
	if err != nil {
		return err
	}
	unbound := instance.ID == "" || instance.Token == "" && instance.NextToken != ""
	switch {
	case owner == blob.Owner{} && unbound:
		return t.bindFirst(ctx, instance)
	case owner == blob.Owner{}:
		return errors.New("this is not where the files of this database are: nothing here says so. " +
			"Name their directory or bucket, or, when they are lost or were moved, run " + adoptCommand)
	case owner.Instance != instance.ID:
		return errors.New("the files here belong to another instance than this database. " +
			"Name the database that they belong to, or another directory or bucket. " +
			"To give them to this database on purpose, run " + adoptCommand)
	}
	_, _, err = t.checkFence(ctx)
	return err
}

// instance returns the database's instance, its zero value before it has one.
func (t *Tracker) instance(ctx context.Context) (store.Instance, error) {
	i, err := t.store.Read(ctx).Instance()
	if errors.Is(err, store.ErrNotFound) {
		return store.Instance{}, nil
	}
	return i, err
}

// bindFirst makes the database the first owner of a storage that is empty, or that an earlier version
// has filled for it.
func (t *Tracker) bindFirst(ctx context.Context, i store.Instance) error {
	if err := t.checkUnowned(ctx); err != nil {
		return err
	}
	origin, err := t.store.Origin(ctx)
	if err != nil {
		return err
	}
	i, err = systemWrite(t, ctx, func(tx *store.Tx) (store.Instance, error) {
		if err := tx.InsertInstance(store.Instance{ID: rand.Text(), NextToken: rand.Text(), Origin: origin}); err != nil {
			return i, err
		}
		return tx.Instance()
	})
	if err != nil {
		return err
	}
	if err := t.blobs.SetOwner(ctx, blob.Owner{}, blob.Owner{Instance: i.ID, Token: i.NextToken}); err != nil {
		return err
	}
	bound := i
	bound.Token, bound.NextToken = i.NextToken, ""
	if err := t.replaceInstance(ctx, i, bound); err != nil {
		return err
	}
	t.fence.Lock()
	defer t.fence.Unlock()
	t.fence.createdToken = true
	return nil
}

var errForeignFiles = errors.New("there are files here that this database does not name, so that they belong to another instance. " +
	"Name the database that they belong to, or another directory or bucket. To give them to this database on purpose, run " + adoptCommand)

// checkUnowned refuses a storage without an owner that holds blobs, unless the database names some of
// them; and one that lacks what the database names.
func (t *Tracker) checkUnowned(ctx context.Context) error {
	files, err := t.store.Read(ctx).ReferencedBlobs("", 20)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return t.checkEmpty(ctx)
	}
	for _, f := range files {
		r, err := t.blobs.Open(ctx, f.Blob)
		if err == nil {
			return r.Close()
		}
		if !errors.Is(err, blob.ErrNotFound) {
			return err
		}
	}
	return errors.New("the files that this database names are not here. " +
		"Name their directory or bucket, or, when they are lost, run " + adoptCommand)
}

// checkEmpty refuses a storage that holds blobs.
func (t *Tracker) checkEmpty(ctx context.Context) error {
	return t.blobs.List(ctx, func(blob.Entry) error { return errForeignFiles })
}

// CheckNewFiles refuses to begin an instance in a new database beside files of another one.
func (t *Tracker) CheckNewFiles(ctx context.Context) error {
	all, err := t.store.Read(ctx).Organizations()
	if err != nil || len(all) > 0 {
		return err
	}
	if i, err := t.instance(ctx); err != nil || i.ID != "" {
		return err
	}
	owner, err := t.blobs.Owner(ctx)
	if err == nil && owner != (blob.Owner{}) {
		err = errForeignFiles
	}
	if err != nil {
		return err
	}
	return t.checkEmpty(ctx)
}

// RestoreFiles binds a new database, into which the backup of an instance is restored. Where the
// storage is still that instance's, the database is a copy: it removes nothing until it adopts them.
func (o *Operator) RestoreFiles(ctx context.Context, backedUp string) error {
	t := o.t
	owner, err := t.blobs.Owner(ctx)
	if err != nil {
		return err
	}
	if backedUp != "" && owner.Instance == backedUp {
		err := systemChange(t, ctx, func(tx *store.Tx) error { return tx.InsertInstance(store.Instance{ID: backedUp}) })
		if err != nil {
			return err
		}
	}
	return t.BindFiles(ctx)
}

// AdoptFiles makes the database the owner of the storage, whosever it was. The database that owned it
// removes nothing from it any more.
func (o *Operator) AdoptFiles(ctx context.Context) error {
	t := o.t
	origin, err := t.store.Origin(ctx)
	if err != nil {
		return err
	}
	owner, err := t.blobs.Owner(ctx)
	if err != nil {
		return err
	}
	next := rand.Text()
	i, err := systemWrite(t, ctx, func(tx *store.Tx) (store.Instance, error) {
		if err := tx.InsertInstance(store.Instance{ID: rand.Text()}); err != nil {
			return store.Instance{}, err
		}
		old, err := tx.Instance()
		if err != nil {
			return old, err
		}
		i := store.Instance{ID: old.ID, Token: old.Token, NextToken: next, Origin: origin}
		return i, checkReplaced(tx.ReplaceInstance(old, i))
	})
	if err != nil {
		return err
	}
	if err := t.blobs.SetOwner(ctx, owner, blob.Owner{Instance: i.ID, Token: next}); err != nil {
		return err
	}
	bound := i
	bound.Token, bound.NextToken = next, ""
	return t.replaceInstance(ctx, i, bound)
}

func (t *Tracker) replaceInstance(ctx context.Context, old, i store.Instance) error {
	return systemChange(t, ctx, func(tx *store.Tx) error { return checkReplaced(tx.ReplaceInstance(old, i)) })
}

func checkReplaced(done bool, err error) error {
	if err == nil && !done {
		err = errors.New("the tie of the database to its files was changed by another process; try again")
	}
	return err
}

// checkFence holds database and storage against each other, and remembers what it finds. It returns
// both as they were at one instant.
func (t *Tracker) checkFence(ctx context.Context) (store.Instance, blob.Owner, error) {
	origin, err := t.store.Origin(ctx)
	if err != nil {
		return store.Instance{}, blob.Owner{}, err
	}
	before, err := t.instance(ctx)
	for err == nil {
		var owner blob.Owner
		var i store.Instance
		if owner, err = t.blobs.Owner(ctx); err != nil {
			break
		}
		if i, err = t.instance(ctx); err == nil && i == before {
			t.setSuspension(suspensionReason(i, owner, origin))
			return i, owner, nil
		}
		before = i // another node has renewed the token meanwhile
	}
	return store.Instance{}, blob.Owner{}, err
}

// suspensionReason says why a database must not remove files from a storage; it is empty when it may.
func suspensionReason(i store.Instance, owner blob.Owner, origin string) string {
	switch {
	case i.ID == "" || owner.Instance != i.ID:
		return "the files belong to another instance now"
	case i.Origin != origin:
		return "this database is a copy, or was moved or restored"
	case owner.Token == "" || owner.Token != i.Token && owner.Token != i.NextToken:
		return "another copy of this database has used the files since"
	}
	return ""
}

// setSuspension remembers whether removal is suspended, and logs it.
func (t *Tracker) setSuspension(why string) {
	t.fence.Lock()
	defer t.fence.Unlock()
	now := t.now()
	if why != "" {
		t.fence.ownedSince, t.fence.createdToken = time.Time{}, false
	} else if t.fence.ownedSince.IsZero() {
		t.fence.ownedSince = now
	}
	switch {
	case why != "" && (why != t.fence.reason || now.Sub(t.fence.loggedAt) >= logAgainAfter):
		t.fence.loggedAt = now
		t.log.Error("removal of files is suspended: another database may use their storage; "+
			"if this database alone uses it, run "+adoptCommand, "reason", why)
	case why == "" && t.fence.reason != "":
		t.log.Info("removal of files goes on: this database owns their storage")
	}
	t.fence.reason = why
}

// RemovalSuspended says why this node removes no files; it is empty when it removes them.
func (t *Tracker) RemovalSuspended() string {
	t.fence.Lock()
	defer t.fence.Unlock()
	return t.fence.reason
}

// removalAllowed checks the fence. A process that did not make the instance waits before its first renewal
// for another owner's, which would show that this database is a copy.
func (t *Tracker) removalAllowed(ctx context.Context) (bool, error) {
	if _, _, err := t.checkFence(ctx); err != nil {
		return false, err
	}
	t.fence.Lock()
	defer t.fence.Unlock()
	return t.fence.reason == "" && (t.fence.createdToken || t.now().Sub(t.fence.ownedSince) >= fenceWait), nil
}

// renewFence writes a new token into database and storage. When it is cut off anywhere, the storage
// holds one of the two tokens that the database knows.
func (t *Tracker) renewFence(ctx context.Context) error {
	i, owner, err := t.checkFence(ctx)
	if err != nil {
		return err
	}
	if why := t.RemovalSuspended(); why != "" {
		return fmt.Errorf("removal of files is suspended: %s", why)
	}
	renewing := store.Instance{ID: i.ID, Token: owner.Token, NextToken: rand.Text(), Origin: i.Origin}
	if err := t.replaceInstance(ctx, i, renewing); err != nil {
		return err
	}
	if err := t.blobs.SetOwner(ctx, owner, blob.Owner{Instance: i.ID, Token: renewing.NextToken}); err != nil {
		return err
	}
	return t.replaceInstance(ctx, renewing, store.Instance{ID: i.ID, Token: renewing.NextToken, Origin: i.Origin})
}
