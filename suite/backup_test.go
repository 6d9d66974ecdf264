package suite

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"bugslice/internal/assert"
)

// TestInterruptedRestoreIsRepeated: a restore that stopped half-way is made again.
func TestInterruptedRestoreIsRepeated(t *testing.T) {
	t.Parallel()
	for _, engine := range tested() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			dir, fresh := t.TempDir(), t.TempDir()
			saved := filepath.Join(dir, "saved.zip")
			s := newServer(t, engine, dir)
			s.start(t)
			defer s.kill()
			o := newOrg(t, s, "again")
			file := "/v1/attachments/" + o.upload(t, 201, o.slice(t, o.Workspace, nil)["id"].(string),
				"a", "text/plain", "content").get(t, "id").(string)
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

// TestBackupBesideWrites: a backup has the bytes of every file that its records name, also when files are added and
// deleted meanwhile.
func TestBackupBesideWrites(t *testing.T) {
	ownServers(t, []string{"--rate-limit", "off"}, func(t *testing.T, s *server) {
		o := newOrg(t, s, "beside")
		id := o.slice(t, o.Workspace, nil)["id"].(string)
		stop := make(chan struct{})
		var work sync.WaitGroup
		for range 4 {
			work.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					a, err := o.try("POST", "/v1/slices/"+id+"/attachments", picture(400, 300), "Content-Type",
						"image/png")
					if err == nil {
						_, err = o.try("DELETE", "/v1/attachments/"+a.get(t, "id").(string), nil)
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		for range sized(2, 5) {
			saved := filepath.Join(t.TempDir(), "saved.zip")
			s.cli(t, "backup", "--output", saved)
			newServer(t, s.engine, t.TempDir()).cli(t, "restore", saved)
			named, lost := missing(t, saved)
			t.Logf("%d files are named", named)
			if len(lost) > 0 {
				t.Errorf("the bytes of %v are missing", lost)
			}
		}
		close(stop)
		work.Wait()
		got := s.collect(t)
		if got.Unreferenced.Files == 0 {
			t.Error("no file waits for the end of the backup")
		}
		assert.Equal(t, "files that wait for the end of the backup", got.Unreferenced.Files, len(blobs(t, s.dir)))
		assert.Equal(t, "missing files", got.Missing, 0)
		code, said := s.exit("admin", "collect", "--remove")
		assert.Equal(t, "exit code of collect, which says "+said, code, 0)
		if after := s.collect(t); after.Unreferenced != got.Unreferenced {
			t.Errorf("removed what a backup may need: %+v, then %+v", got, after)
		}
	})
}

// missing returns how many files the records of a backup name, and those that it lacks.
func missing(t *testing.T, name string) (named int, lost []string) {
	t.Helper()
	z, err := zip.OpenReader(name)
	must(t, err)
	defer z.Close()
	r, err := z.Open("tables/attachments.ndjson")
	must(t, err)
	for d := json.NewDecoder(r); ; {
		var row struct {
			Blob      string
			Thumbnail *string `json:"thumbnail"`
		}
		if err := d.Decode(&row); errors.Is(err, io.EOF) {
			return named, lost
		} else if err != nil {
			t.Fatal(err)
		}
		for _, key := range []*string{&row.Blob, row.Thumbnail} {
			if key == nil {
				continue
			}
			named++
			if f, err := z.Open("files/" + *key); err != nil {
				lost = append(lost, *key)
			} else {
				_ = f.Close()
			}
		}
	}
}

// TestBackupWithoutDeletedFiles: deleted files are in no backup and no restore brings them back, although their bytes
// stay while a backup may need them. A missing file that a record names is reported.
func TestBackupWithoutDeletedFiles(t *testing.T) {
	ownServers(t, nil, func(t *testing.T, s *server) {
		o := newOrg(t, s, "deleted")
		slice := o.slice(t, o.Workspace, nil)["id"].(string)
		o.upload(t, 201, slice, "kept.txt", "text/plain", "what is kept")
		s.cli(t, "backup", "--output", filepath.Join(t.TempDir(), "first.zip")) // has files kept for ten minutes
		gone := o.upload(t, 201, slice, "gone.txt", "text/plain", "what was deleted").get(t, "id").(string)
		o.want(t, 204, "DELETE", "/v1/attachments/"+gone, nil)
		file := filepath.Join(t.TempDir(), "second.zip")
		s.cli(t, "backup", "--output", file)
		var held []string
		rewritten(t, file, func(name string, b []byte) []byte {
			if strings.HasPrefix(name, "files/") {
				held = append(held, string(b))
			}
			return b
		})
		if len(held) != 1 || held[0] != "what is kept" {
			t.Errorf("the backup holds %q", held)
		}
		r := newServer(t, "sqlite", t.TempDir())
		r.cli(t, "restore", file)
		got := r.collect(t)
		assert.Equal(t, "restored files: named, unknown, missing",
			[]int{got.Named.Files, got.Unknown.Files, got.Missing}, []int{1, 0, 0})
		for _, name := range blobs(t, s.dir) {
			must(t, os.Remove(name))
		}
		if said := s.cli(t, "backup", "--output", filepath.Join(t.TempDir(), "third.zip")); !strings.Contains(said,
			"Missing: 1 file that records name") {
			t.Errorf("a backup of lost files says %s", said)
		}
	})
}
