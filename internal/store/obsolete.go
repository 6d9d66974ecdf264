package store

import (
	"strings"

	"bugslice/internal/store/sqldb"
)

// obsolete are the tables and indexes that the index of terms has taken the place of. PostgreSQL drops them at once,
// in the migration. SQLite reads every page of what it drops, so that a database with slices drops them before it
// builds the index, one in a transaction, while it is served; the index is written to their pages. A transaction that
// drops one writes about a thousandth of its size.
var obsolete = []string{
	"INDEX slices_live",
	"INDEX slices_live_by_update",
	"INDEX slices_with_replays",
	"INDEX slices_with_screenshots",
	"INDEX slices_with_errors",
	"INDEX slices_with_failures",
	"INDEX slices_live_by_status",
	"INDEX slices_live_by_assignee",
	"INDEX slices_live_by_assignee_and_status",
	"INDEX slices_live_by_resolution",
	"INDEX slices_members",
	"INDEX slices_in_priority_order",
	"TABLE slice_search",
	"TABLE search_backfill",
	"TABLE live_facts",
	"TABLE live_labels",
	"TABLE slice_labels",
	"TABLE slice_metadata",
	"TABLE metadata_backfills",
	"TABLE mentions",
}

// dropStatements returns the statements that drop all that is obsolete.
func dropStatements() string { return "DROP " + strings.Join(obsolete, ";\nDROP ") + ";" }

// selectObsolete returns the SELECT of what SQLite drops next: the indexes of a table before the table.
func selectObsolete() string {
	names := make([]string, len(obsolete))
	for i, o := range obsolete {
		_, name, _ := strings.Cut(o, " ")
		names[i] = "'" + name + "'"
	}
	all := " IN (" + strings.Join(names, ", ") + ")"
	return "SELECT type || ' ' || name FROM sqlite_schema WHERE sql IS NOT NULL AND type IN ('index', 'table') AND (name" + all +
		" OR tbl_name" + all + ") ORDER BY type, name LIMIT 1"
}

// dropObsolete drops an obsolete table or index, and returns whether there was one.
func (tx *Tx) dropObsolete() (bool, error) {
	if tx.db.Engine.DropsAtOnce {
		return false, nil
	}
	next, err := sqldb.List(tx.db, sqldb.ScanOne[string], selectObsolete())
	if err != nil || len(next) == 0 {
		return false, err
	}
	return true, tx.db.Exec("DROP " + next[0])
}
