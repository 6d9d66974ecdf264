package tracker_test

import (
	"errors"
	"testing"

	"bugslice/api"
	"bugslice/internal/openid/openidtest"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// TestProvidersFactors: a user with a second factor is asked for it after the provider, unless that says that it has asked
// for several, also before the account is linked. Where the organisation requires one, the provider's word suffices.
func TestProvidersFactors(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := newProviderWorld(t, w)
		h := w.holderOf(t, "ada@acme.example")
		h.addAuthenticator(t)
		several := func(claims map[string]any) { claims["amr"] = []string{"pwd", "mfa"} }
		p.be(ada())
		out, err := p.enter(t)
		must(t, err)

		linked := func() (tracker.NewSession, error) {
			return p.LinkSignIn(t.Context(), client("203.0.113.9"), p.org, out.Sealed, secretWords)
		}
		var waits *tracker.SecondFactorError
		if _, err = linked(); !errors.As(err, &waits) {
			t.Fatalf("linked by a password alone: %v", err)
		}
		if again, err := p.enter(t); err != nil || again.Sealed == "" || again.Session != nil || again.Step != "" {
			t.Errorf("the account is linked before the second factor: %+v, %v", again, err)
		}
		from := client("203.0.113.9")
		from.Step = waits.Step
		if err := second(w.FinishSignIn(t.Context(), from, api.Proof{Code: "000000"})); code(err) != api.CodeUnauthorized {
			t.Errorf("a wrong code: %v", err)
		}
		opened, err := w.FinishSignIn(t.Context(), from, api.Proof{Code: h.code(t)})
		must(t, err)
		if h.use(t, opened); !h.session.AtProvider {
			t.Error("the session did not begin at the provider")
		}

		if out, err = p.enter(t); err != nil || out.Session != nil || out.Step == "" {
			t.Fatalf("no second factor is asked for: %+v, %v", out, err)
		}
		from.Step = out.Step
		must(t, second(w.FinishSignIn(t.Context(), from, api.Proof{Code: h.code(t)})))
		if err := second(w.FinishSignIn(t.Context(), from, api.Proof{Code: h.code(t)})); !errors.Is(err, tracker.ErrSignInOver) {
			t.Errorf("the step twice: %v", err)
		}
		if out, err = p.enter(t); err != nil {
			t.Fatal(err)
		}
		must(t, second(w.UnlinkIdentity(t.Context(), p.proved(t).Caller, valid(api.UnlinkIdentity{UserID: h.userID}))))
		from.Step = out.Step
		if err := second(w.FinishSignIn(t.Context(), from, api.Proof{Code: h.code(t)})); !refusedAs(err, "expired") {
			t.Errorf("the link has ended before the second factor: %v", err)
		}

		p.provider.Be(openidtest.Behavior{Person: ada(), Claims: several})
		if out, err = p.enter(t); err != nil {
			t.Fatal(err)
		}
		opened, err = linked()
		must(t, err)
		must(t, w.store.Write(t.Context(), func(tx *store.Tx) error {
			return tx.Policies().Put(p.org, api.PolicyFields{SecondFactor: true})
		}))
		if h.use(t, opened); h.session.Lacks {
			t.Error("the provider has asked for several factors, and the session lacks one")
		}
		must(t, w.Operator.RemoveFactors(t.Context(), h.userID))
		p.be(ada())
		out, err = p.enter(t)
		must(t, err)
		if h.use(t, *out.Session); !h.session.Lacks {
			t.Error("nobody has asked for a second factor, and the session lacks none")
		}
	})
}

// TestLastWayIn: a user who joined at the provider has no password, and does not end the link that is the only way in. With
// it the last passkey may go.
func TestLastWayIn(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := newProviderWorld(t, w)
		w.UsePasskeys("https://" + passkeyHost)
		p.be(ada())
		out, err := p.enter(t)
		joined := p.opened(t, out, err)
		unlink := func(s tracker.Session) error {
			return second(w.UnlinkIdentity(t.Context(), s.Caller, valid(api.UnlinkIdentity{UserID: s.Caller.ID})))
		}
		if err := unlink(joined); !tracker.HasFault(err, tracker.FaultLastWayIn) {
			t.Errorf("the only way in ends: %v", err)
		}
		h := &holder{w: w, email: "ada@acme.example", userID: joined.Caller.ID, session: joined, token: out.Session.Token}
		h.addPasskey(t, true)
		listed, err := w.ListFactors(t.Context(), h.call(), valid(api.ListFactors{}))
		must(t, err)
		must(t, second(w.RemovePasskey(t.Context(), h.call(), valid(api.RemovePasskey{PasskeyID: listed.Passkeys[0].ID}))))
		h.addPasskey(t, true)
		must(t, unlink(h.session))
	})
}
