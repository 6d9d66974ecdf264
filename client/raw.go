package client

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"bugslice/api"
)

// RawRequest is a request that no input describes.
type RawRequest struct {
	Method string
	Path   string // from the address of the server on, with its query, such as /v1/slices?limit=5
	Header http.Header
	Body   []byte // nil for none; application/json unless the header says otherwise
}

// Send sends a request as it is, once, or again while the server refuses it for now when it only reads. The caller
// closes the response, which is a success: another one is an *api.Problem.
func (c *Client) Send(ctx context.Context, in RawRequest) (*http.Response, error) {
	if !strings.HasPrefix(in.Path, "/") || strings.HasPrefix(in.Path, "//") {
		return nil, errors.New("client: a path begins with one /")
	}
	q, err := http.NewRequestWithContext(ctx, in.Method, c.base.String()+in.Path, io.NopCloser(bytes.NewReader(nil)))
	if err != nil {
		return nil, err
	}
	if q.URL.Host != c.base.Host {
		return nil, errors.New("client: the path leads to another host")
	}
	for attempt := 1; ; attempt++ {
		q.Header = c.rawHeader(in)
		q.Body, q.ContentLength = http.NoBody, 0
		if in.Body != nil {
			q.Body, q.ContentLength = io.NopCloser(bytes.NewReader(in.Body)), int64(len(in.Body))
		}
		res, err := c.send(q)
		p, refused := errors.AsType[*api.Problem](err)
		isRead := in.Method == http.MethodGet || in.Method == http.MethodHead
		if err == nil || !refused || !isRead || p.Status != http.StatusTooManyRequests || attempt >= c.o.Attempts ||
			p.RetryAfter > c.o.MaxWait {
			return res, err
		}
		if err := sleep(ctx, max(backoff(attempt), p.RetryAfter)); err != nil {
			return nil, err
		}
	}
}

func (c *Client) rawHeader(in RawRequest) http.Header {
	h := in.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	if h.Get("Accept") == "" {
		h.Set("Accept", "*/*")
	}
	if in.Body != nil && h.Get("Content-Type") == "" {
		h.Set("Content-Type", "application/json")
	}
	h.Set("User-Agent", c.o.UserAgent)
	c.authorize(h)
	return h
}
