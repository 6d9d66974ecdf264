package page

import (
	"context"
	"io"
	"time"

	"bugslice/api"
	"bugslice/internal/admission"
	"bugslice/internal/download"
	"bugslice/internal/evidence"
	"bugslice/internal/input"
	"bugslice/internal/tracker"
)

// Backend is what the pages need of the service. Every rule is behind it: a method authorises its caller,
// validates its input and refuses with an api.Problem, whose faults name the fields of the form.
type Backend interface {
	Sessions
	Accounts
	Setup
	Keys
	Workspaces
	Reports
	Shares
	Live
	Webhooks
	AuditLog
	Redaction
	People
	Links
	Exports
	download.Bounds
	// Reserve returns the memory for a body that the caller sends. interrupt makes the pending read of the body return.
	Reserve(c tracker.Caller, interrupt func()) *admission.Reservation
}

// ErrProofNeeded refuses a change that needs a recent proof of the password. The page asks for it and then
// repeats the request.
var ErrProofNeeded = tracker.ErrProofNeeded

// The types of sessions, accounts and the first run are the tracker's.
type (
	Client         = tracker.Client
	SignIn         = tracker.SignIn
	NewSession     = tracker.NewSession
	Session        = tracker.Session
	OpenSession    = tracker.OpenSession
	Theme          = tracker.Theme
	Profile        = tracker.Profile
	ProfileFields  = tracker.ProfileFields
	PasswordChange = tracker.PasswordChange
	SetupFields    = tracker.SetupFields
	Founded        = tracker.Founded
)

// The themes.
const (
	ThemeSystem = tracker.ThemeSystem
	ThemeLight  = tracker.ThemeLight
	ThemeDark   = tracker.ThemeDark
)

// The tracker is the backend of sessions and accounts.
var (
	_ Sessions = (*tracker.Tracker)(nil)
	_ Accounts = (*tracker.Tracker)(nil)
)

// Sessions opens, lists and ends sessions.
type Sessions interface {
	// SignIn opens a session. It refuses with unauthorized and the same text whether the account exists or not,
	// with rate_limited after too many failures, and with unavailable while too many passwords are checked.
	SignIn(context.Context, Client, SignIn) (NewSession, error)
	// Session returns the session of a token, or refuses with unauthorized.
	Session(ctx context.Context, from Client, token string) (Session, error)
	// ProvePassword records that the user has just proved the password, and rotates the session.
	ProvePassword(ctx context.Context, from Client, s Session, password string) (NewSession, error)
	// SignOut ends the session itself.
	SignOut(context.Context, Session) error
	ListSessions(context.Context, Session) ([]OpenSession, error)
	EndSession(ctx context.Context, s Session, sessionID string) error
	EndOtherSessions(context.Context, Session) error
}

// Accounts changes what belongs to the user.
type Accounts interface {
	// UpdateProfile refuses with precondition_failed when version is not the profile's. Its faults name
	// /name, /theme, /timeZone and /shortcuts.
	UpdateProfile(ctx context.Context, s Session, version string, fields ProfileFields) (Profile, error)
	SetTheme(context.Context, Session, Theme) error
	// ChangePassword ends the other sessions and rotates this one. Its faults name /currentPassword and /newPassword.
	ChangePassword(ctx context.Context, from Client, s Session, change PasswordChange) (NewSession, error)
}

// Setup creates the organisation of an empty instance, its owner and a workspace.
type Setup interface {
	NeedsSetup(ctx context.Context) (bool, error)
	// CheckSetup refuses a token that is unknown, used or expired with not_found.
	CheckSetup(ctx context.Context, token string) error
	// SetUp uses the token up. Its faults name /organization, /email and /password.
	SetUp(ctx context.Context, from Client, token string, fields SetupFields) (Founded, error)
}

// The records of a key's page.
type (
	KeyDetail = tracker.KeyDetail
	Use       = tracker.Use
	Activity  = tracker.Activity
	Refusal   = tracker.Refusal
)

