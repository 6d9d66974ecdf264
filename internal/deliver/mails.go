package deliver

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"bugslice/internal/store/mails"
	"bugslice/internal/tracker"
)

const (
	maxMails    = 8                // attempts in progress on a node, each with a connection to the mail server
	serverRest  = time.Second      // after an attempt that did not reach the server
	maxRest     = 30 * time.Second // after many
	mailTimeout = 10 * time.Second // in which mails are leased
)

// Mailer leases mails that are due, and sends them.
type Mailer struct {
	tracker  *tracker.Tracker
	log      *slog.Logger
	slots    chan struct{}
	finished chan struct{} // receives when an attempt has ended

	mu   sync.Mutex
	rest time.Duration // while the server cannot be reached
}

// NewMailer returns a Mailer.
func NewMailer(t *tracker.Tracker, log *slog.Logger) *Mailer {
	return &Mailer{tracker: t, log: log, slots: make(chan struct{}, maxMails), finished: make(chan struct{}, 1)}
}

// Run sends mails until ctx ends, and then waits for the attempts in progress. While the server cannot be reached, one mail
// at a time is tried, less and less often.
func (m *Mailer) Run(ctx context.Context) {
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	var attempts sync.WaitGroup
	defer attempts.Wait()
	for ctx.Err() == nil {
		published := m.tracker.Published()
		leased := m.lease(ctx)
		for _, one := range leased {
			m.slots <- struct{}{}
			attempts.Go(func() { m.attempt(ctx, one) })
		}
		wait := poll.C
		if rest := m.resting(); rest > 0 {
			published, wait = nil, time.After(rest)
			attempts.Wait()
		} else if len(leased) > 0 {
			continue
		}
		select {
		case <-published:
		case <-m.finished:
		case <-wait:
		case <-ctx.Done():
		}
	}
}

func (m *Mailer) resting() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rest
}

// lease leases as many mails as there are free slots, one while the server was not reached.
func (m *Mailer) lease(ctx context.Context) []mails.Mail {
	free := maxMails - len(m.slots)
	if m.resting() > 0 {
		free = min(free, 1)
	}
	if free == 0 {
		return nil
	}
	leasing, cancel := context.WithTimeout(context.WithoutCancel(ctx), mailTimeout)
	defer cancel()
	leased, err := m.tracker.LeaseMails(leasing, free)
	if err != nil && ctx.Err() == nil {
		m.log.Warn("mails could not be leased; it is tried again", "error", err)
	}
	return leased
}

// attempt makes one attempt to send a mail. When its outcome cannot be stored, the lease expires.
func (m *Mailer) attempt(ctx context.Context, one mails.Mail) {
	reached, err := m.tracker.SendMail(ctx, one)
	if err != nil {
		m.log.Warn("a mail could not be sent; it is tried again", "mail", one.ID, "error", err)
	}
	m.mu.Lock()
	switch {
	case reached:
		m.rest = 0
	case m.rest == 0:
		m.rest = serverRest
		m.log.Warn("the mail server cannot be reached; mails wait for it")
	default:
		m.rest = min(2*m.rest, maxRest)
	}
	m.mu.Unlock()
	<-m.slots
	select {
	case m.finished <- struct{}{}:
	default:
	}
}
