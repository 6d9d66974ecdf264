package suite

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bugslice/internal/assert"
)

// rewritten copies an export, with entries as change makes them; nil leaves one out.
func rewritten(t *testing.T, file string, change func(name string, content []byte) []byte) string {
	t.Helper()
	in, err := zip.OpenReader(file)
	must(t, err)
	defer in.Close()
	var b bytes.Buffer
	out := zip.NewWriter(&b)
	for _, f := range in.File {
		r, err := f.Open()
		must(t, err)
		content, err := io.ReadAll(r)
		must(t, err)
		if content = change(f.Name, content); content == nil {
			continue
		}
		w, err := out.Create(f.Name)
		must(t, err)
		_, err = w.Write(content)
		must(t, err)
	}
	must(t, out.Close())
	copied := filepath.Join(t.TempDir(), "changed.zip")
	must(t, os.WriteFile(copied, b.Bytes(), 0o600))
	return copied
}

// member changes a member of the first record of a table.
func member(table, column string, value any) func(string, []byte) []byte {
	return func(name string, content []byte) []byte {
		if name != "records/"+table+".ndjson" {
			return content
		}
		first, rest, _ := bytes.Cut(content, []byte("\n"))
		d := json.NewDecoder(bytes.NewReader(first))
		d.UseNumber()
		var r map[string]any
		if d.Decode(&r) != nil {
			return content
		}
		r[column] = value
		first, _ = json.Marshal(r)
		return append(append(first, '\n'), rest...)
	}
}

// described changes export.json: it is that of another export, with so many more records and files.
func described(content []byte, id string, more map[string]int) []byte {
	var m map[string]any
	if json.Unmarshal(content, &m) != nil {
		return content
	}
	records := m["records"].(map[string]any)
	for name, n := range more {
		if was, ok := records[name].(float64); ok {
			records[name] = was + float64(n)
		} else {
			m[name] = m[name].(float64) + float64(n)
		}
	}
	m["id"] = m["id"].(string) + id
	content, _ = json.Marshal(m)
	return content
}

var workspaceID = regexp.MustCompile(`wsp_[0-9a-z]{26}`)

