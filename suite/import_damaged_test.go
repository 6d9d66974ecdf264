package suite

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"bugslice/internal/assert"
)

// TestImportRefusesDamaged: an export whose content differs from export.json is refused before anything is imported,
// with the name of the missing entry.
func TestImportRefusesDamaged(t *testing.T) {
	s := oneEngine(t)
	o := newOrg(t, s, "damaged")
	id := o.slice(t, o.Workspace, nil)["id"].(string)
	o.want(t, 201, "POST", "/v1/slices/"+id+"/comments", map[string]any{"body": "one"})
	o.want(t, 201, "POST", "/v1/slices/"+id+"/comments", map[string]any{"body": "two"})
	o.upload(t, 201, id, "shot.png", "image/png", picture(300, 200))
	file := filepath.Join(t.TempDir(), "w.zip")
	s.cli(t, "admin", "export", "--workspace", o.Workspace, "--output", file)
	var keys []string
	without := func(table string) func(string, []byte) []byte {
		return func(name string, b []byte) []byte {
			if name == "records/"+table+".ndjson" {
				_, b, _ = bytes.Cut(b, []byte("\n"))
			}
			return b
		}
	}
	for what, c := range map[string]struct {
		change func(name string, b []byte) []byte
		says   func() string
	}{
		"fewer comments": {without("comments"),
			func() string { return "says that there are 2 comments, and there are 1" }},
		"fewer events": {without("events"), func() string { return "says that there are 4 events, and there are 3" }},
		"no slices":    {without("slices"), func() string { return "says that there are 1 slices, and there are 0" }},
		"no workspace": {without("workspaces"),
			func() string { return "says that there are 1 workspaces, and there are 0" }},
		"a table left out": {func(name string, b []byte) []byte {
			if name == "records/comments.ndjson" {
				return nil
			}
			return b
		}, func() string { return "says that there are 2 comments, and there are 0" }},
		"a table more": {func(name string, b []byte) []byte {
			return bytes.Replace(b, []byte(`"records":{`), []byte(`"records":{"rumours":2,`), 1)
		}, func() string { return "says that there are 2 rumours, and there are 0" }},
		"no file": {func(name string, b []byte) []byte {
			if key, ok := strings.CutPrefix(name, "blobs/"); ok {
				keys = append(keys, key)
				return nil
			}
			return b
		}, func() string { return "missing are " + keys[0] + ", " + keys[1] }},
		"another file": {func(name string, b []byte) []byte {
			if name == "records/attachments.ndjson" {
				return member("attachments", "blob", "blb_01ja8m2c9tf3qb6h0v5r4x7kyz")(name, b)
			}
			return b
		}, func() string { return "files that no record names" }},
	} {
		code, said := s.exit("admin", "import", "--org", o.ID, rewritten(t, file, c.change))
		assert.Equal(t, what+": exit code", code, 1)
		assert.Contains(t, what, said, c.says(), "nothing was imported")
		if workspaceID.MatchString(said) {
			t.Errorf("%s: a workspace was made: %s", what, said)
		}
	}
	twice := filepath.Join(t.TempDir(), "twice.zip")
	appended(t, file, twice, "records/comments.ndjson", strings.NewReader(""))
	if code, said := s.exit("admin", "import", "--org", o.ID, twice); code != 1 ||
		!strings.Contains(said, "holds records/comments.ndjson twice") {
		t.Errorf("an entry twice: %d %s", code, said)
	}
}

// appended copies a zip file with one more entry.
func appended(t *testing.T, from, to, name string, content io.Reader) {
	t.Helper()
	in, err := zip.OpenReader(from)
	must(t, err)
	defer in.Close()
	out, err := os.Create(to)
	must(t, err)
	z := zip.NewWriter(out)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser,
		error) {
		return flate.NewWriter(w, flate.BestSpeed)
	})
	for _, f := range in.File {
		must(t, z.Copy(f))
	}
	w, err := z.Create(name)
	must(t, err)
	_, err = io.Copy(w, content)
	must(t, err)
	must(t, z.Close())
	must(t, out.Close())
}

