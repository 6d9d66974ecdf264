package tracker_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/operator"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

const secretWords = "correct horse battery"

// client is a browser at an address.
func client(address string) tracker.Client {
	return tracker.Client{Request: access.Request{ID: "req_1", ClientAddress: address},
		Address:   netip.MustParseAddr(address),
		UserAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0"}
}

// person adds an admin of the workspace who signs in with secretWords.
func (w *world) person(t *testing.T, email string) operator.AddedUser {
	t.Helper()
	u, err := w.In(w.owner.Organization).
		AddUser(t.Context(), operator.NewUser{Email: email, Password: secretWords, WithToken: true})
	must(t, err)
	must(t, w.In(w.owner.Organization).PutMember(t.Context(), w.workspace, u.UserID, api.RoleAdmin))
	return u
}

// signIn opens a session, and returns it with its token.
func (w *world) signIn(t *testing.T, email string) (tracker.Session, tracker.NewSession) {
	t.Helper()
	opened, err := w.SignIn(t.Context(), client("203.0.113.7"), tracker.SignIn{Email: email, Password: secretWords})
	must(t, err)
	s, err := w.Session(t.Context(), client("203.0.113.7"), opened.Token)
	must(t, err)
	return s, opened
}

func (w *world) sessionOf(text string) error {
	return second(w.Session(context.Background(), client("203.0.113.7"), text))
}

func (w *world) mintAs(c access.Caller) error {
	return second(w.CreateKey(context.Background(), c,
		valid(api.CreateKey{Body: api.KeyFields{Name: "k", Type: api.PAT, Scopes: api.AllScopes()}})))
}

// TestSignIn: the caller of a session is its user with every scope; its token is no key, and a key is no session.
func TestSignIn(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		u := w.person(t, "u@test.example")
		s, opened := w.signIn(t, " U@Test.Example ")
		c := s.Caller
		if c.Type != access.UserCaller || c.ID != u.UserID || !slices.Equal(c.Scopes, api.AllScopes()) ||
			c.ExpiresAt != nil || c.KeyID() != "" {
			t.Errorf("%+v", c)
		}
		must(t, w.fileAs(c))
		if s.Profile.Email != "u@test.example" || s.Profile.Theme != api.ThemeSystem ||
			s.Profile.TimeZone != "" || !s.Profile.Shortcuts {
			t.Errorf("%+v", s.Profile)
		}
		if _, err := w.Authenticate(t.Context(), opened.Token); code(err) != api.CodeUnauthorized {
			t.Errorf("a session opens the API: %v", err)
		}
		if err := w.sessionOf(u.Token); code(err) != api.CodeUnauthorized {
			t.Errorf("a key opens a page: %v", err)
		}
		key := w.authenticate(t, u.Token)
		for what, err := range map[string]error{
			"ListSessions": second(w.ListSessions(t.Context(), tracker.Session{ID: s.ID, Caller: key})),
			"EndSession":   w.EndSession(t.Context(), tracker.Session{ID: s.ID, Caller: key}, s.ID),
			"ProvePassword": second(w.ProvePassword(t.Context(), client("203.0.113.7"),
				tracker.Session{ID: s.ID, Caller: key}, secretWords)),
			"ChangePassword": second(w.ChangePassword(t.Context(), client("203.0.113.7"),
				tracker.Session{ID: s.ID, Caller: key}, api.PasswordChange{CurrentPassword: secretWords,
					NewPassword: "another password"})),
			// with faults, because a caller without the right must not be told of them
			"SetTheme": w.SetTheme(t.Context(), tracker.Session{ID: s.ID, Caller: key}, "unknown"),
			"UpdateProfile": second(w.UpdateProfile(t.Context(), tracker.Session{ID: s.ID, Caller: key}, "0",
				api.ProfileFields{})),
		} {
			if code(err) != api.CodeForbidden {
				t.Errorf("%s with a key: %v", what, err)
			}
		}
		_, again := w.signIn(t, "u@test.example")
		if again.Token == opened.Token || len(again.Token) < 43 {
			t.Error("a token is used again, or short")
		}
	})
}

