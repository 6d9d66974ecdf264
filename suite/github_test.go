package suite

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"bugslice/internal/assert"
)

// issue is an issue of acme/shop as GitHub gives it, with members changed; nil leaves one out.
func issue(number int, changes map[string]any) map[string]any {
	v := map[string]any{"number": number, "title": fmt.Sprint("Issue ", number),
		"body": "Text", "state": "open", "user": map[string]any{"login": "octocat"}, "labels": []any{},
		"html_url":       fmt.Sprint("https://github.com/acme/shop/issues/", number),
		"repository_url": "https://api.github.com/repos/acme/shop", "created_at": "2024-03-01T09:00:00Z"}
	for name, value := range changes {
		if v[name] = value; value == nil {
			delete(v, name)
		}
	}
	return v
}

func said(number int, body, at string) map[string]any {
	return map[string]any{"issue_url": fmt.Sprint("https://api.github.com/repos/acme/shop/issues/", number),
		"body": body, "user": map[string]any{"login": "hubot"}, "created_at": at}
}

// jsonFile writes a value, or text as it is, to a file.
func jsonFile(t *testing.T, v any) string {
	t.Helper()
	text, isText := v.(string)
	if !isText {
		b, err := json.Marshal(v)
		must(t, err)
		text = string(b)
	}
	file := filepath.Join(t.TempDir(), "file.json")
	must(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// TestImportGitHubAgain: a dry run says what the real one does; a second import brings the
// comments that came since, and nothing twice.
func TestImportGitHubAgain(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "again")
		secret := "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
		issues := []any{
			issue(1, map[string]any{"title": strings.Repeat("long ", 50),
				"labels":   []any{"ui, ux", map[string]any{"name": secret}},
				"assignee": map[string]any{"login": "mona"}}),
			issue(2, map[string]any{"body": "token " + secret, "title": "a\x00b",
				"user": map[string]any{"login": "o\x00c"}}),
			issue(2, nil),
			issue(3, map[string]any{"pull_request": map[string]any{}}),
		}
		comments := []any{said(1, "first", "2024-03-02T09:00:00Z"),
			said(3, "of a pull request", "2024-03-02T09:00:00Z"),
			said(9, "of none", "2024-03-02T09:00:00Z"), said(1, " ", "2024-03-02T09:00:00Z")}
		run := func(wants []string, args ...string) {
			t.Helper()
			out := s.cli(t, append([]string{"admin", "import", jsonFile(t, issues),
				"--comments", jsonFile(t, comments), "--github", "Acme/Shop", "--into", o.Workspace}, args...)...)
			for _, want := range wants {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
		}
		notes := []string{"Titles truncated to 200 characters: 1.", "Labels changed or left out",
			"at GitHub: 1.", "Issues that are in the file more than once: 1.", "Blank comments left out: 1.",
			"Comments of pull requests, or of issues that the file lacks, left out: 2.", "Secrets removed ("}
		run(append(notes, ": 2 issues, 1 comment. Imported already: 0 issues.", "Nothing was changed"), "--dry-run")
		if n := len(o.all(t, "/v1/slices?workspaceId="+o.Workspace)); n != 0 {
			t.Errorf("a dry run imported %d", n)
		}
		run(append(notes, "New: 2 issues, 1 comment. Imported already: 0 issues."))
		run([]string{": 0 issues, 0 comments. Imported already: 2 issues."}, "--dry-run")
		rows := o.all(t, "/v1/slices?order=asc&workspaceId="+o.Workspace)
		byID := map[string]map[string]any{}
		for _, r := range rows {
			byID[r.(map[string]any)["externalId"].(string)] = r.(map[string]any)
		}
		first, second := byID["github:acme/shop#1"], byID["github:acme/shop#2"]
		if first == nil || second == nil {
			t.Fatalf("the issues 1 and 2 are not both imported: %v", rows)
		}
		assert.Equal(t, "imported issues", len(rows), 2)
		text, _ := json.Marshal(rows)
		assert.NotContains(t, "the imported slices", string(text), secret)
		wantMembers(t, "the second", second, members{"summary": "ab", "reporter.name": "oc"})
		assert.Equal(t, "metadata", first["metadata"].(map[string]any)["github.assignee"], "mona")
		assert.Equal(t, "labels", first["labels"].([]any)[0], "ui ux")
		issues[0].(map[string]any)["title"], issues[0].(map[string]any)["state"] = "Another title", "closed"
		comments = append(comments, said(1, "second "+secret, "2024-03-03T09:00:00Z"),
			said(1, "third", "2024-03-03T09:00:00Z"))
		run([]string{": 0 issues, 2 comments."}, "--dry-run")
		run([]string{"New: 0 issues, 2 comments. Imported already: 2 issues.", "): 1."})
		run([]string{"New: 0 issues, 0 comments. Imported already: 2 issues."})
		path := "/v1/slices/" + first["id"].(string)
		now := o.want(t, 200, "GET", path, nil).JSON(t)
		bodies := o.want(t, 200, "GET", path+"/comments", nil).Body
		wantMembers(t, "the first after the second import", now,
			members{"commentCount": 3, "status": "open", "summary": first["summary"]})
		assert.NotContains(t, "its comments", string(bodies), secret)
		if told := o.want(t, 200, "GET", path+"/activity", nil).
			Body; strings.Count(string(told), "slice.comment.created") != 2 {
			t.Errorf("%s", told)
		}
	})
}

