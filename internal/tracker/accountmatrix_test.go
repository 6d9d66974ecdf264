package tracker_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/factor"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/operator"
	"bugslice/internal/store"
	"bugslice/internal/store/identities"
	"bugslice/internal/store/mails"
)

// accounts is a fixture with callers by role, and a person whom operations are about.
type accounts struct {
	*fixture
	target string        // a member of the workspace, another one for each call
	people int           // whom the test has added
	share  access.Caller // of a link
}

// roles are those of the callers who have signed in: in the organisation, and in the workspace.
var roles = []struct {
	name                    string
	organization, workspace api.Role
}{
	{"owner", api.RoleOwner, ""}, {"admin", api.RoleAdmin, ""}, {"lead", api.RoleMember, api.RoleAdmin},
	{"member", api.RoleMember, api.RoleMember}, {"outside", api.RoleMember, ""},
}

// accountCall is an account operation, with the codes of those who have signed in and may not call it.
type accountCall struct {
	id      string
	prepare func(t *testing.T, f *accounts) func(access.Caller) error
	refused map[string]string
}

// about makes a call of a method and its input, which may prepare what it is about.
func about[In api.Input[Out], Out any](method func(*tr, context.Context, access.Caller, input.Valid[In]) (Out, error),
	in func(*testing.T, *accounts) In,
) func(*testing.T, *accounts) func(access.Caller) error {
	return func(t *testing.T, f *accounts) func(access.Caller) error {
		v := valid(in(t, f))
		return func(c access.Caller) error { return second(method(f.Tracker, t.Context(), c, v)) }
	}
}

// constant is an input that needs no preparation.
func constant[In any](in In) func(*testing.T, *accounts) In {
	return func(*testing.T, *accounts) In { return in }
}

// The codes with which operations on people and on the workspace refuse callers.
var (
	ofPeople  = map[string]string{"lead": forbidden, "member": forbidden, "outside": forbidden, "stranger": notFound}
	ofMembers = map[string]string{"member": forbidden, "outside": notFound, "stranger": notFound}
	ofAdmins  = map[string]string{"owner": notFound, "admin": notFound, "member": forbidden, "outside": notFound,
		"stranger": notFound}
)

// ofManagers are the codes of operations of those who manage the people of their own organisation; confirmedForAnother are
// those of a text that no service has sealed.
var (
	ofManagers          = map[string]string{"lead": forbidden, "member": forbidden, "outside": forbidden}
	confirmedForAnother = map[string]string{"owner": forbidden, "admin": forbidden, "lead": forbidden,
		"member":  forbidden,
		"outside": forbidden, "stranger": forbidden}
)

// withProvider is an input for an organisation that has a provider, which does not answer.
func withProvider[In any](in In) func(*testing.T, *accounts) In {
	return func(t *testing.T, f *accounts) In {
		for _, orgID := range []string{f.owner.Organization.ID, f.caller(t, "stranger").Organization.ID} {
			must(t, f.store.Write(t.Context(), func(tx *store.Tx) error {
				return tx.Identities().PutProvider(identities.Provider{OrgID: orgID, Name: "Acme",
					Issuer:   "https://127.0.0.1",
					ClientID: "bugslice"})
			}))
		}
		return in
	}
}

