package api

import "slices"

// EventType is the type of an event.
type EventType string

// The types of events. Each has a row in Events, except the ping, which only the test of a webhook sends.
const (
	EventSliceCreated         EventType = "slice.created"
	EventSliceUpdated         EventType = "slice.updated"
	EventSliceStatusChanged   EventType = "slice.status_changed"
	EventSliceAssigned        EventType = "slice.assigned"
	EventSliceDeleted         EventType = "slice.deleted"
	EventSliceRestored        EventType = "slice.restored"
	EventCommentCreated       EventType = "slice.comment.created"
	EventCommentUpdated       EventType = "slice.comment.updated"
	EventCommentDeleted       EventType = "slice.comment.deleted"
	EventCommentReacted       EventType = "slice.comment.reacted"
	EventAttachmentCreated    EventType = "slice.attachment.created"
	EventAttachmentUpdated    EventType = "slice.attachment.updated"
	EventAttachmentDeleted    EventType = "slice.attachment.deleted"
	EventShareCreated         EventType = "share.created"
	EventShareRevoked         EventType = "share.revoked"
	EventShareOpened          EventType = "share.opened"
	EventWorkspaceCreated     EventType = "workspace.created"
	EventWorkspaceUpdated     EventType = "workspace.updated"
	EventWorkspaceRemoved     EventType = "workspace.removed"
	EventSpaceCreated         EventType = "space.created"
	EventSpaceUpdated         EventType = "space.updated"
	EventSpaceDeleted         EventType = "space.deleted"
	EventKeyCreated           EventType = "api_key.created"
	EventKeyRotated           EventType = "api_key.rotated"
	EventKeyRevoked           EventType = "api_key.revoked"
	EventKeyExpiring          EventType = "api_key.expiring"
	EventWebhookCreated       EventType = "webhook.created"
	EventWebhookUpdated       EventType = "webhook.updated"
	EventWebhookDeleted       EventType = "webhook.deleted"
	EventWebhookSecretRotated EventType = "webhook.secret_rotated"
	EventWebhookDisabled      EventType = "webhook.disabled"
	EventWebhookTested        EventType = "webhook.tested"
	EventDeliveriesRecovered  EventType = "webhook.deliveries_recovered"
	EventDeliveryRequeued     EventType = "webhook.delivery_requeued"
	EventSourceCreated        EventType = "source.created"
	EventSourceUpdated        EventType = "source.updated"
	EventSourceDeleted        EventType = "source.deleted"
	EventSourceSecretRotated  EventType = "source.secret_rotated"
	EventSourceReportsRemoved EventType = "source.reports_removed"
	EventSubmissionDecided    EventType = "submission.decided"
	EventViewCreated          EventType = "view.created"
	EventViewUpdated          EventType = "view.updated"
	EventViewDeleted          EventType = "view.deleted"
	EventMemberAdded          EventType = "member.added"
	EventMemberChanged        EventType = "member.changed"
	EventMemberRemoved        EventType = "member.removed"
	EventUserCreated          EventType = "user.created"
	EventUserDisabled         EventType = "user.disabled"
	EventUserEnabled          EventType = "user.enabled"
	EventUserPasswordChanged  EventType = "user.password_changed"
	EventUserUpdated          EventType = "user.updated"
	EventUserRoleChanged      EventType = "user.role_changed"
	EventUserRemoved          EventType = "user.removed"
	EventUserErased           EventType = "user.erased"
	EventResetLinkCreated     EventType = "user.reset_link_created"
	EventInvitationCreated    EventType = "invitation.created"
	EventInvitationRevoked    EventType = "invitation.revoked"
	EventDeletionScheduled    EventType = "workspace.deletion_scheduled"
	EventDeletionCancelled    EventType = "workspace.deletion_cancelled"
	EventUserSignedIn         EventType = "user.signed_in"
	EventUserSignInFailed     EventType = "user.sign_in_failed"
	EventUserPasswordProved   EventType = "user.password_proved"
	EventUserProved           EventType = "user.proved"
	EventFactorAdded          EventType = "user.second_factor_added"
	EventFactorRemoved        EventType = "user.second_factor_removed"
	EventPasskeyRenamed       EventType = "user.passkey_renamed"
	EventRecoveryCodesMade    EventType = "user.recovery_codes_replaced"
	EventRecoveryCodeUsed     EventType = "user.recovery_code_used"
	EventPasskeyCopied        EventType = "user.passkey_refused"
	EventPasswordRemoved      EventType = "user.password_removed"
	EventSignInPolicyChanged  EventType = "organization.sign_in_policy_changed"
	EventPoliciesChanged      EventType = "organization.policies_changed"
	EventSessionEnded         EventType = "session.ended"
	EventUserProviderProved   EventType = "user.provider_proved"
	EventIdentityLinked       EventType = "user.identity_linked"
	EventIdentityUnlinked     EventType = "user.identity_unlinked"
	EventProviderUpdated      EventType = "provider.updated"
	EventProviderRemoved      EventType = "provider.removed"
	EventOrganizationCreated  EventType = "organization.created"
	EventWorkspaceExported    EventType = "workspace.exported"
	EventAuditLogExported     EventType = "audit_log.exported"
	EventOperatorCommand      EventType = "operator.command"
	EventPing                 EventType = "ping"
)

