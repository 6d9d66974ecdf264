package tracker_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/operator"
	"bugslice/internal/policy"
	"bugslice/internal/tracker"
)

// decider is an owner who decides about policies.
type decider struct {
	w       *world
	t       *testing.T
	session tracker.Session
	token   string
	tokens  []string // of all its sessions
}

func newDecider(t *testing.T, w *world) *decider {
	t.Helper()
	must(t, second(w.In(w.owner.Organization).AddUser(t.Context(), operator.NewUser{Email: "decider@test.example",
		Password: secretWords, Role: api.RoleOwner})))
	d := &decider{w: w, t: t}
	d.enter()
	return d
}

// enter signs the decider in anew, so that the proof is recent.
func (d *decider) enter() {
	d.t.Helper()
	s, opened := d.w.signIn(d.t, "decider@test.example")
	d.session, d.token, d.tokens = s, opened.Token, append(d.tokens, opened.Token)
}

// decide previews policies and saves them. What was previewed is what the change has ended.
func (d *decider) decide(f api.PolicyFields) api.PolicyPreview {
	d.t.Helper()
	shown, err := d.w.PreviewPolicies(d.t.Context(), d.session.Caller, valid(api.PreviewPolicies{Body: f}))
	must(d.t, err)
	ended, err := d.w.UpdatePolicies(d.t.Context(), d.session.Caller,
		valid(api.UpdatePolicies{IfMatch: fmt.Sprint(shown.Version),
			Body: f}))
	must(d.t, err)
	if text := func(v any) string { b, _ := json.Marshal(v); return string(b) }; text(shown) != text(ended) {
		d.t.Errorf("previewed\n%s\nended\n%s", text(shown), text(ended))
	}
	return ended
}

// newKey makes a key of the owner with some fields.
func (w *world) newKey(t *testing.T, f api.KeyFields) api.NewKey {
	t.Helper()
	f.Name = "k"
	if f.Scopes == nil {
		f.Scopes = api.AllScopes()
	}
	k, err := w.CreateKey(t.Context(), w.owner, valid(api.CreateKey{Body: f}))
	must(t, err)
	return k
}

// from authenticates a token for a request from an address.
func (w *world) from(address, token string) (access.Caller, error) {
	c, err := w.AuthenticateRequest(context.Background(), token)
	c.Request.ClientAddress = address
	return c, err
}

// callFrom reads who a key is, in a request from an address.
func (w *world) callFrom(address, token string) (api.Me, error) {
	c, err := w.from(address, token)
	if err != nil {
		return api.Me{}, err
	}
	return w.GetMe(context.Background(), c, valid(api.GetMe{}))
}

// working is what works, by its token, and which keys are refused where they were used last.
type working struct{ sessions, keys, invitations, refused map[string]bool }