var accountCalls = []accountCall{
	{api.OpListSessions, about((*tr).ListSessions, constant(api.ListSessions{})), nil},
	{api.OpEndSession, about((*tr).EndSession, constant(api.EndSession{SessionID: id.New(id.Session)})),
		map[string]string{"owner": notFound, "admin": notFound, "lead": notFound, "member": notFound,
			"outside":  notFound,
			"stranger": notFound}}, // of somebody else
	{api.OpEndOtherSessions, about((*tr).EndOtherSessions, constant(api.EndOtherSessions{})), nil},
	{api.OpProve, about((*tr).Prove, constant(api.Prove{Body: api.Proof{Password: secretWords}})), nil},
	{api.OpAskProof, about((*tr).AskProof, constant(api.AskProof{})), nil},
	{api.OpChangePassword, about((*tr).ChangePassword, constant(api.ChangePassword{
		Body: api.PasswordChange{CurrentPassword: secretWords, NewPassword: secretWords}})), nil},
	{api.OpUpdateProfile, about((*tr).UpdateProfile,
		constant(api.UpdateProfile{Patch: api.ProfilePatch{"theme": "dark"}})), nil},
	{api.OpSetPicture, func(t *testing.T, f *accounts) func(access.Caller) error {
		v, image := valid(api.SetPicture{}), []byte(picture(t))
		return func(c access.Caller) error { return second(f.SetPicture(t.Context(), c, v, image)) }
	}, nil},
	{api.OpGetPicture, func(t *testing.T, f *accounts) func(access.Caller) error {
		owner := f.caller(t, "owner")
		must(t, second(f.SetPicture(t.Context(), owner, valid(api.SetPicture{}), []byte(picture(t)))))
		named, err := f.PicturesOf(t.Context(), owner, []string{owner.ID})
		must(t, err)
		v := valid(api.GetPicture{Name: named[owner.ID]})
		return func(c access.Caller) error { return second(f.GetPicture(t.Context(), c, v)) }
	}, map[string]string{"stranger": notFound}},
	{api.OpRemovePicture, func(t *testing.T, f *accounts) func(access.Caller) error {
		must(t, f.store.Write(t.Context(), func(tx *store.Tx) error {
			return tx.Pictures().Set(f.target,
				[]byte("jpeg"))
		}))
		v := valid(api.RemovePicture{UserID: f.target})
		return func(c access.Caller) error { return second(f.RemovePicture(t.Context(), c, v)) }
	}, ofPeople},
	{api.OpGetMailSettings, about((*tr).GetMailSettings, constant(api.GetMailSettings{})), nil},
	{api.OpUpdateMailSettings, about((*tr).UpdateMailSettings,
		constant(api.UpdateMailSettings{Patch: api.MailPatch{"views": "never"}})), nil},
	{api.OpResumeMail, about((*tr).ResumeMail, func(_ *testing.T, f *accounts) api.ResumeMail {
		return api.ResumeMail{UserID: f.target}
	}), ofPeople},
	{api.OpSendTestMail, about((*tr).SendTestMail, constant(api.SendTestMail{})), withLead(forbidden, "lead",
		"member", "outside")},
	{api.OpGetMailState, about((*tr).GetMailState, constant(api.GetMailState{})), withLead(forbidden, "lead",
		"member", "outside")},
	{api.OpRetryMail, about((*tr).RetryMail, func(t *testing.T, f *accounts) api.RetryMail {
		return api.RetryMail{MailID: f.failedMail(t)}
	}), ofPeople},
	{api.OpChangeEmail, about((*tr).ChangeEmail, func(_ *testing.T, f *accounts) api.ChangeEmail {
		return api.ChangeEmail{Body: api.EmailChange{Email: fmt.Sprintf("wanted%d@test.example", f.people)}}
	}), nil},
	{api.OpMailLink, about((*tr).MailLink, func(t *testing.T, f *accounts) api.MailLink {
		link, err := f.Tracker.CreateResetLink(t.Context(), f.caller(t, "owner"),
			valid(api.CreateResetLink{UserID: f.target}))
		must(t, err)
		return api.MailLink{Body: api.MailedLink{Kind: api.LinkReset, Token: link.Token}}
	}), withLead(notFound, "admin", "lead", "member", "outside", "stranger")},
	{api.OpListPeople, about((*tr).ListPeople, constant(api.ListPeople{})), nil},
	{api.OpGetPerson, about((*tr).GetPerson,
		func(_ *testing.T, f *accounts) api.GetPerson { return api.GetPerson{UserID: f.target} }),
		map[string]string{"outside": notFound, "stranger": notFound}},
	{api.OpInvite, about((*tr).InviteUser, func(_ *testing.T, f *accounts) api.InviteUser {
		return invitationTo(fmt.Sprintf("invited%d@test.example", f.people), f.workspace)
	}), ofMembers},
	{api.OpRevokeInvitation, about((*tr).RevokeInvitation, func(t *testing.T, f *accounts) api.RevokeInvitation {
		owner := f.caller(t, "owner")
		must(t, second(f.Tracker.InviteUser(t.Context(), owner,
			valid(invitationTo("revoked@test.example", f.workspace)))))
		listed, err := f.Tracker.ListPeople(t.Context(), owner, valid(api.ListPeople{}))
		must(t, err)
		return api.RevokeInvitation{InvitationID: listed.Invitations[len(listed.Invitations)-1].ID}
	}), map[string]string{"member": notFound, "outside": notFound, "stranger": notFound}},
	{api.OpPutMember, about((*tr).PutMember, func(_ *testing.T, f *accounts) api.PutMember {
		return api.PutMember{WorkspaceID: f.workspace, UserID: f.target, Body: api.RoleFields{Role: api.RoleAdmin}}
	}), ofMembers},
	{api.OpRemoveMember, about((*tr).RemoveMember, func(_ *testing.T, f *accounts) api.RemoveMember {
		return api.RemoveMember{WorkspaceID: f.workspace, UserID: f.target}
	}), ofMembers},
	{api.OpChangeUserRole, about((*tr).ChangeUserRole, func(_ *testing.T, f *accounts) api.ChangeUserRole {
		return api.ChangeUserRole{UserID: f.target, Body: api.RoleFields{Role: api.RoleAdmin}}
	}), ofPeople},
	{api.OpDisableUser, about((*tr).DisableUser, func(_ *testing.T, f *accounts) api.DisableUser {
		return api.DisableUser{UserID: f.target}
	}), ofPeople},
	{api.OpEnableUser, about((*tr).EnableUser, func(_ *testing.T, f *accounts) api.EnableUser {
		return api.EnableUser{UserID: f.target}
	}), ofPeople},
	{api.OpRemoveUser, about((*tr).RemoveUser, func(_ *testing.T, f *accounts) api.RemoveUser {
		return api.RemoveUser{UserID: f.target}
	}), ofPeople},
	{api.OpCreateResetLink, about((*tr).CreateResetLink, func(_ *testing.T, f *accounts) api.CreateResetLink {
		return api.CreateResetLink{UserID: f.target}
	}), ofPeople},
	{api.OpCountErasedRecords, about((*tr).CountErasedRecords, func(_ *testing.T,
		f *accounts) api.CountErasedRecords {
		return api.CountErasedRecords{UserID: f.target}
	}), ofPeople},
	{api.OpEraseUser, about((*tr).EraseUser, func(_ *testing.T, f *accounts) api.EraseUser {
		return api.EraseUser{UserID: f.target, Body: api.NamedConfirmation{Name: f.targetName()}}
	}), ofPeople},
	{api.OpExportWorkspace, func(t *testing.T, f *accounts) func(access.Caller) error {
		v := valid(api.ExportWorkspace{WorkspaceID: f.workspace, ExportID: "e"})
		return func(c access.Caller) error {
			_, _, err := f.Tracker.BeginExport(t.Context(), c, v)
			return err
		}
	}, ofAdmins},
	{api.OpGetExportProgress, about((*tr).GetExportProgress, func(_ *testing.T, f *accounts) api.GetExportProgress {
		return api.GetExportProgress{WorkspaceID: f.workspace, ExportID: "e"}
	}), withLead(notFound, "owner", "admin", "member", "outside", "stranger")}, // of somebody else
	{api.OpCancelExport, about((*tr).CancelExport, func(_ *testing.T, f *accounts) api.CancelExport {
		return api.CancelExport{WorkspaceID: f.workspace, ExportID: "e"}
	}), withLead(notFound, "owner", "admin", "member", "outside", "stranger")},
	{api.OpGetUsage, about((*tr).GetUsage, func(_ *testing.T, f *accounts) api.GetUsage {
		return api.GetUsage{WorkspaceID: f.workspace}
	}), withLead(notFound, "owner", "admin", "outside", "stranger")},
	{api.OpGetProvider, about((*tr).GetProvider, constant(api.GetProvider{})), ofManagers},
	{api.OpGetOwnProvider, about((*tr).GetOwnProvider, constant(api.GetOwnProvider{})), nil},
	{api.OpUpdateProvider, about((*tr).UpdateProvider,
		constant(api.UpdateProvider{Body: api.ProviderFields{Name: "Acme",
			Issuer: "https://login.acme.com", ClientID: "bugslice"}})), ofManagers},
	{api.OpCheckProvider, about((*tr).CheckProvider, withProvider(api.CheckProvider{})), ofManagers},
	{api.OpUnlinkIdentity, about((*tr).UnlinkIdentity, func(t *testing.T, f *accounts) api.UnlinkIdentity {
		withProvider(0)(t, f)
		must(t, f.store.Write(t.Context(), func(tx *store.Tx) error {
			return tx.Identities().Link(identities.Identity{OrgID: f.owner.Organization.ID,
				Issuer: "https://127.0.0.1", Subject: f.target,
				UserID: f.target})
		}))
		return api.UnlinkIdentity{UserID: f.target}
	}), ofPeople},
	{api.OpRemoveProvider, about((*tr).RemoveProvider, withProvider(api.RemoveProvider{})), ofManagers},
	{api.OpLinkIdentity, about((*tr).LinkIdentity, withProvider(api.LinkIdentity{})), confirmedForAnother},
	{api.OpProveAtProvider, about((*tr).ProveAtProvider, withProvider(api.ProveAtProvider{})), confirmedForAnother},
	{api.OpListAuditLog, about((*tr).ListAuditLog, constant(api.ListAuditLog{})),
		withLead(forbidden, "member", "outside")},
	{api.OpExportAuditLog, func(t *testing.T, f *accounts) func(access.Caller) error {
		v := valid(api.ExportAuditLog{})
		return func(c access.Caller) error { return f.Tracker.ExportAuditLog(t.Context(), c, v, new(bytes.Buffer)) }
	}, withLead(forbidden, "member", "outside")},
	{api.OpCancelDeletion, about((*tr).CancelDeletion, func(_ *testing.T, f *accounts) api.CancelDeletion {
		return api.CancelDeletion{WorkspaceID: f.workspace}
	}), ofAdmins},
	{api.OpScheduleDeletion, about((*tr).ScheduleDeletion, func(t *testing.T, f *accounts) api.ScheduleDeletion {
		w, err := f.GetWorkspace(t.Context(), f.owner, valid(api.GetWorkspace{WorkspaceID: f.workspace}))
		must(t, err)
		return api.ScheduleDeletion{WorkspaceID: f.workspace, Body: api.NamedConfirmation{Name: w.Name}}
	}), ofAdmins},
	{api.OpListFactors, about((*tr).ListFactors, constant(api.ListFactors{})), nil},
	{api.OpBeginAuthenticator, about((*tr).BeginAuthenticator, constant(api.BeginAuthenticator{})), nil},
	{api.OpRemoveAuthenticator, about((*tr).RemoveAuthenticator, constant(api.RemoveAuthenticator{})),
		ofNobody(notFound)},
	{api.OpBeginPasskey, about((*tr).BeginPasskey, constant(api.BeginPasskey{})), nil},
	{api.OpAddPasskey, about((*tr).AddPasskey, constant(api.AddPasskey{Body: api.NewPasskey{Name: "Phone"}})),
		ofNobody(api.CodeInvalidBody)},
	{api.OpRenamePasskey, about((*tr).RenamePasskey, constant(api.RenamePasskey{PasskeyID: id.New(id.Passkey),
		Body: api.PasskeyName{Name: "Phone"}})), ofNobody(notFound)},
	{api.OpRemovePasskey, about((*tr).RemovePasskey, constant(api.RemovePasskey{PasskeyID: id.New(id.Passkey)})),
		ofNobody(notFound)},
	{api.OpReplaceRecoveryCodes, about((*tr).ReplaceRecoveryCodes, constant(api.ReplaceRecoveryCodes{})),
		ofNobody(api.CodeConflict)},
	{api.OpRemovePassword, about((*tr).RemovePassword, constant(api.RemovePassword{})), ofNobody(api.CodeConflict)},
	{api.OpRemoveFactors, about((*tr).RemoveFactors, func(_ *testing.T, f *accounts) api.RemoveFactors {
		return api.RemoveFactors{UserID: f.target}
	}), ofPeople},
	{api.OpGetPolicies, about((*tr).GetPolicies, constant(api.GetPolicies{})), ofManagers},
	{api.OpPreviewPolicies, about((*tr).PreviewPolicies, constant(api.PreviewPolicies{
		Body: api.PolicyFields{SessionHours: 8}})), ofManagers},
	{api.OpUpdatePolicies, about((*tr).UpdatePolicies, constant(api.UpdatePolicies{
		Body: api.PolicyFields{ServiceKeyDays: 300}})), ofManagers},
	{api.OpGetKeyPolicy, about((*tr).GetKeyPolicy, constant(api.GetKeyPolicy{})), nil},
	// The last one: all have a second factor then.
	{api.OpConfirmAuthenticator, func(t *testing.T, f *accounts) func(access.Caller) error {
		return func(c access.Caller) error {
			key := factor.NewKey()
			right, err := factor.CodeAt(key, factor.Step(f.now))
			must(t, err)
			return second(f.ConfirmAuthenticator(t.Context(), c, valid(api.ConfirmAuthenticator{
				Body: api.AuthenticatorConfirmation{State: f.SealKey(c.ID, key), Code: right}})))
		}
	}, nil},
}

