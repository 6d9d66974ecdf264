package api

// Comment is what somebody said about a slice.
type Comment struct {
	ID      string `json:"id" example:"cmt_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	SliceID string `json:"sliceId" example:"slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	CommentFields
	Author Reporter `json:"author"`
	// The members of the workspace that the body names.
	Mentions  []Mention `json:"mentions"`
	CreatedAt Time      `json:"createdAt"`
	// Later than createdAt when it was edited.
	UpdatedAt Time `json:"updatedAt"`
}

// CommentFields are the members of a comment that clients write.
type CommentFields struct {
	// Markdown. @ and the id or the e-mail address of a member mentions them.
	// Example: Seen in Firefox 144, too. @usr_01ja8m2c9tf3qb6h0v5r4x7kyz, can you look?
	Body string `json:"body" redact:"text" create:"required" minLength:"1" maxLength:"65536" pattern:"\\S"`
}

// Mention is a member whom a comment names.
type Mention struct {
	UserID string `json:"userId" example:"usr_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Name   string `json:"name" example:"Mara Lindqvist"`
}

// ListComments asks for the comments of a slice, oldest first.
type ListComments struct {
	Paging
	SliceID string `path:"sliceId" id:"slc"`
}

// CreateComment says something about a slice.
type CreateComment struct {
	Idempotency
	SliceID string `path:"sliceId" id:"slc"`
	Body    CommentFields
}

// UpdateComment edits one's own comment.
type UpdateComment struct {
	CommentID string `path:"commentId" id:"cmt"`
	Patch     Patch[CommentFields]
}

// DeleteComment removes one's own comment; admins of the workspace remove any.
type DeleteComment struct {
	CommentID string `path:"commentId" id:"cmt"`
}

// Activity is something that was done with a slice.
type Activity struct {
	// The event's id.
	ID        string    `json:"id" example:"evt_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Type      EventType `json:"type" grows:"true" example:"slice.updated"`
	Timestamp Time      `json:"timestamp"`
	Actor     Actor     `json:"actor"`
	// What the user or the key is called now.
	ActorName  *string     `json:"actorName" example:"Mara Lindqvist"`
	Changes    []Change    `json:"changes"`
	Comment    *Comment    `json:"comment,omitempty"`
	Attachment *Attachment `json:"attachment,omitempty"`
}

// Change is a member of a slice that changed.
type Change struct {
	Field string `json:"field" example:"status"`
	// Its former value.
	From *any `json:"from"`
	// Its value then.
	To *any `json:"to"`
}

// ListActivity asks for what was done with a slice, oldest first.
type ListActivity struct {
	Paging
	SliceID string `path:"sliceId" id:"slc"`
}

// Similar is a slice that may be about the same.
type Similar struct {
	ID      string `json:"id" example:"slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Number  int64  `json:"number" minimum:"1" example:"17"`
	Summary string `json:"summary" example:"Checkout does nothing"`
	Status  Status `json:"status" enum:"open,in_progress,resolved,closed" example:"open"`
	// How much of what is rare they share: 1 is all.
	Score float64 `json:"score" minimum:"0" maximum:"1" example:"0.62"`
	URL   string  `json:"url" example:"https://bugs.example.com/slices/slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
}

// ListSimilar asks for slices of the workspace that may be about the same, the likest first.
type ListSimilar struct {
	Paging
	SliceID string `path:"sliceId" id:"slc"`
}