// repeated is a text so many times.
func repeated(text string, times int) io.Reader {
	const some = 1 << 10
	chunk := strings.Repeat(text, some)
	all := make([]io.Reader, times/some)
	for i := range all {
		all[i] = strings.NewReader(chunk)
	}
	return io.MultiReader(all...)
}

// bomb writes an export of a slice that has an event, with one entry of other content.
func bomb(t *testing.T, name string, content io.Reader) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bomb.zip")
	empty := filepath.Join(t.TempDir(), "empty.zip")
	const wsp, slc, evt, at = "wsp_01ja8m2c9tf3qb6h0v5r4x7kyz", "slc_01ja8m2c9tf3qb6h0v5r4x7kyz",
		"evt_01ja8m2c9tf3qb6h0v5r4x7kyz", `"created_at":1,"updated_at":1`
	entries := map[string]string{
		"export.json": `{"format":1,"id":"bomb","records":{"workspaces":1,"slices":1,"events":1},"blobs":0}`,
		"records/workspaces.ndjson": `{"id":"` + wsp +
			`","name":"bomb","description":null,"redaction":"","last_number":1,` + at + `}`,
		"records/slices.ndjson": `{"id":"` + slc + `","workspace_id":"` +
			wsp + `","number":1,"summary":"s","status":"open","labels":"","reporter_type":"user","reporter_name":"n","environment":"",` +
			`"metadata":"","attachment_count":0,"comment_count":0,"version":1,"occurrence_count":1,"last_seen_at":1,"symptoms":"",` +
			`"redaction":"",` + at + `}`,
		"records/events.ndjson": `{"id":"` + evt + `","org_id":"","workspace_id":"` +
			wsp + `","type":"slice.updated","actor_type":"system","subject_kind":"slice","subject_id":"` +
			slc + `","data":"{}","created_at":1}`,
		"records/comments.ndjson":    "",
		"records/attachments.ndjson": "",
	}
	delete(entries, name)
	out, err := os.Create(empty)
	must(t, err)
	z := zip.NewWriter(out)
	for entry, text := range entries {
		w, err := z.Create(entry)
		must(t, err)
		_, err = io.WriteString(w, text)
		must(t, err)
	}
	must(t, z.Close())
	must(t, out.Close())
	appended(t, empty, file, name, content)
	return file
}

