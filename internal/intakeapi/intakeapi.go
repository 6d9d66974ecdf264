// Package intakeapi is the door for the reports of visitors: the HTTP front end of package intake, at /intake. It
// takes no bearer key and reads no cookie. Pages call it from the origins that a source allows, and from no other.
//
//	POST  /intake/KEY/token              a token, with the puzzle that it costs
//	POST  /intake/KEY/reports            a report, as JSON, packed by gzip or not; its token is in the header
//	POST  /intake/KEY/uploads            begins a file of a report: tus 1.0.0, with the extensions creation, expiration, termination
//	HEAD  /intake/KEY/uploads/ADDRESS    how much of it has arrived
//	PATCH /intake/KEY/uploads/ADDRESS    a piece
//
// Limits, the token and the puzzle are checked before a body is read; a body is read under a reservation of memory,
// and never unpacked beyond the bytes that a report may have. Errors are problem documents, as those of the API.
package intakeapi

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/rs/cors"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/httpserver"
	"bugslice/internal/intake"
	"bugslice/internal/tracker"
)

// Path is the path at which an API is mounted.
const Path = "/intake"

// bodyTime bounds how long a report may take to arrive; what takes longer is sent in pieces.
const bodyTime = 2 * time.Minute

// API answers the door. It is safe for concurrent use.
type API struct {
	server  *intake.Server
	problem httpserver.ProblemWriter
	handler http.Handler
}

// headers are those that pages send, and exposed those that they read.
var (
	headers = []string{"Content-Type", "Content-Encoding", "Idempotency-Key", "Submit-Token", "Submit-Work",
		"Tus-Resumable",
		"Upload-Length", "Upload-Metadata", "Upload-Offset"}
	exposed = []string{"Location", "Retry-After", "Tus-Resumable", "Tus-Version", "Upload-Expires", "Upload-Length",
		"Upload-Offset",
		"X-Request-Id"}
)

// New returns an API. Problems are written by problem.
func New(s *intake.Server, problem httpserver.ProblemWriter) *API {
	a := &API{server: s, problem: problem}
	mux := http.NewServeMux()
	mux.Handle(Path+"/{key}/token", httpserver.Methods{http.MethodPost: a.answer("intake.token", a.token)})
	mux.Handle(Path+"/{key}/reports", httpserver.Methods{http.MethodPost: a.answer("intake.report", a.report)})
	mux.Handle(Path+"/{key}/uploads", httpserver.Methods{http.MethodPost: a.answer("intake.create", a.create),
		http.MethodOptions: http.HandlerFunc(a.options)})
	mux.Handle(Path+"/{key}/uploads/{address}", httpserver.Methods{http.MethodGet: a.answer("intake.offset", a.offset),
		http.MethodPatch: a.answer("intake.piece", a.piece), http.MethodDelete: a.answer("intake.delete", a.delete),
		http.MethodOptions: http.HandlerFunc(a.options)})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		problem(w, r, api.NewProblem(api.CodeNotFound, "There is no such path."))
	})
	a.handler = cors.New(cors.Options{AllowOriginVaryRequestFunc: a.allows, AllowedHeaders: headers,
		ExposedHeaders: exposed,
		AllowedMethods: []string{http.MethodPost, http.MethodHead, http.MethodPatch, http.MethodDelete},
		MaxAge:         7200}).Handler(mux)
	return a
}

// ServeHTTP answers a request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.handler.ServeHTTP(w, r) }

// allows reports whether the pages of an origin may send a request and read its answer.
func (a *API) allows(r *http.Request, origin string) (allowed bool, vary []string) {
	key, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, Path+"/"), "/")
	return a.server.AllowsOrigin(r.Context(), key, origin), nil // Vary has Origin in any case
}

// answer returns a handler. Operation labels the metrics and the log.
func (a *API) answer(operation string, do func(w http.ResponseWriter, r *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info := httpserver.Info(r)
		info.Operation = operation
		w.Header().Set("Cache-Control", "no-store")
		err := do(w, r)
		if err == nil {
			return
		}
		p, failed := tracker.ProblemOf(r.Context(), err)
		if failed {
			info.Err = err
		}
		a.problem(w, r, p)
	})
}

// enter returns the source of a request. isPiece says that it is about a file whose address is a secret.
func (a *API) enter(r *http.Request, isPiece bool) (intake.Site, error) {
	info := httpserver.Info(r)
	return a.server.Enter(r.Context(), intake.Visit{Key: r.PathValue("key"), Origin: r.Header.Get("Origin"),
		Address:   info.Client,
		RequestID: info.ID, Piece: isPiece})
}

func (a *API) token(w http.ResponseWriter, r *http.Request) error {
	site, err := a.enter(r, false)
	if err != nil {
		return err
	}
	t, err := a.server.Token(site)
	if err == nil {
		writeJSON(w, http.StatusOK, t)
	}
	return err
}

func (a *API) report(w http.ResponseWriter, r *http.Request) (err error) {
	site, err := a.enter(r, false)
	if err != nil {
		return err
	}
	admitted, err := a.server.Admit(site, intake.Claim{Name: r.Header.Get("Idempotency-Key"),
		Token: r.Header.Get("Submit-Token"),
		Work:  r.Header.Get("Submit-Work")})
	if err != nil {
		return err
	}
	defer func() { admitted.Close(err) }()
	memory := a.server.Tracker.Reserve(admitted.Caller(), func() { httpserver.InterruptRead(w) })
	defer memory.Release()
	if err := a.server.Tracker.CheckDisk(api.OpCreateSlice); err != nil {
		return err
	}
	limit := admitted.MaxBody()
	if r.ContentLength > limit {
		return admitted.TooLarge()
	}
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return api.NewProblem(api.CodeMediaType, "Send the report as Content-Type: application/json.")
	}
	sent := httpserver.NewBody(w, r, memory, limit)
	sent.Deadline = time.Now().Add(bodyTime)
	body, err := unpacked(r, sent)
	if err != nil {
		return err
	}
	text, err := memory.ReadAll(r.Context(), io.LimitReader(body, limit+1), -1)
	if _, isLarge := errors.AsType[*http.MaxBytesError](err); isLarge || int64(len(text)) > limit {
		return admitted.TooLarge()
	}
	if err != nil {
		return bodyError(err)
	}
	receipt, err := admitted.Report(r.Context(), text, memory)
	if err == nil {
		writeJSON(w, http.StatusCreated, receipt)
	}
	return err
}

// unpacked returns the body of a request without its coding.
func unpacked(r *http.Request, body io.Reader) (io.Reader, error) {
	switch coding := strings.ToLower(strings.Join(r.Header.Values("Content-Encoding"), ",")); coding {
	case "", "identity":
		return body, nil
	case "gzip":
		z, err := gzip.NewReader(body)
		if err != nil {
			err = bodyError(err)
		}
		return z, err
	}
	return nil, api.NewProblem(api.CodeMediaType, "Send the report as it is, or with Content-Encoding: gzip.")
}

// bodyError returns the problem of a body that cannot be read.
func bodyError(err error) error {
	if _, ok := errors.AsType[*api.Problem](err); ok {
		return err
	}
	return api.NewProblem(api.CodeMalformedBody, "The body is incomplete, or it is not packed as it says.")
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic("intakeapi: " + err.Error()) // answers are plain data
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// visitor returns the caller for which the memory of a piece is reserved.
func visitor(r *http.Request) access.Caller {
	info := httpserver.Info(r)
	q := access.Request{ID: info.ID}
	if info.Client.IsValid() {
		q.ClientAddress = info.Client.String()
	}
	return access.Visitor(q)
}
