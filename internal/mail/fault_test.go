package mail_test

import (
	"io"
	"log"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bugslice/internal/assert"
	"bugslice/internal/mail"
	"bugslice/internal/mail/mailtest"
)

// TestFaults: each kind of fault is named, with the words of the server, and a sent mail with what the server said to
// it.
func TestFaults(t *testing.T) {
	foreign := httptest.NewUnstartedServer(nil)
	foreign.Config.ErrorLog = log.New(io.Discard, "", 0)
	foreign.StartTLS() // with a certificate that nobody knows
	defer foreign.Close()
	const offersSignIn = "250-mail.test\r\n250 AUTH PLAIN"
	for name, c := range map[string]struct {
		url     string // of a server that is not made; HOST in it is that of one
		answers map[string]string
		want    mail.Fault
		words   string
	}{
		"sent": {"smtp://HOST", nil, "", "queued as 4711"},
		"signed in and sent": {"smtp://me:right@HOST", map[string]string{"EHLO": offersSignIn, "AUTH": "235 ok"},
			"", "queued"},
		"no such host":   {"smtp://mail.invalid:25", nil, mail.UnknownHost, "mail.invalid"},
		"nobody listens": {"smtp://127.0.0.1:1", nil, mail.NoConnection, "connection refused"},
		"unknown certificate": {"smtps://" + strings.TrimPrefix(foreign.URL, "https://"), nil, mail.NotEncrypted,
			"certificate"},
		"no TLS": {"smtps://HOST", nil, mail.NotEncrypted, "tls"},
		"a wrong password": {"smtp://me:wrong@HOST", map[string]string{"EHLO": offersSignIn, "AUTH": "535 5.7.8 who?"},
			mail.SignInRefused, "535 5.7.8 who?"},
		"no sign-in": {"smtp://me:wrong@HOST", nil, mail.SignInRefused, "AUTH"},
		"another sign-in": {"smtp://me:wrong@HOST", map[string]string{"EHLO": "250-mail.test\r\n250 AUTH GSSAPI"},
			mail.SignInRefused, "AUTH"},
		"a busy server": {"smtp://HOST", map[string]string{"CONNECT": "421 4.3.2 busy"}, mail.OtherFault,
			"421 4.3.2 busy"},
		"a refused sender": {"smtp://HOST", map[string]string{"MAIL": "553 5.1.8 not yours"}, mail.SenderRefused,
			"553 5.1.8 not yours"},
		"a refused address": {"smtp://HOST", map[string]string{"RCPT": "550 5.1.1 nobody"}, mail.AddressRefused,
			"550 5.1.1 nobody"},
		"no text wanted": {"smtp://HOST", map[string]string{"DATA": "554 5.7.1 no"}, mail.MailRefused,
			"554 5.7.1 no"},
		"a refused text": {"smtp://HOST", map[string]string{".": "554 5.7.1 spam"}, mail.MailRefused,
			"554 5.7.1 spam"},
	} {
		t.Run(name, func(t *testing.T) {
			address, end, err := mailtest.Talk(c.answers)
			must(t, err)
			defer end()
			s := serverAt(t, strings.Replace(c.url, "HOST", address, 1))
			got := s.Send(t.Context(), mail.Message{ID: "mai_1", Email: "ada@example.com", At: time.Now()}, done)
			assert.Equal(t, "fault", got.Fault, c.want)
			assert.Contains(t, "words", got.Words, c.words)
			assert.Equal(t, "sent", got.Outcome == mail.Sent, c.want == "")
			if strings.Contains(got.Words, "wrong") {
				t.Errorf("the password is in %q", got.Words)
			}
		})
	}
}

// TestStartTLSIsRequired: a server elsewhere that offers none gets no password and no mail.
func TestStartTLSIsRequired(t *testing.T) {
	for name, answers := range map[string]map[string]string{"none": nil,
		"refused": {"EHLO": "250-mail.test\r\n250 STARTTLS", "STARTTLS": "454 4.7.0 not now"},
		"broken":  {"EHLO": "250-mail.test\r\n250 STARTTLS", "STARTTLS": "220 go\r\nno TLS at all"}} {
		t.Run(name, func(t *testing.T) {
			address, end, err := mailtest.Talk(answers)
			must(t, err)
			defer end()
			got := mail.RequiringTLS(serverAt(t, "smtp://me:wrong@"+address)).Send(t.Context(),
				mail.Message{ID: "mai_1",
					Email: "ada@example.com", At: time.Now()}, done)
			assert.Equal(t, "outcome", got.Outcome, mail.Unreachable)
			assert.Equal(t, "fault", got.Fault, mail.NotEncrypted)
		})
	}
}
