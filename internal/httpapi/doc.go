// Package httpapi is the HTTP front end for programs: it turns the rows of api.Operations into routes. Its handler is
// mounted on an httpserver.Server, which has request ids, log, panics, deadlines and compression.
//
//	a, err := httpapi.New(httpapi.Options{Gateway: g, BaseURL: "https://bugs.example.com"})
//	server.Mount("/v1", a, …) // and /openapi.json, /docs
//
// A request passes, in this order, which is the text of serve (operation.go). Most of it are steps of a gateway.Call:
//
//  1. The route: by path (404), then by method (405 with Allow). A token in the query is refused (400).
//  2. The credential (401), whose failures are limited by client address (429). A valid key is never refused for the failures
//     of its neighbours.
//  3. The rate of the key (429), the scope (403), free disk for an operation that stores (507), the downloads of the key (429).
//     Nothing of the body is read before.
//  4. The body, whose memory is reserved as its bytes arrive (408, 413, 503), and its binding by package input with every fault
//     at once (400, 415, 422). A large body is bound in a slot of the processor.
//  5. A batch counts against the rate as one request for each item (429).
//  6. The tracker, which authorises again, and the response.
//
// A route has one responder by its row: a record, a file, JSON that is written while it is read; beside them Markdown
// and an event stream where a client accepts them. While a client receives a response, the rights are read again
// twice a second, and a caller who has lost them gets no more of it.
//
// Guarantees: every error is a problem document (RFC 9457) with a stable code, and an error that nobody foresaw is a
// bare 500 whose cause is in the log alone. A response with one record that has a version has an ETag. No response
// may be stored by others, and one with a secret by nobody.
//
// It has no rule about reports: what may be done is decided in the tracker, and what is valid by the tags in package
// api. The chapters contract, frontends and limits of docs/design have the reasons.
package httpapi
