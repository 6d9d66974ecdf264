package suite

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"image"
	"image/png"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"bugslice/api"
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
		} else if scope != string(op.Scope) {
			t.Errorf("operation %s: scope %q in the matrix, %q in the table", op.ID, scope, op.Scope)
		}
	}
	if len(m.scope) != len(api.Operations) {
		t.Errorf("the matrix has %d rows for %d operations", len(m.scope), len(api.Operations))
	}
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
	w.callers["wst"], _ = w.newKey(t, map[string]any{"name": "own", "type": "wst", "scopes": api.AllScopes(), "workspaceId": w.Workspace})
	w.callers["wst-other"], _ = w.newKey(t, map[string]any{"name": "other", "type": "wst", "scopes": api.AllScopes(), "workspaceId": other})
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

// request returns what an operation is called with; it makes what the call needs anew.
func (w world) request(t *testing.T, op string) (method, path string, body any) {
	o := api.Lookup(op)
	method, path = o.Method, o.Path
	switch op {
	case api.OpCreateWorkspace, api.OpCreateSpace, api.OpUpdateWorkspace:
		body = map[string]any{"name": "From the matrix " + fmt.Sprint(time.Now().UnixNano())}
	case api.OpListSlices, api.OpListEvents:
		path += "?workspaceId=" + w.Workspace
	case api.OpCreateSlice:
		body = map[string]any{"workspaceId": w.Workspace, "summary": "From the matrix"}
	case api.OpUpdateSlice:
		body = map[string]any{"summary": "Changed by the matrix"}
	case api.OpCreateAttachment:
		body = "a file from the matrix"
	case api.OpUpdateAttachment:
		body = map[string]any{"name": "renamed.png"}
	case api.OpCreateComment, api.OpUpdateComment:
		body = map[string]any{"body": "From the matrix " + fmt.Sprint(time.Now().UnixNano())}
	case api.OpDryRun:
		body = map[string]any{"text": "password=hunter2"}
	case api.OpListWebhooks:
		path += "?workspaceId=" + w.Workspace
	case api.OpCreateWebhook:
		body = map[string]any{"url": nowhere, "workspaceId": w.Workspace}
		w.webhook(t) // makes room
	case api.OpUpdateWebhook:
		body = map[string]any{"description": "Changed by the matrix"}
	case api.OpRecoverDeliveries:
		body = map[string]any{"since": "2026-01-01T00:00:00Z"}
	case api.OpCreateKey:
		body = map[string]any{"name": "minted", "type": "wst", "scopes": []string{"keys:manage"}, "workspaceId": w.Workspace}
	}
	path = strings.Replace(path, "{workspaceId}", w.Workspace, 1)
	var sliceID string
	if strings.Contains(path, "{sliceId}") || strings.Contains(path, "{attachmentId}") || strings.Contains(path, "{commentId}") {
		sliceID = w.slice(t, w.Workspace, nil)["id"].(string)
		path = strings.Replace(path, "{sliceId}", sliceID, 1)
	}
	if strings.Contains(path, "{attachmentId}") {
		a := w.want(t, 201, "POST", "/v1/slices/"+sliceID+"/attachments?name=dot.png", dot, "Content-Type", "image/png")
		path = strings.Replace(path, "{attachmentId}", a.get(t, "id").(string), 1)
	}
	if strings.Contains(path, "{commentId}") {
		m := w.want(t, 201, "POST", "/v1/slices/"+sliceID+"/comments", map[string]any{"body": "by the owner"})
		path = strings.Replace(path, "{commentId}", m.get(t, "id").(string), 1)
	}
	if op == api.OpRestoreSlice {
		w.want(t, 204, "DELETE", strings.TrimSuffix(path, "/restore"), nil)
	}
	if strings.Contains(path, "{keyId}") {
		_, id := w.newKey(t, map[string]any{"name": "target", "type": "wst", "scopes": []string{"keys:manage"}, "workspaceId": w.Workspace})
		path = strings.Replace(path, "{keyId}", id, 1)
	}
	if strings.Contains(path, "{webhookId}") || strings.Contains(path, "{deliveryId}") {
		id := w.webhook(t)
		path = strings.Replace(path, "{webhookId}", id, 1)
		if strings.Contains(path, "{deliveryId}") {
			w.want(t, 201, "POST", "/v1/workspaces/"+w.Workspace+"/spaces", map[string]any{"name": "an event"})
			first := w.want(t, 200, "GET", "/v1/webhooks/"+id+"/deliveries", nil).get(t, "data").([]any)[0].(map[string]any)
			path = strings.Replace(path, "{deliveryId}", first["id"].(string), 1)
		}
	}
	return method, path, body
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
	for _, row := range w.want(t, 200, "GET", "/v1/webhooks?workspaceId="+w.Workspace, nil).get(t, "data").([]any) {
		w.want(t, 204, "DELETE", "/v1/webhooks/"+row.(map[string]any)["id"].(string), nil)
	}
	return w.want(t, 201, "POST", "/v1/webhooks", map[string]any{"url": nowhere, "workspaceId": w.Workspace, "eventTypes": []string{"space.created"}}).get(t, "id").(string)
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
func (w world) cell(t *testing.T, op api.Operation, caller string, status int, dead map[string]map[string]client) (cells int) {
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
	rest := slices.DeleteFunc(api.AllScopes(), func(s api.Scope) bool { return s == op.Scope })
	if op.Scope != api.NoScope {
		without, _ := w.mint(t, caller, rest, nil)
		try("without the scope", without, 403, api.CodeScope)
	}
	live, _ := w.mint(t, caller, api.AllScopes(), nil)
	try("live", live, status, "")
	if op.Scope == api.NoScope {
		return cells
	}
	only, _ := w.mint(t, caller, []api.Scope{op.Scope}, nil)
	if op.ID != api.OpCreateKey {
		try("with the scope alone", only, status, "")
	}
	return cells
}
