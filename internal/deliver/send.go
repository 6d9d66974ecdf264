// Package deliver carries the messages of webhooks to their receivers: it claims deliveries
// that are due, and makes their tries by Standard Webhooks 1.0.0. What is sent, and whether it
// may be, is tracker's.
package deliver

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/safehttp"
	"bugslice/internal/tracker"
	"bugslice/webhook"
)

const (
	tryTime     = 15 * time.Second // for a whole exchange
	addressTime = 2 * time.Second  // that a try takes whose address has no use, whatever is wrong with it
	maxAnswer   = 4 << 10          // bytes kept of an answer's body; no more are read
	busyTime    = time.Minute      // a receiver that answers 429, 502 or 504 is left alone, when it does not say
	maxBusy     = time.Hour        // whatever it says
)

// Sender makes single tries, to what a policy allows. It is safe for concurrent use.
type Sender struct {
	policy *safehttp.Policy
	client *http.Client
	agent  string
	public func(netip.Addr) bool
	log    *slog.Logger
}

// NewSender returns a Sender that names itself by agent.
func NewSender(p *safehttp.Policy, agent string, log *slog.Logger) *Sender {
	return &Sender{policy: p, client: p.Client(tryTime), agent: agent, public: p.Public, log: log}
}

// Check refuses a URL whose text shows that it must not be asked.
func (s *Sender) Check(url string) error { return s.policy.CheckURL(url) }

// Send makes one try. An answer of 2xx alone is success; a redirect is not followed. The body
// of the answer is kept when it is text and came from a public address: what stands behind an
// address that the operator allowed is nobody else's to read. Nor are the names of the network that
// the service stands in: whether a name leads to no address or to one that is not allowed is in the
// log alone, and takes the same time.
func (s *Sender) Send(ctx context.Context, m tracker.Message) tracker.SendResult {
	begin := time.Now()
	sent := s.try(ctx, m)
	sent.At = api.At(begin)
	if !notAllowed(sent) {
		sent.DurationMs = time.Since(begin).Milliseconds()
	}
	return sent
}

func notAllowed(sent tracker.SendResult) bool {
	return sent.Error != nil && *sent.Error == api.AttemptAddress
}

// pause waits, but not beyond the end of ctx.
func pause(ctx context.Context, until <-chan time.Time) {
	select {
	case <-until:
	case <-ctx.Done():
	}
}

func (s *Sender) try(ctx context.Context, m tracker.Message) (sent tracker.SendResult) {
	if err := s.policy.CheckURL(m.URL); err != nil {
		return s.failed(m, err)
	}
	var remote netip.AddrPort
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) {
		remote, _ = netip.ParseAddrPort(c.Conn.RemoteAddr().String())
	}})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL, bytes.NewReader(m.Body))
	if err != nil {
		return s.failed(m, err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", s.agent)
	req.Header.Set(webhook.HeaderID, m.ID)
	req.Header.Set(webhook.HeaderTimestamp, strconv.FormatInt(m.At.Unix(), 10))
	req.Header.Set(webhook.HeaderSignature, m.Signature)
	dialled := time.After(addressTime)
	res, err := s.client.Do(req)
	if err != nil {
		if sent = s.failed(m, err); notAllowed(sent) {
			pause(ctx, dialled)
		}
		return sent
	}
	defer res.Body.Close()
	status := int64(res.StatusCode)
	sent.Status = &status
	if why := judge(res.StatusCode); why != "" {
		sent.Error = &why
		sent.RetryAfter = patience(res)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil && sent.Error == nil && len(body) == 0 {
		return s.failed(m, err) // the answer broke off before anything of it came
	}
	if text := printable(body); text != "" && s.public(remote.Addr()) {
		sent.ResponseBody = &text
	}
	return sent
}

func judge(status int) api.AttemptError {
	switch {
	case status >= 200 && status < 300:
		return ""
	case status >= 300 && status < 400:
		return api.AttemptRedirect
	}
	return api.AttemptStatus
}

// patience is how long a receiver is to be left alone.
func patience(res *http.Response) time.Duration {
	var d time.Duration
	switch res.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusGatewayTimeout:
		d = busyTime
	}
	after := res.Header.Get("Retry-After")
	if n, err := strconv.ParseUint(after, 10, 31); err == nil {
		d = time.Duration(n) * time.Second
	} else if at, err := http.ParseTime(after); err == nil {
		d = time.Until(at)
	}
	return min(max(d, 0), maxBusy)
}

// printable returns a body as text, or nothing of one that is none.
func printable(body []byte) string {
	for len(body) > 0 { // a cut may have gone through a character
		if r, n := utf8.DecodeLastRune(body); r != utf8.RuneError || n != 1 || len(body) < maxAnswer-4 {
			break
		}
		body = body[:len(body)-1]
	}
	if !utf8.Valid(body) || bytes.IndexByte(body, 0) >= 0 {
		return ""
	}
	return string(body)
}

// failed says why there was no answer. What it does not say of the address is logged.
func (s *Sender) failed(m tracker.Message, err error) tracker.SendResult {
	why := classify(err)
	if u, bad := url.Parse(m.URL); bad == nil && why == api.AttemptAddress {
		var cause *url.Error // which quotes the whole URL
		if errors.As(err, &cause) {
			err = cause.Err
		}
		s.log.Info("the address of a webhook has no use", "event", m.ID, "host", u.Host, "error", err)
	}
	return tracker.SendResult{Attempt: api.Attempt{Error: &why}}
}

func classify(err error) api.AttemptError {
	var timeout interface{ Timeout() bool }
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var authority x509.UnknownAuthorityError
	var op *net.OpError
	switch {
	case errors.Is(err, safehttp.ErrNotAllowed), errors.As(err, &dns):
		return api.AttemptAddress
	case errors.As(err, &certificate), errors.As(err, &record), errors.As(err, &alert), errors.As(err, &authority),
		strings.Contains(err.Error(), "HTTP response to HTTPS client"):
		return api.AttemptTLS
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return api.AttemptTimeout
	case strings.Contains(err.Error(), "malformed"):
		return api.AttemptProtocol
	case errors.As(err, &op), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), strings.Contains(err.Error(), "connection"):
		return api.AttemptConnection
	}
	return api.AttemptProtocol
}