// works tries sessions, keys and invitations. last has the address of the last use of a key.
func (d *decider) works(sessions, keys, invitations []string, last map[string]string) working {
	w, out := d.w, working{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, s := range append(d.tokens, sessions...) {
		out.sessions[s] = w.sessionOf(s) == nil
	}
	for _, k := range keys {
		c, err := w.from(last[k], k)
		out.keys[k] = err == nil
		out.refused[k] = err == nil && last[k] != "" && code(c.Allow(api.OpGetMe)) == api.CodeNetwork
	}
	out.keys["the first key"] = code(second(w.Reauthorize(context.Background(), w.owner,
		api.OpGetMe))) != api.CodeUnauthorized
	for _, i := range invitations {
		out.invitations[i] = second(w.Invitation(context.Background(), i)) == nil
	}
	return out
}

// lost returns the number of what works in one and not in the other.
func lost(one, other map[string]bool) (n int64) {
	for what := range one {
		if one[what] && !other[what] {
			n++
		}
	}
	return n
}

// TestPolicyPreviewIsWhatEnds: whatever sessions, keys and invitations there are, a preview counts exactly those that
// work before the policies are saved, and do not after; and those that work again.
func TestPolicyPreviewIsWhatEnds(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		seed := rand.Uint64()
		r := rand.New(rand.NewPCG(seed, 0))
		d := newDecider(t, w)
		var sessions, keys, invitations []string
		addresses := []string{"192.0.2.1", "198.51.100.1", "2001:db8::1", ""}
		last := map[string]string{} // the address of the last use, by token
		for n := range 4 {
			keys = append(keys, w.person(t, fmt.Sprintf("p%d@test.example", n)).Token)
		}
		for range 10 {
			_, opened := w.signIn(t, fmt.Sprintf("p%d@test.example", r.IntN(4)))
			sessions = append(sessions, opened.Token)
			f := api.KeyFields{Type: api.PAT}
			if r.IntN(2) == 0 {
				f.Type, f.WorkspaceID = api.WST, &w.workspace
			}
			if hours := r.IntN(3000); hours > 1000 {
				at := api.At(time.Now().Add(time.Duration(hours) * time.Hour))
				f.ExpiresAt = &at
			}
			k := w.newKey(t, f)
			keys, last[k.Token] = append(keys, k.Token), addresses[r.IntN(4)]
			if last[k.Token] != "" {
				c, err := w.from(last[k.Token], k.Token)
				must(t, err)
				w.NoteUse(c, "test")
			}
		}
		must(t, w.Flush(t.Context()))
		for n, domain := range []string{"a.example", "x.a.example", "b.example"} {
			token, err := w.InviteUser(t.Context(), d.session, invitationTo(fmt.Sprintf("i%d@%s", n, domain),
				w.workspace))
			must(t, err)
			invitations = append(invitations, token)
		}
		works := func() working { return d.works(sessions, keys, invitations, last) }
		former := policy.New(api.PolicyFields{}, 0)
		for range 12 {
			w.now = w.now.Add(time.Duration(r.IntN(60)) * time.Hour)
			d.enter()
			f := api.PolicyFields{SessionHours: int64(r.IntN(3) * r.IntN(200)),
				SessionIdleHours: int64(r.IntN(3) * r.IntN(200)),
				PersonalKeyDays:  int64(r.IntN(2) * r.IntN(20)), ServiceKeyDays: int64(r.IntN(2) * r.IntN(20)),
				KeyNetworks:       [][]string{nil, {"192.0.2.0/24"}, {"2001:db8::/32", "198.51.100.1"}}[r.IntN(3)],
				InvitationDomains: [][]string{nil, {"a.example", "b.example"}, {"*.a.example", "a.example"}}[r.IntN(3)]}
			before := works()
			p := d.decide(f)
			now := works()
			distant := int64(0)
			for k := range now.refused {
				if now.refused[k] && former.AdmitsKeyFrom(last[k], false) {
					distant++
				}
			}
			former = policy.New(p.Policies, 0)
			got := []int64{p.Sessions.Count, p.RestoredSessions, p.EndedKeys.Count, p.RestoredKeys,
				p.Invitations.Count, p.DistantKeys.Count}
			want := []int64{lost(before.sessions, now.sessions), lost(now.sessions, before.sessions),
				lost(before.keys, now.keys), lost(now.keys, before.keys), lost(before.invitations, now.invitations), distant}
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: %+v: previewed %v, ended %v", seed, f, got, want)
			}
		}
		d.decide(api.PolicyFields{})
		for _, k := range keys { // nothing was taken for good
			c, err := w.AuthenticateRequest(t.Context(), k)
			if err == nil && last[k] != "" && !slices.Equal(c.Scopes, api.AllScopes()) {
				t.Errorf("%v", c.Scopes)
			}
		}
	})
}

