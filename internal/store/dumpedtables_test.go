package store_test

import (
	"slices"
	"testing"

	"bugslice/internal/store"
)

// omittedTables are the tables that a dump omits, with the reason.
var omittedTables = map[string]string{
	"goose_db_version":    "the migrations of the database that a dump is loaded into",
	"idempotency_keys":    "responses to repeat; they end with the instance",
	"instance":            "the binding to the storage of files; a restored instance binds itself",
	"jobs":                "when a job ran last",
	"key_refusals":        "counts that are deleted after 8 days",
	"invitations":         "a link that was used or revoked after the backup would work again after a restore",
	"oauth_clients":       "a program registers itself again",
	"oauth_devices":       "a code works for 10 minutes",
	"oauth_grants":        "a refresh token that was used after the backup would work again after a restore",
	"asked_reset_links":   "a link that was used after the backup would work again after a restore",
	"reset_links":         "a link that was used after the backup would work again after a restore",
	"provider_sessions":   "they go with the sessions",
	"used_answers":        "they expire after minutes",
	"pending_backfills":   "the backfills of the database that a dump is loaded into; Load derives what they would",
	"sessions":            "everybody signs in again after a restore",
	"shares":              "a link that was revoked after the backup would work again after a restore",
	"reporter_pages":      "an address that was ended after the backup would work again after a restore",
	"setup_links":         "a restored instance is not empty",
	"rights_epoch":        "a count of changes, which each database begins",
	"unreferenced_blobs":  "reservations in the storage of files",
	"recurring_slices":    "derived from slices by Load",
	"releases":            "derived from slices by Load",
	"slice_statistics":    "derived from slices by Load",
	"slice_terms":         "the index of terms, which the server builds",
	"slice_terms_build":   "Load begins to build the index",
	"pending_sign_ins":    "a sign-in is finished within 10 minutes",
	"answered_challenges": "a question expires after 10 minutes",
	"removed_factors":     "whoever signs in after a restore may have been told",
	"mails":               "what waits is sent by the instance that goes on, and not again by a restored one",
	"mail_notices":        "of mails; the inbox has the notices",
	"mail_turns":          "of mails",
	"used_tokens":         "a token expires after 10 minutes",
	"received_reports":    "they end with the instance, as responses to repeat do",
	"uploads":             "an upload expires after a day",
	"upload_pieces":       "of uploads",
	"email_changes":       "a link that was used after the backup would work again after a restore",

	// the parts of the search index on SQLite
	"slice_terms_config": "an index", "slice_terms_data": "an index", "slice_terms_idx": "an index",
	"slice_terms_postings": "a view of the index",
}

// TestEveryTableIsDumped: each table of the migrations is in a dump, or omitted for a reason.
func TestEveryTableIsDumped(t *testing.T) {
	engines(t, func(t *testing.T, s *store.Store, o store.Options) {
		db, driver := rawDatabase(t, o)
		text := map[string]string{
			"sqlite": "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
			"pgx":    "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()",
		}[driver]
		rows, err := db.Query(text)
		must(t, err)
		defer rows.Close()
		seen := 0
		for rows.Next() {
			var table string
			must(t, rows.Scan(&table))
			_, omitted := omittedTables[table]
			if dumped := slices.Contains(store.DumpedTables, table); dumped == omitted {
				t.Errorf("the table %s: in dumps %t, omitted for a reason %t", table, dumped, omitted)
			} else if dumped {
				seen++
			}
		}
		must(t, rows.Err())
		if seen != len(store.DumpedTables) {
			t.Errorf("%d of the %d dumped tables exist", seen, len(store.DumpedTables))
		}
	})
}
