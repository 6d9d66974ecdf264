package mail_test

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/mail"
	"bugslice/internal/mail/mailtest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func serverAt(t *testing.T, url string) *mail.Server {
	t.Helper()
	s, err := mail.Parse(url, "Bugs <bugs@example.com>", "", "")
	must(t, err)
	return mail.New(s)
}

func done() error { return nil }

// TestSettings: which servers are refused, how each is encrypted, and that no text has the password.
func TestSettings(t *testing.T) {
	for url, want := range map[string]string{
		"smtp://mail.example.com":                    "mail.example.com:587 (STARTTLS), from bugs@example.com",
		"smtp://me:secret@mail.example.com:2525":     "mail.example.com:2525 (STARTTLS), from bugs@example.com",
		"smtps://me:s%40cret@mail.example.com":       "mail.example.com:465 (TLS), from bugs@example.com",
		"smtp+insecure://me:secret@mail.example.com": "mail.example.com:25 (not encrypted), from bugs@example.com",
		"smtp://localhost:1025":                      "localhost:1025 (not encrypted), from bugs@example.com",
		"smtp://[::1]":                               "::1:587 (not encrypted), from bugs@example.com",
		"http://me:secret@mail.example.com":          "",
		"smtp://":                                    "",
		"smtp://me:sec%ret@mail.example.com":         "",
		"smtp://me:secret@mail.example.com:99999":    "",
		"smtp://me:secret@mail.example.com/path?a=b": "",
		"mail.example.com:587 is no URL, and secret": "",
	} {
		s, err := mail.Parse(url, "bugs@example.com", "", "")
		text := fmt.Sprintf("%v %+v %#v %s %v", s, s, s, s.Describe(), err)
		if strings.Contains(text, "secret") || strings.Contains(text, "cret") {
			t.Errorf("%s: the password is in %s", url, text)
		}
		if got := s.Describe(); err == nil && got != want || (err != nil) != (want == "") {
			t.Errorf("%s: %s %v", url, got, err)
		}
	}
	if _, err := mail.Parse("smtp://localhost", "nobody", "", ""); err == nil {
		t.Error("a sender that is no address")
	}
}

// TestHostileTexts: whatever people write adds no header, no line and no other direction of the text, and both forms
// of the mail have it as text.
func TestHostileTexts(t *testing.T) {
	server := mailtest.New(t)
	s := serverAt(t, "smtp://"+server.Address)
	for name, text := range map[string]string{
		"line breaks":   "Hello\r\nBcc: victim@example.com\r\n\r\nbody",
		"line feeds":    "Hello\nX-Evil: 1\n.\nMAIL FROM:<a@b>",
		"directions":    "Hello \u202egnp.exe\u202c \u2066x\u2069 \u200f",
		"separators":    "Hello\u2028X-Evil: 1\u2029\u0085x",
		"right":         "السلة فارغة",
		"encoded":       "=?utf-8?q?X-Evil=3A_1?=",
		"null":          "Hello\x00\x1b[31m",
		"invalid":       "Hello \xff\xfe",
		"long":          strings.Repeat("long ü ", 5000),
		"markup":        `<script>alert(1)</script><img src="http://evil.test/x.png"><a href="javascript:x">`,
		"dots":          ".\r\n..\r\n.",
		"much unbroken": strings.Repeat("x", 100_000),
	} {
		m := mail.Message{ID: "mai_" + strings.ReplaceAll(name, " ", ""), Name: text, Email: "ada@example.com",
			Subject: text, At: time.Now(),
			Thread: "slc_1", Unsubscribe: "https://bugs.test/mail/stop/abc", Letter: mail.Letter{Title: mail.Line(text),
				Items: []mail.Item{{Title: mail.Line(text), URL: "https://bugs.test/WEB-1",
					Events: []mail.Event{{What: mail.Line(text), Why: mail.Line(text), Quote: mail.Quote(text)}}}}}}
		got := s.Send(t.Context(), m, done)
		assert.Equal(t, name, got.Outcome, mail.Sent)
		all := server.Received()
		last := all[len(all)-1]
		assert.Equal(t, name+": receivers", last.To, "ada@example.com")
		for header := range last.Header {
			if !strings.Contains(" Auto-Submitted Content-Type Date From In-Reply-To List-Unsubscribe List-Unsubscribe-Post Message-Id "+
				"Mime-Version Precedence References Subject To ", " "+http.CanonicalHeaderKey(header)+" ") {
				t.Errorf("%s: the header %s: %q", name, header, last.Header[header])
			}
		}
		subject, err := new(mime.WordDecoder).DecodeHeader(last.Header.Get("Subject"))
		must(t, err)
		assert.Equal(t, name+": the subject", subject, strings.ReplaceAll(mail.Line(text), "=?", "= ?"))
		if strings.ContainsAny(subject,
			"\r\n\x00\x1b\u202e\u2066\u200f\u2028\u2029\u0085") || len([]rune(subject)) > 201 {
			t.Errorf("%s: the subject %q", name, subject)
		}
		for line := range strings.SplitSeq(last.Raw, "\r\n") {
			if len(line) > 998 {
				t.Errorf("%s: a line of %d bytes", name, len(line))
			}
		}
		plain, html := parts(t, last)
		assert.Contains(t, name+": text", plain, "https://bugs.test/WEB-1")
		if regexp.MustCompile(`(?i)<(script|img|iframe|link|object)|src="|url\(|href="javascript|@import`).MatchString(html) {
			t.Errorf("%s: the page loads something: %s", name, html)
		}
	}
}

