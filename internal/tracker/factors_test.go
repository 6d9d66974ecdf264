package tracker_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/factor"
	"bugslice/internal/factor/factortest"
	"bugslice/internal/tracker"
)

// holder is somebody who signs in, with the factors of the account.
type holder struct {
	w        *world
	email    string
	userID   string
	password string // empty for none
	key      string // of an authenticator app; empty for none
	passkey  *factortest.Passkey
	codes    []string // recovery codes
	session  tracker.Session
	token    string
}

const passkeyHost = "bugs.example.com"

// holderOf adds somebody with a password, in a world with passkeys, and signs in.
func (w *world) holderOf(t *testing.T, email string) *holder {
	t.Helper()
	w.UsePasskeys("https://" + passkeyHost)
	h := &holder{w: w, email: email, userID: w.person(t, email).UserID, password: secretWords}
	s, opened := w.signIn(t, email)
	h.session, h.token = s, opened.Token
	return h
}

// use goes on with another session.
func (h *holder) use(t *testing.T, s tracker.NewSession) {
	t.Helper()
	session, err := h.w.Session(t.Context(), client("203.0.113.7"), s.Token)
	must(t, err)
	h.session, h.token = session, s.Token
}

func (h *holder) call() access.Caller { return h.session.Caller }

// code returns the code that the authenticator app shows. Each call is a step later, since a step is used once.
func (h *holder) code(t *testing.T) string {
	t.Helper()
	h.w.now = h.w.now.Add(30 * time.Second)
	text, err := factor.CodeAt(h.key, factor.Step(h.w.now))
	must(t, err)
	return text
}

// addAuthenticator sets an authenticator app up.
func (h *holder) addAuthenticator(t *testing.T) {
	t.Helper()
	made, err := h.w.BeginAuthenticator(t.Context(), h.call(), valid(api.BeginAuthenticator{}))
	must(t, err)
	h.key = made.Key
	added, err := h.w.ConfirmAuthenticator(t.Context(), h.call(), valid(api.ConfirmAuthenticator{
		Body: api.AuthenticatorConfirmation{State: made.State, Code: h.code(t)}}))
	must(t, err)
	h.codes = append(h.codes, added.RecoveryCodes...)
	h.use(t, added.Session)
}

// addPasskey adds a passkey, unlocked or not.
func (h *holder) addPasskey(t *testing.T, unlocked bool) {
	t.Helper()
	h.passkey = factortest.New(passkeyHost)
	h.passkey.Unlocked = unlocked
	q, err := h.w.BeginPasskey(t.Context(), h.call(), valid(api.BeginPasskey{}))
	must(t, err)
	added, err := h.w.AddPasskey(t.Context(), h.call(), valid(api.AddPasskey{Body: api.NewPasskey{Name: "Phone",
		Passkey: api.PasskeyAnswer{State: q.State, Answer: h.passkey.Create(q.Options)}}}))
	must(t, err)
	h.codes = append(h.codes, added.RecoveryCodes...)
	h.use(t, added.Session)
}

// removePassword leaves passkeys alone.
func (h *holder) removePassword(t *testing.T) {
	t.Helper()
	s, err := h.w.RemovePassword(t.Context(), h.call(), valid(api.RemovePassword{}))
	must(t, err)
	h.password = ""
	h.use(t, s)
}

// answer lets the passkey answer a question.
func (h *holder) answer(q api.PasskeyQuestion) api.PasskeyAnswer {
	if q.Options == "" || h.passkey == nil {
		return api.PasskeyAnswer{}
	}
	return api.PasskeyAnswer{State: q.State, Answer: h.passkey.Answer(q.Options)}
}

// begin signs in with the password, and returns the browser in which the sign-in waits for the second factor.
func (h *holder) begin(t *testing.T) tracker.Client {
	t.Helper()
	from := client("203.0.113.7")
	_, err := h.w.SignIn(t.Context(), from, tracker.SignIn{Email: h.email, Password: h.password})
	var waits *tracker.SecondFactorError
	if !errors.As(err, &waits) {
		t.Fatalf("the sign-in of %s does not wait: %v", h.email, err)
	}
	from.Step = waits.Step
	return from
}

// signInByPasskey signs in with the passkey alone.
func (h *holder) signInByPasskey(ctx context.Context) (tracker.NewSession, error) {
	from := client("203.0.113.7")
	from.Step = h.w.NewStep()
	q, err := h.w.AskSignIn(from)
	if err != nil {
		return tracker.NewSession{}, err
	}
	return h.w.SignInWithPasskey(ctx, from, h.answer(q))
}

