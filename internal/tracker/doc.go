// Package tracker is the service: the rules of bug reports, for every front end. It authorises, carries out the
// operations of the API, records their events, and does the background work.
//
// An operation of the API is a method with one shape. It takes the Caller and the validated input, and returns a
// record of package api, or an error of which ProblemOf makes an api.Problem:
//
//	c, err := t.Authenticate(ctx, token)
//	v, err := input.Check(api.GetSlice{SliceID: "WEB-161"})
//	slice, err := t.GetSlice(ctx, c, v)
//
// Callers. Authenticate makes a Caller of a key, Session of a browser's cookie, OpenShare of a link, and Operator.In
// of the command line; package access does so, and opens the transactions of this package for them. A Caller has the
// rights of one moment; the methods read them again when it matters. Methods of accounts (people, invitations,
// sessions, exports) take a Session, because no key may call them.
//
// Guarantees:
//
//   - The first statement of each operation asks for the right, and returns the input only with it. A record that the caller
//     may not see is refused like one that does not exist.
//   - Every write of a caller passes access.Write. A revocation takes effect on requests in progress. A session that
//     gives rights or takes data out is refused with access.ErrProofNeeded unless its user has just proved the password.
//   - A change and its events are one transaction, with a delivery for each subscribed webhook. A retry under an
//     Idempotency-Key has one effect, and returns the stored response.
//   - Secrets are removed before a transaction begins. Nothing waits for the network, or for a slot of the processor, within
//     one.
//   - The bytes of a file are stored before the record that names them, and are recorded as unreferenced until then.
//   - An error that is no api.Problem is a fault of the service. Its text is for the log alone.
//
// New returns the Tracker and, beside it, the authority of the operator. A front end gets the Tracker alone. Operator
// and OrganizationOperator are for packages operator and portable; a test of the sources holds this.
//
// Run does the background work until its context ends: deliveries are leased by LeaseDeliveries and attempted by
// Deliver, for package deliver; jobs detach, purge, erase and build the index, each on one node at a time; uses of
// keys and sessions are stored in the background, so that a crash may lose the last of them. With Options.ReadOnly
// nothing is written.
//
// What a front end does itself: it reserves memory for bodies (Reserve) and large responses (ReserveResponse),
// acquires a slot for what it encodes (AcquireSlot), checks the disk before it reads a body (CheckDisk), and asks
// ResponseGuard again while a client receives a response.
//
// Files are named by their subject: slice*.go (reports: create, update, batch, list), comments, attachments and
// uploads, evidence*, occurrences, key*, session*, share*, webhook*, live*, people and members, job*, erasure*.
//
// The chapters rights, writes, batches and events of docs/design have the reasons.
package tracker
