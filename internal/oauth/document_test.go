package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bugslice/internal/safehttp"
)

// host serves the document of a client by TLS, and counts its requests.
type host struct {
	*httptest.Server
	requests atomic.Int64
	answer   func(w http.ResponseWriter, r *http.Request, id string)
}

// newHost returns a host, and documents that may reach it.
func newHost(t *testing.T, now func() time.Time) (*host, *documents) {
	t.Helper()
	h := &host{answer: func(w http.ResponseWriter, _ *http.Request, id string) { writeDocument(w, id) }}
	h.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.requests.Add(1)
		h.answer(w, r, h.URL+r.URL.Path)
	}))
	t.Cleanup(h.Close)
	p, err := safehttp.NewPolicy([]string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	d := newDocuments(p, now)
	d.http.Transport.(*http.Transport).TLSClientConfig = h.Client().Transport.(*http.Transport).TLSClientConfig
	return h, d
}

func writeDocument(w http.ResponseWriter, id string, pairs ...string) {
	m := map[string]any{"client_id": id, "client_name": "Claude", "redirect_uris": []string{"https://claude.ai/cb"}}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(m)
}

// TestDocumentIsRead: a client is what its document says, which is read once an hour, and a failure once in 30 seconds.
func TestDocumentIsRead(t *testing.T) {
	t.Parallel()
	var passed atomic.Int64
	begin := time.Now()
	h, d := newHost(t, func() time.Time { return begin.Add(time.Duration(passed.Load())) })
	id := h.URL + "/oauth/client.json"
	read := func(want int64, ok bool) {
		t.Helper()
		c, err := d.get(t.Context(), id)
		if (err == nil) != ok || ok && (c.Name != "Claude" || c.Host != h.Listener.Addr().String() ||
			len(c.Redirects) != 1) {
			t.Errorf("%+v (%v)", c, err)
		}
		if n := h.requests.Load(); n != want {
			t.Errorf("%d requests, want %d", n, want)
		}
	}
	read(1, true)
	passed.Store(int64(time.Hour - 1))
	read(1, true)
	h.answer = func(w http.ResponseWriter, _ *http.Request, _ string) { w.WriteHeader(http.StatusNotFound) }
	passed.Store(int64(time.Hour))
	read(2, false)
	read(2, false)
	passed.Add(int64(30 * time.Second))
	read(3, false)
}

// TestDocumentIsRefused: a client whose document is not its own, is too large or too slow, is no JSON, redirects, or
// has a secret.
func TestDocumentIsRefused(t *testing.T) {
	t.Parallel()
	h, d := newHost(t, time.Now)
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect is followed") }))
	defer other.Close()
	for what, answer := range map[string]func(w http.ResponseWriter, r *http.Request, id string){
		"another-id": func(w http.ResponseWriter, _ *http.Request, id string) { writeDocument(w, id+"x") },
		"a-secret": func(w http.ResponseWriter, _ *http.Request, id string) {
			writeDocument(w, id, "token_endpoint_auth_method", "client_secret_post")
		},
		"no-json": func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte("<html>"))
		},
		"html": func(w http.ResponseWriter, _ *http.Request, id string) {
			w.Header().Set("Content-Type", "text/html")
			_ = json.NewEncoder(w).Encode(map[string]any{"client_id": id,
				"redirect_uris": []string{"https://claude.ai/cb"}})
		},
		"too-large": func(w http.ResponseWriter, _ *http.Request, id string) {
			writeDocument(w, id, "client_uri", strings.Repeat("x", maxDocument))
		},
		"redirects": func(w http.ResponseWriter, r *http.Request, _ string) {
			http.Redirect(w, r, other.URL, http.StatusFound)
		},
		"scripts": func(w http.ResponseWriter, _ *http.Request, id string) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(map[string]any{"client_id": id,
				"redirect_uris": []string{"javascript:alert(1)"}})
		},
		"slow": func(_ http.ResponseWriter, r *http.Request, _ string) { <-r.Context().Done() },
	} {
		h.answer = answer
		ctx := t.Context()
		if what == "slow" {
			short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
			defer cancel()
			ctx = short
		}
		c, err := d.get(ctx, h.URL+"/"+what)
		var refused *Error
		if !errors.As(err, &refused) {
			t.Errorf("%s: %+v (%v)", what, c, err)
		}
	}
}

// TestDocumentsOfInternalHosts: no address that is not public is asked, whatever names it.
func TestDocumentsOfInternalHosts(t *testing.T) {
	t.Parallel()
	h, _ := newHost(t, time.Now)
	p, err := safehttp.NewPolicy(nil)
	if err != nil {
		t.Fatal(err)
	}
	d := newDocuments(p, time.Now)
	d.http.Transport.(*http.Transport).TLSClientConfig = h.Client().Transport.(*http.Transport).TLSClientConfig
	_, port, _ := strings.Cut(h.Listener.Addr().String(), ":")
	for _, id := range []string{
		h.URL + "/c", "https://127.0.0.1/c", "https://localhost/c", "https://localhost:" + port + "/c",
		"https://[::1]/c",
		"https://169.254.169.254/latest/meta-data", "https://10.0.0.1/c", "https://192.168.1.1/c",
		"https://[fd00::1]/c",
		"https://[::ffff:127.0.0.1]/c", "https://2130706433/c", "https://0x7f.1/c", "https://metadata.internal/c",
		"https://intranet/c",
		"http://example.com/c", "https://example.com", "https://example.com/", "https://example.com/c?x=1",
		"https://example.com/c#x",
		"https://example.com/../c", "https://example.com/a/./c", "https://user@example.com/c", "https://EXAMPLE.com/c",
		"https://example.com:8443/c", "https://example.com/" + strings.Repeat("x", maxDocumentID),
	} {
		var refused *Error
		if _, err := d.get(t.Context(), id); !errors.As(err, &refused) || refused.Code != "invalid_client" {
			t.Errorf("%s: %v", id, err)
		}
	}
	if n := h.requests.Load(); n != 0 {
		t.Errorf("%d requests reach an internal host", n)
	}
}

// TestDocumentsOfAssistants: the documents that assistants publish make clients, whose redirects are theirs alone.
func TestDocumentsOfAssistants(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../suite/testdata/assistants.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []struct {
		Document, Redirect string
		Metadata           map[string]any
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, one := range all {
		if one.Document == "" {
			continue
		}
		one.Metadata["client_id"] = one.Document
		published, err := json.Marshal(one.Metadata)
		if err != nil {
			t.Fatal(err)
		}
		c, err := parseDocument(one.Document, "vendor.example", published)
		if err != nil || c.Host != "vendor.example" || c.Name != one.Metadata["client_name"] {
			t.Errorf("%s: %+v (%v)", one.Document, c, err)
		}
		if to, err := c.redirect(one.Redirect); to != one.Redirect || err != nil {
			t.Errorf("%s: %q (%v)", one.Document, to, err)
		}
		if to, err := c.redirect("https://evil.example/callback"); err == nil {
			t.Errorf("%s may return to %s", one.Document, to)
		}
		read++
	}
	if read != 3 {
		t.Errorf("%d documents", read)
	}
}

// TestDocumentsAreBounded: the documents of any number of clients use bounded memory.
func TestDocumentsAreBounded(t *testing.T) {
	t.Parallel()
	d := newDocuments(&safehttp.Policy{}, time.Now)
	for i := range 3 * maxDocuments {
		d.keep(strings.Repeat("x", i), document{until: time.Now().Add(time.Hour)})
	}
	if len(d.kept) > maxDocuments {
		t.Errorf("%d documents", len(d.kept))
	}
}
