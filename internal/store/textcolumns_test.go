package store_test

import (
	"database/sql"
	"slices"
	"strings"
	"testing"

	"bugslice/internal/store"
)

// notErased are the text columns in which an erasure replaces no name and no address, by the reason.
var notErased = map[string]string{
	"ids, and values of which the service has a list": `
		api_keys.created_by_key api_keys.created_by_user api_keys.id api_keys.org_id api_keys.scopes
		api_keys.type api_keys.user_id api_keys.workspace_id attachments.blob attachments.content_type
		attachments.creator_id attachments.creator_type attachments.id attachments.kind attachments.metadata
		attachments.sha256 attachments.slice_id attachments.thumbnail attachments.workspace_id
		comments.author_id comments.author_type comments.id comments.slice_id deliveries.event_id
		deliveries.event_type deliveries.id deliveries.status deliveries.webhook_id deliveries.workspace_id
		delivery_attempts.delivery_id delivery_attempts.id events.actor_id events.actor_key_id
		events.actor_session_id events.actor_type events.id events.org_id events.request_id events.subject_id
		events.subject_kind events.type events.workspace_id former_assignees.user_id
		former_assignees.workspace_id idempotency_keys.operation idempotency_keys.principal
		idempotency_keys.workspace_id instance.id instance.origin invitations.id invitations.org_id
		invitations.role invitations.user_id invitations.workspace_role invitations.workspaces jobs.name
		key_refusals.code key_refusals.key_id key_tokens.key_id memberships.role memberships.user_id
		memberships.workspace_id occurrences.reporter_id occurrences.reporter_type occurrences.slice_id
		organizations.id pending_backfills.name recurring_slices.slice_id recurring_slices.workspace_id
		reset_links.created_by reset_links.user_id sessions.id sessions.user_id shares.id shares.key_id
		shares.parts shares.slice_id shares.user_id shares.workspace_id slice_statistics.kind
		slice_statistics.workspace_id releases.workspace_id spaces.id spaces.workspace_id unreferenced_blobs.key
		users.id users.org_id users.role users.theme users.time_zone views.id views.user_id views.workspace_id
		webhook_secrets.id webhook_secrets.webhook_id webhooks.created_by_key webhooks.created_by_user
		webhooks.disabled_reason webhooks.event_types webhooks.grant_key webhooks.grant_scopes
		webhooks.grant_user webhooks.format webhooks.id webhooks.org_id webhooks.workspace_id
		webhook_messages.webhook_id webhook_messages.slice_id workspace_keys.key workspace_keys.org_id
		workspace_keys.workspace_id workspaces.id workspaces.key workspaces.org_id workspaces.time_zone
		user_pictures.user_id reactions.slice_id reactions.comment_id reactions.kind reactions.user_id
		tests.workspace_id tests.id tests.slice_id test_days.workspace_id test_days.id test_runs.workspace_id
		text_files.comment_id text_files.file_id text_files.slice_id oauth_clients.id oauth_devices.scopes
		oauth_grants.key_id oauth_grants.user_id oauth_grants.client_id oauth_grants.resource watches.user_id
		watches.subject_id watches.kind watches.workspace_id watches.level watches.reason view_matches.slice_id
		view_matches.view_id view_matches.user_id notices.id notices.user_id notices.workspace_id
		notices.slice_id notices.event_id notices.type notices.reason notices.subject_id notices.request_id
		inboxes.user_id notice_positions.workspace_id providers.org_id providers.client_id
		providers.groups_claim providers.rules providers.issuer providers.domains
		organizations.personal_key_makers organizations.personal_key_scopes organizations.key_networks
		organizations.invitation_domains identities.org_id identities.user_id identities.granted
		identities.issuer provider_sessions.session_id provider_sessions.org_id provider_sessions.issuer
		authenticators.user_id passkeys.id passkeys.user_id recovery_codes.user_id pending_sign_ins.user_id
		removed_factors.user_id sessions.second_factor mail_settings.user_id mail_settings.mentioned
		mail_settings.assigned mail_settings.participating mail_settings.watching mail_settings.views
		mail_settings.time_zone mail_notices.notice_id mail_notices.user_id mail_notices.mail_id
		mail_turns.user_id mails.id mails.kind mails.org_id mails.user_id email_changes.user_id
		asked_reset_links.user_id workspaces.mail_content received_reports.source_id received_reports.subject
		uploads.source_id uploads.subject uploads.kind uploads.media_type uploads.encoding upload_pieces.blob
		sources.id sources.org_id sources.workspace_id sources.created_by_user sources.created_by_key
		source_secrets.id source_secrets.source_id source_days.source_id source_days.outcome submissions.id
		submissions.source_id submissions.workspace_id submissions.slice_id submissions.state
		submissions.decided_by submission_files.submission_id submission_files.blob submission_files.thumbnail
		reporter_pages.id reporter_pages.source_id reporter_pages.slice_id comments.reporter_page`,
	"hashes, secrets and their last characters": `
		api_keys.last4 idempotency_keys.request instance.next_token instance.token invitations.hash
		key_tokens.hash oauth_devices.hash oauth_devices.user_code oauth_grants.code oauth_grants.challenge
		oauth_grants.family oauth_grants.refresh reset_links.hash sessions.hash setup_links.hash shares.hash
		test_runs.run webhook_secrets.sealed authenticators.sealed recovery_codes.hash pending_sign_ins.hash
		answered_challenges.hash webhooks.secret_last4 providers.secret provider_sessions.refresh
		used_answers.hash pending_sign_ins.provider mails.sealed email_changes.hash asked_reset_links.hash
		used_tokens.hash used_tokens.report received_reports.name uploads.hash upload_pieces.upload
		reporter_pages.hash source_secrets.sealed sources.secret_last4 sources.public_key`,
	"identifiers that others gave, by which they find their records": `
		occurrences.external_id recurring_slices.fingerprint webhook_messages.message webhooks.url
		workspaces.metadata_keys idempotency_keys.key`,
	"derived in the transaction that changes a slice or a comment": `slice_terms.terms slice_statistics.value releases.name`,
	"of the user, whom EraseUser and the end of sessions and keys take": `
		users.picture user_pictures.data passkeys.credential passkeys.record passkeys.name users.email
		users.name users.password_hash api_keys.last_used_address api_keys.last_used_agent
		sessions.client_address sessions.user_agent invitations.email oauth_grants.client_name identities.email
		identities.subject provider_sessions.subject provider_sessions.sid mails.address mails.subject_id
		mails.error stopped_addresses.email stopped_addresses.words email_changes.email`,
	"of programs, before a user allows them": `
		oauth_clients.name oauth_clients.redirects oauth_clients.network oauth_grants.redirect
		oauth_devices.host oauth_devices.client_address`,
	"of the erasure itself, until it ends":                   "erasures.after erasures.email erasures.names erasures.org_id erasures.user_id",
	"what the service says":                                  "delivery_attempts.error key_refusals.last_call",
	"of tests, and deleted 30 days after they last ran":      "tests.suite tests.name",
	"of visitors, who are no users, and erase it themselves": "reporter_pages.name reporter_pages.summary reporter_pages.description",
	"of visitors, and deleted after a day":                   "uploads.name",
	"of the organisation":                                    "organizations.name providers.name",
	"addresses of clients, kept for the audit":               "events.client_address",
}

