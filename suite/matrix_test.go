package suite

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/schema"
)

// matrix is testdata/matrix.tsv: operation → caller → status.
type matrix struct {
	callers []string
	scope   map[string]string
	status  map[string]map[string]int
}

func readMatrix(t *testing.T) matrix {
	t.Helper()
	f, err := os.Open("testdata/matrix.tsv")
	must(t, err)
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.Comment = '\t', '#'
	rows, err := r.ReadAll()
	must(t, err)
	m := matrix{callers: rows[0][2:], scope: map[string]string{}, status: map[string]map[string]int{}}
	for _, row := range rows[1:] {
		m.scope[row[0]] = strings.TrimPrefix(row[1], "-")
		m.status[row[0]] = map[string]int{}
		for i, text := range row[2:] {
			n, err := strconv.Atoi(text)
			must(t, err)
			m.status[row[0]][m.callers[i]] = n
		}
	}
	return m
}

// TestMatrixIsComplete fails when an operation has no row, or a row no operation.
func TestMatrixIsComplete(t *testing.T) {
	t.Parallel()
	m := readMatrix(t)
	for _, op := range api.Operations {
		if scope, ok := m.scope[op.ID]; !ok {
			t.Errorf("operation %s has no row in testdata/matrix.tsv", op.ID)
		} else if want := join(op.Scopes()); scope != want {
			t.Errorf("operation %s: scope %q in the matrix, %q in the table", op.ID, scope, want)
		}
	}
	if len(m.scope) != len(api.Operations) {
		t.Errorf("the matrix has %d rows for %d operations", len(m.scope), len(api.Operations))
	}
}

// join returns scopes as the matrix writes them.
func join(scopes []api.Scope) string {
	words := make([]string, len(scopes))
	for i, s := range scopes {
		words[i] = string(s)
	}
	return strings.Join(words, "+")
}

// world is what the matrix is tried on.
type world struct {
	org
	callers map[string]client // with every scope
}

func newWorld(t *testing.T, s *server) world {
	w := world{org: newOrg(t, s, "matrix"), callers: map[string]client{}}
	w.callers["admin"] = w.client
	w.callers["member"], _ = w.newUser(t, "member", w.Workspace)
	other := w.want(t, 201, "POST", "/v1/workspaces", map[string]any{"name": "another"}).get(t, "id").(string)
	w.callers["nonmember"], _ = w.newUser(t, "nonmember", other)
	w.callers["stranger"] = newOrg(t, s, "stranger").client
	w.callers["wst"], _ = w.newKey(t, map[string]any{"name": "own", "type": "wst", "scopes": api.AllScopes(),
		"workspaceId": w.Workspace})
	w.callers["wst-other"], _ = w.newKey(t,
		map[string]any{"name": "other", "type": "wst", "scopes": api.AllScopes(), "workspaceId": other})
	return w
}

// mint gives a caller a further key of its kind.
func (w world) mint(t *testing.T, caller string, scopes []api.Scope, expires *api.Time) (client, string) {
	fields := map[string]any{"name": "cell", "type": "pat", "scopes": scopes}
	if strings.HasPrefix(caller, "wst") {
		fields["type"] = "wst"
	}
	if expires != nil {
		fields["expiresAt"] = expires
	}
	return w.callers[caller].newKey(t, fields)
}