// Keys are the operations on API keys: methods of the tracker.
type Keys interface {
	ListKeys(context.Context, tracker.Caller, input.Valid[api.ListKeys]) (api.Page[api.Key], error)
	GetKey(context.Context, tracker.Caller, input.Valid[api.GetKey]) (api.Key, error)
	CreateKey(context.Context, tracker.Caller, input.Valid[api.CreateKey]) (api.NewKey, error)
	RotateKey(context.Context, tracker.Caller, input.Valid[api.RotateKey]) (api.NewKey, error)
	RevokeKey(context.Context, tracker.Caller, input.Valid[api.RevokeKey]) (api.Nothing, error)

	// StoredKey is GetKey for revoked keys too.
	StoredKey(context.Context, tracker.Caller, input.Valid[api.GetKey]) (api.Key, error)
	// EndedKeys returns the keys of the caller's list that were revoked or have expired in the last 30 days, the last one first.
	EndedKeys(context.Context, tracker.Caller) ([]api.Key, error)
	// KeyDetails returns the detail of each of these keys, by key id.
	KeyDetails(ctx context.Context, c tracker.Caller, keys []api.Key) (map[string]KeyDetail, error)
	// KeyActivity returns the newest events that a key caused, newest first.
	KeyActivity(ctx context.Context, c tracker.Caller, keyID string) ([]Activity, error)
	// KeyRefusals counts the refused calls of a key since an instant, most frequent first.
	KeyRefusals(ctx context.Context, c tracker.Caller, keyID string, since time.Time) ([]Refusal, error)
}

// Workspace is a workspace as the caller sees it.
type Workspace = tracker.MyWorkspace

// Workspaces are the operations on workspaces: methods of the tracker.
type Workspaces interface {
	// MyWorkspaces returns the workspaces that the caller is a member of, by name.
	MyWorkspaces(context.Context, tracker.Caller) ([]Workspace, error)
	// WorkspaceOfKey returns the id of a workspace of the caller by a key that it has, or had, or refuses with not_found.
	WorkspaceOfKey(ctx context.Context, c tracker.Caller, key string) (string, error)
	// Start returns what has been done in a workspace that the caller administers.
	Start(ctx context.Context, c tracker.Caller, workspaceID string) (tracker.Start, error)
	GetStatistics(context.Context, tracker.Caller, input.Valid[api.GetStatistics]) (api.Statistics, error)
	CreateWorkspace(context.Context, tracker.Caller, input.Valid[api.CreateWorkspace]) (api.Workspace, error)
	UpdateWorkspace(context.Context, tracker.Caller, input.Valid[api.UpdateWorkspace]) (api.Workspace, error)
	CreateSpace(context.Context, tracker.Caller, input.Valid[api.CreateSpace]) (api.Space, error)
	UpdateSpace(context.Context, tracker.Caller, input.Valid[api.UpdateSpace]) (api.Space, error)
	DeleteSpace(context.Context, tracker.Caller, input.Valid[api.DeleteSpace]) (api.Nothing, error)
	GetUsage(ctx context.Context, s Session, workspaceID string) (WorkspaceUsage, error)
	// ScheduleDeletion deletes a workspace in 30 days. Its fault names /name.
	ScheduleDeletion(ctx context.Context, s Session, workspaceID, name string) error
	CancelDeletion(ctx context.Context, s Session, workspaceID string) error
}

// WorkspaceUsage is what a workspace stores, and whether it is going to be deleted.
type WorkspaceUsage = tracker.WorkspaceUsage

// ExportProgress is the state of the download of an export, and how far it is.
type ExportProgress = tracker.ExportProgress

// The states of a download that a page tells apart.
const (
	ExportRunning = tracker.ExportRunning
	ExportFailed  = tracker.ExportFailed
)

// Exports exports workspaces.
type Exports interface {
	// OpenExport returns a function that writes a zip file. The user chooses the id, by which the progress of the download is found.
	OpenExport(ctx context.Context, s Session, workspaceID, id string) (func(io.Writer) error, error)
	// ExportProgress returns the progress of a download of the user from this node.
	ExportProgress(s Session, workspaceID, id string) (ExportProgress, error)
	CancelExport(s Session, workspaceID, id string) error
}

