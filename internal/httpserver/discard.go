package httpserver

import (
	"net/http"
	"time"
)

// A client that sends its whole request before it reads the response gets a reset connection in place of the response when
// the connection is closed before. So the rest of an unread body is read and discarded, for at most discardTime, discardPause
// without a byte and maxDiscard bytes, of at most maxDiscards connections of a listener at a time.
const (
	discardTime  = 30 * time.Second
	discardPause = 5 * time.Second
	maxDiscard   = 128 << 20
	maxDiscards  = 100
)

// discardUnread makes the connection of an answered request discard the unread body when it is closed. net/http sends the response, and
// reads at most 256 KiB of the body, before that.
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
	end, piece := time.Now().Add(discardTime), make([]byte, 16<<10)
	for left := maxDiscard; left > 0 && time.Now().Before(end); {
		_ = c.SetReadDeadline(time.Now().Add(min(discardPause, time.Until(end))))
		n, err := c.TCPConn.Read(piece)
		if err != nil {
			return
		}
		left -= n
	}
}