// request returns a request for an operation, made from the operation's input type. It creates the records that the
// request names.
func (w world) request(t *testing.T, operation string) (method, path string, body any) {
	op := api.Lookup(operation)
	in := input.Of(op)
	path = op.Path
	for _, p := range in.Params {
		switch {
		case p.In == "path":
			path = strings.Replace(path, "{"+p.Name+"}", w.record(t, p.Prefix()), 1)
		case p.In == "query" && p.Name == "workspaceId":
			path += "?workspaceId=" + w.Workspace
		}
	}
	switch {
	case op.Upload:
		path += "?name=matrix.txt"
		body = "a file from the matrix"
	case in.Body != nil && in.Body.Patch:
		body = w.patch(in.Body)
	case in.Body != nil && !in.Body.Optional:
		body = w.body(in.Body)
	}
	switch operation {
	case api.OpRestoreSlice:
		w.want(t, 204, "DELETE", strings.TrimSuffix(path, "/restore"), nil)
	case api.OpMarkRedaction: // of a token like that of the examples
		path = "/v1/slices/" + w.slice(t, w.Workspace,
			map[string]any{"description": "saw ghp_9kQ2mW4xR8tL1vN6pB3cD5hJ7gS0fA2dK4Zz"})["id"].(string) + "/redaction/marks"
	case api.OpCreateKey: // a personal access token has no workspace
		body.(map[string]any)["type"] = "wst"
	case api.OpBatchUpdate:
		body = items(map[string]any{"id": w.record(t, id.Slice), "patch": map[string]any{"priority": "high"}})
	case api.OpBatchDelete:
		body = items(map[string]any{"id": w.record(t, id.Slice)})
	case api.OpBatchRestore:
		deleted := w.record(t, id.Slice)
		w.want(t, 204, "DELETE", "/v1/slices/"+deleted, nil)
		body = items(map[string]any{"id": deleted})
	case api.OpUpdateNotices:
		body = map[string]any{"sliceId": w.record(t, id.Slice), "state": "done"}
	case api.OpGetWatch:
		path += "?subjectId=" + w.record(t, id.Slice)
	case api.OpSetWatch:
		body.(map[string]any)["subjectId"] = w.record(t, id.Slice)
	case api.OpCreateSource:
		w.source(t) // deletes the others
	case api.OpDecideSubmissions: // of none: visitors alone make one, and the tests of package tracker try it
		body.(map[string]any)["ids"] = []string{id.New(id.Submission)}
	case api.OpCreateWebhook:
		w.webhook(t) // deletes the others, of which a workspace may have few
		body.(map[string]any)["url"] = nowhere
	}
	return op.Method, path, body
}

// items is the body of a batch.
func items(all ...any) map[string]any { return map[string]any{"items": all} }

// record creates a record of the kind that has this prefix, and returns its id.
func (w world) record(t *testing.T, prefix string) string {
	t.Helper()
	created := func(path string, body any, headers ...string) string {
		return w.want(t, 201, "POST", path, body, headers...).get(t, "id").(string)
	}
	switch prefix {
	case id.Workspace:
		return w.Workspace
	case id.Space:
		return created("/v1/workspaces/"+w.Workspace+"/spaces", map[string]any{"name": "of the matrix"})
	case id.View:
		return created("/v1/views", map[string]any{"name": "of the matrix", "query": "", "workspaceId": w.Workspace})
	case id.Share:
		return created("/v1/slices/"+w.record(t, id.Slice)+"/shares", map[string]any{})
	case id.Slice:
		return w.slice(t, w.Workspace, nil)["id"].(string)
	case id.Attachment:
		return created("/v1/slices/"+w.record(t, id.Slice)+"/attachments?name=dot.png", dot, "Content-Type",
			"image/png")
	case id.Comment:
		return created("/v1/slices/"+w.record(t, id.Slice)+"/comments", map[string]any{"body": "by the owner"})
	case id.Key:
		_, key := w.newKey(t, map[string]any{"name": "target", "type": "wst",
			"scopes": []string{"keys:manage"}, "workspaceId": w.Workspace})
		return key
	case id.Webhook:
		return w.webhook(t)
	case id.Source:
		return w.source(t)
	case id.Delivery:
		webhook := w.webhook(t)
		w.record(t, id.Space) // whose event the webhook sends
		sent := w.want(t, 200, "GET", "/v1/webhooks/"+webhook+"/deliveries", nil).get(t, "data").([]any)
		return sent[0].(map[string]any)["id"].(string)
	}
	t.Fatalf("there is no record of the kind %q: create one here", prefix)
	return ""
}

// body returns the required members of a body, with the examples of their tags.
func (w world) body(b *input.Body) map[string]any {
	body := map[string]any{}
	for _, f := range schema.Documented(b.Type) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch example := f.Tag.Get("example"); {
		case name == "workspaceId":
			body[name] = w.Workspace
		case f.Tag.Get("create") != "required":
		case f.Type == reflect.TypeFor[api.Time]():
			body[name] = "2026-01-01T00:00:00Z"
		case f.Type.Kind() == reflect.String:
			body[name] = example
		default:
			body[name] = json.RawMessage(example)
		}
	}
	return body
}

// patch returns a change of one member, a text: the description of a record that has one.
func (w world) patch(b *input.Body) map[string]any {
	var texts []string
	for _, f := range schema.Documented(b.Type) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "description" {
			return map[string]any{name: "changed"}
		}
		if f.Type == reflect.TypeFor[string]() {
			texts = append(texts, name)
		}
	}
	return map[string]any{texts[0]: "changed"}
}

// dot is a small PNG.
var dot = func() string {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 3, 2))); err != nil {
		panic(err)
	}
	return b.String()
}()

