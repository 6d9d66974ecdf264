package suite

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
)

// TestExampleBodies: each example of a body in the document works as it is, with the key of a user who has one
// workspace, also the example of a change after that of a creation.
func TestExampleBodies(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "examples")
		slice := o.slice(t, o.Workspace, nil)["id"].(string)
		at := func(path string, body any) string { return o.want(t, 201, "POST", path, body).get(t, "id").(string) }
		hook := at("/v1/webhooks", map[string]any{"url": "https://hooks.example.com/other"})
		records := map[string]string{"workspaceId": o.Workspace, "sliceId": slice, "webhookId": hook,
			"sourceId": at("/v1/sources", map[string]any{"name": "Shop"}),
			"spaceId":  at("/v1/workspaces/"+o.Workspace+"/spaces", map[string]any{"name": "Checkout"}),
			"viewId": at("/v1/views",
				map[string]any{"workspaceId": o.Workspace, "name": "Open", "query": "status:open"}),
			"commentId": at("/v1/slices/"+slice+"/comments", map[string]any{"body": "Seen"}),
			"keyId": at("/v1/api-keys",
				map[string]any{"name": "k", "type": "pat", "scopes": []string{"user:read"}}),
		}
		records["attachmentId"] = o.upload(t, 201, slice, "a.png", "image/png", picture(9, 9)).get(t, "id").(string)
		// Its user has two workspaces, so that none is the default.
		another := newOrg(t, s, "another")
		another.want(t, 201, "POST", "/v1/workspaces",
			map[string]any{"name": "Web"}) // as bootstrap makes it in the README
		document := o.want(t, 200, "GET", "/openapi.json", nil).JSON(t)
		tried := 0
		for _, op := range api.Operations {
			content, _ := memberAt(document["paths"].(map[string]any)[op.Path].(map[string]any)[strings.ToLower(op.Method)],
				"requestBody.content").(map[string]any)
			media, ok := content["application/json"].(map[string]any)
			if !ok {
				continue
			}
			path, caller := op.Path, o
			if op.ID == api.OpCreateWorkspace || op.ID == api.OpUpdateWorkspace {
				caller, path = another, strings.ReplaceAll(path, "{workspaceId}", another.Workspace)
			}
			if op.ID == api.OpMarkRedaction { // of a report with such a secret
				path = strings.ReplaceAll(path, "{sliceId}", o.slice(t, o.Workspace,
					map[string]any{"description": "ghp_R8sT3uVwXyZ1a2B4c5D6e7F8g9H0iJkLmNoP"})["id"].(string))
			}
			for name, id := range records {
				path = strings.ReplaceAll(path, "{"+name+"}", id)
			}
			if op.ID == api.OpChangeSlice {
				example := media["example"].(map[string]any)
				delete(example, "ifMatch") // the other examples have changed the slice, too
				example["duplicates"] = []any{o.slice(t, o.Workspace, nil)["reference"]}
			}
			if op.ID == api.OpSetWatch {
				media["example"].(map[string]any)["subjectId"] = slice
			}
			a := caller.do(t, op.Method, path, media["example"])
			if a.Status != op.Status && a.Status != 200 {
				body, _ := json.Marshal(media["example"])
				t.Errorf("%s: %d %s\n%s", op.ID, a.Status, a.Body, body)
			}
			tried++
		}
		if tried < 20 {
			t.Errorf("only %d examples were tried", tried)
		}
	})
}

// TestLists: the values of a list are separated by commas, or the parameter is repeated, as most clients do, but not
// both. A parameter that is no list is sent once.
func TestLists(t *testing.T) {
	o := newOrg(t, oneEngine(t), "lists")
	for _, status := range []string{"open", "in_progress", "closed"} {
		made := o.slice(t, o.Workspace, nil)
		o.want(t, 200, "PATCH", "/v1/slices/"+made["id"].(string), map[string]any{"status": status})
	}
	for _, query := range []string{"status=open,in_progress", "status=open&status=in_progress"} {
		a := o.want(t, 200, "GET", "/v1/slices?limit=1&"+query, nil).has(t,
			members{"data.0.status": "in_progress", "pagination.hasMore": true})
		o.want(t, 200, "GET", "/v1/slices?limit=1&status=open,in_progress&cursor="+
			a.get(t, "pagination.cursor").(string), nil).
			has(t, members{"data.0.status": "open", "pagination.hasMore": false})
	}
	for query, detail := range map[string]string{
		"status=open,closed&status=in_progress": "status: repeat the parameter for each value, or separate the values with commas, " +
			"but not both",
		"limit=1&limit=2": "limit: must be given once",
		"status[]=open": "status[]: there is no such parameter; send several values as status=a&status=b or " +
			"status=a,b",
		"status=open&status=": "status: must not be empty; leave it out instead",
		"state=open":          "state: there is no such parameter; did you mean status?",
		"assigneeId=mara@example.com": "assigneeId: must be an identifier, which begins with usr_, or me or none; " +
			"GET /v1/workspaces/{workspaceId}/members?email=… finds the one of an e-mail address",
		"tags=a":                "tags: there is no such parameter; did you mean label?",
		"spaceId=a@example.com": "spaceId: must be an identifier, which begins with spc_, or none",
		"spaceId=Checkout":      "spaceId: must be an identifier, which begins with spc_, or none",
		"createdAfter=yesterday": "createdAfter: must be a date, such as 2026-11-20, or an RFC 3339 date and time, such as " +
			"2026-11-20T10:00:00Z (write + as %2B in a URL)",
	} {
		o.want(t, 400, "GET", "/v1/slices?"+query, nil).has(t, members{"detail": detail})
	}
}

