package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// DeletedUser replaces the name and the e-mail address of an erased user.
const DeletedUser = "Deleted user"

// Erasure is the erasure of a user in progress.
type Erasure struct {
	UserID, OrgID string
	Email         string   // in lower case
	Names         []string // the present name and former ones
	Step          int      // the index of a table of ErasedTables
	After         string   // the primary key of the row after which the step continues; empty at its beginning
}

// ErasedTable is a table whose rows name users.
type ErasedTable struct {
	Name        string
	key         []string // the primary key
	inOrg       string   // selects the rows of the organisation $1
	workspace   string   // of a row, to which its texts are charged; empty for none
	ownerColumn string   // with the id of the user to whom a row belongs; empty for none
	nameColumn  string   // with the name of that user; empty for none
	texts       []string // columns
	documents   []string // columns with JSON
	versioned   bool
	Query       string // the text that is a query, in which the id takes the place of an e-mail address; empty for none
}

const (
	workspacesOfOrg = "(SELECT w.id FROM workspaces w WHERE w.org_id = $1)"
	slicesOfOrg     = "slice_id IN (SELECT s.id FROM slices s WHERE s.workspace_id IN " + workspacesOfOrg + ")"
	workspaceOfRow  = "(SELECT s.workspace_id FROM slices s WHERE s.id = t.slice_id)"
)

// ErasedTables are the tables that an erasure walks, in its order. Events and stored responses contain copies of the
// records before them, and come last.
var ErasedTables = []ErasedTable{
	{Name: "slices", key: []string{"id"}, inOrg: "workspace_id IN " + workspacesOfOrg, workspace: "t.workspace_id",
		ownerColumn: "reporter_id", nameColumn: "reporter_name", versioned: true,
		texts: members.erased(textContent), documents: members.erased(documentContent)},
	{Name: "occurrences", key: []string{"slice_id", "number"}, inOrg: slicesOfOrg, workspace: workspaceOfRow,
		ownerColumn: "reporter_id", nameColumn: "reporter_name", documents: []string{"via", "environment", "metadata"}},
	{Name: "comments", key: []string{"id"}, inOrg: slicesOfOrg, workspace: workspaceOfRow,
		ownerColumn: "author_id", nameColumn: "author_name", texts: []string{"body"},
		documents: []string{"via"}},
	{Name: "attachments", key: []string{"id"}, inOrg: "workspace_id IN " + workspacesOfOrg,
		ownerColumn: "creator_id", nameColumn: "creator_name", texts: []string{"name", "symptoms"},
		documents: []string{"reviewed"}},
	{Name: "views", key: []string{"id"}, inOrg: "workspace_id IN " + workspacesOfOrg, texts: []string{"name", "query"},
		versioned: true, Query: "query"},
	{Name: "spaces", key: []string{"id"}, inOrg: "workspace_id IN " + workspacesOfOrg,
		texts:     []string{"name", "description"},
		versioned: true},
	{Name: "webhooks", key: []string{"id"}, inOrg: "org_id = $1", texts: []string{"description", "query"}, versioned: true,
		Query: "query"},
	{Name: "sources", key: []string{"id"}, inOrg: "org_id = $1", documents: []string{"settings"}, versioned: true},
	{Name: "submissions", key: []string{"id"}, inOrg: "workspace_id IN " + workspacesOfOrg, documents: []string{"document"}},
	{Name: "submission_files", key: []string{"submission_id", "blob"},
		inOrg:     "submission_id IN (SELECT u.id FROM submissions u WHERE u.workspace_id IN " + workspacesOfOrg + ")",
		documents: []string{"document"}},
	{Name: "api_keys", key: []string{"id"}, inOrg: "org_id = $1", texts: []string{"name"}},
	{Name: "workspaces", key: []string{"id"}, inOrg: "org_id = $1", texts: []string{"name", "description"},
		documents: []string{"redaction", "report_templates", "label_colors"}, versioned: true},
	{Name: "events", key: []string{"id"}, inOrg: "org_id = $1", workspace: "t.workspace_id",
		ownerColumn: "subject_id", documents: []string{"data"}},
	{Name: "idempotency_keys", key: []string{"principal", "operation", "key"},
		inOrg:     "principal IN (SELECT u.id FROM users u WHERE u.org_id = $1 UNION ALL SELECT k.id FROM api_keys k WHERE k.org_id = $1)",
		workspace: "t.workspace_id", documents: []string{"answer"}},
	{Name: "delivery_attempts", key: []string{"id"},
		inOrg:     "delivery_id IN (SELECT d.id FROM deliveries d WHERE d.workspace_id IN " + workspacesOfOrg + ")",
		documents: []string{"body"}},
}

