package tracker_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/factor/factortest"
	"bugslice/internal/mail"
	"bugslice/internal/openid/openidtest"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// changeLink asks for another address of a user, and returns the secret of the link that proves it.
func (w *mailed) changeLink(t *testing.T, c access.Caller, email string) string {
	t.Helper()
	must(t, second(w.ChangeEmail(t.Context(), c, valid(api.ChangeEmail{Body: api.EmailChange{Email: email}}))))
	for _, m := range w.send(t) {
		if m.Email == email {
			return link(t, m, "/email/")
		}
	}
	t.Fatal("no mail has the link")
	return ""
}

// forgotLink asks for a link for an address as a stranger does, and returns its secret.
func (w *mailed) forgotLink(t *testing.T, email string) string {
	t.Helper()
	must(t, w.ForgotPassword(t.Context(), client("203.0.113.99"), email))
	var sent []mail.Message
	for _, m := range w.send(t) {
		if m.Email == email {
			sent = append(sent, m)
		}
	}
	if len(sent) != 1 {
		t.Fatalf("%d mails to %s", len(sent), email)
	}
	return link(t, sent[0], "/reset/")
}

// TestPasswordEndsChangesOfTheAddress: a thief of a session has asked for another address. The mail about it says
// that another password is the remedy, and it is: whoever sets one, the link of the thief does not work any more.
func TestPasswordEndsChangesOfTheAddress(t *testing.T) {
	mailing(t, func(t *testing.T, w *mailed) {
		for name, remedy := range map[string]func(victim tracker.Session, email string){
			"changed": func(victim tracker.Session, _ string) {
				must(t, second(w.ChangePassword(t.Context(), tracker.Client{}, victim,
					api.PasswordChange{CurrentPassword: secretWords, NewPassword: "another password"})))
			},
			"reset by a link": func(_ tracker.Session, email string) {
				must(t, second(w.ResetPassword(t.Context(), tracker.Client{}, w.forgotLink(t, email),
					"another password")))
			},
			"set by the operator": func(victim tracker.Session, _ string) {
				must(t, second(w.SetPassword(t.Context(), victim.Caller.ID, "another password")))
			},
		} {
			email := strings.ReplaceAll(name, " ", "-") + "@test.example"
			victim := w.colleague(t, email, api.RoleMember, api.RoleMember)
			secret := w.changeLink(t, victim.Caller, "thief-"+email)
			remedy(victim, email)
			if err := w.ProveEmail(t.Context(), client("203.0.113.66"), secret); code(err) != api.CodeNotFound {
				t.Errorf("%s: the link of the thief: %v", name, err)
			}
		}
	})
}

// TestNewAddressEndsMailedLinks: a link for a password that lies in a former mailbox does not open the account after
// its address has changed.
func TestNewAddressEndsMailedLinks(t *testing.T) {
	mailing(t, func(t *testing.T, w *mailed) {
		inFormer := w.forgotLink(t, w.ben.Email)
		must(t, w.ProveEmail(t.Context(), tracker.Client{}, w.changeLink(t, w.ben, "new@test.example")))
		if _, err := w.CheckResetLink(t.Context(), inFormer); code(err) != api.CodeNotFound {
			t.Errorf("the link in the former mailbox: %v", err)
		}
	})
}

