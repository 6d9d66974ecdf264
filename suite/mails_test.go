package suite

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/mail/mailtest"
	"bugslice/internal/operator"
)

// TestTortureMails: while a mail server fails at every third step and one server or two nodes are killed, each mail arrives at
// least once and at most twice, as the same message.
func TestTortureMails(t *testing.T) {
	t.Parallel()
	for _, engine := range tested() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			out := mailtest.New(t)
			steps := []string{mailtest.Connect, mailtest.Mail, mailtest.Rcpt, mailtest.Data, mailtest.Answer}
			out.Fail(func(step, _ string) *smtp.SMTPError { // three of ten exchanges fail
				if rand.Float64() < 0.3/float64(len(steps)) {
					return mailtest.Refusal(451, [3]int{4, 3, 0}, "fails at "+step)
				}
				return nil
			})
			s := newServer(t, engine, t.TempDir(), "--rate-limit", "off", "--smtp", "smtp://"+out.Address,
				"--mail-from", "Bugslice <bugs@suite.example>", "--trusted-proxies", "127.0.0.1")
			s.start(t)
			defer func() { s.kill() }()
			nodes := []*server{s}
			if engine == "postgres" {
				two := s.node()
				two.start(t)
				defer func() { two.kill() }()
				nodes = append(nodes, two)
			}
			tortureMails(t, newOrg(t, s, "mailed"), nodes, out)
		})
	}
}

// tortureMails asks for mails to many users while it kills the nodes, and compares what arrived.
func tortureMails(t *testing.T, o org, nodes []*server, out *mailtest.Server) {
	t.Helper()
	wanted := map[string]bool{}
	for i := range sized(16, 400) {
		email := fmt.Sprintf("reader-%d-%d@example.com", i, time.Now().UnixNano())
		o.addUser(t, o.ID, operator.NewUser{Email: email, Name: fmt.Sprint("Reader ", i),
			Workspaces: []string{o.Workspace}})
		wanted[email] = true
	}
	n := 0
	for email := range wanted {
		forget(t, nodes[n%len(nodes)], email, n)
		if n++; n%8 == 0 {
			node := nodes[n/8%len(nodes)]
			node.kill()
			node.start(t)
		}
	}
	begin, arrived := time.Now(), map[string]map[string]int{}
	for deadline := begin.Add(sized(5*time.Minute,
		20*time.Minute)); len(arrived) < len(wanted); time.Sleep(200 * time.Millisecond) {
		if arrived = arrivals(out); time.Now().After(deadline) {
			t.Fatalf("%d of %d mails have arrived in %s", len(arrived), len(wanted), time.Since(begin))
		}
	}
	t.Logf("%d mails, the last of which arrived %s after it was asked for", len(wanted), time.Since(begin))
	o.emptyQueue(t, sized(20*time.Second, 5*time.Minute)) // what is repeated has arrived then
	twice := 0
	for email, ids := range arrivals(out) {
		for id, times := range ids {
			if times > 2 {
				t.Errorf("the mail to %s arrived %d times", email, times)
			}
			if twice += times - 1; !strings.HasPrefix(id, "<mai_") {
				t.Errorf("the Message-ID %s", id)
			}
		}
		assert.Equal(t, "messages to "+email, len(ids), 1)
	}
	t.Logf("%d arrived twice", twice)
}

// emptyQueue waits until no mail waits, so that none is repeated any more. A killed node leaves a lease of more than
// a minute: the small size does not wait for its end.
func (o org) emptyQueue(t *testing.T, atMost time.Duration) {
	t.Helper()
	_, records, err := o.operator()
	must(t, err)
	defer records.Close()
	for begin := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		b, err := records.Read(t.Context()).Mails().Backlog("", api.At(time.Now()))
		must(t, err)
		if b.Waiting == 0 {
			t.Logf("the queue is empty after %s", time.Since(begin))
			return
		}
		if time.Since(begin) > atMost {
			if atMost > time.Minute {
				t.Errorf("%d mails wait for longer than %s: %s", b.Waiting, atMost, b.Error)
			}
			return
		}
	}
}

// arrivals returns how often each message arrived, by its receiver and its Message-ID.
func arrivals(out *mailtest.Server) map[string]map[string]int {
	all := map[string]map[string]int{}
	for _, m := range out.Received() {
		if all[m.To] == nil {
			all[m.To] = map[string]int{}
		}
		all[m.To][m.Header.Get("Message-Id")]++
	}
	return all
}

// forget asks for a link to reset the password of an address, each from a network of its own, until it is acknowledged.
func forget(t *testing.T, s *server, email string, n int) {
	t.Helper()
	for range 100 {
		r, err := http.NewRequest(http.MethodPost, s.URL+"/forgot",
			strings.NewReader(url.Values{"email": {email}}.Encode()))
		must(t, err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Accept", "text/html")
		r.Header.Set("X-Forwarded-For", fmt.Sprintf("198.51.%d.%d", 100+n/200, n%200+1))
		a, err := http.DefaultClient.Do(r)
		if err == nil {
			_ = a.Body.Close()
			if a.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("asking for a link for %s is not acknowledged", email)
}