// condition returns the condition of the rows that an erasure changes. Its parameters begin with the organisation.
func (e *Erasure) condition(p *sqldb.Params, t ErasedTable) string {
	inOrg := strings.ReplaceAll(t.inOrg, "$1", p.Add(e.OrgID))
	var any []string
	if t.ownerColumn != "" {
		any = append(any, "t."+t.ownerColumn+" = "+p.Add(e.UserID))
	}
	email := p.Add(addressPattern(e.Email))
	for _, column := range t.columns() {
		any = append(any, "lower(t."+column+") LIKE "+email+" ESCAPE '!'")
	}
	contained := []string{likePattern(e.UserID)}
	for _, name := range e.Names {
		if encoded, err := json.Marshal(name); err == nil {
			contained = append(contained, likePattern(string(encoded)))
		}
	}
	for _, text := range contained {
		if len(t.documents) == 0 {
			break
		}
		pattern := p.Add(text)
		for _, column := range t.documents {
			any = append(any, "t."+column+" LIKE "+pattern+" ESCAPE '!'")
		}
	}
	return inOrg + " AND (" + strings.Join(any, " OR ") + ")"
}

// likePattern returns the pattern of texts that contain a text.
func likePattern(text string) string {
	return "%" + strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(text) + "%"
}

// addressPattern returns the pattern of texts that may contain an e-mail address. Each other character than ASCII
// letters, digits and dots matches any text, because JSON and URLs escape it, and SQLite knows no case of it.
func addressPattern(email string) string {
	return "%" + strings.Map(func(c rune) rune {
		if c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' {
			return c
		}
		return '%'
	}, email) + "%"
}

// RowKey is the primary key of a row.
type RowKey []any

// String returns the key as it is stored.
func (k RowKey) String() string {
	b, err := json.Marshal(k)
	if err != nil {
		panic(err) // texts and numbers
	}
	return string(b)
}

func parseRowKey(text string) (k RowKey, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&k); err != nil {
		return nil, err
	}
	for i, v := range k {
		if n, ok := v.(json.Number); ok {
			if k[i], err = n.Int64(); err != nil {
				return nil, err
			}
		}
	}
	return k, nil
}

// ErasureRows returns the keys of at most limit rows of a table that an erasure changes, after its position.
func (q Queries) ErasureRows(t ErasedTable, e *Erasure, limit int) ([]RowKey, error) {
	var p sqldb.Params
	where := e.condition(&p, t)
	if e.After != "" {
		after, err := parseRowKey(e.After)
		if err != nil {
			return nil, err
		}
		where += " AND (t." + strings.Join(t.key, ", t.") + ") > " + sqldb.In(&p, after)
	}
	columns := "t." + strings.Join(t.key, ", t.")
	return sqldb.List(q.db, func(r sqldb.Row) (RowKey, error) {
		k, targets := make(RowKey, len(t.key)), make([]any, len(t.key))
		for i := range k {
			targets[i] = &k[i]
		}
		err := r.Scan(targets...)
		for i := range k {
			if b, ok := k[i].([]byte); ok {
				k[i] = string(b)
			}
		}
		return k, err
	}, "SELECT "+columns+" FROM "+t.Name+" t WHERE "+where+" ORDER BY "+columns+" LIMIT "+p.Add(limit), p.Args...)
}

// CountErasureRows returns the number of rows of a table that an erasure changes.
func (q Queries) CountErasureRows(t ErasedTable, e *Erasure) (int64, error) {
	var p sqldb.Params
	where := e.condition(&p, t)
	return sqldb.One(q.db, sqldb.ScanOne[int64], "SELECT count(*) FROM "+t.Name+" t WHERE "+where, p.Args...)
}

// erasableRow is a row of an ErasedTable.
type erasableRow struct {
	workspaceID, ownerID *string
	values               []*string // of the texts and the documents
}

// columns returns the columns of texts and of documents.
func (t ErasedTable) columns() []string {
	return append(append([]string{}, t.texts...), t.documents...)
}

