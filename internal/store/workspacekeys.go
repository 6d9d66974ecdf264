package store

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"bugslice/internal/store/sqldb"
	"bugslice/internal/words"
)

// ReserveWorkspaceKey reserves w.Key for a workspace, for ever. It returns false when the key is, or was, that of
// another workspace of the organisation.
func (tx *Tx) ReserveWorkspaceKey(w *Workspace) (bool, error) {
	err := tx.db.Exec(`INSERT INTO workspace_keys (org_id, key, workspace_id) VALUES ($1, $2, $3)
		ON CONFLICT (org_id, key) DO NOTHING`, w.OrganizationID, w.Key, w.ID)
	if err != nil {
		return false, err
	}
	owner, err := sqldb.One(tx.db, sqldb.ScanOne[string],
		"SELECT workspace_id FROM workspace_keys WHERE org_id = $1 AND key = $2",
		w.OrganizationID, w.Key)
	return owner == w.ID, err
}

// AssignWorkspaceKey sets w.Key to a free key that is derived from the name, and reserves it. Its number counts the
// keys with the same letters.
func (tx *Tx) AssignWorkspaceKey(w *Workspace) error {
	return tx.assignKey(w, derivedKeys(w.Name))
}

// AssignRandomWorkspaceKey is AssignWorkspaceKey with a random number, which tells nothing about other keys.
func (tx *Tx) AssignRandomWorkspaceKey(w *Workspace) error {
	return tx.assignKey(w, randomKeys(w.Name))
}

func (tx *Tx) assignKey(w *Workspace, keys iter.Seq[string]) error {
	reserved, err := sqldb.List(tx.db, sqldb.ScanOne[string], "SELECT key FROM workspace_keys WHERE org_id = $1",
		w.OrganizationID)
	if err != nil {
		return err
	}
	for w.Key = range keys {
		if slices.Contains(reserved, w.Key) {
			continue
		}
		if ok, err := tx.ReserveWorkspaceKey(w); ok ||
			err != nil { // another transaction may have reserved it meanwhile
			return err
		}
	}
	return nil
}

const (
	derivedKeyLength = 3
	maxKeyLength     = 6
)

// derivedKeys returns keys for a workspace with a name, the best first: WEB, WEB2, WEB3 … for Web shop, and W1, W2 …
// for a name without a word of Latin letters.
func derivedKeys(name string) iter.Seq[string] {
	prefix := keyPrefix(name)
	if prefix == "" {
		return numberedKeys("W", 1)
	}
	return func(yield func(string) bool) {
		if yield(prefix) {
			numberedKeys(prefix, 2)(yield)
		}
	}
}

// keyPrefix returns the letters of a name with which its keys begin, empty for a name without a word of Latin letters.
func keyPrefix(name string) string {
	for _, word := range words.Split(name) {
		if prefix := strings.ToUpper(latinPrefix(word)); len(prefix) > 1 {
			return prefix
		}
	}
	return ""
}

// randomKeys returns keys for a workspace with a name in no order: WEB417, WEB903 … Many in vain are followed by
// longer numbers.
func randomKeys(name string) iter.Seq[string] {
	prefix := cmp.Or(keyPrefix(name), "W")
	return func(yield func(string) bool) {
		for n := 0; ; n++ {
			number := 100 + rand.IntN(900) //nolint:gosec // no secret
			if n > 100 {
				number = 10_000 + rand.IntN(90_000) //nolint:gosec // no secret
			}
			text := strconv.Itoa(number)
			if !yield(prefix[:min(len(prefix), maxKeyLength-len(text))] + text) {
				return
			}
		}
	}
}

// numberedKeys returns keys that begin with a prefix and end with a number, from first on. A long prefix is
// truncated, so that each key has at most maxKeyLength characters.
func numberedKeys(prefix string, first int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for n := first; ; n++ {
			number := strconv.Itoa(n)
			if !yield(prefix[:min(len(prefix), maxKeyLength-len(number))] + number) {
				return
			}
		}
	}
}

// latinPrefix returns the letters and digits with which a word begins, at most derivedKeyLength; none unless the
// first is a letter.
func latinPrefix(word string) string {
	for i := range len(word) {
		letter := 'a' <= word[i] && word[i] <= 'z'
		if digit := '0' <= word[i] && word[i] <= '9'; i == derivedKeyLength || !letter && (i == 0 || !digit) {
			return word[:i]
		}
	}
	return word
}

