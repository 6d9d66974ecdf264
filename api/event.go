package api

import "slices"

// EventType says what happened.
type EventType string

// The types of events. Each has a row in Events, but the ping, which the test of a webhook alone sends.
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
	EventAttachmentCreated    EventType = "slice.attachment.created"
	EventAttachmentUpdated    EventType = "slice.attachment.updated"
	EventAttachmentDeleted    EventType = "slice.attachment.deleted"
	EventWorkspaceCreated     EventType = "workspace.created"
	EventWorkspaceUpdated     EventType = "workspace.updated"
	EventWorkspaceRemoved     EventType = "workspace.removed"
	EventSpaceCreated         EventType = "space.created"
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
	EventMemberAdded          EventType = "member.added"
	EventMemberChanged        EventType = "member.changed"
	EventMemberRemoved        EventType = "member.removed"
	EventUserCreated          EventType = "user.created"
	EventUserDisabled         EventType = "user.disabled"
	EventUserEnabled          EventType = "user.enabled"
	EventUserPasswordChanged  EventType = "user.password_changed"
	EventOrganizationCreated  EventType = "organization.created"
	EventPing                 EventType = "ping"
)

// EventInfo describes a type of event.
type EventInfo struct {
	Type     EventType
	Subject  string // the member of data under which the subject stands
	Scope    Scope  // reads the subject; empty for what is in the audit log alone
	Public   bool   // event logs and webhooks show it
	Activity bool   // the activity of a slice shows it
	Summary  string
}

// Whether a type is public, and whether it is shown in the activity of a slice.
const (
	public, audit = true, false
	activity      = true
)

// Events has a row for every type that is written, in the order the documents show them. What is not
// public is in the audit log alone.
var Events = []EventInfo{
	{EventSliceCreated, "slice", SlicesRead, public, activity, "A slice was filed."},
	{EventSliceUpdated, "slice", SlicesRead, public, activity, "A slice was changed, whatever of it. The narrower types come beside it."},
	{EventSliceStatusChanged, "slice", SlicesRead, public, false, "A slice moved to another status."},
	{EventSliceAssigned, "slice", SlicesRead, public, false, "A slice was given to somebody, or to nobody."},
	{EventSliceDeleted, "slice", SlicesRead, public, activity, "A slice was deleted. It can be restored for 30 days."},
	{EventSliceRestored, "slice", SlicesRead, public, activity, "A deleted slice was brought back."},
	{EventCommentCreated, "comment", SlicesRead, public, activity, "Somebody said something about a slice."},
	{EventCommentUpdated, "comment", SlicesRead, public, activity, "A comment was edited."},
	{EventCommentDeleted, "comment", SlicesRead, public, activity, "A comment was deleted. What it said is in no event any more."},
	{EventAttachmentCreated, "attachment", SlicesRead, public, activity, "A file was added to a slice."},
	{EventAttachmentUpdated, "attachment", SlicesRead, public, activity, "A file of a slice got another name or kind."},
	{EventAttachmentDeleted, "attachment", SlicesRead, public, activity, "A file of a slice was deleted."},
	{EventWorkspaceUpdated, "workspace", WorkspacesRead, public, false, "The workspace was changed."},
	{EventSpaceCreated, "space", SpacesRead, public, false, "A space was made in the workspace."},
	{EventKeyCreated, "apiKey", KeysManage, public, false, "A service token of the workspace was made."},
	{EventKeyRotated, "apiKey", KeysManage, public, false, "A service token of the workspace got a new token."},
	{EventKeyRevoked, "apiKey", KeysManage, public, false, "A service token of the workspace was revoked."},
	{EventKeyExpiring, "apiKey", KeysManage, public, false, "A service token of the workspace expires within 7 days."},
	{EventWebhookDisabled, "webhook", WebhooksManage, public, false, "A webhook of the workspace sends no more; disabledReason says why."},

	{EventWorkspaceCreated, "workspace", "", audit, false, "A workspace was made."},
	{EventWorkspaceRemoved, "workspace", "", audit, false, "A workspace that was imported was removed again."},
	{EventWebhookCreated, "webhook", "", audit, false, "A webhook was made."},
	{EventWebhookUpdated, "webhook", "", audit, false, "A webhook was changed."},
	{EventWebhookDeleted, "webhook", "", audit, false, "A webhook was deleted."},
	{EventWebhookSecretRotated, "webhook", "", audit, false, "A webhook got a new secret."},
	{EventWebhookTested, "webhook", "", audit, false, "A webhook was sent a ping."},
	{EventDeliveriesRecovered, "webhook", "", audit, false, "What a webhook has missed was queued again."},
	{EventDeliveryRequeued, "delivery", "", audit, false, "A delivery was queued again."},
	{EventMemberAdded, "member", "", audit, false, "A user became a member of a workspace."},
	{EventMemberChanged, "member", "", audit, false, "A member of a workspace got another role."},
	{EventMemberRemoved, "member", "", audit, false, "A user is no member of a workspace any more."},
	{EventUserCreated, "user", "", audit, false, "A user was added to the organisation."},
	{EventUserDisabled, "user", "", audit, false, "A user was disabled."},
	{EventUserEnabled, "user", "", audit, false, "A user was enabled again."},
	{EventUserPasswordChanged, "user", "", audit, false, "A user got another password."},
	{EventOrganizationCreated, "organization", "", audit, false, "An organisation was made."},
}