// TestWordsOfOtherTrackers: a body with the member of another tracker is refused with the name of ours.
func TestWordsOfOtherTrackers(t *testing.T) {
	o := newOrg(t, oneEngine(t), "words")
	for path, words := range map[string]map[string]string{
		"/v1/slices":   {"title": "summary", "body": "description", "state": "status", "tags": "labels"},
		"/v1/webhooks": {"events": "eventTypes", "active": "enabled"},
		"/v1/api-keys": {"permissions": "scopes"},
	} {
		body := map[string]any{}
		for word := range words {
			body[word] = "x"
		}
		a := o.want(t, 422, "POST", path, body)
		for word, ours := range words {
			assert.Contains(t, word, string(a.Body),
				`"pointer":"/`+word+`","code":"unknown_member","detail":"no such member; did you mean `+ours+`?"`)
		}
	}
}

// TestNamesForIDs: a body with a name or an e-mail address in place of an identifier is refused with the form of an
// identifier, and a workspace that is not found by its name, too.
func TestNamesForIDs(t *testing.T) {
	o := newOrg(t, oneEngine(t), "names")
	for _, want := range [][3]string{
		{"assigneeId", "mara@example.com",
			"no such member of this workspace; the member must be an identifier, which begins with usr_; " +
				"GET /v1/workspaces/{workspaceId}/members?email=… finds the one of an e-mail address"},
		{"spaceId", "Checkout", "no such space in this workspace; the member must be an identifier, which begins with spc_"},
		{"duplicateOfId", "42", "no such slice in this workspace; the member must be an identifier, which begins with slc_"},
		{"duplicateOfId", "web-42", "no such slice in this workspace; the member must be an identifier, which begins with slc_; " +
			"GET /v1/slices?reference=WEB-42 finds the one of a reference"},
	} {
		o.want(t, 422, "POST", "/v1/slices",
			map[string]any{"workspaceId": o.Workspace, "summary": "x", want[0]: want[1]}).has(t,
			members{"detail": want[2]})
	}
	const noWorkspace = "There is no such workspace, or you may not see it. Its identifier begins with wsp_; GET /v1/workspaces lists them."
	o.want(t, 404, "POST", "/v1/slices", map[string]any{"workspaceId": "Web", "summary": "x"}).
		has(t, members{"detail": noWorkspace})
	o.want(t, 404, "GET", "/v1/slices?workspaceId=Web", nil).has(t, members{"detail": noWorkspace})
	o.want(t, 404, "GET", "/v1/slices?workspaceId=wsp_01ja8m2c9tf3qb6h0v5r4x7kyz",
		nil).has(t, members{"detail": "There is no such workspace, or you may not see it."})
}

// TestVersionsWithoutQuotes: shells drop the quotes of an ETag, so If-Match and the ifMatch of a batch may have none.
// Another version is refused, with or without quotes.
func TestVersionsWithoutQuotes(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "quotes")
		slice := o.slice(t, o.Workspace, nil)["id"].(string)
		patch := map[string]any{"priority": "high"}
		o.want(t, 412, "PATCH", "/v1/slices/"+slice, patch, "If-Match", "2")
		o.want(t, 200, "PATCH", "/v1/slices/"+slice, patch, "If-Match", "1").has(t, members{"version": 2.0})
		update := func(ifMatch string) answer {
			return o.want(t, 200, "POST", "/v1/slices/batch-update",
				items(map[string]any{"id": slice, "ifMatch": ifMatch, "patch": map[string]any{"priority": nil}}))
		}
		update("1").has(t, members{"results.0.status": 412.0})
		update("2").has(t, members{"results.0.status": 200.0, "results.0.slice.version": 3.0})
		o.want(t, 412, "DELETE", "/v1/slices/"+slice, nil, "If-Match", `2`)
		o.want(t, 204, "DELETE", "/v1/slices/"+slice, nil, "If-Match", `9, 3`)
	})
}

