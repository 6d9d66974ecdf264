package suite

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
)

// TestMintedKeysStayWithinTheirMinter: a key mints and rotates no key with more rights than it has.
func TestMintedKeysStayWithinTheirMinter(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "within")
		year := api.At(time.Now().Add(365 * 24 * time.Hour))
		weak, weakID := o.newKey(t, map[string]any{"name": "weak", "type": "pat",
			"scopes": []string{"keys:manage", "slices:read"}, "expiresAt": year})
		_, strongID := o.newKey(t, map[string]any{"name": "strong", "type": "pat", "scopes": api.AllScopes()})
		mint := func(c client, status int, fields map[string]any) answer {
			t.Helper()
			fields["name"] = "minted"
			return c.want(t, status, "POST", "/v1/api-keys", fields)
		}
		mint(weak, 403, map[string]any{"type": "pat", "scopes": []string{"slices:write"}})
		mint(weak, 403, map[string]any{"type": "pat", "scopes": []string{"slices:read"},
			"expiresAt": api.At(year.Add(time.Second))})
		mint(weak, 422, map[string]any{"type": "pat", "scopes": []string{"slices:read"},
			"expiresAt": "2020-01-01T00:00:00Z"})
		mint(weak, 422, map[string]any{"type": "pat", "scopes": []string{}})
		mint(weak, 422, map[string]any{"type": "pat", "scopes": []string{"admin"}})
		mint(weak, 422, map[string]any{"type": "pat", "scopes": []string{"slices:read"}, "workspaceId": o.Workspace})
		mint(weak, 422, map[string]any{"type": "wst", "scopes": []string{"slices:read"}})
		a := mint(weak, 201, map[string]any{"type": "pat", "scopes": []string{"slices:read"}})
		a.has(t, members{"expiresAt": year.String(), "createdBy.keyId": weakID, "createdBy.userId": o.UserID})
		weak.want(t, 403, "POST", "/v1/api-keys/"+strongID+"/rotate", nil)
		weak.want(t, 200, "POST", "/v1/api-keys/"+weakID+"/rotate", nil)
		weak.want(t, 401, "GET", "/v1/api-keys", nil)
		wst, _ := o.newKey(t, map[string]any{"name": "ci", "type": "wst", "scopes": api.AllScopes(),
			"workspaceId": o.Workspace})
		mint(wst, 403, map[string]any{"type": "pat", "scopes": []string{"slices:read"}})
		mint(wst, 201, map[string]any{"type": "wst", "scopes": []string{"slices:read"}}).
			has(t, members{"workspaceId": o.Workspace})
		wst.want(t, 200, "GET", "/v1/me", nil).
			has(t, members{"type": "service", "email": nil, "key.workspaceId": o.Workspace})
		if strings.Contains(string(o.want(t, 200, "GET", "/v1/api-keys", nil).Body), "token") {
			t.Error("a list of keys shows tokens")
		}
		weakest, id := o.newKey(t, map[string]any{"name": "weakest", "type": "pat", "scopes": []string{"user:read"}})
		weakest.want(t, 204, "DELETE", "/v1/api-keys/self", nil)
		weakest.want(t, 401, "GET", "/v1/me", nil)
		o.want(t, 404, "GET", "/v1/api-keys/"+id, nil)
		o.want(t, 404, "DELETE", "/v1/api-keys/"+id, nil)
	})
}

// TestRotation: both tokens work during the grace period and not a moment longer; a third
// rotation within it ends the oldest.
func TestRotation(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "rotation")
		first, id := o.newKey(t, map[string]any{"name": "k", "type": "pat", "scopes": api.AllScopes()})
		rotate := func(c client, seconds int) client {
			t.Helper()
			a := c.want(t, 200, "POST", "/v1/api-keys/"+id+"/rotate", map[string]any{"gracePeriodSeconds": seconds})
			if a.get(t, "id") != id {
				t.Errorf("the id changed: %s", a.Body)
			}
			return client{s, a.get(t, "token").(string)}
		}
		second := rotate(first, 600)
		third := rotate(second, 600)
		for _, c := range []client{first, second, third} {
			c.want(t, 200, "GET", "/v1/me", nil)
		}
		fourth := rotate(third, 3)
		first.want(t, 401, "GET", "/v1/me", nil)
		for _, c := range []client{second, third, fourth} {
			c.want(t, 200, "GET", "/v1/me", nil)
		}
		eventually(t, "the grace period of 3 s ends",
			func() bool { return third.do(t, "GET", "/v1/me", nil).Status == 401 })
		second.want(t, 200, "GET", "/v1/me", nil)
		fourth.want(t, 204, "DELETE", "/v1/api-keys/"+id, nil)
		for _, c := range []client{second, fourth} {
			c.want(t, 401, "GET", "/v1/me", nil)
		}
		for _, bad := range []string{`{"gracePeriodSeconds":-1}`, `{"gracePeriodSeconds":604801}`,
			`{"gracePeriodSeconds":1.5}`, `{"grace":1}`} {
			_, other := o.newKey(t, map[string]any{"name": "k", "type": "pat", "scopes": []string{"user:read"}})
			o.want(t, 422, "POST", "/v1/api-keys/"+other+"/rotate", bad)
		}
	})
}