// lockErasable reads a row with a row lock; ErrNotFound for a row that was deleted meanwhile.
func (tx *Tx) lockErasable(t ErasedTable, key RowKey) (erasableRow, error) {
	workspace, owner := t.workspace, t.ownerColumn
	if workspace == "" {
		workspace = "NULL"
	}
	if owner == "" {
		owner = t.key[0]
	}
	columns := t.columns()
	var p sqldb.Params
	where := "(t." + strings.Join(t.key, ", t.") + ") = " + sqldb.In(&p, key)
	return sqldb.One(tx.db, func(r sqldb.Row) (e erasableRow, err error) {
		e.values = make([]*string, len(columns))
		targets := []any{&e.workspaceID, &e.ownerID}
		for i := range e.values {
			targets = append(targets, &e.values[i])
		}
		return e, r.Scan(targets...)
	}, "SELECT "+workspace+", t."+owner+", t."+strings.Join(columns, ", t.")+" FROM "+t.Name+" t WHERE "+where+
		tx.db.Engine.LockRow, p.Args...)
}

// EraseRow replaces the texts and documents of a row by the results of rewrite, and the name of the user if the row
// belongs to the user (isOwner). It charges the workspace for the difference in bytes. It skips a row that was deleted
// meanwhile.
func (tx *Tx) EraseRow(t ErasedTable, e *Erasure, key RowKey,
	rewrite func(column, text string, isDocument, isOwner bool) string,
) error {
	stored, err := tx.lockErasable(t, key)
	if err != nil {
		if errors.Is(err, ErrNotFound) {
			err = nil
		}
		return err
	}
	isOwner := t.ownerColumn != "" && stored.ownerID != nil && *stored.ownerID == e.UserID
	var p sqldb.Params
	set, difference := t.replacements(stored, &p, func(column, text string, isDocument bool) string {
		return rewrite(column, text, isDocument, isOwner)
	})
	textChanged := len(set) > 0
	if isOwner && t.nameColumn != "" {
		set = append(set, t.nameColumn+" = "+p.Add(DeletedUser))
	}
	if len(set) == 0 {
		return nil
	}
	if t.versioned {
		set = append(set, "version = version + 1")
	}
	if stored.workspaceID != nil {
		tx.Charge(*stored.workspaceID, difference)
	}
	update := func() error {
		text := "UPDATE " + t.Name + " SET " + strings.Join(set, ", ") + " WHERE (" + strings.Join(t.key, ", ") +
			") = " + sqldb.In(&p, key)
		return tx.db.Exec(text, p.Args...)
	}
	id, _ := key[0].(string)
	switch {
	case t.Name == "slices" && textChanged:
		return tx.eraseSlice(id, update)
	case t.Name == "comments" && textChanged:
		return tx.eraseComment(id, update)
	case t.Name == "attachments" && textChanged:
		return tx.eraseFile(id, update)
	}
	return update()
}

// replacements returns the assignments of the texts and documents that rewrite changes, and the number of bytes by
// which they become longer.
func (t ErasedTable) replacements(stored erasableRow, p *sqldb.Params,
	rewrite func(column, text string, isDocument bool) string) (
	set []string, difference int64,
) {
	for i, text := range stored.values {
		if text == nil {
			continue
		}
		if changed := rewrite(t.columns()[i], *text, i >= len(t.texts)); changed != *text {
			set = append(set, t.columns()[i]+" = "+p.Add(changed))
			difference += int64(len(changed) - len(*text))
		}
	}
	return set, difference
}

// eraseSlice changes the texts of a slice, and what is derived from them.
func (tx *Tx) eraseSlice(id string, update func() error) error {
	former, err := tx.Slice(id)
	if err != nil {
		return err
	}
	if err := update(); err != nil {
		return err
	}
	s, err := tx.Slice(id)
	if err != nil {
		return err
	}
	tx.recount(&s, former.counted(), s.counted())
	return errors.Join(tx.replaceTextFiles(s.ID, "", s.Description), tx.updateDocument(&former, &s))
}

// eraseComment changes the text of a comment, and what is derived from it.
func (tx *Tx) eraseComment(id string, update func() error) error {
	former, err := tx.Comment(id)
	if err != nil {
		return err
	}
	if err := update(); err != nil {
		return err
	}
	c, err := tx.Comment(id)
	if err != nil {
		return err
	}
	return errors.Join(tx.replaceTextFiles(c.SliceID, c.ID, &c.Body),
		tx.replaceFurtherText(c.SliceID, furtherText{text: former.Body}, furtherText{text: c.Body}))
}