// LiveStream says which reports change.
type LiveStream = tracker.LiveStream

// Live opens live streams.
type Live interface {
	// OpenLive opens a live stream over all workspaces of a session. The caller closes it.
	OpenLive(ctx context.Context, s Session, after string) (*LiveStream, error)
}

// The records of the pages of reports.
type (
	Report        = tracker.Report // a slice with its conversation
	DeletedReport = tracker.DeletedReport
	Undone        = tracker.Undone
)

// Reports are the operations on slices and on what they refer to: methods of the tracker.
type Reports interface {
	ListSlices(context.Context, tracker.Caller, input.Valid[api.ListSlices]) (api.Page[api.Slice], error)
	CountSlices(context.Context, tracker.Caller, input.Valid[api.CountSlices]) (api.SliceCounts, error)
	GetSlice(context.Context, tracker.Caller, input.Valid[api.GetSlice]) (api.Slice, error)
	UpdateSlice(context.Context, tracker.Caller, input.Valid[api.UpdateSlice]) (api.Slice, error)
	DeleteSlice(context.Context, tracker.Caller, input.Valid[api.DeleteSlice]) (api.Nothing, error)
	RestoreSlice(context.Context, tracker.Caller, input.Valid[api.RestoreSlice]) (api.Slice, error)
	ListSimilar(context.Context, tracker.Caller, input.Valid[api.ListSimilar]) (api.Page[api.Similar], error)
	CreateComment(context.Context, tracker.Caller, input.Valid[api.CreateComment]) (api.Comment, error)
	UpdateComment(context.Context, tracker.Caller, input.Valid[api.UpdateComment]) (api.Comment, error)
	DeleteComment(context.Context, tracker.Caller, input.Valid[api.DeleteComment]) (api.Nothing, error)
	Markdown(context.Context, tracker.Caller, input.Valid[api.GetSlice]) (string, error)
	GetArchive(context.Context, tracker.Caller, input.Valid[api.GetArchive], io.Writer) error
	CreateSlice(context.Context, tracker.Caller, input.Valid[api.CreateSlice]) (api.FiledSlice, error)
	CreateAttachment(context.Context, tracker.Caller, input.Valid[api.CreateAttachment], tracker.Upload) (api.Attachment, error)
	ListAttachments(context.Context, tracker.Caller, input.Valid[api.ListAttachments]) (api.Page[api.Attachment], error)
	ReadAttachment(context.Context, tracker.Caller, input.Valid[api.GetAttachment]) (tracker.File, error)
	ReadThumbnail(context.Context, tracker.Caller, input.Valid[api.GetThumbnail]) (tracker.File, error)
	ListActions(context.Context, tracker.Caller, input.Valid[api.ListActions]) (api.Page[api.ActionRow], error)
	GetReplay(context.Context, tracker.Caller, input.Valid[api.GetReplay], io.Writer) error
	ListSimilarToDraft(context.Context, tracker.Caller, input.Valid[api.ListSimilarToDraft]) (api.Page[api.Similar], error)
	BatchUpdateSlices(context.Context, tracker.Caller, input.Valid[api.BatchUpdateSlices]) (api.BatchResults, error)
	BatchDeleteSlices(context.Context, tracker.Caller, input.Valid[api.BatchDeleteSlices]) (api.BatchResults, error)
	ListMembers(context.Context, tracker.Caller, input.Valid[api.ListMembers]) (api.Page[api.Member], error)
	ListSpaces(context.Context, tracker.Caller, input.Valid[api.ListSpaces]) (api.Page[api.Space], error)
	GetSpace(context.Context, tracker.Caller, input.Valid[api.GetSpace]) (api.Space, error)
	Search(context.Context, tracker.Caller, input.Valid[api.Search]) (api.SearchResults, error)
	ListViews(context.Context, tracker.Caller, input.Valid[api.ListViews]) (api.Page[api.View], error)
	CreateView(context.Context, tracker.Caller, input.Valid[api.CreateView]) (api.View, error)
	UpdateView(context.Context, tracker.Caller, input.Valid[api.UpdateView]) (api.View, error)
	DeleteView(context.Context, tracker.Caller, input.Valid[api.DeleteView]) (api.Nothing, error)
	ListLabels(context.Context, tracker.Caller, input.Valid[api.ListLabels]) (api.Page[api.LabelCount], error)

	ListConsole(context.Context, tracker.Caller, input.Valid[api.ListConsole]) (api.Page[api.ConsoleRow], error)
	ListNetwork(context.Context, tracker.Caller, input.Valid[api.ListNetwork]) (api.Page[api.NetworkRow], error)

	// CapturedEvidence returns what is stored of the evidence of an occurrence; 0 is the newest one with evidence.
	CapturedEvidence(ctx context.Context, c tracker.Caller, sliceID string, occurrence int64) (tracker.CapturedEvidence, error)
	// CapturedRequest returns a request of an occurrence by its number.
	CapturedRequest(ctx context.Context, c tracker.Caller, sliceID string, occurrence, number int64) (evidence.Exchange, error)
	// AdminNames returns the names of at most 10 admins of a workspace of the caller.
	AdminNames(ctx context.Context, c tracker.Caller, workspaceID string) ([]string, error)
	// MemberNames returns the names of those of the users who are members of a workspace, by id.
	MemberNames(ctx context.Context, c tracker.Caller, workspaceID string, userIDs []string) (map[string]string, error)
	// MembersNamed returns the members of a workspace, or of all, whose names have words that begin with those of a text, or whose e-mail
	// address it is.
	MembersNamed(ctx context.Context, c tracker.Caller, workspaceID, text string) ([]api.FoundMember, error)
	// SpacesNamed returns the spaces of a workspace, or of all, with a name, in any case of its letters.
	SpacesNamed(ctx context.Context, c tracker.Caller, workspaceID, name string) ([]api.Space, error)
	// UniqueNames returns the names of those of the users who are members of a workspace, or of one of all, by id.
	UniqueNames(ctx context.Context, c tracker.Caller, workspaceID string, userIDs []string) (map[string]tracker.MemberName, error)
	// ReportersNamed returns the ids of those with a name who have filed slices in a workspace, or in all, members or not.
	ReportersNamed(ctx context.Context, c tracker.Caller, workspaceID, name string) ([]string, error)
	// UndoChanges restores what a request of the same session has changed or deleted, except for values that were changed again.
	UndoChanges(ctx context.Context, c tracker.Caller, requestID string) (Undone, error)
	// Report returns a slice by its reference, a former reference or its id.
	ReportUntil(ctx context.Context, c tracker.Caller, reference, commentID string) (Report, error)
	// DeletedReport returns a deleted slice that the caller can restore.
	DeletedReport(ctx context.Context, c tracker.Caller, reference string) (DeletedReport, error)
}

