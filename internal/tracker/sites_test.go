package tracker_test

import (
	"bytes"
	"database/sql"
	"errors"
	"image"
	"image/png"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/blob"
	"bugslice/internal/id"
	"bugslice/internal/store"
	"bugslice/internal/store/storetest"
	"bugslice/internal/tracker"
)

// site is a world with files, whose database can be copied.
type site struct {
	*world
	at    store.Options
	files blob.Store
	dir   string
	log   *bytes.Buffer
}

// sites runs a test on a bound site of each database.
func sites(t *testing.T, test func(t *testing.T, s *site)) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			at, err := storetest.Migrated(engine, t.TempDir())
			must(t, err)
			s := &site{at: at, dir: t.TempDir()}
			s.open(t)
			s.world = newWorld(t, s.store)
			s.restart(t, s.now)
			must(t, s.BindFiles(t.Context()))
			test(t, s)
		})
	}
}

func (s *site) open(t *testing.T) {
	t.Helper()
	db, err := store.Open(s.at)
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	if s.world == nil {
		s.world = &world{}
	}
	s.store = db
	s.files, err = blob.Open("", s.dir, nil)
	must(t, err)
}

// restart gives the site a new process, as of a time.
func (s *site) restart(t *testing.T, now time.Time) {
	s.now, s.log = now, &bytes.Buffer{}
	s.with(t, func(o *tracker.Options) {
		o.Blobs, o.Log = s.files, slog.New(slog.NewTextHandler(s.log, nil))
	})
}

// copied copies the database of a site, and opens the copy as a process beside the same files. A clone
// cannot be told from its original by the origin of its database.
func (s *site) copied(t *testing.T, clone bool) *site {
	t.Helper()
	c := &site{world: &world{owner: s.owner, workspace: s.workspace, sender: s.sender}, dir: s.dir}
	if s.at.URL == "" {
		c.at = store.Options{Path: filepath.Join(t.TempDir(), "copy.db")}
		db, err := sql.Open("sqlite", s.at.Path)
		must(t, err)
		_, err = db.Exec("VACUUM INTO ?", c.at.Path)
		must(t, errors.Join(err, db.Close()))
	} else {
		c.at = store.Options{URL: s.template(t)}
	}
	c.open(t)
	if clone {
		must(t, c.store.Write(t.Context(), func(tx *store.Tx) error {
			i, err := tx.Instance()
			must(t, err)
			pretended := i
			pretended.Origin, err = c.store.Origin(t.Context())
			must(t, err)
			_, err = tx.ReplaceInstance(i, pretended)
			return err
		}))
	}
	c.restart(t, s.now)
	return c
}

// template copies a PostgreSQL database, for which nobody may be connected to it.
func (s *site) template(t *testing.T) string {
	t.Helper()
	must(t, s.store.Close())
	from, err := url.Parse(s.at.URL)
	must(t, err)
	to := *from
	to.Path = from.Path + "_" + strings.ToLower(id.New(id.Blob)[20:])
	db, err := sql.Open("pgx", os.Getenv("BUGSLICE_TEST_POSTGRES"))
	must(t, err)
	for range 50 { // until the connections are gone
		if _, err = db.Exec("CREATE DATABASE " + to.Path[1:] + " TEMPLATE " + from.Path[1:]); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	must(t, errors.Join(err, db.Close()))
	process := s.Tracker
	s.open(t)
	process.UseStore(s.store)
	return to.String()
}

// unbind makes the database one of an earlier version, which was tied to no storage.
func (s *site) unbind(t *testing.T) {
	t.Helper()
	driver, name := "sqlite", s.at.Path
	if s.at.URL != "" {
		driver, name = "pgx", s.at.URL
	}
	db, err := sql.Open(driver, name)
	must(t, err)
	_, err = db.Exec("DELETE FROM instance")
	must(t, errors.Join(err, db.Close()))
}

func (s *site) attach(t *testing.T) (a api.Attachment, keys []string) {
	t.Helper()
	var picture bytes.Buffer
	must(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 900, 900))))
	slice := s.file(t, "with a file", "")
	a, err := s.CreateAttachment(t.Context(), s.owner, valid(api.CreateAttachment{SliceID: slice.ID}),
		tracker.Upload{Body: &picture, ContentType: "image/png", Length: -1})
	must(t, err)
	stored, err := s.store.Read(t.Context()).Attachment(a.ID)
	must(t, err)
	if stored.ThumbnailBlob == nil {
		t.Fatal("no thumbnail")
	}
	return a, []string{stored.Blob, *stored.ThumbnailBlob}
}

func (s *site) remove(t *testing.T) {
	t.Helper()
	_, err := s.RemoveFiles(t.Context())
	must(t, err)
}

func (s *site) detach(t *testing.T, a api.Attachment) {
	t.Helper()
	_, err := s.DeleteAttachment(t.Context(), s.owner, valid(api.DeleteAttachment{AttachmentID: a.ID}))
	must(t, err)
}

// there holds which of some keys have bytes.
func (s *site) there(t *testing.T, want bool, keys ...string) {
	t.Helper()
	for _, key := range keys {
		r, err := s.files.Open(t.Context(), key)
		if err == nil {
			must(t, r.Close())
		}
		if (err == nil) != want {
			t.Errorf("%s: %v, want it there: %v", key, err, want)
		}
	}
}
