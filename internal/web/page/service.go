package page

import (
	"context"
	"io"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/tracker"
)

// Setup creates the organisation of an empty instance, its owner and a workspace.
type Setup interface {
	NeedsSetup(ctx context.Context) (bool, error)
	// CheckSetup refuses a token that is unknown, used or expired with not_found.
	CheckSetup(ctx context.Context, token string) error
	// SetUp uses the token up. Its faults name /organization, /name, /email and /password.
	SetUp(ctx context.Context, from Client, token string, fields SetupFields) (Founded, error)
}

// Exports exports workspaces.
type Exports interface {
	// OpenExport returns a function that writes a zip file.
	OpenExport(context.Context, access.Caller, input.Valid[api.ExportWorkspace]) (func(io.Writer) error, error)
}

// ErrProofNeeded refuses a change that needs a recent proof of the password. The page asks for it and then
// repeats the request.
var ErrProofNeeded = access.ErrProofNeeded

// The records of the tracker that pages show, and what their forms send.
type (
	Client      = tracker.Client
	SignIn      = tracker.SignIn
	NewSession  = tracker.NewSession
	Session     = tracker.Session
	SetupFields = tracker.SetupFields
	Founded     = tracker.Founded

	KeyDetail = tracker.KeyDetail
	Use       = tracker.Use
	Activity  = tracker.Activity
	Refusal   = tracker.Refusal

	Workspace  = tracker.MyWorkspace
	LiveStream = tracker.LiveStream

	Report        = tracker.Report // a slice with its conversation
	DeletedReport = tracker.DeletedReport
	Undone        = tracker.Undone
	ShareRow      = tracker.ShareRow
	SharedSlice   = tracker.SharedSlice
	WebhookRow    = tracker.WebhookRow

	PeopleList         = api.People
	ReceivedInvitation = tracker.ReceivedInvitation
	AcceptedInvitation = tracker.AcceptedInvitation
)
