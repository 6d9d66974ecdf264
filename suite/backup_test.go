package suite

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRestoreAgain: a restore that stopped half-way can be made again.
func TestRestoreAgain(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			dir, fresh := t.TempDir(), t.TempDir()
			saved := filepath.Join(dir, "saved.zip")
			s := newServer(t, engine, dir)
			s.start(t)
			defer s.kill()
			o := newOrg(t, s, "again")
			file := "/v1/attachments/" + o.upload(t, 201, o.slice(t, o.Workspace, nil)["id"].(string), "a", "text/plain", "content").get(t, "id").(string)
			s.cli(t, "backup", "--output", saved)
			second := newServer(t, engine, fresh)
			inTheWay := filepath.Join(fresh, "files", filepath.Base(filepath.Dir(blobs(t, dir)[0])))
			must(t, os.Mkdir(filepath.Dir(inTheWay), 0o700))
			must(t, os.WriteFile(inTheWay, nil, 0o600))
			if code, said := second.exit("restore", saved); code == 0 {
				t.Fatalf("restored though its files could not be written: %s", said)
			}
			must(t, os.Remove(inTheWay))
			second.cli(t, "restore", saved)
			second.start(t)
			defer second.kill()
			if got := (client{second, o.token}).want(t, 200, "GET", file, nil); string(got.Body) != "content" {
				t.Errorf("%s", got.Body)
			}
		})
	}
}