// TestSessionPolicy: a session ends at the limit of the organisation and not before, on every node and in an open page;
// where the service has a shorter one, that holds. The session works again when the policy ends.
func TestSessionPolicy(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		d, begun := newDecider(t, w), w.now
		w.person(t, "u@test.example")
		s, opened := w.signIn(t, "u@test.example")
		stream := w.live(t, s, "")
		d.decide(api.PolicyFields{SessionHours: 8})
		w.now = begun.Add(8*time.Hour - time.Second)
		must(t, w.sessionOf(opened.Token))
		w.now = begun.Add(8*time.Hour + time.Second)
		if err := w.sessionOf(opened.Token); code(err) != api.CodeUnauthorized {
			t.Errorf("after the limit: %v", err)
		}
		if err := w.fileAs(s.Caller); code(err) != api.CodeUnauthorized {
			t.Errorf("a write in progress: %v", err)
		}
		if err := second(w.elsewhere(t).Session(t.Context(), client("203.0.113.7"),
			opened.Token)); code(err) != api.CodeUnauthorized {
			t.Errorf("on another node: %v", err)
		}
		d.enter()
		if p := d.decide(api.PolicyFields{SessionIdleHours: 8000, SessionHours: 8000}); p.RestoredSessions < 1 {
			t.Errorf("%+v", p)
		}
		must(t, w.sessionOf(opened.Token))
		w.now = begun.Add(15 * 24 * time.Hour)
		if err := w.sessionOf(opened.Token); code(err) != api.CodeUnauthorized {
			t.Errorf("longer than the service lets it: %v", err)
		}
		d.enter()
		_, opened = w.signIn(t, "u@test.example")
		if p := d.decide(api.PolicyFields{SessionIdleHours: 2}); p.Sessions.Own {
			t.Error("the own session ends, which was just opened")
		}
		w.now = w.now.Add(2 * time.Hour)
		if err := w.sessionOf(opened.Token); code(err) != api.CodeUnauthorized {
			t.Errorf("unused for two hours: %v", err)
		}
		if err := w.sessionOf(d.token); code(err) != api.CodeUnauthorized {
			t.Errorf("that of the owner: %v", err)
		}
		w.work(t)
		if m, err := stream.next(); code(err) != api.CodeUnauthorized {
			t.Errorf("an open page: %s %v", m, err)
		}
	})
}

// TestPolicyPreviewNamesKeysThatEndEarlier: with both ends, also that of a key which never ended, and with the webhooks that stop.
func TestPolicyPreviewNamesKeysThatEndEarlier(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		d, year := newDecider(t, w), api.At(w.now.AddDate(1, 0, -1))
		never, later := w.newKey(t, api.KeyFields{Type: api.PAT}), w.newKey(t, api.KeyFields{Type: api.PAT, ExpiresAt: &year})
		soon := api.At(w.now.AddDate(0, 0, 3))
		sooner := w.newKey(t, api.KeyFields{Type: api.PAT, ExpiresAt: &soon})
		service := w.newKey(t, api.KeyFields{Type: api.WST, WorkspaceID: &w.workspace})
		grantor, err := w.AuthenticateRequest(t.Context(), service.Token)
		must(t, err)
		must(t, second(w.CreateWebhook(t.Context(), grantor, valid(api.CreateWebhook{Body: api.NewWebhook{WorkspaceID: &w.workspace,
			WebhookFields: api.WebhookFields{URL: "https://hooks.example.com/x", Enabled: true}}}))))
		ending := map[string]api.PolicyKey{}
		for _, k := range d.decide(api.PolicyFields{PersonalKeyDays: 30, ServiceKeyDays: 5}).EndingKeys.First {
			ending[k.ID] = k
		}
		check := func(k api.NewKey, days int, webhooks int64) {
			t.Helper()
			got := ending[k.ID]
			if got.EndsAt == nil || !got.EndsAt.Equal(k.CreatedAt.AddDate(0, 0, days)) || got.Webhooks != webhooks ||
				(k.ExpiresAt == nil) != (got.EndedAt == nil) || k.ExpiresAt != nil && !got.EndedAt.Equal(k.ExpiresAt.Time) {
				t.Errorf("%+v, made %+v", got, k)
			}
		}
		check(never, 30, 0)
		check(later, 30, 0)
		check(service, 5, 1)
		if _, ok := ending[sooner.ID]; ok || never.ExpiresAt != nil {
			t.Errorf("%+v, and %v never ends", ending[sooner.ID], never.ExpiresAt)
		}
	})
}

