package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/client"
)

const token = "svc_pat_secret"

// scripted is a server that gives one answer after the other, and keeps what it was asked. The last answer is repeated.
type scripted struct {
	sync.Mutex
	*httptest.Server
	answers  []http.HandlerFunc
	requests []*http.Request
	bodies   []string
}

func script(t *testing.T, answers ...http.HandlerFunc) *scripted {
	s := &scripted{answers: answers}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.Lock()
		answer := s.answers[min(len(s.requests), len(s.answers)-1)]
		s.requests, s.bodies = append(s.requests, r), append(s.bodies, string(body))
		s.Unlock()
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *scripted) client(t *testing.T, o client.Options) *client.Client {
	t.Helper()
	c, err := client.New(s.URL, token, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// asked returns how many requests came.
func (s *scripted) asked() int {
	s.Lock()
	defer s.Unlock()
	return len(s.requests)
}

// refuse answers with a problem; headers are name and value in turns.
func refuse(status int, code string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"status":%d,"code":%q,"detail":"no","requestId":"req_1"}`, status, code)
	}
}

// succeed answers with JSON.
func succeed(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
}

// lose ends the connection without an answer.
func lose(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// truncate ends the connection within the answer.
func truncate(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "100")
	_, _ = io.WriteString(w, `{"id":`)
}

// TestRetries: what is safe is sent again, and nothing else.
func TestRetries(t *testing.T) {
	read := func(c *client.Client) error {
		_, err := c.GetSlice(t.Context(), api.GetSlice{SliceID: "WEB-1"})
		return err
	}
	create := func(c *client.Client) error {
		_, err := c.CreateSlice(t.Context(),
			api.CreateSlice{Body: api.NewSlice{SliceFields: api.SliceFields{Summary: "x"}}})
		return err
	}
	update := func(c *client.Client) error {
		_, err := c.UpdateSlice(t.Context(),
			api.UpdateSlice{SliceID: "WEB-1", Patch: api.SlicePatch{}.Status(api.Closed)})
		return err
	}
	remove := func(c *client.Client) error { return c.DeleteSlice(t.Context(), api.DeleteSlice{SliceID: "WEB-1"}) }
	done := succeed(`{"id":"slc_1"}`)
	tomorrow := refuse(429, api.CodeDailyLimit, "Retry-After", "7200")
	busy, gateway, limited := refuse(503, api.CodeUnavailable), refuse(502, ""), refuse(429, api.CodeRateLimited)
	for _, tt := range []struct {
		name    string
		call    func(*client.Client) error
		answers []http.HandlerFunc
		asked   int
		code    string // of the problem; "lost" for another error
	}{
		{"a read after refusals", read, []http.HandlerFunc{busy, refuse(429, api.CodeRateLimited), done}, 3, ""},
		{"a read that was lost", read, []http.HandlerFunc{lose, gateway, truncate, done}, 4, ""},
		{"a creation that was lost", create, []http.HandlerFunc{lose, gateway, done}, 3, ""},
		{"an update after a refusal", update, []http.HandlerFunc{limited, done}, 2, ""},
		{"an update that a proxy did not pass on", update, []http.HandlerFunc{refuse(503, ""), done}, 2, ""},
		{"an update that may be stored", update, []http.HandlerFunc{busy, done}, 1, api.CodeUnavailable},
		{"an update that was lost", update, []http.HandlerFunc{lose, done}, 1, "lost"},
		{"an update by a gateway that failed", update, []http.HandlerFunc{refuse(504, "timeout"), done}, 1, "timeout"},
		{"a deletion that was lost", remove, []http.HandlerFunc{lose, refuse(404, api.CodeNotFound)}, 2, ""},
		{"a deletion of nothing", remove, []http.HandlerFunc{refuse(404, api.CodeNotFound)}, 1, api.CodeNotFound},
		{"a deletion of nothing after a refusal", remove, []http.HandlerFunc{limited, refuse(404, api.CodeNotFound)}, 2,
			api.CodeNotFound},
		{"a deletion by a gateway that failed", remove, []http.HandlerFunc{gateway, refuse(404, api.CodeNotFound)}, 2,
			""},
		{"a deletion that may be stored", remove, []http.HandlerFunc{busy, refuse(404, api.CodeNotFound)}, 2, ""},
		{"a query that is too broad", read, []http.HandlerFunc{refuse(503, api.CodeTooBroad), done}, 1,
			api.CodeTooBroad},
		{"a wait that is too long", create, []http.HandlerFunc{tomorrow, done}, 1, api.CodeDailyLimit},
		{"a fault", create, []http.HandlerFunc{refuse(422, api.CodeInvalidBody), done}, 1, api.CodeInvalidBody},
		{"an internal error", read, []http.HandlerFunc{refuse(500, api.CodeInternal), done}, 1, api.CodeInternal},
		{"a server that stays busy", read, []http.HandlerFunc{busy}, 4, api.CodeUnavailable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := script(t, tt.answers...)
			err := tt.call(s.client(t, client.Options{Attempts: 4}))
			code := ""
			if p, ok := errors.AsType[*api.Problem](err); ok {
				code = p.Code
			} else if err != nil {
				code = "lost"
			}
			if code != tt.code || s.asked() != tt.asked {
				t.Errorf("%d requests and %v, want %d and %q", s.asked(), err, tt.asked, tt.code)
			}
			for i, r := range s.requests {
				if key := r.Header.Get("Idempotency-Key"); r.Method == "POST" &&
					(key == "" || key != s.requests[0].Header.Get("Idempotency-Key")) {
					t.Errorf("request %d has the Idempotency-Key %q", i, key)
				}
				if s.bodies[i] != s.bodies[0] {
					t.Errorf("request %d has the body %q, and the first one %q", i, s.bodies[i], s.bodies[0])
				}
			}
		})
	}
}

// TestRetryAfter: the next attempt comes no earlier than the server asks.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	s := script(t, refuse(503, api.CodeUnavailable, "Retry-After", "1"), succeed(`{}`))
	began := time.Now()
	if _, err := s.client(t, client.Options{}).GetMe(t.Context(), api.GetMe{}); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < time.Second {
		t.Errorf("the second attempt came after %s", took)
	}
}

// TestContextEndsAWait: the end of the context ends a call at once, also one that waits.
func TestContextEndsAWait(t *testing.T) {
	t.Parallel()
	s := script(t, refuse(503, api.CodeUnavailable, "Retry-After", "30"))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	began := time.Now()
	_, err := s.client(t, client.Options{}).GetMe(ctx, api.GetMe{})
	if took := time.Since(began); !errors.Is(err, context.Canceled) || took > 10*time.Second {
		t.Errorf("%v after %s", err, took)
	}
}

// TestTokenStaysWithTheServer: a redirect is an error that says where it leads, and no text of a client has the token.
func TestTokenStaysWithTheServer(t *testing.T) {
	t.Parallel()
	elsewhere := script(t, succeed(`{}`))
	s := script(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+"/v1/me", http.StatusFound)
	})
	c := s.client(t, client.Options{UserAgent: "reporter/1.2"})
	_, err := c.GetMe(t.Context(), api.GetMe{})
	p, ok := errors.AsType[*api.Problem](err)
	if !ok || p.Status != 302 || !strings.Contains(p.Detail, elsewhere.URL) || elsewhere.asked() != 0 {
		t.Errorf("%v, and %d requests elsewhere", err, elsewhere.asked())
	}
	if h := s.requests[0].Header; h.Get("Authorization") != "Bearer "+token ||
		h.Get("User-Agent") != "reporter/1.2 bugslice-go" {
		t.Errorf("%v", h)
	}
	for _, text := range []string{fmt.Sprint(c), fmt.Sprintf("%v %+v %#v", c, c, c),
		fmt.Sprintf("%v %+v %#v", *c, *c, *c), err.Error()} {
		if strings.Contains(text, token) {
			t.Errorf("the token is in %s", text)
		}
	}
}

// TestProblemOfSomethingElse: the response of a proxy is a problem without a code.
func TestProblemOfSomethingElse(t *testing.T) {
	t.Parallel()
	s := script(t, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "<html>no</html>",
			http.StatusForbidden)
	})
	_, err := s.client(t, client.Options{}).GetMe(t.Context(), api.GetMe{})
	if p, ok := errors.AsType[*api.Problem](err); !ok || p.Status != 403 || p.Code != "" {
		t.Errorf("%v", err)
	}
}

// TestLargeResponse: a response beyond the limit is refused, and not asked for again.
func TestLargeResponse(t *testing.T) {
	t.Parallel()
	s := script(t, succeed(`{"name":"`+strings.Repeat("x", 2000)+`"}`))
	_, err := s.client(t, client.Options{MaxResponse: 1000}).GetMe(t.Context(), api.GetMe{})
	if !errors.Is(err, client.ErrTooLarge) || s.asked() != 1 {
		t.Errorf("%v after %d requests", err, s.asked())
	}
}

// TestInputs: an input that names no record is refused before a request is sent, and so is an address that is none.
func TestInputs(t *testing.T) {
	t.Parallel()
	s := script(t, succeed(`{}`))
	for _, id := range []string{"", "..", "."} {
		if _, err := s.client(t, client.Options{}).GetSlice(t.Context(), api.GetSlice{SliceID: id}); err == nil ||
			s.asked() != 0 {
			t.Errorf("%q: %v after %d requests", id, err, s.asked())
		}
	}
	for _, address := range []string{"", "bugs.example.com", "ftp://bugs.example.com", "https://user@bugs.example.com",
		"https://bugs.example.com?x"} {
		if _, err := client.New(address, token, client.Options{}); err == nil {
			t.Errorf("%q is an address", address)
		}
	}
	if _, err := client.New(s.URL, " ", client.Options{}); err == nil {
		t.Error("no token is needed")
	}
}
