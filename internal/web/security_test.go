package web

import (
	"encoding/json"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/web/page"
)

// matrix says what each page answers to nobody, the owner of another organisation, a member and the owner. A page without a line
// fails; so does a line without a page.
var matrix = map[string][4]int{
	"GET /{$}":                                         {303, 303, 303, 303},
	"GET /login":                                       {200, 303, 303, 303},
	"POST /login":                                      {422, 422, 422, 422},
	"POST /logout":                                     {303, 303, 303, 303},
	"GET /setup/{token}":                               {404, 404, 404, 404},
	"POST /setup/{token}":                              {404, 404, 404, 404},
	"GET /search":                                      {303, 200, 200, 200},
	"GET /my":                                          {303, 200, 200, 200},
	"GET /reports":                                     {303, 200, 200, 200},
	"POST /reports":                                    {303, 422, 422, 422},
	"POST /reports/views":                              {303, 422, 422, 422},
	"POST /reports/views/{viewId}":                     {303, 404, 404, 404},
	"POST /reports/views/{viewId}/delete":              {303, 404, 404, 404},
	"POST /reports/undo":                               {303, 404, 404, 404},
	"GET /board":                                       {303, 200, 200, 200},
	"POST /board":                                      {303, 422, 422, 422},
	"GET /overview":                                    {303, 404, 303, 303},
	"GET /new":                                         {303, 404, 303, 303},
	"POST /new":                                        {303, 422, 422, 422},
	"POST /new/draft":                                  {303, 200, 200, 200},
	"GET /new/{reference}/files":                       {303, 404, 200, 200},
	"POST /new/{reference}/files":                      {303, 404, 422, 422},
	"GET /{reference}":                                 {303, 404, 200, 200},
	"GET /slices/{reference}":                          {303, 404, 303, 303},
	"GET /slices/{reference}/replay":                   {303, 404, 200, 200},
	"GET /replay-frame":                                {200, 200, 200, 200},
	"GET /files/{attachmentId}":                        {303, 404, 200, 200},
	"GET /files/{attachmentId}/thumbnail":              {303, 404, 200, 200},
	"POST /files/{attachmentId}/annotated":             {303, 404, 400, 400},
	"GET /{reference}/shares":                          {303, 404, 200, 200},
	"POST /{reference}/shares":                         {303, 404, 200, 200},
	"GET /settings/shares":                             {303, 404, 303, 303},
	"POST /settings/shares/{shareId}/revoke":           {303, 303, 303, 303},
	"GET /s/{token}":                                   {404, 404, 404, 404},
	"GET /s/{token}/files/{attachmentId}":              {404, 404, 404, 404},
	"GET /s/{token}/files/{attachmentId}/thumbnail":    {404, 404, 404, 404},
	"GET /s/{token}/replay":                            {404, 404, 404, 404},
	"GET /s/{token}/network.har":                       {404, 404, 404, 404},
	"POST /{reference}":                                {303, 404, 400, 400},
	"POST /{reference}/text":                           {303, 404, 412, 412},
	"POST /{reference}/comments":                       {303, 404, 422, 422},
	"POST /{reference}/comments/{commentId}":           {303, 404, 404, 404},
	"POST /{reference}/comments/{commentId}/delete":    {303, 404, 404, 404},
	"POST /{reference}/tasks":                          {303, 404, 404, 404},
	"POST /{reference}/pictures":                       {303, 404, 422, 422},
	"GET /{reference}/duplicate":                       {303, 404, 200, 200},
	"POST /{reference}/duplicate":                      {303, 404, 422, 422},
	"GET /{reference}/markdown":                        {303, 404, 200, 200},
	"GET /{reference}/network.har":                     {303, 404, 200, 200},
	"POST /{reference}/restore":                        {303, 404, 303, 303},
	"POST /{reference}/delete":                         {303, 404, 303, 404},
	"GET /settings":                                    {303, 303, 303, 303},
	"GET /settings/profile":                            {303, 200, 200, 200},
	"POST /settings/profile":                           {303, 422, 422, 422},
	"POST /settings/profile/theme":                     {303, 422, 422, 422},
	"GET /settings/security":                           {303, 200, 200, 200},
	"POST /settings/security/password":                 {303, 422, 422, 422},
	"POST /settings/security/sessions/end":             {303, 303, 303, 303},
	"GET /live":                                        {303, 200, 200, 200},
	"POST /settings/security/sessions/{sessionId}/end": {303, 404, 404, 404},
	"GET /settings/keys":                               {303, 200, 200, 200},
	"POST /settings/keys":                              {303, 422, 422, 422},
	"GET /settings/keys/new":                           {303, 200, 200, 200},
	"GET /settings/keys/ended":                         {303, 200, 200, 200},
	"GET /settings/keys/{keyId}":                       {303, 404, 404, 200},
	"POST /settings/keys/{keyId}/rotate":               {303, 404, 404, 200},
	"POST /settings/keys/{keyId}/revoke":               {303, 404, 404, 303},

	"GET /settings/webhooks":                                                {303, 404, 303, 303},
	"POST /settings/webhooks":                                               {303, 422, 422, 422},
	"GET /settings/webhooks/new":                                            {303, 404, 303, 303},
	"GET /settings/webhooks/{webhookId}":                                    {303, 404, 404, 200},
	"GET /settings/webhooks/{webhookId}/edit":                               {303, 404, 404, 200},
	"POST /settings/webhooks/{webhookId}":                                   {303, 404, 404, 303},
	"POST /settings/webhooks/{webhookId}/test":                              {303, 404, 404, 200},
	"POST /settings/webhooks/{webhookId}/rotate":                            {303, 404, 404, 200},
	"POST /settings/webhooks/{webhookId}/enable":                            {303, 404, 404, 303},
	"POST /settings/webhooks/{webhookId}/disable":                           {303, 404, 404, 303},
	"POST /settings/webhooks/{webhookId}/recover":                           {303, 404, 404, 422},
	"POST /settings/webhooks/{webhookId}/delete":                            {303, 404, 404, 303},
	"GET /settings/webhooks/{webhookId}/deliveries/{deliveryId}":            {303, 404, 404, 200},
	"POST /settings/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver": {303, 404, 404, 303},
	"GET /settings/redaction":                                               {303, 404, 303, 303},
	"POST /settings/redaction":                                              {303, 404, 403, 303},
	"POST /settings/redaction/try":                                          {303, 404, 200, 200},
	"GET /settings/audit":                                                   {303, 200, 403, 200},
	"GET /settings/audit/events.ndjson":                                     {303, 200, 403, 200},

	"GET /invitations/{token}":                                {404, 404, 404, 404},
	"POST /invitations/{token}":                               {404, 404, 404, 404},
	"GET /reset/{token}":                                      {404, 404, 404, 404},
	"POST /reset/{token}":                                     {404, 404, 404, 404},
	"GET /settings/people":                                    {303, 200, 200, 200},
	"POST /settings/people":                                   {303, 422, 403, 422},
	"GET /settings/people/new":                                {303, 200, 403, 200},
	"POST /settings/people/invitations/{invitationId}/revoke": {303, 404, 404, 404},
	"GET /settings/people/{userId}":                           {303, 404, 200, 200},
	"POST /settings/people/{userId}/role":                     {303, 422, 422, 422},
	"POST /settings/people/{userId}/members":                  {303, 422, 422, 422},
	"POST /settings/people/{userId}/members/remove":           {303, 404, 404, 404},
	"POST /settings/people/{userId}/disable":                  {303, 404, 403, 303},
	"POST /settings/people/{userId}/enable":                   {303, 404, 403, 303},
	"POST /settings/people/{userId}/remove":                   {303, 404, 403, 303},
	"POST /settings/people/{userId}/reset":                    {303, 404, 403, 409},
	"GET /settings/people/{userId}/erase":                     {303, 404, 403, 200},
	"GET /settings/workspace":                                 {303, 404, 303, 303},
	"POST /settings/workspace":                                {303, 404, 422, 422},
	"GET /settings/workspace/new":                             {303, 200, 200, 200},
	"POST /settings/workspace/new":                            {303, 422, 422, 422},
	"POST /settings/workspace/spaces":                         {303, 404, 422, 422},
	"POST /settings/workspace/spaces/{spaceId}":               {303, 404, 422, 422},
	"POST /settings/workspace/spaces/{spaceId}/delete":        {303, 404, 403, 404},
	"POST /settings/workspace/export":                         {303, 404, 403, 200},
	"GET /settings/workspace/export/{exportId}":               {303, 404, 303, 303},
	"POST /settings/workspace/export/{exportId}/cancel":       {303, 404, 404, 404},
	"POST /settings/workspace/delete":                         {303, 404, 403, 422},
	"POST /settings/workspace/keep":                           {303, 404, 403, 303},
	"POST /settings/people/{userId}/erase":                    {303, 404, 403, 422},
}

