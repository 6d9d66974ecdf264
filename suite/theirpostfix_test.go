package suite

import (
	"fmt"
	"mime"
	"net/mail"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/operator"
)

// postfix is Debian's mail server with its own configuration and queue. It takes mails to reader@bugs.test, knows
// nobody else there, and takes no mails for other hosts.
type postfix struct {
	dir        string
	plain, tls string // its addresses, the second with TLS from the first byte
}

// mainConf and masterConf are its configuration. They name the directory, and the ports.
const (
	mainConf = `compatibility_level = 3.6
queue_directory = %[1]s/queue
data_directory = %[1]s/data
maillog_file = %[1]s/log
maillog_file_prefixes = %[1]s
myhostname = mail.bugs.test
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks =
mydestination =
alias_maps =
smtpd_relay_restrictions = reject_unauth_destination
virtual_mailbox_domains = bugs.test
virtual_mailbox_maps = inline:{{reader@bugs.test = reader/}}
virtual_mailbox_base = %[1]s/mail
virtual_uid_maps = static:65534
virtual_gid_maps = static:65534
smtpd_tls_cert_file = %[1]s/cert.pem
smtpd_tls_key_file = %[1]s/key.pem
`
	masterConf = `%[1]s inet n - n - - smtpd
%[2]s inet n - n - - smtpd -o smtpd_tls_wrappermode=yes
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
error unix - - n - - error
retry unix - - n - - error
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
tlsmgr unix - - n 1000? 1 tlsmgr
proxymap unix - - n - - proxymap
postlog unix-dgram n - n - 1 postlogd
`
)

// newPostfix starts postfix, which ends with the test.
func newPostfix(t *testing.T) *postfix {
	t.Helper()
	dir, err := os.MkdirTemp("", "postfix-") // which its processes reach as other users
	must(t, err)
	p := &postfix{dir: dir, plain: freePort(t), tls: freePort(t)}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o755))
	for _, name := range []string{"etc", "queue", "data", "mail"} {
		must(t, os.Mkdir(filepath.Join(dir, name), 0o755))
	}
	execute(t, "chown", "postfix", filepath.Join(dir, "data"))
	execute(t, "chown", "65534:65534", filepath.Join(dir, "mail"))
	execute(t, "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
		"-addext", "subjectAltName=DNS:localhost", "-keyout", filepath.Join(dir, "key.pem"), "-out", p.certificate())
	must(t, os.WriteFile(filepath.Join(dir, "etc", "main.cf"), fmt.Appendf(nil, mainConf, dir), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "etc", "master.cf"), fmt.Appendf(nil, masterConf, p.plain, p.tls), 0o600))
	t.Cleanup(func() { _ = exec.Command("postfix", "-c", filepath.Join(dir, "etc"), "stop").Run() })
	execute(t, "postfix", "-c", filepath.Join(dir, "etc"), "start")
	return p
}

func execute(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
}

func (p *postfix) certificate() string { return filepath.Join(p.dir, "cert.pem") }

// mails returns the mails that were delivered.
func (p *postfix) mails(t *testing.T) (all []*mail.Message) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(p.dir, "mail", "reader", "new", "*"))
	must(t, err)
	for _, name := range files {
		f, err := os.Open(name)
		must(t, err)
		t.Cleanup(func() { _ = f.Close() })
		m, err := mail.ReadMessage(f)
		must(t, err)
		all = append(all, m)
	}
	return all
}