var eventRows = func() map[EventType]EventInfo {
	rows := make(map[EventType]EventInfo, len(Events))
	for _, e := range Events {
		rows[e.Type] = e
	}
	return rows
}()

// EventOf returns the row of a type; ok is false for a type that is not written.
func EventOf(t EventType) (row EventInfo, ok bool) {
	row, ok = eventRows[t]
	return row, ok
}

var publicEvents = slices.Clip(slices.DeleteFunc(slices.Clone(Events), func(e EventInfo) bool { return !e.Public }))

// PublicEvents returns the rows of the types that event logs and webhooks show. They are not to be changed.
func PublicEvents() []EventInfo { return publicEvents }

// ActivityTypes returns the types that the activity of a slice shows.
func ActivityTypes() (types []EventType) {
	for _, e := range Events {
		if e.Activity {
			types = append(types, e.Type)
		}
	}
	return types
}

// ScopeOf returns the scope that reads the subject of a type; ok is false for types that no log shows.
func ScopeOf(t EventType) (scope Scope, ok bool) {
	e := eventRows[t]
	return e.Scope, e.Public
}

// Values lists the types that event logs show.
func (EventType) Values() (all []string) {
	for _, e := range publicEvents {
		all = append(all, string(e.Type))
	}
	return all
}

// Event is something that happened in a workspace.
type Event struct {
	ID        string    `json:"id" example:"evt_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Type      EventType `json:"type" grows:"true" example:"slice.created"`
	Timestamp Time      `json:"timestamp"`
	// Grows within the workspace, in the order of commits.
	Sequence    int64     `json:"sequence" minimum:"1" example:"7"`
	WorkspaceID string    `json:"workspaceId" example:"wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Actor       Actor     `json:"actor"`
	Data        EventData `json:"data"`
}

// Actor is who caused an event.
type Actor struct {
	// operator: somebody at the command line. system: the service itself.
	Type string `json:"type" grows:"true" enum:"user,service,operator,system" example:"user"`
	// The user's id, or the key's for a service; null for the operator and the system.
	ID *string `json:"id"`
	// The key it was done with; null without one.
	KeyID *string `json:"keyId"`
}

// EventData holds the subject of an event as the API showed it then, under its kind, and for
// changes the former values of what changed.
type EventData struct {
	Slice      *Slice      `json:"slice,omitempty"`
	Comment    *Comment    `json:"comment,omitempty"`
	Attachment *Attachment `json:"attachment,omitempty"`
	Workspace  *Workspace  `json:"workspace,omitempty"`
	Space      *Space      `json:"space,omitempty"`
	APIKey     *Key        `json:"apiKey,omitempty"`
	Webhook    *Webhook    `json:"webhook,omitempty"`
	// The former values of the members that changed.
	Previous map[string]any `json:"previous,omitempty"`
	// In webhooks alone: which members were shortened or left out, to keep the message within 20 kB. Read the subject
	// for the whole.
	Cut []string `json:"cut,omitempty" example:"[\"slice.description\"]"`
}

// ListEvents asks for a page of a workspace's log, or for a stream of it.
type ListEvents struct {
	Paging
	// The workspace. Required for a PAT; a WST has its own.
	WorkspaceID string `query:"workspaceId"`
	// Only events of these types.
	Type []EventType `query:"type"`
	// The id of the last event you handled: the list begins behind it. latest: only what comes from now on. cursor
	// goes on within one walk.
	After string `query:"after"`
	// In a stream, what after is: browsers send it when they connect again. It goes before after.
	LastEventID string `header:"Last-Event-ID" json:"-" maxLength:"100"`
}

// Latest stands in after for the newest event there is.
const Latest = "latest"

// Subscription is what a webhook asks for: a type of event, or all.
type Subscription string

// AllEvents asks for every event that the webhook's key may read, of types yet to come too.
const AllEvents Subscription = "*"

// Values lists what a webhook may ask for.
func (Subscription) Values() []string {
	return append([]string{string(AllEvents)}, EventType("").Values()...)
}
