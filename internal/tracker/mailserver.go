package tracker

import (
	"context"
	"errors"
	"sync"
	"time"

	"bugslice/api"
	"bugslice/internal/mail"
	"bugslice/internal/throttle"
)

// MailServer gives mails to a mail server.
type MailServer interface {
	// Describe says which server it is, without a secret.
	Describe() string
	// Send makes one attempt. It calls commit before the mail may arrive, and gives the mail up when that fails.
	Send(ctx context.Context, m mail.Message, commit func() error) mail.Result
}

// The kinds of mails.
const (
	mailOfReport     = "report"
	mailOfBundle     = "bundle" // of several reports
	mailOfDigest     = "digest"
	mailOfInvitation = string(api.LinkInvitation)
	mailOfReset      = string(api.LinkReset)
	mailOfShare      = string(api.LinkShare)
	mailOfForgot     = "forgot"  // of a password, by whoever says so
	mailOfProof      = "proof"   // of an address
	mailOfAsked      = "asked"   // to an address that somebody wants to change
	mailOfChanged    = "changed" // to the former address
	mailOfTest       = "test"
	mailOfReporter   = "reporter" // the address of the page of a report, to its reporter
)

// errMailNotWanted means that nothing is left of which a mail would tell.
var errMailNotWanted = errors.New("the mail is not wanted any more")

// mailCounts counts the attempts of this node by their outcome.
type mailCounts struct {
	mu  sync.Mutex
	all map[mail.Outcome]int64
}

func (c *mailCounts) add(o mail.Outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all[o]++
}

// mailLimits slow down those who let mails be sent to others.
type mailLimits struct {
	forgotAddress *throttle.Throttle // by address
	forgotNetwork *throttle.Throttle // by network
	links         *throttle.Throttle // by user
	addressees    *throttle.Throttle // of these links, by address
	reporters     *throttle.Throttle // by address
}

func newMailLimits(now func() time.Time) mailLimits {
	return mailLimits{
		forgotAddress: throttle.New(throttle.Limit{Failures: 3, Window: time.Hour, Pause: time.Hour}, now),
		forgotNetwork: throttle.New(throttle.Limit{Failures: 20, Window: time.Hour, Pause: time.Minute}, now),
		reporters:     throttle.New(throttle.Limit{Failures: 5, Window: 24 * time.Hour, Pause: 24 * time.Hour}, now),
		links:         throttle.New(throttle.Limit{Failures: 50, Window: time.Hour, Pause: time.Minute}, now),
		addressees:    throttle.New(throttle.Limit{Failures: 10, Window: time.Hour, Pause: time.Hour}, now),
	}
}

// spend counts a mail against a limit, or refuses it.
func spend(l *throttle.Throttle, key string) error {
	attempt, wait := l.Reserve(key)
	if wait > 0 {
		p := api.NewProblem(api.CodeRateLimited, "Too many mails were asked for. Try again later.")
		p.RetryAfter = wait
		return p
	}
	attempt.Fail() // each mail counts
	return nil
}
