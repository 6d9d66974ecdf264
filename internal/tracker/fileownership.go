package tracker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"bugslice/internal/access"
	"bugslice/internal/blob"
	"bugslice/internal/store"
)

const (
	fenceInterval = 30 * time.Second  // between two renewals of the token
	fenceWait     = 3 * fenceInterval // after its start, before a node first renews the token
	logAgainAfter = time.Hour         // between two logs of the same condition
	adoptCommand  = "bugslice admin adopt-files"
)

// BindFiles binds the database to the storage of its files: the first time it writes the id of an instance into both,
// later it compares them. It refuses a storage of another instance, a storage without an owner that holds files of
// another database, and another storage than the one the database was bound to. It accepts a copy of the database:
// RemovalSuspended reports that, and the copy deletes no files.
func (t *Tracker) BindFiles(ctx context.Context) error {
	for {
		err := t.bindFiles(ctx)
		if !errors.Is(err, blob.ErrOwnerChanged) { // else another node has bound them meanwhile
			return err
		}
	}
}

// bindFiles is one attempt of BindFiles.
func (t *Tracker) bindFiles(ctx context.Context) error {
	before, err := t.instance(ctx)
	if err != nil {
		return err
	}
	owner, err := t.blobs.Owner(ctx)
	if err != nil {
		return err
	}
	instance, err := t.instance(ctx)
	if err != nil {
		return err
	}
	if instance != before { // another node is binding them
		return blob.ErrOwnerChanged
	}
	isNew := instance.ID == ""
	wasInterrupted := instance.Token == "" && instance.NextToken != "" // bindFirst, before it wrote into the storage
	switch {
	case owner == blob.Owner{} && (isNew || wasInterrupted):
		return t.bindFirst(ctx)
	case owner == blob.Owner{}:
		return errors.New("this storage is not the one that the files of this database were stored in: it has no owner. " +
			"Name their directory or bucket, or, when they are lost or were moved, run " + adoptCommand)
	case owner.Instance != instance.ID:
		return errors.New("the files in this storage belong to another instance than this database. " +
			"Name the database that they belong to, or another directory or bucket. " +
			"To give them to this database on purpose, run " + adoptCommand)
	}
	_, _, err = t.checkFence(ctx)
	return err
}

// instance returns the instance of the database, or the zero value when it has none yet.
func (t *Tracker) instance(ctx context.Context) (store.Instance, error) {
	instance, err := t.access.Read(ctx).Instance()
	if errors.Is(err, store.ErrNotFound) {
		return store.Instance{}, nil
	}
	return instance, err
}

// bindFirst makes the database the first owner of a storage that is empty, or that an earlier version filled for this
// database. It continues after an interruption, with the instance that is stored already.
func (t *Tracker) bindFirst(ctx context.Context) error {
	if err := t.checkUnowned(ctx); err != nil {
		return err
	}
	origin, err := t.access.Origin(ctx)
	if err != nil {
		return err
	}
	instance, err := access.SystemWrite(ctx, t.authority, func(tx *access.Tx) (store.Instance, error) {
		err := tx.InsertInstance(store.Instance{ID: rand.Text(), NextToken: rand.Text(),
			Origin: origin}) // unless one is stored
		if err != nil {
			return store.Instance{}, err
		}
		return tx.Instance()
	})
	if err != nil {
		return err
	}
	if err := t.setOwner(ctx, blob.Owner{}, instance); err != nil {
		return err
	}
	t.fence.Lock()
	defer t.fence.Unlock()
	t.fence.createdToken = true // no copy of the database has it
	return nil
}

// setOwner writes the next token of an instance into the storage, and then into the database as its token. When it is
// interrupted, the storage has one of the two tokens that the database knows.
func (t *Tracker) setOwner(ctx context.Context, old blob.Owner, instance store.Instance) error {
	if err := t.blobs.SetOwner(ctx, old, blob.Owner{Instance: instance.ID, Token: instance.NextToken}); err != nil {
		return err
	}
	bound := instance
	bound.Token, bound.NextToken = instance.NextToken, ""
	return t.replaceInstance(ctx, instance, bound)
}

