package api

// ReactionKind is a kind of reaction, by its name on GitHub.
type ReactionKind string

// Values lists the kinds, in the order in which they are shown.
func (ReactionKind) Values() []string {
	return []string{"+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"}
}

// Reaction says how many users have reacted to a comment in one way.
type Reaction struct {
	Kind  ReactionKind `json:"kind" example:"+1"`
	Count int64        `json:"count" minimum:"1" example:"2"`
	// Whether the user of the request is one of them.
	Own bool `json:"own" example:"false"`
}

// SetReaction adds a reaction of the caller to a comment, or takes it back.
type SetReaction struct {
	Returns[Comment]
	CommentID string `path:"commentId" id:"cmt"`
	Body      ReactionSetting
}

// ReactionSetting is the body of SetReaction.
type ReactionSetting struct {
	Kind ReactionKind `json:"kind" create:"required" example:"+1"`
	// True takes the reaction back.
	Remove bool `json:"remove" default:"false" example:"false"`
}

// ReactionChange is the subject of an event: a user has reacted to a comment, or has taken that back.
type ReactionChange struct {
	CommentID string       `json:"commentId" example:"cmt_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	SliceID   string       `json:"sliceId" example:"slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	UserID    string       `json:"userId" example:"usr_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Kind      ReactionKind `json:"kind" example:"+1"`
	// Whether the reaction was taken back.
	Removed bool `json:"removed" example:"false"`
}