// TestTable asks each page as each of them, and reads the headers of each answer.
func TestTable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	made := w.signedIn(t, owner).post("/settings/keys", "name", "Second", "type", "pat", "scopes", "slices:read")
	c, err := w.Authenticate(t.Context(), regexp.MustCompile(`svc_pat_\w+`).FindString(made.body))
	must(t, err)
	hook := w.newWebhook(t, "https://hooks.example.com/")
	picture := w.attach(t, "WEB-161", "cart.png", screenshot(t, 40, 30))
	fill := strings.NewReplacer("{attachmentId}", picture.ID, "{$}", "", "{token}", "guess", "{sessionId}", "ses_none", "{viewId}", "viw_01ja8m2c9tf3qb6h0v5r4x7kyz", "{shareId}", "shr_01ja8m2c9tf3qb6h0v5r4x7kyz",
		"{commentId}", "cmt_01ja8m2c9tf3qb6h0v5r4x7kyz", "{keyId}", c.KeyID(), "{webhookId}", hook.ID, "{deliveryId}", w.deliveries(t, hook.ID)[0].ID,
		"{spaceId}", "spc_01ja8m2c9tf3qb6h0v5r4x7kyz", "{userId}", w.users[newcomer], "{invitationId}", "inv_01ja8m2c9tf3qb6h0v5r4x7kyz")
	seen := 0
	for _, r := range table {
		path := fill.Replace(strings.Replace(r.path, "{reference}", "WEB-161", 1))
		for method, h := range map[string]page.Handler{"GET": r.get, "POST": r.post} {
			if h == nil {
				continue
			}
			seen++
			want, ok := matrix[method+" "+r.path]
			if !ok {
				t.Errorf("%s %s has no line in the matrix", method, r.path)
				continue
			}
			for i, who := range []string{"", stranger, member, owner} {
				b := w.browser(t)
				if who != "" {
					b = w.signedIn(t, who)
				}
				var a answer
				switch {
				case r.events: // its body does not end
					a = b.do(http.NewRequest("HEAD", w.url+path, nil))
				case method == "GET":
					a = b.get(path)
				default:
					a = b.post(path)
				}
				if a.status != want[i] {
					t.Errorf("%s %s as %q: %d, not %d", method, path, who, a.status, want[i])
				}
				var changed map[string]string
				if a.status == 200 {
					changed = changedHeaders[r.path]
				}
				checkHeaders(t, a, changed)
				if !r.events {
					checkTitle(t, a)
				}
			}
		}
	}
	if seen != len(matrix) {
		t.Errorf("the matrix has %d lines for %d pages", len(matrix), seen)
	}
}

