package suite

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"bugslice/internal/assert"
)

var anyID = regexp.MustCompile(`\b(slc|wsp|spc|cmt|att|evt|key|blb)_([0-9a-z]{10})[0-9a-z]{16}\b`)

// shape is an answer without what may differ between a workspace and its copy: ids but for
// their time, addresses, and versions.
func shape(t *testing.T, s *server, body []byte) string {
	t.Helper()
	text := strings.ReplaceAll(anyID.ReplaceAllString(string(body), "${1}_$2"), s.URL, "")
	text = keysHere.ReplaceAllString(text, `"via":{`)
	var v any
	must(t, json.Unmarshal([]byte(text), &v))
	out, err := json.MarshalIndent(v, "", " ")
	must(t, err)
	return string(out)
}

// keysHere match the keys with which records were written, which stay where they are.
var keysHere = regexp.MustCompile(`"via":\{"keyId":[^,]*,`)

// differ says where two texts begin to differ.
func differ(t *testing.T, what, a, b string) {
	t.Helper()
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(la), len(lb)) {
		if la[i] != lb[i] {
			t.Errorf("%s, line %d:\n%s\n%s", what, i, la[i], lb[i])
			return
		}
	}
	if len(la) != len(lb) {
		t.Errorf("%s: %d and %d lines", what, len(la), len(lb))
	}
}

// all returns every row of a list.
func (c client) all(t *testing.T, path string) (rows []any) {
	t.Helper()
	for cursor, more := "", true; more; {
		a := c.want(t, 200, "GET", path+"&limit=100"+cursor, nil)
		rows = append(rows, a.get(t, "data").([]any)...)
		if more = a.get(t, "pagination.hasMore").(bool); more {
			cursor = "&cursor=" + url.QueryEscape(a.get(t, "pagination.cursor").(string))
		}
	}
	return rows
}

// sameAnswer holds what a copied workspace answers against the original. WSP stands for either.
func sameAnswer(t *testing.T, o org, c client, copied, user, path string) {
	t.Helper()
	ours := o.want(t, 200, "GET", strings.ReplaceAll(path, "WSP", o.Workspace), nil)
	theirs := c.want(t, 200, "GET", strings.ReplaceAll(path, "WSP", copied), nil)
	a := strings.ReplaceAll(shape(t, o.server, ours.Body), o.UserID, user)
	b := shape(t, c.server, theirs.Body)
	noise := regexp.MustCompile(`"(organizationId|cursor)": "[^"]*"`)
	differ(t, path, noise.ReplaceAllString(a, ""), noise.ReplaceAllString(b, ""))
}

