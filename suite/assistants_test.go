package suite

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"bugslice/internal/assert"
	"bugslice/internal/operator"
)

// assistant is a client of agents as its vendor documents it.
type assistant struct {
	Name     string
	Source   string         // where it is documented
	Metadata map[string]any // with which it registers itself
	Redirect string         // of its requests: its port may be another one than the registered one
	Scope    string         // offered, all, none, or offline: the offered ones with offline_access
}

// signIn is an assistant that signs in.
type signIn struct {
	assistant
	visitor // the browser of the user

	server map[string]any // metadata of the authorization server
	client string         // its id
}

const assistantVerifier = "verifier-verifier-verifier-verifier-verifier"

// TestAssistantsSignIn: each assistant, which knows the address of the endpoint alone, registers itself, is allowed by a
// user who is signed in, calls a tool, refreshes its token, and is revoked in the settings, after which it gets
// nothing.
func TestAssistantsSignIn(t *testing.T) {
	text, err := os.ReadFile("testdata/assistants.json")
	must(t, err)
	var all []assistant
	must(t, json.Unmarshal(text, &all))
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "assistants")
		o.slice(t, o.Workspace, map[string]any{"summary": "zebracrossing fails"})
		email := fmt.Sprintf("assistants-%d@example.com", time.Now().UnixNano())
		o.addUser(t, o.ID, operator.NewUser{Email: email, Password: passphrase, Workspaces: []string{o.Workspace}})
		for _, one := range all {
			b := newVisitor(t, s)
			b.post(303, "/login", url.Values{"email": {email}, "password": {passphrase}})
			in := &signIn{assistant: one, visitor: b}
			in.discover()
			code := in.authorize()
			tokens := in.token(200, url.Values{"grant_type": {"authorization_code"}, "code": {code},
				"code_verifier": {assistantVerifier}, "redirect_uri": {one.Redirect}})
			assert.Contains(t, one.Name, in.callTool(200, tokens["access_token"]), "zebracrossing fails")
			next := in.token(200, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {tokens["refresh_token"]}})
			assert.Contains(t, one.Name, in.callTool(200, next["access_token"]), "zebracrossing fails")
			in.revoke()
			in.callTool(401, next["access_token"])
			refused := in.token(400, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {next["refresh_token"]}})
			assert.Equal(t, one.Name, refused["error"], "invalid_grant")
		}
	})
}

// discover finds the authorization server from the challenge of the endpoint, and registers the assistant there.
func (in *signIn) discover() {
	in.t.Helper()
	challenge := in.callTool(401, "")
	resource := in.json(200, "GET", in.find(regexp.MustCompile(`resource_metadata="([^"]+)"`), challenge), "")
	assert.Equal(in.t, "resource", resource["resource"], any(in.url+"/mcp"))
	issuer := resource["authorization_servers"].([]any)[0].(string)
	in.server = in.json(200, "GET", issuer+"/.well-known/oauth-authorization-server", "")
	assert.Equal(in.t, "issuer", in.server["issuer"], any(issuer))
	assert.Equal(in.t, "iss", in.server["authorization_response_iss_parameter_supported"], any(true))
	assert.Contains(in.t, "challenges", fmt.Sprint(in.server["code_challenge_methods_supported"]), "S256")
	text, err := json.Marshal(in.Metadata)
	must(in.t, err)
	in.client = in.json(201, "POST", in.server["registration_endpoint"].(string), string(text))["client_id"].(string)
}

var (
	hiddenField = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)
	scopeField  = regexp.MustCompile(`name="scopes"\s+value="([^"]+)" checked`)
	returnTo    = regexp.MustCompile(`http-equiv="refresh" content="0;url=([^"]+)"`)
)

