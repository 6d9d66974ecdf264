package secret_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"bugslice/internal/assert"
	"bugslice/internal/secret"
)

var (
	first  = strings.Repeat("ab", 32)
	second = strings.Repeat("cd", 32)
)

func parse(t *testing.T, list string) *secret.Ring {
	t.Helper()
	r, err := secret.Parse(list)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSealBindsPurposeAndData(t *testing.T) {
	r := parse(t, first)
	sealed := r.Seal("webhook", []byte("hello"), []byte("whk_1"))
	if got, err := r.Open("webhook", sealed, []byte("whk_1")); err != nil || string(got) != "hello" {
		t.Fatalf("%q %v", got, err)
	}
	for what, open := range map[string]func() ([]byte, error){
		"another purpose": func() ([]byte, error) { return r.Open("cursor", sealed, []byte("whk_1")) },
		"other data":      func() ([]byte, error) { return r.Open("webhook", sealed, []byte("whk_2")) },
		"another key":     func() ([]byte, error) { return parse(t, second).Open("webhook", sealed, []byte("whk_1")) },
		"cut":             func() ([]byte, error) { return r.Open("webhook", sealed[:20], []byte("whk_1")) },
		"nothing":         func() ([]byte, error) { return r.Open("webhook", nil, nil) },
	} {
		if _, err := open(); err == nil {
			t.Errorf("%s: opened", what)
		}
	}
	if bytes.Equal(sealed, r.Seal("webhook", []byte("hello"), []byte("whk_1"))) {
		t.Error("two seals are the same")
	}
}

func TestRotation(t *testing.T) {
	old := parse(t, first).Seal("p", []byte("x"), nil)
	both := parse(t, second+", "+first)
	if _, err := both.Open("p", old, nil); err != nil {
		t.Error("a former key does not decrypt")
	}
	if _, err := parse(t, second).Open("p", both.Seal("p", []byte("y"), nil), nil); err != nil {
		t.Error("the first key does not encrypt")
	}
}

func TestErrorsShowNoKeys(t *testing.T) {
	for _, bad := range []string{"", "abc", first + "0", first + "," + "zz" + first[2:], first + ","} {
		if _, err := secret.Parse(bad); err == nil || bad != "" && strings.Contains(err.Error(), "ab") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret.key")
	rings := make([]*secret.Ring, 8)
	var work sync.WaitGroup
	for i := range rings {
		work.Go(func() {
			r, err := secret.Load("", path)
			if err != nil {
				t.Error(err)
			}
			rings[i] = r
		})
	}
	work.Wait()
	sealed := rings[0].Seal("p", []byte("x"), nil)
	for _, r := range rings {
		if _, err := r.Open("p", sealed, nil); err != nil {
			t.Fatal("starters at once do not agree on the key")
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := secret.Load("", path); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a readable secret: %v", err)
	}
}

func TestTheEnvironmentComesFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret.key")
	r, err := secret.Load(first, path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parse(t, first).Open("p", r.Seal("p", []byte("x"), nil), nil); err != nil {
		t.Error("it is another key")
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was made that nobody needs")
	}
}

func TestAFileIsKeptAndReadAgain(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "secret.key")
	if err := os.WriteFile(path, []byte(second+","+first+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := secret.Load("", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Open("p", parse(t, first).Seal("p", []byte("x"), nil), nil); err != nil {
		t.Error("the file's second key does not decrypt")
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != second+","+first+"\n" {
		t.Errorf("the file was changed (%v)", err)
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
		t.Errorf("left behind: %v %v", all, err)
	}
}

// TestAddKey: keys that are added at the same time are all there, the former one is the last, and what a killed
// process has left is removed.
func TestAddKey(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "secret.key")
	for name, text := range map[string]string{path: first, filepath.Join(dir, ".secret-123"): second + "," + first} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			if err := secret.AddKey(path); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	keys := strings.Split(strings.TrimSpace(string(text)), ",")
	all, err := os.ReadDir(dir)
	if err != nil || len(all) != 1 || len(keys) != 9 || keys[8] != first {
		t.Errorf("%d keys, want 9 with the former one at the end; files %v, want one: %v", len(keys), all, err)
	}
}

func TestLoadRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"empty": "", "half": first[:40], "other": "not a key"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := secret.Load("", path)
		assert.Contains(t, "the refusal of the "+name+" key", fmt.Sprint(err), path)
		if text != "" {
			assert.NotContains(t, "the refusal of the "+name+" key", fmt.Sprint(err), text)
		}
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620} {
		path := filepath.Join(dir, mode.String())
		if err := os.WriteFile(path, []byte(first), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := secret.Load("", path); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%04o", mode)) {
			t.Errorf("%o: %v", mode, err)
		}
	}
	if _, err := secret.Load("", filepath.Join(dir, "no such directory", "secret.key")); err == nil {
		t.Error("a directory that is not there")
	}
}

// TestEveryAlterationIsSeen: an altered ciphertext is refused.
func TestEveryAlterationIsSeen(t *testing.T) {
	r := parse(t, second+","+first)
	rapid.Check(t, func(c *rapid.T) {
		plaintext := rapid.SliceOf(rapid.Byte()).Draw(c, "plaintext")
		bound := rapid.SliceOf(rapid.Byte()).Draw(c, "bound")
		sealed := r.Seal("p", plaintext, bound)
		if got, err := r.Open("p", sealed, bound); err != nil || !bytes.Equal(got, plaintext) {
			c.Fatalf("%q %v", got, err)
		}
		at := rapid.IntRange(0, len(sealed)-1).Draw(c, "at")
		altered := bytes.Clone(sealed)
		altered[at] ^= 1 << rapid.IntRange(0, 7).Draw(c, "bit")
		if _, err := r.Open("p", altered, bound); err == nil {
			c.Fatalf("opened with byte %d altered", at)
		}
		if _, err := r.Open("p", sealed[:at], bound); err == nil {
			c.Fatalf("opened when cut at %d", at)
		}
	})
}

func BenchmarkSeal(b *testing.B) {
	r, err := secret.Parse(first)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		r.Seal("cursor", []byte(`["slc_01ja8m2c9tf3qb6h0v5r4x7kyz"]`), []byte("binding"))
	}
}

func TestPrintingShowsNoKeys(t *testing.T) {
	for _, verb := range []string{"%v", "%+v", "%#v", "%x", "%s"} {
		if got := fmt.Sprintf(verb, parse(t, first)); got != "secret.Ring of 1" {
			t.Errorf("%s: %s", verb, got)
		}
	}
}

// TestRingOpensWhatItsKeysSealed: a ring opens a value that another ring sealed if it has every key of that ring.
func TestRingOpensWhatItsKeysSealed(t *testing.T) {
	for have, want := range map[string]bool{first: true, second + "," + first: true, second: false} {
		if got := parse(t, have).Includes(parse(t, first)); got != want {
			t.Errorf("%s: %v", have, got)
		}
	}
	if parse(t, first).Includes(parse(t, first+","+second)) {
		t.Error("one key is taken for two")
	}
}

// TestDigests: digests are equal for equal texts, and differ by text, purpose and key; the first key's comes first.
func TestDigests(t *testing.T) {
	one, both := parse(t, first), parse(t, second+","+first)
	was := one.Digests("p", "x")
	if len(was) != 1 || !bytes.Equal(was[0], one.Digests("p", "x")[0]) {
		t.Error("equal texts have other digests")
	}
	if bytes.Equal(was[0], one.Digests("p", "y")[0]) || bytes.Equal(was[0], one.Digests("q", "x")[0]) {
		t.Error("another text or purpose has the same digest")
	}
	now := both.Digests("p", "x")
	if len(now) != 2 || !bytes.Equal(now[1], was[0]) {
		t.Errorf("the digests %x, want a new one and %x", now, was[0])
	} else if bytes.Equal(now[0], was[0]) {
		t.Error("a former key's digest comes first")
	}
}
