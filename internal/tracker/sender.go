package tracker

import (
	"context"
	"time"

	"bugslice/api"
)

// Sender sends the messages of webhooks.
type Sender interface {
	// Address returns the form in which a URL is stored and asked. It refuses a URL to which no message may be sent.
	Address(url string) (string, error)
	// Send makes one attempt. Its error is in the result.
	Send(ctx context.Context, m Message) SendResult
}

// Message is a message to the receiver of a webhook: the method, POST unless it is set, the body, and the headers of
// Standard Webhooks.
type Message struct {
	Method, URL, ID, Signature string
	At                         time.Time
	Body                       []byte
}

// SendResult is the result of an attempt. RetryAfter is the pause that the receiver requests, zero for none. Response is
// the begin of the body of the response, which only the service itself may read.
type SendResult struct {
	api.Attempt
	RetryAfter time.Duration
	Response   []byte
}
