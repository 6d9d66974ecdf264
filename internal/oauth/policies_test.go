package oauth_test

import (
	"net/url"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/oauth"
	"bugslice/internal/store"
)

// decide stores policies of the organisation.
func (w *world) decide(t *testing.T, f api.PolicyFields) {
	t.Helper()
	must(t, w.store.Write(t.Context(), func(tx *store.Tx) error { return tx.Policies().Put(w.org.ID, f) }))
}

// TestPoliciesOfPrograms: keys of programs are keys: they are made within the policies of the organisation, and held to
// those that come later. A program in another network gets no token, and uses up neither code nor refresh token.
func TestPoliciesOfPrograms(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		p := w.register(t, "Assistant", loopback)
		a, err := w.Authorization(t.Context(), p.request("scope", "slices:read slices:write user:read"))
		must(t, err)
		w.decide(t, api.PolicyFields{PersonalKeyMakers: api.AdminsMake,
			PersonalKeyScopes: []api.Scope{api.SlicesRead}, PersonalKeyDays: 30})
		month := w.choice("slices:read")
		month.ExpiresAt = api.At(w.now.Add(29 * 24 * time.Hour)).String()
		for want, c := range map[string]struct {
			who    string
			choice oauth.Choice
		}{"/expiresAt policy": {owner, w.choice("slices:read")}, "/scopes policy": {owner, w.choice("slices:read",
			"slices:write")},
			"/workspaceId policy": {member, month}} {
			_, err := w.Approve(t.Context(), w.session(t, c.who), a, c.choice)
			refused(t, want, err, want)
		}
		code := w.approve(t, p, owner, month)
		w.decide(t, api.PolicyFields{PersonalKeyMakers: api.NobodyMakes, KeyNetworks: []string{"192.0.2.0/24"},
			PersonalKeyDays: 1})
		ask := func(address string, q url.Values) (oauth.Tokens, error) {
			q.Set("client_id", p.id)
			return w.Token(t.Context(), access.Request{ID: "req_1", ClientAddress: address}, q)
		}
		redeem := func(address string) (oauth.Tokens, error) {
			return ask(address, url.Values{"grant_type": {oauth.GrantCode}, "code": {code},
				"code_verifier": {p.verifier},
				"redirect_uri":  {p.redirect}})
		}
		for range 2 {
			_, err = redeem("198.51.100.1")
			refused(t, "a code from elsewhere", err, "access_denied")
		}
		tokens, err := redeem("192.0.2.7")
		must(t, err)
		refresh := func(address string) (oauth.Tokens, error) {
			return ask(address, url.Values{"grant_type": {oauth.GrantRefresh}, "refresh_token": {tokens.Refresh}})
		}
		for range 2 {
			_, err = refresh("198.51.100.1")
			refused(t, "a refresh token from elsewhere", err, "access_denied")
		}
		tokens, err = refresh("192.0.2.7")
		must(t, err)
		w.now = w.now.Add(23*time.Hour + 30*time.Minute)
		if tokens, err = refresh("192.0.2.7"); err != nil || tokens.ExpiresIn > 1860 {
			t.Errorf("half an hour before its end, the token lasts for %d s: %v", tokens.ExpiresIn, err)
		}
		w.now = w.now.Add(time.Hour)
		_, err = refresh("192.0.2.7")
		refused(t, "after the end of the key", err, "invalid_grant")
		w.decide(t, api.PolicyFields{})
		_, err = refresh("198.51.100.1")
		must(t, err)
	})
}
