package page

import (
	"context"

	"bugslice/api"
	"bugslice/internal/tracker"
)

// The types of the pages of people are the tracker's.
type (
	Person             = tracker.Person
	PeopleList         = tracker.People
	PeopleQuery        = tracker.PeopleQuery
	PersonWorkspace    = tracker.PersonWorkspace
	PendingInvitation  = tracker.PendingInvitation
	InvitationFields   = tracker.InvitationFields
	ReceivedInvitation = tracker.ReceivedInvitation
	AcceptedInvitation = tracker.AcceptedInvitation
	ErasureCounts      = tracker.ErasureCounts
)

// People are the operations on the people of an organisation: methods of the tracker.
type People interface {
	// ListPeople returns users, and the invitations that the caller manages. It refuses a text without letters and digits with
	// invalid_parameter.
	ListPeople(context.Context, Session, PeopleQuery) (PeopleList, error)
	// GetPerson returns a user, with the workspaces and roles that the caller may give.
	GetPerson(ctx context.Context, s Session, userID string) (Person, PeopleList, error)
	// Invite returns the token of a link, which is shown once. Its faults name /email, /role, /workspaceRole and /workspaceIds.
	Invite(context.Context, Session, InvitationFields) (string, error)
	RevokeInvitation(ctx context.Context, s Session, invitationID string) error
	PutMember(ctx context.Context, s Session, workspaceID, userID string, role api.Role) error
	RemoveMember(ctx context.Context, s Session, workspaceID, userID string) error
	ChangeUserRole(ctx context.Context, s Session, userID string, role api.Role) error
	DisableAccount(ctx context.Context, s Session, userID string) error
	EnableAccount(ctx context.Context, s Session, userID string) error
	RemoveUser(ctx context.Context, s Session, userID string) error
	// CreateResetLink returns the token of a link, which is shown once.
	CreateResetLink(ctx context.Context, s Session, userID string) (string, error)
	// CountErasedRecords counts the records that Erase changes.
	CountErasedRecords(ctx context.Context, s Session, userID string) (ErasureCounts, error)
	// Erase returns whether the erasure is complete; otherwise a job completes it.
	Erase(ctx context.Context, s Session, userID, name string) (complete bool, err error)
}

// Links are the operations of somebody with the link of an invitation, or of a reset of the password.
type Links interface {
	// Invitation refuses a link that does not work with not_found.
	Invitation(ctx context.Context, token string) (ReceivedInvitation, error)
	// AcceptInvitation uses the link. Its faults name /name, /password and /email.
	AcceptInvitation(ctx context.Context, from Client, token string, in AcceptedInvitation) (NewSession, error)
	// CheckResetLink returns the e-mail address of the user. It refuses a link that does not work with not_found.
	CheckResetLink(ctx context.Context, token string) (string, error)
	// ResetPassword uses the link. Its fault names /password.
	ResetPassword(ctx context.Context, from Client, token, password string) (NewSession, error)
}

var (
	_ People = (*tracker.Tracker)(nil)
	_ Links  = (*tracker.Tracker)(nil)
)
