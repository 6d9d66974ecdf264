package api

import "reflect"

// Comment is a comment on a slice.
type Comment struct {
	ID      string `json:"id" example:"cmt_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	SliceID string `json:"sliceId" example:"slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	CommentFields
	Author Reporter `json:"author"`
	// The key with which the comment was written; null for a person in the web application.
	Via *Via `json:"via"`
	// The members of the workspace whom the body mentions.
	Mentions []Mention `json:"mentions"`
	// The reactions that the comment has, at most one of each kind. Empty in events and activities.
	Reactions []Reaction `json:"reactions"`
	CreatedAt Time       `json:"createdAt"`
	// Later than createdAt when the comment was edited.
	UpdatedAt Time `json:"updatedAt"`
}

// CommentFields are the members of a comment that clients write.
type CommentFields struct {
	// Markdown. @ followed by the id or the e-mail address of a member of the workspace mentions that member.
	// Example: Seen in Firefox 144, too. @usr_01ja8m2c9tf3qb6h0v5r4x7kyz, can you look?
	Body string `json:"body" redact:"text" create:"required" minLength:"1" maxLength:"65536" pattern:"\\S"`
	// Whether the visitors who have filed the slice read the comment on their pages, as an answer of the team. It needs a slice with
	// such a page.
	VisibleToReporter bool `json:"visibleToReporter"`
}

// CommentPatch is a merge patch of a comment.
type CommentPatch map[string]any

// Of returns the type whose members the patch changes.
func (CommentPatch) Of() reflect.Type { return reflect.TypeFor[CommentFields]() }

// Mention is a member whom a comment mentions.
type Mention struct {
	UserID string `json:"userId" example:"usr_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Name   string `json:"name" example:"Mara Lindqvist" untrusted:"true"`
}

// ListComments returns the comments of a slice, oldest first.
type ListComments struct {
	Returns[Page[Comment]]
	Paging
	Chosen[CommentMember]
	SliceID string `path:"sliceId" id:"slc"`
}

// CreateComment adds a comment to a slice.
type CreateComment struct {
	Returns[Comment]
	Idempotency
	SliceID string `path:"sliceId" id:"slc"`
	Body    CommentFields
}

// UpdateComment edits a comment of the caller.
type UpdateComment struct {
	Returns[Comment]
	CommentID string `path:"commentId" id:"cmt"`
	Patch     CommentPatch
}

// DeleteComment deletes a comment of the caller; admins of the workspace delete any.
type DeleteComment struct {
	Returns[Nothing]
	CommentID string `path:"commentId" id:"cmt"`
}

// CommentMember is a member by which items of a list are chosen.
type CommentMember string

// Values lists the members of a comment.
func (CommentMember) Values() []string {
	return memberPaths(reflect.TypeFor[Comment]())
}