// TestSessionsEnd at once: idle, too old, of a disabled user, after a change of the password, signed out, ended from
// elsewhere and rotated.
func TestSessionsEnd(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		for what, end := range map[string]func(u operator.AddedUser, s, other tracker.Session){
			"disabled": func(u operator.AddedUser, _, _ tracker.Session) {
				must(t, w.Operator.DisableUser(ctx, u.UserID))
				must(t, w.Operator.EnableUser(ctx, u.UserID))
			},
			"operator's password": func(u operator.AddedUser, _, _ tracker.Session) {
				must(t, second(w.SetPassword(ctx, u.UserID, secretWords)))
			},
			"signed out": func(_ operator.AddedUser, s, _ tracker.Session) { must(t, w.EndSession(ctx, s, s.ID)) },
			"ended": func(_ operator.AddedUser, s, other tracker.Session) {
				must(t,
					w.EndSession(ctx, other, s.ID))
			},
			"others": func(_ operator.AddedUser, _, other tracker.Session) {
				must(t,
					w.EndOtherSessions(ctx, other))
			},
			"password": func(_ operator.AddedUser, _, other tracker.Session) {
				changed, err := w.ChangePassword(ctx, client("203.0.113.7"),
					other, api.PasswordChange{CurrentPassword: secretWords, NewPassword: "another password"})
				must(t, err)
				must(t, w.sessionOf(changed.Token))
			},
			"proved": func(_ operator.AddedUser, s, _ tracker.Session) {
				must(t, second(w.ProvePassword(ctx, client("203.0.113.7"), s, secretWords)))
			},
		} {
			email := strings.ReplaceAll(strings.ReplaceAll(what, " ", "-"), "'", "") + "@test.example"
			u := w.person(t, email)
			s, opened := w.signIn(t, email)
			other, _ := w.signIn(t, email)
			end(u, s, other)
			if err := w.sessionOf(opened.Token); code(err) != api.CodeUnauthorized {
				t.Errorf("%s: the session goes on: %v", what, err)
			}
			if err := w.fileAs(s.Caller); code(err) != api.CodeUnauthorized {
				t.Errorf("%s: files: %v", what, err)
			}
			if err := w.mintAs(s.Caller); code(err) != api.CodeUnauthorized {
				t.Errorf("%s: mints: %v", what, err)
			}
		}
	})
}

// TestRolesOfARequest: a request that has read its roles loses one with its next write, and soon without a write; the
// next request has lost it at once.
func TestRolesOfARequest(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		u, here := w.person(t, "u@test.example"), w.In(w.owner.Organization)
		first, opened := w.signIn(t, "u@test.example")
		list := func(c access.Caller) error {
			return second(w.ListSlices(t.Context(), c,
				valid(api.ListSlices{SliceFilters: api.SliceFilters{WorkspaceID: w.workspace}})))
		}
		must(t, w.fileAs(first.Caller))
		must(t, list(first.Caller))
		must(t, here.RemoveMember(t.Context(), w.workspace, u.UserID))
		next, err := w.Session(t.Context(), client("203.0.113.7"), opened.Token)
		must(t, err)
		if err := list(next.Caller); code(err) != api.CodeNotFound {
			t.Errorf("the next request: %v", err)
		}
		if all, err := w.ListSlices(t.Context(), next.Caller, valid(api.ListSlices{})); err != nil ||
			len(all.Data) > 0 {
			t.Errorf("the next request lists %v, %v", all.Data, err)
		}
		if err := w.fileAs(first.Caller); code(err) != api.CodeNotFound {
			t.Errorf("a write of the request: %v", err)
		}
		if err := list(first.Caller); code(err) != api.CodeNotFound {
			t.Errorf("after a write of the request: %v", err)
		}
		must(t, here.PutMember(t.Context(), w.workspace, u.UserID, api.RoleMember))
		last, err := w.Session(t.Context(), client("203.0.113.7"), opened.Token)
		must(t, err)
		must(t, list(last.Caller))
		must(t, here.RemoveMember(t.Context(), w.workspace, u.UserID))
		for begin := time.Now(); list(last.Caller) == nil; time.Sleep(20 * time.Millisecond) {
			if time.Since(begin) > 10*time.Second {
				t.Fatal("a request keeps a role that has ended")
			}
		}
	})
}

