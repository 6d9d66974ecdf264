package suite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// history does random things in a workspace through the API, and knows what there is.
type history struct {
	*rand.Rand
	o        org
	clients  []client
	users    []string
	spaces   []string
	slices   []string
	deleted  []string
	comments []string
	files    []string
	left     string // who has left the workspace, and is no user in the copy's organisation
}

// labels, and keys of metadata, that somebody could have thought of.
var (
	oddLabels = []string{"a", "b", "c", "ünïcode 漢字", "👩‍👩‍👧‍👦", "e\u0301",
		"\u00e9", "שלום", "I\u0307", "a b  c", "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "\"q\"\\'",
		strings.Repeat("ж", 50)}
	oddKeys = []string{"k", " k ", "a.b/c:d", "漢字", "\"'\\", "__proto__", "password", strings.Repeat("k", 50), "id",
		"\u202e"}
	longName = strings.Repeat("名", 196) + ".txt"
)

// pieces are what texts are made of: words, what looks like markup or an id, and secrets.
var pieces = []string{"the cart", "ünïcode – 漢字", "<b>bold</b> & more",
	"\"quoted\" \\ and\ttabs", "password: hunter2hunter2", "line\nbreak",
	"see slc_01ja8m2c9tf3qb6h0v5r4x7kyz", "Authorization: Bearer 9b74c9897bac770ffc029102a200c5de",
	"https://a.example/?token=0123456789abcdef&x=1", "customerNumber=123456789"}

func (h *history) text() string {
	var words []string
	for range 1 + h.IntN(4) {
		words = append(words, pieces[h.IntN(len(pieces))])
	}
	return strings.Join(words, " ")
}

// one is any of them, or a value that is none.
func one[T any](h *history, all []T) (v T) {
	if len(all) > 0 {
		v = all[h.IntN(len(all))]
	}
	return v
}

// originals is how many slices, the first ones, are repeated by others, and so never deleted.
const originals = 3

// take removes any of them behind the first.
func take(h *history, all *[]string, first int) string {
	if len(*all) <= first {
		return ""
	}
	i := first + h.IntN(len(*all)-first)
	v := (*all)[i]
	*all = slices.Delete(*all, i, i+1)
	return v
}

// do sends a request of anybody. What the rules refuse is no fault; what fails is.
func (h *history) do(t *testing.T, method, path string, body any, headers ...string) (answer, bool) {
	t.Helper()
	a := one(h, h.clients).do(t, method, path, body, headers...)
	if a.Status >= 500 || a.Status == 400 {
		t.Fatalf("%s %s %v: %d %s", method, path, body, a.Status, a.Body)
	}
	return a, a.Status < 300
}

func (h *history) fields() map[string]any {
	all := map[string]any{
		"summary": strings.ReplaceAll(h.text(), "\n", " "), "description": h.text(),
		"labels": []string{one(h, oddLabels)}, "assigneeId": one(h, []string{"", h.o.UserID}),
		"status":   one(h, []string{"open", "in_progress", "resolved", "closed"}),
		"priority": one(h, []string{"high", "low"}), "sourceUrl": "https://a.example/cart?token=0123456789abcdef",
		"environment": map[string]any{"browser": "Firefox", "commit": "9f1c2ab", "url": nil},
		"metadata":    map[string]any{one(h, oddKeys): h.text(), "api_key": "0123456789abcdef"},
		"externalId": one(h, []string{fmt.Sprint("x-", h.IntN(1000)), fmt.Sprint("漢-", h.IntN(1000)),
			fmt.Sprintf("ghp_%036d", h.IntN(1000))}), "spaceId": one(h, append([]string{""}, h.spaces...)),
		"duplicateOfId": one(h, append([]string{""}, h.slices...)),
	}
	delete(all["environment"].(map[string]any), "url")
	picked := map[string]any{}
	for name, value := range all {
		if value == "" {
			value = nil
		}
		if h.IntN(3) == 0 {
			picked[name] = value
		}
	}
	return picked
}