// changedHeaders are the headers of answers that are no pages.
var changedHeaders = map[string]map[string]string{
	"/replay-frame": {"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; font-src data:; " +
		"media-src data:; frame-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
		"Referrer-Policy": "no-referrer", "X-DNS-Prefetch-Control": "off"},
	"/files/{attachmentId}": {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
		"Cache-Control": "private, no-cache", "Content-Type": "image/png", "Cross-Origin-Resource-Policy": "same-origin"},
	"/files/{attachmentId}/thumbnail": {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
		"Cache-Control": "private, no-cache", "Cross-Origin-Resource-Policy": "same-origin"},
}

// checkHeaders fails the test unless an answer has the headers of a page, of which some may be changed.
func checkHeaders(t *testing.T, a answer, changed map[string]string) {
	t.Helper()
	referrer, robots := "same-origin", ""
	if strings.Contains(a.path, " /s/") {
		referrer, robots = "no-referrer", "noindex, nofollow"
	}
	want := map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self'; connect-src 'self'; " +
			"media-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
		"Cross-Origin-Opener-Policy": "same-origin", "Referrer-Policy": referrer, "X-Robots-Tag": robots, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
		"Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
	}
	maps.Copy(want, changed)
	for name, value := range want {
		if got := a.header.Get(name); got != value {
			t.Errorf("%s: %s is %q", a.path, name, got)
		}
	}
}

