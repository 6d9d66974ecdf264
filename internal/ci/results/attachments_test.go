//go:build unix

package results_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"bugslice/internal/assert"
	"bugslice/internal/ci/results"
)

// TestAttachments: attachments stand in what a test printed, and in its properties.
func TestAttachments(t *testing.T) {
	run := read(`<testsuite><testcase name="a"><failure/><properties><property name="attachment" value="a.png"/>
<property name="Screenshot_2" value="b.png"/><property name="url:log" value="https://example.com"/>
<property name="attachment" value="https://example.com/c.png"/></properties>
<system-out>x [[ATTACHMENT|d e.png]] y [[ATTACHMENT|f]] [[ATTACHMENT|]] [[ATTACHMENT|g
]]</system-out><system-err>[[ATTACHMENT|h.png]]</system-err></testcase></testsuite>`)
	var paths []string
	for _, a := range cases(run)[0].Attachments {
		paths = append(paths, a.Path)
	}
	assert.Equal(t, "the paths", paths, []string{"d e.png", "f", "h.png", "a.png", "b.png"})
}

// TestLocate: only regular files below the root are found, from the file of results or from the root.
func TestLocate(t *testing.T) {
	outside := t.TempDir()
	dir := t.TempDir()
	for _, path := range []string{"shop/out/a.png", "b.png", "shop/folder/c.png", "shop/folder/deep/d.png", ".env", "folder/.git/config"} {
		write(t, filepath.Join(dir, path))
	}
	write(t, filepath.Join(outside, "secret"))
	links := map[string]string{"out": outside, "shop/folder/link": filepath.Join(outside, "secret"), "in": "b.png"}
	for link, target := range links {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := root.Close(); err != nil {
			t.Error(err)
		}
	}()
	file := filepath.Join(dir, "shop", "junit.xml")
	for _, c := range []struct {
		path   string
		folder bool
		want   []string
	}{
		{"out/a.png", false, []string{"shop/out/a.png"}},
		{"b.png", false, []string{"b.png"}},
		{"../b.png", false, []string{"b.png"}},
		{"in", false, []string{"in"}},
		{filepath.Join(dir, "b.png"), false, []string{"b.png"}},
		{"folder", true, []string{"shop/folder/c.png", "shop/folder/deep/d.png"}},
		{"folder", false, nil},
		{"none.png", false, nil},
		{"../../secret", false, nil},
		{filepath.Join(outside, "secret"), false, nil},
		{"/etc/passwd", false, nil},
		{"../out/secret", false, nil},
		{"folder/link", false, nil},
		{"pipe", false, nil},
		{".env", false, nil},
		{"folder/.git", true, nil},
		{"", false, nil},
	} {
		found, err := results.Locate(root, file, results.Attachment{Path: c.path, Folder: c.folder})
		assert.Equal(t, "the files of "+c.path, found, c.want)
		if (err == nil) != (c.want != nil) {
			t.Errorf("the error of %q is %v", c.path, err)
		}
	}
	_, err = results.Locate(root, file, results.Attachment{Path: "/etc/passwd"})
	if !errors.Is(err, results.ErrOutside) {
		t.Errorf("the refusal is %v", err)
	}
}

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
}
