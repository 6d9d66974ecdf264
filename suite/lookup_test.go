package suite

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"bugslice/internal/assert"
)

// TestListByReference: a list has the slices with the references that are asked for and that the caller sees.
func TestListByReference(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "lookup")
		web := o.want(t, 201, "POST", "/v1/workspaces", map[string]any{"name": "Web", "key": "WEB"}).get(t, "id").(string)
		app := o.want(t, 201, "POST", "/v1/workspaces", map[string]any{"name": "App", "key": "APP"}).get(t, "id").(string)
		for range 3 {
			o.slice(t, web, nil)
			o.slice(t, app, nil)
		}
		o.want(t, 200, "PATCH", "/v1/workspaces/"+web, map[string]any{"key": "SHOP"})
		o.want(t, 204, "DELETE", "/v1/slices/APP-3", nil)
		member, _ := o.newUser(t, "member", web)
		stranger := newOrg(t, s, "stranger")
		list := func(c client, query string) string {
			var found []string
			for _, row := range c.want(t, 200, "GET", "/v1/slices?"+query, nil).get(t, "data").([]any) {
				found = append(found, memberAt(row, "reference").(string))
			}
			slices.Sort(found)
			return strings.Join(found, " ")
		}
		for query, want := range map[string]string{
			"reference=WEB-1": "SHOP-1", "reference=shop-2,APP-1": "APP-1 SHOP-2", "reference=WEB-1,SHOP-1": "SHOP-1",
			"reference=SHOP-9": "", "reference=APP-3,APP-2": "APP-2", "reference=NONE-1": "",
			"reference=SHOP-1,APP-1&workspaceId=" + app:        "APP-1",
			"reference=SHOP-1,SHOP-2&order=asc&sort=updatedAt": "SHOP-1 SHOP-2", "reference=SHOP-1&status=closed": "",
		} {
			assert.Equal(t, query, list(o.client, query), want)
		}
		assert.Equal(t, "a member of one workspace", list(member, "reference=SHOP-1,APP-1"), "SHOP-1")
		assert.Equal(t, "a stranger", list(stranger.client, "reference=SHOP-1,APP-1"), "")
		first := o.want(t, 200, "GET", "/v1/slices?reference=SHOP-1,SHOP-2,APP-1&limit=2", nil)
		o.want(t, 200, "GET", "/v1/slices?reference=SHOP-1,SHOP-2,APP-1&limit=2&cursor="+url.QueryEscape(memberAt(first.JSON(t),
			"pagination.cursor").(string)), nil).
			has(t, members{"data.#": 1, "pagination.hasMore": false})
		for _, bad := range []string{"WEB", "WEB-0", "WEB-1,x", "slc_01ja8m2c9tf3qb6h0v5r4x7kyz", strings.Repeat("A", 21)} {
			o.want(t, 400, "GET", "/v1/slices?reference="+bad, nil).has(t, members{"errors.0.parameter": "reference"})
		}
	})
}

// TestSearchMembers: members are found by the beginnings of the words of their names, over several pages.
func TestSearchMembers(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "people")
		for n := range 3 {
			o.newUser(t, fmt.Sprint("robot", n), o.Workspace)
		}
		path := "/v1/workspaces/" + o.Workspace + "/members?q="
		for q, want := range map[string]int{"robot": 3, "ROB": 3, "robot1": 1, "obot": 0, "r": 3, "robot+nothing": 0} {
			o.want(t, 200, "GET", path+q, nil).has(t, members{"data.#": want})
		}
		first := o.want(t, 200, "GET", path+"robot&limit=2", nil).has(t, members{"data.#": 2, "pagination.hasMore": true})
		next := url.QueryEscape(memberAt(first.JSON(t), "pagination.cursor").(string))
		o.want(t, 200, "GET", path+"robot&limit=2&cursor="+next, nil).has(t, members{"data.#": 1, "pagination.hasMore": false})
		o.want(t, 400, "GET", path+"%21", nil).has(t, members{"errors.0.parameter": "q", "errors.0.code": "no_words"})
	})
}

// TestSearchNames: labels and spaces are found by the beginnings of their words, and a member by the e-mail address, by admins alone.
func TestSearchNames(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "names")
		base := "/v1/workspaces/" + o.Workspace
		for _, labels := range [][]string{{"sign in", "Checkout", "cart"}, {"cart", "sign out"}} {
			o.want(t, 201, "POST", "/v1/slices", members{"workspaceId": o.Workspace, "summary": "a", "labels": labels})
		}
		for _, name := range []string{"Sign in", "Shop"} {
			o.want(t, 201, "POST", base+"/spaces", members{"name": name})
		}
		for path, want := range map[string]int{"/labels?q=sign": 2, "/labels?q=SIGN+o": 1,
			"/labels?q=ign": 0, "/labels?q=c": 2, "/spaces?q=s": 2,
			"/spaces?q=in": 1, "/spaces?q=x": 0} {
			o.want(t, 200, "GET", base+path, nil).has(t, members{"data.#": want})
		}
		o.want(t, 200, "GET", base+"/labels?q=cart", nil).has(t, members{"data.0.label": "cart", "data.0.count": 2, "data.0.more": false})
		first := o.want(t, 200, "GET", base+"/labels?q=s&limit=1", nil).has(t,
			members{"data.0.label": "sign in", "pagination.hasMore": true})
		next := url.QueryEscape(memberAt(first.JSON(t), "pagination.cursor").(string))
		o.want(t, 200, "GET", base+"/labels?q=s&limit=1&cursor="+next,
			nil).has(t, members{"data.0.label": "sign out", "pagination.hasMore": false})
		for _, list := range []string{"/labels", "/spaces"} {
			o.want(t, 400, "GET", base+list+"?q=%21", nil).has(t, members{"errors.0.parameter": "q", "errors.0.code": "no_words"})
		}
		robot, _ := o.newUser(t, "robot", o.Workspace)
		email := memberAt(o.want(t, 200, "GET", base+"/members?q=robot", nil).JSON(t), "data.0.email").(string)
		at := base + "/members?email=" + url.QueryEscape(strings.ToUpper(email))
		o.want(t, 200, "GET", at, nil).has(t, members{"data.#": 1, "data.0.email": email})
		o.want(t, 200, "GET", at+"&q=nothing", nil).has(t, members{"data.#": 0})
		o.want(t, 200, "GET", base+"/members?email=nobody@example.com", nil).has(t, members{"data.#": 0})
		robot.want(t, 200, "GET", at, nil).has(t, members{"data.#": 0})
	})
}
