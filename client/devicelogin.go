package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"bugslice/api"
)

// DeviceLoginOptions are the settings of DeviceLogin.
type DeviceLoginOptions struct {
	// HTTP sends the requests. The default is that of a Client.
	HTTP *http.Client
	// Host names this computer to the user who allows it.
	Host string
	// Scopes are those that are asked for; the user may take some away. The server chooses when there are none.
	Scopes []api.Scope
	// Show tells the user where to enter which code.
	Show func(DevicePrompt)
	// Wait waits between two polls. The default waits for the time, or until the context ends.
	Wait func(context.Context, time.Duration) error
}

// DevicePrompt is what a user needs to allow a command line: the address to open and the code to enter there.
// Complete is the address with the code, for a command line that opens a browser itself.
type DevicePrompt struct {
	Address   string
	Code      string
	Complete  string
	ExpiresIn time.Duration
}

// DeviceToken is the token of the key that the user has allowed.
type DeviceToken struct {
	Token     string
	Scopes    []api.Scope
	ExpiresIn time.Duration
}

// Errors of DeviceLogin.
var (
	ErrDenied      = errors.New("client: the user has denied the request")
	ErrExpired     = errors.New("client: the code has expired before a user has allowed it")
	ErrNoDeviceUse = errors.New("client: the server does not sign in command lines: it is older, or serves no pages")
)

const (
	deviceClient    = "bugslice-cli"
	deviceGrant     = "urn:ietf:params:oauth:grant-type:device_code"
	devicePause     = 5 * time.Second
	maxDevicePause  = time.Minute
	maxDeviceAnswer = 64 << 10
)

// DeviceLogin asks the server at an address for an API key, by the device flow (RFC 8628): it shows a code, and waits
// until a user has entered it in a browser and allowed or denied the request. A connection that fails while it waits
// is tried again, unless the response with the token may be lost: such a key is ended by the server, and the error
// says that there is none.
func DeviceLogin(ctx context.Context, address string, o DeviceLoginOptions) (DeviceToken, error) {
	c, err := New(address, "none", Options{HTTP: o.HTTP}) // no request of this function has a token
	if err != nil {
		return DeviceToken{}, err
	}
	if o.Wait == nil {
		o.Wait = sleep
	}
	scopes := make([]string, len(o.Scopes))
	for i, s := range o.Scopes {
		scopes[i] = string(s)
	}
	var started deviceStart
	err = c.postForm(ctx, "/oauth/device",
		url.Values{"client_id": {deviceClient}, "host": {o.Host}, "scope": {strings.Join(scopes, " ")}},
		&started)
	if p, ok := errors.AsType[*api.Problem](err); ok && p.Status == http.StatusNotFound {
		err = ErrNoDeviceUse
	}
	if err != nil {
		return DeviceToken{}, err
	}
	if o.Show != nil {
		o.Show(DevicePrompt{started.Address, started.UserCode, started.Complete,
			time.Duration(started.ExpiresIn) * time.Second})
	}
	return c.pollDevice(ctx, started, o.Wait)
}

type deviceStart struct {
	DeviceCode string `json:"device_code"`
	UserCode   string `json:"user_code"`
	Address    string `json:"verification_uri"`
	Complete   string `json:"verification_uri_complete"`
	ExpiresIn  int64  `json:"expires_in"`
	Interval   int64  `json:"interval"`
}

// oauthError is a refusal of RFC 6749.
type oauthError struct {
	Code        string `json:"error"`
	Description string `json:"error_description"`
}

func (e *oauthError) Error() string { return "client: " + cmp.Or(e.Description, e.Code) }

// pollDevice asks for the token until there is one, or never will be.
func (c *Client) pollDevice(
	ctx context.Context, started deviceStart, wait func(context.Context, time.Duration) error,
) (DeviceToken, error) {
	pause := cmp.Or(time.Duration(started.Interval)*time.Second, devicePause)
	form := url.Values{"grant_type": {deviceGrant}, "client_id": {deviceClient}, "device_code": {started.DeviceCode}}
	left := time.Duration(started.ExpiresIn) * time.Second
	for ; left > 0; left -= pause {
		if err := wait(ctx, pause); err != nil {
			return DeviceToken{}, err
		}
		var t struct {
			Token     string `json:"access_token"`
			Scope     string `json:"scope"`
			ExpiresIn int64  `json:"expires_in"`
		}
		err := c.postForm(ctx, "/oauth/token", form, &t)
		if err == nil {
			token := DeviceToken{Token: t.Token, ExpiresIn: time.Duration(t.ExpiresIn) * time.Second}
			for _, s := range strings.Fields(t.Scope) {
				token.Scopes = append(token.Scopes, api.Scope(s))
			}
			return token, nil
		}
		more, err := slower(ctx, err)
		if err != nil {
			return DeviceToken{}, err
		}
		pause = min(pause+more, maxDevicePause)
	}
	return DeviceToken{}, ErrExpired
}

// slower returns how much longer the next poll has to wait after an error, or the error when no poll can succeed.
func slower(ctx context.Context, err error) (time.Duration, error) {
	refused, isRefusal := errors.AsType[*oauthError](err)
	p, isProblem := errors.AsType[*api.Problem](err)
	switch {
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case isRefusal && refused.Code == "authorization_pending":
		return 0, nil
	case isRefusal && refused.Code == "slow_down", isProblem && p.Status >= http.StatusInternalServerError,
		!isRefusal && !isProblem:
		return devicePause, nil
	case isRefusal && (refused.Code == "temporarily_unavailable" || refused.Code == "too_many_requests"):
		return devicePause, nil
	case isRefusal && refused.Code == "access_denied":
		return 0, ErrDenied
	case isRefusal && refused.Code == "expired_token":
		return 0, ErrExpired
	}
	return 0, err
}

// postForm posts a form to a path without a token, and decodes the response. The error is an *oauthError for a refusal.
func (c *Client) postForm(ctx context.Context, path string, form url.Values, out any) error {
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.String()+path, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	q.Header.Set("Accept", "application/json")
	q.Header.Set("User-Agent", c.o.UserAgent)
	res, err := c.http.Do(q)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxDeviceAnswer))
	if err != nil {
		return err
	}
	refused := &oauthError{}
	switch {
	case res.StatusCode == http.StatusOK:
		return json.Unmarshal(text, out)
	case res.StatusCode != http.StatusNotFound && json.Unmarshal(text, refused) == nil && refused.Code != "":
		return refused
	}
	return &api.Problem{Status: res.StatusCode, Title: http.StatusText(res.StatusCode),
		Detail: "the response is none of the authorisation server, but " + res.Status}
}