// EventInfo describes a type of event.
type EventInfo struct {
	Type     EventType
	Subject  string // the member of data that contains the subject
	Scope    Scope  // required to read the subject; empty for the events of the audit log
	Public   bool   // the event log and webhooks contain it, not only the audit log
	Activity bool   // the activity of a slice contains it
	Summary  string
}

// Values of EventInfo.Public and EventInfo.Activity.
const (
	public, audit = true, false
	activity      = true
)

// Events has a row for every recorded type, in the order of the documentation.
var Events = []EventInfo{
	{EventSliceCreated, "slice", SlicesRead, public, activity, "A slice was created."},
	{EventSliceUpdated, "slice", SlicesRead, public, activity,
		"Any member of a slice changed. A more specific event is sent in addition."},
	{EventSliceStatusChanged, "slice", SlicesRead, public, false, "The status of a slice changed."},
	{EventSliceAssigned, "slice", SlicesRead, public, false, "The assignee of a slice changed."},
	{EventSliceDeleted, "slice", SlicesRead, public, activity,
		"A slice was deleted. It can be restored for 30 days; then its duplicates lose it, each with slice.updated."},
	{EventSliceRestored, "slice", SlicesRead, public, activity, "A deleted slice was restored."},
	{EventCommentCreated, "comment", SlicesRead, public, activity, "A comment was added to a slice."},
	{EventCommentUpdated, "comment", SlicesRead, public, activity, "A comment was edited."},
	{EventCommentDeleted, "comment", SlicesRead, public, activity,
		"A comment was deleted. Its text is removed from earlier events."},
	{EventCommentReacted, "reaction", SlicesRead, public, false,
		"A user has reacted to a comment, or has taken that back."},
	{EventAttachmentCreated, "attachment", SlicesRead, public, activity, "A file was added to a slice."},
	{EventAttachmentUpdated, "attachment", SlicesRead, public, activity,
		"The name or the kind of a file of a slice changed, or whether it was reviewed."},
	{EventAttachmentDeleted, "attachment", SlicesRead, public, activity, "A file of a slice was deleted."},
	{EventShareCreated, "share", SlicesRead, public, false,
		"A slice was shared by a link. The event does not contain the link."},
	{EventShareRevoked, "share", SlicesRead, public, false, "The link of a share was revoked."},
	{EventWorkspaceUpdated, "workspace", WorkspacesRead, public, false, "The workspace changed."},
	{EventSpaceCreated, "space", SpacesRead, public, false, "A space was created in the workspace."},
	{EventSpaceUpdated, "space", SpacesRead, public, false, "The name or the description of a space changed."},
	{EventSpaceDeleted, "space", SpacesRead, public, false,
		"A space was deleted. The event slice.updated of each of its slices follows."},
	{EventKeyCreated, "apiKey", KeysManage, public, false, "A service token of the workspace was created."},
	{EventKeyRotated, "apiKey", KeysManage, public, false, "A service token of the workspace was rotated."},
	{EventKeyRevoked, "apiKey", KeysManage, public, false, "A service token of the workspace was revoked."},
	{EventKeyExpiring, "apiKey", KeysManage, public, false, "A service token of the workspace expires within 7 days."},
	{EventWebhookDisabled, "webhook", WebhooksManage, public, false,
		"A webhook of the workspace was disabled; disabledReason says why."},

	{EventShareOpened, "share", "", audit, false, "The link of a share was opened; at most one event an hour."},
	{EventWorkspaceCreated, "workspace", "", audit, false, "A workspace was created."},
	{EventWorkspaceRemoved, "workspace", "", audit, false, "A workspace was deleted."},
	{EventWebhookCreated, "webhook", "", audit, false, "A webhook was created."},
	{EventWebhookUpdated, "webhook", "", audit, false, "A webhook changed."},
	{EventWebhookDeleted, "webhook", "", audit, false, "A webhook was deleted."},
	{EventWebhookSecretRotated, "webhook", "", audit, false, "The secret of a webhook was rotated."},
	{EventWebhookTested, "webhook", "", audit, false, "A ping was sent to a webhook."},
	{EventDeliveriesRecovered, "webhook", "", audit, false, "Deliveries that a webhook missed were queued."},
	{EventDeliveryRequeued, "delivery", "", audit, false, "A delivery was queued again."},
	{EventSourceCreated, "source", "", audit, false, "A source of visitors' reports was created."},
	{EventSourceUpdated, "source", "", audit, false, "A source changed."},
	{EventSourceDeleted, "source", "", audit, false, "A source was deleted."},
	{EventSourceSecretRotated, "source", "", audit, false, "The secret of a source was rotated. The event does not contain it."},
	{EventSourceReportsRemoved, "source", "", audit, false, "What the visitors of a source had reported since a time was removed."},
	{EventSubmissionDecided, "submission", "", audit, false,
		"A report of a visitor was accepted, marked as spam, or waits again. The event has no text of it."},
	{EventViewCreated, "view", "", audit, false, "A view was saved."},
	{EventViewUpdated, "view", "", audit, false, "A view changed."},
	{EventViewDeleted, "view", "", audit, false, "A view was deleted."},
	{EventMemberAdded, "member", "", audit, false, "A user was added to a workspace."},
	{EventMemberChanged, "member", "", audit, false, "The role of a member of a workspace changed."},
	{EventMemberRemoved, "member", "", audit, false, "A user was removed from a workspace."},
	{EventUserCreated, "user", "", audit, false, "A user was added to the organisation."},
	{EventUserDisabled, "user", "", audit, false, "A user was disabled."},
	{EventUserEnabled, "user", "", audit, false, "A user was enabled."},
	{EventUserPasswordChanged, "user", "", audit, false, "The password of a user changed."},
	{EventUserUpdated, "user", "", audit, false, "A user changed the profile."},
	{EventUserRoleChanged, "user", "", audit, false, "The role of a user in the organisation changed."},
	{EventUserRemoved, "user", "", audit, false, "A user was removed from the organisation, or left it."},
	{EventUserErased, "user", "", audit, false, "A user was erased. The event does not contain the name."},
	{EventResetLinkCreated, "user", "", audit, false, "A link was created with which a user sets another password."},
	{EventInvitationCreated, "invitation", "", audit, false,
		"A person was invited. The event does not contain the link."},
	{EventInvitationRevoked, "invitation", "", audit, false, "An invitation was revoked."},
	{EventDeletionScheduled, "workspace", "", audit, false, "The deletion of a workspace in 30 days was scheduled."},
	{EventDeletionCancelled, "workspace", "", audit, false, "The deletion of a workspace was cancelled."},
	{EventUserSignedIn, "user", "", audit, false, "A user signed in."},
	{EventUserSignInFailed, "user", "", audit, false,
		"Attempts to sign in as a user failed; at most one event a minute."},
	{EventUserPasswordProved, "user", "", audit, false,
		"A user proved the password in a session, before a sensitive change."},
	{EventUserProved, "user", "", audit, false,
		"A user proved who it is by a passkey or a code in a session, before a sensitive change."},
	{EventFactorAdded, "user", "", audit, false, "A user added an authenticator app or a passkey."},
	{EventFactorRemoved, "user", "", audit, false,
		"An authenticator app, a passkey or every second factor of a user was removed."},
	{EventPasskeyRenamed, "user", "", audit, false, "A user gave a passkey another name."},
	{EventRecoveryCodesMade, "user", "", audit, false,
		"A user made new recovery codes. The event does not contain them."},
	{EventRecoveryCodeUsed, "user", "", audit, false, "A user signed in with a recovery code, which works no more."},
	{EventPasskeyCopied, "user", "", audit, false,
		"A passkey of a user was refused, because it counts less than before: somebody may have copied it."},
	{EventPasswordRemoved, "user", "", audit, false, "A user removed the password, and signs in with passkeys."},
	{EventSignInPolicyChanged, "organization", "", audit, false, "An owner changed whether a second factor is required."},
	{EventPoliciesChanged, "organization", "", audit, false,
		"An owner or an admin changed the policies of sessions, keys and invitations. The event says how many of them ended."},
	{EventSessionEnded, "session", "", audit, false, "A user ended a session, or the provider of the organisation did."},
	{EventUserProviderProved, "user", "", audit, false, "A user signed in at the provider anew, as a proof in a session."},
	{EventIdentityLinked, "user", "", audit, false, "The account of a user was linked with the provider of the organisation."},
	{EventIdentityUnlinked, "user", "", audit, false, "The link between the account of a user and the provider ended."},
	{EventProviderUpdated, "provider", "", audit, false, "The sign-in at a provider was set up or changed. The event has no secret."},
	{EventProviderRemoved, "provider", "", audit, false, "The sign-in at a provider was removed."},
	{EventOrganizationCreated, "organization", "", audit, false, "An organisation was created."},
	{EventWorkspaceExported, "workspace", "", audit, false, "An export of a workspace was begun."},
	{EventAuditLogExported, "organization", "", audit, false, "A download of the audit log was begun."},
	{EventOperatorCommand, "command", "", audit, false,
		"The operator ran a command that no other event records, such as a backup."},
}