// TestUserAgentOfAnEnvironment fills the browser and the system, unless they are known, and is not stored.
func TestUserAgentOfAnEnvironment(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "agents")
		const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36"
		const phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 " +
			"Mobile/15E148 Safari/604.1"
		made := o.slice(t, o.Workspace, map[string]any{"environment": map[string]any{"userAgent": chrome,
			"os": "Debian 13"}})
		wantMembers(t, "the slice", made, members{"environment.browser": "Chrome 156",
			"environment.os": "Debian 13", "environment.userAgent": nil})
		environment := map[string]any{"browser": nil, "os": nil, "userAgent": phone}
		path := "/v1/slices/" + made["id"].(string)
		o.want(t, 200, "PATCH", path, map[string]any{"environment": environment}).
			has(t, members{"environment.browser": "Safari 18", "environment.os": "iOS 18",
				"environment.userAgent": nil})
	})
}

// TestUploadsOfGeneratedClients: a body that a client has encoded as JSON by mistake is no file, unless it has a name.
func TestUploadsOfGeneratedClients(t *testing.T) {
	o := newOrg(t, oneEngine(t), "uploads")
	path := "/v1/slices/" + o.slice(t, o.Workspace, nil)["id"].(string) + "/attachments"
	for _, contentType := range []string{"application/json", "application/json; charset=utf-8", "*/*"} {
		o.want(t, 415, "POST", path, "{}", "Content-Type", contentType).has(t, members{"code": api.CodeMediaType})
	}
	o.want(t, 415, "POST", path, "[object Object]", "Content-Type", "text/plain;charset=UTF-8")
	o.want(t, 201, "POST", path+"?name=data.json", "{}", "Content-Type", "application/json").
		has(t, members{"name": "data.json"})
	o.want(t, 201, "POST", path, "{}", "Content-Type", "application/json", "Content-Disposition",
		`attachment; filename="a.json"`)
	o.want(t, 201, "POST", path, "{}", "Content-Type", "application/octet-stream")
	raw := o.want(t, 200, "GET", "/openapi.json", nil).Body
	form, bytesOfFile := bytes.Index(raw, []byte(`"multipart/form-data"`)),
		bytes.Index(raw, []byte(`"application/octet-stream"`))
	if form < 0 || form > bytesOfFile {
		t.Errorf("the form is at %d, the raw file at %d of the document", form, bytesOfFile)
	}
}

// TestDocumentOfAnInstance: the server and the contact of the document are the address of --base-url, and generators
// can read each schema: none is a list of all types, none has null among the values of an enum, and alternatives are
// a record or an enum, and null.
func TestDocumentOfAnInstance(t *testing.T) {
	t.Parallel()
	s := newServer(t, "sqlite", t.TempDir(), "--base-url", "https://bugs.example.com")
	s.start(t)
	t.Cleanup(s.kill)
	a := client{s, ""}.want(t, http.StatusOK, "GET", "/openapi.json", nil)
	a.has(t, members{"servers.0.url": "https://bugs.example.com", "info.contact.url": "https://bugs.example.com"})
	a.has(t, members{"components.schemas.Slice.additionalProperties": nil,
		"components.schemas.SliceInput.additionalProperties":        false,
		"components.schemas.SliceCreatedEvent.additionalProperties": nil}) // later versions add members to records
	a.has(t, members{"components.responses.Problem429.headers.Retry-After.schema.type": "integer",
		"components.responses.Problem503.headers.Retry-After.schema.type": "integer",
		"components.responses.Problem429.headers.RateLimit.schema.type":   "string"})
	var readable func(value any)
	readable = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			if types, ok := v["type"].([]any); ok && len(types) > 2 {
				t.Errorf("a list of types: %v", types)
			}
			if values, ok := v["enum"].([]any); ok && slices.Contains(values, nil) {
				t.Errorf("an enum with null: %v", values)
			}
			if either, ok := v["anyOf"].([]any); ok {
				assert.Equal(t, "the alternatives", len(either), 2)
				assert.Equal(t, "the second alternative", either[1], any(map[string]any{"type": "null"}))
			}
			for _, member := range v {
				readable(member)
			}
		case []any:
			for _, item := range v {
				readable(item)
			}
		}
	}
	readable(a.JSON(t))
}