// parts returns both forms of a mail.
func parts(t *testing.T, m mailtest.Received) (plain, html string) {
	t.Helper()
	_, parameters, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	must(t, err)
	r := multipart.NewReader(strings.NewReader(body(m)), parameters["boundary"])
	for {
		part, err := r.NextRawPart()
		if errors.Is(err, io.EOF) {
			return plain, html
		}
		must(t, err)
		text, err := io.ReadAll(quotedprintable.NewReader(part))
		must(t, err)
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			html = string(text)
		} else {
			plain = string(text)
		}
	}
}

func body(m mailtest.Received) string { return m.Raw[strings.Index(m.Raw, "\r\n\r\n")+4:] }

// TestHeaders: a mail is of its thread, is repeated as the same message, says that nobody reads answers, and is
// stopped by one request.
func TestHeaders(t *testing.T) {
	server := mailtest.New(t)
	s := serverAt(t, "smtp://"+server.Address)
	m := mail.Message{ID: "mai_1", Name: "Ada", Email: "ada@example.com", Subject: "[WEB-1] It fails",
		Thread: "slc_1", At: time.Now(),
		Unsubscribe: "https://bugs.test/mail/stop/abc"}
	for range 2 {
		assert.Equal(t, "outcome", s.Send(t.Context(), m, done).Outcome, mail.Sent)
	}
	all := server.Received()
	first := all[0].Header
	assert.Equal(t, "repeated", all[1].Header, first)
	for header, want := range map[string]string{"Message-Id": "<mai_1@example.com>",
		"References":  "<slc_1@example.com>",
		"In-Reply-To": "<slc_1@example.com>", "List-Unsubscribe": "<https://bugs.test/mail/stop/abc>",
		"List-Unsubscribe-Post": "List-Unsubscribe=One-Click", "Auto-Submitted": "auto-generated", "Precedence": "bulk",
		"From": `"Bugs (answers are not read)" <bugs@example.com>`, "Subject": "[WEB-1] It fails", "Reply-To": ""} {
		assert.Equal(t, header, first.Get(header), want)
	}
	plain, html := parts(t, all[0])
	assert.Contains(t, "text", plain, "Nobody reads answers")
	assert.Contains(t, "HTML", html, "Nobody reads answers")

	settings, err := mail.Parse("smtp://"+server.Address, "Bugs <bugs@example.com>", "help@example.com", "")
	must(t, err)
	assert.Equal(t, "outcome", mail.New(settings).Send(t.Context(), m, done).Outcome, mail.Sent)
	last := server.Received()[2]
	assert.Equal(t, "Reply-To", last.Header.Get("Reply-To"), "<help@example.com>")
	assert.Equal(t, "From", last.Header.Get("From"), `"Bugs" <bugs@example.com>`)
}

