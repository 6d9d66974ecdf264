package secret_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

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