// TestKeyPolicy: new keys are made within the policy, and those that exist are held to it: they end earlier, which
// every answer says, and have fewer scopes, until the policy ends. Who makes personal keys is decided for every way.
func TestKeyPolicy(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, d := t.Context(), newDecider(t, w)
		member := w.colleague(t, "m@test.example", api.RoleMember, api.RoleAdmin)
		old := w.newKey(t, api.KeyFields{Type: api.PAT})
		w.newKey(t, api.KeyFields{Type: api.WST, WorkspaceID: &w.workspace})
		f := api.PolicyFields{PersonalKeyDays: 30, ServiceKeyDays: 5, PersonalKeyScopes: []api.Scope{api.SlicesRead,
			api.KeysManage},
			PersonalKeyMakers: api.AdminsMake}
		p := d.decide(f)
		if p.EndedKeys.Count != 0 || p.LosingKeys.Count < 1 || p.OtherMakers != 0 {
			t.Errorf("%+v", p)
		}
		c, err := w.from("", old.Token)
		must(t, err)
		me, err := w.GetMe(ctx, c, valid(api.GetMe{}))
		if code(err) != api.CodeScope { // user:read is not left
			t.Errorf("%+v %v", me, err)
		}
		got, err := w.GetKey(ctx, c, valid(api.GetKey{KeyID: old.ID}))
		must(t, err)
		if ends := old.CreatedAt.AddDate(0, 0, 30); got.ExpiresAt == nil || !got.ExpiresAt.Equal(ends) ||
			len(got.Scopes) != 2 {
			t.Errorf("%+v, not until %v", got, ends)
		}
		if err := c.Allow(api.OpCreateSlice); code(err) != api.CodeScope || !strings.Contains(err.Error(), "policies") {
			t.Errorf("a scope that the policy takes: %v", err)
		}
		create := func(c access.Caller, f api.KeyFields) (api.NewKey, error) {
			f.Name = "n"
			if f.Scopes == nil {
				f.Scopes = []api.Scope{api.SlicesRead}
			}
			return w.CreateKey(ctx, c, valid(api.CreateKey{Body: f}))
		}
		in := func(days int) *api.Time {
			at := api.At(w.now.Add(time.Duration(days)*24*time.Hour - time.Minute))
			return &at
		}
		for what, refused := range map[string]error{
			"403 forbidden: a member": second(create(member.Caller, api.KeyFields{Type: api.PAT})),
			"422 invalid_body: a scope": second(create(d.session.Caller, api.KeyFields{Type: api.PAT,
				Scopes: api.AllScopes()})),
			"422 invalid_body: a late expiry": second(create(d.session.Caller, api.KeyFields{Type: api.PAT,
				ExpiresAt: in(32)})),
			"422 invalid_body: of a workspace": second(create(member.Caller,
				api.KeyFields{Type: api.WST, WorkspaceID: &w.workspace, ExpiresAt: in(7)})),
		} {
			if !strings.Contains(what, code(refused)) || !tracker.HasFault(refused, tracker.FaultPolicy) {
				t.Errorf("%s: %v", what, refused)
			}
		}
		for days, fields := range map[int]api.KeyFields{30: {Type: api.PAT}, 20: {Type: api.PAT, ExpiresAt: in(20)}} {
			k, err := create(d.session.Caller, fields)
			must(t, err)
			if left := k.ExpiresAt.Sub(w.now); left > time.Duration(days)*24*time.Hour ||
				left < time.Duration(days-1)*24*time.Hour {
				t.Errorf("%d days: %v", days, left)
			}
		}
		k, err := create(member.Caller, api.KeyFields{Type: api.WST, WorkspaceID: &w.workspace,
			Scopes: api.AllScopes()})
		must(t, err)
		if left := k.ExpiresAt.Sub(w.now); left > 5*24*time.Hour {
			t.Errorf("without an expiry: %v", left)
		}
		if made, err := w.GetKeyPolicy(ctx, member.Caller, valid(api.GetKeyPolicy{})); err != nil || made.Personal ||
			len(made.Scopes) != 2 ||
			made.PersonalDays != 30 || made.ServiceDays != 5 {
			t.Errorf("%+v %v", made, err)
		}
		d.decide(api.PolicyFields{PersonalKeyMakers: api.NobodyMakes})
		if err := second(create(d.session.Caller, api.KeyFields{Type: api.PAT})); code(err) != api.CodeForbidden {
			t.Errorf("an owner: %v", err)
		}
		must(t, second(w.RotateKey(ctx, w.owner, valid(api.RotateKey{KeyID: old.ID}))))
	})
}