// step does one thing.
func (h *history) step(t *testing.T) {
	t.Helper()
	slice := "/v1/slices/" + one(h, h.slices)
	switch n := h.IntN(20); {
	case n < 4 || len(h.slices) == 0:
		body := h.fields()
		body["workspaceId"], body["summary"] = h.o.Workspace, h.text()
		if h.IntN(3) == 0 {
			body["fingerprint"] = fmt.Sprint("f-", h.IntN(3))
		}
		if h.IntN(3) == 0 {
			body["evidence"] = captured()
		}
		delete(body, "status")
		if a, ok := h.do(t, "POST", "/v1/slices?reopen="+strconv.FormatBool(h.IntN(2) == 0), body); ok &&
			!slices.Contains(h.slices, a.get(t, "id").(string)) {
			h.slices = append(h.slices, a.get(t, "id").(string))
		}
	case n < 8:
		h.do(t, "PATCH", slice, h.fields())
	case n == 8:
		if id := take(h, &h.slices, originals); id != "" {
			if _, ok := h.do(t, "DELETE", "/v1/slices/"+id, nil); ok {
				h.deleted = append(h.deleted, id)
			}
		}
	case n == 9:
		if id := take(h, &h.deleted, 0); id != "" {
			if _, ok := h.do(t, "POST", "/v1/slices/"+id+"/restore", nil); ok {
				h.slices = append(h.slices, id)
			} else {
				h.deleted = append(h.deleted, id)
			}
		}
	case n < 12:
		if a, ok := h.do(t, "POST", slice+"/comments", map[string]any{"body": h.text() + " @" + one(h, h.users)}); ok {
			h.comments = append(h.comments, a.get(t, "id").(string))
		}
	case n < 14:
		h.do(t, "PATCH", "/v1/comments/"+one(h, h.comments), map[string]any{"body": h.text()})
	case n == 14:
		h.do(t, "DELETE", "/v1/comments/"+one(h, h.comments), nil)
	case n < 17:
		h.attach(t, slice)
	case n == 17:
		h.do(t, "PATCH", "/v1/attachments/"+one(h, h.files),
			map[string]any{"name": one(h, []string{"new.txt", "password=hunter2hunter2.txt",
				"x.log", longName, "ü 漢.png", "-rf", "a;b&c.txt"})})
	case n == 18:
		h.do(t, "DELETE", "/v1/attachments/"+one(h, h.files), nil)
	default:
		if a, ok := h.do(t, "POST", "/v1/workspaces/"+h.o.Workspace+"/spaces",
			map[string]any{"name": fmt.Sprint("space ", len(h.spaces))}); ok {
			h.spaces = append(h.spaces, a.get(t, "id").(string))
		}
		h.do(t, "PATCH", "/v1/workspaces/"+h.o.Workspace, map[string]any{"description": h.text()})
	}
}

func (h *history) attach(t *testing.T, slice string) {
	t.Helper()
	console, err := json.Marshal(captured()["console"])
	must(t, err)
	for i, f := range [][3]string{{"log.txt", "text/plain", h.text()},
		{"shot.png", "image/png", picture(300, 200)}, {"console.json", "application/json", string(console)},
		{"raw.bin", "application/octet-stream", "\x00\x01" + h.text()},
		{"one byte.txt", "text/plain", "\n"}, {longName, "text/plain", h.text()}} {
		if i != h.IntN(6) {
			continue
		}
		if a, ok := h.do(t, "POST", slice+"/attachments?name="+url.QueryEscape(f[0]), f[2], "Content-Type", f[1]); ok {
			h.files = append(h.files, a.get(t, "id").(string))
		}
	}
}

// view is what a reader sees of a workspace, without what a copy has of its own: ids but for their
// time, addresses, keys, and who is nobody there.
type view struct {
	client
	workspace string
	people    map[string]string // what the ids of users are called
	left      string            // the id of a user who is none there
	deleted   []string          // slices that are not exported: what was a duplicate of one is of none there
}

var wholeID = regexp.MustCompile(`^(slc|wsp|spc|cmt|att|evt)_([0-9a-z]{10})[0-9a-z]{16}$`)

