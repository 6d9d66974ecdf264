package httpapi

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/ratelimit"
	"bugslice/internal/token"
	"bugslice/internal/tracker"
)

const realm = `Bearer realm="bugslice"`

// authenticate returns the caller behind the Authorization header. Failed tries are
// throttled by client address; a valid key is never refused for its neighbour's failures.
func (s *Server) authenticate(w http.ResponseWriter, r *http.Request) (tracker.Caller, error) {
	c, challenge, err := s.credentials(r)
	var p *api.Problem
	if !errors.As(err, &p) || p.Status != http.StatusUnauthorized {
		return c, err
	}
	if d := s.failures.Take(ratelimit.ClientKey(s.client(r))); !d.Allowed {
		w.Header().Set("Retry-After", seconds(d.RetryAfter))
		return c, api.Refuse(api.CodeRateLimited, "Too many failed authentications from this address. Try again in "+seconds(d.RetryAfter)+" s.")
	}
	w.Header().Set("WWW-Authenticate", challenge)
	return c, err
}

func (s *Server) credentials(r *http.Request) (c tracker.Caller, challenge string, err error) {
	headers := r.Header.Values("Authorization")
	if len(headers) == 0 {
		return c, realm, api.Refuse(api.CodeUnauthorized, "Send an API key: Authorization: Bearer svc_pat_…")
	}
	text, ok := token.FromAuthorization(headers[0])
	if !ok || len(headers) > 1 {
		return c, realm, api.Refuse(api.CodeUnauthorized, "The Authorization header must be one: Bearer, a space, and the API key.")
	}
	c, err = s.Tracker.Authenticate(r.Context(), text)
	c.Request = tracker.Request{ID: current(r).id}
	if at := s.client(r); at.IsValid() {
		c.Request.ClientAddress = at.String()
	}
	return c, realm + `, error="invalid_token"`, err
}

// client returns the address a request came from: that of the connection, or where it is a
// trusted proxy's, the nearest address in X-Forwarded-For that is not.
func (s *Server) client(r *http.Request) netip.Addr {
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	at := remote.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && s.trusted(at); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		at = hop.Unmap()
	}
	return at
}

func (s *Server) trusted(a netip.Addr) bool {
	for _, p := range s.TrustedProxies {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// spend takes a request from the key's budget and tells the client what is left.
func (s *Server) spend(w http.ResponseWriter, c tracker.Caller) error {
	if s.perKey == nil {
		return nil
	}
	d := s.perKey.Take(c.KeyID())
	w.Header().Set("RateLimit-Policy", fmt.Sprintf(`"key";q=%d;w=60`, d.Limit))
	w.Header().Set("RateLimit", fmt.Sprintf(`"key";r=%d;t=%s`, d.Remaining, seconds(d.Reset)))
	if d.Allowed {
		return nil
	}
	w.Header().Set("Retry-After", seconds(d.RetryAfter))
	return api.Refuse(api.CodeRateLimited, fmt.Sprintf("The key has used its %d requests a minute. Try again in %s s.", d.Limit, seconds(d.RetryAfter)))
}

// seconds rounds up, so that who waits that long has waited long enough.
func seconds(d time.Duration) string {
	return strconv.Itoa(int(math.Ceil(d.Seconds())))
}