// TestKeysEndByPolicy: a key ends when the policy says, on every node, and works again, with all of its scopes, when the
// policy ends.
func TestKeysEndByPolicy(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, d := t.Context(), newDecider(t, w)
		old := w.newKey(t, api.KeyFields{Type: api.PAT})
		service := w.newKey(t, api.KeyFields{Type: api.WST, WorkspaceID: &w.workspace})
		d.decide(api.PolicyFields{ServiceKeyDays: 5, PersonalKeyScopes: []api.Scope{api.SlicesRead, api.KeysManage}})
		w.now = service.CreatedAt.Add(5*24*time.Hour - time.Second)
		must(t, second(w.callFrom("", service.Token)))
		w.now = service.CreatedAt.AddDate(0, 0, 5)
		if err := second(w.callFrom("", service.Token)); code(err) != api.CodeUnauthorized ||
			!strings.Contains(err.Error(), "expired") {
			t.Errorf("at its end: %v", err)
		}
		if err := second(w.elsewhere(t).callFrom("", service.Token)); code(err) != api.CodeUnauthorized {
			t.Errorf("on another node: %v", err)
		}
		d.enter()
		ended, err := w.EndedKeys(ctx, w.owner)
		must(t, err)
		if !slices.ContainsFunc(ended, func(k api.Key) bool { return k.ID == service.ID }) {
			t.Error("the key is not among those that have ended")
		}
		if p := d.decide(api.PolicyFields{}); p.RestoredKeys < 1 {
			t.Errorf("%+v", p)
		}
		must(t, second(w.callFrom("", service.Token)))
		c, err := w.from("", old.Token)
		must(t, err)
		if c.ExpiresAt != nil || len(c.Scopes) != len(api.AllScopes()) {
			t.Errorf("what the policy took is not back: %v %v", c.ExpiresAt, c.Scopes)
		}
	})
}

// TestExpiringByPolicy: a key that ends within a week by a policy is told of like others.
func TestExpiringByPolicy(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		d := newDecider(t, w)
		w.newKey(t, api.KeyFields{Type: api.WST, WorkspaceID: &w.workspace})
		expiring := func() bool {
			return slices.Contains(w.auditTypes(t, d.session.Caller, api.AuditFilters{WorkspaceID: w.workspace}),
				"api_key.expiring")
		}
		must(t, w.In(w.owner.Organization).PutMember(t.Context(), w.workspace, d.session.Caller.ID, api.RoleAdmin))
		d.decide(api.PolicyFields{ServiceKeyDays: 30})
		w.pass(t, 2*time.Hour)
		if expiring() {
			t.Error("told 29 days before")
		}
		w.pass(t, 25*24*time.Hour)
		d.enter()
		if !expiring() {
			t.Error("not told within a week")
		}
	})
}

// TestKeyNetworks: a key is used from the networks of the organisation, and refused from elsewhere: also in a request
// that has begun, in an open stream and on another node. It is revoked from everywhere. Sessions are not limited.
func TestKeyNetworks(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, d := t.Context(), newDecider(t, w)
		k := w.newKey(t, api.KeyFields{Type: api.PAT})
		files := w.newKey(t, api.KeyFields{Type: api.WST, WorkspaceID: &w.workspace,
			Scopes: []api.Scope{api.SlicesWrite}, FilesOnly: true})
		outside, err := w.from("198.51.100.1", k.Token)
		must(t, err)
		stream, err := w.StreamEvents(ctx, outside, valid(api.ListEvents{WorkspaceID: w.workspace}))
		must(t, err)
		defer stream.Close()
		guard := w.ResponseGuard(ctx, outside, api.OpListSlices)
		must(t, guard())
		f := api.PolicyFields{KeyNetworks: []string{"192.0.2.0/24", "2001:db8::/32"}}
		d.decide(f)
		for address, want := range map[string]string{"192.0.2.9": "", "::ffff:192.0.2.9": "", "2001:db8::7": "",
			"198.51.100.1": api.CodeNetwork,
			"192.0.20.9":   api.CodeNetwork, "": api.CodeNetwork, "2001:db9::7": api.CodeNetwork,
			"::1": api.CodeNetwork} {
			for name, node := range map[string]*world{"here": w, "another node": w.elsewhere(t)} {
				if err := second(node.callFrom(address, k.Token)); err == nil && want != "" || err != nil &&
					code(err) != want {
					t.Errorf("%s from %q: %v", name, address, err)
				}
			}
		}
		time.Sleep(access.RecheckEvery)
		for what, err := range map[string]error{"a stream": stream.Recheck(ctx), "a response": guard(),
			"a write": w.fileAs(outside),
			"a new key": second(w.CreateKey(ctx, outside, valid(api.CreateKey{Body: api.KeyFields{Name: "n",
				Type:   api.PAT,
				Scopes: api.AllScopes()}})))} {
			if code(err) != api.CodeNetwork {
				t.Errorf("%s in progress: %v", what, err)
			}
		}
		of, err := w.from("198.51.100.1", files.Token)
		must(t, err)
		if err := w.fileAs(of); code(err) != api.CodeNetwork {
			t.Errorf("a key that files only: %v", err)
		}
		f.FilingAnywhere = true
		d.decide(f)
		of, err = w.from("198.51.100.1", files.Token)
		must(t, err)
		must(t, w.fileAs(of))
		must(t, second(w.GetPolicies(ctx, d.session.Caller, valid(api.GetPolicies{})))) // by a session at 203.0.113.7
		must(t, second(w.RevokeSelf(ctx, outside, valid(api.RevokeSelf{}))))
	})
}

