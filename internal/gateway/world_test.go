package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/blob"
	"bugslice/internal/gateway"
	"bugslice/internal/httpapi"
	"bugslice/internal/httpserver"
	"bugslice/internal/id"
	inputs "bugslice/internal/input"
	"bugslice/internal/operator"
	"bugslice/internal/password/passwordtest"
	"bugslice/internal/secret"
	"bugslice/internal/store"
	"bugslice/internal/store/storetest"
	"bugslice/internal/tracker"
)

// world is an instance with one of everything that operations are about, behind one gateway with two front ends.
type world struct {
	*tracker.Tracker
	http         http.Handler
	lines        *lines
	token        string
	owner        access.Caller
	workspace    string
	weak         string            // a token with few scopes
	records      map[string]string // by the names of parameters of paths
	deleted      string            // a slice
	withSecret   string            // a slice of which a token was removed
	placeholders map[string]string // of what is random, by the texts
}

func newWorld(t *testing.T, engine string, limits gateway.Options) *world {
	t.Helper()
	o, err := storetest.Migrated(engine, t.TempDir())
	must(t, err)
	db, err := store.Open(o)
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	files, err := blob.Open("", t.TempDir(), func(string) string { return "" })
	must(t, err)
	ring, err := secret.Parse(strings.Repeat("ab", 32))
	must(t, err)
	w := &world{records: map[string]string{}, placeholders: map[string]string{}}
	var calls atomic.Int64 // of a clock that goes on with each
	begin := time.Now()
	clock := func() time.Time { return begin.Add(time.Duration(calls.Add(1)) * time.Millisecond) }
	var authority *tracker.Operator
	w.Tracker, authority = tracker.New(tracker.Options{Store: access.Seal(db), Secrets: ring,
		Passwords: passwordtest.Weak(), Blobs: files,
		Sender: nowhere{}, Now: clock, NewID: func(prefix string) string { return id.At(prefix, clock()) }})
	made, err := (operator.Operator{Operator: authority}).
		Bootstrap(t.Context(), operator.Bootstrap{Organization: "Test",
			Workspace: "One", Owner: operator.NewUser{Email: "owner@test.example"}, First: true})
	must(t, err)
	w.token = made.Token
	w.owner, err = w.Authenticate(t.Context(), w.token)
	must(t, err)
	w.serve(t, gateway.Options{})
	w.file(t)
	w.serve(t, limits)
	return w
}

// serve puts the front ends before a gateway with these limits.
func (w *world) serve(t *testing.T, limits gateway.Options) {
	t.Helper()
	limits.Tracker = w.Tracker
	g, err := gateway.New(limits)
	must(t, err)
	w.lines = newLines(t.Context(), g)
	front, err := httpapi.New(httpapi.Options{Gateway: g})
	must(t, err)
	server := httpserver.New(httpserver.Options{Log: slog.New(slog.DiscardHandler), WriteProblem: front.WriteProblem})
	server.Mount("/", front, front.WriteProblem)
	w.http = server
}

// nowhere sends no message.
type nowhere struct{}

func (nowhere) Address(url string) (string, error) { return url, nil }

func (nowhere) Send(context.Context, tracker.Message) tracker.SendResult { return tracker.SendResult{} }

