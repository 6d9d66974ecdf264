// Package oauthapi answers the endpoints of package oauth that programs call: their metadata, registration, codes and
// tokens. Pages of any origin may call them, without credentials. Bodies and rates are bounded, answers are stored
// nowhere, and no secret is in the log.
package oauthapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rs/cors"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/admission"
	"bugslice/internal/httpserver"
	"bugslice/internal/oauth"
	"bugslice/internal/ratelimit"
	"bugslice/internal/tracker"
)

// Options are what an API is made from.
type Options struct {
	Server  *oauth.Server
	Limited bool // whether the requests of an address are limited
}

// API answers the endpoints. It is safe for concurrent use.
type API struct {
	Options
	handler http.Handler
	rates   *ratelimit.Limiter // by client address
}

// Prefixes are the paths at which an API is mounted.
var Prefixes = []string{oauth.TokenPath, oauth.StartPath, oauth.RegisterPath, oauth.RevokePath, oauth.ServerPath,
	oauth.ResourcePath}

// Bounds of requests. A request that stores something before anybody has allowed it counts as storing others.
const (
	maxBody   = 16 << 10
	bodyTime  = 30 * time.Second // to arrive
	perMinute = 240              // of one client address, for the polls of 20 command lines
	storing   = 12
)

// New returns an API.
func New(o Options) *API {
	a := &API{Options: o, rates: ratelimit.New(perMinute, o.Server.Now)}
	mux := http.NewServeMux()
	mux.Handle(oauth.ServerPath, a.get(o.Server.ServerMetadata()))
	mux.Handle(oauth.ResourcePath, a.get(o.Server.ResourceMetadata("")))
	mux.Handle(oauth.ResourcePath+oauth.MCP, a.get(o.Server.ResourceMetadata(oauth.MCP)))
	mux.Handle(oauth.TokenPath, a.post(1, a.token))
	mux.Handle(oauth.RevokePath, a.post(1, a.revoke))
	mux.Handle(oauth.StartPath, a.post(storing, a.start))
	mux.Handle(oauth.RegisterPath, a.post(storing, a.register))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		a.WriteProblem(w, r, api.NewProblem(api.CodeNotFound, "There is no such path."))
	})
	a.handler = cors.New(cors.Options{AllowedOrigins: []string{"*"},
		AllowedMethods: []string{http.MethodGet, http.MethodPost},
		AllowedHeaders: []string{"*"}, ExposedHeaders: []string{"Retry-After", "X-Request-Id"}, MaxAge: 3600}).
		Handler(mux)
	return a
}

// ServeHTTP answers a request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.handler.ServeHTTP(w, r) }

// get answers with a document that never changes.
func (a *API) get(document map[string]any) http.Handler {
	return httpserver.Methods{http.MethodGet: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		httpserver.Info(r).Operation = r.URL.Path
		w.Header().Set("Cache-Control", "max-age=300")
		writeJSON(w, http.StatusOK, document)
	})}
}

// post answers with what do returns, as JSON: 200, or 201 for a record that was stored. cost is how many requests it
// counts as.
func (a *API) post(cost int, do func(*http.Request, []byte) (any, error)) http.Handler {
	return httpserver.Methods{http.MethodPost: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		httpserver.Info(r).Operation = r.URL.Path
		w.Header().Set("Cache-Control", "no-store")
		memory := a.Server.Tracker.Reserve(access.Visitor(requestOf(r)), func() { httpserver.InterruptRead(w) })
		defer memory.Release()
		var body []byte
		var answer any
		err := a.limit(r, cost)
		if err == nil {
			body, err = readBody(w, r, memory)
		}
		if err == nil {
			answer, err = do(r, body)
		}
		if err != nil {
			writeError(w, r, err)
			return
		}
		status := http.StatusOK
		if r.URL.Path == oauth.RegisterPath {
			status = http.StatusCreated
		}
		writeJSON(w, status, answer)
	})}
}

// readBody returns the body of a request.
func readBody(w http.ResponseWriter, r *http.Request, memory *admission.Reservation) ([]byte, error) {
	body := httpserver.NewBody(w, r, memory, maxBody)
	body.Deadline = time.Now().Add(bodyTime)
	text, err := memory.ReadAll(r.Context(), body, min(r.ContentLength, maxBody))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, invalid("The body has more than 16 KiB.")
	}
	if _, ok := errors.AsType[*api.Problem](err); err != nil && !ok {
		return nil, invalid("The body is incomplete.")
	}
	return text, err
}