// checkTitle fails the test when an answer is a page without a title.
func checkTitle(t *testing.T, a answer) {
	t.Helper()
	isPage := strings.HasPrefix(a.header.Get("Content-Type"), "text/html")
	if a.status != 303 && isPage && !regexp.MustCompile(`<title>\S.* · Bugslice</title>`).MatchString(a.body) {
		t.Errorf("%s: no title in %s", a.path, a.body)
	}
}

// TestEndedKey: those who saw a key see what it did after it was revoked, in the list of ended keys and on its page, without an
// action. Nobody else sees it.
func TestEndedKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	for _, kind := range []api.KeyType{api.PAT, api.WST} {
		k := w.newKey(t, api.KeyFields{Name: "Former " + string(kind), Type: kind, Scopes: []api.Scope{api.SlicesRead, api.SlicesWrite}})
		c := w.use(t, k, "203.0.113.7", "curl/8.14.1")
		made, err := w.CreateSlice(t.Context(), c, valid(t, api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.web,
			SliceFields: api.SliceFields{Summary: "Filed by " + string(kind)}}}))
		must(t, err)
		w.NoteRefusal(k.ID, api.CodeScope, api.OpDeleteSlice)
		w.flush()
		path := "/settings/keys/" + k.ID
		w.signedIn(t, owner).post(path + "/revoke").leadsTo("/settings/keys")
		for who, status := range map[string]int{"": 303, stranger: 404, member: 404, owner: 200} {
			b := w.browser(t)
			if who != "" {
				b = w.signedIn(t, who)
			}
			b.get(path).wants(status)
			b.get(path + "?tab=refusals").wants(status)
			if list := b.get("/settings/keys/ended"); strings.Contains(list.body, k.ID) != (who == owner) {
				t.Errorf("the list of %q: %s", who, list.content())
			}
			if status == 200 {
				b.post(path + "/revoke").leadsTo("/settings/keys") // it is revoked, as the form wants
				b.post(path + "/rotate").wants(404)
			}
		}
		b := w.signedIn(t, owner)
		b.get("/settings/keys/ended").wants(200, k.Name, "Revoked", "by <bdi>Mara Lindqvist</bdi>", "203.0.113.7")
		b.get(path+"?tab=refusals").wants(200, api.CodeScope, "DELETE /v1/slices/{sliceId}")
		shown := b.get(path).wants(200, "Revoked", "by <bdi>Mara Lindqvist</bdi>", made.Reference+" Filed by "+string(kind))
		if strings.Contains(shown.body, "Rotate key") || strings.Contains(shown.body, "Revoke key") {
			t.Errorf("a revoked key has actions: %s", shown.content())
		}
	}
	w.clock.add(31 * 24 * time.Hour)
	w.signedIn(t, owner).get("/settings/keys/ended").wants(200, "No revoked or expired keys")
}

// TestFolders: each folder in pages belongs to a row, or is shown by every row.
func TestFolders(t *testing.T) {
	t.Parallel()
	used := []string{"confirm", "problem"}
	for _, r := range table {
		for _, h := range []page.Handler{r.get, r.post} {
			if h == nil {
				continue
			}
			name := runtime.FuncForPC(reflect.ValueOf(h).Pointer()).Name()
			if _, in, ok := strings.Cut(name, "/pages/"); ok {
				folder, _, _ := strings.Cut(in, ".")
				used = append(used, folder)
			}
		}
	}
	folders, err := os.ReadDir("pages")
	must(t, err)
	for _, f := range folders {
		if !slices.Contains(used, f.Name()) {
			t.Errorf("the folder pages/%s has no row in the table", f.Name())
		}
	}
}

