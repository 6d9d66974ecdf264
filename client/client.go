// Package client calls the API of a Bugslice server.
//
// A client is made from the address of the server and an API key, and may be used by several goroutines at once:
//
//	c, err := client.New("https://bugs.example.com", os.Getenv("BUGSLICE_TOKEN"), client.Options{})
//
// It has a method for each operation, which takes the operation's input and returns its output, both of package api.
// The generic functions do the same for any operation: Call infers the output from the input, Pages and All read
// lists.
//
//	slice, err := c.UpdateSlice(ctx, api.UpdateSlice{SliceID: "WEB-42", Patch: api.SlicePatch{}.Status(api.Resolved)})
//	for slice, err := range client.All(ctx, c, api.ListSlices{Sort: "updatedAt"}) {
//
// # Errors
//
// What the server refuses is an *api.Problem, with its code, status, request id and every fault:
//
//	if p, ok := errors.AsType[*api.Problem](err); ok && p.Code == api.CodePrecondition {
//
// A response of something else, such as a proxy, is an *api.Problem without a code. Every other error says that there
// was no response.
//
// # Retries
//
// A request is sent again, after a while that grows with each attempt and is at least that of Retry-After, when the
// server refused it for now (429, 503), and when it was not sent. When it may have been carried out, because the
// response is lost, a gateway failed (502, 504) or the server says unavailable, it is sent again only if that changes
// nothing twice: a read, a deletion, and a POST, to which the client gives an Idempotency-Key. An update is not
// repeated then, because somebody may have changed the record meanwhile. A wait longer than Options.MaxWait ends the
// call with the problem. The end of the context ends everything at once.
//
// # Secrets
//
// The token is sent to the server alone: redirects are not followed, and an error says where they lead. It is in no
// error and in no text of a Client.
package client

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client calls the API of a server.
type Client struct {
	base      *url.URL
	authorize func(http.Header) // has the token, so that no text of the client does
	http      *http.Client
	o         Options
}

// Options are the settings of a client. Their zero value has the defaults.
type Options struct {
	// HTTP sends the requests. Its transport decides about proxies, certificates and connections. The default has
	// timeouts for connecting and for the beginning of a response. A Timeout of it also ends downloads and streams.
	HTTP *http.Client
	// UserAgent begins the header User-Agent, such as "my-tool/1.2".
	UserAgent string
	// Attempts is how often a request is sent at most. The default is 5.
	Attempts int
	// MaxWait is the longest wait before another attempt. The default is a minute.
	MaxWait time.Duration
	// MaxResponse is the size of the largest response in bytes that is read into memory. The default is 64 MiB.
	// Downloads have no limit.
	MaxResponse int64
}

// New returns a client of the server at an address, such as https://bugs.example.com, which calls it with an API key.
func New(address, token string, o Options) (*Client, error) {
	base, err := url.Parse(strings.TrimSuffix(address, "/"))
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" || base.User != nil ||
		base.RawQuery != "" {
		return nil, errors.New("client: the address must be an http or https URL, such as https://bugs.example.com")
	}
	if token = strings.TrimSpace(token); token == "" {
		return nil, errors.New("client: an API key is required")
	}
	o.Attempts = cmp.Or(max(o.Attempts, 0), 5)
	o.MaxWait = cmp.Or(o.MaxWait, time.Minute)
	o.MaxResponse = cmp.Or(o.MaxResponse, 64<<20)
	o.UserAgent = strings.TrimSpace(o.UserAgent + " bugslice-go")
	c := &Client{base: base, o: o, http: &http.Client{Transport: transport}}
	if o.HTTP != nil {
		given := *o.HTTP
		c.http = &given
	}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.authorize = func(h http.Header) { h.Set("Authorization", "Bearer "+token) }
	return c, nil
}

// transport is the default of all clients. A webhook's test responds after at most 15 seconds, and no other operation
// takes as long.
var transport = func() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	t.ResponseHeaderTimeout = time.Minute
	t.MaxIdleConnsPerHost = 16
	return t
}()

// String names the server. It does not have the token.
func (c *Client) String() string { return "client of " + c.base.String() }

// GoString is String, for %#v.
func (c *Client) GoString() string { return fmt.Sprintf("client.New(%q, …)", c.base.String()) }
