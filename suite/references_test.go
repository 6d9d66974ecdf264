package suite

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// TestWorkspaceKeys: a key is derived, or given by the client, and refused at its member.
func TestWorkspaceKeys(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "keys")
		create := func(status int, body map[string]any) answer {
			return o.want(t, status, "POST", "/v1/workspaces",
				body)
		}
		create(201, map[string]any{"name": "Web shop"}).has(t, members{"key": "WEB"})
		create(201, map[string]any{"name": "Web site"}).has(t, members{"key": "WEB2"})
		create(201, map[string]any{"name": "商店"}).has(t, members{"key": "W1"})
		app := create(201, map[string]any{"name": "App", "key": "MOBILE"}).has(t, members{"key": "MOBILE"}).
			get(t, "id").(string)
		taken := members{"code": "workspace_key_taken", "errors.0.pointer": "/key",
			"errors.0.code": "workspace_key_taken"}
		create(409, map[string]any{"name": "App", "key": "MOBILE"}).has(t, taken)
		o.want(t, 409, "PATCH", "/v1/workspaces/"+app, map[string]any{"key": "WEB"}).has(t, taken)
		for _, bad := range []any{"", "W", "web", "1AB", "TOOLONG", "A-B", "ÄB", nil, 5} {
			o.want(t, 422, "PATCH", "/v1/workspaces/"+app, map[string]any{"key": bad}).
				has(t, members{"errors.0.pointer": "/key"})
			if bad != nil { // which leaves the choice to the service
				create(422, map[string]any{"name": "App", "key": bad}).has(t, members{"errors.0.pointer": "/key"})
			}
		}
		o.want(t, 200, "GET", "/v1/workspaces/"+app, nil).has(t, members{"key": "MOBILE", "name": "App"})
		newOrg(t, s, "others").want(t, 201, "POST", "/v1/workspaces", map[string]any{"name": "Web"}).
			has(t, members{"key": "WEB"})
	})
}

// TestReferences: a slice is read and written by its reference, also by a former one, from creation to the event log.
func TestReferences(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "references")
		workspace := o.want(t, 201, "POST", "/v1/workspaces", map[string]any{"name": "Web shop"}).get(t, "id").(string)
		made := o.slice(t, workspace, map[string]any{"evidence": captured()})
		id, path := made["id"].(string), "/v1/slices/WEB-1"
		wantMembers(t, "the new slice", made, members{"reference": "WEB-1", "number": 1})
		comment := o.want(t, 201, "POST", path+"/comments", map[string]any{"body": "seen"}, "Idempotency-Key", "once")
		comment.has(t, members{"sliceId": id})
		o.want(t, 201, "POST", path+"/comments", map[string]any{"body": "seen"},
			"Idempotency-Key", "once").has(t, members{"id": comment.get(t, "id")})
		o.upload(t, 201, "WEB-1", "notes.txt", "text/plain", "some notes").has(t, members{"sliceId": id})
		tag := o.want(t, 200, "GET", path, nil).Header.Get("ETag")
		o.want(t, 200, "PATCH", path, map[string]any{"priority": "high"}, "If-Match", tag).
			has(t, members{"id": id, "reference": "WEB-1"})
		o.want(t, 412, "PATCH", path, map[string]any{"priority": "low"}, "If-Match", tag)
		o.want(t, 200, "PATCH", "/v1/workspaces/"+workspace, map[string]any{"key": "SHOP"}).
			has(t, members{"key": "SHOP"})
		for _, reference := range []string{"WEB-1", "web-1", "SHOP-1", "Shop-1", id} {
			at := "/v1/slices/" + reference
			o.want(t, 200, "GET", at, nil).has(t, members{"id": id, "reference": "SHOP-1"})
			for _, part := range []string{"/comments", "/attachments",
				"/console", "/network", "/network.har", "/actions", "/replay", "/activity", "/similar"} {
				byID, byReference := o.want(t, 200, "GET", "/v1/slices/"+id+part, nil),
					o.want(t, 200, "GET", at+part, nil)
				if !bytes.Equal(byID.Body, byReference.Body) {
					t.Errorf("%s%s is not what the id shows:\n%s\n%s", reference, part, byReference.Body, byID.Body)
				}
			}
			if text := o.want(t, 200, "GET", at, nil, "Accept", "text/markdown").Body; !strings.HasPrefix(string(text),
				"# SHOP-1 ("+id+")") {
				t.Errorf("the Markdown of %s: %.60s", reference, text)
			}
		}
		first := o.want(t, 200, "GET", "/v1/slices/WEB-1/activity?limit=1", nil).get(t, "pagination.cursor").(string)
		o.want(t, 200, "GET", "/v1/slices/WEB-1/activity?limit=1&cursor="+first, nil).has(t, members{"data.#": 1})
		for _, none := range []string{"WEB-2", "WEB-0", "WEB-007", "WEB-01",
			"WEB-9999999999999", "WEB-99999999999999999999", "OTHER-1", "WEB-", "-1", "WEB-1%20"} {
			o.want(t, 404, "GET", "/v1/slices/"+none, nil).has(t, members{"code": "not_found"})
			o.want(t, 404, "PATCH", "/v1/slices/"+none, map[string]any{"summary": "x"})
		}
		other := o.slice(t, workspace, nil)
		wantMembers(t, "the second slice", other, members{"reference": "SHOP-2"})
		o.want(t, 422, "PATCH", "/v1/slices/SHOP-2", map[string]any{"duplicateOfId": "SHOP-1"}) // members keep ids
		o.want(t, 204, "DELETE", "/v1/slices/WEB-1", nil)
		o.want(t, 404, "GET", "/v1/slices/SHOP-1", nil)
		o.want(t, 200, "POST", "/v1/slices/WEB-1/restore", nil).has(t, members{"id": id, "reference": "SHOP-1"})
		events := o.want(t, 200, "GET", "/v1/events?type=slice.created,slice.restored&workspaceId="+workspace, nil)
		events.has(t, members{"data.0.data.slice.reference": "WEB-1", "data.1.data.slice.reference": "SHOP-2",
			"data.2.data.slice.reference": "SHOP-1"})
	})
}

