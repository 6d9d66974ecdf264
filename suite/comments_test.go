package suite

import (
	"strings"
	"testing"

	"bugslice/internal/assert"
)

// TestComments: comments are created, edited and deleted by their authors, counted, and published.
func TestComments(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "comments")
		member, memberID := o.newUser(t, "Mara", o.Workspace)
		made := o.slice(t, o.Workspace, nil)
		path := "/v1/slices/" + made["id"].(string)
		a := member.want(t, 201, "POST", path+"/comments",
			map[string]any{"body": "Seen it, too. @" + o.UserID + " @" + o.UserID + " @usr_01ja8m2c9tf3qb6h0v5r4x7kyz"})
		a.has(t, members{"mentions.#": 1, "mentions.0.userId": o.UserID, "author.id": memberID})
		address := member.want(t, 200, "GET", "/v1/me", nil).get(t, "email").(string)
		for body, n := range map[string]int{"@" + strings.ToUpper(address) + ", please": 1,
			"(@" + address + ")": 1, "mail " + address: 0, "x@" + address: 0,
			"@nobody@example.com": 0, "@" + address + " @" + memberID: 1} {
			a := o.want(t, 201, "POST", "/v1/slices/"+o.slice(t, o.Workspace, nil)["id"].(string)+"/comments", map[string]any{"body": body})
			if m := a.get(t, "mentions").([]any); len(m) != n || n == 1 && m[0].(map[string]any)["userId"] != memberID {
				t.Errorf("%s: want %d mentions: %s", body, n, a.Body)
			}
		}
		id := "/v1/comments/" + a.get(t, "id").(string)
		assert.Equal(t, "Location", a.Header.Get("Location"), s.URL+id)
		o.want(t, 403, "PATCH", id, map[string]any{"body": "not mine"})
		if e := member.want(t, 200, "PATCH", id, map[string]any{"body": "edited"}); e.get(t, "body") != "edited" ||
			e.get(t, "updatedAt").(string) <= e.get(t, "createdAt").(string) {
			t.Errorf("want the edited body, and updatedAt behind createdAt: %s", e.Body)
		}
		o.want(t, 422, "POST", path+"/comments", map[string]any{"body": "  "})
		mine := o.want(t, 201, "POST", path+"/comments", map[string]any{"body": "mine"}).get(t, "id").(string)
		member.want(t, 403, "DELETE", "/v1/comments/"+mine, nil)
		o.want(t, 200, "GET", path, nil).has(t, members{"commentCount": 2})
		o.want(t, 204, "DELETE", id, nil) // an admin may
		o.want(t, 404, "PATCH", id, map[string]any{"body": "gone"})
		log := string(o.want(t, 200, "GET", "/v1/events?limit=100&workspaceId="+o.Workspace, nil).Body) +
			string(o.want(t, 200, "GET", path+"/activity?limit=100", nil).Body)
		assert.NotContains(t, "the log after a deletion", log, "Seen it, too", "edited")
		assert.Contains(t, "the log", log, "mine")
		rows := o.want(t, 200, "GET", path+"/comments?limit=1", nil)
		rows.has(t, members{"data.0.id": mine, "pagination.hasMore": false})
		o.want(t, 200, "PATCH", path, map[string]any{"status": "in_progress", "assigneeId": memberID})
		var types []string
		var change map[string]any
		for cursor := ""; ; {
			a := o.want(t, 200, "GET", path+"/activity?limit=2"+cursor, nil)
			for _, row := range a.get(t, "data").([]any) {
				r := row.(map[string]any)
				types = append(types, r["type"].(string))
				if r["type"] == "slice.updated" {
					change = r
				}
			}
			if a.get(t, "pagination.hasMore") == false {
				break
			}
			cursor = "&cursor=" + a.get(t, "pagination.cursor").(string)
		}
		assert.Equal(t, "the activity", types, []string{"slice.created",
			"slice.comment.created", "slice.comment.updated", "slice.comment.created", "slice.comment.deleted", "slice.updated"})
		wantMembers(t, "the update", change, members{"changes": []any{map[string]any{"field": "assigneeId", "from": nil, "to": memberID},
			map[string]any{"field": "status", "from": "open", "to": "in_progress"}}})
		if change["actorName"] == nil {
			t.Errorf("the update names no actor: %v", change)
		}
	})
}
