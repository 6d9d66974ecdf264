package web

import (
	"testing"
	"time"

	"bugslice/api"
)

// TestSilentStorage: the page of a report and of its share do not wait for a storage of files that does not answer:
// they come within a second with what is in the database, and say that the files cannot be reached. A file itself is
// refused with 503.
func TestSilentStorage(t *testing.T) {
	t.Parallel()
	for _, shared := range []bool{false, true} {
		w := newWorld(t, table, nil)
		reference := w.fileShop(t, func(name string) string { return name })
		picture := w.attachTo(t, reference, 2, "cart.png", screenshot(t, 40, 30)) // the newest one with evidence
		b := w.signedIn(t, owner)
		base, file := "/"+reference, "/files/"+picture.ID
		if shared {
			base, _ = w.share(t, w.caller(t, owner), reference, api.ShareConsole, api.ShareNetwork)
			file = base + "/files/" + picture.ID
		}
		w.storage.silent.Store(true)
		for _, tab := range []string{"", "?tab=network", "?tab=actions", "?tab=environment"} {
			started := time.Now()
			a := b.get(base + tab)
			a.wants(200, "Checkout fails after a discount code")
			if took := time.Since(started); took > 1500*time.Millisecond {
				t.Errorf("%s%s: %v without the storage, want at most 1 s on an idle machine", base, tab, took)
			}
			if tab == "" {
				a.wants(200, "The files cannot be reached")
			}
		}
		started := time.Now()
		a := b.get(file)
		if took := time.Since(started); a.status != 503 || took > 5*time.Second {
			t.Errorf("%s: %d after %v, want 503", file, a.status, took)
		}
		w.storage.silent.Store(false)
		b.get(file).wants(200)
	}
}