// accountKinds are the kinds of accounts by their factors.
var accountKinds = map[string]func(*testing.T, *holder){
	"password":              func(*testing.T, *holder) {},
	"password and app":      func(t *testing.T, h *holder) { h.addAuthenticator(t) },
	"password and passkey":  func(t *testing.T, h *holder) { h.addPasskey(t, true) },
	"password and security": func(t *testing.T, h *holder) { h.addPasskey(t, false) }, // a key that nobody unlocks
	"passkey":               func(t *testing.T, h *holder) { h.addPasskey(t, true); h.removePassword(t) },
	"all":                   func(t *testing.T, h *holder) { h.addAuthenticator(t); h.addPasskey(t, true) },
}

// way is a way in which an account may be used, with the kinds for which it works.
var ways = map[string]struct {
	of  string
	use func(*testing.T, *holder) error
}{
	"sign in with the password alone": {"password", func(t *testing.T, h *holder) error {
		return second(h.w.SignIn(t.Context(), client("203.0.113.7"), tracker.SignIn{Email: h.email,
			Password: secretWords}))
	}},
	"sign in with the passkey alone": {"password and passkey, passkey, all", func(t *testing.T, h *holder) error {
		return second(h.signInByPasskey(t.Context()))
	}},
	"sign in with the password and a code": {"password and app, all", func(t *testing.T, h *holder) error {
		if h.key == "" || h.password == "" {
			return errors.New("no code")
		}
		return second(h.w.FinishSignIn(t.Context(), h.begin(t), api.Proof{Code: h.code(t)}))
	}},
	"sign in with the password and the passkey": {"password and passkey, password and security, all",
		func(t *testing.T, h *holder) error {
			if h.passkey == nil || h.password == "" {
				return errors.New("no passkey")
			}
			from := h.begin(t)
			choice, err := h.w.SignInStep(t.Context(), from)
			must(t, err)
			return second(h.w.FinishSignIn(t.Context(), from, api.Proof{Passkey: h.answer(choice.Passkey)}))
		}},
	"sign in with the password and a recovery code": {"password and app, password and passkey, password and security, all",
		func(t *testing.T, h *holder) error {
			if len(h.codes) == 0 || h.password == "" {
				return errors.New("no code")
			}
			return second(h.w.FinishSignIn(t.Context(), h.begin(t), api.Proof{Code: h.codes[0]}))
		}},
	"confirm with the password": {"password, password and app, password and passkey, password and security, all",
		func(t *testing.T, h *holder) error { return h.prove(t, api.Proof{Password: secretWords}) }},
	"confirm with the passkey": {"password and passkey, password and security, passkey, all",
		func(t *testing.T, h *holder) error {
			choice, err := h.w.AskProof(t.Context(), h.call(), valid(api.AskProof{}))
			must(t, err)
			return h.prove(t, api.Proof{Passkey: h.answer(choice.Passkey)})
		}},
	"confirm with a recovery code": {"passkey", func(t *testing.T, h *holder) error {
		if len(h.codes) == 0 {
			return errors.New("no code")
		}
		return h.prove(t, api.Proof{Code: h.codes[1]})
	}},
	"a link opens a session": {"password", func(t *testing.T, h *holder) error {
		link, err := h.w.NewResetLink(t.Context(), h.userID)
		must(t, err)
		return second(h.w.ResetPassword(t.Context(), client("203.0.113.7"), link, secretWords))
	}},
	"list sessions": {"password, password and app, password and passkey, password and security, passkey, all",
		func(t *testing.T, h *holder) error {
			return second(h.w.ListSessions(t.Context(), h.session))
		}},
	"call the API by a key": {"password, password and app, password and passkey, password and security, passkey, all",
		func(t *testing.T, h *holder) error { return h.callByKey(t) }},
}

func (h *holder) prove(t *testing.T, in api.Proof) error {
	t.Helper()
	s, err := h.w.Prove(t.Context(), h.call(), valid(api.Prove{Body: in}))
	if err == nil {
		h.use(t, s)
	}
	return err
}