// assignMissingKeys assigns the keys of workspaces from before workspaces had keys, oldest first.
func (tx *Tx) assignMissingKeys() error {
	without, err := sqldb.List(tx.db, scanWorkspace,
		"SELECT "+workspaceColumns+" FROM workspaces w WHERE w.key = '' ORDER BY w.id"+tx.db.Engine.LockRow)
	if err != nil {
		return err
	}
	for _, w := range without {
		if err := tx.AssignWorkspaceKey(&w); err != nil {
			return err
		}
		if err := tx.db.Exec("UPDATE workspaces SET key = $2 WHERE id = $1", w.ID, w.Key); err != nil {
			return err
		}
	}
	return nil
}

// assignKeys is assignMissingKeys in a transaction, if there is a workspace without a key.
func (s *Store) assignKeys(ctx context.Context) error {
	n, err := sqldb.One(s.db.Read(ctx), sqldb.ScanOne[int64], "SELECT count(*) FROM workspaces WHERE key = ''")
	if err != nil || n == 0 {
		return err
	}
	return s.Write(ctx, func(tx *Tx) error { return tx.assignMissingKeys() })
}

// WorkspaceKey returns the key of a workspace.
func (q Queries) WorkspaceKey(workspaceID string) (string, error) {
	return sqldb.One(q.db, sqldb.ScanOne[string], "SELECT key FROM workspaces WHERE id = $1", workspaceID)
}

// SliceID returns the id of the slice with a number in the workspace of an organisation that has, or had, a key. The
// reader is a user, who must be a member of the workspace, or the workspace itself. For another one the slice does
// not exist.
func (q Queries) SliceID(orgID, reader, key string, number int64) (string, error) {
	return sqldb.One(q.db, sqldb.ScanOne[string], `SELECT s.id FROM workspace_keys k JOIN slices s ON s.workspace_id = k.workspace_id
		WHERE k.org_id = $1 AND k.key = $3 AND s.number = $4 AND (k.workspace_id = $2 OR
			EXISTS (SELECT 1 FROM memberships m WHERE m.workspace_id = k.workspace_id AND m.user_id = $2))`, orgID, reader, key, number)
}

// WorkspaceOfKey returns the id of the workspace of an organisation that has, or had, a key. The reader is that of
// SliceID.
func (q Queries) WorkspaceOfKey(orgID, reader, key string) (string, error) {
	return sqldb.One(q.db, sqldb.ScanOne[string], `SELECT k.workspace_id FROM workspace_keys k
		WHERE k.org_id = $1 AND k.key = $3 AND (k.workspace_id = $2 OR
			EXISTS (SELECT 1 FROM memberships m WHERE m.workspace_id = k.workspace_id AND m.user_id = $2))`, orgID, reader, key)
}

// Reference names a slice by a key that its workspace has, or had, and its number.
type Reference struct {
	Key    string
	Number int64
}

// SliceIDs returns the ids of the slices that references name, as SliceID does for one. A reference of no slice has
// no id.
func (q Queries) SliceIDs(orgID, reader string, references []Reference) (map[Reference]string, error) {
	ids := map[Reference]string{}
	if len(references) == 0 {
		return ids, nil
	}
	numbers := map[string][]int64{}
	for _, r := range references {
		numbers[r.Key] = append(numbers[r.Key], r.Number)
	}
	var p sqldb.Params
	org, who := p.Add(orgID), p.Add(reader)
	var lookups []string
	for _, key := range slices.Sorted(maps.Keys(numbers)) { // in order, so that the same references have the same statement
		lookups = append(lookups, `SELECT k.key, s.number, s.id FROM workspace_keys k JOIN slices s ON s.workspace_id = k.workspace_id
			WHERE k.org_id = `+org+" AND k.key = "+p.Add(key)+" AND s.number IN "+sqldb.In(&p, numbers[key])+" AND (k.workspace_id = "+who+`
				OR EXISTS (SELECT 1 FROM memberships m WHERE m.workspace_id = k.workspace_id AND m.user_id = `+who+"))")
	}
	type found struct {
		Reference
		id string
	}
	all, err := sqldb.List(q.db, func(r sqldb.Row) (f found, err error) { return f, r.Scan(&f.Key, &f.Number, &f.id) },
		strings.Join(lookups, " UNION ALL "), p.Args...)
	for _, f := range all {
		ids[f.Reference] = f.id
	}
	return ids, err
}
