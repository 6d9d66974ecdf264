package httpserver

import (
	"net/http"
	"time"
)

// readTimeout bounds how long a client may take to send a request, and the time between two reads of its body.
// writeTimeout bounds how long a write of the response may wait for the client. It is longer, because net/http reads
// the rest of an unread body before it sends the response.
const (
	readTimeout  = 30 * time.Second
	writeTimeout = 45 * time.Second
)

// EventStream is the media type of responses that have no time limit.
const EventStream = "text/event-stream"

// ExtendReadDeadline restarts the read timeout.
func ExtendReadDeadline(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(readTimeout))
}

// InterruptRead makes a pending read of the body fail at once.
func InterruptRead(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now())
}

// ClearReadDeadline removes the read deadline of a request whose body has arrived. net/http still detects that the
// client closes the connection.
func ClearReadDeadline(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
}
