package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"bugslice/api"
	"bugslice/api/wire"
)

// Call carries out the operation of an input and returns its output.
func Call[Out any](ctx context.Context, c *Client, in api.Input[Out]) (out Out, err error) {
	r, err := newRequest(in)
	if err != nil {
		return out, err
	}
	if _, isFile := any(out).(api.Bytes); isFile || r.op.Upload {
		return out, errors.New("client: " + r.op.ID + " sends or returns a file: call its method")
	}
	err = c.callJSON(ctx, r, &out)
	return out, err
}

// callJSON sends a request and decodes the response.
func (c *Client) callJSON(ctx context.Context, r *request, out any) error {
	var body []byte
	err := c.do(ctx, r, func(res *http.Response) (err error) {
		defer res.Body.Close()
		body, err = c.readAll(res.Body)
		return err
	})
	if err != nil || len(body) == 0 {
		return err
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("client: the response of %s is not what the contract says: %w", r.op.ID, err)
	}
	return nil
}

// ErrTooLarge is the error of a response that is larger than Options.MaxResponse.
var ErrTooLarge = errors.New("client: the response is larger than Options.MaxResponse")

func (c *Client) readAll(r io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, c.o.MaxResponse+1))
	if err != nil {
		return nil, err
	}
	if int64(len(body)) > c.o.MaxResponse {
		return nil, ErrTooLarge
	}
	return body, nil
}

// request is a request that may be sent several times.
type request struct {
	op     *api.Operation
	wire   wire.Request
	accept string
	body   *body // nil for none
}

// body is what a request sends. open returns it from its beginning; once says that it does so once alone.
type body struct {
	contentType string
	size        int64 // -1 when it is not known
	open        func() (io.Reader, error)
	once        bool
}

// newRequest encodes an input. A POST that takes an Idempotency-Key gets one, unless the input has it.
func newRequest(in api.AnyInput) (*request, error) {
	op, layout := wire.Of(in)
	if op == nil {
		return nil, fmt.Errorf("client: no operation has the input %T", in)
	}
	w, err := layout.Encode(in)
	if err != nil {
		return nil, err
	}
	r := &request{op: op, wire: w, accept: "application/json"}
	if layout.Has("header", idempotencyKey) && w.Header.Get(idempotencyKey) == "" {
		w.Header.Set(idempotencyKey, rand.Text())
	}
	if w.Body == nil {
		return r, nil
	}
	text, err := json.Marshal(w.Body)
	if err != nil {
		return nil, fmt.Errorf("client: the body of %s cannot be encoded: %w", op.ID, err)
	}
	r.body = &body{contentType: "application/json", size: int64(len(text)),
		open: func() (io.Reader, error) { return bytes.NewReader(text), nil }}
	return r, nil
}

const idempotencyKey = "Idempotency-Key"

// attempt sends a request once. The response is a success, and has to be closed. The error is an *api.Problem when
// there was another response.
func (c *Client) attempt(ctx context.Context, r *request) (*http.Response, error) {
	target, err := r.wire.Target(r.op)
	if err != nil {
		return nil, err
	}
	q, err := http.NewRequestWithContext(ctx, r.op.Method, c.base.String()+target, nil)
	if err != nil {
		return nil, err
	}
	for name, values := range r.wire.Header {
		q.Header[name] = values
	}
	q.Header.Set("Accept", r.accept)
	q.Header.Set("User-Agent", c.o.UserAgent)
	c.authorize(q.Header)
	if r.body == nil {
		return c.send(q)
	}
	content, err := r.body.open()
	if err != nil {
		return nil, err
	}
	sent := &sentBody{Reader: content, closed: make(chan struct{})}
	q.Body, q.ContentLength = sent, r.body.size
	q.Header.Set("Content-Type", r.body.contentType)
	res, err := c.send(q)
	if err != nil {
		select { // the transport may still read it
		case <-sent.closed:
		case <-ctx.Done():
		}
	}
	return res, err
}

// send sends a request. The error is an *api.Problem for a response that is no success.
func (c *Client) send(q *http.Request) (*http.Response, error) {
	res, err := c.http.Do(q)
	if err != nil {
		return nil, err
	}
	if res.StatusCode/100 == 2 {
		return res, nil
	}
	defer res.Body.Close()
	return nil, problemOf(res)
}

// sentBody says when the transport has closed it.
type sentBody struct {
	io.Reader
	once   sync.Once
	closed chan struct{}
}

// Close says that the body is read no more.
func (b *sentBody) Close() error {
	b.once.Do(func() { close(b.closed) })
	return nil
}

// maxProblem is the size of the largest problem in bytes.
const maxProblem = 1 << 20

// problemOf returns a response that is no success as a problem.
func problemOf(res *http.Response) *api.Problem {
	p := &api.Problem{}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxProblem))
	if err == nil {
		err = json.Unmarshal(text, p)
	}
	if err != nil || p.Code == "" {
		p = &api.Problem{Title: http.StatusText(res.StatusCode)}
		p.Detail = "the response is no problem of the API, but " + res.Status
		if to, err := res.Location(); err == nil {
			p.Detail = "the server redirects to " + to.Redacted() + ", and redirects are not followed"
		}
	}
	p.Status, p.RetryAfter = res.StatusCode, retryAfter(res.Header)
	if p.RequestID == "" {
		p.RequestID = res.Header.Get("X-Request-Id")
	}
	return p
}