// TestSessionsExpire after 14 days without use, and 90 days after their beginning.
func TestSessionsExpire(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		const day = 24 * time.Hour
		w.person(t, "u@test.example")
		_, idle := w.signIn(t, "u@test.example")
		s, used := w.signIn(t, "u@test.example")
		begun := w.now
		for n := range 9 {
			w.now = begun.Add(time.Duration(n) * 10 * day)
			must(t, w.sessionOf(used.Token))
			must(t, w.Flush(t.Context()))
			if n == 1 {
				w.now = begun.Add(14*day - time.Second)
				must(t, w.sessionOf(idle.Token)) // is not stored
				w.now = begun.Add(14 * day)
				if err := w.sessionOf(idle.Token); code(err) != api.CodeUnauthorized {
					t.Errorf("idle for 14 days: %v", err)
				}
				open, err := w.ListSessions(t.Context(), s)
				must(t, err)
				if len(open) != 1 || !open[0].Current || open[0].Device != "Firefox on Linux" ||
					open[0].Address != "203.0.113.7" {
					t.Errorf("%+v", open)
				}
			}
		}
		if want := begun.Add(90 * day); used.ExpiresAt.Sub(want).Abs() > time.Second {
			t.Errorf("expires at %s, want %s", used.ExpiresAt, want)
		}
		w.now = begun.Add(90*day - time.Second)
		must(t, w.sessionOf(used.Token))
		w.now = begun.Add(90 * day)
		if err := w.sessionOf(used.Token); code(err) != api.CodeUnauthorized {
			t.Errorf("90 days old: %v", err)
		}
		if err := w.fileAs(s.Caller); code(err) != api.CodeUnauthorized {
			t.Errorf("files after 90 days: %v", err)
		}
		must(t, w.store.Write(context.Background(), func(tx *store.Tx) error {
			n, err := tx.DeleteExpiredSessions(api.At(w.now.Add(-90*day)), api.At(w.now.Add(-14*day)), 10)
			if n != 2 {
				t.Errorf("%d sessions are deleted, want 2", n)
			}
			return err
		}))
	})
}

// TestQueuedWritesEndWithTheirSession: a write that waits for the writer, or for a row lock, is refused when its
// session has ended before its commit.
func TestQueuedWritesEndWithTheirSession(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		for n, ending := range []func(u operator.AddedUser, s, other tracker.Session) error{
			func(_ operator.AddedUser, s, other tracker.Session) error {
				return w.EndSession(context.Background(), other, s.ID)
			},
			func(u operator.AddedUser, _, _ tracker.Session) error {
				return w.Operator.DisableUser(context.Background(), u.UserID)
			},
			func(_ operator.AddedUser, s, _ tracker.Session) error {
				return second(w.ProvePassword(context.Background(), client("203.0.113.7"), s, secretWords))
			},
			func(_ operator.AddedUser, _, other tracker.Session) error {
				return second(w.ChangePassword(context.Background(), client("203.0.113.7"),
					other, api.PasswordChange{CurrentPassword: secretWords, NewPassword: "another password"}))
			},
		} {
			email := fmt.Sprint("u", n, "@test.example")
			u := w.person(t, email)
			s, _ := w.signIn(t, email)
			other, _ := w.signIn(t, email)
			release := w.block(t)
			ended, filed := make(chan error, 1), make(chan error, 1)
			end := func() { ended <- ending(u, s, other) }
			file := func() { filed <- w.fileAs(s.Caller) }
			first, next := end, file
			if w.store.Engine() == "postgres" { // the write has passed its first check when the session ends
				first, next = file, end
			}
			go first()
			w.waits(t, 1)
			go next()
			if n == 1 && w.store.Engine() == "postgres" { // it counts the admins of the workspace behind the filing's lock
				time.Sleep(200 * time.Millisecond)
				release()
				must(t, <-ended)
				if err := <-filed; err != nil && code(err) != api.CodeUnauthorized {
					t.Errorf("%d: %v", n, err)
				}
				continue
			}
			w.releaseAfter(t, 2, ended, release)
			if err := <-filed; code(err) != api.CodeUnauthorized {
				t.Errorf("%d: filed after the session: %v", n, err)
			}
		}
	})
}