var errForeignFiles = errors.New("this storage has files that this database does not refer to, so they belong to another instance. " +
	"Name the database that they belong to, or another directory or bucket. To give them to this database on purpose, run " + adoptCommand)

// checkUnowned checks a storage without an owner. When this database refers to no blobs, the storage must have none.
// Otherwise it must have one of the first blobs that the database refers to.
func (t *Tracker) checkUnowned(ctx context.Context) error {
	files, err := t.access.Read(ctx).ReferencedBlobs("", 20)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return t.checkEmpty(ctx)
	}
	for _, f := range files {
		if exists, err := t.blobExists(ctx, f.Blob); exists || err != nil {
			return err
		}
	}
	return errors.New("the files that this database refers to are not in this storage. " +
		"Name their directory or bucket, or, when they are lost, run " + adoptCommand)
}

// checkEmpty refuses a storage that has blobs.
func (t *Tracker) checkEmpty(ctx context.Context) error {
	return t.blobs.List(ctx, func(blob.Entry) error { return errForeignFiles })
}

// CheckUnused refuses a storage that has an owner or blobs, unless the owner is the instance that is restored. It is
// for a database that is not there yet and cannot adopt them.
func CheckUnused(ctx context.Context, blobs blob.Store, restored string) error {
	used := errors.New("there is no Bugslice database, and this storage has the files of an instance; no database was created. " +
		"Name the database that they belong to, or another directory or bucket")
	owner, err := blobs.Owner(ctx)
	switch {
	case err != nil:
		return err
	case owner == blob.Owner{}:
		return blobs.List(ctx, func(blob.Entry) error { return used })
	case owner.Instance != restored:
		return used
	}
	return nil
}

// CheckNewFiles refuses a new database whose storage has files of another instance.
func (t *Tracker) CheckNewFiles(ctx context.Context) error {
	organizations, err := t.access.Read(ctx).Organizations()
	if err != nil || len(organizations) > 0 {
		return err
	}
	if instance, err := t.instance(ctx); err != nil || instance.ID != "" {
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

// RestoreFiles binds the new database into which the backup of an instance is restored. While that instance still owns
// the storage, the database is a copy: it deletes no files until it adopts them.
func (o *Operator) RestoreFiles(ctx context.Context, backedUpID string) error {
	t := o.t
	owner, err := t.blobs.Owner(ctx)
	if err != nil {
		return err
	}
	if backedUpID != "" && owner.Instance == backedUpID {
		err := access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
			return tx.InsertInstance(store.Instance{ID: backedUpID})
		})
		if err != nil {
			return err
		}
	}
	return t.BindFiles(ctx)
}

// AdoptFiles makes the database the owner of the storage. A former owner deletes nothing from it any more.
func (o *Operator) AdoptFiles(ctx context.Context) error {
	t := o.t
	origin, err := t.access.Origin(ctx)
	if err != nil {
		return err
	}
	owner, err := t.blobs.Owner(ctx)
	if err != nil {
		return err
	}
	token := rand.Text()
	instance, err := access.SystemWrite(ctx, t.authority, func(tx *access.Tx) (store.Instance, error) {
		err := tx.InsertInstance(store.Instance{ID: rand.Text()}) // unless the database has an instance
		if err != nil {
			return store.Instance{}, err
		}
		old, err := tx.Instance()
		if err != nil {
			return old, err
		}
		next := store.Instance{ID: old.ID, Token: old.Token, NextToken: token, Origin: origin}
		return next, checkReplaced(tx.ReplaceInstance(old, next))
	})
	if err != nil {
		return err
	}
	return t.setOwner(ctx, owner, instance)
}

func (t *Tracker) replaceInstance(ctx context.Context, old, next store.Instance) error {
	return access.SystemChange(ctx, t.authority, func(tx *access.Tx) error {
		return checkReplaced(tx.ReplaceInstance(old, next))
	})
}

