package store

import (
	"fmt"
	"strings"

	"bugslice/internal/store/sqldb"
)

// rightsTables are the tables whose changes raise the epoch of rights, with the columns whose changes do; all columns
// when there are none. The last use of a key is no right.
var rightsTables = []struct{ table, columns string }{
	{"api_keys", "id, org_id, type, name, scopes, user_id, workspace_id, last4, created_by_user, created_by_key, created_at, expires_at, " +
		"rotated_at, revoked_at"},
	{"key_tokens", ""}, {"users", ""}, {"memberships", ""}, {"organizations", ""},
}

// rightsTriggers returns the statements that let SQLite raise the epoch, whoever changes a table.
func rightsTriggers() string {
	var b strings.Builder
	for _, t := range rightsTables {
		update := "UPDATE"
		if t.columns != "" {
			update += " OF " + t.columns
		}
		for name, change := range map[string]string{"inserted": "INSERT", "deleted": "DELETE", "updated": update} {
			b.WriteString(raisesRights(t.table+"_"+name, change, t.table))
		}
	}
	return b.String()
}

// raisesRights returns the statement that lets SQLite raise the epoch when a table changes.
func raisesRights(trigger, change, table string) string {
	return fmt.Sprintf("-- +goose StatementBegin\nCREATE TRIGGER %s AFTER %s ON %s "+
		"BEGIN UPDATE rights_epoch SET epoch = epoch + 1; END;\n-- +goose StatementEnd\n", trigger, change, table)
}

// RightsEpoch returns a number that is greater after each change of what Credential and MembershipsOf return, but for
// the last use of a key. What was read after it is up to date as long as it stays the same. ok is false on
// PostgreSQL, which counts no changes.
func (q Queries) RightsEpoch() (epoch int64, ok bool, err error) {
	if !q.db.Engine.IsEmbedded {
		return 0, false, nil
	}
	epoch, err = sqldb.One(q.brief().db, sqldb.ScanOne[int64], "SELECT epoch FROM rights_epoch")
	return epoch, err == nil, err
}

// brief returns queries for statements that SQLite answers within microseconds.
func (q Queries) brief() Queries {
	q.db = q.db.Brief()
	return q
}
