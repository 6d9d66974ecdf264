package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	netmail "net/mail"
	"net/textproto"
	"os"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

// Outcome says how far an attempt to send a mail came.
type Outcome string

// The outcomes.
const (
	Sent        Outcome = "sent"        // the server has taken it
	Unreachable Outcome = "unreachable" // no mail can be given to the server now
	Delayed     Outcome = "delayed"     // the server wants it later, or does not say what is wrong with it
	Bounced     Outcome = "bounced"     // the server says that there is no such address
	Unknown     Outcome = "unknown"     // the mail was complete, and the server has not answered
	Abandoned   Outcome = "abandoned"   // commit has refused it
)

// Outcomes are all outcomes.
var Outcomes = []Outcome{Sent, Unreachable, Delayed, Bounced, Unknown, Abandoned}

// Result is how far an attempt came, what the server, or else the network, said to it, and what was wrong.
type Result struct {
	Outcome
	Words string
	Fault Fault
}

// Server gives mails to a mail server. It is safe for concurrent use.
type Server struct{ Settings }

// New returns the server of settings.
func New(s Settings) *Server { return &Server{s} }

// exchangeTimeout bounds the time in which a connection is opened, and that in which a mail is given to the server.
const exchangeTimeout = 30 * time.Second

// MaxSend is longer than an attempt of Send takes.
const MaxSend = 2*exchangeTimeout + 5*time.Second

// Send gives a message to the server. Before the message is complete it calls commit; when that fails, the server gets no
// complete message.
func (s *Server) Send(ctx context.Context, m Message, commit func() error) Result {
	message, err := s.compose(m)
	if err != nil {
		return Result{Bounced, words(err), AddressRefused}
	}
	client, err := s.dial(ctx)
	if err != nil {
		return Result{Unreachable, words(err), faultOfDial(err)}
	}
	defer func() { _ = client.Close() }()
	if err := client.UpdateDeadline(exchangeTimeout); err != nil { // of the whole exchange
		return Result{Unreachable, words(err), OtherFault}
	}
	if err := client.Mail(bare(s.from.Address)); err != nil {
		// whoever gets it, the server takes no mail of this sender now
		return Result{Unreachable, words(err), faultOfNetwork(err, SenderRefused)}
	}
	if err := client.Rcpt(bare(m.Email)); err != nil {
		return Result{refusal(err), words(err), faultOfNetwork(err, AddressRefused)}
	}
	body, err := client.Data()
	if err != nil {
		return Result{Delayed, words(err), faultOfNetwork(err, MailRefused)}
	}
	if _, err := message.WriteTo(body); err != nil {
		return Result{Delayed, words(err), faultOfNetwork(err, MailRefused)}
	}
	if err := commit(); err != nil {
		return Result{Abandoned, "", OtherFault}
	}
	if err := body.Close(); err != nil {
		if code, _ := replyOf(err); code == 0 {
			return Result{Unknown, words(err), NoAnswer}
		}
		return Result{Delayed, words(err), MailRefused}
	}
	_ = client.Quit()
	sent := Result{Outcome: Sent}
	if said, ok := body.(*smtp.DataCloser); ok {
		sent.Words = Line(said.ServerResponse())
	}
	return sent
}

// bare returns an address as the protocol has it.
func bare(address string) string { return (&netmail.Address{Address: address}).String() }

// dial opens a connection on which the server accepts mails.
func (s *Server) dial(ctx context.Context) (*smtp.Client, error) {
	options := []gomail.Option{gomail.WithPort(s.port), gomail.WithTimeout(exchangeTimeout)}
	if name, err := os.Hostname(); err == nil && name != "" {
		options = append(options, gomail.WithHELO(name))
	}
	switch s.security {
	case startTLS:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	case implicit:
		options = append(options, gomail.WithSSL())
	case none:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	}
	options = append(options, gomail.WithTLSConfig(&tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12}))
	if s.user != "" {
		kind := gomail.SMTPAuthAutoDiscover
		if s.security == none {
			kind = gomail.SMTPAuthPlainNoEnc
		}
		options = append(options, gomail.WithSMTPAuth(kind), gomail.WithUsername(s.user),
			gomail.WithPassword(s.password))
	}
	client, err := gomail.NewClient(s.host, options...)
	if err != nil {
		return nil, err
	}
	return client.DialToSMTPClientWithContext(ctx)
}

// refusal returns what a server means that refuses an address. One that refuses for its policy does not say that there is no
// such address: it may take no mail of this sender at all.
func refusal(err error) Outcome {
	code, text := replyOf(err)
	for _, policy := range []string{"5.7.", "5.4.", "5.3."} {
		if strings.HasPrefix(text, policy) {
			return Delayed
		}
	}
	switch code {
	case 550, 551, 553, 521, 556:
		return Bounced
	case 554:
		if strings.HasPrefix(text, "5.1.") {
			return Bounced
		}
	case 0:
		return Unreachable
	}
	return Delayed
}

// replyOf returns the code and the text of the answer of a server, 0 when it has not answered.
func replyOf(err error) (code int, text string) {
	if reply, ok := errors.AsType[*textproto.Error](err); ok {
		return reply.Code, reply.Msg
	}
	return 0, ""
}

// words returns what an error says, in a line.
func words(err error) string {
	if code, text := replyOf(err); code != 0 {
		return Line(fmt.Sprintf("%d %s", code, text))
	}
	return Line(err.Error())
}