// TestImportRefuses: an export with a value that the API would not answer is refused, with the record and the member,
// and nothing that is answered afterwards is outside of the document. On PostgreSQL the values are those that it
// would refuse, or store as others: numbers, NUL, null, and references.
func TestImportRefuses(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "refuses")
		id := o.slice(t, o.Workspace, map[string]any{"evidence": captured()})["id"].(string)
		o.want(t, 201, "POST", "/v1/slices/"+id+"/comments", map[string]any{"body": "hello"})
		file := filepath.Join(t.TempDir(), "w.zip")
		s.cli(t, "admin", "export", "--workspace", o.Workspace, "--output", file)
		for i, c := range []struct {
			table, column string
			value         any
			says          string
		}{
			{"workspaces", "name", "", "/name"},
			{"workspaces", "redaction", `{"fields":[],"patterns":[{"pattern":"("}],"allow":[]}`, "redaction"},
			{"slices", "summary", strings.Repeat("x", 201), "/summary"},
			{"slices", "summary", nil, "summary"},
			{"slices", "status", "melting", "/status"},
			{"slices", "status", "resolved", "/resolution"},
			{"slices", "resolution", "fixed", "/resolution"},
			{"slices", "reporter_type", "ghost", "/reporter/type"},
			{"slices", "labels", `["a",7]`, "slices slc_"},
			{"slices", "environment", "{", "slices slc_"},
			{"slices", "last_occurrence", `{"at":"2026-11-20T10:00:00Z","reporterName":"x","environment":{"commit":"` +
				strings.Repeat("x", 201) + `"},"metadata":{}}`, "/lastOccurrence/environment/commit"},
			{"slices", "last_occurrence", `{"at":"2026-11-20T10:00:00Z"}`, "/lastOccurrence/metadata"},
			{"slices", "created_at", json.Number("1e300"), "/created_at must be at most 253402300799999"},
			{"slices", "created_at", json.Number("9000000000000000"), "slices slc_"},
			{"slices", "number", json.Number("0"), "/number"},
			{"slices", "number", json.Number("9223372036854775807"), "/number must be at most 1000000000000"},
			{"slices", "occurrence_count", json.Number("9223372036854775807"), "/occurrence_count must be"},
			{"slices", "comment_count", json.Number("-1"), "/comment_count must be"},
			{"slices", "updated_at", json.Number("9e+18"), "/updated_at must be at most 253402300799999"},
			{"slices", "summary", "a\x00b", "/summary must not hold U+0000"},
			{"slices", "summary", []string{"a"}, "/summary must be text"},
			{"slices", "metadata", `{"k":"a\u0000b"}`, "/metadata/k must not hold U+0000"},
			{"slices", "space_id", "spc_01ja8m2c9tf3qb6h0v5r4x7kyz", "/space_id names no space of this export"},
			{"slices", "fingerprint", strings.Repeat("f", 201), "/fingerprint"},
			{"workspaces", "name", "a\x00b", "/name must not hold U+0000"},
			{"workspaces", "created_at", json.Number("1e300"), "/created_at must be"},
			{"users", "email", "a\x00b", "/email must not hold U+0000"},
			{"comments", "slice_id", nil, "/slice_id must be string, not null"},
			{"attachments", "slice_id", "slc_01ja8m2c9tf3qb6h0v5r4x7kyz", "/slice_id names no slice of this export"},
			{"attachments", "stored", json.Number("-1000000000000"), "/stored must be"},
			{"attachments", "size", json.Number("7"), "/size is 7, and the bytes of blb_"},
			{"attachments", "sha256", strings.Repeat("0", 64), "/sha256 is not that of the bytes"},
			{"attachments", "packed", json.Number("0"), "/packed must be 1 exactly where there are entries"},
			{"attachments", "entries", nil, "/packed must be 1 exactly where there are entries"},
			{"attachments", "entries", json.Number("77"), "/entries says 77"},
			{"attachments", "kind", "actions", "line 1: /"},
			{"attachments", "content_type", "text/", "/content_type"},
			{"events", "subject_id", "slc_01ja8m2c9tf3qb6h0v5r4x7kyz", "/subject_id names no slice of this export"},
			{"slices", "surprise", "x", "newer version"},
			{"slices", "id", "slc_1", "/id"},
			{"comments", "body", "", "/body"},
			{"comments", "slice_id", "slc_01ja8m2c9tf3qb6h0v5r4x7kyz", "comments"},
			{"attachments", "thumbnail", "../../secret", "no key of a file"},
			{"attachments", "size", json.Number("-1"), "/size"},
			{"attachments", "kind", "rumour", "/kind"},
			{"events", "data", "[]", "events evt_"},
			{"events", "type", "rumour", "/type"},
		} {
			if s.engine == "postgres" && !full() && !decidedBySQL(c.column, c.value) {
				continue
			}
			t.Run(c.table+" "+c.column, func(t *testing.T) {
				change := member(c.table, c.column, c.value)
				code, said := s.exit("admin", "import", "--org", o.ID,
					rewritten(t, file, func(name string, content []byte) []byte {
						if name == "export.json" { // a workspace of its own
							content = bytes.Replace(content, []byte(`"id":"`), []byte(fmt.Sprintf(`"id":"%d`, i)), 1)
						}
						return change(name, content)
					}))
				assert.Equal(t, "exit code", code, 1)
				assert.Contains(t, "the refusal", said, c.says, c.table)
				assert.NotContains(t, "the refusal", said, "panic")
				if left := workspaceID.FindString(said); c.table != "workspaces" &&
					(left == "" || !strings.Contains(said, "The same command continues the import")) {
					t.Errorf("what is left behind is not said: %s", said)
				}
			})
		}
		for _, row := range o.all(t, "/v1/workspaces?") { // each walk is held against the document
			w := row.(map[string]any)["id"].(string)
			for _, slice := range o.all(t, "/v1/slices?workspaceId="+w) {
				for _, part := range []string{"/comments?", "/attachments?", "/activity?", "/console?"} {
					o.all(t, "/v1/slices/"+slice.(map[string]any)["id"].(string)+part)
				}
			}
		}
	})
}