// TestInvitationDomains: who has an address of another domain is not invited, and an invitation from before is revoked,
// and not accepted with its link.
func TestInvitationDomains(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, d := t.Context(), newDecider(t, w)
		invite := func(email string) (string, error) {
			return w.InviteUser(ctx, d.session, invitationTo(email, w.workspace))
		}
		inside, err := invite("a@acme.example")
		must(t, err)
		outside, err := invite("b@other.example")
		must(t, err)
		p := d.decide(api.PolicyFields{InvitationDomains: []string{"acme.example"}})
		if p.Invitations.Count != 1 || p.Invitations.First[0].Email != "b@other.example" {
			t.Errorf("%+v", p.Invitations)
		}
		accept := func(token string) error {
			return second(w.AcceptInvitation(ctx, client("203.0.113.9"), token,
				tracker.AcceptedInvitation{Name: "New", Password: secretWords}))
		}
		if err := accept(outside); code(err) != api.CodeNotFound {
			t.Errorf("accepted: %v", err)
		}
		if _, err := invite("c@other.example"); code(err) != api.CodeInvalidBody || !strings.Contains(err.Error(),
			"acme.example") {
			t.Errorf("invited: %v", err)
		}
		must(t, accept(inside))
		if !slices.Contains(w.auditTypes(t, d.session.Caller, api.AuditFilters{}), "invitation.revoked") {
			t.Error("the audit log does not say that the invitation was revoked")
		}
		d.decide(api.PolicyFields{})
		must(t, second(invite("c@other.example")))
	})
}

// TestPoliciesAreAudited: the audit log has what was before and after, and how much has ended. A change over another
// one is refused, and policies with faults change nothing.
func TestPoliciesAreAudited(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, d := t.Context(), newDecider(t, w)
		d.decide(api.PolicyFields{SessionHours: 10, PersonalKeyMakers: api.EverybodyMakes})
		d.decide(api.PolicyFields{SessionHours: 10, KeyNetworks: []string{"192.0.2.1"},
			PersonalKeyMakers: api.EverybodyMakes})
		d.decide(api.PolicyFields{SessionHours: 10, KeyNetworks: []string{"192.0.2.1/32"}}) // which is the same
		if err := second(w.UpdatePolicies(ctx, d.session.Caller, valid(api.UpdatePolicies{IfMatch: "1",
			Body: api.PolicyFields{SessionHours: 5}}))); code(err) != api.CodePrecondition {
			t.Errorf("over another change: %v", err)
		}
		for _, in := range []api.PolicyFields{{SessionHours: -1}, {KeyNetworks: []string{"10.0.0.1/8"}},
			{SecondFactor: true}} {
			if err := second(w.UpdatePolicies(ctx, d.session.Caller,
				valid(api.UpdatePolicies{Body: in}))); code(err) != api.CodeInvalidBody {
				t.Errorf("%+v: %v", in, err)
			}
		}
		listed, err := w.ListAuditLog(ctx, d.session.Caller, valid(api.ListAuditLog{
			AuditFilters: api.AuditFilters{Type: "organization.policies_changed"}}))
		must(t, err)
		if len(listed.Events) != 2 {
			t.Fatalf("%+v", listed.Events)
		}
		var data struct {
			Organization, Previous map[string]any
		}
		must(t, json.Unmarshal(listed.Events[0].Data, &data))
		if data.Organization["keyNetworks"] != "192.0.2.1/32" || data.Organization["sessionHours"] != 10.0 ||
			len(data.Previous) != 1 || data.Previous["keyNetworks"] != "" || data.Organization["ended"] == nil {
			t.Errorf("%s", listed.Events[0].Data)
		}
		policies, err := w.GetPolicies(ctx, d.session.Caller, valid(api.GetPolicies{}))
		if err != nil || policies.Version != 2 || policies.SessionHours != 10 {
			t.Errorf("%+v %v", policies, err)
		}
	})
}
