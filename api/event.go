package api

import "slices"

// EventType says what happened.
type EventType string

// The types of events in a workspace's log. A ping is sent by the test of a webhook alone.
const (
	EventSliceCreated       EventType = "slice.created"
	EventSliceUpdated       EventType = "slice.updated"
	EventSliceStatusChanged EventType = "slice.status_changed"
	EventSliceAssigned      EventType = "slice.assigned"
	EventSliceDeleted       EventType = "slice.deleted"
	EventSliceRestored      EventType = "slice.restored"
	EventWorkspaceUpdated   EventType = "workspace.updated"
	EventCommentCreated     EventType = "slice.comment.created"
	EventAttachmentCreated  EventType = "slice.attachment.created"
	EventSpaceCreated       EventType = "space.created"
	EventKeyCreated         EventType = "api_key.created"
	EventKeyRotated         EventType = "api_key.rotated"
	EventKeyRevoked         EventType = "api_key.revoked"
	EventKeyExpiring        EventType = "api_key.expiring"
	EventWebhookDisabled    EventType = "webhook.disabled"
	EventPing               EventType = "ping"
)

// EventInfo describes a type of event: which scope reads its subject, under which member of
// data the subject stands, and when it is written.
type EventInfo struct {
	Type    EventType
	Scope   Scope
	Subject string
	When    string
}

// Events lists every type of the log, in the order the documents show them.
var Events = []EventInfo{
	{EventSliceCreated, SlicesRead, "slice", "A slice was filed."},
	{EventSliceUpdated, SlicesRead, "slice", "A slice was changed, whatever of it. The narrower types come beside it."},
	{EventSliceStatusChanged, SlicesRead, "slice", "A slice moved to another status."},
	{EventSliceAssigned, SlicesRead, "slice", "A slice was given to somebody, or to nobody."},
	{EventSliceDeleted, SlicesRead, "slice", "A slice was deleted. It can be restored for 30 days."},
	{EventSliceRestored, SlicesRead, "slice", "A deleted slice was brought back."},
	{EventCommentCreated, SlicesRead, "comment", "Somebody said something about a slice."},
	{EventAttachmentCreated, SlicesRead, "attachment", "A file was added to a slice."},
	{EventWorkspaceUpdated, WorkspacesRead, "workspace", "The workspace was changed."},
	{EventSpaceCreated, SpacesRead, "space", "A space was made in the workspace."},
	{EventKeyCreated, KeysManage, "apiKey", "A service token of the workspace was made."},
	{EventKeyRotated, KeysManage, "apiKey", "A service token of the workspace got a new token."},
	{EventKeyRevoked, KeysManage, "apiKey", "A service token of the workspace was revoked."},
	{EventKeyExpiring, KeysManage, "apiKey", "A service token of the workspace expires within 7 days."},
	{EventWebhookDisabled, WebhooksManage, "webhook", "A webhook of the workspace sends no more; disabledReason says why."},
}

// ScopeOf returns the scope that reads the subject of a type; ok is false for types that no log shows.
func ScopeOf(t EventType) (scope Scope, ok bool) {
	i := slices.IndexFunc(Events, func(e EventInfo) bool { return e.Type == t })
	if i < 0 {
		return "", false
	}
	return Events[i].Scope, true
}

// Values lists the types of the log.
func (EventType) Values() []string {
	all := make([]string, len(Events))
	for i, e := range Events {
		all[i] = string(e.Type)
	}
	return all
}

// Event is something that happened in a workspace.
type Event struct {
	ID          string    `json:"id" example:"evt_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Type        EventType `json:"type" grows:"true" example:"slice.created"`
	Timestamp   Time      `json:"timestamp"`
	Sequence    int64     `json:"sequence" minimum:"1" example:"7" doc:"Grows within the workspace, in the order of commits."`
	WorkspaceID string    `json:"workspaceId" example:"wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Actor       Actor     `json:"actor"`
	Data        EventData `json:"data"`
}

// Actor is who caused an event.
type Actor struct {
	Type  string  `json:"type" grows:"true" enum:"user,service,operator,system" example:"user" doc:"operator: somebody at the command line. system: the service itself."`
	ID    *string `json:"id" doc:"The user's id, or the key's for a service; null for the operator and the system."`
	KeyID *string `json:"keyId" doc:"The key it was done with; null without one."`
}

// EventData holds the subject of an event as the API showed it then, under its kind, and for
// changes the former values of what changed.
type EventData struct {
	Slice      *Slice         `json:"slice,omitempty"`
	Comment    *Comment       `json:"comment,omitempty"`
	Attachment *Attachment    `json:"attachment,omitempty"`
	Workspace  *Workspace     `json:"workspace,omitempty"`
	Space      *Space         `json:"space,omitempty"`
	APIKey     *Key           `json:"apiKey,omitempty"`
	Webhook    *Webhook       `json:"webhook,omitempty"`
	Previous   map[string]any `json:"previous,omitempty" doc:"The former values of the members that changed."`
	Cut        []string       `json:"cut,omitempty" example:"[\"slice.description\"]" doc:"In webhooks alone: which members were shortened or left out, to keep the message within 20 kB. Read the subject for the whole."`
}

// ListEvents asks for a page of a workspace's log, or for a stream of it.
type ListEvents struct {
	Paging
	WorkspaceID string      `query:"workspaceId" doc:"The workspace. Required for a PAT; a WST has its own."`
	Type        []EventType `query:"type" doc:"Only events of these types."`
	After       string      `query:"after" doc:"The id of the last event you handled: the list begins behind it. latest: only what comes from now on. cursor goes on within one walk."`
	LastEventID string      `header:"Last-Event-ID" json:"-" maxLength:"100" doc:"In a stream, what after is: browsers send it when they connect again. It goes before after."`
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