// decidedBySQL reports whether a database might refuse a value of a column, or store another one.
func decidedBySQL(column string, value any) bool {
	_, number := value.(json.Number)
	text, _ := value.(string)
	return number || value == nil || strings.Contains(text, "\x00") || strings.Contains(text, `\u0000`) ||
		strings.HasSuffix(column, "_id")
}

// TestImportRefusesAlteredFiles: files that differ from their records are refused, and none of them is stored.
func TestImportRefusesAlteredFiles(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "holds")
	id := o.slice(t, o.Workspace, nil)["id"].(string)
	o.upload(t, 201, id, "shot.png", "image/png", picture(600, 400))
	pictured := filepath.Join(t.TempDir(), "w.zip")
	s.cli(t, "admin", "export", "--workspace", o.Workspace, "--output", pictured)
	evidence := func(e map[string]any) string {
		other := o.want(t, 201, "POST", "/v1/workspaces", map[string]any{"name": "other"}).get(t, "id").(string)
		o.slice(t, other, map[string]any{"evidence": e})
		file := filepath.Join(t.TempDir(), "w.zip")
		s.cli(t, "admin", "export", "--workspace", other, "--output", file)
		return file
	}
	all := captured()
	console := evidence(map[string]any{"console": all["console"]})
	network := evidence(map[string]any{"network": all["network"]})
	replay := evidence(map[string]any{"replay": all["replay"]})
	bytesOf := func(content func([]byte) []byte) func(string, []byte) []byte {
		return func(name string, b []byte) []byte {
			if strings.HasPrefix(name, "blobs/") {
				return content(b)
			}
			return b
		}
	}
	lines := func(rows int, text string) func(string, []byte) []byte { // packed, and the record says just this
		sum := sha256.Sum256([]byte(text))
		return func(name string, b []byte) []byte {
			for column, v := range map[string]any{"sha256": hex.EncodeToString(sum[:]), "size": len(text),
				"entries": rows} {
				b = member("attachments", column, v)(name, b)
			}
			return bytesOf(func([]byte) []byte {
				var packed bytes.Buffer
				z := gzip.NewWriter(&packed)
				_, err := z.Write([]byte(text))
				must(t, err)
				must(t, z.Close())
				return packed.Bytes()
			})(name, b)
		}
	}
	for i, c := range []struct {
		what, file string
		change     func(string, []byte) []byte
		says       string
	}{
		{"another picture", pictured, bytesOf(func(b []byte) []byte { return append(b, 0) }), "/size is"},
		{"a thumbnail that is none", pictured, func(name string, b []byte) []byte {
			if strings.HasPrefix(name, "blobs/") && len(b) < len(picture(600, 400)) {
				return []byte("<script>")
			}
			return b
		}, "is no picture"},
		{"empty", console, bytesOf(func([]byte) []byte { return []byte{} }), "the bytes of blb_"},
		{"cut", console, bytesOf(func(b []byte) []byte { return b[:len(b)/2] }), "the bytes of blb_"},
		{"not packed", console, bytesOf(func([]byte) []byte { return []byte("{}\n") }), "the bytes of blb_"},
		{"no JSON", console, lines(1, "junk\n"), "line 1: is no JSON object"},
		{"no line of a console", console, lines(1, "{}\n"), "line 1: /level"},
		{"a wrong type", console, lines(1, `{"level":7}`+"\n"), "line 1: json"},
		{"no head", network, lines(0, "[]\n"), "line 0: is no JSON object"},
		{"no request", network, lines(1, "{}\n"+`{"request":7}`+"\n"), "line 1: must have a request"},
		{"a date that is none", network, lines(1,
			"{}\n"+`{"startedDateTime":"soon","request":{"method":"GET","url":"/"},"response":{"status":200}}`+"\n"),
			"line 1: startedDateTime must be an RFC 3339"},
		{"no event", replay, lines(1, `{"type":1}`+"\n"), "line 1: is no event of rrweb"},
	} {
		t.Run(c.what, func(t *testing.T) {
			code, said := s.exit("admin", "import", "--org", o.ID,
				rewritten(t, c.file, func(name string, b []byte) []byte {
					if name == "export.json" {
						b = bytes.Replace(b, []byte(`"id":"`), []byte(fmt.Sprintf(`"id":"h%d`, i)), 1)
					}
					return c.change(name, b)
				}))
			assert.Equal(t, "exit code", code, 1)
			assert.Contains(t, "the refusal", said, "attachments att_", c.says)
			left := workspaceID.FindString(said)
			if said := s.cli(t, "admin", "import", c.file, "--into", left); !strings.Contains(said, " 1 file.") {
				t.Errorf("the whole one is not gone on with: %s", said)
			}
			s.cli(t, "admin", "workspace", "remove", "--workspace", left)
			o.want(t, 404, "GET", "/v1/workspaces/"+left, nil)
		})
	}
}