// notCharged are the text columns of tables whose records are charged to a workspace that add nothing to the size, by
// the reason.
var notCharged = map[string]string{
	"of a bounded length, which the 256 bytes of a row stand for": `
		comments.id comments.slice_id comments.author_type comments.author_id comments.author_name
		comments.reporter_page attachments.id attachments.slice_id attachments.workspace_id attachments.kind
		attachments.metadata attachments.name attachments.content_type attachments.sha256 attachments.blob
		attachments.thumbnail attachments.creator_type attachments.creator_id attachments.creator_name
		attachments.reviewed occurrences.slice_id occurrences.reporter_type occurrences.reporter_id
		occurrences.reporter_name events.id events.org_id events.workspace_id events.type events.actor_type
		events.actor_id events.actor_key_id events.actor_session_id events.subject_kind events.subject_id
		events.request_id events.client_address idempotency_keys.principal idempotency_keys.operation
		idempotency_keys.key idempotency_keys.request idempotency_keys.workspace_id`,
	"of evidence, whose bytes are charged": `attachments.symptoms`,
	"of a fixed charge": `
		deliveries.id deliveries.webhook_id deliveries.workspace_id deliveries.event_id deliveries.event_type
		deliveries.status`,
}

// isMember reports whether a column is a member of slices, which says how it is charged and erased.
func isMember(column string) bool { return strings.HasPrefix(column, "slices.") }

