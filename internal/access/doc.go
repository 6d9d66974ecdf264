// Package access has the rights of callers, and is the only way of a service to the transactions of the store.
//
//	rights, authority := access.New(access.Options{Store: access.Seal(s), …})
//	c, err := rights.Authenticate(ctx, token)
//	slice, err := c.Slice(rights.Read(ctx), "WEB-161")
//	out, err := access.Write(ctx, rights, c, operation, func(tx *access.Tx, c access.Caller) (api.Slice, error) {
//		s, err := c.LockSlice(tx, id) // with the rights that c has in the transaction
//		…
//	})
//
// A Caller is who calls, with the rights of one moment. Authenticate makes one of a key, AuthenticateSession of a
// browser's cookie, AuthenticateShare of a link, and Authority.Operator of the command line. Its Credential has
// unexported methods, and Allow refuses a Caller without one of these.
//
// Guarantees, which the compiler holds for all other packages:
//
//   - A service is given a sealed store, of which it can make an Access and an Authority and nothing else. A front end is given neither.
//   - A transaction is a Tx, which only this package opens: Write, WriteKey and Change for a caller with the right to an
//     operation, SystemWrite and SystemChange for an Authority.
//   - A caller in a transaction has its present rights. The queries of the transaction keep the roles that they read for it: on
//     PostgreSQL they are locked, or compared at the end, so that a revocation takes effect on requests in progress.
//   - A sensitive change of a session is refused with ErrProofNeeded unless its user has just proved who it is.
//
// The methods of a Caller that return a record (Slice, Key, Webhook) refuse one that the caller may not see like one
// that does not exist; those that begin with Lock lock it, too. A Guard asks again while a long response is computed
// or sent.
//
// The chapter rights of docs/design has the reasons.
package access