// callByKey creates a key, and calls the API with it.
func (h *holder) callByKey(t *testing.T) error {
	t.Helper()
	k, err := h.w.CreateKey(t.Context(), h.call(),
		valid(api.CreateKey{Body: api.KeyFields{Name: "k", Type: api.PAT, Scopes: api.AllScopes()}}))
	if err != nil {
		return err
	}
	return second(h.w.ListWorkspaces(t.Context(), h.w.authenticate(t, k.Token), valid(api.ListWorkspaces{})))
}

// TestFactorsOfAccounts: each kind of account signs in, confirms and is reset in the ways of its factors, and in no
// other.
func TestFactorsOfAccounts(t *testing.T) {
	for kind, prepare := range accountKinds {
		t.Run(kind, func(t *testing.T) {
			engines(t, func(t *testing.T, w *world) {
				n := 0
				for name, way := range ways {
					n++
					h := w.holderOf(t, strings.ReplaceAll(kind, " ", "-")+string(rune('a'+n))+"@test.example")
					prepare(t, h)
					want := slices.Contains(strings.Split(way.of, ", "), kind)
					if err := way.use(t, h); (err == nil) != want {
						t.Errorf("%s: %v, want success %t", name, err, want)
					}
				}
			})
		})
	}
}

// TestUsedOnce: a code of an app, a recovery code, the answer of a passkey and a sign-in work once, also when two
// requests come at once. A sign-in of another browser, one that is over and one of before another password do not.
func TestUsedOnce(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		h := w.holderOf(t, "once@test.example")
		h.addAuthenticator(t)
		h.addPasskey(t, true)
		ctx := t.Context()
		refused := func(what string, from tracker.Client, in api.Proof) {
			t.Helper()
			if err := second(w.FinishSignIn(ctx, from, in)); code(err) != api.CodeUnauthorized {
				t.Errorf("%s: %v", what, err)
			}
		}
		used := api.Proof{Code: h.code(t)}
		first := h.begin(t)
		must(t, second(w.FinishSignIn(ctx, first, used)))
		refused("a code again", h.begin(t), used)
		refused("a sign-in again", first, api.Proof{Code: h.code(t)})
		refused("no sign-in", client("203.0.113.7"), api.Proof{Code: h.code(t)})
		refused("the password again", h.begin(t), api.Proof{Password: secretWords})

		from := h.begin(t)
		choice, err := w.SignInStep(ctx, from)
		must(t, err)
		answer := api.Proof{Passkey: h.answer(choice.Passkey)}
		refused("an answer of another browser", h.begin(t), answer)
		must(t, second(w.FinishSignIn(ctx, from, answer)))
		signIn := client("203.0.113.7")
		signIn.Step = w.NewStep()
		q, err := w.AskSignIn(signIn)
		must(t, err)
		alone := h.answer(q)
		must(t, second(w.SignInWithPasskey(ctx, signIn, alone)))
		if err := second(w.SignInWithPasskey(ctx, signIn, alone)); code(err) != api.CodeUnauthorized {
			t.Errorf("an answer again: %v", err)
		}

		var sessions sync.WaitGroup
		results := make([]error, 4)
		for i := range results {
			from := h.begin(t)
			sessions.Go(func() { results[i] = second(w.FinishSignIn(ctx, from, api.Proof{Code: h.codes[0]})) })
		}
		sessions.Wait()
		opened := len(slices.DeleteFunc(results, func(err error) bool { return err != nil }))
		if opened != 1 {
			t.Errorf("one recovery code opened %d sessions", opened)
		}

		w.now = w.now.Add(2 * time.Hour) // the limits of failures are over
		late := h.begin(t)
		w.now = w.now.Add(10 * time.Minute)
		refused("a sign-in after 10 minutes", late, api.Proof{Code: h.code(t)})
		former := h.begin(t)
		must(t, second(w.SetPassword(ctx, h.userID, secretWords)))
		refused("a sign-in of before another password", former, api.Proof{Code: h.code(t)})
		disabled := h.begin(t)
		must(t, w.Operator.DisableUser(ctx, h.userID))
		refused("a sign-in of somebody disabled", disabled, api.Proof{Code: h.code(t)})
	})
}