// TestEndOfSessionWaitsForLastingChanges: a change that outlives a session is committed before the end of the
// session, or not at all.
func TestEndOfSessionWaitsForLastingChanges(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.person(t, "u@test.example")
		s, _ := w.signIn(t, "u@test.example")
		other, _ := w.signIn(t, "u@test.example")
		release := w.block(t)
		minted, ended := make(chan error, 1), make(chan error, 1)
		go func() {
			minted <- second(w.CreateKey(context.Background(), s.Caller,
				valid(api.CreateKey{Body: api.KeyFields{Name: "wst", Type: api.WST,
					Scopes: []api.Scope{api.SlicesRead}, WorkspaceID: &w.workspace}})))
		}()
		w.waits(t, 1)
		go func() { ended <- w.EndSession(context.Background(), other, s.ID) }()
		select {
		case err := <-ended:
			t.Errorf("the end of the session did not wait for the key that was being minted: %v", err)
		case <-time.After(300 * time.Millisecond):
		}
		release()
		must(t, <-minted)
		must(t, <-ended)
		if err := w.fileAs(s.Caller); code(err) != api.CodeUnauthorized {
			t.Errorf("the session works after its end: %v", err)
		}
	})
}

// TestSessionsThatEndEachOther do not deadlock: one of them succeeds, and the other one has ended.
func TestSessionsThatEndEachOther(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.person(t, "u@test.example")
		for range 6 {
			one, _ := w.signIn(t, "u@test.example")
			other, _ := w.signIn(t, "u@test.example")
			begun, done := time.Now(), make(chan error, 2)
			go func() { done <- w.EndSession(context.Background(), one, other.ID) }()
			go func() { done <- w.EndOtherSessions(context.Background(), other) }()
			first, then := <-done, <-done
			if (first == nil) == (then == nil) || code(errors.Join(first, then)) != api.CodeUnauthorized {
				t.Errorf("%v, %v", first, then)
			}
			if d := time.Since(begun); d > 900*time.Millisecond {
				t.Errorf("took %s", d)
			}
		}
	})
}