func checkReplaced(replaced bool, err error) error {
	if err == nil && !replaced {
		err = errors.New("another process has changed the owner of the files; try again")
	}
	return err
}

// checkFence compares the database with the owner of the storage and suspends or resumes deletion. It returns both as
// they were at one time.
func (t *Tracker) checkFence(ctx context.Context) (store.Instance, blob.Owner, error) {
	origin, err := t.access.Origin(ctx)
	if err != nil {
		return store.Instance{}, blob.Owner{}, err
	}
	before, err := t.instance(ctx)
	for err == nil {
		var owner blob.Owner
		var instance store.Instance
		if owner, err = t.blobs.Owner(ctx); err != nil {
			break
		}
		if instance, err = t.instance(ctx); err == nil && instance == before {
			t.setSuspension(suspensionReason(instance, owner, origin))
			return instance, owner, nil
		}
		before = instance // another node has renewed the token meanwhile
	}
	return store.Instance{}, blob.Owner{}, err
}

// suspensionReason returns why a database must not delete files from a storage, empty when it may.
func suspensionReason(instance store.Instance, owner blob.Owner, origin string) string {
	switch {
	case instance.ID == "" || owner.Instance != instance.ID:
		return "the files belong to another instance now"
	case instance.Origin != origin:
		return "this database is a copy, or was moved or restored"
	case owner.Token == "" || owner.Token != instance.Token && owner.Token != instance.NextToken:
		return "another copy of this database has used the files since"
	}
	return ""
}

// setSuspension suspends deletion for a reason, or resumes it without one, and logs the change.
func (t *Tracker) setSuspension(reason string) {
	t.fence.Lock()
	defer t.fence.Unlock()
	now := t.now()
	if reason != "" {
		t.fence.ownedSince, t.fence.createdToken = time.Time{}, false
	} else if t.fence.ownedSince.IsZero() {
		t.fence.ownedSince = now
	}
	switch {
	case reason != "" && (reason != t.fence.reason || now.Sub(t.fence.loggedAt) >= logAgainAfter):
		t.fence.loggedAt = now
		t.log.Error("removal of files is suspended: another database may use their storage; "+
			"if this database alone uses it, run "+adoptCommand, "reason", reason)
	case reason == "" && t.fence.reason != "":
		t.log.Info("removal of files is resumed: this database owns their storage")
	}
	t.fence.reason = reason
}

// RemovalSuspended returns why this node deletes no files, empty when it deletes them.
func (t *Tracker) RemovalSuspended() string {
	t.fence.Lock()
	defer t.fence.Unlock()
	return t.fence.reason
}

// removalAllowed checks the fence. A process that has not created the instance must own the storage for fenceWait
// before it renews the token: a renewal by another process in that time shows that this database is a copy.
func (t *Tracker) removalAllowed(ctx context.Context) (bool, error) {
	if _, _, err := t.checkFence(ctx); err != nil {
		return false, err
	}
	t.fence.Lock()
	defer t.fence.Unlock()
	return t.fence.reason == "" && (t.fence.createdToken || t.now().Sub(t.fence.ownedSince) >= fenceWait), nil
}

// renewFence writes a new token into the database and the storage.
func (t *Tracker) renewFence(ctx context.Context) error {
	instance, owner, err := t.checkFence(ctx)
	if err != nil {
		return err
	}
	if reason := t.RemovalSuspended(); reason != "" {
		return fmt.Errorf("removal of files is suspended: %s", reason)
	}
	renewing := store.Instance{ID: instance.ID, Token: owner.Token, NextToken: rand.Text(), Origin: instance.Origin}
	if err := t.replaceInstance(ctx, instance, renewing); err != nil {
		return err
	}
	return t.setOwner(ctx, owner, renewing)
}

// blobExists reports whether the storage has a blob.
func (t *Tracker) blobExists(ctx context.Context, key string) (bool, error) {
	r, err := t.blobs.Open(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, r.Close()
}