// TestExportImport: a workspace moves from one database to the other with all its evidence, unchanged but for its
// ids; a second import changes nothing.
func TestExportImport(t *testing.T) {
	t.Parallel()
	for _, way := range [][2]string{{"sqlite", "postgres"}, {"postgres", "sqlite"}} {
		t.Run(way[0]+" to "+way[1], func(t *testing.T) {
			t.Parallel()
			from, to := newServer(t, way[0], t.TempDir(), "--rate-limit", "off"),
				newServer(t, way[1], t.TempDir(), "--rate-limit", "off")
			from.start(t)
			defer from.kill()
			to.start(t)
			defer to.kill()
			o := newOrg(t, from, "here")
			email := o.want(t, 200, "GET", "/v1/me", nil).get(t, "email").(string)
			var there struct{ OrganizationID, UserID, Token string }
			must(t, json.Unmarshal([]byte(to.cli(t, "admin", "org", "add", "--name", "there", "--email", email,
				"--token", "--json")), &there))
			o.want(t, 200, "PATCH", "/v1/workspaces/"+o.Workspace,
				map[string]any{"redaction": map[string]any{"fields": []string{"customerNumber"}},
					"description": "moves", "timeZone": "Asia/Kathmandu", "metadataKeys": []string{"k"}})
			space := o.want(t, 201, "POST", "/v1/workspaces/"+o.Workspace+"/spaces",
				map[string]any{"name": "Checkout"}).get(t, "id")
			first := o.slice(t, o.Workspace, map[string]any{"summary": "First – ünïcode",
				"spaceId": space, "labels": []string{"a", "b"}, "evidence": captured(),
				"externalId": "x-1", "fingerprint": "f-1", "assigneeId": o.UserID,
				"metadata": map[string]string{"k": "v"}})
			id := first["id"].(string)
			o.upload(t, 201, id, "shot.png", "image/png", picture(600, 400))
			o.want(t, 201, "POST", "/v1/slices/"+id+"/comments", map[string]any{"body": "See " + id})
			o.want(t, 200, "POST", "/v1/slices", map[string]any{"workspaceId": o.Workspace,
				"summary": "First", "fingerprint": "f-1", "metadata": map[string]string{"k": "other"},
				"environment": map[string]any{"commit": "9f1c2ab", "buildUrl": "https://ci.example.com/8124"}})
			o.want(t, 200, "PATCH", "/v1/slices/"+id, map[string]any{"status": "resolved", "priority": "high"})
			gone := o.slice(t, o.Workspace, nil)["id"].(string)
			o.want(t, 204, "DELETE", "/v1/slices/"+gone, nil)
			for range 120 {
				o.slice(t, o.Workspace, map[string]any{"summary": "One of many"})
			}
			o.slice(t, o.Workspace, map[string]any{"summary": "Again", "duplicateOfId": id})
			file := filepath.Join(t.TempDir(), "w.zip")
			from.cli(t, "admin", "export", "--workspace", o.Workspace, "--output", file)
			code, said := from.exit("admin", "export", "--workspace", o.Workspace, "--output", file)
			assert.Equal(t, "exit code", code, 1)
			assert.Contains(t, "the output", said, "exists")
			said = to.cli(t, "admin", "import", file)
			copied := regexp.MustCompile(`wsp_[0-9a-z]{26}`).FindString(said)
			assert.Contains(t, "the import", said, "New: 122 slices, 1 comment, 5 files. Imported already: 0 records",
				"wsp_")
			assert.Contains(t, "the second import", to.cli(t, "admin", "import", file),
				"New: 0 slices, 0 comments, 0 files.")
			c := client{to, there.Token}
			same := func(path string) { sameAnswer(t, o, c, copied, there.UserID, path) }
			same("/v1/workspaces/WSP")
			same("/v1/workspaces/WSP/spaces")
			same("/v1/slices?workspaceId=WSP&limit=100")
			same("/v1/slices?workspaceId=WSP&limit=100&order=asc")
			same("/v1/slices?workspaceId=WSP&label=a&status=resolved&q=unicode")
			same("/v1/slices?workspaceId=WSP&metadata[k]=v")
			find := func(c client, w string) string {
				return c.want(t, 200, "GET", "/v1/slices?externalId=x-1&workspaceId="+w,
					nil).get(t, "data").([]any)[0].(map[string]any)["id"].(string)
			}
			theirID := find(c, copied)
			for _, part := range []string{"", "/comments", "/attachments",
				"/console?limit=50", "/network?limit=50", "/network.har", "/actions", "/replay", "/activity"} {
				ours := o.want(t, 200, "GET", "/v1/slices/"+id+part, nil)
				theirs := c.want(t, 200, "GET", "/v1/slices/"+theirID+part, nil)
				a := strings.ReplaceAll(shape(t, from, ours.Body), o.UserID, there.UserID)
				b := shape(t, to, theirs.Body)
				names := regexp.MustCompile(`"(actorName|keyId|imported)": [^,\n]*|"via": (null|\{[^}]*\}),?`) // keys stay where they are
				differ(t, part, names.ReplaceAllString(a, ""), names.ReplaceAllString(b, ""))
			}
			for _, row := range c.want(t, 200, "GET", "/v1/slices/"+theirID+"/attachments", nil).get(t, "data").([]any) {
				a := row.(map[string]any)
				body := c.want(t, 200, "GET", "/v1/attachments/"+a["id"].(string), nil).Body
				if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != a["sha256"] {
					t.Errorf("%v is not what it was", a["name"])
				}
			}
			if n := c.slice(t, copied, nil)["number"]; n != float64(124) {
				t.Errorf("the next number is %v", n)
			}
			// Into a workspace that has slices of its own.
			own := c.want(t, 201, "POST", "/v1/workspaces", map[string]any{"name": "own"}).get(t, "id").(string)
			c.slice(t, own, map[string]any{"externalId": "x-1"})
			said = to.cli(t, "admin", "import", "--into", own, file)
			assert.Contains(t, "the output", said, "122 slices",
				"External ids left out, because another slice has them: 1.")
			broken := filepath.Join(t.TempDir(), "broken.zip")
			whole, err := os.ReadFile(file)
			must(t, err)
			must(t, os.WriteFile(broken, whole[:len(whole)/2], 0o600))
			code, said = to.exit("admin", "import", broken)
			assert.Equal(t, "exit code", code, 1)
			assert.Contains(t, "the output", said, "is no export")
		})
	}
}