// TestProof: minting and rotating keys need a recent proof of the password, which a key never needs.
func TestProof(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		u := w.person(t, "u@test.example")
		s, _ := w.signIn(t, "u@test.example")
		k, err := w.CreateKey(t.Context(), s.Caller,
			valid(api.CreateKey{Body: api.KeyFields{Name: "k", Type: api.PAT, Scopes: api.AllScopes()}}))
		must(t, err)
		rotate := func(c access.Caller) error {
			return second(w.RotateKey(context.Background(), c, valid(api.RotateKey{KeyID: k.ID})))
		}
		must(t, rotate(s.Caller))
		w.now = w.now.Add(15 * time.Minute)
		for what, err := range map[string]error{"mint": w.mintAs(s.Caller), "rotate": rotate(s.Caller)} {
			if !errors.Is(err, access.ErrProofNeeded) {
				t.Errorf("%s without a proof: %v", what, err)
			}
		}
		before, err := w.store.Read(t.Context()).Keys(u.UserID, nil, "", 10)
		must(t, err)
		for pointer, body := range map[string]api.KeyFields{
			"/workspaceId": {Name: "k", Type: api.WST, Scopes: api.AllScopes()},
			"/expiresAt":   {Name: "k", Type: api.PAT, Scopes: api.AllScopes(), ExpiresAt: &k.CreatedAt},
		} {
			_, err := w.CreateKey(t.Context(), s.Caller, valid(api.CreateKey{Body: body}))
			var p *api.Problem
			if !errors.As(err, &p) || len(p.Errors) != 1 || p.Errors[0].Pointer != pointer {
				t.Errorf("a fault at %s without a proof: %v", pointer, err)
			}
		}
		unknown := "wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"
		_, err = w.CreateKey(t.Context(), s.Caller,
			valid(api.CreateKey{Body: api.KeyFields{Name: "k", Type: api.WST, Scopes: api.AllScopes(),
				WorkspaceID: &unknown}}))
		if code(err) != api.CodeNotFound {
			t.Errorf("an unknown workspace without a proof: %v", err)
		}
		after, err := w.store.Read(t.Context()).Keys(u.UserID, nil, "", 10)
		must(t, err)
		if len(before) != len(after) || after[len(after)-1].Last4 != before[len(before)-1].Last4 {
			t.Error("a key was minted or rotated without a proof")
		}
		must(t, w.fileAs(s.Caller))
		must(t, w.mintAs(w.authenticate(t, u.Token)))
		if _, err := w.ProvePassword(t.Context(), client("203.0.113.7"), s,
			"wrong password"); code(err) != api.CodeUnauthorized {
			t.Errorf("a wrong proof: %v", err)
		}
		proved, err := w.ProvePassword(t.Context(), client("203.0.113.7"), s, secretWords)
		must(t, err)
		now, err := w.Session(t.Context(), client("203.0.113.7"), proved.Token)
		must(t, err)
		if now.ID != s.ID {
			t.Errorf("the session became %s", now.ID)
		}
		must(t, w.mintAs(now.Caller))
		must(t, rotate(now.Caller))
		must(t, second(w.RevokeKey(t.Context(), now.Caller, valid(api.RevokeKey{KeyID: k.ID}))))
	})
}

// TestSessionsAreAudited: an event has the session of its actor. Failed attempts are recorded once a minute, without
// the typed text.
func TestSessionsAreAudited(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		known := map[string]bool{}
		u := w.person(t, "u@test.example")
		w.audited(t, known)
		s, _ := w.signIn(t, "u@test.example")
		other, _ := w.signIn(t, "u@test.example")
		must(t, w.mintAs(s.Caller))
		must(t, second(w.ProvePassword(t.Context(), client("203.0.113.7"), other, secretWords)))
		must(t, w.SetTheme(t.Context(), s, api.ThemeDark))
		must(t, w.EndOtherSessions(t.Context(), s))
		must(t, w.EndSession(t.Context(), s, s.ID))
		var types []string
		for _, e := range w.audited(t, known) {
			types = append(types, string(e.Type))
			if e.SessionID == nil || *e.SessionID != s.ID && *e.SessionID != other.ID ||
				e.KeyID != nil || e.ActorType != "user" || *e.ActorID != u.UserID ||
				*e.RequestID != "req_1" || *e.ClientAddress != "203.0.113.7" {
				t.Errorf("%s", asJSON(e))
			}
		}
		want := "user.signed_in user.signed_in api_key.created user.password_proved user.updated session.ended session.ended"
		if got := strings.Join(types, " "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		for range 3 {
			for range 4 {
				_, err := w.SignIn(t.Context(), client("203.0.113.7"),
					tracker.SignIn{Email: "u@test.example", Password: "tried this"})
				if code(err) != api.CodeUnauthorized && code(err) != api.CodeRateLimited {
					t.Error(err)
				}
				must(t, w.Flush(t.Context()))
			}
			w.now = w.now.Add(time.Minute)
			must(t, w.Flush(t.Context()))
		}
		added := w.audited(t, known)
		if len(added) != 4 { // at the first failure, and after each minute
			t.Errorf("%d events of 12 failures: %s", len(added), asJSON(added))
		}
		for _, e := range added {
			if e.Type != api.EventUserSignInFailed || e.ActorID != nil || *e.ClientAddress != "203.0.113.7" {
				t.Errorf("%s", asJSON(e))
			}
		}
		var all strings.Builder
		_, err := w.store.Dump(t.Context(), func(string) (io.Writer, error) { return &all, nil })
		must(t, err)
		if f := all.String(); strings.Contains(f, "tried this") || strings.Contains(f, secretWords) ||
			strings.Contains(f, "Firefox") {
			t.Error("a password is stored, or a session is in a backup")
		}
	})
}