var eventRows = func() map[EventType]EventInfo {
	rows := make(map[EventType]EventInfo, len(Events))
	for _, e := range Events {
		rows[e.Type] = e
	}
	return rows
}()

// EventOf returns the row of a type; ok is false for a type that is not recorded.
func EventOf(t EventType) (row EventInfo, ok bool) {
	row, ok = eventRows[t]
	return row, ok
}

var publicEvents = slices.Clip(slices.DeleteFunc(slices.Clone(Events), func(e EventInfo) bool { return !e.Public }))

// PublicEvents returns the rows of the types that the event log and webhooks contain. Callers must not modify it.
func PublicEvents() []EventInfo { return publicEvents }

// ActivityTypes returns the types that the activity of a slice contains.
func ActivityTypes() (types []EventType) {
	for _, e := range Events {
		if e.Activity {
			types = append(types, e.Type)
		}
	}
	return types
}

// ScopeOf returns the scope that reads the subject of a type; ok is false for a type that is not public.
func ScopeOf(t EventType) (scope Scope, ok bool) {
	e := eventRows[t]
	return e.Scope, e.Public
}

// Values lists the public types.
func (EventType) Values() (all []string) {
	for _, e := range publicEvents {
		all = append(all, string(e.Type))
	}
	return all
}

// Subscription is a type of event to which a webhook subscribes, or AllEvents.
type Subscription string

// AllEvents subscribes to every event that the webhook's key may read, including types that are added later.
const AllEvents Subscription = "*"

// Values lists the subscriptions.
func (Subscription) Values() []string {
	return append([]string{string(AllEvents)}, EventType("").Values()...)
}