// TestImportRefusesImpossibleReferences: records that name each other as the API would refuse are refused.
func TestImportRefusesImpossibleReferences(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "tangled")
		first := o.slice(t, o.Workspace, nil)["id"].(string)
		second := o.slice(t, o.Workspace, map[string]any{"duplicateOfId": first})["id"].(string)
		o.upload(t, 201, first, "a.txt", "text/plain", "a")
		o.upload(t, 201, second, "b.txt", "text/plain", "a")
		file := filepath.Join(t.TempDir(), "w.zip")
		s.cli(t, "admin", "export", "--workspace", o.Workspace, "--output", file)
		again := func(table string) func(string, []byte) []byte { // the first record stands there twice
			return func(name string, b []byte) []byte {
				if name == "records/"+table+".ndjson" {
					line, _, _ := bytes.Cut(b, []byte("\n"))
					return append(b, line...)
				}
				return b
			}
		}
		var key string
		rewritten(t, file, func(name string, b []byte) []byte {
			if strings.HasPrefix(name, "blobs/") && key == "" {
				key = strings.TrimPrefix(name, "blobs/")
			}
			return b
		})
		for i, c := range []struct {
			change func(string, []byte) []byte
			says   string
			more   map[string]int
		}{
			{member("slices", "duplicate_of_id", second), "duplicates of each other", nil},
			{member("slices", "duplicate_of_id", first), "duplicates of each other", nil},
			{again("slices"), "/id is that of another record", map[string]int{"slices": 1}},
			{again("attachments"), "is the file of another record", map[string]int{"attachments": 1}},
			{func(name string, b []byte) []byte {
				return member("attachments", "thumbnail", key)(name, b)
			}, "is the file of another record", nil},
		} {
			code, said := s.exit("admin", "import", "--org", o.ID,
				rewritten(t, file, func(name string, b []byte) []byte {
					if name == "export.json" {
						b = described(b, fmt.Sprint("t", i), c.more)
					}
					return c.change(name, b)
				}))
			assert.Equal(t, fmt.Sprint(i, ": exit code"), code, 1)
			assert.Contains(t, fmt.Sprint(i, ": the output"), said, c.says)
		}
	})
}

