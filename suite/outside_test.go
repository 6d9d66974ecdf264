package suite

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// elsewhere is a path that the module may have one day.
const elsewhere = "example.com/x/bugslice"

// TestOutsideProgram: after a change of its path, the module's imports resolve, and a program in a module of its own
// builds with the public packages and runs against a server.
func TestOutsideProgram(t *testing.T) {
	o := newOrg(t, oneEngine(t), "outside")
	dir := t.TempDir()
	renamed := filepath.Join(dir, "bugslice")
	copyTree(t, "..", renamed)
	command(t, renamed, "scripts/rename-module", elsewhere)
	command(t, renamed, "go", "list", "-deps", "-test", "./...")

	outside := filepath.Join(dir, "outside")
	copyTree(t, "testdata/outside", outside)
	command(t, outside, "go", "mod", "init", "example.org/outside")
	command(t, outside, "go", "mod", "edit", "-require", elsewhere+"@v0.0.0", "-replace", elsewhere+"=../bugslice")
	command(t, outside, "go", "build", "-o", "outside", ".")
	want := "resolved fixed\nslice.status_changed true\nprecondition_failed\ndelivered true\n"
	if out := command(t, outside, "env", "TOKEN="+o.token, "./outside", o.Workspace, o.URL); out != want {
		t.Errorf("%q, want %q", out, want)
	}
}

// copyTree copies the files of a directory but for those that are made or fetched.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	must(t, filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{".git", "node_modules", "bin", "data", "dist", "gen"}, d.Name()) {
			return filepath.SkipDir
		}
		target := filepath.Join(to, strings.TrimPrefix(path, from))
		if d.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o700)
	}))
}

// command runs a program in a directory and returns its output.
func command(t *testing.T, dir string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-trimpath", "GOPROXY=off", "GOWORK=off")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, &stderr)
	}
	return string(out)
}
