package api

import "reflect"

// MailTime says when a user is told by mail.
type MailTime string

// The times.
const (
	MailNow    MailTime = "now"    // at once, but for quiet hours
	MailDigest MailTime = "digest" // once a day
	MailNever  MailTime = "never"
)

// Values lists the times.
func (MailTime) Values() []string { return names(MailNow, MailDigest, MailNever) }

// MailKind is a kind of reasons for which a user is told.
type MailKind string

// The kinds.
const (
	MailMentioned     MailKind = "mentioned"
	MailAssigned      MailKind = "assigned"
	MailParticipating MailKind = "participating" // the user reported it or commented
	MailWatching      MailKind = "watching"      // the user watches it, its space or its workspace
	MailViews         MailKind = "views"         // a view that the user watches has it
)

// MailKinds are the kinds.
var MailKinds = []MailKind{MailMentioned, MailAssigned, MailParticipating, MailWatching, MailViews}

// KindOf returns the kind of a reason.
func KindOf(r NoticeReason) MailKind {
	switch r {
	case ReasonMentioned:
		return MailMentioned
	case ReasonAssigned:
		return MailAssigned
	case ReasonReported, ReasonCommented:
		return MailParticipating
	case ReasonView:
		return MailViews
	}
	return MailWatching
}

// MailContent says what mails have of a workspace.
type MailContent string

// The contents.
const (
	FullContent MailContent = "full" // titles, names, and the text of comments
	LinkContent MailContent = "link" // references and links alone
)

// Values lists the contents.
func (MailContent) Values() []string { return names(FullContent, LinkContent) }

// MailFields are what a user chooses about mails.
type MailFields struct {
	Mentioned     MailTime `json:"mentioned"`
	Assigned      MailTime `json:"assigned"`
	Participating MailTime `json:"participating"`
	Watching      MailTime `json:"watching"`
	Views         MailTime `json:"views"`
	DigestHour    int64    `json:"digestHour"` // of the day
	QuietFrom     int64    `json:"quietFrom"`  // minutes of the day; no hours are quiet when it equals QuietUntil
	QuietUntil    int64    `json:"quietUntil"`
	QuietDays     int64    `json:"quietDays"` // bits of the days that are quiet as a whole, Sunday being the first
	TimeZone      string   `json:"timeZone"`  // a name of the IANA database
}

// Of returns when the user is told of a kind.
func (f *MailFields) Of(k MailKind) *MailTime {
	switch k {
	case MailMentioned:
		return &f.Mentioned
	case MailAssigned:
		return &f.Assigned
	case MailParticipating:
		return &f.Participating
	case MailWatching:
		return &f.Watching
	}
	return &f.Views
}

// MailSettings are what a user has chosen about mails, and what becomes of them.
type MailSettings struct {
	MailFields
	Enabled bool            `json:"enabled"` // whether the instance sends mails
	Stopped *StoppedAddress `json:"stopped"` // nil while mails to the user are sent
	Version int64           `json:"version"` // 0 for the defaults
}

// StoppedAddress is an address that a mail server has refused. No notices are sent to it.
type StoppedAddress struct {
	Email     string `json:"email"`
	UserID    string `json:"userId"`
	Words     string `json:"words" untrusted:"true"` // of the server
	StoppedAt Time   `json:"stoppedAt"`
}

// GetMailSettings returns what the user has chosen about mails.
type GetMailSettings struct{ Returns[MailSettings] }

// MailPatch is a merge patch of what a user chooses about mails.
type MailPatch map[string]any

// Of returns the type whose members the patch changes.
func (MailPatch) Of() reflect.Type { return reflect.TypeFor[MailFields]() }

// UpdateMailSettings changes what the user has chosen about mails.
type UpdateMailSettings struct {
	Returns[MailSettings]
	Patch MailPatch
}

// ResumeMail lets mails be sent again to a stopped address: that of a user, or of the caller without one.
type ResumeMail struct {
	Returns[Nothing]
	UserID string `query:"userId" id:"usr"`
}

// MailState is what becomes of the mails of an organisation.
type MailState struct {
	Server    string           `json:"server"` // empty when the instance sends no mails
	Waiting   int64            `json:"waiting"`
	Oldest    *Time            `json:"oldest"`    // since when the oldest waits after its time
	LastError string           `json:"lastError"` // of a mail that waits, in the words of the server
	Failed    []FailedMail     `json:"failed"`    // the newest
	Stopped   []StoppedAddress `json:"stopped"`
}

// FailedMail is a mail that is not sent any more.
type FailedMail struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"`
	Email    string `json:"email"`
	Words    string `json:"words" untrusted:"true"`
	FailedAt Time   `json:"failedAt"`
}

// GetMailState returns what becomes of the mails of the organisation.
type GetMailState struct{ Returns[MailState] }

// RetryMail sends a mail that has failed once more.
type RetryMail struct {
	Returns[Nothing]
	MailID string `path:"mailId" id:"mai"`
}

// SendTestMail sends a mail to the caller.
type SendTestMail struct{ Returns[Nothing] }

// ChangeEmail sends a link to an address, by which its reader makes it the address of the user.
type ChangeEmail struct {
	Returns[Nothing]
	Body EmailChange
}

// EmailChange is the address that a user wants to have.
type EmailChange struct {
	Email string `json:"email"`
}

// LinkKind is a kind of links that are sent by mail.
type LinkKind string

// The kinds.
const (
	LinkInvitation LinkKind = "invitation"
	LinkReset      LinkKind = "reset"
	LinkShare      LinkKind = "share"
)

// Values lists the kinds.
func (LinkKind) Values() []string { return names(LinkInvitation, LinkReset, LinkShare) }

// MailLink sends a link that the caller has just created to the person for whom it is.
type MailLink struct {
	Returns[Nothing]
	Body MailedLink
}

// MailedLink is a link, and to whom it is sent.
type MailedLink struct {
	Kind  LinkKind `json:"kind"`
	Token string   `json:"token"`
	Email string   `json:"email"` // of the reader of a share; empty for another link, which names its reader
}
