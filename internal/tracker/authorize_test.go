package tracker_test

import (
	"context"
	"database/sql"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/operator"
	"bugslice/internal/store"
)

// key mints a PAT of the owner with every scope and returns its caller and its id.
func (w *world) key(t *testing.T) (access.Caller, string) {
	t.Helper()
	k, err := w.CreateKey(t.Context(), w.owner, valid(api.CreateKey{Body: api.KeyFields{Name: "k",
		Type: api.PAT, Scopes: api.AllScopes()}}))
	must(t, err)
	c, err := w.Authenticate(t.Context(), k.Token)
	must(t, err)
	return c, k.ID
}

// block holds the writer, or on PostgreSQL the workspace's row lock, until release is called.
func (w *world) block(t *testing.T) (release func()) {
	t.Helper()
	begun, end, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- w.store.Write(context.Background(), func(tx *store.Tx) error {
			_, err := tx.LockWorkspaceCounters(w.workspace)
			close(begun)
			<-end
			return err
		})
	}()
	<-begun
	return func() {
		close(end)
		must(t, <-done)
	}
}

// waits waits until a number of transactions wait for what block began: in the queue of the writer, or for a row lock.
func (w *world) waits(t *testing.T, n int) {
	t.Helper()
	waiting := func() int { return w.store.Stats().WriteQueue }
	if w.store.Engine() == "postgres" {
		db, err := sql.Open("pgx", w.url)
		must(t, err)
		defer db.Close()
		waiting = func() (locked int) {
			must(t, db.QueryRow(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = `+
				`'Lock'`).Scan(&locked))
			return locked
		}
	}
	for deadline := time.Now().Add(20 * time.Second); waiting() < n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d transactions wait, not %d", waiting(), n)
		}
	}
}

// releaseAfter ends what block began, when a change that ends a right has been committed. On SQLite the
// change waits in the queue itself, beside the writes that it ends: as many transactions as are waiting.
func (w *world) releaseAfter(t *testing.T, waiting int, ended <-chan error, release func()) {
	t.Helper()
	if w.store.Engine() == "postgres" {
		must(t, <-ended)
		release()
		return
	}
	w.waits(t, waiting)
	release()
	must(t, <-ended)
}

func (w *world) fileAs(c access.Caller) error {
	_, err := w.CreateSlice(context.Background(), c,
		valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
			SliceFields: api.SliceFields{Summary: "late"}}}))
	return err
}

// TestQueuedWritesEndWithTheirRights: a write that waits for the writer, or for a row lock, is refused
// when its key was revoked before its commit.
func TestQueuedWritesEndWithTheirRights(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		c, keyID := w.key(t)
		release := w.block(t)
		revoked, filed := make(chan error, 1), make(chan error, 1)
		revoke := func() {
			revoked <- second(w.RevokeKey(context.Background(), w.owner, valid(api.RevokeKey{KeyID: keyID})))
		}
		file := func() { filed <- w.fileAs(c) }
		first, next := revoke, file
		if w.store.Engine() == "postgres" { // the write has passed its first check when the revocation commits
			first, next = file, revoke
		}
		go first()
		w.waits(t, 1)
		go next()
		w.releaseAfter(t, 2, revoked, release)
		if err := <-filed; code(err) != api.CodeUnauthorized {
			t.Errorf("filed after the revocation: %v", err)
		}
		list, err := w.ListSlices(t.Context(), w.owner,
			valid(api.ListSlices{SliceFilters: api.SliceFilters{WorkspaceID: w.workspace},
				Paging: api.Paging{Limit: 10}}))
		must(t, err)
		if len(list.Data) != 0 {
			t.Errorf("%d slices were stored", len(list.Data))
		}
	})
}

// TestRevocationWaitsForLastingChanges: a change that outlives a token is committed before the revocation of the key,
// or not at all.
func TestRevocationWaitsForLastingChanges(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		if w.store.Engine() == "sqlite" {
			t.Log("writes are serial on SQLite: there is no row lock to wait for")
		}
		c, keyID := w.key(t)
		release := w.block(t)
		minted, revoked := make(chan error, 1), make(chan error, 1)
		go func() {
			minted <- second(w.CreateKey(context.Background(), c,
				valid(api.CreateKey{Body: api.KeyFields{Name: "wst", Type: api.WST,
					Scopes: []api.Scope{api.SlicesRead}, WorkspaceID: &w.workspace}})))
		}()
		w.waits(t, 1)
		go func() {
			revoked <- second(w.RevokeKey(context.Background(), w.owner, valid(api.RevokeKey{KeyID: keyID})))
		}()
		select {
		case err := <-revoked:
			t.Errorf("the revocation did not wait for the key that was being minted: %v", err)
		case <-time.After(300 * time.Millisecond):
		}
		release()
		must(t, <-minted)
		must(t, <-revoked)
		if err := w.fileAs(c); code(err) != api.CodeUnauthorized {
			t.Errorf("the key works after its revocation: %v", err)
		}
	})
}

// TestLostRolesEndWrites: a role that is lowered while a write waits ends it.
func TestLostRolesEndWrites(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		admin, err := w.In(w.owner.Organization).
			AddUser(t.Context(), operator.NewUser{Email: "admin@test.example", WithToken: true})
		must(t, err)
		must(t, w.In(w.owner.Organization).PutMember(t.Context(), w.workspace, admin.UserID, api.RoleAdmin))
		c, err := w.Authenticate(t.Context(), admin.Token)
		must(t, err)
		slice := w.file(t, "owned", "")
		comment, err := w.CreateComment(t.Context(), w.owner,
			valid(api.CreateComment{SliceID: slice.ID, Body: api.CommentFields{Body: "mine"}}))
		must(t, err)
		must(t, w.In(w.owner.Organization).PutMember(t.Context(), w.workspace, admin.UserID, api.RoleMember))
		if _, err := w.DeleteComment(t.Context(), c,
			valid(api.DeleteComment{CommentID: comment.ID})); code(err) != api.CodeForbidden {
			t.Errorf("a member deletes another's comment: %v", err)
		}
		must(t, w.In(w.owner.Organization).RemoveMember(t.Context(), w.workspace, admin.UserID))
		if err := w.fileAs(c); code(err) != api.CodeNotFound {
			t.Errorf("who left still files: %v", err)
		}
		must(t, w.In(w.owner.Organization).PutMember(t.Context(), w.workspace, admin.UserID, api.RoleMember))
		must(t, w.Operator.DisableUser(t.Context(), admin.UserID))
		if err := w.fileAs(c); code(err) != api.CodeUnauthorized {
			t.Errorf("a disabled account still files: %v", err)
		}
	})
}

// TestQueuedWritesEndWithTheirRole: a filing that waits for the writer, or for a row lock, is refused when the
// membership ended before its commit.
func TestQueuedWritesEndWithTheirRole(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		u := w.user(t, "u@test.example")
		c := w.authenticate(t, u.Token)
		release := w.block(t)
		ended, filed := make(chan error, 1), make(chan error, 1)
		end := func() {
			ended <- w.store.Write(context.Background(),
				func(tx *store.Tx) error { return tx.DeleteMember(w.workspace, u.UserID) })
		}
		file := func() { filed <- w.fileAs(c) }
		first, next := end, file
		if w.store.Engine() == "postgres" { // the filing has passed its check when the membership ends
			first, next = file, end
		}
		go first()
		w.waits(t, 1)
		go next()
		w.releaseAfter(t, 2, ended, release)
		if err := <-filed; code(err) != api.CodeNotFound {
			t.Errorf("filed after the membership ended: %v", err)
		}
	})
}

// waitForMemberLock waits until another transaction has locked a membership of the workspace. On SQLite, where the
// writer is blocked, it waits for the queue.
func (w *world) waitForMemberLock(t *testing.T, userID string) {
	t.Helper()
	undone := errors.New("undone")
	for range 50 {
		if w.store.Engine() == "sqlite" {
			w.waits(t, 1)
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		err := w.store.Write(ctx, func(tx *store.Tx) error {
			if err := tx.DeleteMember(w.workspace, userID); err != nil {
				return err
			}
			return undone
		})
		cancel()
		if !errors.Is(err, undone) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("the membership is not locked")
}

// TestRolesAreLockedForWhatOutlives: while an operation with a lasting effect is under way, the membership that it
// relies on does not end.
func TestRolesAreLockedForWhatOutlives(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		u := w.user(t, "u@test.example")
		c := w.authenticate(t, u.Token)
		release := w.block(t)
		made, ended := make(chan error, 1), make(chan error, 1)
		go func() {
			made <- second(w.CreateSpace(context.Background(), c,
				valid(api.CreateSpace{WorkspaceID: w.workspace, Body: api.SpaceFields{Name: "new"}})))
		}()
		w.waitForMemberLock(t, u.UserID)
		go func() {
			ended <- w.store.Write(context.Background(),
				func(tx *store.Tx) error { return tx.DeleteMember(w.workspace, u.UserID) })
		}()
		select {
		case err := <-ended:
			t.Errorf("the membership ended during the operation: %v", err)
			ended <- nil
		case <-time.After(300 * time.Millisecond):
		}
		release()
		must(t, <-made)
		must(t, <-ended)
	})
}

// TestCallersWithoutCredentials: a caller that was constructed without a credential, or with one that no authentication
// returned, writes nothing and continues no request. The memory of its request is reserved all the same.
func TestCallersWithoutCredentials(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		for name, credential := range map[string]access.Credential{
			"no credential": nil, "a key that was not read": access.Key{ID: w.owner.KeyID()},
		} {
			c := access.Caller{Principal: w.owner.Principal, Organization: w.owner.Organization,
				Scopes: api.AllScopes(), Credential: credential}
			if err := w.fileAs(c); code(err) != api.CodeUnauthorized {
				t.Errorf("%s: a slice is filed: %v", name, err)
			}
			if _, err := w.Reauthorize(t.Context(), c, api.OpListSlices); code(err) != api.CodeUnauthorized {
				t.Errorf("%s: a request continues: %v", name, err)
			}
			w.Reserve(c, func() {}).Release()
		}
	})
}

// TestResponsesOfAKey: the responses to one key leave memory for those to another key of the organisation.
func TestResponsesOfAKey(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		const size = 1 << 20
		other := w.authenticate(t, w.service(t).Token)
		reserved := 0
		for ; reserved < 1000; reserved++ {
			r, err := w.ReserveResponse(w.owner, size, func() {})
			if err != nil {
				break
			}
			defer r.Release()
		}
		if r, err := w.ReserveResponse(other, size, func() {}); err != nil {
			t.Errorf("after %d MiB of one key, another key is refused: %v", reserved, err)
		} else {
			r.Release()
		}
		if reserved < 2 || reserved == 1000 {
			t.Errorf("%d MiB of responses to one key", reserved)
		}
	})
}

// TestBackgroundWritesHaveNoCaller reads the source: no function that has a caller writes with the authority of
// background work.
func TestBackgroundWritesHaveNoCaller(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	must(t, err)
	found := 0
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		must(t, err)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || strings.HasSuffix(path, "_test.go") {
				continue
			}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok || s.Sel.Name != "SystemWrite" && s.Sel.Name != "SystemChange" {
					return true
				}
				if found++; hasCaller(f) {
					t.Errorf("%s has a caller and writes without it", f.Name.Name)
				}
				return true
			})
		}
	}
	if found < 20 {
		t.Errorf("only %d writes seen", found)
	}
}

// hasCaller reports whether a function has a Caller among its parameters.
func hasCaller(f *ast.FuncDecl) bool {
	return slices.ContainsFunc(f.Type.Params.List, func(p *ast.Field) bool {
		s, ok := p.Type.(*ast.SelectorExpr)
		return ok && s.Sel.Name == "Caller"
	})
}

// TestKeysLockEachOtherInOneOrder: keys that change each other lock rows in one order. A deadlock, which PostgreSQL
// detects after a second, would keep connections from everybody.
func TestKeysLockEachOtherInOneOrder(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		const rounds = 8
		slow := 0
		for range rounds {
			one, oneID := w.key(t)
			other, otherID := w.key(t)
			release := w.block(t) // on SQLite; on PostgreSQL they begin together by themselves
			begun, done := time.Now(), make(chan error, 2)
			go func() { done <- second(w.RotateKey(context.Background(), one, valid(api.RotateKey{KeyID: otherID}))) }()
			go func() { done <- second(w.RotateKey(context.Background(), other, valid(api.RotateKey{KeyID: oneID}))) }()
			release()
			first, then := <-done, <-done
			if first != nil && then != nil || first == nil && then == nil ||
				code(errors.Join(first, then)) != api.CodeUnauthorized {
				t.Errorf("one of two keys that rotate each other is served: %v, %v", first, then)
			}
			if time.Since(begun) > 900*time.Millisecond {
				slow++
			}
		}
		if slow > rounds/4 {
			t.Errorf("%d of %d rounds took long", slow, rounds)
		}
	})
}