// The records of the pages of shares.
type (
	ShareRow    = tracker.ShareRow
	SharedSlice = tracker.SharedSlice
)

// Shares are the operations on shares: methods of the tracker.
type Shares interface {
	CreateShare(context.Context, tracker.Caller, input.Valid[api.CreateShare]) (api.NewShare, error)
	RevokeShare(context.Context, tracker.Caller, input.Valid[api.RevokeShare]) (api.Nothing, error)
	// WorkspaceShares returns at most limit shares of a workspace before the share beforeID, the newest first.
	WorkspaceShares(ctx context.Context, c tracker.Caller, workspaceID, beforeID string, limit int) ([]ShareRow, error)
	// SliceShares returns the shares of a slice, oldest first.
	SliceShares(ctx context.Context, c tracker.Caller, sliceID string) ([]ShareRow, error)

	// OpenShare returns the caller of the link of a share. It refuses every link that does not work with not_found, and with
	// rate_limited after too many failures.
	OpenShare(ctx context.Context, from Client, token string) (tracker.Caller, error)
	// SharedSlice returns the slice of the caller's share.
	SharedSlice(context.Context, tracker.Caller) (SharedSlice, error)
	// SharedSliceAfter is SharedSlice with the comments after one.
	SharedSliceAfter(ctx context.Context, c tracker.Caller, commentID string) (SharedSlice, error)
	// SharedEvidence returns what is stored of the evidence of an occurrence, of the parts of the caller's share.
	SharedEvidence(ctx context.Context, c tracker.Caller, occurrence int64) (tracker.CapturedEvidence, error)
	ReadAttachment(context.Context, tracker.Caller, input.Valid[api.GetAttachment]) (tracker.File, error)
	ReadThumbnail(context.Context, tracker.Caller, input.Valid[api.GetThumbnail]) (tracker.File, error)
	GetReplay(context.Context, tracker.Caller, input.Valid[api.GetReplay], io.Writer) error
	GetArchive(context.Context, tracker.Caller, input.Valid[api.GetArchive], io.Writer) error
}