// TestImportGitHubRefuses: a file that is another one than was meant is refused, by a dry run too,
// and nothing is imported.
func TestImportGitHubRefuses(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "refuses")
	good := []any{issue(1, nil)}
	far := strings.Repeat("a", 5000)
	for _, c := range []struct {
		issues, comments any
		flags            []string
		code             int
		says             string
	}{
		{good, nil, []string{"--github", "acme"}, 2, "--github must be OWNER/REPOSITORY"},
		{good, nil, []string{"--github", "acme/.."}, 2, "--github must be OWNER/REPOSITORY"},
		{good, nil, []string{"--github", "acme/shop/1"}, 2, "--github must be OWNER/REPOSITORY"},
		{good, nil, []string{"--github", "acme/" + far}, 2, "--github must be OWNER/REPOSITORY"},
		{good, nil, []string{"--github", "acme/shopp"}, 1,
			"issue 1 of the file: #1: it belongs to the repository acme/shop, not to acme/shopp"},
		{good, nil, []string{"--into", "wsp_nope"}, 1, "there is no workspace wsp_nope"},
		{[]any{issue(1, map[string]any{"html_url": nil, "repository_url": "https://api.github.com/repos/globex/web"})},
			nil, nil, 1, "globex/web"},
		{[]any{issue(1, map[string]any{"html_url": "https://github.com/acme/shop/issues/2"})}, nil, nil, 1, "says #2"},
		{[]any{issue(1, map[string]any{"html_url": "javascript:alert(1)"})}, nil, nil, 1, "is no address of GitHub"},
		{[]any{issue(1, map[string]any{"html_url": "https://" + far + "/acme/shop/issues/1"})},
			nil, nil, 1, "github:acme/shop#1: /sourceUrl at most 2048"},
		{[]any{issue(1, map[string]any{"number": "one"})}, nil, nil, 1, "number must not be a string"},
		{[]any{issue(1, map[string]any{"created_at": "9999-12-31T23:59:59-10:00"})}, nil, nil, 1, "/createdAt"},
		{[]any{issue(1, map[string]any{"created_at": "1969-12-31T23:59:59Z"})}, nil, nil, 1, "issue 1 of the file"},
		{`{"message":"Not Found"}`, nil, nil, 1, `holds no list of issues: GitHub answered "Not Found"`},
		{"PK\x03\x04junk", nil, nil, 1, "is a zip file"},
		{"", nil, nil, 1, "is no JSON"},
		{"<html>", nil, nil, 1, "is no JSON"},
		{good, good, nil, 1, "has no issue_url or created_at"},
		{good, `{"message":"Bad credentials"}`, nil, 1, "Bad credentials"},
		{good, []any{map[string]any{"issue_url": "https://api.github.com/repos/other/repo/issues/1",
			"body": "x", "created_at": "2024-03-02T09:00:00Z"}}, nil, 1, "comment 1 of"},
		{good, []any{map[string]any{"issue_url": "https://api.github.com/repos/acme/shop",
			"body": "x", "created_at": "2024-03-02T09:00:00Z"}}, nil, 1, "names no issue"},
		{good, []any{said(1, "x", "9999-12-31T23:59:59-10:00")}, nil, 1, "/createdAt"},
	} {
		args := []string{"admin", "import", jsonFile(t, c.issues), "--into", o.Workspace, "--github", "acme/shop"}
		if c.comments != nil {
			args = append(args, "--comments", jsonFile(t, c.comments))
		}
		args = append(args, c.flags...)
		for _, way := range [][]string{{"--dry-run"}, {}} {
			code, said := s.exit(append(args, way...)...)
			assert.Equal(t, fmt.Sprint(c.flags, " ", c.says, ": exit code"), code, c.code)
			assert.Contains(t, fmt.Sprint(c.flags, " ", c.says, ": the output"), said, c.says)
		}
	}
	if n := len(o.all(t, "/v1/slices?workspaceId="+o.Workspace)); n != 0 {
		t.Errorf("%d slices were imported", n)
	}
}