// TestStrangersLeaveLinksOfAdmins: whoever says that a password is forgotten does not end the link that an admin has
// made. Using one of both ends the other.
func TestStrangersLeaveLinksOfAdmins(t *testing.T) {
	mailing(t, func(t *testing.T, w *mailed) {
		for used := range 2 {
			byAdmin, err := w.CreateResetLink(t.Context(), w.boss, w.ben.ID)
			must(t, err)
			former := w.forgotLink(t, w.ben.Email)
			mailed := w.forgotLink(t, w.ben.Email)
			for name, secret := range map[string]string{"of the admin": byAdmin, "in the mail": mailed} {
				if _, err := w.CheckResetLink(t.Context(), secret); err != nil {
					t.Errorf("the link %s: %v", name, err)
				}
			}
			if _, err := w.CheckResetLink(t.Context(), former); code(err) != api.CodeNotFound {
				t.Errorf("the mail before: %v", err)
			}
			links := []string{byAdmin, mailed}
			must(t, second(w.ResetPassword(t.Context(), tracker.Client{}, links[used],
				fmt.Sprint("another password ", used))))
			for _, secret := range links {
				if _, err := w.CheckResetLink(t.Context(), secret); code(err) != api.CodeNotFound {
					t.Errorf("after one was used: %v", err)
				}
			}
			w.now = w.now.Add(2 * time.Hour)
			w.boss, _ = w.signIn(t, "boss@test.example")
		}
	})
}

// TestAdminsMakeNoOwnersByProviders: an admin chooses the provider of the organisation, which then confirms whom the
// admin likes. It makes nobody an owner whom an owner has invited: that needs the link of the invitation.
func TestAdminsMakeNoOwnersByProviders(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := newProviderWorld(t, w)
		in := invitationTo("heir@acme.example", p.workspace)
		in.Body.Role = api.RoleOwner
		secret, err := w.InviteUser(t.Context(), p.proved(t), in)
		must(t, err)
		p.be(openidtest.Person{Subject: "thief", Email: "heir@acme.example"})
		if out, err := p.enter(t); !refusedAs(err, "owner") || out.Session != nil {
			t.Fatalf("without the link: %+v %v", out, err)
		}
		member := invitationTo("other@acme.example", p.workspace)
		guess, err := w.InviteUser(t.Context(), p.proved(t), member)
		must(t, err)
		for _, wrong := range []string{"guess", guess} {
			if _, err := p.enterBy(t, wrong); !refusedAs(err, "owner") {
				t.Errorf("with the link %s: %v", wrong, err)
			}
		}
		out, err := p.enterBy(t, secret)
		if heir := p.opened(t, out, err); heir.Role != api.RoleOwner {
			t.Errorf("with the link: %s", heir.Role)
		}
	})
}

// TestStrangersDoNotKeepLogoutMessagesAway: messages of strangers, however many, do not keep those of the provider
// from ending sessions, also after it has a new key.
func TestStrangersDoNotKeepLogoutMessagesAway(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := newProviderWorld(t, w)
		stranger := openidtest.New(t, func() time.Time { return w.now })
		for round := range 2 {
			p.be(ada())
			out, err := p.enter(t)
			s := p.opened(t, out, err)
			forged := stranger.LogoutToken("ada-1", "", openidtest.Changed(map[string]any{"iss": p.provider.URL}))
			for range 100 {
				if err := p.EndByProvider(t.Context(), client("203.0.113.66"), p.org, forged); err == nil {
					t.Fatal("a forged message was taken")
				}
			}
			must(t, p.EndByProvider(t.Context(), client("203.0.113.50"), p.org, p.provider.LogoutToken("ada-1", "",
				nil)))
			if err := w.sessionOf(out.Session.Token); code(err) != api.CodeUnauthorized {
				t.Errorf("round %d: the session of %s: %v", round, s.Caller.ID, err)
			}
			p.provider.Rotate()
			w.now = w.now.Add(time.Minute)
		}
	})
}