// The records of the pages of webhooks and of the audit log.
type (
	WebhookRow = tracker.WebhookRow
	AuditQuery = tracker.AuditQuery
	AuditEvent = tracker.AuditEvent
)

// Webhooks are the operations on webhooks and their deliveries: methods of the tracker.
type Webhooks interface {
	CreateWebhook(context.Context, tracker.Caller, input.Valid[api.CreateWebhook]) (api.WebhookSecret, error)
	UpdateWebhook(context.Context, tracker.Caller, input.Valid[api.UpdateWebhook]) (api.Webhook, error)
	DeleteWebhook(context.Context, tracker.Caller, input.Valid[api.DeleteWebhook]) (api.Nothing, error)
	RotateSecret(context.Context, tracker.Caller, input.Valid[api.RotateSecret]) (api.WebhookSecret, error)
	TestWebhook(context.Context, tracker.Caller, input.Valid[api.TestWebhook]) (api.WebhookTest, error)
	ListDeliveries(context.Context, tracker.Caller, input.Valid[api.ListDeliveries]) (api.Page[api.Delivery], error)
	GetDelivery(context.Context, tracker.Caller, input.Valid[api.GetDelivery]) (api.DeliveryDetail, error)
	Redeliver(context.Context, tracker.Caller, input.Valid[api.Redeliver]) (api.Delivery, error)
	RecoverDeliveries(context.Context, tracker.Caller, input.Valid[api.RecoverDeliveries]) (api.Recovered, error)

	// WebhookRows is ListWebhooks for the webhooks of a workspace, with what pages show of them.
	WebhookRows(context.Context, tracker.Caller, input.Valid[api.ListWebhooks]) ([]WebhookRow, error)
	// WebhookRow is GetWebhook, with what pages show of it.
	WebhookRow(context.Context, tracker.Caller, input.Valid[api.GetWebhook]) (WebhookRow, error)
}

// AuditLog reads the audit log: methods of the tracker.
type AuditLog interface {
	// AuditLog returns at most limit events that the caller may read, the newest first.
	AuditLog(ctx context.Context, c tracker.Caller, in AuditQuery, limit int) (tracker.AuditPage, error)
	// ExportAuditLog writes all of them as lines of JSON.
	ExportAuditLog(ctx context.Context, c tracker.Caller, in AuditQuery, to io.Writer) error
}

// Redaction are the operations on the redaction rules of a workspace: methods of the tracker.
type Redaction interface {
	GetWorkspace(context.Context, tracker.Caller, input.Valid[api.GetWorkspace]) (api.Workspace, error)
	UpdateWorkspace(context.Context, tracker.Caller, input.Valid[api.UpdateWorkspace]) (api.Workspace, error)
	DryRun(context.Context, tracker.Caller, input.Valid[api.DryRun]) (api.DryRunResult, error)
}

var (
	_ Webhooks   = (*tracker.Tracker)(nil)
	_ AuditLog   = (*tracker.Tracker)(nil)
	_ Redaction  = (*tracker.Tracker)(nil)
	_ Shares     = (*tracker.Tracker)(nil)
	_ Workspaces = (*tracker.Tracker)(nil)
	_ Reports    = (*tracker.Tracker)(nil)
	_ Live       = (*tracker.Tracker)(nil)
)
