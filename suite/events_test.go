package suite

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
)

// TestEventLog: a reader that follows the log during concurrent writes sees every event in order, and none before one
// that it has read.
func TestEventLog(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "events")
		const writers, each = 8, 12
		var done atomic.Bool
		var work, reader sync.WaitGroup
		var seen []float64
		created := map[any]bool{}
		reader.Go(func() {
			after := ""
			for last := false; ; last = done.Load() {
				path := "/v1/events?limit=7&workspaceId=" + o.Workspace
				if after != "" {
					path += "&after=" + after
				}
				rows := o.do(t, "GET", path, nil).get(t, "data").([]any)
				for _, row := range rows {
					e := row.(map[string]any)
					seen = append(seen, e["sequence"].(float64))
					after = e["id"].(string)
					if e["type"] == "slice.created" {
						created[e["data"].(map[string]any)["slice"].(map[string]any)["id"]] = true
					}
				}
				if len(rows) == 0 && last {
					return
				}
			}
		})
		for i := range writers {
			work.Go(func() {
				for j := range each {
					made := o.slice(t, o.Workspace, map[string]any{"summary": fmt.Sprint(i, j)})
					o.want(t, 200, "PATCH", "/v1/slices/"+made["id"].(string), map[string]any{"priority": "high"})
				}
			})
		}
		work.Wait()
		done.Store(true)
		reader.Wait()
		if !slices.IsSorted(seen) || len(slices.Compact(slices.Clone(seen))) != len(seen) {
			t.Error("out of order, or twice")
		}
		if len(created) != writers*each || len(seen) != 2*writers*each {
			t.Errorf("%d slices and %d events seen of %d and %d", len(created), len(seen), writers*each, 2*writers*each)
		}
		walked, cursor := 0, ""
		for {
			a := o.want(t, 200, "GET", "/v1/events?limit=50&workspaceId="+o.Workspace+cursor, nil)
			walked += len(a.get(t, "data").([]any))
			if a.get(t, "pagination.hasMore") == false {
				break
			}
			cursor = "&cursor=" + a.get(t, "pagination.cursor").(string)
		}
		if walked != len(seen) {
			t.Errorf("a walk by cursor yields %d of %d", walked, len(seen))
		}
	})
}

// TestEventsShowWhatTheKeyMayRead, and say who did what with the former values.
func TestEventsShowWhatTheKeyMayRead(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "scopes")
		member, _ := o.newUser(t, "member", o.Workspace)
		made := o.slice(t, o.Workspace, nil)
		path := "/v1/slices/" + made["id"].(string)
		o.want(t, 200, "PATCH", path, map[string]any{"status": "resolved", "assigneeId": o.UserID})
		o.want(t, 204, "DELETE", path, nil)
		o.want(t, 200, "POST", path+"/restore", nil)
		o.want(t, 200, "PATCH", "/v1/workspaces/"+o.Workspace, map[string]any{"name": "renamed"})
		o.want(t, 201, "POST", "/v1/workspaces/"+o.Workspace+"/spaces", map[string]any{"name": "space"})
		wst, _ := o.newKey(t, map[string]any{"name": "ci", "type": "wst", "scopes": api.AllScopes(),
			"workspaceId": o.Workspace})
		const slicesTypes = "slice.created slice.updated slice.status_changed slice.assigned slice.deleted slice.restored"
		types := func(c client, query string) string {
			t.Helper()
			var all []string
			for _, row := range c.want(t, 200, "GET", "/v1/events?limit=100"+query, nil).get(t, "data").([]any) {
				all = append(all, row.(map[string]any)["type"].(string))
			}
			return strings.Join(all, " ")
		}
		in := "&workspaceId=" + o.Workspace
		reader, _ := o.newKey(t, map[string]any{"name": "reader", "type": "pat", "scopes": []string{"slices:read"}})
		nobody, _ := o.newKey(t, map[string]any{"name": "nobody", "type": "pat", "scopes": []string{"slices:write"}})
		for what, c := range map[string][2]string{
			"owner":       {types(o.client, in), slicesTypes + " workspace.updated space.created api_key.created"},
			"service":     {types(wst, ""), slicesTypes + " workspace.updated space.created api_key.created"},
			"member":      {types(member, in), slicesTypes + " workspace.updated space.created"},
			"reader":      {types(reader, in), slicesTypes},
			"nobody":      {types(nobody, in), ""},
			"asked":       {types(o.client, in+"&type=slice.deleted,space.created"), "slice.deleted space.created"},
			"not allowed": {types(reader, in+"&type=space.created"), ""},
		} {
			if c[0] != c[1] {
				t.Errorf("%s sees %q, want %q", what, c[0], c[1])
			}
		}
		e := o.want(t, 200, "GET", "/v1/events?type=slice.status_changed"+in, nil).get(t, "data").([]any)[0].(map[string]any)
		wantMembers(t, "the event", e, members{"data.previous.status": "open",
			"data.slice.status": "resolved", "actor.type": "user", "actor.id": o.UserID})
		if e["actor"].(map[string]any)["keyId"] == nil {
			t.Errorf("the actor has no key: %v", e)
		}
		o.want(t, 400, "GET", "/v1/events", nil)
		o.want(t, 400, "GET", "/v1/events?type=ping"+in, nil)
		o.want(t, 400, "GET", "/v1/events?after=evt_nothing"+in, nil)
		other := newOrg(t, s, "elsewhere")
		other.want(t, 404, "GET", "/v1/events?limit=1"+in, nil)
		other.want(t, 400, "GET", "/v1/events?workspaceId="+other.Workspace+"&after="+e["id"].(string), nil)
	})
}