// limit counts a request of a client address, or refuses it.
func (a *API) limit(r *http.Request, cost int) error {
	d := a.rates.AllowN(ratelimit.ClientKey(httpserver.Info(r).Client), cost)
	if d.Allowed || !a.Limited {
		return nil
	}
	return &oauth.Error{Code: "too_many_requests", Description: "Too many requests came from this address.",
		RetryAfter: d.RetryAfter}
}

func requestOf(r *http.Request) access.Request {
	info := httpserver.Info(r)
	q := access.Request{ID: info.ID}
	if info.Client.IsValid() {
		q.ClientAddress = info.Client.String()
	}
	return q
}

func invalid(description string) error {
	return &oauth.Error{Code: "invalid_request", Description: description}
}

// form returns the fields of a posted form. Those of the address are refused, because logs store addresses.
func form(r *http.Request, body []byte) (url.Values, error) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.URL.RawQuery != "":
		return nil, invalid("Send the parameters in the body, and none in the address.")
	case err != nil || media != "application/x-www-form-urlencoded":
		return nil, invalid("Send a form as application/x-www-form-urlencoded.")
	}
	q, err := url.ParseQuery(string(body))
	if err != nil || !utf8.Valid(body) || strings.Contains(q.Encode(), "%00") {
		return nil, invalid("The form cannot be read.")
	}
	return q, nil
}

func (a *API) token(r *http.Request, body []byte) (any, error) {
	q, err := form(r, body)
	if err != nil {
		return nil, err
	}
	return a.Server.Token(r.Context(), requestOf(r), q)
}

func (a *API) revoke(r *http.Request, body []byte) (any, error) {
	q, err := form(r, body)
	if err != nil {
		return nil, err
	}
	return struct{}{}, a.Server.Revoke(r.Context(), requestOf(r), q)
}

// started is the answer to a command line (RFC 8628).
type started struct {
	DeviceCode string `json:"device_code"`
	UserCode   string `json:"user_code"`
	Address    string `json:"verification_uri"`
	Complete   string `json:"verification_uri_complete"`
	ExpiresIn  int64  `json:"expires_in"`
	Interval   int64  `json:"interval"`
}

func (a *API) start(r *http.Request, body []byte) (any, error) {
	q, err := form(r, body)
	if err != nil {
		return nil, err
	}
	if q.Get("client_id") != oauth.CommandLine {
		return nil, oauth.ErrDeviceClient
	}
	codes, err := a.Server.StartDevice(r.Context(), requestOf(r), q.Get("host"), q.Get("scope"))
	if err != nil {
		return nil, err
	}
	page := a.Server.BaseURL + oauth.DevicePath
	return started{DeviceCode: codes.Device, UserCode: codes.User, Address: page, Complete: page + "?user_code=" +
		codes.User,
		ExpiresIn: int64(oauth.DeviceLifetime.Seconds()), Interval: int64(codes.Pause.Seconds())}, nil
}

func (a *API) register(r *http.Request, body []byte) (any, error) {
	var m oauth.Metadata
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, &oauth.Error{Code: "invalid_client_metadata", Description: "Send JSON as RFC 7591 describes it."}
	}
	return a.Server.Register(r.Context(), ratelimit.ClientKey(httpserver.Info(r).Client), m)
}

// writeError answers with a refusal. The cause of a failure of the service goes to the log alone.
func writeError(w http.ResponseWriter, r *http.Request, err error) {
	e, ok := errors.AsType[*oauth.Error](err)
	if !ok {
		e = refusalOf(r, err)
	}
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
	writeJSON(w, e.Status(), map[string]string{"error": e.Code, "error_description": e.Description})
}

// refusalOf returns the refusal of another error.
func refusalOf(r *http.Request, err error) *oauth.Error {
	p, internal := tracker.ProblemOf(r.Context(), err)
	if internal {
		httpserver.Info(r).Err = err
	}
	return refusalOfProblem(p)
}

func refusalOfProblem(p *api.Problem) *oauth.Error {
	e := &oauth.Error{Code: "invalid_request", Description: p.Detail, RetryAfter: p.RetryAfter}
	switch {
	case p.Status == http.StatusInternalServerError:
		e.Code = "server_error"
	case p.Status > http.StatusInternalServerError:
		e.Code = "temporarily_unavailable"
		e.RetryAfter = max(e.RetryAfter, time.Second)
	}
	return e
}

// WriteProblem answers with a problem that the server has found.
func (a *API) WriteProblem(w http.ResponseWriter, _ *http.Request, p *api.Problem) {
	e := refusalOfProblem(p)
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, p.Status, map[string]string{"error": e.Code, "error_description": e.Description})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprint("oauthapi: ", err)) // answers are plain data
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
