package api

// The operations on notices and watches.
const (
	OpListNotices   = "listNotices"
	OpUpdateNotices = "updateNotices"
	OpListWatches   = "listWatches"
	OpGetWatch      = "getWatch"
	OpSetWatch      = "setWatch"
)

// NoticeReason says why somebody is told of a slice.
type NoticeReason string

// The reasons, the strongest first.
const (
	ReasonMentioned NoticeReason = "mentioned" // a comment or the description mentions the user
	ReasonAssigned  NoticeReason = "assigned"  // the slice is assigned to the user
	ReasonReported  NoticeReason = "reported"  // the user reported it
	ReasonCommented NoticeReason = "commented" // the user commented on it
	ReasonWatching  NoticeReason = "watching"  // the user watches it
	ReasonView      NoticeReason = "view"      // a view that the user watches has it
	ReasonSpace     NoticeReason = "space"     // the user watches its space
	ReasonWorkspace NoticeReason = "workspace" // the user watches its workspace
)

// Values lists the reasons.
func (NoticeReason) Values() []string {
	return names(ReasonMentioned, ReasonAssigned, ReasonReported, ReasonCommented, ReasonWatching, ReasonView,
		ReasonSpace, ReasonWorkspace)
}

// NoticeState is the state of a notice.
type NoticeState string

// The states of a notice.
const (
	NoticeUnread  NoticeState = "unread"
	NoticeRead    NoticeState = "read"
	NoticeSnoozed NoticeState = "snoozed" // until a time, at which it is unread
	NoticeDone    NoticeState = "done"
)

// Values lists the states.
func (NoticeState) Values() []string {
	return names(NoticeUnread, NoticeRead, NoticeSnoozed, NoticeDone)
}

// NoticeChange is a change of the state of notices.
type NoticeChange string

// The changes of notices.
const (
	ChangeRead     NoticeChange = "read"
	ChangeUnread   NoticeChange = "unread"
	ChangeSnoozed  NoticeChange = "snoozed"
	ChangeDone     NoticeChange = "done"
	ChangeRestored NoticeChange = "restored" // neither done nor snoozed, and read or unread as before
)

// Values lists the changes.
func (NoticeChange) Values() []string {
	return names(ChangeRead, ChangeUnread, ChangeSnoozed, ChangeDone, ChangeRestored)
}

// Notice tells a user of an event of a slice, or of the slices that one request has changed.
type Notice struct {
	ID          string      `json:"id" example:"ntc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	State       NoticeState `json:"state"`
	WorkspaceID string      `json:"workspaceId" example:"wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	// The slice; null for a request that concerns more than 50 slices.
	Slice *SliceLink `json:"slice"`
	// The number of slices that the request has changed; 1 when slice says which.
	SliceCount int64 `json:"sliceCount" minimum:"1" example:"1"`
	// Why the user is told.
	Reason NoticeReason `json:"reason" grows:"true" example:"assigned"`
	// The view, the space or the workspace that the user watches, when this is the reason.
	SubjectID *string `json:"subjectId" example:"null"`
	// The name of that.
	SubjectName *string `json:"subjectName" example:"null" untrusted:"true"`
	// The event, as the activity of the slice has it. Of several slices it is that of the last one, without what changed.
	Event Activity `json:"event"`
	// Until when the notice is snoozed.
	SnoozedUntil *Time `json:"snoozedUntil" example:"null"`
	// When the notice was done.
	DoneAt *Time `json:"doneAt" example:"null"`
}

// ListNotices returns the notices of the user, newest first.
type ListNotices struct {
	Returns[Page[Notice]]
	Paging
	NoticeFilters
}

// NoticeFilters select notices.
type NoticeFilters struct {
	// Only notices in one of these states. All but done ones by default.
	State []NoticeState `query:"state"`
	// Only notices for one of these reasons.
	Reason []NoticeReason `query:"reason"`
	// Only notices of this workspace.
	WorkspaceID string `query:"workspaceId"`
	// Only notices of this slice, by its id or its reference.
	SliceID string `query:"sliceId" maxLength:"100"`
}

