package command_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"bugslice/internal/assert"
)

// archiveOfClient returns an archive like that of bugslice-cli, whose program prints its arguments.
func archiveOfClient(t *testing.T, name string) []byte {
	t.Helper()
	program := "#!/bin/sh\nprintf '%s|' \"$@\"\n"
	var archive bytes.Buffer
	packed := gzip.NewWriter(&archive)
	w := tar.NewWriter(packed)
	err := w.WriteHeader(&tar.Header{Name: name + "/bugslice", Mode: 0o755, Size: int64(len(program))})
	_, err2 := w.Write([]byte(program))
	if err := errors.Join(err, err2, w.Close(), packed.Close()); err != nil {
		t.Fatal(err)
	}
	return archive.Bytes()
}

// TestStepInstallsTheClient: the step of a job downloads the client, and runs it only when it has the digest. It leaves
// patterns to the client. Without a release the build goes on.
func TestStepInstallsTheClient(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the archives have the names of Linux")
	}
	name := "bugslice-cli_v1_linux_" + runtime.GOARCH
	archive := archiveOfClient(t, name)
	releases := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/"+name+".tar.gz" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(archive)
	}))
	defer releases.Close()
	sum := sha256.Sum256(archive)
	digest := hex.EncodeToString(sum[:])
	script, err := filepath.Abs("../../deploy/ci/report.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, releases, digest string
		code                   int
		out, errs              string
	}{
		{"a release", releases.URL + "/v1/", digest, 0, "ci|report|--fail-on|new|*.xml|two words.xml|", ""},
		{"another digest", releases.URL + "/v1", strings.Repeat("0", 64), 1, "", "and not BUGSLICE_SHA256"},
		{"no release", releases.URL + "/v2", digest, 0, "", "cannot be downloaded; nothing is reported"},
		{"no digest", releases.URL + "/v1", "", 0, "", "BUGSLICE_SHA256 is not set"},
	} {
		cmd := exec.Command("sh", script, "*.xml", "two words.xml")
		cmd.Dir = t.TempDir()
		if err := os.WriteFile(filepath.Join(cmd.Dir, "a.xml"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd.Env = []string{"PATH=/usr/bin:/bin", "BUGSLICE_VERSION=v1", "BUGSLICE_RELEASES=" + c.releases, "BUGSLICE_SHA256=" + c.digest,
			"BUGSLICE_CI_OPTIONS=--fail-on new"}
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		_ = cmd.Run()
		assert.Equal(t, c.name+": exit code", cmd.ProcessState.ExitCode(), c.code)
		assert.Equal(t, c.name+": output", out.String(), c.out)
		assert.Contains(t, c.name+": errors", errs.String(), c.errs)
	}
}