// file creates the records.
func (w *world) file(t *testing.T) {
	t.Helper()
	create := func(operation string, more fields) string {
		t.Helper()
		var made struct{ ID string }
		a := w.overHTTP(t, w.token, w.input(operation).with(more))
		must(t, json.Unmarshal([]byte(a.body), &made))
		if made.ID == "" {
			t.Fatalf("%s: %d %s", operation, a.status, a.body)
		}
		return made.ID
	}
	var all struct{ Data []struct{ ID string } }
	must(t, json.Unmarshal([]byte(w.overHTTP(t, w.token, input{op: api.Lookup(api.OpListWorkspaces)}).body), &all))
	w.workspace = all.Data[0].ID
	w.records["workspaceId"] = w.workspace
	w.deleted = create(api.OpCreateSlice, nil)
	w.records["sliceId"] = w.deleted
	w.overHTTP(t, w.token, w.input(api.OpDeleteSlice))
	w.withSecret = create(api.OpCreateSlice, fields{"description": "ghp_R8sT3uVwXyZ1a2B4c5D6e7F8g9H0iJkLmNoP"})
	w.records["sliceId"] = create(api.OpCreateSlice, fields{"externalId": "taken"})
	w.records["webhookId"] = create(api.OpCreateWebhook, fields{"eventTypes": []string{"space.created"}})
	w.records["sourceId"] = create(api.OpCreateSource, nil)
	w.records["submissionId"] = id.New(id.Submission)
	w.records["spaceId"] = create(api.OpCreateSpace, nil)
	w.records["viewId"] = create(api.OpCreateView, nil)
	w.records["commentId"] = create(api.OpCreateComment, nil)
	w.records["shareId"] = create(api.OpCreateShare, nil)
	w.records["keyId"] = create(api.OpCreateKey, nil)
	must(t, json.Unmarshal([]byte(w.overHTTP(t, w.token, w.input(api.OpListDeliveries)).body), &all))
	w.records["deliveryId"] = all.Data[0].ID
	key, err := w.CreateKey(t.Context(), w.owner, valid(t,
		api.CreateKey{Body: api.KeyFields{Name: "weak", Type: api.PAT, Scopes: []api.Scope{api.UserRead}}}))
	must(t, err)
	w.weak = key.Token
	var picture bytes.Buffer
	must(t, png.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 3, 2))))
	r := httptest.NewRequest("POST", "/v1/slices/"+w.records["sliceId"]+"/attachments?name=a.png", &picture)
	r.Header.Set("Content-Type", "image/png")
	r.Header.Set("Authorization", "Bearer "+w.token)
	answer := httptest.NewRecorder()
	w.http.ServeHTTP(answer, r)
	var file struct{ ID string }
	must(t, json.Unmarshal(answer.Body.Bytes(), &file))
	w.records["attachmentId"] = file.ID
}

// answer is the answer to a call: the status that it has over HTTP, and its JSON.
type answer struct {
	status int
	body   string
}

// overHTTP calls an operation over HTTP.
func (w *world) overHTTP(t *testing.T, token string, in input) answer {
	t.Helper()
	out := httptest.NewRecorder()
	w.http.ServeHTTP(out, in.request(t, token))
	a := answer{out.Code, strings.TrimSpace(out.Body.String())}
	if out.Code == http.StatusNoContent {
		a.body = "{}"
	}
	return a
}

// overLines calls an operation by a line.
func (w *world) overLines(t *testing.T, token string, in input) answer {
	t.Helper()
	client, server := net.Pipe()
	defer client.Close()
	go w.lines.serve(server)
	go fmt.Fprintf(client, "%s\n%s\n", token, in.line(t))
	var said struct {
		Result  json.RawMessage
		Problem *api.Problem
	}
	line, err := bufio.NewReader(client).ReadBytes('\n')
	must(t, err)
	must(t, json.Unmarshal(line, &said))
	if said.Problem == nil {
		return answer{in.op.Status, string(said.Result)}
	}
	text, err := json.Marshal(said.Problem)
	must(t, err)
	return answer{said.Problem.Status, string(text)}
}

// random are the parts of an answer that differ between two worlds: identifiers, times, secrets and cursors.
var random = regexp.MustCompile(`\b[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}\b|\d{4}-\d\d-\d\dT[\d:.]+Z|` +
	`(svc_[a-z]+|whsec)_[\w+/=-]+|"(cursor|last4|secretLast4)":"[^"]*"`)

// comparable returns an answer with placeholders for what is random, in the order in which it was seen first.
func (w *world) comparable(a answer) answer {
	for _, p := range problems {
		a.body = p.pattern.ReplaceAllString(a.body, p.as)
	}
	a.body = random.ReplaceAllStringFunc(a.body, func(text string) string {
		if len(text) > 4 && text[4] == '-' {
			return "a time"
		}
		if w.placeholders[text] == "" {
			w.placeholders[text] = fmt.Sprint(text[:4], len(w.placeholders))
		}
		return w.placeholders[text]
	})
	return a
}

// problems are the members of problems that HTTP has for parameters, and lines for arguments.
var problems = []struct {
	pattern *regexp.Regexp
	as      string
}{
	{regexp.MustCompile(`"parameter":"(\w+)"`), `"pointer":"/$1"`},
	{regexp.MustCompile(`"detail":"(\w+): `), `"detail":"/$1: `},
}

func valid[In any](t *testing.T, in In) inputs.Valid[In] {
	t.Helper()
	v, err := inputs.Check(in)
	must(t, err)
	return v
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