// TestTortureImport: an import that is killed repeatedly continues, and ends with every record once.
func TestTortureImport(t *testing.T) {
	t.Parallel()
	for _, way := range [][2]string{{"sqlite", "postgres"}, {"postgres", "sqlite"}} {
		t.Run(way[0]+" to "+way[1], func(t *testing.T) {
			t.Parallel()
			from, to := newServer(t, way[0], t.TempDir(), "--rate-limit", "off"),
				newServer(t, way[1], t.TempDir(), "--rate-limit", "off")
			from.start(t)
			defer from.kill()
			to.start(t)
			defer to.kill()
			o := newOrg(t, from, "here")
			email := o.want(t, 200, "GET", "/v1/me", nil).get(t, "email").(string)
			var there struct{ UserID, Token string }
			must(t, json.Unmarshal([]byte(to.cli(t, "admin", "org", "add", "--name", "there", "--email", email,
				"--token", "--json")), &there))
			count := sized(120, 400)
			var work sync.WaitGroup
			for n := range 4 {
				work.Go(func() {
					for i := range count / 4 {
						id := o.slice(t, o.Workspace, map[string]any{"labels": []string{"a", "b"},
							"externalId": fmt.Sprint("x-", n, "-", i)})["id"].(string)
						o.want(t, 201, "POST", "/v1/slices/"+id+"/comments", map[string]any{"body": "See " + id})
						o.upload(t, 201, id, "log.txt", "text/plain", "line "+id)
					}
				})
			}
			work.Wait()
			file := filepath.Join(t.TempDir(), "w.zip")
			from.cli(t, "admin", "export", "--workspace", o.Workspace, "--output", file)
			for kill := range rounds() {
				importUntil(t, to, file, fmt.Sprintf(`\(%d0 %%\)`, 1+(kill*4+3)/rounds()))
			}
			said := to.cli(t, "admin", "import", file)
			copied := workspaceID.FindString(said)
			counts := regexp.MustCompile(`New: (\d+) slices?, (\d+) comments?, (\d+) files?\. Imported already: (\d+) ` +
				``).FindStringSubmatch(said)
			if counts == nil {
				t.Fatalf("%s", said)
			}
			if counts[4] == "0" || strings.Join(counts[1:4], "") == "000" {
				t.Errorf("no kill came in the middle: %s", said)
			}
			c := client{to, there.Token}
			sameAnswer(t, o, c, copied, there.UserID, "/v1/workspaces/WSP")
			rows := c.all(t, "/v1/slices?order=asc&workspaceId="+copied)
			ours, err := json.Marshal(o.all(t, "/v1/slices?order=asc&workspaceId="+o.Workspace))
			must(t, err)
			theirs, err := json.Marshal(rows)
			must(t, err)
			differ(t, "the slices", strings.ReplaceAll(shape(t, from, ours), o.UserID, there.UserID),
				shape(t, to, theirs))
			for _, row := range rows {
				id := row.(map[string]any)["id"].(string)
				a := c.want(t, 200, "GET", "/v1/slices/"+id+"/attachments", nil).get(t, "data").([]any)
				if len(a) != 1 || !strings.HasPrefix(string(c.want(t, 200,
					"GET", "/v1/attachments/"+a[0].(map[string]any)["id"].(string), nil).Body), "line slc_") {
					t.Errorf("%s has %v", id, a)
				}
				if n := len(c.want(t, 200, "GET", "/v1/slices/"+id+"/comments", nil).get(t, "data").([]any)); n != 1 {
					t.Errorf("%s has %d comments", id, n)
				}
			}
			if n := c.slice(t, copied, nil)["number"]; n != float64(count+1) {
				t.Errorf("the next number is %v", n)
			}
			t.Logf("%d kills; then %s", rounds(), strings.ReplaceAll(said, "\n", " "))
		})
	}
}