// reasonOf returns the reason that a list has for a column, or the empty text.
func reasonOf(list map[string]string, column string) string {
	for reason, columns := range list {
		if slices.Contains(strings.Fields(columns), column) {
			return reason
		}
	}
	return ""
}

// textColumns returns the columns of all tables that hold text, as table.column.
func textColumns(t *testing.T, db *sql.DB, driver string) (all []string) {
	t.Helper()
	text := map[string]string{
		"sqlite": `SELECT m.name || '.' || c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'
			AND m.name NOT LIKE 'sqlite\_%' ESCAPE '\' AND m.name NOT LIKE 'slice\_terms\__%' ESCAPE '\'
			AND (upper(c.type) NOT LIKE '%INT%') AND m.name <> 'goose_db_version'`,
		"pgx": `SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = current_schema()
			AND data_type NOT IN ('bigint', 'integer', 'smallint', 'boolean') AND table_name <> 'goose_db_version'`,
	}[driver]
	rows, err := db.Query(text)
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		var column string
		must(t, rows.Scan(&column))
		all = append(all, column)
	}
	must(t, rows.Err())
	return all
}

// TestEveryTextIsErased: each column that holds text is one that an erasure changes, or has a reason why not, and
// never both. The members of slices say it themselves.
func TestEveryTextIsErased(t *testing.T) {
	engines(t, func(t *testing.T, _ *store.Store, o store.Options) {
		db, driver := rawDatabase(t, o)
		erased := map[string]bool{}
		for _, table := range store.ErasedTables {
			for _, column := range store.ColumnsErasedIn(table) {
				erased[table.Name+"."+column] = true
			}
		}
		present := textColumns(t, db, driver)
		for _, column := range present {
			if isMember(column) {
				continue
			}
			if reason := reasonOf(notErased, column); erased[column] == (reason != "") {
				t.Errorf("%s: erased %t, reason why not %q; a new column belongs in ErasedTables, or in notErased",
					column, erased[column], reason)
			}
		}
		checkAllExist(t, notErased, present)
	})
}

// TestEveryTextIsCharged: each column of a charged record, beside the members of slices, that holds text is in its
// size, or has a reason why not, and never both.
func TestEveryTextIsCharged(t *testing.T) {
	engines(t, func(t *testing.T, _ *store.Store, o store.Options) {
		db, driver := rawDatabase(t, o)
		present := textColumns(t, db, driver)
		charged := store.ChargedColumns()
		for _, column := range present {
			table, _, _ := strings.Cut(column, ".")
			if charged[table] == nil || isMember(column) {
				continue // no record that is charged
			}
			_, name, _ := strings.Cut(column, ".")
			isCharged, reason := slices.Contains(charged[table], name), reasonOf(notCharged, column)
			if isCharged == (reason != "") {
				t.Errorf("%s: charged %t, reason why not %q; a new column belongs in recordSizes, or in notCharged",
					column, isCharged, reason)
			}
		}
		checkAllExist(t, notCharged, present)
	})
}

// checkAllExist checks that each column of a list exists.
func checkAllExist(t *testing.T, list map[string]string, present []string) {
	t.Helper()
	for _, columns := range list {
		for _, column := range strings.Fields(columns) {
			if !slices.Contains(present, column) && column != "" { // PostgreSQL and SQLite call it by other types
				t.Errorf("%s is in a list, and does not exist", column)
			}
		}
	}
}