// TestImportTruncatesLongTexts: an export from before redaction kept to the limits is imported with truncated texts,
// reported as such; counts and bytes are those that are stored.
func TestImportTruncatesLongTexts(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "longer")
		id := o.slice(t, o.Workspace, map[string]any{"sourceUrl": "https://a.example/"})["id"].(string)
		o.want(t, 201, "POST", "/v1/slices/"+id+"/comments", map[string]any{"body": "hello"})
		o.upload(t, 201, id, "a.txt", "text/plain", "text")
		file := filepath.Join(t.TempDir(), "w.zip")
		s.cli(t, "admin", "export", "--workspace", o.Workspace, "--output", file)
		long, address := strings.Repeat("[redacted:password] ", 11_000), "https://a.example/?"+
			strings.Repeat("a=[redacted:token]&", 300)
		said := s.cli(t, "admin", "import", "--org", o.ID, rewritten(t, file, func(name string, b []byte) []byte {
			b = member("comments", "body", long)(name, b)
			b = member("slices", "source_url", address)(name, b)
			b = member("slices", "environment", `{"buildUrl":"`+address+`"}`)(name, b)
			b = member("slices", "comment_count", 0)(name, b)
			b = member("attachments", "stored", json.Number("900000000000"))(name, b)
			if name == "records/events.ndjson" {
				b = bytes.ReplaceAll(b, []byte(`hello`), []byte(long))
			}
			return b
		}))
		assert.Contains(t, "the output", said,
			"Comments and addresses truncated, or left out because they would run a script: 3.")
		second := filepath.Join(t.TempDir(), "second.zip")
		s.cli(t, "admin", "export", "--workspace", o.Workspace, "--output", second)
		unsafe := s.cli(t, "admin", "import", "--org", o.ID, rewritten(t, second, func(name string, b []byte) []byte {
			return member("slices", "environment", `{"buildUrl":"data:text/html,x"}`)(name,
				member("slices", "source_url", "javascript:alert(1)")(name, b))
		}))
		if kept := o.all(t, "/v1/slices?workspaceId="+
			workspaceID.FindString(unsafe))[0].(map[string]any); !strings.Contains(unsafe,
			"would run a script: 2.") || kept["sourceUrl"] != nil {
			t.Errorf("%s %v", unsafe, kept["sourceUrl"])
		}
		w := workspaceID.FindString(said)
		copied := o.all(t, "/v1/slices?workspaceId="+w)[0].(map[string]any)
		if copied["commentCount"] != float64(1) || !strings.HasPrefix(address, copied["sourceUrl"].(string)) {
			t.Errorf("%v", copied)
		}
		theirs := "/v1/slices/" + copied["id"].(string)
		if body := o.all(t, theirs+"/comments?")[0].(map[string]any)["body"].(string); len(body) != 65536 {
			t.Errorf("the body has %d characters", len(body))
		}
		o.all(t, theirs+"/activity?")
		o.upload(t, 201, copied["id"].(string), "b.txt", "text/plain", "fits the quota")
		code, said := s.exit("admin", "workspace", "remove", "--workspace", w)
		assert.Equal(t, "exit code", code, 1)
		assert.Contains(t, "the output", said, "nothing was changed")
	})
}

// TestImportDropsDanglingReferences: references to records that the export lacks are dropped.
func TestImportDropsDanglingReferences(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "fits")
		lost := o.slice(t, o.Workspace, nil)["id"].(string)
		early := o.slice(t, o.Workspace, map[string]any{"externalId": "early", "duplicateOfId": lost})["id"].(string)
		late := o.slice(t, o.Workspace, map[string]any{"externalId": "late", "duplicateOfId": lost})["id"].(string)
		o.want(t, 200, "PATCH", "/v1/slices/"+early, map[string]any{"duplicateOfId": late})
		o.want(t, 204, "DELETE", "/v1/slices/"+lost, nil)
		o.upload(t, 201, early, "stays.txt", "text/plain", "stays")
		gone := o.upload(t, 201, early, "gone.txt", "text/plain", "gone").get(t, "sha256")
		o.want(t, 201, "POST", "/v1/slices/"+early+"/comments", map[string]any{"body": "@" + o.UserID + " see " + late})
		file := filepath.Join(t.TempDir(), "w.zip")
		s.cli(t, "admin", "export", "--workspace", o.Workspace, "--output", file)
		file = rewritten(t, file, func(name string, content []byte) []byte {
			if strings.HasPrefix(name, "blobs/") && string(content) == "gone" {
				return nil
			}
			if name == "export.json" { // which does not count a file that was deleted meanwhile
				return described(content, "", map[string]int{"blobs": -1})
			}
			return content
		})
		said := s.cli(t, "admin", "import", file, "--org", o.ID)
		if !strings.Contains(said, "New: 2 slices, 1 comment, 1 file.") ||
			!strings.Contains(said, "Files deleted while the export was written: 1.") {
			t.Fatalf("%s", said)
		}
		w := workspaceID.FindString(said)
		find := func(externalID string) map[string]any {
			return o.want(t, 200, "GET", "/v1/slices?externalId="+externalID+"&workspaceId="+w,
				nil).get(t, "data").([]any)[0].(map[string]any)
		}
		a, b := find("early"), find("late")
		wantMembers(t, "the early one", a, members{"duplicateOfId": b["id"], "attachmentCount": 1})
		wantMembers(t, "the late one", b, members{"duplicateOfId": nil})
		if files := o.want(t, 200, "GET", "/v1/slices/"+a["id"].(string)+"/attachments",
			nil).Body; strings.Contains(string(files), gone.(string)) {
			t.Errorf("%s", files)
		}
		mentions := o.want(t, 200, "GET", "/v1/slices/"+a["id"].(string)+"/comments",
			nil).get(t, "data").([]any)[0].(map[string]any)["mentions"].([]any)
		if len(mentions) != 1 {
			t.Errorf("%v", mentions)
		}
		// What was changed since is not changed back.
		o.want(t, 200, "PATCH", "/v1/slices/"+a["id"].(string), map[string]any{"duplicateOfId": nil})
		s.cli(t, "admin", "import", file, "--org", o.ID)
		again := find("early")
		wantMembers(t, "again", again, members{"duplicateOfId": nil, "attachmentCount": 1})
	})
}