// TestProfile: a profile is changed at the version that was shown, and its faults name their fields.
func TestProfile(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.person(t, "u@test.example")
		s, opened := w.signIn(t, "u@test.example")
		fields := api.ProfileFields{Name: "Ада", Theme: api.ThemeDark, TimeZone: "Europe/Stockholm"}
		p, err := w.UpdateProfile(t.Context(), s, "1", fields)
		must(t, err)
		if p.Version != 2 || p.ProfileFields != fields {
			t.Errorf("%+v", p)
		}
		if s, err = w.Session(t.Context(), client("203.0.113.7"), opened.Token); err != nil || s.Profile != p ||
			s.Caller.Name != "Ада" {
			t.Errorf("%+v %v", s.Profile, err)
		}
		if _, err := w.UpdateProfile(t.Context(), s, "1", fields); code(err) != api.CodePrecondition {
			t.Errorf("a former version: %v", err)
		}
		_, err = w.UpdateProfile(t.Context(), s, "2", api.ProfileFields{Name: " ", Theme: "pink", TimeZone: "Local"})
		var refused *api.Problem
		if !errors.As(err, &refused) || len(refused.Errors) != 3 || refused.Errors[0].Pointer != "/name" ||
			refused.Errors[1].Pointer != "/theme" || refused.Errors[2].Pointer != "/timeZone" {
			t.Errorf("%v", err)
		}
		if err := w.SetTheme(t.Context(), s, "pink"); code(err) != api.CodeInvalidBody {
			t.Errorf("an unknown theme: %v", err)
		}
		for pointer, change := range map[string]api.PasswordChange{"/currentPassword": {CurrentPassword: "wrong",
			NewPassword: "another password"}, "/newPassword": {CurrentPassword: secretWords, NewPassword: "short"}} {
			_, err := w.ChangePassword(t.Context(), client("203.0.113.7"), s, change)
			if !errors.As(err, &refused) || len(refused.Errors) != 1 || refused.Errors[0].Pointer != pointer {
				t.Errorf("%s: %v", pointer, err)
			}
		}
	})
}

// TestSessionsAreBounded: a user has a limited number of sessions: those that were used last.
func TestSessionsAreBounded(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		u := w.person(t, "u@test.example")
		must(t, w.store.Write(context.Background(), func(tx *store.Tx) error {
			for n := range store.MaxSessions + 5 {
				at := api.At(w.now.Add(time.Duration(n) * time.Second))
				if err := tx.InsertSession(store.Session{ID: fmt.Sprint("ses_", n),
					UserID: u.UserID, CreatedAt: at, LastUsedAt: at, ProvedAt: at}, fmt.Sprint(n)); err != nil {
					return err
				}
			}
			return nil
		}))
		all, err := w.store.Read(t.Context()).Sessions(u.UserID)
		must(t, err)
		if len(all) != store.MaxSessions || all[0].ID != fmt.Sprint("ses_", store.MaxSessions+4) {
			t.Errorf("%d sessions, the last %s", len(all), all[0].ID)
		}
	})
}

