package web

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"bugslice/internal/httpserver"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
)

// liveHeartbeat is the time between two comments of a live stream, by which the browser knows that the stream is open.
const liveHeartbeat = 15 * time.Second

// positionOf returns the position of a page that shows workspaces, in the form of LiveMessage.
func positionOf(workspaces []page.Workspace) string {
	all := make([]string, len(workspaces))
	for i, w := range workspaces {
		all[i] = w.Key + "." + strconv.FormatInt(w.Sequence, 10)
	}
	return strings.Join(all, ",")
}

// writeLive writes the messages of a stream as server-sent events, until the client disconnects, the session ends or
// the node drains. The last event says why the session has ended.
func writeLive(w http.ResponseWriter, r *http.Request, stream *page.LiveStream) error {
	h := w.Header()
	h.Set("Content-Type", httpserver.EventStream)
	h.Set("X-Accel-Buffering", "no") // tells a proxy not to buffer events
	if r.Method == http.MethodHead {
		w.WriteHeader(http.StatusOK)
		return nil
	}
	heartbeat := time.NewTicker(liveHeartbeat)
	defer heartbeat.Stop()
	control, text := http.NewResponseController(w), ""
	for {
		messages, ended := stream.Take()
		for _, m := range messages {
			text += fmt.Sprintf("id: %s\nevent: %s\ndata: %s\n\n", m.Position, m.Type, m.Data)
		}
		if ended != nil {
			p, _ := tracker.ProblemOf(r.Context(), ended)
			text += fmt.Sprintf("event: problem\ndata: {\"code\":%q}\n\n", p.Code)
		}
		if text != "" {
			_, err := w.Write([]byte(text))
			if err == nil {
				err = control.Flush()
			}
			if err != nil {
				return nil // the client is gone
			}
			text = ""
		}
		if ended != nil {
			return nil
		}
		select {
		case <-stream.Wake():
		case <-heartbeat.C:
			text = ": heartbeat\n\n"
		case <-httpserver.Draining(r):
			return nil
		case <-r.Context().Done():
			return nil
		}
	}
}
