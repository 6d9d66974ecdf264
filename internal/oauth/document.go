package oauth

import (
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"bugslice/internal/safehttp"
)

// Bounds of the metadata documents of clients.
const (
	maxDocument   = 16 << 10
	documentTime  = 5 * time.Second
	documentAge   = time.Hour
	failureAge    = 30 * time.Second
	maxDocuments  = 500
	maxFetches    = 4 // at once
	maxDocumentID = 500
)

// documents reads the client ID metadata documents of clients (draft-ietf-oauth-client-id-metadata-document), and
// keeps them for a while. Only public addresses are asked, and no redirect is followed.
type documents struct {
	policy  *safehttp.Policy
	http    *http.Client
	now     func() time.Time
	fetches chan struct{}

	mu   sync.Mutex
	kept map[string]document
}

// document is a client, or why there is none, until a time.
type document struct {
	client Client
	err    error
	until  time.Time
}

func newDocuments(p *safehttp.Policy, now func() time.Time) *documents {
	return &documents{policy: p, http: p.Client(documentTime), now: now, fetches: make(chan struct{}, maxFetches),
		kept: map[string]document{}}
}

// get returns the client whose id is the URL of its document.
func (d *documents) get(ctx context.Context, clientID string) (Client, error) {
	d.mu.Lock()
	kept, ok := d.kept[clientID]
	d.mu.Unlock()
	if ok && d.now().Before(kept.until) {
		return kept.client, kept.err
	}
	if err := d.checkID(clientID); err != nil {
		return Client{}, err
	}
	select {
	case d.fetches <- struct{}{}:
		defer func() { <-d.fetches }()
	case <-ctx.Done():
		return Client{}, ctx.Err()
	}
	read := document{until: d.now().Add(documentAge)}
	if read.client, read.err = d.fetch(ctx, clientID); read.err != nil {
		read.until = d.now().Add(failureAge)
	}
	if ctx.Err() == nil {
		d.keep(clientID, read)
	}
	return read.client, read.err
}

// keep keeps a document. When there are too many, it forgets those that have expired, or else all.
func (d *documents) keep(clientID string, read document) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.kept) >= maxDocuments {
		for id, other := range d.kept {
			if !d.now().Before(other.until) {
				delete(d.kept, id)
			}
		}
		if len(d.kept) >= maxDocuments {
			clear(d.kept)
		}
	}
	d.kept[clientID] = read
}

// checkID refuses an address that can be no client: it needs https and a path without dot segments, as it is dialled.
func (d *documents) checkID(clientID string) error {
	u, err := url.Parse(clientID)
	if err != nil || len(clientID) > maxDocumentID || u.Path == "" || u.Path == "/" || u.RawQuery != "" ||
		u.ForceQuery ||
		strings.Contains(clientID, "#") || path.Clean(u.Path) != strings.TrimSuffix(u.Path, "/") {
		return refuse("invalid_client", "A client_id that is a URL needs https and a path, without a query, a fragment and dot segments.")
	}
	if address, err := d.policy.Address(clientID); err != nil || address != clientID {
		return refuse("invalid_client", "The client_id is no public address.")
	}
	return nil
}

var errDocument = refuse("invalid_client",
	"The metadata document of the client cannot be read: it must be public, answer with 200 and "+
		"JSON of at most 16 KiB within 5 seconds, and have its own address as client_id.")

// fetch reads the document of a client.
func (d *documents) fetch(ctx context.Context, clientID string) (Client, error) {
	ctx, cancel := context.WithTimeout(ctx, documentTime)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, clientID, nil)
	if err != nil {
		return Client{}, errDocument
	}
	q.Header.Set("Accept", "application/json")
	q.Header.Set("User-Agent", "Bugslice")
	res, err := d.http.Do(q)
	if err != nil {
		return Client{}, errDocument
	}
	defer res.Body.Close()
	media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if res.StatusCode != http.StatusOK || media != "application/json" && !strings.HasSuffix(media, "+json") {
		return Client{}, errDocument
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxDocument+1))
	if err != nil || len(text) > maxDocument {
		return Client{}, errDocument
	}
	return parseDocument(clientID, q.URL.Host, text)
}

// parseDocument returns the client of a document. It must be public, since nothing here checks a secret.
func parseDocument(clientID, host string, text []byte) (Client, error) {
	var m Metadata
	if json.Unmarshal(text, &m) != nil || m.ClientID != clientID {
		return Client{}, errDocument
	}
	if m.AuthMethod != "" && m.AuthMethod != "none" {
		return Client{}, refuse("invalid_client", "The token_endpoint_auth_method of the client must be none.")
	}
	if err := m.check(); err != nil {
		return Client{}, err
	}
	return Client{ID: clientID, Name: m.Name, Host: host, Redirects: m.Redirects}, nil
}