// eraseFile changes the texts of a file, and the words by which its slice is found.
func (tx *Tx) eraseFile(id string, update func() error) error {
	former, err := tx.Attachment(id)
	if err != nil {
		return err
	}
	if err := update(); err != nil {
		return err
	}
	a, err := tx.Attachment(id)
	if err != nil {
		return err
	}
	return tx.replaceFurtherText(a.SliceID, former.words(), a.words())
}

// EraseUser stores that a user is erased: it has no name, no e-mail address, no password, no views, no reactions,
// no picture, no factors, and no names of keys.
func (tx *Tx) EraseUser(userID string, at api.Time) error {
	if err := tx.db.Exec(`UPDATE users SET name = $2, email = $3, password_hash = '', erased_at = $4, theme = 'system',
		time_zone = 'UTC', picture = '', role = 'member', version = version + 1 WHERE id = $1`, userID, DeletedUser, "deleted-"+userID,
		at.UnixMilli()); err != nil {
		return err
	}
	if err := tx.db.Exec("UPDATE api_keys SET name = $2, last_used_address = NULL, last_used_agent = NULL WHERE user_id = $1",
		userID, DeletedUser); err != nil {
		return err
	}
	if err := tx.Notices().DeleteUser(userID); err != nil {
		return err
	}
	if err := tx.Factors().RemoveAll(userID); err != nil {
		return err
	}
	return tx.execEach(userID, "DELETE FROM views WHERE user_id = $1", "DELETE FROM shares WHERE user_id = $1",
		"DELETE FROM reactions WHERE user_id = $1", "DELETE FROM user_pictures WHERE user_id = $1",
		"UPDATE oauth_grants SET client_name = '' WHERE user_id = $1", "DELETE FROM identities WHERE user_id = $1")
}

// FormerNames returns the names that a user had, as the audit log has them.
func (q Queries) FormerNames(userID string) (names []string, err error) {
	data, err := sqldb.List(q.db, sqldb.ScanOne[string],
		"SELECT data FROM events WHERE subject_id = $1 AND type = $2", userID, api.EventUserUpdated)
	for _, text := range data {
		var former struct{ Previous struct{ Name string } }
		if json.Unmarshal([]byte(text), &former) == nil && former.Previous.Name != "" {
			names = append(names, former.Previous.Name)
		}
	}
	return names, err
}

// InsertErasure stores an erasure that begins.
func (tx *Tx) InsertErasure(e Erasure) error {
	names, err := json.Marshal(e.Names)
	if err != nil {
		return err
	}
	return tx.db.Exec("INSERT INTO erasures (user_id, org_id, email, names) VALUES ($1, $2, $3, $4)",
		e.UserID, e.OrgID, e.Email, string(names))
}

// Erasures returns the erasures in progress.
func (q Queries) Erasures() ([]Erasure, error) {
	return sqldb.List(q.db, func(r sqldb.Row) (e Erasure, err error) {
		var names string
		if err = r.Scan(&e.UserID, &e.OrgID, &e.Email, &names, &e.Step, &e.After); err == nil && names != "" {
			err = json.Unmarshal([]byte(names), &e.Names)
		}
		return e, err
	}, "SELECT user_id, org_id, email, names, step, after FROM erasures ORDER BY user_id")
}

// AdvanceErasure stores the position of an erasure. After the last step it forgets what was searched for.
func (tx *Tx) AdvanceErasure(e Erasure) error {
	if e.Step >= len(ErasedTables) {
		return tx.db.Exec("UPDATE erasures SET step = $2, after = '', email = '', names = '' WHERE user_id = $1",
			e.UserID, e.Step)
	}
	return tx.db.Exec("UPDATE erasures SET step = $2, after = $3 WHERE user_id = $1", e.UserID, e.Step, e.After)
}

// DeleteErasure deletes an erasure that is complete.
func (tx *Tx) DeleteErasure(userID string) error {
	return tx.db.Exec("DELETE FROM erasures WHERE user_id = $1", userID)
}

// compacted are the tables whose deleted rows have content.
var compacted = []string{"users", "user_pictures", "slices", "slice_terms", "occurrences", "comments", "attachments", "text_files",
	"events",
	"idempotency_keys", "delivery_attempts"}

// Compact overwrites the content of deleted rows. On SQLite the whole file is written again, while other writes wait,
// and the log is emptied, which waits a minute for its readers, else the error is an ErrUnavailable. On PostgreSQL
// the space of deleted rows is released for others.
func (s *Store) Compact(ctx context.Context) error {
	if err := s.db.Compact(ctx, compacted); err != nil {
		return fmt.Errorf("compact the database: %w", err)
	}
	return nil
}
