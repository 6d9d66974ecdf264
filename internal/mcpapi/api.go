// Package mcpapi is the front end of the Model Context Protocol over streamable HTTP, at /mcp: every request has its
// key and its answer, there are no sessions, and answers are JSON. The tools are those of package mcp, and call the
// API in the same process, so that each of their operations has its key checked, and counts against its rate.
//
// Refused are a request without a valid key (401, with where to sign in), one of a page of another origin, and one
// whose Host is a name that the instance does not have, which a page can make to lead to this machine.
package mcpapi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"bugslice/api"
	"bugslice/client"
	"bugslice/internal/access"
	"bugslice/internal/gateway"
	"bugslice/internal/httpserver"
	"bugslice/internal/input"
	"bugslice/internal/mcp"
	"bugslice/internal/token"
	"bugslice/internal/tracker"
)

// Options are what an API is made from.
type Options struct {
	Gateway        *gateway.Gateway
	Operations     http.Handler             // the API that the tools call
	WriteProblem   httpserver.ProblemWriter // that of the API
	BaseURL        string                   // without a trailing slash
	Metadata       string                   // URL of the metadata of the resource; empty for none
	Version        string                   // of the program
	WithholdGuests bool                     // withholds text of reporters without an account
}

// API answers the requests of clients. It is safe for concurrent use.
type API struct {
	Options
	base     *url.URL
	protocol http.Handler
}

// Path is the path of the endpoint.
const Path = "/mcp"

// Bounds of a request.
const (
	maxBody  = 1 << 20
	bodyTime = time.Minute // to arrive
)

// New returns an API.
func New(o Options) (*API, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil {
		return nil, err
	}
	a := &API{Options: o, base: base}
	a.protocol = sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		server, _ := r.Context().Value(serverKey{}).(*sdk.Server)
		return server
	}, &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody,
		PropagateRequestCancellation: true,
		DisableLocalhostProtection:   true}) // checkHost replaces it
	return a, nil
}

// serverKey is the key of the server for a request in its context.
type serverKey struct{}

// ServeHTTP answers a request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	httpserver.Info(r).Operation = "mcp"
	if err := a.serve(w, r); err != nil {
		p, failed := tracker.ProblemOf(r.Context(), err)
		if failed {
			httpserver.Info(r).Err = err
		}
		a.WriteProblem(w, r, p)
	}
}

// serve checks where a request comes from and its key, reads its body within the memory of the node, and passes it to a
// server with the tools of the key.
func (a *API) serve(w http.ResponseWriter, r *http.Request) (err error) {
	if r.URL.Path != Path {
		return api.NewProblem(api.CodeNotFound, "There is no such path. The endpoint is "+a.BaseURL+Path+".")
	}
	if err := cmp.Or(a.checkHost(r), a.checkOrigin(r)); err != nil {
		return err
	}
	call, text, err := a.authenticate(w, r)
	if err != nil {
		return err
	}
	defer func() { call.Close(err) }()
	httpserver.Info(r).KeyID = call.Caller.KeyID()
	if call.Caller.FilesOnly() { // no tool works with it
		return call.Caller.Allow(api.OpRevokeSelf)
	}
	if err := call.Count(); err != nil {
		return err
	}
	if err := call.Caller.Admitted(); err != nil {
		return err
	}
	body, err := readBody(w, r, call)
	if err != nil {
		return err
	}
	server, err := a.server(r, text, call.Caller)
	if err != nil {
		return err
	}
	q := r.WithContext(context.WithValue(r.Context(), serverKey{}, server))
	q.Body, q.ContentLength = &bodyReader{bytes.NewReader(body)}, int64(len(body))
	guard := a.Gateway.Tracker.ResponseGuard(r.Context(), call.Caller, api.OpRevokeSelf) // which needs no scope
	if err := guard(); err != nil {
		return err
	}
	httpserver.Info(r).Recheck = guard
	out := &response{ResponseWriter: w, check: guard}
	a.protocol.ServeHTTP(out, q)
	return out.failed
}

