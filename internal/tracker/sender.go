package tracker

import (
	"bugslice/api"
	"context"
	"time"
)

// Sender carries messages to receivers.
type Sender interface {
	// Check refuses a URL whose text shows that it must not be asked.
	Check(url string) error
	// Send makes one try. What is wrong with it is in the attempt.
	Send(ctx context.Context, m Message) SendResult
}

// Message is what a receiver gets: the body, and the headers of Standard Webhooks.
type Message struct {
	URL, ID, Signature string
	At                 time.Time
	Body               []byte
}

// SendResult is what came of a try. RetryAfter is how long the receiver is to be left alone.
type SendResult struct {
	api.Attempt
	RetryAfter time.Duration
}