func (v view) plain(name string, value any) any {
	switch x := value.(type) {
	case []any:
		for i := range x {
			x[i] = v.plain(name, x[i])
		}
	case map[string]any:
		if x["type"] == "service" || v.left != "" && x["id"] == v.left {
			x["id"] = nil
		}
		if of, ok := x["duplicateOfId"].(string); ok && slices.Contains(v.deleted, of) {
			x["duplicateOfId"] = nil
		}
		if actor, ok := x["actor"].(map[string]any); ok &&
			(actor["type"] == "service" || v.left != "" && actor["id"] == v.left) {
			x["actorName"] = nil // an event has the id of who did it, and no name
		}
		if _, isActivity := x["changes"]; isActivity {
			delete(x, "via")      // it is read from the key, which stays where it is
			delete(x, "imported") // is what differs
		}
		delete(x, "keyId")
		delete(x, "organizationId")
		delete(x, "cursor")
		for member, inner := range x {
			x[member] = v.plain(member, inner)
		}
	case string:
		if who, ok := v.people[x]; ok {
			return who
		}
		for id, who := range v.people {
			x = strings.ReplaceAll(x, "@"+id, "@"+who)
		}
		if name == "url" || name == "thumbnail" {
			return anyID.ReplaceAllString(strings.TrimPrefix(x, v.URL), "${1}_$2")
		}
		return wholeID.ReplaceAllString(x, "${1}_$2")
	}
	return value
}

// lines are what a path answers.
func (v view) lines(t *testing.T, path string, headers ...string) []string {
	t.Helper()
	a := v.want(t, 200, "GET", strings.ReplaceAll(path, "WSP", v.workspace), nil, headers...)
	var value any
	if json.Unmarshal(a.Body, &value) != nil {
		text := string(a.Body)
		for _, id := range v.deleted {
			text = strings.ReplaceAll(text, "- duplicate of: "+id+"\n", "")
		}
		if v.left != "" {
			text = regexp.MustCompile("- reporter: "+v.left+" .*\n").ReplaceAllString(text, "")
		}
		for id, who := range v.people {
			text = strings.ReplaceAll(text, id, who)
		}
		return strings.Split(strings.ReplaceAll(anyID.ReplaceAllString(text, "${1}_$2"), v.URL, ""), "\n")
	}
	out, err := json.MarshalIndent(v.plain("", value), "", " ")
	must(t, err)
	return strings.Split(string(out), "\n")
}

// same holds everything that two workspaces show against each other.
func (v view) same(t *testing.T, other view) {
	t.Helper()
	compare := func(what, path, theirs string, headers ...string) {
		t.Helper()
		differ(t, what, strings.Join(v.lines(t, path, headers...), "\n"),
			strings.Join(other.lines(t, theirs, headers...), "\n"))
	}
	both := func(path string) { t.Helper(); compare(path, path, path) }
	both("/v1/workspaces/WSP")
	both("/v1/workspaces/WSP/spaces")
	ours, theirs := v.all(t, "/v1/slices?order=asc&workspaceId="+v.workspace),
		other.all(t, "/v1/slices?order=asc&workspaceId="+other.workspace)
	if len(ours) != len(theirs) {
		t.Fatalf("%d slices, and %d in the copy", len(ours), len(theirs))
	}
	for _, query := range []string{"q=cart", "q=hunter2hunter2", "label=a",
		"status=resolved,closed", "fingerprint=f-1", "sort=updatedAt", "spaceId=none", "assigneeId=none"} {
		both("/v1/slices?limit=100&workspaceId=WSP&" + query)
	}
	for i := range ours {
		a, b := "/v1/slices/"+ours[i].(map[string]any)["id"].(string), "/v1/slices/"+
			theirs[i].(map[string]any)["id"].(string)
		for _, part := range []string{"", "/comments?limit=100", "/attachments?limit=100",
			"/activity?limit=100", "/console?limit=100", "/network?limit=100",
			"/network.har", "/actions?limit=100", "/replay", "/similar"} {
			compare(a+part, a+part, b+part)
		}
		compare(a+" as Markdown", a+"?maxTokens=20000", b+"?maxTokens=20000", "Accept", "text/markdown")
		v.sameFiles(t, other, a, b)
	}
}

