package httpserver

import (
	"io"
	"net/http"
	"time"
)

// A client that sends its whole request before it reads the response gets a reset connection in place of the response
// when the connection is closed before. So the rest of an unread body is read and discarded: at most maxDiscard bytes
// in discardTime, at least minDiscard in each discardPause, of at most maxDiscards connections of a listener at a
// time.
const (
	discardTime  = 30 * time.Second
	discardPause = 5 * time.Second
	maxDiscard   = 128 << 20
	minDiscard   = 16 << 10
	maxDiscards  = 100
)

// discardUnread makes the connection of an answered request discard the unread body when it is closed. net/http sends
// the response, and reads at most 256 KiB of the body, before that.
func discardUnread(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(discardPause))
	if c, ok := r.Context().Value(connectionKey{}).(*connection); ok {
		c.unread.Store(true)
	}
}

// Close closes the connection, at once or when the unread body was discarded.
func (c *connection) Close() error {
	if !c.unread.Swap(false) || c.CloseWrite() != nil {
		return c.TCPConn.Close()
	}
	select {
	case c.discards <- struct{}{}:
		go c.discard()
		return nil
	default:
		return c.TCPConn.Close()
	}
}

// discard reads what the client sends until it has received the response and closes the connection.
func (c *connection) discard() {
	defer func() {
		_ = c.TCPConn.Close()
		<-c.discards
	}()
	piece := make([]byte, minDiscard)
	for left, end := maxDiscard, time.Now().Add(discardTime); left > 0 && time.Now().Before(end); left -= minDiscard {
		_ = c.SetReadDeadline(time.Now().Add(discardPause))
		if _, err := io.ReadFull(c.TCPConn, piece); err != nil {
			return
		}
	}
}
