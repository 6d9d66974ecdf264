package mail

import (
	"fmt"
	netmail "net/mail"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// Message is a mail to one person.
type Message struct {
	ID          string // of the mail, from which its Message-ID is made
	Name, Email string // of the person; the name may be empty
	Subject     string
	Thread      string // the id of the report that the mail is about, by which programs show its mails together; empty for none
	At          time.Time
	Unsubscribe string // the address that stops such mails by one request; empty for none
	Letter
}

// answers says in a mail what becomes of answers to it.
func (s Settings) answers() string {
	if s.replyTo != nil {
		return "Answers to this mail go to " + s.replyTo.Address + ", and not into the report."
	}
	return "Nobody reads answers to this mail. Answer by the link in it."
}

// header returns a text of people as a header has it: without the beginning of an encoded word, which programs would decode.
func header(text string) string { return strings.ReplaceAll(Line(text), "=?", "= ?") }

// sender returns the address of the sender. Its name says when answers are not read.
func (s Settings) sender() netmail.Address {
	name := s.from.Name
	if name == "" {
		name = "Bugslice"
	}
	if s.replyTo == nil {
		name += " (answers are not read)"
	}
	return netmail.Address{Name: header(name), Address: s.from.Address}
}

// identify returns the Message-ID of a record.
func (s Settings) identify(id string) string {
	_, host, _ := strings.Cut(s.from.Address, "@")
	return id + "@" + strings.Trim(host, "[]")
}

// compose returns a message with its headers.
func (s Settings) compose(m Message) (*gomail.Msg, error) {
	out := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	from := s.sender()
	out.FromMailAddress(&from)
	if err := out.EnvelopeFrom(s.from.Address); err != nil {
		return nil, err
	}
	out.ToMailAddress(&netmail.Address{Name: header(m.Name), Address: m.Email})
	if got := out.GetTo(); len(got) != 1 || got[0].Address != m.Email {
		return nil, fmt.Errorf("mail: %q is no address", m.Email)
	}
	if s.replyTo != nil {
		out.ReplyToMailAddress(s.replyTo)
	}
	out.Subject(header(m.Subject))
	out.SetBoundary("part-" + m.ID)
	out.SetMessageIDWithValue(s.identify(m.ID))
	out.SetDateWithValue(m.At.UTC())
	out.SetGenHeader("Auto-Submitted", "auto-generated")
	if m.Thread != "" {
		thread := "<" + s.identify(m.Thread) + ">"
		out.SetGenHeader(gomail.HeaderReferences, thread)
		out.SetGenHeader(gomail.HeaderInReplyTo, thread)
	}
	if m.Unsubscribe != "" {
		out.SetGenHeaderPreformatted("List-Unsubscribe", "<"+m.Unsubscribe+">")
		out.SetGenHeader("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
		out.SetGenHeader("Precedence", "bulk")
	}
	letter := m.Letter
	if letter.Title == "" && len(letter.Items) == 0 {
		letter.Title = Line(m.Subject)
	}
	letter.Footer = append([]string{s.answers()}, letter.Footer...)
	out.SetBodyString(gomail.TypeTextPlain, letter.Text())
	out.AddAlternativeString(gomail.TypeTextHTML, letter.HTML())
	return out, nil
}