// TestGuessedCodes: a sign-in ends after five wrong codes; then attempts are slowed down in all sign-ins of the account,
// and after 100 wrong codes in succession no code of the app is right. A recovery code and a passkey work then.
func TestGuessedCodes(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		h := w.holderOf(t, "guessed@test.example")
		h.addAuthenticator(t)
		h.addPasskey(t, true)
		ctx, wrong := t.Context(), api.Proof{Code: "000000"}
		from := h.begin(t)
		for range 5 {
			if err := second(w.FinishSignIn(ctx, from, wrong)); code(err) != api.CodeUnauthorized || errors.Is(err,
				tracker.ErrSignInOver) {
				t.Errorf("a wrong code: %v", err)
			}
		}
		if err := second(w.FinishSignIn(ctx, from, api.Proof{Code: h.code(t)})); !errors.Is(err,
			tracker.ErrSignInOver) {
			t.Errorf("the sixth attempt: %v", err)
		}
		_ = second(w.FinishSignIn(ctx, h.begin(t), wrong)) // the one attempt of 30 seconds
		if err := second(w.FinishSignIn(ctx, h.begin(t), wrong)); code(err) != api.CodeRateLimited {
			t.Errorf("an attempt of another sign-in: %v", err)
		}
		for range 100 {
			w.now = w.now.Add(31 * time.Second)
			_ = second(w.FinishSignIn(ctx, h.begin(t), wrong))
		}
		w.now = w.now.Add(2 * time.Hour)
		if err := second(w.FinishSignIn(ctx, h.begin(t),
			api.Proof{Code: h.code(t)})); code(err) != api.CodeRateLimited {
			t.Errorf("a right code after 100 wrong ones: %v", err)
		}
		must(t, second(w.FinishSignIn(ctx, h.begin(t), api.Proof{Code: h.codes[0]})))
		must(t, second(h.signInByPasskey(ctx)))
	})
}

// TestPasskeysOfOthers: nobody signs in with a passkey of another account, one that was removed, one that was not
// unlocked, one of another address, or one that counts less than before, of which the audit log tells.
func TestPasskeysOfOthers(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		h, other := w.holderOf(t, "own@test.example"), w.holderOf(t, "other@test.example")
		h.addPasskey(t, true)
		other.addPasskey(t, true)
		refused := func(what string, err error) {
			t.Helper()
			if code(err) != api.CodeUnauthorized {
				t.Errorf("%s: %v", what, err)
			}
		}
		from := h.begin(t)
		choice, err := w.SignInStep(t.Context(), from)
		must(t, err)
		refused("of another account", second(w.FinishSignIn(t.Context(), from,
			api.Proof{Passkey: other.answer(choice.Passkey)})))
		theirs := *other.passkey
		theirs.UserID = h.userID
		mine := h.passkey
		h.passkey = &theirs
		refused("that names another account", second(h.signInByPasskey(t.Context())))
		for what, change := range map[string]func(*factortest.Passkey){
			"not unlocked": func(k *factortest.Passkey) { k.Unlocked = false },
			"of an origin": func(k *factortest.Passkey) { k.Origin = "https://evil.example" },
			"of a host":    func(k *factortest.Passkey) { k.Host = "evil.example" },
		} {
			k := *mine
			change(&k)
			h.passkey = &k
			refused(what, second(h.signInByPasskey(t.Context())))
		}
		h.passkey = mine
		mine.Counter = 50
		must(t, second(h.signInByPasskey(t.Context())))
		mine.Counter = 7
		w.now = w.now.Add(time.Hour)
		refused("a copy", second(h.signInByPasskey(t.Context())))
		if !slices.Contains(w.auditedTypes(t), string(api.EventPasskeyCopied)) {
			t.Error("the audit log does not tell of the copy")
		}
		mine.Counter = 60
		must(t, second(h.signInByPasskey(t.Context())))
		listed, err := w.ListFactors(t.Context(), h.call(), valid(api.ListFactors{}))
		must(t, err)
		h.w.now = h.w.now.Add(time.Hour)
		must(t, h.prove(t, api.Proof{Password: secretWords}))
		must(t, second(w.RemovePasskey(t.Context(), h.call(),
			valid(api.RemovePasskey{PasskeyID: listed.Passkeys[0].ID}))))
		refused("a removed one", second(h.signInByPasskey(t.Context())))
		must(t, second(w.SignIn(t.Context(), client("203.0.113.7"), tracker.SignIn{Email: h.email,
			Password: secretWords})))
	})
}