// authorize lets the user allow what the consent page has chosen, and returns the code with which the browser returns.
func (in *signIn) authorize() string {
	in.t.Helper()
	sum := sha256.Sum256([]byte(assistantVerifier))
	q := url.Values{"client_id": {in.client}, "redirect_uri": {in.Redirect}, "response_type": {"code"}, "state": {"s 1/=+"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
		"resource": {in.url + "/mcp"}}
	switch offered := "slices:read slices:write workspaces:read spaces:read user:read"; in.Scope {
	case "offered":
		q.Set("scope", offered)
	case "offline":
		q.Set("scope", offered+" offline_access")
	case "all":
		q.Set("scope", strings.Trim(fmt.Sprint(in.server["scopes_supported"]), "[]"))
	}
	path := strings.TrimPrefix(in.server["authorization_endpoint"].(string), in.url)
	page := in.get(200, path+"?"+q.Encode())
	assert.Contains(in.t, in.Name, page, "Connect <bdi>"+in.Metadata["client_name"].(string))
	form := url.Values{"decision": {"allow"}, "expiresAt": {time.Now().Add(time.Hour).UTC().Format(time.RFC3339)}}
	for _, field := range hiddenField.FindAllStringSubmatch(page, -1) {
		form.Set(field[1], html.UnescapeString(field[2]))
	}
	for _, field := range scopeField.FindAllStringSubmatch(page, -1) {
		form.Add("scopes", field[1])
	}
	assert.Equal(in.t, in.Name+" may at first", strings.Join(form["scopes"], " "),
		"slices:read workspaces:read spaces:read user:read")
	back, err := url.Parse(in.find(returnTo, in.post(200, path, form)))
	must(in.t, err)
	answer := back.Query()
	back.RawQuery = ""
	assert.Equal(in.t, in.Name+" returns to", back.String(), in.Redirect)
	assert.Equal(in.t, in.Name+" gets the state", answer.Get("state"), "s 1/=+")
	assert.Equal(in.t, in.Name+" gets the issuer", any(answer.Get("iss")), in.server["issuer"])
	return answer.Get("code")
}

// token asks the token endpoint, as the assistant for the endpoint of agents.
func (in *signIn) token(status int, form url.Values) map[string]string {
	in.t.Helper()
	form.Set("client_id", in.client)
	form.Set("resource", in.url+"/mcp")
	got := map[string]string{}
	for name, value := range in.json(status, "POST", in.server["token_endpoint"].(string), form.Encode()) {
		got[name] = fmt.Sprint(value)
	}
	return got
}

// callTool calls a tool with a token, and returns the answer with its challenge.
func (in *signIn) callTool(status int, token string) string {
	in.t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find_reports","arguments":{}}}`
	q, err := http.NewRequestWithContext(in.t.Context(), "POST", in.url+"/mcp", strings.NewReader(body))
	must(in.t, err)
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		q.Header.Set("Authorization", "Bearer "+token)
	}
	return in.exchange(status, q)
}

// json sends a request of a program, a form or JSON, and returns the JSON of the answer.
func (in *signIn) json(status int, method, address, body string) (answer map[string]any) {
	in.t.Helper()
	q, err := http.NewRequestWithContext(in.t.Context(), method, address, strings.NewReader(body))
	must(in.t, err)
	q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if strings.HasPrefix(body, "{") {
		q.Header.Set("Content-Type", "application/json")
	}
	_, text, _ := strings.Cut(in.exchange(status, q), "\n")
	must(in.t, json.Unmarshal([]byte(text), &answer))
	return answer
}

// exchange sends a request without cookies, and returns its challenge and below it its body.
func (in *signIn) exchange(status int, q *http.Request) string {
	in.t.Helper()
	r, err := http.DefaultClient.Do(q)
	must(in.t, err)
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	must(in.t, err)
	if r.StatusCode != status {
		in.t.Fatalf("%s: %s: %d, want %d: %s", in.Name, q.URL, r.StatusCode, status, text)
	}
	return r.Header.Get("WWW-Authenticate") + "\n" + string(text)
}

// revoke revokes the only key that programs have of the user.
func (in *signIn) revoke() {
	in.t.Helper()
	page := in.get(200, "/settings/keys")
	assert.Contains(in.t, in.Name, page, "Connected assistants", in.Metadata["client_name"].(string))
	in.post(303, "/settings/keys/"+in.find(keyLink, page)+"/revoke", url.Values{})
}