// TestImportAddsMembers: slices of an export stay assigned to users with the same address who are members; others
// become members on request, also when the export was imported before. The output says so.
func TestImportAddsMembers(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "assignees")
		member, memberID := o.newUser(t, "mona", o.Workspace)
		for i, assignee := range []string{o.UserID, memberID, memberID, ""} {
			fields := map[string]any{"workspaceId": o.Workspace, "summary": fmt.Sprint("slice ", i)}
			if assignee != "" {
				fields["assigneeId"] = assignee
			}
			o.want(t, 201, "POST", "/v1/slices", fields)
		}
		file := filepath.Join(t.TempDir(), "e.zip")
		s.cli(t, "admin", "export", "--workspace", o.Workspace, "--output", file)
		target := o.want(t, 201, "POST", "/v1/workspaces", map[string]any{"name": "target"}).get(t, "id").(string)
		assigned := func() (n int) {
			for _, r := range o.all(t, "/v1/slices?workspaceId="+target) {
				if r.(map[string]any)["assigneeId"] != nil {
					n++
				}
			}
			return n
		}
		out := s.cli(t, "admin", "import", file, "--into", target)
		assert.Contains(t, "the output", out, "Slices assigned to the user with the same e-mail address here: 1.")
		assert.Contains(t, "the output", out, "is no member of the workspace (--add-members makes them members): 2.")
		assert.Equal(t, "assigned slices", assigned(), 1)
		member.want(t, 404, "GET", "/v1/workspaces/"+target, nil)
		out = s.cli(t, "admin", "import", file, "--into", target, "--add-members")
		assert.Contains(t, "the output", out,
			"Users made members of the workspace, because slices are assigned to them: 1.")
		assert.Contains(t, "the output", out, "Slices assigned to the user with the same e-mail address here: 2.")
		assert.Equal(t, "assigned slices", assigned(), 3)
		member.want(t, 200, "GET", "/v1/workspaces/"+target, nil)
		out = s.cli(t, "admin", "import", file, "--into", target, "--add-members")
		assert.NotContains(t, "the output", out, "ssigned")
		other := newOrg(t, s, "elsewhere")
		out = s.cli(t, "admin", "import", file, "--into", other.Workspace, "--add-members")
		assert.Contains(t, "the output", out, "because no user here has the e-mail address of their assignee: 3.")
		assert.NotContains(t, "the output", out, "made members")
		code, said := s.exit("admin", "import", jsonFile(t, []any{issue(1, nil)}), "--github", "acme/shop",
			"--into", target, "--add-members")
		assert.Equal(t, "the exit code", code, 2)
		assert.Contains(t, "the output", said, "--add-members requires an export")
	})
}
