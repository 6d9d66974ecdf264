// Package gateway takes calls of operations from front ends for programs. It has what each of them needs and none may
// leave out: credentials and their failures, rates, scopes, memory, slots, the rights over time, and large responses.
// It knows no transport: package httpapi adds that of HTTP, and a test of this package one of lines over a pipe.
//
//	g, err := gateway.New(gateway.Options{Tracker: t, RateLimit: 600}) // one for all front ends of a node
//
//	call, err := g.Open(ctx, gateway.Client{Token: token, …}) // 401, 429
//	defer func() { call.Close(err) }()
//	err = call.Count()                            // 429
//	err = call.Begin(operation)                   // 403, 429, 507
//	raw, err := call.Memory.ReadAll(ctx, body, -1) // 408, 503
//	err = call.BindArguments(raw)                 // 400, 404, 422, 429, 503; or Bind, for an input in parts
//	record, err := call.Record()                  // or Store, File, JSON, Text, Events
//	err = call.Write(connection, record, send)    // 503
//
// The operations are those of operations.All. An error of a step ends the call; tracker.ProblemOf makes a problem of
// it.
//
// Guarantees and refusals:
//
//   - A step that was left out cannot widen a right: the tracker authorises again. A front end that learns the operation
//     from a message reads it before Begin.
//   - The failures of a client address are limited, and a valid key is never refused for those of its neighbours. The
//     uses and the refusals of a key are recorded.
//   - A batch counts as one request for each item, and at most as the requests of a minute.
//   - A key has at most 64 downloads and 20 event streams in progress on a node.
//   - A large input is bound in a slot of the processor. The memory of a response of 64 KiB or more is reserved until
//     the client has received it, and it is encoded in a slot, which is released while the client is waited for. Without
//     memory or a slot it is refused, unless it says what was stored.
//   - After half a second the rights are read again: when the input took that long to arrive, and when a read did. While
//     a client receives a response, each piece but the first asks Recheck: in package httpserver for HTTP, and in Pipe
//     for the others.
//   - A file is neither an argument nor a record: BindArguments refuses an operation that stores one, and Record one that
//     returns one, as unsupported_media_type.
//
// A front end has what is about its transport: where the token is, statuses and headers, entity tags, ranges of files,
// and the form of events and problems. The chapters frontends and limits of docs/design have the reasons.
package gateway
