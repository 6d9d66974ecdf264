package suite

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestRevocationsAmongWrites: a key that is revoked during many of its requests has no event after its revocation,
// and no request is answered with a failure.
func TestRevocationsAmongWrites(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "races")
		for round := range 6 {
			scopes := []string{"slices:write", "keys:manage", "webhooks:manage", "slices:read"}
			c, keyID := o.newKey(t, map[string]any{"name": "k", "type": "wst", "scopes": scopes,
				"workspaceId": o.Workspace})
			var work sync.WaitGroup
			for i := range 20 {
				work.Go(func() { busy(t, c, o.Workspace, i) })
			}
			time.Sleep(time.Duration(round*10) * time.Millisecond)
			o.want(t, 204, "DELETE", "/v1/api-keys/"+keyID, nil)
			o.slice(t, o.Workspace, map[string]any{"summary": "behind the revocation"})
			work.Wait()
			nothingBehind(t, o, keyID)
		}
	})
}

// busy writes with a key until it is refused.
func busy(t *testing.T, c client, workspace string, i int) {
	for n := range 50 {
		var a answer
		var err error
		switch i % 3 {
		case 0:
			a, err = c.try("POST", "/v1/slices", map[string]any{"workspaceId": workspace, "summary": fmt.Sprint(i, n)})
		case 1:
			a, err = c.try("POST", "/v1/api-keys", map[string]any{"type": "wst",
				"name": fmt.Sprint(i, n), "scopes": []string{"slices:read"}})
		default:
			a, err = c.try("POST", "/v1/webhooks", map[string]any{"url": "https://example.com/hook", "enabled": false})
		}
		switch {
		case err != nil || a.Status >= 500:
			t.Errorf("%d %s %v", a.Status, a.Body, err)
			return
		case a.Status == 401:
			return
		}
	}
}

// nothingBehind fails when a key did anything behind its revocation in the workspace's log.
func nothingBehind(t *testing.T, o org, keyID string) {
	t.Helper()
	revoked, after, cursor := false, 0, ""
	for {
		a := o.want(t, 200, "GET", "/v1/events?limit=100&workspaceId="+o.Workspace+cursor, nil)
		for _, row := range a.get(t, "data").([]any) {
			e := row.(map[string]any)
			if e["type"] == "api_key.revoked" && strings.Contains(fmt.Sprint(e["data"]), keyID) {
				revoked = true
			} else if revoked && e["actor"].(map[string]any)["keyId"] == keyID {
				after++
			}
		}
		if a.get(t, "pagination.hasMore") == false {
			break
		}
		cursor = "&cursor=" + a.get(t, "pagination.cursor").(string)
	}
	if !revoked || after > 0 {
		t.Errorf("revoked: %v, and %d events behind it", revoked, after)
	}
}

// TestKeysRotateAndRevokeEachOther: keys that rotate and revoke themselves and each other at once are served or
// refused, soon, and never with a fault.
func TestKeysRotateAndRevokeEachOther(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "each")
		for _, kind := range []string{"pat", "wst"} {
			const n = 6
			var keys [n]client
			var ids [n]string
			fields := map[string]any{"name": "k", "type": kind, "scopes": []string{"keys:manage", "slices:write"}}
			if kind == "wst" {
				fields["workspaceId"] = o.Workspace
			}
			for i := range keys {
				keys[i], ids[i] = o.newKey(t, fields)
			}
			var work sync.WaitGroup
			for i := range n * n * 2 {
				work.Go(func() {
					begin := time.Now()
					method, path := "POST", "/v1/api-keys/"+ids[i%n]+"/rotate"
					if i > n*n*3/2 {
						method, path = "DELETE", "/v1/api-keys/"+ids[i%n]
					}
					a, err := keys[i/n%n].try(method, path, nil)
					if err != nil || a.Status >= 500 {
						t.Errorf("%s: %d %s %v", method, a.Status, a.Body, err)
					}
					if took := time.Since(begin); took > 5*time.Second {
						t.Errorf("%s: %d after %v", method, a.Status, took)
					}
				})
			}
			work.Wait()
		}
	})
}