// TestRightsEndAtOnce: a lost membership, a role and a disabled account count from the next
// request on, on another node too.
func TestRightsEndAtOnce(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "rights")
		member, memberID := o.newUser(t, "leaver", o.Workspace)
		made := o.slice(t, o.Workspace, map[string]any{"assigneeId": memberID})
		path := "/v1/slices/" + made["id"].(string)
		wst, _ := o.newKey(t, map[string]any{"name": "ci", "type": "wst", "scopes": api.AllScopes(),
			"workspaceId": o.Workspace})
		nodes := []*server{s}
		if strings.Contains(strings.Join(s.place, " "), "postgres://") {
			second := s.node()
			second.start(t)
			defer second.kill()
			nodes = append(nodes, second)
		}
		everywhere := func(token string, status int, path string) {
			t.Helper()
			for _, node := range nodes {
				client{node, token}.want(t, status, "GET", path, nil)
			}
		}
		everywhere(member.token, 200, path)
		member.want(t, 403, "PATCH", "/v1/workspaces/"+o.Workspace, map[string]any{"name": "mine"})
		s.cli(t, "admin", "workspace", "add-member", "--workspace", o.Workspace, "--user", memberID, "--role", "admin")
		member.want(t, 200, "PATCH", "/v1/workspaces/"+o.Workspace, map[string]any{"name": "mine"})
		theirs, _ := member.newKey(t, map[string]any{"name": "theirs",
			"type": "wst", "scopes": []string{"slices:read"}, "workspaceId": o.Workspace})
		s.cli(t, "admin", "workspace", "remove-member", "--workspace", o.Workspace, "--user", memberID)
		everywhere(member.token, 404, path)
		everywhere(theirs.token, 200, path) // a WST outlives its creator's membership
		if got := o.want(t, 200, "GET", path, nil); got.get(t, "assigneeId") != nil || got.get(t, "version") != 2.0 {
			t.Errorf("who leaves is unassigned: %s", got.Body)
		}
		if n := len(member.want(t, 200, "GET", "/v1/slices", nil).get(t, "data").([]any)); n != 0 {
			t.Errorf("a leaver still lists %d", n)
		}
		s.cli(t, "admin", "user", "disable", "--user", memberID)
		everywhere(member.token, 401, "/v1/me")
		s.cli(t, "admin", "user", "enable", "--user", memberID)
		everywhere(member.token, 200, "/v1/me")
		everywhere(wst.token, 200, path)
		for what, args := range map[string][]string{
			"last admin removed": {"admin", "workspace", "remove-member", "--workspace", o.Workspace, "--user",
				o.UserID},
			"last admin lowered":  {"admin", "workspace", "add-member", "--workspace", o.Workspace, "--user", o.UserID},
			"last owner disabled": {"admin", "user", "disable", "--user", o.UserID},
		} {
			if s.fails(t, args...) == "" {
				t.Errorf("%s: was done", what)
			}
		}
		o.want(t, 200, "GET", "/v1/workspaces/"+o.Workspace, nil)
	})
}

// TestLastUsed is stored off the request, to the minute.
func TestLastUsed(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "used")
		c, id := o.newKey(t, map[string]any{"name": "k", "type": "pat", "scopes": api.AllScopes()})
		if got := o.want(t, 200, "GET", "/v1/api-keys/"+id, nil).get(t, "lastUsedAt"); got != nil {
			t.Errorf("used before its use: %v", got)
		}
		c.want(t, 200, "GET", "/v1/me", nil)
		var got any
		for deadline := time.Now().Add(15 * time.Second); got == nil &&
			time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
			got = o.want(t, 200, "GET", "/v1/api-keys/"+id, nil).get(t, "lastUsedAt")
		}
		if got == nil {
			t.Error("the use was not stored within 15 s")
		}
	})
}

// TestMembers shows e-mail addresses to admins alone.
func TestMembers(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "members")
		member, id := o.newUser(t, "plain", o.Workspace)
		path := "/v1/workspaces/" + o.Workspace + "/members"
		a := o.want(t, 200, "GET", path, nil)
		assert.Contains(t, "the response", string(a.Body), "plain-")
		a.has(t, members{"data.#": 2})
		a = member.want(t, 200, "GET", path, nil)
		assert.NotContains(t, "the response", string(a.Body), "@")
		assert.Contains(t, "the response", string(a.Body), id)
	})
}

// fails runs a command that must fail and returns what it said.
func (s *server) fails(t *testing.T, args ...string) string {
	t.Helper()
	code, text := s.exit(args...)
	if code == 0 {
		return ""
	}
	return fmt.Sprintf("%d %s", code, text)
}