// TestTemplates: nothing in a template needs what the content security policy forbids.
func TestTemplates(t *testing.T) {
	t.Parallel()
	forbidden := map[string]*regexp.Regexp{
		"a style":             regexp.MustCompile(`\sstyle=|<style`),
		"inline script":       regexp.MustCompile(`\son[a-z]+=|<script>|javascript:`),
		"hx-on":               regexp.MustCompile(`hx-on`),
		"a trigger filter":    regexp.MustCompile(`hx-trigger="[^"]*\[`),
		"a value of a script": regexp.MustCompile(`["'\s](js|javascript):`),
	}
	seen := map[string]int{}
	must(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".html" && filepath.Ext(path) != ".templ" {
			return err
		}
		seen[filepath.Ext(path)]++
		text, err := os.ReadFile(path)
		for what, found := range forbidden {
			if s := found.Find(text); s != nil {
				t.Errorf("%s has %s: %s", path, what, s)
			}
		}
		return err
	}))
	if seen[".html"] < 10 || seen[".templ"] < 3 {
		t.Errorf("only these templates seen: %v", seen)
	}
	if !forbidden["hx-on"].MatchString(`<a hx-on:click="x">`) || !forbidden["a trigger filter"].MatchString(`hx-trigger="keyup[key=='x']"`) {
		t.Error("the patterns find nothing")
	}
}

// TestCrossOrigin: a page of another origin changes nothing. The base URL is our origin, whatever the host.
func TestCrossOrigin(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, func(o *Options) { o.BaseURL = "http://bugs.example.com" })
	for _, c := range []struct {
		origin, site string
		status       int
	}{
		{"https://evil.example", "cross-site", 403}, {"https://evil.example", "", 403}, {"null", "", 403}, {"http://other.example.com", "same-site", 403},
		{"http://bugs.example.com", "", 303}, {"http://bugs.example.com", "cross-site", 303}, {"", "same-origin", 303}, {"", "", 303},
	} {
		b := w.browser(t)
		b.header = http.Header{"Accept": {"text/html"}}
		if c.origin != "" {
			b.header.Set("Origin", c.origin)
		}
		if c.site != "" {
			b.header.Set("Sec-Fetch-Site", c.site)
		}
		if a := b.post("/login", "email", owner, "password", password); a.status != c.status {
			t.Errorf("from %+v: %d", c, a.status)
		}
	}
}

// TestProblems are pages for browsers and documents for other clients.
func TestProblems(t *testing.T) {
	t.Parallel()
	rows := append(slices.Clone(table), row{path: "/panic", get: func(*page.Request) (page.Result, error) { panic("x") }},
		row{path: "/refused/{code}", access: user, get: refused})
	w := newWorld(t, rows, nil)
	b := w.signedIn(t, owner)
	long := strings.Repeat("x", maxForm)
	for _, c := range []struct {
		answer answer
		status int
		text   string
	}{
		{b.get("/nowhere/at/all"), 404, "This page does not exist"}, {b.get("/nowhere"), 404, "This page does not exist"},
		{b.get("/login/"), 404, "This page does not exist"}, {b.get("/static/none.css"), 404, "This page does not exist"},
		{b.post("/settings"), 405, "This does not work here"}, {b.get("/logout"), 405, "This does not work here"},
		{b.post("/settings/profile", "name", long), 413, "That is too large"},
		{b.get("/panic"), 500, "Something went wrong"}, {b.get("/refused/unavailable"), 503, "Bugslice cannot answer right now"},
		{b.get("/refused/unavailable"), 503, "A sentence about it."}, // such as that the node is read-only
	} {
		c.answer.wants(c.status, c.text, "req_")
		checkHeaders(t, c.answer, nil)
		checkTitle(t, c.answer)
	}
	b.header.Set("Accept", "application/json")
	for path, code := range map[string]string{"/nowhere": api.CodeNotFound, "/logout": api.CodeMethod, "/panic": api.CodeInternal, "/refused/unavailable": api.CodeUnavailable} {
		a := b.get(path)
		var p api.Problem
		if err := json.Unmarshal([]byte(a.body), &p); err != nil || p.Code != code || p.Status != a.status || p.RequestID == "" || !strings.HasSuffix(p.Type, "/docs#"+code) {
			t.Errorf("%s: %s (%v)", path, a.body, err)
		}
		checkHeaders(t, a, nil)
	}
	w.browser(t).get("/settings/keys").wants(303)
	stranger := w.browser(t)
	stranger.header.Set("Accept", "*/*")
	stranger.get("/settings/keys").wants(401, `"code":"unauthorized"`)
	stranger.header.Set("Authorization", "Bearer "+w.tokens[owner])
	stranger.get("/settings/keys").wants(401)
}

