package suite

import (
	"strings"
	"testing"
)

// TestWrongDatabase: serve beside the files of another instance does not start, says how to adopt
// them on purpose, and leaves every file.
func TestWrongDatabase(t *testing.T) {
	dir := t.TempDir()
	s := newServer(t, "postgres", dir)
	s.start(t)
	o := newOrg(t, s, "owner")
	o.upload(t, 201, o.slice(t, o.Workspace, nil)["id"].(string), "a.txt", "text/plain", "content")
	s.kill()
	for name, wrong := range map[string]*server{
		"the database URL is forgotten":         newServer(t, "sqlite", dir),
		"another database, as a staging node's": newServer(t, "postgres", dir),
	} {
		t.Run(name, func(t *testing.T) {
			code, said := wrong.exit("serve", "--listen", "127.0.0.1:0")
			if code != 1 || !strings.Contains(said, "bugslice adopt-files") {
				t.Errorf("exit %d: %s", code, said)
			}
			if got := len(blobs(t, dir)); got != 1 {
				t.Errorf("%d files are left of 1", got)
			}
		})
	}
}
