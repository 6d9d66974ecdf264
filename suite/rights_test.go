package suite

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// slowly sends a request whose answer is not read yet, over a connection that holds little.
func (c client) slowly(t *testing.T, path string, headers string) net.Conn {
	t.Helper()
	conn := dial(t, c.server)
	must(t, conn.SetReadBuffer(128<<10))
	_, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nConnection: close\r\n%s\r\n", path, c.token, headers)
	must(t, err)
	_, err = io.ReadFull(conn, make([]byte, 1000))
	must(t, err)
	return conn
}

// TestSlowAnswersEndWithTheirRights: whatever the answer, a client that takes it slowly gets no more of it
// than is on its way when its key is revoked.
func TestSlowAnswersEndWithTheirRights(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o := newOrg(t, s, "slowly")
		admin, userID := o.newUser(t, "reader", o.Workspace)
		for range 60 {
			o.slice(t, o.Workspace, map[string]any{"description": strings.Repeat("words ", 8000)})
		}
		for name, remove := range map[string]bool{"revoked": false, "removed": true} {
			c, keyID := admin.newKey(t, map[string]any{"name": "reader", "type": "pat", "scopes": []string{"slices:read"}})
			open := map[string]net.Conn{
				"stream": c.slowly(t, "/v1/events?workspaceId="+o.Workspace, "Accept: text/event-stream\r\n"),
				"list":   c.slowly(t, "/v1/slices?limit=100&workspaceId="+o.Workspace, ""),
				"events": c.slowly(t, "/v1/events?limit=100&workspaceId="+o.Workspace, ""),
			}
			time.Sleep(200 * time.Millisecond)
			if remove {
				o.cli(t, "workspace", "remove-member", "--workspace", o.Workspace, "--user", userID)
			} else {
				admin.want(t, 204, "DELETE", "/v1/api-keys/"+keyID, nil)
			}
			time.Sleep(time.Second)
			for what, conn := range open {
				must(t, conn.SetReadDeadline(time.Now().Add(10*time.Second)))
				if n, err := io.Copy(io.Discard, conn); n > 1<<20 || err != nil && strings.Contains(err.Error(), "timeout") {
					t.Errorf("%s, %s: %d KiB came afterwards, and then %v", name, what, n>>10, err)
				}
			}
		}
	})
}
