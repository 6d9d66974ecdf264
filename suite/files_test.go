package suite

import (
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bugslice/internal/store/storetest"
)

// TestWrongDatabase: serve beside the files of another instance does not start, says how to adopt
// them on purpose, and leaves every file. Nor is an instance begun there. A database without a schema gets none.
func TestWrongDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := newServer(t, "postgres", dir)
	s.start(t)
	o := newOrg(t, s, "owner")
	file := "/v1/attachments/" + o.upload(t, 201, o.slice(t, o.Workspace, nil)["id"].(string),
		"a.txt", "text/plain", "content").get(t, "id").(string)
	s.kill()
	empty, err := storetest.Database()
	must(t, err)
	const nothing = "no database was created"
	for name, wrong := range map[string]struct {
		*server
		advice string
	}{
		"the database URL is forgotten":         {newServer(t, "sqlite", dir), nothing},
		"another database, as a staging node's": {newServer(t, "postgres", dir), "bugslice admin adopt-files"},
		"an empty database": {&server{place: []string{"--data", dir, "--database-url", empty}},
			nothing},
	} {
		t.Run(name, func(t *testing.T) {
			for _, command := range []string{"serve --listen 127.0.0.1:0",
				"admin org add --name x --email x@example.com",
				"bootstrap --org x --workspace x --email x@example.com"} {
				code, said := wrong.exit(strings.Fields(command)...)
				if code != 1 || !strings.Contains(said, wrong.advice) {
					t.Errorf("%s: exit %d: %s", command, code, said)
				}
			}
			if code, said := wrong.exit("migrate"); wrong.advice == nothing &&
				(code != 1 || !strings.Contains(said, "there is no Bugslice data")) {
				t.Errorf("there is a schema: exit %d: %s", code, said)
			}
			if got := len(blobs(t, dir)); got != 1 {
				t.Errorf("%d files are left of 1", got)
			}
		})
	}
	s.start(t)
	defer s.kill()
	o.want(t, 200, "GET", file, nil)
}

// TestLostFiles: serve that does not find its files, because their place is not named, does not start.
func TestLostFiles(t *testing.T) {
	t.Parallel()
	dir, lost := t.TempDir(), t.TempDir()
	s := newServer(t, "postgres", dir)
	s.start(t)
	s.kill()
	database := s.place[len(s.place)-1]
	elsewhere := &server{place: []string{"--data", lost, "--database-url", database}}
	if code, said := elsewhere.exit("serve", "--listen", "127.0.0.1:0"); code != 1 ||
		!strings.Contains(said, "bugslice admin adopt-files") {
		t.Errorf("exit %d: %s", code, said)
	}
	elsewhere.cli(t, "admin", "adopt-files")
	elsewhere.start(t)
	elsewhere.kill()
}

// beside names a fresh data directory in which the files are those of another one.
func beside(t *testing.T, dir string) string {
	t.Helper()
	fresh := t.TempDir()
	must(t, os.Symlink(filepath.Join(dir, "files"), filepath.Join(fresh, "files")))
	return fresh
}

// TestCopiesRemoveNoFiles: a copy of a database and a restored backup, beside the files of the original, serve;
// they remove nothing, and say so in the log, at /readyz and in a metric.
func TestCopiesRemoveNoFiles(t *testing.T) {
	ownServers(t, nil, func(t *testing.T, s *server) {
		o := newOrg(t, s, "original")
		id := o.upload(t, 201, o.slice(t, o.Workspace, nil)["id"].(string), "a.txt", "text/plain", "content").
			get(t, "id").(string)
		saved := filepath.Join(t.TempDir(), "saved.zip")
		s.cli(t, "backup", "--output", saved)
		restored := newServer(t, s.engine, beside(t, s.dir))
		restored.cli(t, "restore", saved)
		copies := []*server{restored}
		if s.engine == "sqlite" {
			s.kill()
			fresh := beside(t, s.dir)
			for _, name := range []string{"bugslice.db", "bugslice.db-wal", "secret.key"} {
				content, err := os.ReadFile(filepath.Join(s.dir, name))
				must(t, err)
				must(t, os.WriteFile(filepath.Join(fresh, name), content, 0o600))
			}
			copies = append(copies, newServer(t, s.engine, fresh))
			s.start(t)
		}
		for _, c := range copies {
			serveSuspended(t, c, o, id)
		}
		o.want(t, 200, "GET", "/v1/attachments/"+id, nil)
		if ready := string(o.want(t, 200, "GET", "/readyz", nil).Body); ready != "ready\n" {
			t.Errorf("the original: %s", ready)
		}
	})
}

func serveSuspended(t *testing.T, s *server, o org, attachmentID string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	metrics := l.Addr().String()
	must(t, l.Close())
	s.args = append(s.args, "--metrics-listen", metrics)
	s.start(t)
	defer s.kill()
	c := client{s, o.token}
	c.want(t, 204, "DELETE", "/v1/attachments/"+attachmentID, nil)
	time.Sleep(500 * time.Millisecond) // a node that removes files does so within this time
	if ready := string(c.want(t, 200, "GET", "/readyz", nil).Body); !strings.Contains(ready,
		"ready\nremoval of files is suspended: this database is a copy") {
		t.Errorf("/readyz: %s", ready)
	}
	res, err := http.Get("http://" + metrics + "/metrics")
	must(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	must(t, err)
	if !strings.Contains(string(text), "bugslice_blob_removal_suspended 1") {
		t.Error("the metric does not say that removal is suspended")
	}
	if !strings.Contains(s.logged(), "removal of files is suspended") {
		t.Errorf("the log does not say so: %s", s.logged())
	}
}

// TestDeletedFilesAreRemovedSoon: the bytes of a deleted file are removed within seconds.
func TestDeletedFilesAreRemovedSoon(t *testing.T) {
	ownServers(t, nil, func(t *testing.T, s *server) {
		o := newOrg(t, s, "owner")
		id := o.upload(t, 201, o.slice(t, o.Workspace, nil)["id"].(string), "a.png", "image/png", picture(600, 400)).
			get(t, "id").(string)
		if got := len(blobs(t, s.dir)); got != 2 {
			t.Errorf("%d files, want 2", got)
		}
		o.want(t, 204, "DELETE", "/v1/attachments/"+id, nil)
		for end := time.Now().Add(3 * time.Second); len(blobs(t, s.dir)) > 0; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("still there after 3 s: %v", blobs(t, s.dir))
			}
		}
	})
}