// ofNobody are the codes of an operation on what no caller has.
func ofNobody(code string) map[string]string {
	return withLead(code, "owner", "admin", "lead", "member", "outside", "stranger")
}

// withLead returns the same code for callers.
func withLead(code string, refused ...string) map[string]string {
	all := map[string]string{}
	for _, who := range refused {
		all[who] = code
	}
	return all
}

// failedMail returns a mail to the person of the next call that is not sent any more.
func (f *accounts) failedMail(t *testing.T) string {
	t.Helper()
	at, m := api.At(f.now), mails.Mail{ID: id.New(id.Mail), Kind: "test", OrgID: &f.owner.Organization.ID,
		UserID: &f.target}
	m.CreatedAt = at
	must(t, f.store.Write(t.Context(), func(tx *store.Tx) error {
		w := tx.Mails()
		if err := w.Insert(m, at); err != nil {
			return err
		}
		leased, err := w.Lease(at, api.At(at.Add(time.Minute)), 1000)
		if err != nil {
			return err
		}
		return w.Fail(leased[slices.IndexFunc(leased, func(l mails.Mail) bool { return l.ID == m.ID })], at)
	}))
	return m.ID
}

func (f *accounts) targetName() string { return fmt.Sprint("Target ", f.people) }

// addTarget adds the person of the next call.
func (f *accounts) addTarget(t *testing.T) {
	t.Helper()
	f.people++
	in := f.In(f.owner.Organization)
	u, err := in.AddUser(t.Context(), operator.NewUser{Email: fmt.Sprintf("target%d@test.example", f.people),
		Name: f.targetName()})
	must(t, err)
	must(t, in.PutMember(t.Context(), f.workspace, u.UserID, api.RoleMember))
	f.target = u.UserID
}

