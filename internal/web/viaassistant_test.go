package web

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
	"bugslice/internal/oauth"
)

// codes match the code that a program gets by its redirect.
var codes = regexp.MustCompile(`[?&](?:amp;)?code=([^&"]+)`)

// connected returns the caller of an assistant that a user has connected by the page of its consent.
func (w *world) connected(t *testing.T, b *browser, name string, scopes ...string) access.Caller {
	t.Helper()
	q := w.authorization(t, name, "cursor://anysphere.cursor-mcp/oauth/callback")
	fields := []string{"decision", "allow", "once", "via", "expiresAt", api.At(w.clock.now().Add(time.Hour)).String()}
	for parameter := range q {
		fields = append(fields, parameter, q.Get(parameter))
	}
	for _, scope := range scopes {
		fields = append(fields, "scopes", scope)
	}
	code := codes.FindStringSubmatch(b.post("/oauth/authorize", fields...).wants(200).body)
	if code == nil {
		t.Fatal("the redirect has no code")
	}
	tokens, err := w.oauth.Token(t.Context(), access.Request{}, url.Values{"grant_type": {oauth.GrantCode}, "client_id": q["client_id"],
		"code": {code[1]}, "code_verifier": {verifier}, "redirect_uri": q["redirect_uri"]})
	must(t, err)
	c, err := w.Authenticate(t.Context(), tokens.Access)
	must(t, err)
	return c
}

// TestWrittenByAnAssistant: whatever an assistant writes with the key that OAuth has given to it says so, in the API, in
// Markdown and on the page: a filing, a further one of the same bug, a comment and a change.
func TestWrittenByAnAssistant(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	c := w.connected(t, b, "Assistant", "slices:read", "slices:write")
	var filed api.FiledSlice
	for range 2 {
		var err error
		filed, err = w.CreateSlice(t.Context(), c, valid(t, api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.web,
			Fingerprint: new("print"), SliceFields: api.SliceFields{Summary: "The total is wrong"}}}))
		must(t, err)
	}
	_, err := w.CreateComment(t.Context(), c, valid(t, api.CreateComment{SliceID: filed.ID,
		Body: api.CommentFields{Body: "It is the discount."}}))
	must(t, err)
	_, err = w.UpdateSlice(t.Context(), c, valid(t, api.UpdateSlice{SliceID: filed.ID, Patch: api.SlicePatch{"priority": "high"}}))
	must(t, err)

	person := w.caller(t, owner)
	s, err := w.GetSlice(t.Context(), person, valid(t, api.GetSlice{SliceID: filed.ID}))
	must(t, err)
	if s.Via == nil || s.Via.KeyID == nil || !strings.HasPrefix(s.Via.Name, "Assistant") {
		t.Fatalf("the report is written via %+v", s.Via)
	}
	hundred := api.Paging{Limit: 100}
	occurrences, err := w.ListOccurrences(t.Context(), person, valid(t, api.ListOccurrences{SliceID: s.ID, Paging: hundred}))
	must(t, err)
	for _, o := range occurrences.Data {
		assert.Equal(t, "an occurrence", o.Via, s.Via)
	}
	comments, err := w.ListComments(t.Context(), person, valid(t, api.ListComments{SliceID: s.ID, Paging: hundred}))
	must(t, err)
	assert.Equal(t, "the comment", comments.Data[0].Via, s.Via)
	activity, err := w.ListActivity(t.Context(), person, valid(t, api.ListActivity{SliceID: s.ID, Paging: hundred}))
	must(t, err)
	for _, a := range activity.Data {
		assert.Equal(t, "the activity "+string(a.Type), a.Via, s.Via)
	}
	if len(occurrences.Data) != 2 || len(activity.Data) != 4 {
		t.Errorf("%d occurrences and %d changes", len(occurrences.Data), len(activity.Data))
	}
	text, err := w.Markdown(t.Context(), person, valid(t, api.GetSlice{SliceID: s.ID, MaxTokens: 4000}))
	must(t, err)
	if n := strings.Count(text, " via the key `"+s.Via.Name+"`"); n != 3 { // the filing, the comment, the other occurrence
		t.Errorf("the Markdown names the key %d times:\n%s", n, text)
	}
	page := b.get("/" + s.Reference).wants(200).content()
	if n := strings.Count(page, "via <bdi>"+s.Via.Name+"</bdi>"); n < 3 { // the filing, the comment, the change
		t.Errorf("the page names the key %d times:\n%s", n, page)
	}
}
