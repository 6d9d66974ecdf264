package api

import "reflect"

// Event records something that happened in a workspace.
type Event struct {
	ID        string    `json:"id" example:"evt_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Type      EventType `json:"type" grows:"true" example:"slice.created"`
	Timestamp Time      `json:"timestamp"`
	// Increases within the workspace, in the order of commits.
	Sequence    int64     `json:"sequence" minimum:"1" example:"7"`
	WorkspaceID string    `json:"workspaceId" example:"wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Actor       Actor     `json:"actor"`
	Data        EventData `json:"data"`
}

// EventData contains the subject of an event, as the API returned it at that time, and for changes the former values.
type EventData struct {
	Slice      *Slice          `json:"slice,omitempty"`
	Comment    *Comment        `json:"comment,omitempty"`
	Reaction   *ReactionChange `json:"reaction,omitempty"`
	Attachment *Attachment     `json:"attachment,omitempty"`
	Share      *Share          `json:"share,omitempty"`
	Workspace  *Workspace      `json:"workspace,omitempty"`
	Space      *Space          `json:"space,omitempty"`
	APIKey     *Key            `json:"apiKey,omitempty"`
	Webhook    *Webhook        `json:"webhook,omitempty"`
	// The former values of the changed members.
	Previous map[string]any `json:"previous,omitempty" untrusted:"true"`
	// Only in webhook messages: the members that were truncated or omitted to keep the message within 20 kB. Request
	// the subject for the complete values.
	Cut []string `json:"cut,omitempty" example:"[\"slice.description\"]"`
}

// ListEvents returns a page of the event log of a workspace, or streams it.
type ListEvents struct {
	Returns[Page[Event]]
	Paging
	Chosen[EventMember]
	// The workspace. Required for a PAT; the default for a WST is its own workspace.
	WorkspaceID string `query:"workspaceId"`
	// Only events of these types.
	Type []EventType `query:"type"`
	// The id of the last event that you processed; the list starts after it. latest starts after the newest event. To
	// request the next page of the same list, use cursor instead.
	After string `query:"after"`
	// For streams: the same as after, and it takes precedence. Browsers send it when they reconnect.
	LastEventID string `header:"Last-Event-ID" json:"-" maxLength:"100"`
}

// Latest is the value of after that stands for the newest event.
const Latest = "latest"

// EventMember is a member by which items of a list are chosen.
type EventMember string

// Values lists the members of an event, and those of its slice that name it.
func (EventMember) Values() []string {
	return append(memberPaths(reflect.TypeFor[Event]()), "data.slice.id", "data.slice.reference", "data.slice.summary",
		"data.slice.status")
}