// UpdateNotices changes the state of notices of the user.
type UpdateNotices struct {
	Returns[NoticesChanged]
	Idempotency
	Body NoticesUpdate
}

// NoticesUpdate is the body of UpdateNotices. One of noticeIds, sliceId, through and doneAt says which notices change.
type NoticesUpdate struct {
	// The ids of notices. Those of other users are ignored.
	NoticeIDs []string `json:"noticeIds,omitempty" maxItems:"100" default:"[]" example:"[\"ntc_01ja8m2c9tf3qb6h0v5r4x7kyz\"]"`
	// All notices of a slice, by its id or its reference.
	SliceID *string `json:"sliceId,omitempty" nullable:"true" minLength:"1" maxLength:"100" example:"null"`
	// This notice, and every older one that is not done.
	Through *string `json:"through,omitempty" nullable:"true" minLength:"1" maxLength:"100" example:"null"`
	// The notices that were done at this time: what undoes an update.
	DoneAt *Time `json:"doneAt,omitempty" nullable:"true" example:"null"`
	// Only those of them in this state.
	From *NoticeState `json:"from,omitempty" nullable:"true" example:"null"`
	// What becomes of them. Those that are done are not snoozed. restored takes done and snoozed back: they are read or unread as before.
	State NoticeChange `json:"state" create:"required" example:"done"`
	// Until when snoozed notices are not shown, at most a year. Required with snoozed, and refused without.
	SnoozedUntil *Time `json:"snoozedUntil,omitempty" nullable:"true" example:"null"`
}

// NoticesChanged says what UpdateNotices has changed.
type NoticesChanged struct {
	// The number of notices that have another state now.
	Changed int64 `json:"changed" minimum:"0" example:"1"`
	// When: the doneAt of notices that are done now.
	At Time `json:"at"`
}

// WatchLevel says whether a user is told of a subject.
type WatchLevel string

// The levels of watching.
const (
	Watching  WatchLevel = "watching"
	Muted     WatchLevel = "muted"     // the user is told of mentions alone
	Automatic WatchLevel = "automatic" // the user has chosen nothing
)

// Values lists the levels.
func (WatchLevel) Values() []string { return names(Watching, Muted, Automatic) }

// Watch says whether a user is told of a slice, a view, a space or a workspace.
type Watch struct {
	SubjectID string `json:"subjectId" example:"slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	Kind      string `json:"kind" grows:"true" enum:"slice,view,space,workspace" example:"slice"`
	// The summary of the slice, or the name.
	Name string `json:"name" example:"Checkout does nothing" untrusted:"true"`
	// What the user has chosen.
	Level WatchLevel `json:"level" example:"automatic"`
	// Why the user is told of a slice without having chosen it; null when the user is not, and when level says it.
	Reason *NoticeReason `json:"reason" grows:"true" example:"assigned"`
}

// ListWatches returns what the user has chosen to watch and to mute.
type ListWatches struct {
	Returns[Page[Watch]]
	Paging
}

// GetWatch says whether the user is told of a subject.
type GetWatch struct {
	Returns[Watch]
	// The id of a slice, or its reference, or the id of a view, a space or a workspace.
	SubjectID string `query:"subjectId" create:"required" maxLength:"100" example:"slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
}

// SetWatch chooses whether the user is told of a subject.
type SetWatch struct {
	Returns[Watch]
	Idempotency
	Body WatchFields
}

// WatchFields is the body of SetWatch.
type WatchFields struct {
	// The id of a slice, or its reference, or the id of a view, a space or a workspace.
	SubjectID string `json:"subjectId" create:"required" minLength:"1" maxLength:"100" example:"slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	// watching tells of everything that rules tell of; muted tells of mentions of the user alone; automatic tells of a slice that the
	// user reported, commented on, is assigned or is mentioned in.
	Level WatchLevel `json:"level" create:"required" example:"watching"`
}