// importUntil imports a file, and kills the import when its progress matches.
func importUntil(t *testing.T, s *server, file, progress string) {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"admin", "import", file}, s.place...)...)
	stderr, err := cmd.StderrPipe()
	must(t, err)
	must(t, cmd.Start())
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if regexp.MustCompile(progress).MatchString(lines.Text()) {
			_ = cmd.Process.Kill()
			break
		}
	}
	_ = cmd.Wait()
}

// TestImportGitHub: issues come with their state, labels and comments, once.
func TestImportGitHub(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "github")
		run := func(args ...string) string {
			return s.cli(t, append([]string{"admin", "import", "testdata/github/issues.json",
				"--github", "acme/shop", "--into", o.Workspace, "--comments", "testdata/github/comments.json"},
				args...)...)
		}
		assert.Contains(t, "the dry run", run("--dry-run"), ": 3 issues, 2 comments. Imported already: 0 issues.",
			"github:acme/shop#2")
		if n := len(o.want(t, 200, "GET", "/v1/slices?workspaceId="+o.Workspace, nil).get(t, "data").([]any)); n != 0 {
			t.Errorf("a dry run imported %d", n)
		}
		assert.Contains(t, "the import", run(),
			"New: 3 issues, 2 comments. Imported already: 0 issues. Left out: 1 pull request.")
		assert.Contains(t, "the second import", run(), "New: 0 issues, 0 comments. Imported already: 3 issues.")
		rows := o.want(t, 200, "GET", "/v1/slices?workspaceId="+o.Workspace+"&order=asc", nil).get(t, "data").([]any)
		first, second := rows[0].(map[string]any), rows[1].(map[string]any)
		wantMembers(t, "first", first, members{"createdAt": "2024-03-01T09:00:00.000Z",
			"status": "closed", "resolution": "wont_fix", "commentCount": 2, "labels.#": 2,
			"resolvedAt": "2024-03-05T10:00:00.000Z"})
		assert.Equal(t, "name", first["reporter"].(map[string]any)["name"], "octocat")
		wantMembers(t, "second", second,
			members{"status": "open", "sourceUrl": "https://github.com/acme/shop/issues/2"})
		assert.Contains(t, "description", second["description"].(string), "[redacted:")
		comments := o.want(t, 200, "GET", "/v1/slices/"+first["id"].(string)+"/comments", nil).get(t, "data").([]any)
		wantMembers(t, "the comments", comments, members{"#": 2, "1.author.name": "ghost"})
		code, said := s.exit("admin", "import", "testdata/github/comments.json", "--github", "acme/shop", "--into",
			o.Workspace)
		assert.Equal(t, "exit code", code, 1)
		assert.Contains(t, "the output", said, "issue 1 of the file")
	})
}