// server returns the server of a request: its tools call the API with the token of the request. The instance, the key, and
// the parameters readOnly and withholdGuests of the URL narrow them.
func (a *API) server(r *http.Request, text string, c access.Caller) (*sdk.Server, error) {
	o := mcp.Options{Scopes: c.Scopes, Version: a.Version, WithholdGuests: a.WithholdGuests || c.WithholdsGuests()}
	for name, values := range r.URL.Query() {
		set := map[string]*bool{"readOnly": &o.ReadOnly, "withholdGuests": &o.WithholdGuests}[name]
		if set == nil || len(values) != 1 || values[0] != "true" {
			return nil, api.InvalidParameter(input.Quote(name), "unknown",
				"the parameters of the endpoint are readOnly=true and withholdGuests=true")
		}
		*set = true
	}
	to, err := client.New(a.BaseURL, text, client.Options{Attempts: 1, UserAgent: r.UserAgent(),
		HTTP: &http.Client{Transport: &inProcess{handler: a.Operations, outer: r}}})
	if err != nil {
		return nil, err
	}
	o.Client = to
	return mcp.NewServer(o), nil
}

// authenticate returns the call of the caller whose key a request has, with its token. The challenge of a refusal says
// where a client finds how to sign in (RFC 9728).
func (a *API) authenticate(w http.ResponseWriter, r *http.Request) (*gateway.Call, string, error) {
	info := httpserver.Info(r)
	from := gateway.Client{Address: info.Client, UserAgent: r.UserAgent(), RequestID: info.ID,
		InterruptRead: func() { httpserver.InterruptRead(w) }}
	headers := r.Header.Values("Authorization")
	challenge, refusal := `Bearer realm="bugslice"`, error(api.NewProblem(api.CodeUnauthorized,
		"Send an API key: Authorization: Bearer svc_pat_…, or sign in by OAuth."))
	if text, ok := token.FromAuthorization(strings.Join(headers, ",")); ok && len(headers) == 1 {
		from.Token = text
		challenge += `, error="invalid_token"`
		call, err := a.Gateway.Open(r.Context(), from)
		if err == nil {
			return call, text, nil
		}
		refusal = err
	} else {
		refusal = a.Gateway.LimitFailure(from, refusal)
	}
	if p, ok := errors.AsType[*api.Problem](refusal); ok && p.Status == http.StatusUnauthorized {
		if a.Metadata != "" {
			challenge += `, resource_metadata="` + a.Metadata + `"`
		}
		w.Header().Set("WWW-Authenticate", challenge)
	}
	return nil, "", refusal
}

// readBody reads the body of a request into memory that the call has reserved.
func readBody(w http.ResponseWriter, r *http.Request, call *gateway.Call) ([]byte, error) {
	tooLarge := api.NewProblem(api.CodeTooLarge, fmt.Sprintf("The body may have at most %d MiB.", maxBody>>20))
	if r.ContentLength > maxBody {
		return nil, tooLarge
	}
	body := httpserver.NewBody(w, r, call.Memory, maxBody)
	body.Deadline = time.Now().Add(bodyTime)
	raw, err := call.Memory.ReadAll(r.Context(), body, min(r.ContentLength, maxBody))
	if err == nil {
		return raw, nil
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, tooLarge
	}
	if _, ok := errors.AsType[*api.Problem](err); ok {
		return nil, err
	}
	return nil, api.NewProblem(api.CodeMalformedBody, "The body is incomplete.")
}

// bodyReader is a body that was read.
type bodyReader struct{ *bytes.Reader }

// Close does nothing.
func (*bodyReader) Close() error { return nil }

// checkHost refuses a Host that is neither that of the instance, nor an address, nor localhost: a page whose name
// leads to this machine sends its own name.
func (a *API) checkHost(r *http.Request) error {
	host := (&url.URL{Host: r.Host}).Hostname()
	_, err := netip.ParseAddr(host)
	if err == nil || strings.EqualFold(host, "localhost") || strings.EqualFold(host, a.base.Hostname()) {
		return nil
	}
	return api.NewProblem(api.CodeForbidden, "The Host of the request is not that of this instance, which is "+a.BaseURL+
		" (--base-url).")
}

// checkOrigin refuses a request of a page of another origin.
func (a *API) checkOrigin(r *http.Request) error {
	own := a.base.Scheme + "://" + a.base.Host
	for _, origin := range r.Header.Values("Origin") {
		if !strings.EqualFold(origin, own) {
			return api.NewProblem(api.CodeForbidden, "Pages of other origins may not call the endpoint.")
		}
	}
	return nil
}
