package suite

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bugslice/internal/assert"
	"bugslice/internal/operator"
)

// theirMail is a mail as mailpit has read it.
type theirMail struct {
	ID, Subject, Text, HTML string
	To, ReplyTo             []struct{ Address string }
}

// TestTheirMailServer: mailpit takes a mail after it was away, and reads it as it was meant: two texts, each with the link, and
// markup that mail programs know. It knows less of a mail with a video, a form and styles of the page.
func TestTheirMailServer(t *testing.T) {
	if os.Getenv("BUGSLICE_TEST_FULL") == "" {
		t.Skip("make foreign-clients builds the mail server")
	}
	binary := filepath.Join(t.TempDir(), "mailpit")
	if out, err := exec.Command("go", "build", "-modfile=../tools/mailpit/go.mod", "-o", binary,
		"github.com/axllent/mailpit").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	smtpAddress, pages := freePort(t), freePort(t)
	s := newServer(t, "sqlite", t.TempDir(), "--rate-limit", "off", "--smtp", "smtp://"+smtpAddress,
		"--mail-from", "Bugslice <bugs@suite.example>", "--trusted-proxies", "127.0.0.1")
	s.start(t)
	defer func() { s.kill() }()
	o := newOrg(t, s, "theirs")
	o.addUser(t, o.ID, operator.NewUser{Email: "reader@example.com", Name: "Zoë <Reader>",
		Workspaces: []string{o.Workspace}})
	forget(t, s, "reader@example.com", 1)
	time.Sleep(time.Second) // it has been tried once

	pit := exec.Command(binary, "--smtp", smtpAddress, "--listen", pages, "--disable-version-check",
		"--database", filepath.Join(t.TempDir(), "mails.db"))
	must(t, pit.Start())
	defer func() { _ = pit.Process.Kill(); _ = pit.Wait() }()
	ask := func(path string, to any) bool {
		a, err := http.Get("http://" + pages + path)
		if err != nil {
			return false
		}
		defer a.Body.Close()
		return a.StatusCode == http.StatusOK && json.NewDecoder(a.Body).Decode(to) == nil
	}
	var list struct{ Messages []struct{ ID string } }
	for deadline := time.Now().Add(3 * time.Minute); len(list.Messages) == 0; time.Sleep(time.Second) {
		if ask("/api/v1/messages", &list); time.Now().After(deadline) {
			t.Fatal("the mail has not arrived")
		}
	}
	var m theirMail
	if !ask("/api/v1/message/"+list.Messages[0].ID, &m) || len(m.To) != 1 {
		t.Fatalf("the mail can't be read: %+v", m)
	}
	assert.Equal(t, "to", m.To[0].Address, "reader@example.com")
	for name, text := range map[string]string{"text": m.Text, "HTML": m.HTML} {
		if !strings.Contains(text, s.URL+"/reset/") {
			t.Errorf("the %s has no link: %s", name, text)
		}
	}
	if unknown := unsupported(t, ask, m.ID); unknown > 5 {
		t.Errorf("mail programs do not know %.1f %% of the markup, want at most 5", unknown)
	}
	bad := exec.Command(binary, "sendmail", "-S", smtpAddress, "-f", "bad@suite.example", "bad@example.com")
	bad.Stdin = strings.NewReader("Subject: bad\r\nContent-Type: text/html\r\n\r\n<style>@media print{p{display:grid;gap:1px}}</style>" +
		"<video src=x></video><svg></svg><form><input></form><p style='position:fixed;filter:blur(1px);clip-path:circle(1px)'>x</p>\r\n")
	if out, err := bad.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if ask("/api/v1/messages", &list); len(list.Messages) != 2 {
		t.Fatalf("%d mails", len(list.Messages))
	}
	if unknown := unsupported(t, ask, list.Messages[0].ID); unknown < 10 {
		t.Errorf("mail programs do not know %.1f %% of bad markup, want at least 10", unknown)
	}
}

// unsupported returns how much of the markup of a mail mail programs do not know, in percent: of each part that it uses, how many of
// the programs that caniemail.com has tested.
func unsupported(t *testing.T, ask func(string, any) bool, id string) float64 {
	t.Helper()
	var check struct{ Total struct{ Unsupported float64 } }
	if !ask("/api/v1/message/"+id+"/html-check", &check) {
		t.Fatal("no check of the markup")
	}
	t.Logf("mail programs do not know %.1f %% of the markup of %s", check.Total.Unsupported, id)
	return check.Total.Unsupported
}