// TestFirstFactor: with the first second factor the other sessions of the user end, and with further ones they stay.
// Recovery codes come with the first one, and go with the last one. The last way in stays.
func TestFirstFactor(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		h := w.holderOf(t, "first@test.example")
		_, other := w.signIn(t, h.email)
		h.addAuthenticator(t)
		if code(w.sessionOf(other.Token)) != api.CodeUnauthorized || len(h.codes) != 10 {
			t.Errorf("another session: %v; %d codes", w.sessionOf(other.Token), len(h.codes))
		}
		further, err := w.FinishSignIn(t.Context(), h.begin(t), api.Proof{Code: h.code(t)})
		must(t, err)
		h.addPasskey(t, true)
		must(t, w.sessionOf(further.Token))
		if len(h.codes) != 10 {
			t.Errorf("%d codes", len(h.codes))
		}
		made, err := w.ReplaceRecoveryCodes(t.Context(), h.call(), valid(api.ReplaceRecoveryCodes{}))
		must(t, err)
		if err := second(w.FinishSignIn(t.Context(), h.begin(t),
			api.Proof{Code: h.codes[0]})); code(err) != api.CodeUnauthorized {
			t.Errorf("a replaced code: %v", err)
		}
		must(t, second(w.FinishSignIn(t.Context(), h.begin(t), api.Proof{Code: made.Codes[0]})))
		left := func() api.Factors {
			listed, err := w.ListFactors(t.Context(), h.call(), valid(api.ListFactors{}))
			must(t, err)
			return listed
		}
		if n := left().RecoveryCodes; n != 9 {
			t.Errorf("%d codes are left", n)
		}
		h.removePassword(t)
		remove := api.RemovePasskey{PasskeyID: left().Passkeys[0].ID}
		if err := second(w.RemovePasskey(t.Context(), h.call(), valid(remove))); !tracker.HasFault(err,
			tracker.FaultLastWayIn) {
			t.Errorf("the last way in: %v", err)
		}
		s, err := w.ChangePassword(t.Context(), client("203.0.113.7"), h.session,
			api.PasswordChange{NewPassword: secretWords})
		must(t, err)
		h.use(t, s)
		must(t, second(w.RemovePasskey(t.Context(), h.call(), valid(remove))))
		must(t, second(w.RemoveAuthenticator(t.Context(), h.call(), valid(api.RemoveAuthenticator{}))))
		if all := left(); all.HasSecond() || all.RecoveryCodes != 0 || !all.Password {
			t.Errorf("%+v", all)
		}
		if err := second(w.RemovePassword(t.Context(), h.call(),
			valid(api.RemovePassword{}))); !tracker.HasFault(err, tracker.FaultLastWayIn) {
			t.Errorf("the only way in: %v", err)
		}
		w.now = w.now.Add(time.Hour)
		if err := second(w.ChangePassword(t.Context(), client("203.0.113.7"), h.session, api.PasswordChange{
			CurrentPassword: secretWords, NewPassword: secretWords})); err != nil {
			t.Errorf("who has a password needs no other proof: %v", err)
		}
	})
}

// TestRenamedPasskey: a user gives its passkey another name, without a proof, and nobody else does.
func TestRenamedPasskey(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		h, other := w.holderOf(t, "names@test.example"), w.holderOf(t, "other@test.example")
		h.addPasskey(t, true)
		h.addPasskey(t, true)
		w.now = w.now.Add(time.Hour)
		listed, err := w.ListFactors(t.Context(), h.call(), valid(api.ListFactors{}))
		must(t, err)
		rename := func(c access.Caller, name string) error {
			return second(w.RenamePasskey(t.Context(), c, valid(api.RenamePasskey{PasskeyID: listed.Passkeys[0].ID,
				Body: api.PasskeyName{Name: name}})))
		}
		for _, name := range []string{"", " ", "a\nb", strings.Repeat("x", 101)} {
			if err := rename(h.call(), name); !tracker.HasFault(err, "invalid") {
				t.Errorf("%q: %v", name, err)
			}
		}
		if err := rename(other.call(), "Mine"); code(err) != api.CodeNotFound {
			t.Errorf("a passkey of somebody else: %v", err)
		}
		must(t, rename(h.call(), " Laptop "))
		must(t, rename(h.call(), "Laptop"))
		former := listed.Passkeys
		listed, err = w.ListFactors(t.Context(), h.call(), valid(api.ListFactors{}))
		must(t, err)
		if listed.Passkeys[0].Name != "Laptop" || listed.Passkeys[1].Name != former[1].Name {
			t.Errorf("%+v", listed.Passkeys)
		}
		if n := strings.Count(strings.Join(w.auditedTypes(t), " "), string(api.EventPasskeyRenamed)); n != 1 {
			t.Errorf("%d events of it in the log", n)
		}
	})
}