// TestImportIsBounded: a small file that unpacks to a large one is refused in little memory, and with
// few words.
func TestImportIsBounded(t *testing.T) {
	t.Parallel()
	const large, most = 128 << 20, 200 << 20
	record := func(column, open string, middle io.Reader, end string) io.Reader {
		base := `"id":"evt_01ja8m2c9tf3qb6h0v5r4x7kyz","org_id":"","workspace_id":"w","type":"slice.updated","actor_type":"system",` +
			`"subject_kind":"slice","subject_id":"slc_01ja8m2c9tf3qb6h0v5r4x7kyz","data":"{}","created_at":1`
		base = regexp.MustCompile(`"`+column+`":[^,]*,`).ReplaceAllString(base, "")
		return io.MultiReader(strings.NewReader(`{`+base+`,"`+column+`":`+open), middle, strings.NewReader(end+"}"))
	}
	const fits = 4<<20 - 5000
	s := shared(t, tested()[0]) // what refuses them knows no database
	o := newOrg(t, s, "bounded")
	for what, file := range map[string]string{
		"a long line":              bomb(t, "records/events.ndjson", record("data", `"`, repeated("x", large), `"`)),
		"a line that does not end": bomb(t, "records/slices.ndjson", repeated("[", large)),
		"a long export.json": bomb(t, "export.json", io.MultiReader(strings.NewReader(`{"format":1,"id":"`),
			repeated("x", large), strings.NewReader(`"}`))),
		"many lines":  bomb(t, "records/comments.ndjson", repeated("{}\n", large/3)),
		"a long list": bomb(t, "records/events.ndjson", record("data", "[", repeated("0,", fits/2), "0]")),
		"a long list in a text": bomb(t, "records/events.ndjson",
			record("data", `"{\"previous\":{\"labels\":[`, repeated("{},", fits/3), `0]}}"`)),
		"deep lists in a text": bomb(t, "records/events.ndjson",
			record("data", `"{\"previous\":{\"labels\":`, repeated("[", fits), `}}"`)),
		"a number of many digits": bomb(t, "records/events.ndjson", record("sequence", "", repeated("1", fits), "")),
		"a type of many letters":  bomb(t, "records/events.ndjson", record("type", `"`, repeated("x", fits), `"`)),
		"a name of many letters": bomb(t, "records/events.ndjson",
			record("data", `"{}","`, repeated("x", fits), `":[]`)),
		"a large row of evidence":   evidenceBomb(t, s, o, large),
		"a row as large as they go": evidenceBomb(t, s, o, 31<<20),
	} {
		code, used, out := measured(t, append([]string{"admin", "import", "--org", o.ID, file}, s.place...)...)
		t.Logf("%s: %d MiB", what, used>>20)
		refused := what != "a row as large as they go" // whose text is truncated
		if (code != 0) != refused {
			t.Errorf("%s: exit code %d: %.2000s", what, code, out)
		}
		if used == 0 || used > most {
			t.Errorf("%s: %d MiB of memory, want at most %d", what, used>>20, most>>20)
		}
		if len(out) > 4000 {
			t.Errorf("%s: %d bytes of output, want at most 4000: %.500s", what, len(out), out)
		}
		if left := workspaceID.FindString(out); left != "" {
			s.cli(t, "admin", "workspace", "remove", "--workspace", left)
		}
	}
}

// measured runs a command, and returns its exit code, the most memory it had, and what it said. The
// usage that the system tells at its end would be that of this process, where this one has more.
func measured(t *testing.T, args ...string) (code int, most int64, said string) {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.Command(binary, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	must(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	for {
		if status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)); err == nil {
			if found := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status); found != nil {
				n, err := strconv.ParseInt(string(found[1]), 10, 64)
				must(t, err)
				most = max(most, n<<10)
			}
		}
		select {
		case <-ended:
			return cmd.ProcessState.ExitCode(), most, out.String()
		case <-time.After(time.Millisecond):
		}
	}
}

// evidenceBomb writes an export whose evidence is one row of so many bytes, of which its record says so.
func evidenceBomb(t *testing.T, s *server, o org, size int) string {
	t.Helper()
	id := o.slice(t, o.Workspace, map[string]any{"evidence": map[string]any{"console": captured()["console"]}})["id"].(string)
	file := filepath.Join(t.TempDir(), "w.zip")
	s.cli(t, "admin", "export", "--workspace", o.Workspace, "--output", file)
	o.want(t, 204, "DELETE", "/v1/slices/"+id, nil)
	var packed bytes.Buffer
	z, sum := gzip.NewWriter(&packed), sha256.New()
	n, err := io.Copy(io.MultiWriter(z, sum),
		io.MultiReader(strings.NewReader(`{"level":"info","timestamp":"2026-11-20T10:00:00Z","message":"`),
			repeated("x", size), strings.NewReader("\"}\n")))
	must(t, err)
	must(t, z.Close())
	return rewritten(t, file, func(name string, b []byte) []byte {
		if strings.HasPrefix(name, "blobs/") {
			return packed.Bytes()
		}
		for column, v := range map[string]any{"entries": 1, "size": n, "sha256": hex.EncodeToString(sum.Sum(nil))} {
			b = member("attachments", column, v)(name, b)
		}
		return b
	})
}