// TestTheirPostfix: postfix delivers a mail as it was meant. An address that it does not know (550 5.1.1) is stopped,
// and the page of mails says so; one that it may not relay to (554 5.7.1) is tried again, and not stopped. The
// command that tries the server prints what postfix says, over TLS too, and refuses a certificate that nobody knows.
// Postfix runs as root alone, and so does this test.
func TestTheirPostfix(t *testing.T) {
	if os.Getenv("BUGSLICE_TEST_FULL") == "" {
		t.Skip("make foreign-clients installs postfix")
	}
	if os.Geteuid() != 0 {
		t.Skip("postfix runs as root alone")
	}
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin")
	p := newPostfix(t)
	all := tested()
	s := newServer(t, all[len(all)-1], t.TempDir(), "--rate-limit", "off", "--smtp", "smtp://"+p.plain,
		"--mail-from", "Bugslice <bugs@bugs.test>", "--trusted-proxies", "127.0.0.1")
	s.start(t)
	defer func() { s.kill() }()
	o := newOrg(t, s, "postfix")
	o.addUser(t, o.ID, operator.NewUser{Email: "admin@bugs.test", Password: passphrase, Role: api.RoleAdmin})
	for _, email := range []string{"reader@bugs.test", "gone@bugs.test", "away@elsewhere.test"} {
		o.addUser(t, o.ID, operator.NewUser{Email: email, Name: "Zoë <Reader>", Workspaces: []string{o.Workspace}})
		forget(t, s, email, 1)
	}
	until(t, "the mail is delivered", func() bool { return len(p.mails(t)) > 0 })
	m := p.mails(t)[0]
	assert.Equal(t, "sender", m.Header.Get("Return-Path"), "<bugs@bugs.test>")
	to, err := m.Header.AddressList("To")
	must(t, err)
	assert.Equal(t, "to", to[0], &mail.Address{Name: "Zoë <Reader>", Address: "reader@bugs.test"})
	kind, _, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	must(t, err)
	assert.Equal(t, "kind", kind, "multipart/alternative")

	admin := newVisitor(t, s)
	admin.post(303, "/login", url.Values{"email": {"admin@bugs.test"}, "password": {passphrase}})
	shown := ""
	until(t, "the page tells of the refused address", func() bool {
		shown = admin.get(200, "/settings/mail")
		return strings.Contains(shown, "gone@bugs.test")
	})
	assert.Contains(t, "the page of mails", shown, "550 5.1.1", "User unknown in virtual mailbox table")
	_, records, err := s.operator()
	must(t, err)
	defer records.Close()
	until(t, "the mail that postfix may not relay waits", func() bool {
		b, err := records.Read(t.Context()).Mails().Backlog("", api.At(time.Now()))
		must(t, err)
		return b.Waiting == 1 && strings.Contains(b.Error, "Relay access denied")
	})
	if shown = admin.get(200, "/settings/mail"); strings.Contains(shown, "away@elsewhere.test") {
		t.Errorf("an address is stopped that postfix may not relay to: %s", shown)
	}
	p.tryByCommand(t)
}

// tryByCommand sends mails by the command that tries the server.
func (p *postfix) tryByCommand(t *testing.T) {
	t.Helper()
	for _, c := range []struct {
		server, to, certificate, want string
		code                          int
	}{
		{"smtp://" + p.plain, "reader@bugs.test", "", "The mail server has taken it, and says: 2.0.0 Ok: queued as", 0},
		{"smtp://" + p.plain, "gone@bugs.test", "", "has refused the address\nit says: 550 5.1.1 <gone@bugs.test>", 1},
		{"smtps://" + p.tls, "reader@bugs.test", p.certificate(), "The mail server has taken it", 0},
		{"smtps://" + p.tls, "reader@bugs.test", "", "no encrypted connection", 1},
		{"smtp://me:secret@" + p.plain, "reader@bugs.test", "", "has refused the sign-in", 1},
	} {
		server := strings.Replace(c.server, "127.0.0.1", "localhost", 1)
		cmd := exec.Command(binary, "admin", "mail", "test", c.to, "--smtp", server, "--mail-from", "bugs@bugs.test")
		cmd.Env = append(os.Environ(), "SSL_CERT_FILE="+c.certificate)
		out, err := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != c.code || !strings.Contains(string(out), c.want) {
			t.Errorf("%s to %s: exit %d, %v: %s", c.server, c.to, got, err, out)
		}
	}
	until(t, "all mails are delivered", func() bool { return len(p.mails(t)) == 3 })
}

// until waits for a condition.
func until(t *testing.T, name string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !is(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after 2 minutes it is not so that %s", name)
		}
	}
}
