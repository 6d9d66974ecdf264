package oauth

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
	"bugslice/internal/throttle"
	"bugslice/internal/tracker"
)

// CommandLine is the id of the command line of this service, which needs no registration.
const CommandLine = "bugslice-cli"

// ErrDeviceClient refuses the device flow to every client but the command line.
var ErrDeviceClient = refuse("unauthorized_client", "The device flow is for the client_id "+CommandLine+".")

// DeviceCodes are the codes of a command line that asks for a key. It keeps Device; a user enters User.
type DeviceCodes struct {
	Device, User string
	Pause        time.Duration // before each poll
}

// letters are those of user codes: no vowels, so that no code is a word, and none that looks like a digit.
const letters = "BCDFGHJKLMNPQRSTVWXZ"

const userCodeLength = 8

// newUserCode returns a user code, of which there are 25 billion.
func newUserCode() string {
	var code []byte
	var random [2 * userCodeLength]byte
	for len(code) < userCodeLength {
		_, _ = rand.Read(random[:])
		for _, b := range random {
			if b < 240 && len(code) < userCodeLength { // 240 = 12 × 20: every letter is equally likely
				code = append(code, letters[int(b)%len(letters)])
			}
		}
	}
	return string(code)
}

// normalCode returns a user code without what people add to it.
func normalCode(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(letters, r) {
			return r
		}
		return -1
	}, strings.ToUpper(text))
}

// Device is a command line that waits for a user who allows it.
type Device struct {
	Host, Address string // that it has named; from which it asks
	Scopes        []api.Scope
	CreatedAt     api.Time
}

// StartDevice begins the device flow of a command line on a host.
func (s *Server) StartDevice(ctx context.Context, from access.Request, host, scope string) (DeviceCodes, error) {
	scopes, err := parseScopes(scope)
	if err == nil {
		err = s.Tracker.CheckDisk(api.OpCreateKey)
	}
	if err != nil {
		return DeviceCodes{}, err
	}
	codes := DeviceCodes{Device: rand.Text(), User: newUserCode(), Pause: devicePause}
	now := s.clock()
	d := store.OAuthDevice{Code: hash(codes.Device), UserCode: hash(codes.User), Scopes: scopes,
		ClientAddress: from.ClientAddress,
		CreatedAt:     now, ExpiresAt: api.At(now.Add(DeviceLifetime)), Pause: devicePause}
	if d.Host = cleanName(host); strings.TrimSpace(host) == "" {
		d.Host = "a computer"
	}
	codes.User = codes.User[:userCodeLength/2] + "-" + codes.User[userCodeLength/2:]
	return codes, access.SystemChange(ctx, s.authority, func(tx *access.Tx) error {
		waiting, err := tx.WaitingOAuthDevices(now, maxWaiting)
		if err == nil {
			err = s.checkPlace(from, waiting)
		}
		if err != nil {
			return err
		}
		return tx.InsertOAuthDevice(d)
	})
}

// checkPlace refuses a command line when as many wait as may, of its network or of all. Those that expire first are
// before others.
func (s *Server) checkPlace(from access.Request, waiting []store.OAuthDevice) error {
	network := access.Visitor(from).Account()
	here := slices.DeleteFunc(slices.Clone(waiting), func(d store.OAuthDevice) bool {
		return access.Visitor(access.Request{ClientAddress: d.ClientAddress}).Account() != network
	})
	switch {
	case len(here) >= maxWaitingNetwork:
		return s.busy("this network", here[0].ExpiresAt.Time)
	case len(waiting) >= maxWaiting:
		return s.busy("all networks", waiting[0].ExpiresAt.Time)
	}
	return nil
}

// ErrUnknownDevice refuses a user code that no waiting command line has.
var ErrUnknownDevice = api.InvalidMember("/user_code", "unknown",
	"No command line waits with this code; it may have expired, or was used.")

// Device returns the command line of a user code. Wrong codes of the user, and of its address, are limited.
func (s *Server) Device(ctx context.Context, u tracker.Session, from tracker.Client, userCode string) (Device, error) {
	if err := u.Caller.Allow(api.OpCreateKey); err != nil {
		return Device{}, err
	}
	attempts, err := s.guess(u, from)
	if err != nil {
		return Device{}, err
	}
	d, err := s.rights.Read(ctx).OAuthDeviceOfUser(hash(normalCode(userCode)))
	if err == nil && !s.waits(d) {
		err = store.ErrNotFound
	}
	for _, a := range attempts {
		if errors.Is(err, store.ErrNotFound) {
			a.Fail()
		}
		a.Release()
	}
	if errors.Is(err, store.ErrNotFound) {
		err = ErrUnknownDevice
	}
	return Device{Host: d.Host, Address: d.ClientAddress, Scopes: d.Scopes, CreatedAt: d.CreatedAt}, err
}