// TestSetup: of several concurrent uses of the setup link one sets up the instance, and the link no longer works.
func TestSetup(t *testing.T) {
	emptyEngines(t, func(t *testing.T, w *world) {
		ctx, fields := t.Context(), tracker.SetupFields{Organization: "Northwind", Name: " Mara Lindqvist ",
			Email: "Mara@Northwind.example", Password: secretWords}
		former, err := w.NewSetupLink(ctx)
		must(t, err)
		link, err := w.NewSetupLink(ctx)
		must(t, err)
		setup := w.Setup()
		for what, text := range map[string]string{"a replaced link": former, "no link": "", "another": "x"} {
			if err := setup.CheckSetup(ctx, text); code(err) != api.CodeNotFound {
				t.Errorf("%s: %v", what, err)
			}
			if _, err := setup.SetUp(ctx, client("203.0.113.7"), text, fields); code(err) != api.CodeNotFound {
				t.Errorf("%s: %v", what, err)
			}
		}
		must(t, setup.CheckSetup(ctx, link))
		_, err = setup.SetUp(ctx, client("203.0.113.7"), link,
			tracker.SetupFields{Organization: " ", Email: "mara", Password: "short"})
		var refused *api.Problem
		if !errors.As(err, &refused) || len(refused.Errors) != 4 {
			t.Errorf("%v", err)
		}
		w.now = w.now.Add(24 * time.Hour)
		if err := setup.CheckSetup(ctx, link); code(err) != api.CodeNotFound {
			t.Errorf("an expired link: %v", err)
		}
		if link, err = w.NewSetupLink(ctx); err != nil {
			t.Fatal(err)
		}
		var work sync.WaitGroup
		var mu sync.Mutex
		var won []tracker.Founded
		for range 8 {
			work.Go(func() {
				f, err := setup.SetUp(ctx, client("203.0.113.7"), link, fields)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					won = append(won, f)
				} else if code(err) != api.CodeNotFound {
					t.Error(err)
				}
			})
		}
		work.Wait()
		if len(won) != 1 {
			t.Fatalf("%d set up the instance, want 1", len(won))
		}
		s, err := w.Session(ctx, client("203.0.113.7"), won[0].Session.Token)
		must(t, err)
		if s.Profile.Email != "mara@northwind.example" || s.Profile.Name != "Mara Lindqvist" ||
			s.Caller.Organization.Name != "Northwind" {
			t.Errorf("%+v", s)
		}
		list, err := w.ListWorkspaces(ctx, w.authenticate(t, won[0].Key.Token), valid(api.ListWorkspaces{}))
		must(t, err)
		if len(list.Data) != 1 || list.Data[0].Name != "Northwind" {
			t.Errorf("%+v", list.Data)
		}
		must(t, w.mintAs(s.Caller))
		w.signIn(t, "mara@northwind.example")
		if _, err := w.NewSetupLink(ctx); !errors.Is(err, operator.ErrNotEmpty) {
			t.Errorf("a link for an instance in use: %v", err)
		}
	})
}

// TestSetupLinkEndsWithAnOrganisation: the link works no more once an organisation was made at the command line.
func TestSetupLinkEndsWithAnOrganisation(t *testing.T) {
	emptyEngines(t, func(t *testing.T, w *world) {
		link, err := w.NewSetupLink(t.Context())
		must(t, err)
		must(t, second(w.Bootstrap(t.Context(), operator.Bootstrap{Organization: "Test",
			Owner: operator.NewUser{Email: "o@test.example"}, First: true})))
		if err := w.Setup().CheckSetup(t.Context(), link); code(err) != api.CodeNotFound {
			t.Errorf("%v", err)
		}
	})
}