// TestReferencesAreInvisible: who may not see a slice cannot tell its reference from one of no slice, in any operation.
func TestReferencesAreInvisible(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o, other := newOrg(t, s, "ours"), newOrg(t, s, "ours")
		reference := o.slice(t, o.Workspace, nil)["reference"].(string)
		nonmember, _ := o.newUser(t, "nonmember")
		elsewhere := o.want(t, 201, "POST", "/v1/workspaces", map[string]any{"name": "elsewhere"}).get(t, "id").(string)
		wst, _ := o.newKey(t, map[string]any{"type": "wst", "name": "CI",
			"workspaceId": elsewhere, "scopes": []string{"slices:read", "slices:write"}})
		theirs := other.slice(t, other.Workspace, nil)
		if theirs["reference"] != reference {
			t.Fatalf("%v and %v", theirs["reference"], reference)
		}
		for who, c := range map[string]client{"a colleague": nonmember, "the key of another workspace": wst} {
			a, b := c.want(t, 404, "GET", "/v1/slices/"+reference, nil).JSON(t),
				c.want(t, 404, "GET", "/v1/slices/NONE-1", nil).JSON(t)
			delete(a, "requestId")
			delete(b, "requestId")
			x, _ := json.Marshal(a)
			if y, _ := json.Marshal(b); !bytes.Equal(x, y) {
				t.Errorf("%s: %s, and of no slice %s", who, x, y)
			}
		}
		other.want(t, 200, "GET", "/v1/slices/"+reference, nil).has(t, members{"id": theirs["id"]})
	})
}

// TestKeysAreRestored: a restored instance has the keys, also the former ones. A backup from before workspaces had keys
// gets them.
func TestKeysAreRestored(t *testing.T) {
	t.Parallel()
	for _, way := range [][2]string{{"sqlite", "postgres"}, {"postgres", "sqlite"}} {
		t.Run(way[0]+" to "+way[1], func(t *testing.T) {
			t.Parallel()
			s := newServer(t, way[0], t.TempDir())
			s.start(t)
			defer s.kill()
			o := newOrg(t, s, "kept")
			id := o.slice(t, o.Workspace, nil)["id"]
			o.want(t, 200, "PATCH", "/v1/workspaces/"+o.Workspace, map[string]any{"key": "NEXT"})
			file := filepath.Join(t.TempDir(), "saved.zip")
			s.cli(t, "backup", "--output", file)
			restored := func(file string) client {
				r := newServer(t, way[1], t.TempDir())
				r.cli(t, "restore", file)
				r.start(t)
				t.Cleanup(r.kill)
				return client{r, o.token}
			}
			c := restored(file)
			for _, reference := range []string{"KEP-1", "NEXT-1"} {
				c.want(t, 200, "GET", "/v1/slices/"+reference, nil).has(t, members{"id": id, "reference": "NEXT-1"})
			}
			c.want(t, 409, "POST", "/v1/workspaces", map[string]any{"name": "x", "key": "KEP"})
			early := restored(firstFormat(t, without(t, withoutKeys(t, file), "workspace_keys")))
			early.want(t, 200, "GET", "/v1/slices/KEP-1", nil).has(t, members{"id": id, "reference": "KEP-1"})
		})
	}
}

// withoutKeys returns a backup whose workspaces have no column for a key.
func withoutKeys(t *testing.T, file string) string {
	t.Helper()
	return rewritten(t, file, func(name string, content []byte) []byte {
		if !strings.HasSuffix(name, "/workspaces.ndjson") {
			return content
		}
		var out bytes.Buffer
		for line := range bytes.Lines(content) {
			var row map[string]any
			must(t, json.Unmarshal(line, &row))
			delete(row, "key")
			must(t, json.NewEncoder(&out).Encode(row))
		}
		return out.Bytes()
	})
}