// TestRequiredFactor: in an organisation that requires a second factor, a session without one sets one up and does
// nothing else, and keys go on working. The last second factor stays then. An owner requires none before having one.
func TestRequiredFactor(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.UsePasskeys("https://" + passkeyHost)
		s := w.colleague(t, "owner2@test.example", api.RoleOwner, api.RoleAdmin)
		owner := &holder{w: w, email: "owner2@test.example", userID: s.Caller.ID, password: secretWords, session: s}
		member := w.holderOf(t, "required@test.example")
		require := func(required bool) error {
			return second(w.UpdatePolicies(t.Context(), owner.call(),
				valid(api.UpdatePolicies{Body: api.PolicyFields{SecondFactor: required}})))
		}
		if err := require(true); !tracker.HasFault(err, tracker.FaultNoFactor) {
			t.Errorf("an owner without a second factor: %v", err)
		}
		owner.addAuthenticator(t)
		before, err := w.GetPolicies(t.Context(), owner.call(), valid(api.GetPolicies{}))
		must(t, err)
		if before.SecondFactor || before.Users-before.WithoutFactor != 1 || before.Users < 3 {
			t.Errorf("%+v", before)
		}
		must(t, require(true))
		must(t, member.callByKeyOf(t))
		for _, open := range []func(){func() {}, func() { _, member.token = w.reopen(t, member) }} {
			open()
			member.session, err = w.Session(t.Context(), client("203.0.113.7"), member.token)
			must(t, err)
			if !member.session.Lacks {
				t.Error("the session lacks nothing")
			}
			for what, err := range map[string]error{
				"list sessions": second(w.ListSessions(t.Context(), member.session)),
				"create a key":  w.mintAs(member.call()),
				"file":          w.fileAs(member.call()),
				"list people":   second(w.ListPeople(t.Context(), member.session)),
			} {
				if code(err) != forbidden {
					t.Errorf("%s: %v", what, err)
				}
			}
		}
		member.addPasskey(t, false)
		if member.session.Lacks {
			t.Error("the session lacks a factor still")
		}
		must(t, w.fileAs(member.call()))
		listed, err := w.ListFactors(t.Context(), member.call(), valid(api.ListFactors{}))
		must(t, err)
		remove := valid(api.RemovePasskey{PasskeyID: listed.Passkeys[0].ID})
		if err := second(w.RemovePasskey(t.Context(), member.call(), remove)); !tracker.HasFault(err,
			tracker.FaultFactorRequired) {
			t.Errorf("the last one: %v", err)
		}
		must(t, require(false))
		must(t, second(w.RemovePasskey(t.Context(), member.call(), remove)))
	})
}

// reopen signs somebody in, without a second factor.
func (w *world) reopen(t *testing.T, h *holder) (tracker.Session, string) {
	t.Helper()
	s, opened := w.signIn(t, h.email)
	return s, opened.Token
}

// callByKeyOf calls the API with a key that somebody had before.
func (h *holder) callByKeyOf(t *testing.T) error {
	t.Helper()
	var k api.NewKey
	must(t, h.w.In(h.w.owner.Organization).InTransaction(t.Context(), func(tx *tracker.OperatorTx) (err error) {
		k, err = tx.MintKey(api.KeyFields{Name: "k", Type: api.PAT, Scopes: api.AllScopes()}, h.userID)
		return err
	}))
	return second(h.w.ListWorkspaces(t.Context(), h.w.authenticate(t, k.Token), valid(api.ListWorkspaces{})))
}

// TestRemovedFactors: whose factors an admin or the operator has removed, signs in with the password, and is told once.
// Its sessions have ended. Nobody removes their own so.
func TestRemovedFactors(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		h := w.holderOf(t, "lost@test.example")
		admin := w.colleague(t, "admin2@test.example", api.RoleAdmin, api.RoleMember)
		for who, remove := range map[string]func() error{
			"an admin": func() error {
				return second(w.Tracker.RemoveFactors(t.Context(), admin.Caller,
					valid(api.RemoveFactors{UserID: h.userID})))
			},
			"the operator": func() error { return w.Operator.RemoveFactors(t.Context(), h.userID) },
		} {
			h.addAuthenticator(t)
			h.addPasskey(t, true)
			must(t, remove())
			if err := w.sessionOf(h.token); code(err) != api.CodeUnauthorized {
				t.Errorf("a session after %s: %v", who, err)
			}
			for _, told := range []bool{true, false} {
				opened, err := w.SignIn(t.Context(), client("203.0.113.7"), tracker.SignIn{Email: h.email,
					Password: secretWords})
				must(t, err)
				if opened.FactorsRemoved != told {
					t.Errorf("told of what %s did: %t", who, opened.FactorsRemoved)
				}
				h.use(t, opened)
			}
		}
		if err := second(w.Tracker.RemoveFactors(t.Context(), admin.Caller,
			valid(api.RemoveFactors{UserID: admin.Caller.ID}))); code(err) != forbidden {
			t.Errorf("one's own: %v", err)
		}
	})
}

