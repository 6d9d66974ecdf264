package intake

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/blob"
	"bugslice/internal/proofofwork"
	"bugslice/internal/ratelimit"
	"bugslice/internal/secret"
	"bugslice/internal/store/sources"
	"bugslice/internal/tracker"
)

// Options are what a Server is made from.
type Options struct {
	Store   access.Store
	Tracker *tracker.Tracker
	Secrets *secret.Ring
	Blobs   blob.Store
	Log     *slog.Logger
	Limited bool             // whether the requests of an address are limited
	Now     func() time.Time // the clock; time.Now when nil
}

// Server takes reports. It is safe for concurrent use.
type Server struct {
	Options
	rights    *access.Access
	authority *access.Authority
	rate      *proofofwork.Rate // of tokens, by source
	budgets   *ratelimit.Budgets
	requests  *ratelimit.Limiter // by client address
	pieces    *ratelimit.Limiter // of the pieces of files, by client address
	refused   *refusals
}

// Requests of one client address in a minute. They bound what a source's own limits do not count.
const (
	requestsPerMinute = 60
	piecesPerMinute   = 600
)

// New returns a Server.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	rights, authority := access.New(access.Options{Store: o.Store, Now: o.Now})
	return &Server{Options: o, rights: rights, authority: authority, rate: proofofwork.NewRate(o.Now),
		budgets: ratelimit.NewBudgets(o.Now), requests: ratelimit.New(requestsPerMinute, o.Now),
		pieces: ratelimit.New(piecesPerMinute, o.Now), refused: newRefusals()}
}

func (s *Server) clock() api.Time { return api.At(s.Now()) }

// refuse counts a refusal and returns its problem. A source is none while it is unknown.
func (s *Server) refuse(sourceID string, why Refusal, p *api.Problem) error {
	s.refused.add(sourceID, why)
	return p
}

// Refused returns how many reports this node has refused for a reason.
func (s *Server) Refused(why Refusal) int64 { return s.refused.of(why) }

// Visit is what is known of the sender of a request.
type Visit struct {
	Key, Origin string
	Address     netip.Addr
	RequestID   string
	Piece       bool // whether the request is about a piece of a file, of which there are many
}

func (v Visit) request() access.Request {
	q := access.Request{ID: v.RequestID}
	if v.Address.IsValid() {
		q.ClientAddress = v.Address.String()
	}
	return q
}

// Site is a source that takes reports, for one request.
type Site struct {
	source sources.Source
	visit  Visit
}

// errNotTaken refuses a request to a source that is unknown, paused or deleted, and one from an origin that the
// source does not allow. It is the same for all of them.
var errNotTaken = api.NewProblem(api.CodeNotFound, "No reports are taken here.")

// Enter returns the source of a public key, unless the address of the client has sent too many requests. A request
// about a file needs no origin, because browsers leave it out of some, and the address of the file is a secret.
func (s *Server) Enter(ctx context.Context, v Visit) (Site, error) {
	limit := s.requests
	if v.Piece {
		limit = s.pieces
	}
	if d := limit.Allow(ratelimit.ClientKey(v.Address)); s.Limited && !d.Allowed {
		return Site{}, s.refuse("", RefusedRate, tooMany(d.RetryAfter))
	}
	source, err := s.Tracker.Visitors().SourceByKey(ctx, v.Key)
	if errors.Is(err, access.ErrNoSource) {
		return Site{}, s.refuse("", RefusedKey, errNotTaken)
	}
	if err != nil {
		return Site{}, err
	}
	if (v.Origin != "" || !v.Piece) && !Allows(source.Origins, v.Origin) {
		return Site{}, s.refuse(source.ID, RefusedOrigin, errNotTaken)
	}
	return Site{source: source, visit: v}, nil
}

// AllowsOrigin reports whether the pages of an origin may read the answers to their requests to a key.
func (s *Server) AllowsOrigin(ctx context.Context, key, origin string) bool {
	source, err := s.Tracker.Visitors().SourceByKey(ctx, key)
	return err == nil && Allows(source.Origins, origin)
}

func tooMany(wait time.Duration) *api.Problem {
	p := api.NewProblem(api.CodeRateLimited, "Too many reports are sent. Try again in "+ratelimit.Seconds(wait)+" s.")
	p.RetryAfter = wait
	return p
}

// Token is what a page needs to send one report.
type Token struct {
	Token string `json:"token"`
	// The time after which the token is of no use.
	ExpiresAt api.Time `json:"expiresAt"`
	// The seconds before which no report is taken.
	Wait int `json:"wait"`
	// The puzzle to solve; null for none.
	Work *proofofwork.Puzzle `json:"work"`
	// What the source records.
	Captures []api.CapturePart `json:"captures"`
}

// Token returns a token for one report. The more are asked for, the more work it costs.
func (s *Server) Token(site Site) (Token, error) {
	t := submitToken{Source: site.source.ID, Origin: site.visit.Origin, Issued: s.Now(), Salt: newSalt(),
		Bits: proofofwork.Bits(s.rate.Share(site.source.ID, site.source.Limits.PerMinute))}
	text, err := seal(s.Secrets, tokenPurpose, t)
	if err != nil {
		return Token{}, err
	}
	out := Token{Token: text, ExpiresAt: api.At(t.expires()), Wait: int(Dwell / time.Second),
		Captures: site.source.Captures}
	if t.Bits > 0 {
		p := t.puzzle()
		out.Work = &p
	}
	return out, nil
}
