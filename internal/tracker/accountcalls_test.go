package tracker_test

import (
	"context"
	"errors"
	"io"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/tracker"
)

// carryOut validates an input and carries out its operation. A caller that may not is refused as with any input.
func carryOut[In api.Input[Out], Out any](ctx context.Context, c access.Caller,
	method func(context.Context, access.Caller, input.Valid[In]) (Out, error), in In) (Out, error) {
	v, invalid := input.Check(in)
	out, err := method(ctx, c, v)
	var p *api.Problem
	if invalid != nil && !errors.As(err, &p) { // authorised, and then refused for want of an input
		err = invalid
	}
	return out, err
}

// The operations on accounts with their values, for a session.

func (w *world) PutMember(ctx context.Context, s tracker.Session, workspaceID, userID string, role api.Role) error {
	in := api.PutMember{WorkspaceID: workspaceID, UserID: userID, Body: api.RoleFields{Role: role}}
	return second(carryOut(ctx, s.Caller, w.Tracker.PutMember, in))
}

func (w *world) RemoveMember(ctx context.Context, s tracker.Session, workspaceID, userID string) error {
	return second(carryOut(ctx, s.Caller, w.Tracker.RemoveMember,
		api.RemoveMember{WorkspaceID: workspaceID, UserID: userID}))
}

func (w *world) ChangeUserRole(ctx context.Context, s tracker.Session, userID string, role api.Role) error {
	in := api.ChangeUserRole{UserID: userID, Body: api.RoleFields{Role: role}}
	return second(carryOut(ctx, s.Caller, w.Tracker.ChangeUserRole, in))
}

func (w *world) DisableAccount(ctx context.Context, s tracker.Session, userID string) error {
	return second(carryOut(ctx, s.Caller, w.Tracker.DisableUser, api.DisableUser{UserID: userID}))
}

func (w *world) EnableAccount(ctx context.Context, s tracker.Session, userID string) error {
	return second(carryOut(ctx, s.Caller, w.Tracker.EnableUser, api.EnableUser{UserID: userID}))
}

func (w *world) RemoveUser(ctx context.Context, s tracker.Session, userID string) error {
	return second(carryOut(ctx, s.Caller, w.Tracker.RemoveUser, api.RemoveUser{UserID: userID}))
}

func (w *world) CreateResetLink(ctx context.Context, s tracker.Session, userID string) (string, error) {
	link, err := carryOut(ctx, s.Caller, w.Tracker.CreateResetLink, api.CreateResetLink{UserID: userID})
	return link.Token, err
}

func (w *world) CountErasedRecords(ctx context.Context, s tracker.Session, userID string) (api.ErasureCounts, error) {
	return carryOut(ctx, s.Caller, w.Tracker.CountErasedRecords, api.CountErasedRecords{UserID: userID})
}

func (w *world) Erase(ctx context.Context, s tracker.Session, userID, name string) (complete bool, err error) {
	in := api.EraseUser{UserID: userID, Body: api.NamedConfirmation{Name: name}}
	done, err := carryOut(ctx, s.Caller, w.Tracker.EraseUser, in)
	return done.Complete, err
}

func (w *world) InviteUser(ctx context.Context, s tracker.Session, in api.InviteUser) (string, error) {
	link, err := carryOut(ctx, s.Caller, w.Tracker.InviteUser, in)
	return link.Token, err
}

func (w *world) RevokeInvitation(ctx context.Context, s tracker.Session, invitationID string) error {
	return second(carryOut(ctx, s.Caller, w.Tracker.RevokeInvitation, api.RevokeInvitation{InvitationID: invitationID}))
}

func (w *world) ListPeople(ctx context.Context, s tracker.Session) (api.People, error) {
	return carryOut(ctx, s.Caller, w.Tracker.ListPeople, api.ListPeople{Limit: 50})
}

func (w *world) ScheduleDeletion(ctx context.Context, s tracker.Session, workspaceID, name string) error {
	in := api.ScheduleDeletion{WorkspaceID: workspaceID, Body: api.NamedConfirmation{Name: name}}
	return second(carryOut(ctx, s.Caller, w.Tracker.ScheduleDeletion, in))
}

func (w *world) CancelDeletion(ctx context.Context, s tracker.Session, workspaceID string) error {
	return second(carryOut(ctx, s.Caller, w.Tracker.CancelDeletion, api.CancelDeletion{WorkspaceID: workspaceID}))
}

func (w *world) BeginExport(ctx context.Context, s tracker.Session, workspaceID string) (
	*tracker.ExportDownload, error,
) {
	v, err := input.Check(api.ExportWorkspace{WorkspaceID: workspaceID})
	if err != nil {
		return nil, err
	}
	_, d, err := w.Tracker.BeginExport(ctx, s.Caller, v)
	if err == nil && d == nil {
		err = errors.New("no export")
	}
	return d, err
}

func (w *world) ListSessions(ctx context.Context, s tracker.Session) ([]api.OpenSession, error) {
	all, err := carryOut(ctx, s.Caller, w.Tracker.ListSessions, api.ListSessions{})
	return all.Data, err
}

func (w *world) EndSession(ctx context.Context, s tracker.Session, sessionID string) error {
	return second(carryOut(ctx, s.Caller, w.Tracker.EndSession, api.EndSession{SessionID: sessionID}))
}

func (w *world) EndOtherSessions(ctx context.Context, s tracker.Session) error {
	return second(carryOut(ctx, s.Caller, w.Tracker.EndOtherSessions, api.EndOtherSessions{}))
}

func (w *world) ProvePassword(ctx context.Context, from tracker.Client, s tracker.Session, password string) (
	tracker.NewSession, error,
) {
	in := api.Prove{Body: api.Proof{Password: password, Device: from.Device}}
	s.Caller.Request = from.Request
	return carryOut(ctx, s.Caller, w.Prove, in)
}

func (w *world) ChangePassword(ctx context.Context, from tracker.Client, s tracker.Session, change api.PasswordChange) (
	tracker.NewSession, error,
) {
	change.Device, s.Caller.Request = from.Device, from.Request
	return carryOut(ctx, s.Caller, w.Tracker.ChangePassword, api.ChangePassword{Body: change})
}

func (w *world) UpdateProfile(ctx context.Context, s tracker.Session, version string, f api.ProfileFields) (
	api.Profile, error,
) {
	in := api.UpdateProfile{IfMatch: version,
		Patch: api.ProfilePatch{"name": f.Name, "theme": string(f.Theme), "timeZone": f.TimeZone,
			"shortcuts": f.Shortcuts}}
	return carryOut(ctx, s.Caller, w.Tracker.UpdateProfile, in)
}

func (w *world) SetTheme(ctx context.Context, s tracker.Session, theme api.Theme) error {
	in := api.UpdateProfile{Patch: api.ProfilePatch{"theme": string(theme)}}
	return second(carryOut(ctx, s.Caller, w.Tracker.UpdateProfile, in))
}

func (w *world) AuditLog(ctx context.Context, c access.Caller, in api.AuditFilters, limit int) (api.AuditPage, error) {
	return carryOut(ctx, c, w.ListAuditLog, api.ListAuditLog{AuditFilters: in, Limit: limit})
}

func (w *world) ExportAuditLog(ctx context.Context, c access.Caller, to io.Writer) error {
	return w.Tracker.ExportAuditLog(ctx, c, valid(api.ExportAuditLog{}), to)
}