// TestImportGitHubIdentities: a comment is the same whatever became of its author, and comments and issues of one
// second keep the order of the file.
func TestImportGitHubIdentities(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "identities")
		by := func(author any, id int, body string) map[string]any {
			c := said(1, body, "2024-03-02T09:00:00Z")
			if c["user"] = nil; author != nil {
				c["user"] = map[string]any{"login": author}
			}
			if id > 0 {
				c["id"] = id
			}
			return c
		}
		run := func(want string, issues, comments []any) {
			t.Helper()
			out := s.cli(t, "admin", "import", jsonFile(t, issues), "--comments",
				jsonFile(t, comments), "--github", "acme/shop", "--into", o.Workspace)
			assert.Contains(t, "the output", out, want)
		}
		issues, comments, want := []any{}, []any{}, ""
		for i := range 9 {
			issues = append(issues, issue(i+1, nil))
			comments = append(comments, by("mona", 900-i*100, fmt.Sprint("comment ", i)))
			want += fmt.Sprint(i, " ")
		}
		run("New: 9 issues, 9 comments.", issues, comments)
		rows, numbers, slice := o.all(t, "/v1/slices?order=asc&workspaceId="+o.Workspace), "", ""
		for _, r := range rows {
			numbers += strings.TrimPrefix(r.(map[string]any)["externalId"].(string), "github:acme/shop#") + " "
			if strings.HasSuffix(r.(map[string]any)["externalId"].(string), "#1") {
				slice = "/v1/slices/" + r.(map[string]any)["id"].(string)
			}
		}
		assert.Equal(t, "the order of the issues", numbers, "1 2 3 4 5 6 7 8 9 ")
		order := func() (got string) {
			for _, c := range o.want(t, 200, "GET", slice+"/comments", nil).get(t, "data").([]any) {
				got += strings.TrimPrefix(c.(map[string]any)["body"].(string), "comment ") + " "
			}
			return got
		}
		assert.Equal(t, "the order of the comments", order(), want)
		for i := range comments {
			comments[i].(map[string]any)["user"] = map[string]any{"login": "mona-renamed"}
		}
		comments[3].(map[string]any)["user"] = nil
		comments[4].(map[string]any)["body"] = "edited there"
		run("New: 0 issues, 0 comments.", issues, comments)
		run("New: 0 issues, 1 comment.", issues, append(comments, by("mona-renamed", 950, "comment 9")))
		assert.Equal(t, "the order of the comments with another", order(), want+"9 ")
		// Comments without an id are recognised by their author or their text.
		run("New: 0 issues, 1 comment.", issues, []any{by("hubot", 0, "comment 10")})
		run("New: 0 issues, 0 comments.", issues, []any{by("ghost", 0, "comment 10")})
		run("New: 0 issues, 0 comments.", issues, []any{by("hubot", 0, "edited")})
		// Newest first, as GitHub lists issues: those of one second are in the order of their creation.
		second := func(n int) any { return issue(n, map[string]any{"created_at": "2024-04-01T09:00:00Z"}) }
		run("New: 3 issues", []any{issue(14, map[string]any{"created_at": "2024-05-01T09:00:00Z"}), second(13),
			second(12)}, nil)
		numbers = ""
		for _, r := range o.all(t, "/v1/slices?order=asc&workspaceId="+o.Workspace)[9:] {
			numbers += r.(map[string]any)["externalId"].(string) + " "
		}
		assert.Equal(t, "the order of the issues", numbers,
			"github:acme/shop#12 github:acme/shop#13 github:acme/shop#14 ")
	})
}

// TestImportGitHubEncodings: files of gh api --slurp, with byte order marks, and of PowerShell are read.
func TestImportGitHubEncodings(t *testing.T) {
	s := oneEngine(t)
	for name, encode := range map[string]func(string) string{
		"slurp":           func(s string) string { return "[" + s + ",[]]" },
		"mark":            func(s string) string { return "\xef\xbb\xbf" + s },
		"mark and slurp":  func(s string) string { return "\xef\xbb\xbf[" + s + "]\r\n" },
		"UTF-16":          func(s string) string { return utf16Of("\ufeff"+s, false) },
		"big endian":      func(s string) string { return utf16Of("\ufeff"+s, true) },
		"without a mark":  func(s string) string { return utf16Of(s, false) },
		"big, without it": func(s string) string { return utf16Of(s, true) },
	} {
		o := newOrg(t, s, "encodings")
		text := func(v ...any) string {
			b, err := json.Marshal(v)
			must(t, err)
			return encode(string(b))
		}
		out := s.cli(t, "admin", "import", jsonFile(t, text(issue(1, map[string]any{"title": "größer 🎉"}))),
			"--comments", jsonFile(t, text(said(1, "ü", "2024-03-02T09:00:00Z"))),
			"--github", "acme/shop", "--into", o.Workspace)
		assert.Contains(t, name, out, "New: 1 issue, 1 comment.")
		rows, _ := json.Marshal(o.all(t, "/v1/slices?workspaceId="+o.Workspace))
		assert.Contains(t, name, string(rows), "größer 🎉")
	}
}

func utf16Of(s string, bigEndian bool) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(s)) {
		if bigEndian {
			b = append(b, byte(unit>>8), byte(unit))
		} else {
			b = append(b, byte(unit), byte(unit>>8))
		}
	}
	return string(b)
}