// sameFiles holds the bytes of the files of two slices against each other.
func (v view) sameFiles(t *testing.T, other view, a, b string) {
	t.Helper()
	ours, theirs := v.all(t, a+"/attachments?"), other.all(t, b+"/attachments?")
	for i := range ours {
		x, y := ours[i].(map[string]any), theirs[i].(map[string]any)
		for _, part := range []string{"", "/thumbnail"} {
			if part != "" && x["thumbnail"] == nil {
				continue
			}
			one := v.want(t, 200, "GET", "/v1/attachments/"+x["id"].(string)+part, nil)
			two := other.want(t, 200, "GET", "/v1/attachments/"+y["id"].(string)+part, nil)
			if !bytes.Equal(one.Body, two.Body) {
				t.Errorf("%v%s of %s has other bytes in the copy", x["name"], part, a)
			}
		}
	}
}

// seed is BUGSLICE_TEST_SEED, or another one each time.
func seed(t *testing.T) uint64 {
	n, err := strconv.ParseUint(os.Getenv("BUGSLICE_TEST_SEED"), 10, 64)
	if err != nil {
		n = rand.Uint64()
	}
	t.Logf("BUGSLICE_TEST_SEED=%d makes the same operations again", n)
	return n
}

// TestExportOfAnyHistory: after any history, a workspace is exported, is imported on the other database, and shows
// the same reports, comments, files, evidence, Markdown and activity there.
func TestExportOfAnyHistory(t *testing.T) {
	t.Parallel()
	for _, way := range [][2]string{{"sqlite", "postgres"}, {"postgres", "sqlite"}} {
		t.Run(way[0]+" to "+way[1], func(t *testing.T) {
			t.Parallel()
			from, to := shared(t, way[0]), shared(t, way[1])
			n := seed(t)
			h := &history{Rand: rand.New(rand.NewPCG(n, 1)), o: newOrg(t, from, "history")}
			member, memberID := h.o.newUser(t, "member", h.o.Workspace)
			service, _ := h.o.newKey(t, map[string]any{"name": "ci", "type": "wst",
				"scopes": []string{"slices:read", "slices:write"}, "workspaceId": h.o.Workspace})
			h.clients, h.users = []client{h.o.client, h.o.client, member, service}, []string{h.o.UserID, memberID}
			h.o.want(t, 200, "PATCH", "/v1/workspaces/"+h.o.Workspace,
				map[string]any{"redaction": map[string]any{"fields": []string{"customerNumber"}}})
			hooked := newReceiver(t, nil)
			h.o.hook(t, hooked.URL)
			leaver, leaverID := h.o.newUser(t, "leaver", h.o.Workspace)
			h.clients, h.users = append(h.clients, leaver), append(h.users, leaverID)
			for range 70 {
				h.step(t)
			}
			from.cli(t, "admin", "workspace", "remove-member", "--workspace", h.o.Workspace, "--user", leaverID)
			h.clients, h.left = h.clients[:len(h.clients)-1], leaverID
			for range 70 {
				h.step(t)
			}
			file := filepath.Join(t.TempDir(), "w.zip")
			from.cli(t, "admin", "export", "--workspace", h.o.Workspace, "--output", file)
			email := h.o.want(t, 200, "GET", "/v1/me", nil).get(t, "email").(string)
			var there struct{ OrganizationID, UserID, Token string }
			must(t, json.Unmarshal([]byte(to.cli(t, "admin", "org", "add", "--name",
				"there", "--email", email, "--owner", strings.Split(email, "@")[0], "--token", "--json")), &there))
			var other struct{ UserID string }
			email = member.want(t, 200, "GET", "/v1/me", nil).get(t, "email").(string)
			must(t, json.Unmarshal([]byte(to.cli(t, "admin", "user", "add", "--email",
				email, "--name", "member", "--org", there.OrganizationID, "--json")), &other))
			said := to.cli(t, "admin", "import", "--org", there.OrganizationID, file)
			copied := workspaceID.FindString(said)
			to.cli(t, "admin", "workspace", "add-member", "--workspace", copied, "--user", other.UserID)
			ours := view{h.o.client, h.o.Workspace, map[string]string{h.o.UserID: "owner", memberID: "member"},
				leaverID, h.deleted}
			theirs := view{client{to, there.Token}, copied,
				map[string]string{there.UserID: "owner", other.UserID: "member"}, "", nil}
			ours.same(t, theirs)
			if events := theirs.all(t, "/v1/events?workspaceId="+copied); len(events) != 0 {
				t.Errorf("what was imported is news: %v", events)
			}
		})
	}
}