// auditedTypes returns the types of the events of the audit log.
func (w *world) auditedTypes(t *testing.T) (all []string) {
	t.Helper()
	s := w.colleague(t, "auditor@test.example", api.RoleOwner, api.RoleMember)
	listed, err := w.ListAuditLog(t.Context(), s.Caller, valid(api.ListAuditLog{}))
	must(t, err)
	for _, e := range listed.Events {
		all = append(all, string(e.Type))
	}
	return all
}

// factorCalls calls the operations on the factors of somebody who has each factor.
func (w *world) factorCalls(t *testing.T) map[string]func(tracker.Session) error {
	t.Helper()
	w.UsePasskeys("https://" + passkeyHost)
	s := w.colleague(t, "factors@test.example", api.RoleMember, api.RoleMember)
	h := &holder{w: w, email: "factors@test.example", userID: s.Caller.ID, password: secretWords, session: s}
	h.addAuthenticator(t)
	h.addPasskey(t, true)
	listed, err := w.ListFactors(t.Context(), h.call(), valid(api.ListFactors{}))
	must(t, err)
	rotated := func(added api.AddedFactor, err error) error {
		if err == nil {
			h.use(t, added.Session)
		}
		return err
	}
	calls := map[string]func() error{
		api.OpListFactors: func() error {
			return second(w.ListFactors(t.Context(), h.call(), valid(api.ListFactors{})))
		},
		api.OpAskProof: func() error { return second(w.AskProof(t.Context(), h.call(), valid(api.AskProof{}))) },
		api.OpBeginAuthenticator: func() error {
			return second(w.BeginAuthenticator(t.Context(), h.call(), valid(api.BeginAuthenticator{})))
		},
		api.OpConfirmAuthenticator: func() error {
			key := factor.NewKey()
			right, err := factor.CodeAt(key, factor.Step(w.now))
			must(t, err)
			return rotated(w.ConfirmAuthenticator(t.Context(), h.call(), valid(api.ConfirmAuthenticator{
				Body: api.AuthenticatorConfirmation{State: w.SealKey(h.userID, key), Code: right}})))
		},
		api.OpRemoveAuthenticator: func() error {
			return second(w.RemoveAuthenticator(t.Context(), h.call(), valid(api.RemoveAuthenticator{})))
		},
		api.OpBeginPasskey: func() error {
			return second(w.BeginPasskey(t.Context(), h.call(), valid(api.BeginPasskey{})))
		},
		api.OpAddPasskey: func() error {
			q, err := w.AskToCreate(t.Context(), h.call())
			must(t, err)
			return rotated(w.AddPasskey(t.Context(), h.call(), valid(api.AddPasskey{Body: api.NewPasskey{Name: "Tablet",
				Passkey: api.PasskeyAnswer{State: q.State, Answer: factortest.New(passkeyHost).Create(q.Options)}}})))
		},
		api.OpRemovePasskey: func() error {
			return second(w.RemovePasskey(t.Context(), h.call(),
				valid(api.RemovePasskey{PasskeyID: listed.Passkeys[0].ID})))
		},
		api.OpReplaceRecoveryCodes: func() error {
			return second(w.ReplaceRecoveryCodes(t.Context(), h.call(), valid(api.ReplaceRecoveryCodes{})))
		},
		api.OpRemovePassword: func() error {
			s, err := w.RemovePassword(t.Context(), h.call(), valid(api.RemovePassword{}))
			return rotated(api.AddedFactor{Session: s}, err)
		},
	}
	all := map[string]func(tracker.Session) error{}
	for id, call := range calls {
		all[id] = func(tracker.Session) error { return call() }
	}
	return all
}
