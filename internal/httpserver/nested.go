package httpserver

import "net/http"

// Nested returns a request that a front end passes to the handler of another one while it answers outer, with its own
// RequestInfo: the id and the client address of outer. The response goes to the front end, not to the client.
func Nested(outer, inner *http.Request) (*http.Request, *RequestInfo) {
	from := Info(outer)
	info := &RequestInfo{ID: from.ID, Client: from.Client, Operation: "none", draining: from.draining}
	return withInfo(inner, info), info
}