// waits reports whether a command line can still be allowed.
func (s *Server) waits(d store.OAuthDevice) bool {
	return d.DeniedAt == nil && s.Now().Before(d.ExpiresAt.Time)
}

// guess reserves an attempt to enter a user code.
func (s *Server) guess(u tracker.Session, from tracker.Client) (attempts []*throttle.Attempt, err error) {
	keys := []string{u.Caller.ID}
	if address := access.Visitor(from.Request).Account(); address != "" {
		keys = append(keys, address)
	}
	for _, key := range keys {
		a, wait := s.guesses.Reserve(key)
		if wait > 0 {
			for _, reserved := range attempts {
				reserved.Release()
			}
			p := api.NewProblem(api.CodeRateLimited, "Too many codes were wrong. Try again later.")
			p.RetryAfter = wait
			return nil, p
		}
		attempts = append(attempts, a)
	}
	return attempts, nil
}

// ApproveDevice creates the key of a command line, which fetches its token next. It needs a recent proof of the
// password.
func (s *Server) ApproveDevice(ctx context.Context, u tracker.Session, from tracker.Client, userCode string, c Choice) (
	api.Key, error,
) {
	d, err := s.Device(ctx, u, from, userCode)
	if err != nil {
		return api.Key{}, err
	}
	v, err := c.key(s.Now(), keyName("Command line on "+d.Host, ""), d.Scopes)
	if err != nil {
		return api.Key{}, err
	}
	g := store.KeyGrant{ClientID: CommandLine, ClientName: "Command line"}
	return s.grant(ctx, u, v, g, func(tx *access.Tx, g *store.KeyGrant) error {
		waiting, err := tx.LockOAuthDeviceOfUser(hash(normalCode(userCode)))
		if err == nil && !s.waits(waiting) {
			err = store.ErrNotFound
		}
		if errors.Is(err, store.ErrNotFound) {
			return ErrUnknownDevice
		}
		if err != nil {
			return err
		}
		g.Code, g.CodeExpiresAt = waiting.Code, api.At(waiting.ExpiresAt.Add(codeLifetime))
		return tx.DeleteOAuthDevice(waiting.Code)
	})
}

// DenyDevice refuses a command line, which is told so.
func (s *Server) DenyDevice(ctx context.Context, u tracker.Session, from tracker.Client, userCode string) error {
	if _, err := s.Device(ctx, u, from, userCode); err != nil {
		return err
	}
	return access.SystemChange(ctx, s.authority, func(tx *access.Tx) error {
		d, err := tx.LockOAuthDeviceOfUser(hash(normalCode(userCode)))
		if errors.Is(err, store.ErrNotFound) {
			return ErrUnknownDevice
		}
		if err != nil {
			return err
		}
		return tx.DenyOAuthDevice(d.Code, s.clock())
	})
}

// poll returns why a command line gets no token yet, or never. It is not allowed: then it has a grant.
func (s *Server) poll(tx *access.Tx, code string) (*Error, error) {
	d, err := tx.LockOAuthDevice(code)
	if errors.Is(err, store.ErrNotFound) {
		return errUnknownCode, nil
	}
	if err != nil {
		return nil, err
	}
	now := s.clock()
	switch {
	case d.DeniedAt != nil:
		return refuse("access_denied", "The user has denied the request."), nil
	case !now.Before(d.ExpiresAt.Time):
		return refuse("expired_token", "The device_code has expired. Start again."), nil
	case d.PolledAt != nil && now.Sub(d.PolledAt.Time) < d.Pause-time.Second: // the network delays some requests more than others
		return refuse("slow_down", "Wait 5 seconds more between requests."),
			tx.RecordPoll(code, now, min(d.Pause+devicePause, time.Minute))
	}
	return refuse("authorization_pending", "The user has not allowed the request yet."),
		tx.RecordPoll(code, now, d.Pause)
}
