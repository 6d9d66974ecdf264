package api

// Activity is an entry in the history of a slice.
type Activity struct {
	// The id of the event.
	ID        string    `json:"id" example:"evt_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Type      EventType `json:"type" grows:"true" example:"slice.updated"`
	Timestamp Time      `json:"timestamp"`
	Actor     Actor     `json:"actor"`
	// The current name of the user or the key.
	ActorName *string `json:"actorName" example:"Mara Lindqvist" untrusted:"true"`
	// The key with which the change was made; null for a person in the web application, and for an imported entry. The name
	// is that of then, because keys are not renamed.
	Via *Via `json:"via"`
	// Whether the entry came with an import. An export does not say with which key a change was made.
	Imported   bool        `json:"imported"`
	Changes    []Change    `json:"changes"`
	Comment    *Comment    `json:"comment,omitempty"`
	Attachment *Attachment `json:"attachment,omitempty"`
}

// Change is a member of a slice that changed.
type Change struct {
	Field string `json:"field" example:"status"`
	// The value before the change.
	From *any `json:"from" untrusted:"true"`
	// The value after the change.
	To *any `json:"to" untrusted:"true"`
}

// ListActivity returns the history of a slice, oldest first.
type ListActivity struct {
	Returns[Page[Activity]]
	Paging
	SliceID string `path:"sliceId" id:"slc"`
}