// nowhere is an address where nobody listens.
const nowhere = "http://127.0.0.1:1/"

// webhook makes a webhook; earlier ones go, since a workspace may have few.
func (w world) webhook(t *testing.T) string {
	t.Helper()
	w.deleteAll(t, "/v1/webhooks")
	return w.want(t, 201, "POST", "/v1/webhooks", map[string]any{"url": nowhere,
		"workspaceId": w.Workspace, "eventTypes": []string{"space.created"}}).get(t, "id").(string)
}

// source makes a source; earlier ones go, since a workspace may have few.
func (w world) source(t *testing.T) string {
	t.Helper()
	w.deleteAll(t, "/v1/sources")
	return w.want(t, 201, "POST", "/v1/sources", map[string]any{"name": "of the matrix",
		"workspaceId": w.Workspace}).get(t, "id").(string)
}

// deleteAll deletes the records of a list of the workspace.
func (w world) deleteAll(t *testing.T, path string) {
	t.Helper()
	for _, row := range w.want(t, 200, "GET", path+"?workspaceId="+w.Workspace, nil).get(t, "data").([]any) {
		w.want(t, 204, "DELETE", path+"/"+row.(map[string]any)["id"].(string), nil)
	}
}

// TestMatrix tries operation × key type × scope present or absent × member, non-member, other
// organisation × key live, expired, revoked, rotated.
func TestMatrix(t *testing.T) {
	m := readMatrix(t)
	engines(t, func(t *testing.T, s *server) {
		w := newWorld(t, s)
		cells := 0
		soon := api.At(time.Now().Add(5 * time.Second))
		dead := map[string]map[string]client{"expired": {}, "revoked": {}, "rotated": {}}
		for _, caller := range m.callers {
			dead["expired"][caller], _ = w.mint(t, caller, api.AllScopes(), &soon)
			for state, verb := range map[string]string{"revoked": "DELETE", "rotated": "POST"} {
				c, id := w.mint(t, caller, api.AllScopes(), nil)
				c.want(t, 200, "GET", "/v1/me", nil)
				path := "/v1/api-keys/" + id
				if state == "rotated" {
					path += "/rotate"
				}
				w.callers[caller].do(t, verb, path, nil)
				dead[state][caller] = c
			}
		}
		time.Sleep(time.Until(soon.Time) + 50*time.Millisecond)
		for _, op := range api.Operations {
			for _, caller := range m.callers {
				cells += w.cell(t, op, caller, m.status[op.ID][caller], dead)
			}
		}
		t.Logf("%d cells", cells)
	})
}

// cell tries an operation by a caller with keys of every state. Keys that are refused share one request.
func (w world) cell(t *testing.T, op api.Operation, caller string, status int, dead map[string]map[string]client) (
	cells int,
) {
	t.Helper()
	method, path, body := w.request(t, op.ID)
	used := false
	try := func(what string, c client, status int, code string) {
		t.Helper()
		if used {
			method, path, body = w.request(t, op.ID)
		}
		used = code == ""
		cells++
		a := c.do(t, method, path, body)
		if strings.Contains(op.Path, "/batch-") && a.Status == 200 {
			a.Status = int(memberAt(a.JSON(t), "results.0.status").(float64))
		}
		if a.Status != status {
			t.Errorf("%s by %s, %s: %d, want %d: %s", op.ID, caller, what, a.Status, status, a.Body)
			return
		}
		if code != "" && a.get(t, "code") != code {
			t.Errorf("%s by %s, %s: code %v, want %s", op.ID, caller, what, a.get(t, "code"), code)
		}
		if status == 401 && !strings.HasPrefix(a.Header.Get("WWW-Authenticate"), "Bearer ") {
			t.Errorf("%s by %s, %s: no challenge", op.ID, caller, what)
		}
	}
	for state, keys := range dead {
		try(state, keys[caller], 401, api.CodeUnauthorized)
	}
	for _, scope := range op.Scopes() {
		rest := slices.DeleteFunc(api.AllScopes(), func(s api.Scope) bool { return s == scope })
		without, _ := w.mint(t, caller, rest, nil)
		try("without the scope "+string(scope), without, 403, api.CodeScope)
	}
	live, _ := w.mint(t, caller, api.AllScopes(), nil)
	try("live", live, status, "")
	if op.Scope == api.NoScope {
		return cells
	}
	only, _ := w.mint(t, caller, op.Scopes(), nil)
	if op.ID != api.OpCreateKey {
		try("with the scope alone", only, status, "")
	}
	return cells
}