// TestFailingStore: a page says that the service has failed, and nothing about how.
func TestFailingStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	must(t, w.store.Close())
	a := b.get("/settings/keys").wants(500, "Something went wrong", "req_")
	if strings.Contains(a.body, "database") || strings.Contains(a.body, "sql") {
		t.Errorf("the page tells the cause: %s", a.body)
	}
	checkHeaders(t, a, nil)
}

// TestWorkspaceOfPage: a page of a workspace names it in its address.
func TestWorkspaceOfPage(t *testing.T) {
	t.Parallel()
	show := func(q *page.Request) (page.Result, error) { return page.Redirect("/shown/"+q.Workspace.Name, "") }
	w := newWorld(t, append(slices.Clone(table), row{path: "/of-workspace", access: user, scope: oneWorkspace, get: show}), nil)
	b := w.signedIn(t, owner)
	b.get("/of-workspace").leadsTo("/of-workspace?workspace=APP")
	b.get("/of-workspace?workspace=WEB").leadsTo("/shown/Web shop")
	b.get("/of-workspace?q=x").leadsTo("/of-workspace?q=x&workspace=WEB")
	b.get("/of-workspace?workspace=NONE").wants(404)
}

// TestPathIsText: no operation receives a name that PostgreSQL does not accept as text.
func TestPathIsText(t *testing.T) {
	t.Parallel()
	show := func(*page.Request) (page.Result, error) { return page.Redirect("/shown", "") }
	w := newWorld(t, append(slices.Clone(table), row{path: "/record/{id}", access: anyone, get: show}), nil)
	b := w.browser(t)
	b.get("/record/%C3%A9").leadsTo("/shown")
	for _, path := range []string{"/record/%00", "/record/a%00b", "/record/%FF", "/record/%C3"} {
		b.get(path).wants(404, "This page does not exist")
	}
}

// TestSignInEndsFormerSession: whoever signs in again in a browser leaves no session open that no cookie names.
func TestSignInEndsFormerSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	former := b.cookie()
	b.post("/login", "email", owner, "password", "wrong password").wants(422)
	b.get("/settings/security").wants(200)
	b.post("/login", "email", owner, "password", password).wants(303)
	b.get("/settings/security").wants(200)
	stolen := w.browser(t)
	stolen.header.Set("Cookie", "bugslice="+former)
	stolen.get("/settings/security").leadsTo("/login?next=%2Fsettings%2Fsecurity")
}

// TestNoticeWaits: a notice is on the next whole page that succeeds. A page about a problem, a form with faults and a fragment
// neither show it nor use it up.
func TestNoticeWaits(t *testing.T) {
	t.Parallel()
	const notice = "Your profile is saved."
	w := newWorld(t, table, nil)
	b, fragment := w.signedIn(t, owner), w.browser(t)
	b.post("/settings/profile", "version", "1", "name", "Mara", "theme", "system", "timeZone", "UTC").leadsTo("/settings/profile")
	fragment.Jar = b.Jar
	fragment.header.Set("HX-Request-Type", "partial")
	for _, a := range []answer{b.get("/nowhere"), b.get("/WEB-9"), b.post("/settings/profile", "version", "2"), fragment.get("/settings/profile")} {
		if strings.Contains(a.body, notice) || len(a.header.Values("Set-Cookie")) > 0 {
			t.Errorf("%s (%d) shows the notice or uses it up", a.path, a.status)
		}
	}
	b.get("/settings/profile").wants(200, notice)
	if again := b.get("/settings/profile"); strings.Contains(again.body, notice) {
		t.Error("the notice is shown twice")
	}
}
