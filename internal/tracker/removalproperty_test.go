package tracker_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// crowd is a running original with copies, clones and a foreign database beside its files, whose
// people and processes do whatever comes.
type crowd struct {
	original *site
	others   []*site
	random   *rand.Rand
	mine     []api.Attachment           // of the original
	theirs   map[*site][]api.Attachment // of the others: what was copied, too
}

// TestNamedFilesStay: every file that a record of the original names stays, with any history of other databases. At
// the end no file is left that the original has deleted.
func TestNamedFilesStay(t *testing.T) {
	sites(t, func(t *testing.T, s *site) {
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		c := &crowd{original: s, random: rand.New(rand.NewPCG(seed, 0)), theirs: map[*site][]api.Attachment{}}
		c.others = append(c.others, c.foreign(t))
		for range 4 {
			a, _ := s.attach(t)
			c.mine = append(c.mine, a)
		}
		for _, clone := range []bool{false, true} {
			c.copy(t, clone)
		}
		for n := range 50 {
			what := c.step(t)
			if lost := named(t, s); lost != "" {
				t.Fatalf("step %d, %s: %s is gone, which the original names", n, what, lost)
			}
		}
		for range 3 {
			s.now = s.now.Add(3 * time.Hour)
			s.remove(t)
		}
		for _, a := range c.mine {
			s.detach(t, a)
		}
		s.remove(t)
		if report, err := s.CollectFiles(t.Context(), false); err != nil || report.Named.Files+
			report.Recorded.Files > 0 {
			t.Errorf("left: %+v %v", report, err)
		}
	})
}

// foreign is another instance's process, which was started beside the files though it was refused.
func (c *crowd) foreign(t *testing.T) *site {
	t.Helper()
	f := &site{at: store.Options{Path: filepath.Join(t.TempDir(), "foreign.db")}, dir: c.original.dir}
	_, err := store.Migrate(t.Context(), f.at)
	must(t, err)
	f.open(t)
	f.world = newWorld(t, f.store)
	f.restart(t, c.original.now)
	if err := f.BindFiles(t.Context()); err == nil {
		t.Error("bound beside the files of another instance")
	}
	return f
}

func (c *crowd) step(t *testing.T) string {
	t.Helper()
	at := c.original
	if c.random.IntN(2) == 0 {
		at = c.others[c.random.IntN(len(c.others))]
	}
	switch n := c.random.IntN(20); {
	case n < 4:
		a, _ := at.attach(t)
		c.add(at, a)
		return "upload"
	case n < 9:
		all := c.theirs[at]
		if at == c.original {
			all = c.mine
		}
		if len(all) > 0 {
			i := c.random.IntN(len(all))
			at.detach(t, all[i])
			all[i] = all[0]
			c.drop(at)
		}
		return "deletion"
	case n < 10:
		slice := at.file(t, "broken", "")
		_, err := at.CreateAttachment(t.Context(), at.owner, valid(api.CreateAttachment{SliceID: slice.ID}),
			tracker.Upload{Body: strings.NewReader("content"), ContentType: "text/plain", Length: -1,
				SHA256: strings.Repeat("0", 64)})
		if err == nil {
			t.Error("a wrong digest was taken")
		}
		return "broken upload"
	case n < 12 && len(c.others) < 5:
		clone := c.random.IntN(2) == 0
		c.copy(t, clone)
		return fmt.Sprint("copy, a clone: ", clone)
	case n < 13 && at != c.original:
		at.restart(t, at.now)
		_ = at.BindFiles(t.Context())
		return "restart of another one"
	default:
		c.pass(t, []time.Duration{time.Second, 30 * time.Second, 3 * time.Hour}[c.random.IntN(3)])
		return "time"
	}
}

func (c *crowd) copy(t *testing.T, clone bool) {
	t.Helper()
	other := c.original.copied(t, clone)
	c.others = append(c.others, other)
	c.theirs[other] = append([]api.Attachment{}, c.mine...)
}

func (c *crowd) add(at *site, a api.Attachment) {
	if at == c.original {
		c.mine = append(c.mine, a)
	} else {
		c.theirs[at] = append(c.theirs[at], a)
	}
}

func (c *crowd) drop(at *site) {
	if at == c.original {
		c.mine = c.mine[1:]
	} else {
		c.theirs[at] = c.theirs[at][1:]
	}
}

// pass lets time pass, in which the original is running, and has every process remove what it may.
func (c *crowd) pass(t *testing.T, d time.Duration) {
	t.Helper()
	c.original.now = c.original.now.Add(d)
	c.original.remove(t)
	for _, s := range c.others {
		s.now = c.original.now
		s.remove(t)
	}
}

// named returns a file that a record of a site names and that is not there; none is right.
func named(t *testing.T, s *site) string {
	t.Helper()
	files, err := s.store.Read(t.Context()).ReferencedBlobs("", 1000)
	must(t, err)
	for _, f := range files {
		for _, key := range []string{f.Blob, *f.Thumbnail} {
			r, err := s.files.Open(t.Context(), key)
			if err != nil {
				return key
			}
			must(t, r.Close())
		}
	}
	return ""
}