// TestEditsAndDeletionsAreEvents: edited and deleted comments and files are in the log, are found by their types, and
// reach webhooks, also those of all types. No event has the text of a deleted comment.
func TestEditsAndDeletionsAreEvents(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "edits")
		types := []string{"slice.comment.updated", "slice.comment.deleted", "slice.attachment.updated",
			"slice.attachment.deleted"}
		all, some := newReceiver(t, nil), newReceiver(t, nil)
		o.hook(t, all.URL)
		o.hook(t, some.URL, types...)
		id := o.slice(t, o.Workspace, nil)["id"].(string)
		comment := o.want(t, 201, "POST", "/v1/slices/"+id+"/comments", map[string]any{"body": "first words"}).
			get(t, "id").(string)
		o.want(t, 200, "PATCH", "/v1/comments/"+comment, map[string]any{"body": "second words"})
		o.want(t, 204, "DELETE", "/v1/comments/"+comment, nil)
		file := o.upload(t, 201, id, "a.txt", "text/plain", "text").get(t, "id").(string)
		o.want(t, 200, "PATCH", "/v1/attachments/"+file, map[string]any{"name": "b.txt"})
		o.want(t, 204, "DELETE", "/v1/attachments/"+file, nil)
		rows := o.all(t, "/v1/events?workspaceId="+o.Workspace+"&type="+strings.Join(types, ","))
		if len(rows) != len(types) {
			t.Fatalf("%d events, want one of each of %v", len(rows), types)
		}
		for i, row := range rows {
			e := row.(map[string]any)
			if e["type"] != types[i] || e["sequence"].(float64) == 0 {
				t.Errorf("event %d is %v, want %s", i, e, types[i])
			}
		}
		if name := rows[2].(map[string]any)["data"].(map[string]any)["previous"].(map[string]any)["name"]; name != "a.txt" {
			t.Errorf("the former name is %v", name)
		}
		log := o.want(t, 200, "GET", "/v1/events?limit=100&workspaceId="+o.Workspace, nil)
		if strings.Contains(string(log.Body), " words") {
			t.Errorf("the log tells what a deleted comment said: %s", log.Body)
		}
		for _, rc := range []*receiver{all, some} {
			for _, kind := range types {
				rc.wait(t, 1, ofType(kind))
			}
		}
		if n := len(some.messages()); n != len(types) {
			t.Errorf("%d messages for a webhook of %d types", n, len(types))
		}
	})
}

// TestEventsHaveTheVersionOfTheirChange: the slice of each event has the version that the change made, deleted and
// restored ones too.
func TestEventsHaveTheVersionOfTheirChange(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "versions")
		path := "/v1/slices/" + o.slice(t, o.Workspace, nil)["id"].(string)
		o.want(t, 200, "PATCH", path, map[string]any{"priority": "high"})
		o.want(t, 204, "DELETE", path, nil)
		o.want(t, 200, "POST", path+"/restore", nil)
		id := strings.TrimPrefix(path, "/v1/slices/")
		o.batch(t, "delete", []any{map[string]any{"id": id}})
		restored := o.batch(t, "restore", []any{map[string]any{"id": id}})
		var got []string
		for _, e := range o.want(t, 200, "GET", "/v1/events?limit=100&workspaceId="+o.Workspace, nil).get(t, "data").([]any) {
			if kind := memberAt(e, "type").(string); strings.HasPrefix(kind, "slice.") {
				got = append(got, fmt.Sprint(kind, " ", memberAt(e, "data.slice.version")))
			}
		}
		assert.Equal(t, "events", strings.Join(got, ", "),
			"slice.created 1, slice.updated 2, slice.deleted 3, slice.restored 4, slice.deleted 5, slice.restored 6")
		assert.Equal(t, "the version of the last answer", memberAt(restored[0], "slice.version"), any(6.0))
		assert.Equal(t, "the version now", o.want(t, 200, "GET", path, nil).get(t, "version"), any(6.0))
	})
}
