package oauth

import (
	"context"
	"crypto/rand"
	"fmt"
	"math"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/safehttp"
	"bugslice/internal/throttle"
	"bugslice/internal/token"
	"bugslice/internal/tracker"
)

// Options are what a Server is made from.
type Options struct {
	Store   access.Store
	Tracker *tracker.Tracker
	BaseURL string           // without a trailing slash; the issuer
	Policy  *safehttp.Policy // of requests for the documents of clients
	Now     func() time.Time // time.Now when nil
}

// Server is the authorisation server of an instance. It is safe for concurrent use.
type Server struct {
	Options
	rights    *access.Access
	authority *access.Authority
	documents *documents
	guesses   *throttle.Throttle // of user codes
}

// Lifetimes of what programs get.
const (
	AccessLifetime = time.Hour // of an access token that is renewed
	DeviceLifetime = 10 * time.Minute

	codeLifetime = time.Minute
	renewalGrace = time.Minute // in which requests with the former access token are still answered
	devicePause  = 5 * time.Second
)

// Bounds of what programs store that nobody has allowed yet.
const (
	maxWaiting        = 1000 // registrations, and as many command lines
	maxWaitingNetwork = 20   // of each, of one IPv4 address or IPv6 /64
)

// guessLimit is how many wrong user codes a user may enter, and the browsers of an address.
var guessLimit = throttle.Limit{Failures: 5, Window: DeviceLifetime, Pause: DeviceLifetime}

// New returns a Server.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	rights, authority := access.New(access.Options{Store: o.Store, Now: o.Now})
	return &Server{Options: o, rights: rights, authority: authority, documents: newDocuments(o.Policy, o.Now),
		guesses: throttle.New(guessLimit, o.Now)}
}

func (s *Server) clock() api.Time { return api.At(s.Now()) }

// write runs fn in a transaction.
func write[T any](ctx context.Context, s *Server, fn func(*access.Tx) (T, error)) (T, error) {
	return access.SystemWrite(ctx, s.authority, fn)
}

// A refresh token is refreshPrefix, the family that all refresh tokens of a key share, and a part that is new each
// time. So the server knows a token that was replaced by its family, without storing it.
const (
	refreshPrefix = "svc_ref_"
	partLength    = 26 // of rand.Text, which has at least 128 random bits
)

// newFamily returns a family of refresh tokens, and newRefresh a token of it.
func newFamily() string { return refreshPrefix + rand.Text() }

func newRefresh(family string) string { return family + rand.Text() }

// familyOf returns the family of a refresh token. It is not ok for a text that is none.
func familyOf(text string) (family string, ok bool) {
	const length = len(refreshPrefix) + partLength
	if len(text) != length+partLength || !strings.HasPrefix(text, refreshPrefix) {
		return "", false
	}
	return text[:length], true
}

// hash returns what is stored of a code or of a refresh token.
func hash(text string) string { return token.Hash(text) }

// busy refuses a program because too many of its network, or of all, wait to be allowed, the first of them until a
// time.
func (s *Server) busy(of string, until time.Time) *Error {
	wait := max(until.Sub(s.Now()), time.Second)
	e := refuse("temporarily_unavailable", fmt.Sprintf(
		"Too many programs of %s are waiting to be allowed. Try again in %.0f seconds.", of, math.Ceil(wait.Seconds())))
	e.RetryAfter = wait
	return e
}