// TestOutcomes: what a server says at each step decides what becomes of the mail. Only a server that says there is no
// such address stops it. The mail is committed before it is complete, and not before.
func TestOutcomes(t *testing.T) {
	server := mailtest.New(t)
	s := serverAt(t, "smtp://"+server.Address)
	at := func(step string, e *smtp.SMTPError) func(string, string) *smtp.SMTPError {
		return func(now, _ string) *smtp.SMTPError {
			if now == step {
				return e
			}
			return nil
		}
	}
	for _, c := range []struct {
		step     string
		code     int
		enhanced [3]int
		want     mail.Outcome
		commits  int
	}{
		{"", 0, [3]int{}, mail.Sent, 1},
		{mailtest.Connect, 421, [3]int{4, 3, 2}, mail.Unreachable, 0},
		{mailtest.Mail, 530, [3]int{5, 7, 0}, mail.Unreachable, 0},
		{mailtest.Rcpt, 550, [3]int{5, 1, 1}, mail.Bounced, 0},
		{mailtest.Rcpt, 553, [3]int{5, 1, 3}, mail.Bounced, 0},
		{mailtest.Rcpt, 554, [3]int{5, 7, 1}, mail.Delayed, 0}, // relay access denied
		{mailtest.Rcpt, 550, [3]int{5, 7, 1}, mail.Delayed, 0},
		{mailtest.Rcpt, 450, [3]int{4, 2, 0}, mail.Delayed, 0},
		{mailtest.Rcpt, 452, [3]int{4, 2, 2}, mail.Delayed, 0},
		{mailtest.Data, 451, [3]int{4, 3, 0}, mail.Delayed, 1},
		{mailtest.Data, 554, [3]int{5, 7, 1}, mail.Delayed, 1}, // unwanted, it says
		{mailtest.Answer, 1, [3]int{}, mail.Unknown, 1},
	} {
		server.Fail(at(c.step, mailtest.Refusal(c.code, c.enhanced, "the words of the server")))
		commits := 0
		got := s.Send(t.Context(), mail.Message{ID: "mai_1", Email: "ada@example.com", At: time.Now()}, func() error {
			commits++
			return nil
		})
		name := fmt.Sprint(c.step, " ", c.code)
		assert.Equal(t, name, got.Outcome, c.want)
		assert.Equal(t, name+": commits", commits, c.commits)
		if c.code > 1 {
			assert.Contains(t, name, got.Words, "the words of the server")
		}
	}
	server.Fail(nil)
	before := len(server.Received())
	got := s.Send(t.Context(), mail.Message{ID: "mai_1", Email: "ada@example.com", At: time.Now()},
		func() error { return errors.New("no") })
	assert.Equal(t, "a commit that fails", got.Outcome, mail.Abandoned)
	assert.Equal(t, "mails", len(server.Received()), before)
	assert.Equal(t, "no server", serverAt(t, "smtp://127.0.0.1:1").Send(t.Context(), mail.Message{ID: "mai_1",
		Email: "ada@example.com"}, done).Outcome, mail.Unreachable)
}

// TestNext: a mail comes after its pause or with the digest, and never in quiet hours or on quiet days.
func TestNext(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	must(t, err)
	const weekend = 1<<time.Saturday | 1<<time.Sunday
	night := api.MailFields{TimeZone: "Europe/Berlin", QuietFrom: 22 * 60, QuietUntil: 7*60 + 30, DigestHour: 8}
	lunch := api.MailFields{TimeZone: "Europe/Berlin", QuietFrom: 12 * 60, QuietUntil: 13 * 60, DigestHour: 12}
	free := night
	free.QuietDays = weekend
	none := api.MailFields{TimeZone: "Nowhere", DigestHour: 8}
	for _, c := range []struct {
		name      string
		fields    api.MailFields
		digest    bool
		now, want string
	}{
		{"at once", night, false, "2026-11-25 15:00", "2026-11-25 15:02"},
		{"in the evening", night, false, "2026-11-25 21:59", "2026-11-26 07:30"},
		{"in the night", night, false, "2026-11-26 03:00", "2026-11-26 07:30"},
		{"at the end", night, false, "2026-11-26 07:28", "2026-11-26 07:30"},
		{"at lunch", lunch, false, "2026-11-25 12:15", "2026-11-25 13:00"},
		{"a digest at lunch", lunch, true, "2026-11-25 09:00", "2026-11-25 13:00"},
		{"before a free weekend", free, false, "2026-11-27 21:59", "2026-11-30 07:30"},
		{"in it", free, false, "2026-11-28 12:00", "2026-11-30 07:30"},
		{"the digest of today", night, true, "2026-11-25 07:59", "2026-11-25 08:00"},
		{"the digest of tomorrow", night, true, "2026-11-25 08:00", "2026-11-26 08:00"},
		{"the digest after a weekend", free, true, "2026-11-27 09:00", "2026-11-30 08:00"},
		{"a night of 9 hours less one", night, false, "2026-03-29 01:30", "2026-03-29 07:30"},
		{"a night of 9 hours and one", night, false, "2026-10-25 02:30", "2026-10-25 07:30"},
		{"no zone", none, false, "2026-11-25 15:00", "2026-11-25 15:02"},
	} {
		now, err := time.ParseInLocation("2006-01-02 15:04", c.now, berlin)
		must(t, err)
		got := mail.Next(c.fields, now, c.digest).In(berlin).Format("2006-01-02 15:04")
		assert.Equal(t, c.name, got, c.want)
	}
}