// TestFactorIsSetUpAtProvider: whoever must get a second factor, and has signed in at the provider long ago, proves
// there that it is the same person, and sets one up.
func TestFactorIsSetUpAtProvider(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := newProviderWorld(t, w)
		long := openidtest.Changed(map[string]any{"auth_time": w.now.Add(-time.Hour).Unix()})
		p.provider.Be(openidtest.Behavior{Person: ada(), Claims: long})
		must(t, second(p.enter(t)))
		must(t, w.store.Write(t.Context(), func(tx *store.Tx) error {
			return tx.Policies().Put(p.org, api.PolicyFields{SecondFactor: true})
		}))
		out, err := p.enter(t)
		must(t, err)
		s, err := w.Session(t.Context(), client("203.0.113.9"), out.Session.Token)
		must(t, err)
		begin := func(s tracker.Session) error {
			return second(w.BeginAuthenticator(t.Context(), s.Caller, valid(api.BeginAuthenticator{})))
		}
		if err := begin(s); !s.Lacks || !errors.Is(err, access.ErrProofNeeded) {
			t.Fatalf("without a proof: %v", err)
		}
		p.be(ada())
		began, err := p.BeginSignIn(t.Context(), p.org, tracker.SignInPurpose{Purpose: tracker.ToProve, Next: "/"}, &s)
		must(t, err)
		confirmed, err := p.FinishAtProvider(t.Context(), client("203.0.113.9"), tracker.Returned{OrgID: p.org,
			Cookie: began.Cookie, Answer: answerOf(p.provider.Enter(t, began.Location)), Session: &s})
		must(t, err)
		rotated, err := carryOut(t.Context(), s.Caller, p.ProveAtProvider,
			api.ProveAtProvider{Body: api.ProviderConfirmation{Sealed: confirmed.Sealed}})
		must(t, err)
		s, err = w.Session(t.Context(), client("203.0.113.9"), rotated.Token)
		must(t, err)
		must(t, begin(s))
		if err := w.mintAs(s.Caller); code(err) != forbidden {
			t.Errorf("the proof replaces the second factor: %v", err)
		}
	})
}

// TestStrangersHandles: an answer of a passkey that names an account as no database writes it is wrong, and nothing
// else.
func TestStrangersHandles(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.UsePasskeys("https://" + passkeyHost)
		k := factortest.New(passkeyHost)
		for _, handle := range []string{"", "\x00", "usr_\x00", "\xff\xfe", strings.Repeat("x", 64),
			"usr_01ja8m2c9tf3qb6h0v5r4x7kyz"} {
			from := client("203.0.113.8")
			from.Step = w.NewStep()
			q, err := w.AskSignIn(from)
			must(t, err)
			k.UserID = handle
			_, err = w.SignInWithPasskey(t.Context(), from, api.PasskeyAnswer{State: q.State,
				Answer: k.Answer(q.Options)})
			if code(err) != api.CodeUnauthorized {
				t.Errorf("%q: %v", handle, err)
			}
		}
	})
}

// TestMailsToOneAddress: however many users ask for mails to an address, and by whichever kind of link, it gets ten
// in an hour.
func TestMailsToOneAddress(t *testing.T) {
	mailing(t, func(t *testing.T, w *mailed) {
		const victim = "victim@example.com"
		share := func(c access.Caller) error {
			shared, err := w.CreateShare(t.Context(), c, valid(api.CreateShare{SliceID: w.fileBy(t, c, "shared",
				nil).ID}))
			must(t, err)
			_, secret, _ := strings.Cut(shared.URL, "/s/")
			return second(w.MailLink(t.Context(), c, valid(api.MailLink{Body: api.MailedLink{Kind: api.LinkShare,
				Token: secret, Email: victim}})))
		}
		change := func(c access.Caller) error {
			return second(w.ChangeEmail(t.Context(), c, valid(api.ChangeEmail{Body: api.EmailChange{Email: victim}})))
		}
		var last error
		for range 6 {
			for _, c := range []access.Caller{w.boss.Caller, w.ada, w.ben} {
				last = share(c)
				if err := change(c); last == nil {
					last = err
				}
			}
		}
		if code(last) != api.CodeRateLimited {
			t.Errorf("the last of 36: %v", last)
		}
		got := 0
		for _, m := range w.send(t) {
			if m.Email == victim {
				got++
			}
		}
		if got != 10 {
			t.Errorf("%d mails in an hour", got)
		}
		must(t, second(w.ChangeEmail(t.Context(), w.ada,
			valid(api.ChangeEmail{Body: api.EmailChange{Email: "other@example.com"}}))))
	})
}
