package cli

import (
	"os"
	"strings"

	"github.com/spf13/pflag"

	"bugslice/internal/command/tree"
	"bugslice/internal/httpserver"
	"bugslice/internal/mail"
	"bugslice/internal/tracker"
)

// mailFlags name the mail server of an instance.
type mailFlags struct{ server, passwordFile, from, replyTo string }

func (f *mailFlags) register(s *pflag.FlagSet) {
	s.StringVar(&f.server, "smtp", "",
		"mail server, smtp://user:password@host:587 with STARTTLS, smtps:// with TLS, or smtp+insecure://; no mails when empty")
	s.StringVar(&f.passwordFile, "smtp-password-file", "",
		"file with the password at the mail server, in place of that in --smtp")
	s.StringVar(&f.from, "mail-from", "", "sender of mails, such as Bugslice <bugs@example.com>")
	s.StringVar(&f.replyTo, "mail-reply-to", "",
		"address that gets answers to mails; when empty, mails say that nobody reads answers")
}

// parse returns the settings of the mail server, nil without one.
func (f *mailFlags) parse() (*mail.Settings, error) {
	if f.server == "" {
		if f.from != "" || f.replyTo != "" || f.passwordFile != "" {
			return nil, tree.Usagef("--mail-from, --mail-reply-to and --smtp-password-file need --smtp")
		}
		return nil, nil
	}
	password := ""
	if f.passwordFile != "" {
		text, err := os.ReadFile(f.passwordFile)
		if err != nil {
			return nil, tree.Usagef("--smtp-password-file: %v", err)
		}
		password = strings.TrimRight(string(text), "\r\n")
	}
	s, err := mail.Parse(f.server, f.from, f.replyTo, password)
	if err != nil {
		return nil, tree.Usagef("--smtp: %v", err)
	}
	return &s, nil
}

// addMailMetrics adds the metrics of mails.
func addMailMetrics(m *httpserver.Metrics, t *tracker.Tracker, r *instanceReader) {
	for _, o := range mail.Outcomes {
		m.Counter("bugslice_mail_attempts_total", "Attempts of this node to send a mail, by outcome.",
			labels{"outcome": string(o)}, func() float64 { return float64(t.MailAttempts(o)) })
	}
	const waiting = "Mails of the instance by state: those that wait, and those that failed and are not sent any more."
	m.Gauge("bugslice_mails", waiting, labels{"state": "waiting"},
		r.value(func(in tracker.Instance) float64 { return float64(in.Mails.Waiting) }))
	m.Gauge("bugslice_mails", waiting, labels{"state": "failed"},
		r.value(func(in tracker.Instance) float64 { return float64(in.Mails.Failed) }))
	m.Gauge("bugslice_mail_oldest_age_seconds", "Age of the oldest mail that waits; 0 without one.", nil,
		r.value(func(in tracker.Instance) float64 {
			if in.Mails.Oldest == nil {
				return 0
			}
			return max(0, in.At.Sub(in.Mails.Oldest.Time).Seconds())
		}))
}