// caller signs somebody with a role in.
func (f *accounts) caller(t *testing.T, role string) access.Caller {
	t.Helper()
	s, _ := f.signIn(t, role+"@roles.example")
	return s.Caller
}

func newAccounts(t *testing.T, w *world) *accounts {
	t.Helper()
	f := &accounts{fixture: newFixture(t, w)}
	in := w.In(w.owner.Organization)
	for _, r := range roles {
		u, err := in.AddUser(t.Context(),
			operator.NewUser{Email: r.name + "@roles.example", Name: "Somebody", Password: secretWords,
				Role: r.organization})
		must(t, err)
		if r.workspace != "" {
			must(t, in.PutMember(t.Context(), w.workspace, u.UserID, r.workspace))
		}
	}
	_, err := w.Bootstrap(t.Context(), operator.Bootstrap{Organization: "Elsewhere", Workspace: "There",
		Owner: operator.NewUser{Email: "stranger@roles.example", Password: secretWords}})
	must(t, err)
	f.share, err = w.openLink(w.share(t, w.owner, f.slice), "198.51.100.7")
	must(t, err)
	return f
}

// TestAccountOperationsAskForTheirRight calls each account operation as each kind of caller. A refused one stores
// nothing, and no key, share or visitor may call one. Nobody whose account was disabled changes anything: the
// transaction finds the session ended.
func TestAccountOperationsAskForTheirRight(t *testing.T) {
	var listed []string
	for _, c := range accountCalls {
		listed = append(listed, c.id)
	}
	for _, op := range api.AccountOperations {
		if strings.Count(" "+strings.Join(listed, " ")+" ", " "+op.ID+" ") != 1 || op.Callers != api.SessionsOnly {
			t.Errorf("%s is not called once, or not for sessions alone", op.ID)
		}
	}
	engines(t, func(t *testing.T, w *world) {
		f := newAccounts(t, w)
		f.UsePasskeys("https://bugs.example.com")
		others := map[string]struct {
			caller access.Caller
			code   string
		}{
			"a key":     {w.owner, forbidden},
			"a service": {w.authenticate(t, w.service(t).Token), forbidden},
			"a share":   {f.share, code(f.share.Allow(api.OpListPeople))},
			"a visitor": {access.Visitor(access.Request{}), api.CodeUnauthorized},
		}
		if others["a share"].code == "<nil>" {
			t.Fatal("a share may list people")
		}
		for _, c := range accountCalls {
			f.addTarget(t)
			call := c.prepare(t, f)
			disabled := f.disabled(t)
			strangers := map[string]access.Caller{}
			for who := range c.refused {
				strangers[who] = f.caller(t, who)
			}
			before := f.stored(t)
			for who, o := range others {
				if err := call(o.caller); code(err) != o.code {
					t.Errorf("%s as %s: %v, want %s", c.id, who, err, o.code)
				}
			}
			for who, want := range c.refused {
				if err := call(strangers[who]); code(err) != want {
					t.Errorf("%s as %s: %v, want %s", c.id, who, err, want)
				}
			}
			want := api.CodeUnauthorized
			if c.id == api.OpChangePassword ||
				c.id == api.OpAddPasskey { // no password of somebody disabled is right, and no answer
				want = api.CodeInvalidBody
			}
			if err := call(disabled); code(err) != want && api.Lookup(c.id).Effect != api.Reads {
				t.Errorf("%s by somebody disabled: %v, want %s", c.id, err, want)
			}
			if after := f.stored(t); after != before {
				t.Fatalf("%s stored something for a caller whom it refuses:\n%s", c.id, difference(before, after))
			}
			f.succeed(t, c)
		}
	})
}

// disabled returns the session of an owner who was disabled after it was read.
func (f *accounts) disabled(t *testing.T) access.Caller {
	t.Helper()
	s := f.colleague(t, fmt.Sprintf("disabled%d@test.example", f.people), api.RoleOwner, api.RoleAdmin)
	must(t, f.Operator.DisableUser(t.Context(), s.Caller.ID))
	return s.Caller
}

// succeed calls an operation as those who are not refused, each about another person.
func (f *accounts) succeed(t *testing.T, c accountCall) {
	t.Helper()
	for _, who := range []string{"owner", "admin", "lead", "member", "outside", "stranger"} {
		if c.refused[who] != "" {
			continue
		}
		f.addTarget(t)
		call := c.prepare(t, f)
		if err := call(f.caller(t, who)); err != nil {
			t.Errorf("%s as %s: %v", c.id, who, err)
		}
	}
}
