// Package deliver delivers the messages of webhooks to their receivers: it leases deliveries that are due, and
// attempts them by Standard Webhooks 1.0.0. The tracker decides what is sent, and whether it may be.
package deliver

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
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
	attemptTimeout    = 15 * time.Second // of a whole exchange
	addressDelay      = 2 * time.Second  // of an attempt whose address is wrong, whatever is wrong with it
	maxResponseBody   = 4 << 10          // bytes that are stored of the body of a response
	maxResponseRead   = 64 << 10         // bytes that are read of it: a chat answers with the message
	defaultRetryAfter = time.Minute      // of a response 429, 502 or 504 without Retry-After
	maxRetryAfter     = time.Hour
)

// Sender makes single attempts, to the addresses that a policy allows. It is safe for concurrent use.
type Sender struct {
	policy *safehttp.Policy
	client *http.Client
	agent  string
	public func(netip.Addr) bool
	log    *slog.Logger
}

// NewSender returns a Sender with agent as its User-Agent.
func NewSender(p *safehttp.Policy, agent string, log *slog.Logger) *Sender {
	return &Sender{policy: p, client: p.Client(attemptTimeout), agent: agent, public: p.Public, log: log}
}

// Address returns the form in which a URL is stored and dialled. It refuses a URL whose text shows that it is not
// allowed.
func (s *Sender) Address(raw string) (string, error) {
	address, err := s.policy.Address(raw)
	if host := allowable(raw); err != nil && host != "" {
		err = fmt.Errorf("%w, unless the operator starts Bugslice with --webhook-allow %s", err, host)
	}
	return address, err
}

// allowable returns the host of a URL that would be allowed as an exception, empty for none.
func allowable(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	exception, err := safehttp.NewPolicy([]string{u.Hostname()})
	if err != nil {
		return ""
	}
	if _, err := exception.Address(raw); err != nil {
		return ""
	}
	return u.Hostname()
}

// Send makes one attempt. Only a response 2xx is success, and no redirect is followed. The body of the response is
// stored when it is text from a public address, because users may not read the responses of private addresses that
// the operator allowed. They may not explore the network of the service either: a name without an address and a name
// with an address that is not allowed take the same time and give the same result, and only the log has the
// difference.
func (s *Sender) Send(ctx context.Context, m tracker.Message) tracker.SendResult {
	started := time.Now()
	sent := s.attempt(ctx, m)
	sent.At = api.At(started)
	if !hasBadAddress(sent) {
		sent.DurationMs = time.Since(started).Milliseconds()
	}
	return sent
}

func hasBadAddress(sent tracker.SendResult) bool {
	return sent.Error != nil && *sent.Error == api.AttemptAddress
}

// attempt makes one attempt. An attempt with an address that cannot be used takes addressDelay, for any reason,
// unless the URL itself shows it.
func (s *Sender) attempt(ctx context.Context, m tracker.Message) tracker.SendResult {
	address, err := s.policy.Address(m.URL) // a former version may have stored another form
	if err != nil {
		return s.failed(m, err)
	}
	m.URL = address
	var remote netip.AddrPort
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) {
		remote, _ = netip.ParseAddrPort(c.Conn.RemoteAddr().String())
	}})
	req, err := s.newRequest(ctx, m)
	if err != nil {
		return s.failed(m, err)
	}
	delay := time.After(addressDelay)
	res, err := s.client.Do(req)
	if err != nil {
		sent := s.failed(m, err)
		if hasBadAddress(sent) {
			select {
			case <-delay:
			case <-ctx.Done():
			}
		}
		return sent
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxResponseRead))
	code := statusError(res.StatusCode)
	if err != nil && code == "" && len(body) == 0 {
		return s.failed(m, err) // the response ended before its body began
	}
	status := int64(res.StatusCode)
	sent := tracker.SendResult{Attempt: api.Attempt{Status: &status}, Response: body}
	if code != "" {
		sent.Error = &code
		sent.RetryAfter = retryAfter(res)
	}
	if text := textOf(body[:min(len(body), maxResponseBody)]); text != "" && s.public(remote.Addr()) {
		sent.ResponseBody = &text
	}
	return sent
}

func (s *Sender) newRequest(ctx context.Context, m tracker.Message) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, cmp.Or(m.Method, http.MethodPost), m.URL, bytes.NewReader(m.Body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", s.agent)
	req.Header.Set(webhook.HeaderID, m.ID)
	req.Header.Set(webhook.HeaderTimestamp, strconv.FormatInt(m.At.Unix(), 10))
	req.Header.Set(webhook.HeaderSignature, m.Signature)
	return req, nil
}

// statusError returns the error of a status, empty for 2xx.
func statusError(status int) api.AttemptError {
	switch {
	case status >= 200 && status < 300:
		return ""
	case status >= 300 && status < 400:
		return api.AttemptRedirect
	}
	return api.AttemptStatus
}

// retryAfter returns how long no message is sent to a receiver.
func retryAfter(res *http.Response) time.Duration {
	var d time.Duration
	switch res.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusGatewayTimeout:
		d = defaultRetryAfter
	}
	header := res.Header.Get("Retry-After")
	if n, err := strconv.ParseUint(header, 10, 31); err == nil {
		d = time.Duration(n) * time.Second
	} else if at, err := http.ParseTime(header); err == nil {
		d = time.Until(at)
	}
	return min(max(d, 0), maxRetryAfter)
}

// textOf returns a body as text, or "" when it is not text.
func textOf(body []byte) string {
	for len(body) > 0 { // the last character may be truncated
		if r, n := utf8.DecodeLastRune(body); r != utf8.RuneError || n != 1 || len(body) < maxResponseBody-4 {
			break
		}
		body = body[:len(body)-1]
	}
	if !utf8.Valid(body) || bytes.IndexByte(body, 0) >= 0 {
		return ""
	}
	return string(body)
}

// failed returns the result of an attempt without a response. It logs what is wrong with an address, which the result
// does not say.
func (s *Sender) failed(m tracker.Message, err error) tracker.SendResult {
	code := classify(err)
	if u, parseErr := url.Parse(m.URL); parseErr == nil && code == api.AttemptAddress {
		if quotesURL, ok := errors.AsType[*url.Error](err); ok {
			err = quotesURL.Err
		}
		s.log.Info("the address of a webhook cannot be used", "event", m.ID, "host", u.Host, "error", err)
	}
	return tracker.SendResult{Attempt: api.Attempt{Error: &code}}
}

// classify returns the code of an error of the client. The client has no type for some of its errors, so that their
// texts are compared.
func classify(err error) api.AttemptError {
	timeout, hasTimeout := errors.AsType[timeoutError](err)
	switch {
	case errors.Is(err, safehttp.ErrNotAllowed), is[*net.DNSError](err):
		return api.AttemptAddress
	case is[*tls.CertificateVerificationError](err), is[tls.RecordHeaderError](err), is[tls.AlertError](err),
		is[x509.UnknownAuthorityError](err), strings.Contains(err.Error(), "HTTP response to HTTPS client"):
		return api.AttemptTLS
	case hasTimeout && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return api.AttemptTimeout
	case strings.Contains(err.Error(), "malformed"):
		return api.AttemptProtocol
	case is[*net.OpError](err), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		strings.Contains(err.Error(), "connection"):
		return api.AttemptConnection
	}
	return api.AttemptProtocol
}

// timeoutError is an error that knows whether it is a timeout.
type timeoutError interface {
	error
	Timeout() bool
}

// is reports whether an error wraps one of the type E.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
