package api

// EventType says what happened.
type EventType string

// The types of events in a workspace's log.
const (
	EventSliceCreated       EventType = "slice.created"
	EventSliceUpdated       EventType = "slice.updated"
	EventSliceStatusChanged EventType = "slice.status_changed"
	EventSliceAssigned      EventType = "slice.assigned"
	EventSliceDeleted       EventType = "slice.deleted"
	EventSliceRestored      EventType = "slice.restored"
	EventWorkspaceUpdated   EventType = "workspace.updated"
	EventSpaceCreated       EventType = "space.created"
	EventKeyCreated         EventType = "api_key.created"
	EventKeyRotated         EventType = "api_key.rotated"
	EventKeyRevoked         EventType = "api_key.revoked"
)

// EventTypes says of each type which scope reads its subject.
var EventTypes = map[EventType]Scope{
	EventSliceCreated: SlicesRead, EventSliceUpdated: SlicesRead, EventSliceStatusChanged: SlicesRead, EventSliceAssigned: SlicesRead,
	EventSliceDeleted: SlicesRead, EventSliceRestored: SlicesRead, EventWorkspaceUpdated: WorkspacesRead, EventSpaceCreated: SpacesRead,
	EventKeyCreated: KeysManage, EventKeyRotated: KeysManage, EventKeyRevoked: KeysManage,
}

// Event is something that happened in a workspace.
type Event struct {
	ID          string    `json:"id" example:"evt_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Type        EventType `json:"type" grows:"true" enum:"slice.created,slice.updated,slice.status_changed,slice.assigned,slice.deleted,slice.restored,workspace.updated,space.created,api_key.created,api_key.rotated,api_key.revoked" example:"slice.created"`
	Timestamp   Time      `json:"timestamp"`
	Sequence    int64     `json:"sequence" minimum:"1" example:"7" doc:"Grows within the workspace, in the order of commits."`
	WorkspaceID string    `json:"workspaceId" example:"wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Actor       Actor     `json:"actor"`
	Data        EventData `json:"data"`
}

// Actor is who caused an event.
type Actor struct {
	Type  string  `json:"type" enum:"user,service,operator" example:"user"`
	ID    *string `json:"id" doc:"The user's id, or the key's for a service; null for the operator."`
	KeyID *string `json:"keyId" doc:"The key it was done with; null without one."`
}

// EventData holds the subject of an event as the API showed it then, under its kind, and for
// changes the former values of what changed.
type EventData struct {
	Slice     *Slice         `json:"slice,omitempty"`
	Workspace *Workspace     `json:"workspace,omitempty"`
	Space     *Space         `json:"space,omitempty"`
	APIKey    *Key           `json:"apiKey,omitempty"`
	Previous  map[string]any `json:"previous,omitempty" doc:"The former values of the members that changed."`
}

// ListEvents asks for a page of a workspace's log.
type ListEvents struct {
	Paging
	WorkspaceID string      `query:"workspaceId" doc:"The workspace. Required for a PAT; a WST has its own."`
	Type        []EventType `query:"type" enum:"slice.created,slice.updated,slice.status_changed,slice.assigned,slice.deleted,slice.restored,workspace.updated,space.created,api_key.created,api_key.rotated,api_key.revoked" doc:"Only events of these types."`
	After       string      `query:"after" doc:"The id of the last event you handled: the list begins behind it. cursor goes on within one walk."`
}
